BEGIN { trcae(1); }
