/* A declared name has no backquote. */
int a`b;
BEGIN { trace(1); }
