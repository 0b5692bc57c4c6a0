dtrace:::BEGIN
