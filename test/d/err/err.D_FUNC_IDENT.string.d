BEGIN { "trace"(1); }
