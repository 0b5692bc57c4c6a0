/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json() once more, as a plain recursive parser with libc, for test/unit/rt_reference_test.c. The runtime has
 * one loop over phases, because the verifier allows no recursion: the two have no idea in common but the
 * rules. Each *_end() function takes the place of a value and returns the place after it, or NULL if it is no
 * value.
 */
#ifndef RT_JSON_REFERENCE_H
#define RT_JSON_REFERENCE_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define DEPTH_MAX 128			/* arrays and objects inside each other */

/* After the white space that JSON allows between tokens. */
static const char *skip_space(const char *p)
{
	while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')
		p++;
	return p;
}

/* From after the opening quote to the closing one; NULL: a bad escape, or no end. */
static const char *string_end(const char *p)
{
	for (; *p && *p != '"'; p++) {
		if (*p != '\\')
			continue;
		p++;
		if (!*p || !strchr("\"\\/bfnrtu", *p))
			return NULL;
		for (int i = 0; *p == 'u' && i < 4; i++) {
			if (!isxdigit((unsigned char)p[1 + i]))
				return NULL;
			if (i == 3)
				p += 4;
		}
	}
	return *p ? p : NULL;
}

static const char *skip_digits(const char *p) { return p + strspn(p, "0123456789"); }

/* A leading 0 is not refused: what follows it decides (json_reference()). */
static const char *number_end(const char *p)
{
	const char *q;

	if (*p == '-')
		p++;
	q = skip_digits(p);
	if (q == p)
		return NULL;
	if (*q == '.') {
		p = q + 1;
		q = skip_digits(p);
		if (q == p)
			return NULL;
	}
	if (*q == 'e' || *q == 'E') {
		p = q + 1;
		if (*p == '+' || *p == '-')
			p++;
		q = skip_digits(p);
		if (q == p)
			return NULL;
	}
	return q;
}

/* The three words that JSON has. */
static const char *word_end(const char *p)
{
	static const char *const words[] = { "true", "false", "null" };

	for (size_t i = 0; i < 3; i++) {
		if (strncmp(p, words[i], strlen(words[i])) == 0)
			return p + strlen(words[i]);
	}
	return NULL;
}

static const char *value_end(const char *p, unsigned depth);

/* The name of an object's member: returns the place after its colon, the name and its length. */
static const char *member_name(const char *p, const char **name, size_t *len)
{
	const char *end;

	p = skip_space(p);
	if (*p != '"')
		return NULL;
	end = string_end(p + 1);
	if (!end)
		return NULL;
	*name = p + 1;
	*len = (size_t)(end - p - 1);
	p = skip_space(end + 1);
	return *p == ':' ? skip_space(p + 1) : NULL;
}

/* An array or an object, from its opening bracket. Depth is limited. */
static const char *group_end(const char *p, unsigned depth)
{
	char close = *p == '{' ? '}' : ']';
	bool object = *p == '{';

	if (depth >= DEPTH_MAX)
		return NULL;
	p = skip_space(p + 1);
	if (*p == close)
		return p + 1;
	for (;;) {
		const char *name;
		size_t len;

		if (object)
			p = member_name(p, &name, &len);
		p = p ? value_end(skip_space(p), depth + 1) : NULL;
		if (!p)
			return NULL;
		p = skip_space(p);
		if (*p == close)
			return p + 1;
		if (*p != ',')
			return NULL;
		p = skip_space(p + 1);
	}
}

/* The first character says which kind of value it is. */
static const char *value_end(const char *p, unsigned depth)
{
	const char *end;

	switch (*p) {
	case '"':
		end = string_end(p + 1);
		return end ? end + 1 : NULL;
	case '{': case '[':
		return group_end(p, depth);
	case 't': case 'f': case 'n':
		return word_end(p);
	default:
		return number_end(p);
	}
}

/*
 * One step of the path: its text and length. *path becomes the rest, NULL after the last step. False: bad
 * path.
 */
static bool path_step(const char **path, const char **step, size_t *len)
{
	const char *p = *path;

	if (*p == '[') {
		*step = p + 1;
		*len = strcspn(p + 1, "]");
		p += 1 + *len;
		if (*p++ != ']')
			return false;
	} else {
		*step = p;
		*len = strcspn(p, ".[");
		p += *len;
	}
	if (*p == '\0') {
		*path = NULL;
		return true;
	}
	if (*p != '.' && *p != '[')
		return false;
	*path = *p == '.' ? p + 1 : p;
	return true;
}

/* An index of at most ten digits. */
static bool array_number(const char *step, size_t len, uint64_t *n)
{
	*n = 0;
	for (size_t i = 0; i < len; i++) {
		if (!isdigit((unsigned char)step[i]) || i > 9)
			return false;
		*n = *n * 10 + (uint64_t)(step[i] - '0');
	}
	return len > 0;
}

/*
 * The value that the step names inside the group at p, or NULL. Members before it must be right; those after
 * it are not read.
 */
static const char *group_member(const char *p, const char *step, size_t len)
{
	bool object = *p == '{';
	uint64_t want = 0;

	if ((!object && *p != '[') || (!object && !array_number(step, len, &want)))
		return NULL;
	p = skip_space(p + 1);
	if (*p == '}' || *p == ']')
		return NULL;
	for (uint64_t i = 0;; i++) {
		const char *name = NULL;
		size_t namelen = 0;

		p = object ? member_name(p, &name, &namelen) : skip_space(p);
		if (!p)
			return NULL;
		if (object ? namelen == len && memcmp(name, step, len) == 0 : i == want)
			return p;
		p = value_end(p, 0);
		if (!p)
			return NULL;
		p = skip_space(p);
		if (*p != ',')
			return NULL;
		p++;
	}
}

/* The element and its length; a string is without its quotes. */
static const char *json_reference(const char *text, const char *path, size_t *len)
{
	const char *p = skip_space(text), *end;

	while (path) {
		const char *step;
		size_t steplen;

		if (!path_step(&path, &step, &steplen))
			return NULL;
		p = group_member(p, step, steplen);
		if (!p)
			return NULL;
	}
	end = value_end(p, 0);
	/* 0x1000 is not the number 0; a number or word at the very end may have been cut off */
	if (!end || (!strchr("\"{[", *p) && (!*end || !strchr(" \t\n\r,]}", *end))))
		return NULL;
	if (*p == '"') {
		p++;
		end--;
	}
	*len = (size_t)(end - p);
	return p;
}

#endif
