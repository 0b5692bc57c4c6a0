BEGIN { trace(pid.m); }
