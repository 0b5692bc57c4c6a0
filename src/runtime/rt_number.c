/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers to text and back, network addresses as text, and chill(). Texts are made in the words of the slot,
 * where an index can be bounded by a constant, and copied to the result when they are complete.
 */
#include "runtime/rt.h"

#define TEXT 128			/* longer than any of these texts: 64 digits in base 2 */

struct number { struct dt_work w; u8 text[TEXT]; };
_Static_assert(sizeof(struct number) <= DT_WORK_SIZE, "the slot has this much for a function's words");

INLINE u8 *text_of(struct dt_work *w) { return ((struct number *)w)->text; }

/* ---- lltostr: n in base m, backwards from the end of the text ---- */

/* One character before those that are there. pos is unknown to the verifier, hence the test. */
INLINE void put_before(struct dt_work *w, u8 c)
{
	u64 at = w->pos - 1;

	if (at < TEXT) {
		text_of(w)[at] = c;
		w->pos = at;
	}
}

STEP(step_digits)
{
	struct dt_work *w = r->w;
	u64 v = w->x, base = w->m;
	u8 c;

	if (base < 2)
		return 1;
	c = (u8)(v % base);
	put_before(w, c < 10 ? '0' + c : 'a' + (c - 10));
	w->x = v / base;
	return w->x == 0;
}

/* As the historic lltostr(): only base 10 is signed, base 16 begins with 0x, base 8 with 0. */
RT(rt_lltostr)
{
	CONTEXT;
	u64 negative = w->m == 10 && (s64)w->n < 0, start;

	w->pos = TEXT;
	w->x = negative ? -w->n : w->n;
	LOOP(&r, 64, step_digits);
	if (w->m == 16)
		put_before(w, 'x');
	if (w->m == 16 || (w->m == 8 && w->n))
		put_before(w, '0');
	if (negative)
		put_before(w, '-');
	start = w->pos;
	if (start >= TEXT)
		return 0;
	return result(d, text_of(w) + start, TEXT - start, size);
}

/* ---- strtoll: base n; pos is where we are, y whether there is a minus sign, out the value ---- */

/* What the character is worth in any base; 99, which no base reaches: it is no digit. */
static u64 digit_of(u8 c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
}

STEP(step_blank)
{
	u8 c;

	if (i >= r->size)
		return 1;
	c = r->a[i];
	r->w->pos = i;
	return !(c == ' ' || (c >= '\t' && c <= '\r'));
}

STEP(step_number)
{
	struct dt_work *w = r->w;
	u64 at = w->pos, c;

	if (at >= r->size)
		return 1;
	c = digit_of(r->a[at]);
	if (c >= w->n)
		return 1;
	w->out = w->out * w->n + c;
	w->pos = at + 1;
	return 0;
}

/* Skips 0x, but only before a digit of base 16: "0x" alone is the number 0. */
STEP(step_prefix)
{
	struct dt_work *w = r->w;
	u64 at = w->pos;

	if (at >= r->size - 2)		/* not at + 2: the verifier would not know what at is */
		return 1;
	if (r->a[at] == '0' && (r->a[at + 1] | 0x20) == 'x' && digit_of(r->a[at + 2]) < 16)
		w->pos = at + 2;
	return 1;
}

STEP(step_sign)
{
	u64 at = r->w->pos;

	if (at >= r->size)
		return 1;
	r->w->y = r->a[at] == '-';
	if (r->a[at] == '-' || r->a[at] == '+')
		r->w->pos = at + 1;
	return 1;
}

/*
 * Stops at the first character that is no digit; an overflow wraps. The sign and the prefix are loops of one
 * step because a callback's view of pos is what the verifier can check.
 */
RT(rt_strtoll)
{
	CONTEXT;

	w->pos = 0;
	w->out = 0;
	w->y = 0;
	LOOP(&r, size, step_blank);
	LOOP(&r, 1, step_sign);
	if (w->n == 16)
		LOOP(&r, 1, step_prefix);
	LOOP(&r, size, step_number);
	return w->y ? -w->out : w->out;
}

/* ---- addresses: a holds the bytes, la of them; the text grows, pos is its length ---- */

INLINE void put_char(struct rt *r, u8 c)
{
	u64 at = r->w->pos;

	if (at < TEXT) {
		text_of(r->w)[at] = c;
		r->w->pos = at + 1;
	}
}

/* ten: the letter for 10, which chooses the case */
static u8 hex_digit(u32 v, u8 ten) { return (u8)(v < 10 ? '0' + v : ten + (v - 10)); }

