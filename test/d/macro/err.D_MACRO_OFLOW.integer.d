/* @args: 99999999999999999999999 */
dtrace:::BEGIN { trace($1); }
