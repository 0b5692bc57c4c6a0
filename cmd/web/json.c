/* SPDX-License-Identifier: BSD-2-Clause */
#include "json.h"

#include <string.h>

/* How many bytes the character at p has; 0: it is no UTF-8 (RFC 3629: no surrogates, nothing overlong). */
static size_t utf8(const unsigned char *p, size_t left)
{
	static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = p[0] < 0x80 ? 1 : (p[0] & 0xe0) == 0xc0 ? 2 : (p[0] & 0xf0) == 0xe0 ? 3 :
	    (p[0] & 0xf8) == 0xf0 ? 4 : 0;
	unsigned c;

	if (n <= 1 || n > left)
		return n == 1;
	c = p[0] & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) ? 0 : n;
}

static void one_byte(FILE *f, unsigned char c)
{
	if (c == '\n')
		fputs("\\n", f);
	else if (c == '\t')
		fputs("\\t", f);
	else if (c < 0x20 || c == 0x7f || c == '<')
		fprintf(f, "\\u%04x", c);
	else {
		if (c == '"' || c == '\\')
			putc('\\', f);
		putc(c, f);
	}
}

void json_string(FILE *f, const char *text, size_t len)
{
	const unsigned char *p = (const unsigned char *)text;

	putc('"', f);
	for (size_t i = 0; i < len;) {
		size_t n = utf8(p + i, len - i);

		if (n == 0)
			fputs("\xef\xbf\xbd", f);
		else if (n == 1)
			one_byte(f, p[i]);
		else
			fwrite(p + i, 1, n, f);
		i += n != 0 ? n : 1;
	}
	putc('"', f);
}

void json_text(FILE *f, const char *text)
{
	json_string(f, text, strlen(text));
}
