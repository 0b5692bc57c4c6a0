/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * strmatch(): does the string a match the pattern b of a shell? `*` is any text, `?` any character, `[a-z]`
 * one of those, `[!a-z]` one that is none of those, `\` takes the next character as it is; a `[` without
 * its `]` is a `[`. Slashes and periods are characters like others.
 *
 * One step looks at one element of the pattern. Where a match fails, the last `*` takes one character more
 * and all goes on from there; earlier ones need not be tried again, since they took as little as they
 * could.
 */
#include "runtime/rt.h"

enum { NO = 0, YES = 1, TOO_LONG = 2 };
enum { MANY = 1 << 21 };		/* steps: some ten milliseconds */

struct match {
	/* pos: where we are in a, x in b; y: after the last `*` of b, 0: none; n: where it ends in a */
	struct dt_work w;
	u64 set;			/* after the [ that the pattern is inside of; 0: it is not */
	u64 hit, negated, first;
};
_Static_assert(sizeof(struct match) <= DT_WORK_SIZE, "the slot has this much for a function's words");

/* These return what a callback returns: 1, the loop ends; 0, it goes on. */
INLINE long end_match(struct match *m, u64 result)
{
	m->w.out = result;
	return 1;
}

/* The last `*` takes one character more; without one, or without a character, there is no match. */
INLINE long widen_star(struct rt *r, struct match *m)
{
	u64 at = m->w.n;

	m->set = 0;
	if (m->w.y == 0 || at >= r->size || r->a[at] == 0)
		return end_match(m, NO);
	m->w.n = m->w.pos = at + 1;
	m->w.x = m->w.y;
	return 0;
}

/* `good` tells whether one character of a is what the element of b, n characters long, asks for. */
INLINE long match_one(struct rt *r, struct match *m, u64 good, u64 n)
{
	if (!good)
		return widen_star(r, m);
	m->w.pos++;
	m->w.x += n;
	return 0;
}

/*
 * Inside of [ ]: looks at one character, or one range, of the set; c is the character of a. b is read up to
 * four bytes after x, which the eight bytes after each buffer allow. A set without its end is a `[`.
 */
INLINE long in_set(struct rt *r, struct match *m, u64 x, u8 c)
{
	const u8 *b = r->b + x;
	u8 low = b[0], high;
	u64 n = 1;

	if (low == 0) {			/* it was no set */
		m->w.x = m->set;
		m->set = 0;
		return match_one(r, m, c == '[', 0);
	}
	if (low == ']' && !m->first) {
		m->set = 0;
		return match_one(r, m, c && m->hit != m->negated, 1);
	}
	if (low == '\\' && b[1]) {
		low = b[1];
		n = 2;
	}
	high = low;
	if (b[n] == '-' && b[n + 1] && b[n + 1] != ']') {
		high = b[n + 1];
		n += 2;
		if (high == '\\' && b[n])
			high = b[n++];
	}
	m->hit |= c >= low && c <= high;
	m->first = 0;
	m->w.x = x + n;
	return 0;
}

/* `first`: a `]` that comes first stands for itself. */
INLINE void begin_set(struct match *m, u64 x, u8 next)
{
	m->set = x + 1;
	m->negated = next == '!' || next == '^';
	m->hit = 0;
	m->first = 1;
	m->w.x = x + 1 + m->negated;
}

/* One element of the pattern, or of a set inside it. */
STEP(step_match)
{
	struct match *m = (struct match *)r->w;
	u64 pos = m->w.pos, x = m->w.x;
	u8 c, p;

	(void)i;
	if (pos >= r->size || x >= r->size)
		return end_match(m, NO);
	c = r->a[pos];
	p = r->b[x];
	if (m->set)
		return in_set(r, m, x, c);
	switch (p) {
	case 0: return c == 0 ? end_match(m, YES) : widen_star(r, m);
	case '*':
		m->w.y = m->w.x = x + 1;
		m->w.n = pos;
		return 0;
	case '[':
		begin_set(m, x, r->b[x + 1]);
		return 0;
	case '?': return match_one(r, m, c != 0, 1);
	case '\\':
		if (r->b[x + 1])
			return match_one(r, m, c == r->b[x + 1], 2);
	}
	return match_one(r, m, c == p, 1);
}

/*
 * 1, 0, or 2: it is not found out within the steps there are, which takes strings of more than a thousand
 * characters.
 */
RT(rt_strmatch)
{
	CONTEXT;
	struct match *m = (struct match *)w;

	w->pos = w->x = w->y = w->n = 0;
	m->set = 0;
	w->out = TOO_LONG;
	LOOP(&r, MANY, step_match);
	return w->out;
}
