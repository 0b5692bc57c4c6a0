/*
 * There is no -c and no -p.
 * @skip-unless: test "$(id -u)" = 0
 */
pid$target:a.out:main:entry { }
