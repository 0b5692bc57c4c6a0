dtrace:::BEGIN { else { trace(1); } }
