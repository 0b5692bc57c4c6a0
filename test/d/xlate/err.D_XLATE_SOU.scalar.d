translator int < int i > { w = 1; };
dtrace:::BEGIN { }
