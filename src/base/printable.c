/* SPDX-License-Identifier: BSD-2-Clause */
/* Untrusted text comes in, text without effects on a terminal goes out; its length stays the same. */
#include "base/printable.h"

#include <string.h>

size_t dt_utf8_len(const void *text, size_t n, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = text;
	size_t len = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0;
	uint32_t c = len > 1 ? p[0] & (0x7fu >> len) : p[0];

	if (len == 0 || len > n)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	*code = c;
	return c < least[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) ? 0 : len;
}

/* C0, C1, line and paragraph separators, and what turns the direction of writing */
static bool is_control(uint32_t c)
{
	return c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f || c == 0x61c ||
	    (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* The first byte that is not only shown; NULL: none. *n bytes of it are bad. */
static const char *first_bad(const char *text, size_t *n)
{
	for (const char *p = text; *p != '\0'; ) {
		size_t len = 1;
		uint32_t c;

		if ((unsigned char)*p < ' ' || (unsigned char)*p >= 0x7f) {
			len = dt_utf8_len(p, strnlen(p, 4), &c);
			if (len == 0 || is_control(c)) {
				*n = len != 0 ? len : 1;
				return p;
			}
		}
		p += len;
	}
	return NULL;
}

bool dt_is_printable(const char *text)
{
	size_t n;

	return first_bad(text, &n) == NULL;
}

bool dt_make_printable(char *text)
{
	bool any = false;
	const char *bad;
	size_t n;

	for (char *at = text; (bad = first_bad(at, &n)) != NULL; any = true) {
		at += bad - at;
		memset(at, '?', n);
		at += n;
	}
	return any;
}
