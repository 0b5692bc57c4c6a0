/* @flags: -x tregs=2 */
BEGIN { a[1, 2, 3] = 1; }
