/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines on standard input, each of which must be one JSON object (RFC 8259) in UTF-8, without a member
 * named twice. Prints the first fault of each bad line; status 1 when there was one, or no line at all.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 200

struct scan { const unsigned char *start, *p, *end; const char *why; unsigned depth; };
struct span { const unsigned char *p; size_t n; };

static bool value(struct scan *);

static bool bad(struct scan *s, const char *why)
{
	if (s->why == NULL)
		s->why = why;
	return false;
}

static int peek(const struct scan *s)
{
	return s->p < s->end ? *s->p : -1;
}

static bool take(struct scan *s, int c)
{
	if (peek(s) != c)
		return false;
	s->p++;
	return true;
}

static void blank(struct scan *s)
{
	while (peek(s) == ' ' || peek(s) == '\t' || peek(s) == '\r')
		s->p++;
}

static bool digits(struct scan *s)
{
	const unsigned char *from = s->p;

	while (peek(s) >= '0' && peek(s) <= '9')
		s->p++;
	return s->p > from;
}

static bool number(struct scan *s)
{
	take(s, '-');
	if (!take(s, '0') && !digits(s))
		return bad(s, "a number without digits");
	if (take(s, '.') && !digits(s))
		return bad(s, "a fraction without digits");
	if (take(s, 'e') || take(s, 'E')) {
		if (!take(s, '+'))
			take(s, '-');
		if (!digits(s))
			return bad(s, "an exponent without digits");
	}
	return true;
}

/* Second and later bytes of a code point by the first: Unicode's table 3-7. */
static bool sequence(struct scan *s)
{
	static const unsigned char rows[][4] = {	/* first from, to; second from, to */
		{ 0xc2, 0xdf, 0x80, 0xbf }, { 0xe0, 0xe0, 0xa0, 0xbf }, { 0xe1, 0xec, 0x80, 0xbf },
		{ 0xed, 0xed, 0x80, 0x9f }, { 0xee, 0xef, 0x80, 0xbf }, { 0xf0, 0xf0, 0x90, 0xbf },
		{ 0xf1, 0xf3, 0x80, 0xbf }, { 0xf4, 0xf4, 0x80, 0x8f },
	};
	unsigned char c = *s->p++;
	unsigned more = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (c < rows[i][0] || c > rows[i][1])
			continue;
		if (peek(s) < rows[i][2] || peek(s) > rows[i][3])
			return bad(s, "not UTF-8");
		s->p++;
		for (; more > 1; more--)
			if (peek(s) >> 6 != 2 || !take(s, peek(s)))
				return bad(s, "not UTF-8");
		return true;
	}
	return bad(s, "not UTF-8");
}

static bool escape(struct scan *s)
{
	int c = peek(s);

	if (c <= 0 || strchr("\"\\/bfnrtu", c) == NULL)
		return bad(s, "an unknown escape");
	s->p++;
	for (int i = 0; c == 'u' && i < 4; i++) {
		if (peek(s) <= 0 || strchr("0123456789abcdefABCDEF", peek(s)) == NULL)
			return bad(s, "\\u without four digits");
		s->p++;
	}
	return true;
}

static bool string(struct scan *s)
{
	if (!take(s, '"'))
		return bad(s, "no string where one belongs");
	while (!take(s, '"')) {
		int c = peek(s);

		if (c < 0x20)
			return bad(s, c < 0 ? "a string without end" : "a control character in a string");
		if (c >= 0x80) {
			if (!sequence(s))
				return false;
			continue;
		}
		s->p++;
		if (c == '\\' && !escape(s))
			return false;
	}
	return true;
}

static bool array(struct scan *s)
{
	blank(s);
	if (take(s, ']'))
		return true;
	do
		if (!value(s))
			return false;
	while (take(s, ','));
	return take(s, ']') || bad(s, "an array without end");
}

static bool known(const struct span *names, size_t n, struct span name)
{
	for (size_t i = 0; i < n; i++)
		if (names[i].n == name.n && memcmp(names[i].p, name.p, name.n) == 0)
			return true;
	return false;
}

static bool members(struct scan *s, struct span *names, size_t max)
{
	size_t n = 0;

	do {
		blank(s);
		struct span name = { s->p, 0 };

		if (!string(s))
			return false;
		name.n = (size_t)(s->p - name.p);
		if (known(names, n, name))
			return bad(s, "a member named twice");
		if (n < max)
			names[n++] = name;
		blank(s);
		if (!take(s, ':'))
			return bad(s, "no : after a name");
		if (!value(s))
			return false;
	} while (take(s, ','));
	return take(s, '}') || bad(s, "an object without end");
}

static bool object(struct scan *s)
{
	enum { MAX = 4096 };
	struct span *names;
	bool good;

	blank(s);
	if (take(s, '}'))
		return true;
	names = calloc(MAX, sizeof(*names));
	good = names != NULL && members(s, names, MAX);
	free(names);
	return good;
}

static bool word(struct scan *s, const char *text)
{
	size_t n = strlen(text);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, text, n) != 0)
		return bad(s, "no value where one belongs");
	s->p += n;
	return true;
}

static bool any(struct scan *s)
{
	switch (peek(s)) {
	case '{': s->p++; return object(s);
	case '[': s->p++; return array(s);
	case '"': return string(s);
	case 't': return word(s, "true");
	case 'f': return word(s, "false");
	case 'n': return word(s, "null");
	default: return number(s);
	}
}

static bool value(struct scan *s)
{
	bool good;

	if (s->depth == DEPTH)
		return bad(s, "too deep");
	s->depth++;
	blank(s);
	good = any(s);
	blank(s);
	s->depth--;
	return good;
}

static bool line_is_good(const char *line, size_t n, unsigned number_of)
{
	struct scan s = { (const unsigned char *)line, (const unsigned char *)line,
		(const unsigned char *)line + n, NULL, 0 };

	if (peek(&s) != '{')
		bad(&s, "no object");
	else if (value(&s) && s.p != s.end)
		bad(&s, "something after the object");
	if (s.why != NULL)
		printf("line %u, byte %zu: %s\n", number_of, (size_t)(s.p - s.start), s.why);
	return s.why == NULL;
}

int main(void)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	unsigned lines = 0, faults = 0;

	while ((n = getline(&line, &cap, stdin)) > 0) {
		lines++;
		if (line[n - 1] == '\n')
			n--;
		else
			faults += printf("line %u: no newline at its end\n", lines) > 0;
		faults += !line_is_good(line, (size_t)n, lines);
	}
	free(line);
	if (lines == 0)
		printf("no lines\n");
	return lines == 0 || faults > 0;
}
