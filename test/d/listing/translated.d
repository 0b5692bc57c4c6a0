/* A translated member is the translator's expression, nothing else. */
struct raw { int a; int b; };
typedef struct info { int sum; string name; } info_t;
translator info_t < struct raw *r > { sum = r->a + r->b; name = execname; };
BEGIN { trace((xlate <info_t>((struct raw *)arg0)).sum); trace((xlate <info_t *>((struct raw *)arg0))->name); }
