/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * strchr(), strrchr(), strstr(), index(), rindex(): a is the text, la its length; b is what is searched for,
 * lb its length. They return an offset into a, or NONE; the caller (src/builtin) makes an address, a number
 * or a null pointer of it.
 */
#include "runtime/rt.h"

/* ---- strchr, strrchr: n is the character, which may be the NUL ---- */

STEP(step_strchr)
{
	if (i >= r->size)
		return 1;
	if (r->a[i] == (u8)r->w->n) {
		r->w->out = i;
		return 1;
	}
	return r->a[i] == 0;
}

RT(rt_strchr)
{
	CONTEXT;

	w->out = NONE;
	LOOP(&r, size, step_strchr);
	return w->out;
}

STEP(step_strrchr)
{
	if (i >= r->size)
		return 1;
	if (r->a[i] == (u8)r->w->n)
		r->w->out = i;
	return r->a[i] == 0;
}

RT(rt_strrchr)
{
	CONTEXT;

	w->out = NONE;
	LOOP(&r, size, step_strrchr);
	return w->out;
}

/* ---- strstr, index, rindex: pos is where a match is tried, x how far it goes, y 1 when it is over ---- */

/*
 * Compares eight characters from x on, or as many as b has left: 0 means that they match. The words may
 * begin at the last byte of a buffer: eight bytes more follow it. Shifting left drops the high bytes of
 * the word, which on a little-endian machine are the last characters; both machines are that.
 */
INLINE u64 words_differ(struct rt *r, u64 at, u64 x)
{
	u64 left = r->w->lb - x, d;

	if (at >= r->size || x >= r->size)
		return 1;
	d = word_in(r->a + at) ^ word_in(r->b + x);
	return left < 8 ? d << (64 - 8 * left) : d;
}

/*
 * One step compares eight characters. When they differ the search goes on at the place `next` further, which
 * is one back for rindex().
 */
INLINE long search_step(struct rt *r, u64 next)
{
	struct dt_work *w = r->w;
	u64 x = w->x, pos = w->pos;

	w->y = 1;			/* it is over */
	if (pos + w->lb > w->la)	/* after the last place, or before the first */
		return 1;
	if (x >= w->lb) {
		w->out = pos;
		return 1;
	}
	w->y = 0;
	if (words_differ(r, pos + x, x)) {
		w->x = 0;
		w->pos = pos + next;
	} else {
		w->x = x + 8;
	}
	return 0;
}

STEP(step_find) { return search_step(r, 1); }
STEP(step_rfind) { return search_step(r, (u64)-1); }

/*
 * Long strings that are much alike would take as many steps as the product of their lengths, and the traced
 * process may have made them. So the plain search has a number of steps that only such strings use up; then
 * the search goes on by Rabin and Karp: b and the part of a that lies over it have a number each, which is a
 * polynomial of their characters modulo a prime, and going on by one character takes one step. What has the
 * same number is compared. The base is random, so a process cannot make strings whose numbers are equal.
 */
struct search { struct dt_work w; u64 base, power, want, have; };
_Static_assert(sizeof(struct search) <= DT_WORK_SIZE, "the slot has this much for a function's words");

#define PRIME 2147483647ull		/* products of two numbers below it fit into 64 bits */
#define PLAIN_STEPS(w) (4 * (w)->la + 1024)

/* The numbers of b and of the part of a at pos: one character of each, backwards from the last one on. */
INLINE long number_step(struct rt *r, u64 i, int back)
{
	struct search *s = (struct search *)r->w;
	u64 at = back ? s->w.lb - 1 - i : i;

	if (i >= s->w.lb || at >= r->size || s->w.pos + at >= r->size)
		return 1;
	s->want = (s->want * s->base + r->b[at]) % PRIME;
	s->have = (s->have * s->base + r->a[s->w.pos + at]) % PRIME;
	if (i > 0)
		s->power = s->power * s->base % PRIME;
	return 0;
}

STEP(step_number) { return number_step(r, i, 0); }
STEP(step_rnumber) { return number_step(r, i, 1); }

STEP(step_compare)
{
	u64 x = r->w->x;

	if (x >= r->w->lb || words_differ(r, r->w->pos + x, x))
		return 1;
	r->w->x = x + 8;
	return 0;
}

/* Compares if the numbers are equal, else goes on by one character: one leaves the part of a, one comes. */
INLINE long roll_step(struct rt *r, int back)
{
	struct search *s = (struct search *)r->w;
	u64 pos = s->w.pos, leaves = back ? pos + s->w.lb - 1 : pos, comes = back ? pos - 1 : pos + s->w.lb;

	if (s->have == s->want) {
		s->w.x = 0;
		LOOP(r, s->w.lb / 8 + 1, step_compare);
		if (s->w.x >= s->w.lb) {
			s->w.out = pos;
			return 1;
		}
	}
	if (comes >= s->w.la || comes >= r->size || leaves >= r->size)	/* pos - 1 of 0 is large too */
		return 1;
	s->have = (s->have + PRIME - r->a[leaves] * s->power % PRIME) * s->base % PRIME;
	s->have = (s->have + r->a[comes]) % PRIME;
	s->w.pos = back ? pos - 1 : pos + 1;
	return 0;
}

STEP(step_roll) { return roll_step(r, 0); }
STEP(step_rroll) { return roll_step(r, 1); }

/* From pos on. */
INLINE u64 search(struct rt *r, int back)
{
	struct search *s = (struct search *)r->w;

	s->w.out = NONE;
	s->w.x = s->w.y = 0;
	LOOP(r, PLAIN_STEPS(&s->w), back ? step_rfind : step_find);
	if (s->w.y)
		return s->w.out;
	s->base = 256 + random_u32(r) % (PRIME - 512);
	s->want = s->have = 0;
	s->power = 1;
	LOOP(r, s->w.lb, back ? step_rnumber : step_number);
	LOOP(r, s->w.la, back ? step_rroll : step_roll);
	return s->w.out;
}

RT(rt_strstr)
{
	CONTEXT;

	w->pos = 0;
	return search(&r, 0);
}

/* n is the position to begin at, when m says that there is one. One before the beginning counts as 0. */
RT(rt_index)
{
	CONTEXT;
	s64 pos = w->m ? (s64)w->n : 0;

	if (pos < 0)
		pos = 0;
	if (pos >= (s64)w->la)
		return w->lb ? NONE : w->la;
	w->pos = (u64)pos;
	return search(&r, 0);
}

/*
 * The same, backwards: without a position it begins at the last place where b fits, which is before the
 * beginning if b is longer than a.
 */
RT(rt_rindex)
{
	CONTEXT;
	s64 pos = w->m ? (s64)w->n : (s64)w->la, last = (s64)w->la - (s64)w->lb;

	if (pos > last)
		pos = last;
	if (pos < 0)
		return w->lb ? NONE : 0;
	w->pos = (u64)pos;
	return search(&r, 1);
}
