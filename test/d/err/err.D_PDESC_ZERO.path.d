/*
 * N 3: the words of another tracer
 * @skip-unless: test "$(id -u)" = 0
 */
uprobe:/bin/bash:readline { }
