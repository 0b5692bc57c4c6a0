/* @args: 1 2 */
dtrace:::BEGIN { trace($1); }
