/*
 * Form feed, vertical tab and carriage return are blanks.
 * @quiet
 */
BEGIN{printf("%d\n",1+2);
	printf("%d\n", 4);
}
