#!/usr/sbin/dtrace -s
/*
 * A #! line is ignored, also in the middle.
 * @quiet
 */
BEGIN { printf("one\n"); }
#! ignored too { ( [
  #! and after blanks
BEGIN { printf("two\n"); }
