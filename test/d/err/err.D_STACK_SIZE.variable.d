BEGIN { stack(pid); }
