BEGIN { for (;;) trace(1); }
