/*
 * S 3: in dtrace itself
 * @skip-unless: test "$(id -u)" = 0
 */
pid$pid:a.out:no_such_function:entry { }
