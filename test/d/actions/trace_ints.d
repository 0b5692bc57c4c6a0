/* trace() in columns by size; small signed types keep their sign. */
BEGIN { trace((char)-5); trace((unsigned char)200); trace((short)-5); trace((unsigned short)60000); }
BEGIN { trace((int)-5); trace((unsigned int)4000000000); trace((long)-5); trace((unsigned long)-1); }
BEGIN { trace(0); trace('a'); trace(1 == 1); trace(sizeof (int)); trace((void *)0x10); }
