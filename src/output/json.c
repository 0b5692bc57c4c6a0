/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The JSON writer: numbers, strings and brackets in, text out. Numbers are exact decimal text of up to
 * 64 bits. Strings are valid UTF-8 with control characters escaped, so that a line stays one line.
 */
#include "output/json.h"
#include "base/printable.h"
#include "wire/json_quote.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/*
 * Called before each value and key. One flag is enough for all levels: after a bracket closes, there is
 * a value.
 */
static void put_comma(struct dt_json *j)
{
	if (j->comma)
		dt_out_str(j->o, ",");
	j->comma = true;
}

void dt_json_open(struct dt_json *j, char bracket)
{
	put_comma(j);
	dt_out_put(j->o, &bracket, 1);
	j->comma = false;
}

void dt_json_close(struct dt_json *j, char bracket)
{
	dt_out_put(j->o, &bracket, 1);
	j->comma = true;
}

/* The value that follows a key has no comma before it. */
void dt_json_key(struct dt_json *j, const char *name)
{
	dt_json_str(j, name);
	dt_out_str(j->o, ":");
	j->comma = false;
}

void dt_json_int(struct dt_json *j, int64_t v)
{
	put_comma(j);
	dt_out_int(j->o, v, 0, false);
}

void dt_json_uint(struct dt_json *j, uint64_t v)
{
	put_comma(j);
	dt_out_uint(j->o, v, 0, false);
}

void dt_json_bool(struct dt_json *j, bool v)
{
	put_comma(j);
	dt_out_str(j->o, v ? "true" : "false");
}

void dt_json_null(struct dt_json *j)
{
	put_comma(j);
	dt_out_str(j->o, "null");
}

/* 17 digits give every double back exactly. JSON has no words for infinity; strings stand in for them. */
void dt_json_double(struct dt_json *j, double v)
{
	if (isfinite(v)) {
		put_comma(j);
		dt_out_printf(j->o, "%.17g", v);
	} else
		dt_json_str(j, isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
}

/* ---- strings ---- */

static size_t utf8_len(const unsigned char *p, size_t n)
{
	uint32_t c;

	return dt_utf8_len(p, n, &c);
}

bool dt_json_is_utf8(const void *text, size_t n)
{
	const unsigned char *p = text;
	size_t len;

	for (size_t i = 0; i < n; i += len)
		if ((len = utf8_len(p + i, n - i)) == 0)
			return false;
	return true;
}

/* A byte that begins no code point is replaced alone, so what follows it is not lost. */
void dt_json_valid(struct dt_out *o, const void *text, size_t n)
{
	const unsigned char *p = text;

	for (size_t i = 0, len; i < n; i += len) {
		len = utf8_len(p + i, n - i);
		if (len > 0)
			dt_out_put(o, p + i, len);
		else
			dt_out_utf8(o, 0xfffd);
		len += len == 0;
	}
}

static bool put_bytes(void *to, const void *bytes, size_t n)
{
	struct dt_out *o = to;

	dt_out_put(o, bytes, n);
	return !o->failed;
}

void dt_json_text(struct dt_json *j, const void *text, size_t n)
{
	put_comma(j);
	dt_json_quote(put_bytes, j->o, text, n, false);
}

void dt_json_str(struct dt_json *j, const char *text)
{
	dt_json_text(j, text, strlen(text));
}

void dt_json_hex(struct dt_json *j, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	put_comma(j);
	dt_out_str(j->o, "\"");
	for (size_t i = 0; i < n && !j->o->failed; i++) {
		char two[2] = { "0123456789abcdef"[p[i] >> 4], "0123456789abcdef"[p[i] & 15] };

		dt_out_put(j->o, two, sizeof(two));
	}
	dt_out_str(j->o, "\"");
}

void dt_json_address(struct dt_json *j, uint64_t addr)
{
	put_comma(j);
	dt_out_printf(j->o, "\"0x%" PRIx64 "\"", addr);
}

void dt_json_string(struct dt_json *j, const void *text, size_t n)
{
	if (dt_json_is_utf8(text, n)) {
		dt_json_text(j, text, n);
		return;
	}
	dt_json_open(j, '{');
	dt_json_key(j, "string");
	dt_json_text(j, text, n);
	dt_json_key(j, "bytes");
	dt_json_hex(j, text, n);
	dt_json_close(j, '}');
}
