/* Destructive actions, told by name. */
#pragma D option destructive
BEGIN { stop(); }
BEGIN { raise(9); }
BEGIN { chill(1000); }
BEGIN { stop(); trace("after"); }
