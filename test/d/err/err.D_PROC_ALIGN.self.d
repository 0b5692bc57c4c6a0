/*
 * S 3: in dtrace itself
 * @skip-unless: test "$(id -u)" = 0
 */
pid$pid:a.out:main:1 { }
