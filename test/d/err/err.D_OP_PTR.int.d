BEGIN { trace(pid->m); }
