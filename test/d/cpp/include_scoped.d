/*
 * A header's types are C's, the script's own are D's; C's is found first where both have a name.
 * @quiet
 * @opt: cpp incdir=test/d/cpp
 */
#include "header.h"
typedef long own_t;
C`hdr_t *p;
struct C`hdr_pt *q;
dtrace:::BEGIN { printf("%d %d %d %d\n", sizeof (C`hdr_t), sizeof (hdr_t), sizeof (D`own_t), sizeof (struct C`hdr_pt)); }
dtrace:::BEGIN { printf("%d %d %d\n", (C`hdr_t)0x12345, sizeof (*p), sizeof (q->y)); }
