/*
 * S C10
 * @flags: -w
 */
BEGIN { speculate(1); copyout(NULL, 1, 1); }
