BEGIN { trace(`nosuch_symbol); }
