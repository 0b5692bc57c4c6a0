/* Pointer arithmetic by the size of the object; loads of each size; addresses. */
BEGIN { trace(*(int *)arg0); trace(*((char *)arg0 + 1)); trace(((short *)arg0)[arg1]); trace((int *)arg0 - (int *)arg1); trace(&((int *)arg0)[3]); }
