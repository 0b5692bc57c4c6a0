/*
 * @quiet
 * @opt: cpp define=WORD=changed
 */
dtrace:::BEGIN { printf("WORD // no comment /* none */ %s\n", "#define"); } // but this is
