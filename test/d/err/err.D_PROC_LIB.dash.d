/*
 * The function - is an address of the program.
 * @skip-unless: test "$(id -u)" = 0
 */
pid$pid:libc.so.6:-:10 { }
