/* SPDX-License-Identifier: BSD-2-Clause */
/* The growable text buffer behind every printer. It knows nothing of values. */
#include "output/out.h"

#include <errno.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

/* About the most bytes that wait for dt_out_flush(). */
enum { WAITING = 64 << 10 };

const struct dt_print_opts dt_print_defaults = { .stackindent = 14 };

void dt_out_init(struct dt_out *o, FILE *file, const struct dt_print_opts *opts)
{
	memset(o, 0, sizeof(*o));
	o->file = file;
	o->opts = opts ? opts : &dt_print_defaults;
	o->max = DT_OUT_MAX;
}

void dt_out_free(struct dt_out *o)
{
	free(o->buf);
	o->buf = NULL;
	o->len = o->cap = 0;
}

/*
 * The NUL is written here, not with each piece. It is no part of the text, so the buffer changes and
 * `len` does not.
 */
const char *dt_out_text(const struct dt_out *o)
{
	if (!o->buf)
		return "";
	o->buf[o->len] = '\0';
	return o->buf;
}

void dt_out_clear(struct dt_out *o)
{
	o->len = 0;
	o->failed = false;
}

/*
 * Once a write has failed, text is dropped without another attempt: half a line after a gap would look
 * like a whole one. `err` keeps the first reason.
 */
static void write_out(struct dt_out *o, size_t n)
{
	if (!o->failed && fwrite_unlocked(o->buf, 1, n, o->file) != n) {
		dt_out_fail(o, errno);
	}
	memmove(o->buf, o->buf + n, o->len - n);
	o->len -= n;
}

void dt_out_flush(struct dt_out *o)
{
	if (o->file && o->len > 0)
		write_out(o, o->len);
}

void dt_out_write(struct dt_out *o, const char *text, size_t n)
{
	if (!o->file) {
		dt_out_put(o, text, n);
		return;
	}
	dt_out_flush(o);
	if (!o->failed && n > 0 && fwrite_unlocked(text, 1, n, o->file) != n)
		dt_out_fail(o, errno);
}

/* A file that was half full after a line does not run over in the middle of the next. */
void dt_out_spill(struct dt_out *o)
{
	if (o->file && !o->failed && __fpending(o->file) > __fbufsize(o->file) / 2 &&
	    fflush_unlocked(o->file) != 0)
		dt_out_fail(o, errno);
}

/*
 * The lines that are whole go to the file, the last one waits: whatever ends us, the file does not end with
 * half a line, as long as its own buffer holds what waits here.
 */
static void flush_lines(struct dt_out *o)
{
	const char *end = o->len > 0 ? memrchr(o->buf, '\n', o->len) : NULL;

	if (!end)
		return;
	write_out(o, (size_t)(end + 1 - o->buf));
	if (!o->failed && fflush_unlocked(o->file) != 0) {
		dt_out_fail(o, errno);
	}
}

/*
 * The slow half of dt_out_room(). A file's text is written out before the buffer grows past WAITING, so
 * only a single piece larger than that makes the buffer larger.
 */
bool dt_out_grow(struct dt_out *o, size_t n)
{
	if (o->file && o->len + n > WAITING)
		flush_lines(o);
	if (o->file && o->len > WAITING)
		dt_out_flush(o);		/* a line without end */
	if (o->failed || n > o->max - o->len) {
		o->failed = true;
		return false;
	}
	if (o->cap - o->len > n)
		return true;
	size_t cap = o->cap ? o->cap : 256;
	while (cap - o->len <= n)
		cap *= 2;
	if (cap > o->max)
		cap = o->max + 1;	/* so dt_out_room(), which looks at cap alone, respects max */
	char *buf = realloc(o->buf, cap);
	if (!buf) {
		dt_out_fail(o, ENOMEM);
		return false;
	}
	o->buf = buf;
	o->cap = cap;
	return true;
}

void dt_out_pad(struct dt_out *o, char c, size_t n)
{
	char some[64];

	memset(some, c, sizeof(some));
	while (n > 0 && !o->failed) {
		size_t part = n < sizeof(some) ? n : sizeof(some);
		dt_out_put(o, some, part);
		n -= part;
	}
}

void dt_out_field(struct dt_out *o, const char *text, size_t n, size_t width, bool left)
{
	size_t columns = width > 0 ? dt_columns(text, n) : 0, pad = width > columns ? width - columns : 0;

	if (pad > 0 && !left)
		dt_out_pad(o, ' ', pad);
	dt_out_put(o, text, n);
	if (pad > 0 && left)
		dt_out_pad(o, ' ', pad);
}

