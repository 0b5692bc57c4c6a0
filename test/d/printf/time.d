/* %Y and %T take nanoseconds since the epoch, in the local time zone.
 * @quiet
 * @fire: dtrace:::BEGIN walltimestamp=1183477672123456789
 * @fire: dtrace:::BEGIN walltimestamp=0
 * @fire: dtrace:::BEGIN walltimestamp=951782399000000000
 * @kernel: no, because the time is told
 */
BEGIN { printf("[%Y] [%T] [%30Y] [%-22Y]\n", walltimestamp, walltimestamp, walltimestamp, walltimestamp); }
