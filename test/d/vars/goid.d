/*
 * N27: the goroutine is a key that stays the same when it moves to another thread.
 * @quiet
 * @fire: a:b:c:one timestamp=5000 tid=7 goid=18
 * @fire: a:b:c:one timestamp=5500 tid=7 goid=19
 * @fire: a:b:c:two timestamp=6000 tid=9 goid=18
 * @kernel: no, because the time is told
 */
a:b:c:one { start[goid] = timestamp; }
a:b:c:two /start[goid]/ { printf("%d: %d\n", goid, timestamp - start[goid]); start[goid] = 0; }
