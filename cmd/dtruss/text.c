/* SPDX-License-Identifier: BSD-2-Clause */
/* Text that grows (text.h). Digits are made here: printf would be half of the time that a line takes. */
#include "text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(struct text *t, size_t more)
{
	size_t size = t->size == 0 ? 1024 : t->size;
	char *v;

	if (t->n + more <= t->size)
		return true;
	while (size < t->n + more)
		size *= 2;
	v = realloc(t->v, size);
	if (v == NULL) {
		t->failed = true;
		return false;
	}
	t->v = v;
	t->size = size;
	return true;
}

void text_bytes(struct text *t, const char *s, size_t n)
{
	if (n == 0 || !make_room(t, n))
		return;
	memcpy(t->v + t->n, s, n);
	t->n += n;
}

void text_put(struct text *t, const char *s) { text_bytes(t, s, strlen(s)); }
void text_char(struct text *t, char c) { text_bytes(t, &c, 1); }

static void put_base(struct text *t, uint64_t v, unsigned base)
{
	char buf[24], *p = buf + sizeof(buf);

	do {
		*--p = "0123456789abcdef"[v % base];
		v /= base;
	} while (v != 0);
	text_bytes(t, p, (size_t)(buf + sizeof(buf) - p));
}

void text_uint(struct text *t, uint64_t v) { put_base(t, v, 10); }

void text_int(struct text *t, int64_t v)
{
	if (v < 0)
		text_char(t, '-');
	put_base(t, v < 0 ? -(uint64_t)v : (uint64_t)v, 10);
}

void text_hex(struct text *t, uint64_t v)
{
	if (v != 0)
		text_bytes(t, "0x", 2);
	put_base(t, v, 16);
}

void text_addr(struct text *t, uint64_t v)
{
	if (v == 0)
		text_put(t, "NULL");
	else
		text_hex(t, v);
}

void text_oct(struct text *t, uint64_t v)
{
	if (v != 0)
		text_char(t, '0');
	put_base(t, v, 8);
}

void text_format(struct text *t, const char *format, ...)
{
	char buf[512];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(buf, sizeof(buf), format, ap);
	va_end(ap);
	if (n > 0)
		text_bytes(t, buf, (size_t)n < sizeof(buf) ? (size_t)n : sizeof(buf) - 1);
}

/* An octal escape is as short as the character after it allows. */
static void put_octal(struct text *t, unsigned char c, bool digit_follows)
{
	char buf[5];
	int n = snprintf(buf, sizeof(buf), digit_follows ? "\\%03o" : "\\%o", c);

	text_bytes(t, buf, (size_t)n);
}

static void put_escaped(struct text *t, unsigned char c, bool digit_follows)
{
	static const char plain[] = "\"\\\f\n\r\t\v", letters[] = "\"\\fnrtv";
	const char *at = c != '\0' ? strchr(plain, c) : NULL;

	if (at != NULL) {
		text_char(t, '\\');
		text_char(t, letters[at - plain]);
	} else if (c >= 0x20 && c < 0x7f) {
		text_char(t, (char)c);
	} else {
		put_octal(t, c, digit_follows);
	}
}

void text_string(struct text *t, const char *s, size_t n, bool more)
{
	text_char(t, '"');
	for (size_t i = 0; i < n; i++)
		put_escaped(t, (unsigned char)s[i], i + 1 < n && s[i + 1] >= '0' && s[i + 1] <= '9');
	text_put(t, more ? "\"..." : "\"");
}

void text_bytes_hex(struct text *t, const char *s, size_t n, bool more)
{
	text_char(t, '"');
	for (size_t i = 0; i < n; i++)
		text_format(t, "\\x%02x", (unsigned char)s[i]);
	text_put(t, more ? "\"..." : "\"");
}

void text_name(struct text *t, const char *s)
{
	for (; *s != '\0'; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < 0x20 || c >= 0x7f || c == '\\' || c == '<' || c == '>')
			put_octal(t, c, s[1] >= '0' && s[1] <= '9');
		else
			text_char(t, (char)c);
	}
}

void text_free(struct text *t)
{
	free(t->v);
	*t = (struct text){ 0 };
}
