/*
 * A whole translated struct can be assigned, traced and printed; members without a translation are 0.
 */
struct out { int a; short b; int none; char t[8]; };
translator struct out < int x > { a = x; b = x + 1; t = "seven"; };
struct out v;
struct out arr[int];
dtrace:::BEGIN { v = xlate <struct out>(3); printf("%d %d %d %s", v.a, v.b, v.none, stringof(v.t)); }
dtrace:::BEGIN { this->w = xlate <struct out>(arg0 + 8); printf("%d %d", this->w.a, this->w.b); }
dtrace:::BEGIN { arr[1] = xlate <struct out>(5); printf("%d", arr[1].b); }
dtrace:::BEGIN { trace(xlate <struct out>(0x1020304)); }
dtrace:::BEGIN { print(xlate <struct out>(9)); }
