/* SPDX-License-Identifier: BSD-2-Clause */
/* See unit.h. */
#include "output/unit.h"

#include "dif/dif.h"

#include <stdio.h>
#include <string.h>

static const char *const names[DT_NUNITS] = { NULL, "ns", "us", "ms", "s", "bytes" };

const char *dt_unit_name(enum dt_aggunit unit) { return names[unit]; }

static enum dt_aggunit unit_named(const char *text, size_t n)
{
	for (int i = 1; i < DT_NUNITS; i++)
		if (strlen(names[i]) == n && strncmp(names[i], text, n) == 0)
			return (enum dt_aggunit)i;
	return DT_UNIT_NONE;
}

/* One word: the unit, and in *name and *len the aggregation it is for; *len 0: all of them. */
static enum dt_aggunit read_word(const char *word, size_t n, const char **name, size_t *len)
{
	const char *colon = memchr(word, ':', n);

	*name = word + (word[0] == '@');
	*len = colon != NULL ? (size_t)(colon - *name) : 0;
	if (colon == NULL)
		return unit_named(word, n);
	return colon > *name ? unit_named(colon + 1, n - (size_t)(colon + 1 - word)) : DT_UNIT_NONE;
}

const char *dt_unit_wrong(const char *spec, char *word, size_t size)
{
	for (const char *p = spec; p != NULL && *p != '\0'; p += *p == ',') {
		size_t n = strcspn(p, ","), len;
		const char *name;

		if (read_word(p, n, &name, &len) == DT_UNIT_NONE) {
			snprintf(word, size, "%.*s", (int)(n < size ? n : size), p);
			return word;
		}
		p += n;
	}
	return NULL;
}

/* What stands after the last _ of the name, or all of it. */
static enum dt_aggunit unit_by_name(const char *name)
{
	const char *end = strrchr(name, '_');

	end = end != NULL ? end + 1 : name;
	return unit_named(end, strlen(end));
}

enum dt_aggunit dt_aggunit_of(const char *spec, const char *name, unsigned aggkind)
{
	enum dt_aggunit all = DT_UNIT_NONE, unit;

	if (spec == NULL || aggkind == DT_ACT_COUNT)
		return DT_UNIT_NONE;
	for (const char *p = spec; *p != '\0'; p += *p == ',') {
		size_t n = strcspn(p, ","), len;
		const char *of;

		unit = read_word(p, n, &of, &len);
		if (len == 0)
			all = unit;
		else if (strlen(name) == len && strncmp(name, of, len) == 0)
			return unit;
		p += n;
	}
	unit = unit_by_name(name);
	return unit != DT_UNIT_NONE ? unit : all;
}

/* ---- text ---- */

struct scale { long double size; const char *name; };
static const struct scale times[] = { { 1, "ns" }, { 1e3L, "us" }, { 1e6L, "ms" }, { 1e9L, "s" },
	{ 0, NULL } };
static const struct scale sizes[] = { { 1, "B" }, { 0x1p10L, "KiB" }, { 0x1p20L, "MiB" }, { 0x1p30L, "GiB" },
	{ 0x1p40L, "TiB" }, { 0x1p50L, "PiB" }, { 0x1p60L, "EiB" }, { 0, NULL } };

/* Three digits; an integer has all of its own. Zeros after the point say nothing. */
static void put_digits(long double x, char *text, size_t size)
{
	bool whole = x < 1e15L && (long double)(int64_t)x == x;
	int n = snprintf(text, size, "%.*Lf", whole ? 0 : x < 9.995L ? 2 : x < 99.95L ? 1 : 0, x);

	if (strchr(text, '.') == NULL)
		return;
	while (text[n - 1] == '0')
		text[--n] = '\0';
	if (text[n - 1] == '.')
		text[n - 1] = '\0';
}

void dt_unit_text(enum dt_aggunit unit, long double value, char text[DT_UNIT_TEXT])
{
	static const long double to_ns[DT_NUNITS] = { 1, 1, 1e3L, 1e6L, 1e9L, 1 };
	const struct scale *s = unit == DT_UNIT_BYTES ? sizes : times;
	long double v = (value < 0 ? -value : value) * to_ns[unit];
	long double step = unit == DT_UNIT_BYTES ? 1024 : 1000;
	char digits[DT_UNIT_TEXT];

	if (unit == DT_UNIT_NONE || value == 0) {
		snprintf(text, DT_UNIT_TEXT, "%.0Lf", value);
		return;
	}
	/* what would be rounded to the next scale is written in that */
	while (s[1].name != NULL && v / s->size >= step - 0.5L && (v >= s[1].size || s->size > 1))
		s++;
	put_digits(v / s->size, digits, sizeof(digits));
	snprintf(text, DT_UNIT_TEXT, "%s%.24s%s", value < 0 ? "-" : "", digits, s->name);
}
