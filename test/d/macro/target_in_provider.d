/*
 * @quiet
 * @fire: pid0:a.out:main:entry
 */
pid$target:::entry { printf("%s\n", probeprov); }
