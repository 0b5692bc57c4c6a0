/*
 * A shorter string leaves nothing of a longer one.
 * @quiet
 */
string s;
dtrace:::BEGIN { s = "a long text"; s = "ab"; trace(s); printf("|%d|", strlen(s)); s = ""; printf("[%s]\n", s); }
