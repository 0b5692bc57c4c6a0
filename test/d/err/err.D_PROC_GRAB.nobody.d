/*
 * Process ids end at 4194304.
 * @skip-unless: test "$(id -u)" = 0
 */
pid4194305:a.out:main:entry { }
