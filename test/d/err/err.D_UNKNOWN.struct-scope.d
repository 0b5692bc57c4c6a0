struct a`b`c`d`e *p;
