/*
 * Types, enumerators, constants and prototypes of a header; the script goes on where it was.
 * @quiet
 * @opt: cpp incdir=test/d/cpp
 */
#include "header.h"
struct hdr_pt p;
dtrace:::BEGIN
{
	p.x = HDR_CONST; p.y = HDR_TWO;
	printf("%d %d %d %d\n", p.x, p.y, sizeof (hdr_t), sizeof (struct hdr_pt));
}
