/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text in, the same text with something before each line out (stamp.h). A line may be made of several
 * firings: the first counts. Empty lines stay empty.
 */
#include "stamp.h"

#include <stdio_ext.h>
#include <string.h>

enum { PENDING_MAX = 128 << 10 };	/* of text that waits: it is written between two lines */

static ssize_t write_lines(void *cookie, const char *text, size_t n)
{
	struct stamp *st = cookie;
	size_t at = 0;

	while (at < n) {
		const char *end = memchr(text + at, '\n', n - at);
		size_t len = end != NULL ? (size_t)(end - text) + 1 - at : n - at;

		if (!st->inside && text[at] != '\n')
			fputs(st->text, st->out);
		fwrite(text + at, 1, len, st->out);
		st->inside = end == NULL;
		at += len;
	}
	if (!st->kept || (!st->inside && __fpending(st->out) > PENDING_MAX))
		fflush(st->out);
	return ferror(st->out) ? 0 : (ssize_t)n;
}

FILE *stamp_open(struct stamp *st, FILE *out)
{
	static const cookie_io_functions_t functions = { .write = write_lines };

	*st = (struct stamp){ .out = out };
	return fopencookie(st, "w", functions);
}

void stamp_next(struct stamp *st, FILE *stream, const char *text)
{
	st->kept = true;
	fflush(stream);
	st->kept = false;
	snprintf(st->text, sizeof(st->text), "%s", text);
}
