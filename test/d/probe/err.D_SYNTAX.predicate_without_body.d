dtrace:::BEGIN /1/
