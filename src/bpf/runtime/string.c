/* SPDX-License-Identifier: BSD-2-Clause */
/* Searching and cutting strings. */
#include "runtime.h"

/* ---- strchr, strrchr ---- */

static long step_strchr(u32 i, struct rt *r)
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
	LOOP(size, step_strchr);
	return w->out;
}

static long step_strrchr(u32 i, struct rt *r)
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
	LOOP(size, step_strrchr);
	return w->out;
}

/* ---- strstr, index, rindex: pos is where a match is tried, x how far it goes ---- */

static long step_find(u32 i, struct rt *r)
{
	struct work *w = r->w;
	u64 x = w->x, at = w->pos + x;

	if (x >= w->lb) {
		w->out = w->pos;
		return 1;
	}
	if (at >= w->la)
		return 1;
	if (at >= r->size || x >= r->size)
		return 1;
	if (r->a[at] == r->b[x]) {
		w->x = x + 1;
	} else {
		w->x = 0;
		w->pos++;
	}
	return 0;
}

#define STEPS (size * size < 1 << 22 ? size * size : 1 << 22)

RT(rt_strstr)
{
	CONTEXT;

	w->out = NONE;
	w->x = w->pos = 0;
	LOOP(STEPS, step_find);
	return w->out;
}

/* From n on, if m says there is one. */
RT(rt_index)
{
	CONTEXT;
	s64 pos = w->m ? (s64)w->n : 0;

	if (pos < 0)
		pos = 0;
	if (pos >= (s64)w->la)
		return w->lb ? NONE : w->la;
	w->out = NONE;
	w->x = 0;
	w->pos = (u64)pos;
	LOOP(STEPS, step_find);
	return w->out;
}

static long step_rfind(u32 i, struct rt *r)
{
	struct work *w = r->w;
	u64 x = w->x, at = w->pos + x;

	if (x >= w->lb) {
		w->out = w->pos;
		return 1;
	}
	if (at >= r->size || x >= r->size)
		return 1;
	if (r->a[at] == r->b[x]) {
		w->x = x + 1;
	} else {
		w->x = 0;
		if (w->pos == 0)
			return 1;
		w->pos--;
	}
	return 0;
}

RT(rt_rindex)
{
	CONTEXT;
	s64 pos = w->m ? (s64)w->n : (s64)w->la, last = (s64)w->la - (s64)w->lb;

	if (pos < 0)
		return w->lb ? NONE : 0;
	if (pos > last)
		pos = last;
	if (pos < 0)
		return NONE;
	w->out = NONE;
	w->x = 0;
	w->pos = (u64)pos;
	LOOP(STEPS, step_rfind);
	return w->out;
}

/* ---- substr: start n, length m ---- */

RT(rt_substr)
{
	s64 start = (s64)w->n, n = (s64)w->m, len = (s64)w->la;

	if (start < 0) {
		start += len;
		if (start < 0 && start + n > 0) {
			n += start;
			start = 0;
		}
	}
	if (start < 0 || start >= len)
		return result(d, a, 0, size);
	if (n < 0)
		n += len - start;
	if (n > len - start)
		n = len - start;
	if (n < 0)
		n = 0;
	if ((u64)start >= size)
		return result(d, a, 0, size);
	return result(d, a + start, (u64)n, size);
}

/* ---- strtok: a is the text (the slot keeps it), b the separators, n where to go on ---- */

static long step_sep(u32 i, struct rt *r)
{
	if (i >= r->size || r->b[i] == 0)
		return 1;
	if (r->b[i] == (u8)r->w->y) {
		r->w->y = 256;		/* it is one */
		return 1;
	}
	return 0;
}

static long step_tok(u32 i, struct rt *r)
{
	struct work *w = r->w;
	u64 at = w->pos;
	u8 c;

	if (at >= r->size)
		return 1;
	c = r->a[at];
	if (c == 0)
		return 1;
	w->y = c;
	bpf_loop((u32)r->size, (void *)step_sep, r, 0);
	if (w->y == 256 && w->out != NONE)
		return 1;			/* behind the token */
	if (w->y != 256 && w->out == NONE)
		w->out = at;			/* its first character */
	w->pos = at + 1;
	return 0;
}

RT(rt_strtok)
{
	CONTEXT;
	u64 start;

	w->out = NONE;
	LOOP(size, step_tok);
	start = w->out;
	if (start >= size || w->pos < start)
		return 0;
	return result(d, a + start, w->pos - start, size);
}

/* ---- toupper, tolower, memstr ---- */

static long step_case(u32 i, struct rt *r)
{
	u8 c;

	if (i >= r->size)
		return 1;
	c = r->a[i];
	if (c >= (u8)r->w->n && c <= (u8)r->w->n + 25)
		c ^= 0x20;
	r->d[i] = c;
	return c == 0;
}

/* n: the first letter of those that change. */
RT(rt_case)
{
	CONTEXT;

	LOOP(size, step_case);
	return w->la + 1;
}

static long step_memstr(u32 i, struct rt *r)
{
	if (i >= r->size || i >= r->w->la)
		return 1;
	if (r->d[i] == 0)
		r->d[i] = (u8)r->w->n;
	return 0;
}

/* The bytes are at d already, la of them. */
RT(rt_memstr)
{
	CONTEXT;

	LOOP(size, step_memstr);
	if (w->la < size)
		d[w->la] = 0;
	return w->la + 1;
}