/*
 * How many decimal digits v has. A number of b bits has b * log10(2) digits, or one more; 1233 / 4096
 * is log10(2) closely enough for 64 bits, and one comparison decides.
 */
static size_t digits_of(uint64_t v)
{
	static const uint64_t powers[] = {
		0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000,
		100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000,
		10000000000000000, 100000000000000000, 1000000000000000000, 10000000000000000000u,
	};
	size_t about = (size_t)(64 - __builtin_clzll(v | 1)) * 1233 >> 12;

	return about + (v >= powers[about]);
}

/* Writes the digits of v so that the last one is at end[-1], two at a time. */
static void put_digits(char *end, uint64_t v)
{
	static const char pairs[] =
		"00010203040506070809" "10111213141516171819" "20212223242526272829" "30313233343536373839"
		"40414243444546474849" "50515253545556575859" "60616263646566676869" "70717273747576777879"
		"80818283848586878889" "90919293949596979899";

	for (; v >= 100; v /= 100)
		memcpy(end -= 2, pairs + v % 100 * 2, 2);
	if (v >= 10)
		memcpy(end - 2, pairs + v * 2, 2);
	else
		end[-1] = (char)('0' + v);
}

/* The digits go straight into the buffer. v is the magnitude, so INT64_MIN needs no special case. */
static void put_number(struct dt_out *o, uint64_t v, bool minus, size_t width, bool left)
{
	size_t n = digits_of(v) + minus;

	if (width > n && !left)
		dt_out_pad(o, ' ', width - n);
	if (!dt_out_room(o, n))
		return;
	put_digits(o->buf + o->len + n, v);
	if (minus)
		o->buf[o->len] = '-';
	o->len += n;
	if (width > n && left)
		dt_out_pad(o, ' ', width - n);
}

void dt_out_int(struct dt_out *o, int64_t v, size_t width, bool left)
{
	put_number(o, v < 0 ? -(uint64_t)v : (uint64_t)v, v < 0, width, left);
}

void dt_out_uint(struct dt_out *o, uint64_t v, size_t width, bool left)
{
	put_number(o, v, false, width, left);
}

/* Most texts fit the buffer on the stack; only longer ones are formatted twice. */
void dt_out_printf(struct dt_out *o, const char *fmt, ...)
{
	char small[256], *big = NULL;
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (n < 0) {
		o->failed = true;
		return;
	}
	if ((size_t)n < sizeof(small)) {
		dt_out_put(o, small, (size_t)n);
		return;
	}
	va_start(ap, fmt);
	n = vasprintf(&big, fmt, ap);
	va_end(ap);
	if (n < 0) {
		dt_out_fail(o, ENOMEM);
		return;
	}
	dt_out_put(o, big, (size_t)n);
	free(big);
}

void dt_out_utf8(struct dt_out *o, uint32_t c)
{
	unsigned char b[4];
	size_t n;

	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	if (c < 0x80) {
		b[0] = (unsigned char)c;
		n = 1;
	} else if (c < 0x800) {
		b[0] = (unsigned char)(0xc0 | c >> 6);
		n = 2;
	} else if (c < 0x10000) {
		b[0] = (unsigned char)(0xe0 | c >> 12);
		n = 3;
	} else {
		b[0] = (unsigned char)(0xf0 | c >> 18);
		n = 4;
	}
	for (size_t i = 1; i < n; i++)
		b[i] = (unsigned char)(0x80 | (c >> 6 * (n - 1 - i) & 0x3f));
	dt_out_put(o, b, n);
}

/*
 * Octal escapes have three digits, so that a digit that follows is not read as part of them; NUL is \0,
 * as it has always been.
 */
static void put_escaped(struct dt_out *o, unsigned char c)
{
	static const char from[] = "\a\b\f\n\r\t\v\\\"", to[] = "abfnrtv\\\"";
	const char *at = c ? strchr(from, c) : NULL;

	if (at)
		dt_out_printf(o, "\\%c", to[at - from]);
	else if (c == 0)
		dt_out_str(o, "\\0");
	else if (c < ' ' || c > '~')
		dt_out_printf(o, "\\%03o", c);
	else
		dt_out_put(o, &c, 1);
}

void dt_out_escaped(struct dt_out *o, const void *p, size_t n)
{
	const unsigned char *b = p;

	for (size_t i = 0; i < n && !o->failed; i++)
		put_escaped(o, b[i]);
}
