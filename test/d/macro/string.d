/*
 * A text that is no integer and no name is a string; quotes are taken off.
 * @quiet
 * @args: /bin/ls "two words" a-b
 */
dtrace:::BEGIN { printf("%s|%s|%s\n", $1, $2, $3); }
