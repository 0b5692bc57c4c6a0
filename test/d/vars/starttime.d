/*
 * The age of a process is timestamp - starttime.
 * @quiet
 * @fire: a:b:c:one timestamp=5000 starttime=1200
 * @fire: a:b:c:one timestamp=7000
 * @kernel: no, because the time is told
 */
a:b:c:one { printf("%d %d\n", starttime, timestamp - starttime); }
