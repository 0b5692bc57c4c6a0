dtrace:::BEGIN { trace(strjoin("a")); }
