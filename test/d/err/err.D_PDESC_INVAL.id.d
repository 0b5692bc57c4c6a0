/*
 * No probe has this number.
 * @skip-unless: test "$(id -u)" = 0
 */
4000000000 { }
