/*
 * S 3: in dtrace itself; the first instruction of _start has more than one byte everywhere, that of main not
 * @skip-unless: test "$(id -u)" = 0
 */
pid$pid:a.out:_start:1 { }
