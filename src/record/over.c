/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Policy ring: the struct dt_over of a CPU, as the programs left it, comes in; its records go out,
 * oldest first. Only for use after all programs have ended. Overwritten records are recognised by their
 * position: only whole records are passed on. The bytes may be anything.
 */
#include "record/record.h"

#include <string.h>

struct over {
	const unsigned char *data;	/* after the struct dt_over */
	uint64_t head, size, len;	/* len: of data */
};

/* Does a whole record start at this position? */
static bool record_at(const struct over *o, uint64_t pos, struct dt_overrec *r)
{
	uint64_t at = pos & (o->size - 1), again;

	if (pos % 8 || o->head - pos > o->size || o->len - at < sizeof(*r))
		return false;
	memcpy(r, o->data + at, sizeof(*r));
	if (r->pos != pos || r->len % 8 || r->len < sizeof(*r) + 8 || r->len > o->len - at ||
	    r->len > o->head - pos)
		return false;
	memcpy(&again, o->data + at + r->len - 8, sizeof(again));
	return again == r->len;
}

/*
 * The record that ends at this position. Its length is stored before the end, in the overhang if the
 * record crossed the end of the buffer.
 */
static bool record_before(const struct over *o, uint64_t end, struct dt_overrec *r)
{
	uint64_t at = end & (o->size - 1), places[] = { at, at + o->size }, len;

	for (int i = 0; i < 2; i++) {
		if (places[i] < 8 || places[i] > o->len)
			continue;
		memcpy(&len, o->data + places[i] - 8, sizeof(len));
		if (len <= end && record_at(o, end - len, r) && r->len == len)
			return true;
	}
	return false;
}

/* Walks back to the oldest whole record after *seen, then forward; *seen = what has been taken. */
static int hand_on(const struct over *o, uint64_t *seen, dt_over_f *f, void *ctx)
{
	struct dt_overrec r;
	uint64_t pos = o->head;
	int ret = 0;

	while (pos > *seen && record_before(o, pos, &r) && r.pos >= *seen)
		pos = r.pos;
	for (*seen = pos; pos < o->head && !ret && record_at(o, pos, &r); pos += r.len) {
		if (!r.gone)
			ret = f(ctx, o->data + (pos & (o->size - 1)) + sizeof(r), r.len - sizeof(r) - 8);
		if (ret >= 0)
			*seen = pos + r.len;
	}
	return ret;
}

int dt_over_records(const struct dt_over *copy, uint64_t len, uint64_t room, uint64_t *seen, dt_over_f *f,
    void *ctx)
{
	struct over o = { .data = (const unsigned char *)(copy + 1), .head = copy->head, .size = room,
		.len = len - sizeof(*copy) };

	return hand_on(&o, seen, f, ctx);
}
