/*
 * Outputs are chosen by name from the inputs: renamed, reordered, repeated.
 * @quiet
 * @fire: map:::ev arg0=1 arg1=2 arg2=3
 */
provider map { probe ev(int a, int b, int c) : (int c, int a, int a); };
map:::ev { printf("%d %d %d\n", args[0], args[1], args[2]); printf("%d %d %d\n", arg0, arg1, arg2); }
