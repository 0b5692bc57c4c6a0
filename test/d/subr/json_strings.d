/*
 * @quiet
 */
dtrace:::BEGIN { printf("[%s] [%s] [%s]\n", json("{\"a b\":\"x\"}", "a b"), json("[1,[2,3]]", "[1][0]"), json("{\"a\":[]}", "a")); }
