/* Destructive actions, told by name.
 * @kernel: no, because it would stop and kill the process that runs it
 */
#pragma D option destructive
BEGIN { stop(); }
BEGIN { raise(9); }
BEGIN { chill(1000); }
BEGIN { stop(); trace("after"); }
