/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Searching and cutting strings. Searches return an offset into a, or NONE; the caller (src/builtin) makes
 * an address, a number or a null pointer of it. The results are those of the interpreter's functions, which
 * test/diff compares.
 */
#include "runtime.h"

/* ---- strchr, strrchr: n is the character, which may be the NUL ---- */

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

/* ---- strstr, index, rindex: pos is where a match is tried, x how far it goes, y 1 when it is over ---- */

/*
 * Compares eight characters from x on, or as many as b has left: 0 means that they match. The words may
 * begin at the last byte of a buffer: eight bytes more are behind it. Shifting left drops the high bytes of
 * the word, which on a little-endian machine are the last characters; both machines are that.
 */
static __attribute__((always_inline)) u64 words_differ(struct rt *r, u64 at, u64 x)
{
	u64 left = r->w->lb - x, d;

	if (at >= r->size || x >= r->size)
		return 1;
	d = *(u64 *)(r->a + at) ^ *(u64 *)(r->b + x);
	return left < 8 ? d << (64 - 8 * left) : d;
}

/*
 * One step compares eight characters. When they differ the search goes on at the place `next` further, which
 * is one back for rindex().
 */
static __attribute__((always_inline)) long search_step(struct rt *r, u64 next)
{
	struct dt_work *w = r->w;
	u64 x = w->x, pos = w->pos;

	w->y = 1;			/* it is over */
	if (pos + w->lb > w->la)	/* behind the last place, or before the first */
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

static long step_find(u32 i, struct rt *r) { return search_step(r, 1); }
static long step_rfind(u32 i, struct rt *r) { return search_step(r, (u64)-1); }

/*
 * Long strings that are much alike would take as many steps as the product of their lengths, and whoever is
 * traced may have made them. So the plain search has a number of steps that only such strings use up; then
 * the search goes on by Rabin and Karp: b and the part of a that lies over it have a number each, which is a
 * polynomial of their characters modulo a prime, and going on by one character takes one step. What has the
 * same number is compared. Nobody can make strings that have it by accident: the base is random.
 */
struct search { struct dt_work w; u64 base, power, want, have; };
_Static_assert(sizeof(struct search) <= DT_WORK_SIZE, "the slot has this much for a function's words");

#define PRIME 2147483647ull		/* products of two numbers below it fit into 64 bits */
#define PLAIN_STEPS(w) (4 * (w)->la + 1024)

static u32 (*const bpf_get_prandom_u32)(void) = (void *)7;

/* The numbers of b and of the part of a at pos: one character of each, backwards from the last one on. */
static __attribute__((always_inline)) long number_step(struct rt *r, u64 i, int back)
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

static long step_number(u32 i, struct rt *r) { return number_step(r, i, 0); }
static long step_rnumber(u32 i, struct rt *r) { return number_step(r, i, 1); }

static long step_compare(u32 i, struct rt *r)
{
	u64 x = r->w->x;

	if (x >= r->w->lb || words_differ(r, r->w->pos + x, x))
		return 1;
	r->w->x = x + 8;
	return 0;
}

/* Compares if the numbers are equal, else goes on by one character: one leaves the part of a, one comes. */
static __attribute__((always_inline)) long roll_step(struct rt *r, int back)
{
	struct search *s = (struct search *)r->w;
	u64 pos = s->w.pos, leaves = back ? pos + s->w.lb - 1 : pos, comes = back ? pos - 1 : pos + s->w.lb;

	if (s->have == s->want) {
		s->w.x = 0;
		bpf_loop((u32)(s->w.lb / 8 + 1), (void *)step_compare, r, 0);
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

static long step_roll(u32 i, struct rt *r) { return roll_step(r, 0); }
static long step_rroll(u32 i, struct rt *r) { return roll_step(r, 1); }

/* From pos on. */
static __attribute__((always_inline)) u64 search(struct rt *r, int back)
{
	struct search *s = (struct search *)r->w;

	s->w.out = NONE;
	s->w.x = s->w.y = 0;
	bpf_loop((u32)PLAIN_STEPS(&s->w), back ? (void *)step_rfind : (void *)step_find, r, 0);
	if (s->w.y)
		return s->w.out;
	s->base = 256 + bpf_get_prandom_u32() % (PRIME - 512);
	s->want = s->have = 0;
	s->power = 1;
	bpf_loop((u32)s->w.lb, back ? (void *)step_rnumber : (void *)step_number, r, 0);
	bpf_loop((u32)s->w.la, back ? (void *)step_rroll : (void *)step_roll, r, 0);
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

/* The same, backwards: without a position it begins at the last place where b fits. */
RT(rt_rindex)
{
	CONTEXT;
	s64 pos = w->m ? (s64)w->n : (s64)w->la, last = (s64)w->la - (s64)w->lb;

	if (pos < 0)
		return w->lb ? NONE : 0;
	if (pos > last)
		pos = last;
	w->pos = (u64)pos;
	return search(&r, 1);
}

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

static long step_set(u32 i, struct rt *r)
{
	struct tok *t = (struct tok *)r->w;
	u8 c;

	if (i >= r->size)
		return 1;
	c = r->b[i];
	t->set[c >> 6] |= 1ull << (c & 63);
	return c == 0;
}

static long step_tok(u32 i, struct rt *r)
{
	struct tok *t = (struct tok *)r->w;
	u64 at = t->w.pos, separator;
	u8 c;

	if (at >= r->size)
		return 1;
	c = r->a[at];
	separator = t->set[c >> 6] >> (c & 63) & 1;
	if (c == 0 || (separator && t->w.out != NONE))
		return 1;			/* behind the token */
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
	LOOP(size, step_set);
	w->out = NONE;
	LOOP(size, step_tok);
	start = w->out;
	if (start >= size || w->pos < start)
		return 0;
	return result(d, a + start, w->pos - start, size);
}

/* ---- toupper, tolower, memstr ---- */

/* Letters of ASCII differ in the bit 0x20 alone. */
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

/* n is the first of the 26 letters that change: 'a' or 'A'. */
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

/* ---- copyinargv: pos is the next pointer, n how many bytes it has, x how long the text is ---- */

static long (*const bpf_probe_read_user)(void *to, u32 size, const void *from) = (void *)112;
static long (*const bpf_probe_read_user_str)(void *to, u32 size, const void *from) = (void *)114;

/*
 * Scratch goes on behind d for as long as a string is. What cannot be read (a constant of the program that it
 * has never touched) is a question mark. out: 1, the array itself cannot.
 */
static long step_argv(u32 i, struct rt *r)
{
	struct dt_work *w = r->w;
	u64 p = 0, at = w->x;
	long len;

	if (bpf_probe_read_user(&p, w->n == 4 ? 4 : 8, (void *)w->pos)) {
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
	len = bpf_probe_read_user_str(r->d + at, (u32)r->size, (void *)p);
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
	LOOP(ARGUMENTS, step_argv);
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

	LOOP(size, step_memstr);
	if (w->la < size)
		d[w->la] = 0;
	return w->la + 1;
}
