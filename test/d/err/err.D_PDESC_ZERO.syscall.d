/*
 * S 3, P 4.12, T 13
 * @skip-unless: test "$(id -u)" = 0
 */
syscall::nosuch:entry { }
