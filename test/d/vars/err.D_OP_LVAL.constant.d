dtrace:::BEGIN { 5 = 4; }
