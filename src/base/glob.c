/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matching of probe descriptions: a pattern and a text come in, yes or no goes out. `*` is any run, `?`
 * one character, `[a-z]` and `[!a-z]` (or `[^a-z]`) are sets, `\\` takes the next character literally.
 * A `[` that is never closed stands for itself. The work is at most the product of the lengths: only
 * the last `*` is ever retried.
 */
#include "base/glob.h"

/* One character of a set; a quoted one is taken literally. NULL at the end of the text. */
static const char *set_char(const char *p, unsigned char *c)
{
	if (*p == '\\' && p[1])
		p++;
	if (!*p)
		return NULL;
	*c = (unsigned char)*p;
	return p + 1;
}

/*
 * p is after `[`. Returns the place after `]`, or NULL if there is none; *in tells whether c is in the
 * set.
 */
static const char *set_match(const char *p, unsigned char c, bool *in)
{
	bool negated = *p == '!' || *p == '^';
	bool found = false;

	if (negated)
		p++;
	for (bool first = true; first || *p != ']'; first = false) {
		unsigned char lo, hi;

		p = set_char(p, &lo);
		if (!p)
			return NULL;
		hi = lo;
		if (*p == '-' && p[1] && p[1] != ']') {
			p = set_char(p + 1, &hi);
			if (!p)
				return NULL;
		}
		if (c >= lo && c <= hi)
			found = true;
	}
	*in = found != negated;
	return p + 1;
}

/* Matches one element other than `*` with one character: returns the rest of the pattern, or NULL. */
static const char *element_match(const char *p, unsigned char c)
{
	if (*p == '?')
		return p + 1;
	if (*p == '[') {
		bool in = false;
		const char *rest = set_match(p + 1, c, &in);

		if (rest)
			return in ? rest : NULL;
	}
	if (*p == '\\' && p[1])
		p++;
	return *p && (unsigned char)*p == c ? p + 1 : NULL;
}

bool dt_glob_match(const char *pattern, const char *text)
{
	/* the pattern after the last `*`, and where in the text it was last tried */
	const char *star = NULL, *from = NULL;

	while (*text) {
		const char *rest;

		if (*pattern == '*') {
			star = ++pattern;
			from = text;
			continue;
		}
		rest = element_match(pattern, (unsigned char)*text);
		if (rest) {
			pattern = rest;
			text++;
		} else if (star) {
			pattern = star;
			text = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}
