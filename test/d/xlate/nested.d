/*
 * A translator's member made by another translator, and an inline inside.
 * @quiet
 */
struct in { int v; };
struct mid { int m; };
struct top { int t; int u; };
inline int K = 100;
translator struct mid < int x > { m = x * 2; };
translator struct top < int x > { t = xlate <struct mid>(x).m + K; u = xlate <struct mid *>(x + 1)->m; };
dtrace:::BEGIN { printf("%d %d\n", xlate <struct top>(5).t, xlate <struct top>(5).u); }
