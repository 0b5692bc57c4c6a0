/*
 * Comments stand wherever white space may.
 * @quiet
 */
/* one */ BEGIN /* two */ /* three */ / /* four */ 1 /* five */ /
{ /* six */
	/* a comment
	   over * several ** lines */
	printf(/* seven */ "%d\n" /* eight */, 1/**/+/***/2 /****/);	// to the end of the line
	// printf("not printed\n");
	printf("%d\n", 6 / 2 /* divided */ / 3); // "still" 'a' comment /*
	printf("%d\n", 12 /* a */ / /* b */ 4);
} /* last **/
