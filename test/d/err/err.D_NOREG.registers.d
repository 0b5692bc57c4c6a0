/* @flags: -x iregs=2 */
BEGIN { trace(pid + (tid + (ppid + uid))); }
