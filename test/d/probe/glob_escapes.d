/*
 * A backslash takes the meaning from the next character.
 * @quiet
 * @fire: t:m:a*b:n
 * @fire: t:m:axb:n
 * @fire: t:m:a?b:n
 */
t:m:a\*b: { printf("star %s\n", probefunc); }
t:m:a?b: { printf("any %s\n", probefunc); }
t:m:a\?b: { printf("mark %s\n", probefunc); }
t:m:[ax]*[*?x]b: { printf("set %s\n", probefunc); }