/* Byte i of an IPv4 address, which begins at byte x of a. */
STEP(step_dotted)
{
	u64 at = r->w->x + i;
	u32 v;

	if (at >= 16)
		return 1;
	v = r->a[at];
	if (i)
		put_char(r, '.');
	if (v >= 100)
		put_char(r, (u8)('0' + v / 100));
	if (v >= 10)
		put_char(r, (u8)('0' + v / 10 % 10));
	put_char(r, (u8)('0' + v % 10));
	return 0;
}

RT(rt_inet4)
{
	CONTEXT;

	w->pos = 0;
	w->x = 0;
	LOOP(&r, 4, step_dotted);
	return result(d, text_of(w), w->pos, size);
}

/*
 * Byte i in hexadecimal. n: the colon or dash between bytes; m: bit i is set where one stands before byte i;
 * y: 'a' or 'A'.
 */
STEP(step_hex)
{
	if (i >= 20)
		return 1;
	if (r->w->m >> i & 1)
		put_char(r, (u8)r->w->n);
	put_char(r, hex_digit(r->a[i] >> 4, (u8)r->w->y));
	put_char(r, hex_digit(r->a[i] & 15, (u8)r->w->y));
	return 0;
}

RT(rt_hexbytes)
{
	CONTEXT;

	w->pos = 0;
	LOOP(&r, w->la < 20 ? w->la : 20, step_hex);
	return result(d, text_of(w), w->pos, size);
}

/*
 * Finds the longest run of zero groups, the first of equals, of two at least (RFC 5952). x is where the run
 * in hand begins and y its length; out and n are those of the best.
 */
STEP(step_run)
{
	struct dt_work *w = r->w;

	if (i >= 8)
		return 1;
	if (r->a[2 * i] || r->a[2 * i + 1]) {
		w->y = 0;
		return 0;
	}
	if (w->y == 0)
		w->x = i;
	w->y++;
	if (w->y > 1 && w->y > w->n) {
		w->n = w->y;
		w->out = w->x;
	}
	return 0;
}

/* Group i as text; `::` stands for the run that step_run() found, when n says that there is one. */
STEP(step_group)
{
	struct dt_work *w = r->w;
	u32 v;

	if (i >= 8)
		return 1;
	if (w->n && i == w->out) {
		put_char(r, ':');
		put_char(r, ':');
	}
	if (w->n && i >= w->out && i < w->out + w->n)
		return 0;
	if (i && !(w->n && i == w->out + w->n))
		put_char(r, ':');
	v = (u32)r->a[2 * i] << 8 | r->a[2 * i + 1];
	if (v >> 12)
		put_char(r, hex_digit(v >> 12, 'a'));
	if (v >> 8)
		put_char(r, hex_digit(v >> 8 & 15, 'a'));
	if (v >> 4)
		put_char(r, hex_digit(v >> 4 & 15, 'a'));
	put_char(r, hex_digit(v & 15, 'a'));
	return 0;
}

/*
 * An address that holds an IPv4 one (::ffff:a.b.c.d, or ::a.b.c.d but not :: and ::1) ends in dotted form;
 * m says whether it keeps its prefix.
 */
RT(rt_inet6)
{
	CONTEXT;
	u32 high = 0, mid, low;

	for (int i = 0; i < 10; i++)
		high |= a[i];
	mid = (u32)a[10] << 8 | a[11];
	low = (u32)a[12] << 24 | (u32)a[13] << 16 | (u32)a[14] << 8 | a[15];
	w->pos = 0;
	if (!high && (mid == 0xffff || (!mid && low > 1))) {
		if (w->m) {
			put_char(&r, ':');
			put_char(&r, ':');
		}
		for (int i = 0; w->m && mid && i < 5; i++)
			put_char(&r, i < 4 ? 'f' : ':');
		w->x = 12;
		LOOP(&r, 4, step_dotted);
	} else {
		w->n = w->y = w->out = 0;
		LOOP(&r, 8, step_run);
		LOOP(&r, 8, step_group);
	}
	return result(d, text_of(w), w->pos, size);
}

/* ---- chill: n nanoseconds pass; the caller has limited n ---- */

STEP(step_chill)
{
	return now_ns(r) - r->w->x >= r->w->n;
}

/*
 * A loop has at most LOOP_MAX steps. Eight of them last the half second that the caller allows when a
 * step takes 8 ns or more.
 */
RT(rt_chill)
{
	CONTEXT;

	w->x = now_ns(&r);
	for (int i = 0; i < 8; i++)
		LOOP(&r, LOOP_MAX, step_chill);
	return 0;
}
