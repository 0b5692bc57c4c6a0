/*
 * A member stored when there is no room for the struct is dropped without a fault.
 * @quiet
 * @opt: dynvarsize=64
 */
struct big { char b[200]; int x; };
struct big v[int];
dtrace:::BEGIN { v[1].x = 5; printf("%d\n", v[1].x); }
