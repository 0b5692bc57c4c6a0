/* Narrowing and changes of sign shift to the left and back; widening needs nothing. */
BEGIN { trace((char)arg0); trace((unsigned char)arg0); trace((short)arg0); trace((uint32_t)arg0); trace((int)arg0); }
BEGIN { trace((int64_t)pid); trace((uint64_t)arg0); trace((void *)arg0); trace((char)(short)arg0); }
