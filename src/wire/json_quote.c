/* SPDX-License-Identifier: BSD-2-Clause */
/* See json_quote.h. Text of others in, a string of JSON out, which is always valid UTF-8. */
#include "wire/json_quote.h"

#include "base/printable.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* How many bytes from p on represent themselves in a string. Most strings are one such run. */
static size_t plain_length(const unsigned char *p, size_t n, bool markup)
{
	size_t i = 0, len;
	uint32_t c;

	while (i < n && p[i] >= 0x20 && p[i] != '"' && p[i] != '\\' && p[i] != 0x7f &&
	    (p[i] != '<' || !markup) && (len = p[i] < 0x80 ? 1 : dt_utf8_len(p + i, n - i, &c)) > 0)
		i += len;
	return i;
}

/* DEL is escaped as well, as it is a control character, though JSON does not ask for it. */
static bool put_escape(dt_json_put_f *put, void *to, unsigned char c)
{
	static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
	const char *at = c != 0 ? strchr(plain, c) : NULL;
	char text[8];
	int n;

	if (c >= 0x80)
		return put(to, "\xef\xbf\xbd", 3);
	n = at != NULL ? snprintf(text, sizeof(text), "\\%c", letter[at - plain]) :
	    snprintf(text, sizeof(text), "\\u%04x", c);
	return put(to, text, (size_t)n);
}

/* A byte that begins no code point is replaced alone, so what follows it is not lost. */
void dt_json_quote(dt_json_put_f *put, void *to, const void *text, size_t n, bool markup)
{
	const unsigned char *p = text;

	if (!put(to, "\"", 1))
		return;
	for (size_t i = 0; i < n; ) {
		size_t len = plain_length(p + i, n - i, markup);

		if (len > 0 && !put(to, p + i, len))
			return;
		i += len;
		if (i < n && !put_escape(put, to, p[i++]))
			return;
	}
	(void)put(to, "\"", 1);
}
