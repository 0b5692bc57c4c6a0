/* @flags: -x version=1.0 */
dtrace:::BEGIN { trace(strchr("a", 'a')); }
