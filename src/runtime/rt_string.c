/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Strings made of strings: substr(), strtok(), toupper(), tolower(), memstr(), copyinargv(). a is the text,
 * la its length; the result goes to d.
 */
#include "runtime/rt.h"

/* ---- substr: start n, length m ---- */

/*
 * As in Perl: a negative start counts from the end, a negative length leaves that many characters off. What
 * begins before the text and reaches into it is cut there.
 */
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

/*
 * ---- strtok ----
 * a is the text, in the slot's own buffer for it, so that the next call goes on there; b the separators; pos
 * where to go on, which the caller keeps between calls (S_TOK_POS).
 */

struct tok { struct dt_work w; u64 set[4]; };	/* the separators, a bit for each of 256 characters */
_Static_assert(sizeof(struct tok) <= DT_WORK_SIZE, "the slot has this much for a function's words");

STEP(step_set)
{
	struct tok *t = (struct tok *)r->w;
	u8 c;

	if (i >= r->size)
		return 1;
	c = r->b[i];
	t->set[c >> 6] |= 1ull << (c & 63);
	return c == 0;
}

STEP(step_tok)
{
	struct tok *t = (struct tok *)r->w;
	u64 at = t->w.pos, separator;
	u8 c;

	if (at >= r->size)
		return 1;
	c = r->a[at];
	separator = t->set[c >> 6] >> (c & 63) & 1;
	if (c == 0 || (separator && t->w.out != NONE))
		return 1;			/* after the token */
	if (!separator && t->w.out == NONE)
		t->w.out = at;			/* its first character */
	t->w.pos = at + 1;
	return 0;
}

/* 0: there is no further token. */
RT(rt_strtok)
{
	CONTEXT;
	struct tok *t = (struct tok *)w;
	u64 start;

	t->set[0] = t->set[1] = t->set[2] = t->set[3] = 0;
	LOOP(&r, size, step_set);
	w->out = NONE;
	LOOP(&r, size, step_tok);
	start = w->out;
	if (start >= size || w->pos < start)
		return 0;
	return result(d, a + start, w->pos - start, size);
}

/* ---- toupper, tolower, memstr ---- */

/* Letters of ASCII differ in the bit 0x20 alone. */
STEP(step_case)
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

/* n is the first of the 26 letters that change: 'a' or 'A'. */
RT(rt_case)
{
	CONTEXT;

	LOOP(&r, size, step_case);
	return w->la + 1;
}

STEP(step_memstr)
{
	if (i >= r->size || i >= r->w->la)
		return 1;
	if (r->d[i] == 0)
		r->d[i] = (u8)r->w->n;
	return 0;
}

/* ---- copyinargv: pos is the next pointer, n how many bytes it has, x how long the text is ---- */

/*
 * d has room for two strings (scratch goes on after the first). What cannot be read (a
 * constant of the program that it has never touched) is a question mark. out: 1, the array itself cannot.
 */
STEP(step_argv)
{
	struct dt_work *w = r->w;
	u64 p = 0, at = w->x;
	long len;

	if (read_user(r, &p, w->n == 4 ? 4 : 8, w->pos)) {
		w->out = 1;
		return 1;
	}
	if (!p)
		return 1;
	w->pos += w->n;
	if (i) {
		if (at >= r->size - 1)
			return 1;
		r->d[at++] = ' ';
	}
	if (at >= r->size - 1) {
		w->x = at;
		return 1;
	}
	len = read_user_str(r, r->d + at, r->size, p);
	if (len < 0)
		r->d[at] = '?';
	w->x = at + (u64)(len < 0 ? 1 : len > 0 ? len - 1 : 0);
	return 0;
}

#define ARGUMENTS 4096

RT(rt_argv)
{
	u64 len;
	CONTEXT;

	w->x = 0;
	w->out = 0;
	LOOP(&r, ARGUMENTS, step_argv);
	len = w->x;
	if (len >= size)
		len = size - 1;
	d[len] = 0;
	return len + 1;
}

/* The caller has copied la bytes to d; each NUL among them becomes the character n. */
RT(rt_memstr)
{
	CONTEXT;

	LOOP(&r, size, step_memstr);
	if (w->la < size)
		d[w->la] = 0;
	return w->la + 1;
}
