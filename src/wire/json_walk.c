/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See json_walk.h. A recursive descent over the text, DEPTH_MAX levels at most; `where` follows the nesting.
 * Numbers and words are skipped without a look at them.
 */
#include "wire/json_walk.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32, TEXT_MAX = 256, PATH_TEXT_MAX = 4096 };

struct walk {
	const char *p, *end;
	char where[PATH_TEXT_MAX];
	size_t len;		/* of where */
	int depth;
	dt_jsonwalk_f *f;
	void *ctx;
	bool over;		/* f has seen enough */
	const char *wanted;	/* instead of f: the place of the value that is looked for */
	const char *found, *found_end;
};

static bool value(struct walk *w);

static char next(struct walk *w)
{
	while (w->p < w->end && strchr(" \t\r\n", *w->p) != NULL && *w->p != '\0')
		w->p++;
	return w->p < w->end ? *w->p : '\0';
}

static bool take(struct walk *w, char c)
{
	if (next(w) != c)
		return false;
	w->p++;
	return true;
}

static void add(char *to, size_t *n, size_t cap, uint32_t c)
{
	char bytes[4];
	size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	bytes[0] = (char)(len == 1 ? c : len == 2 ? 0xc0 | c >> 6 : len == 3 ? 0xe0 | c >> 12 :
		    0xf0 | c >> 18);
	for (size_t i = 1; i < len; i++)
		bytes[i] = (char)(0x80 | (c >> 6 * (len - 1 - i) & 63));
	if (*n + len < cap) {
		memcpy(to + *n, bytes, len);
		*n += len;
	}
}

static bool four_digits(struct walk *w, uint32_t *c)
{
	*c = 0;
	for (int i = 0; i < 4; i++) {
		const char *digits = "0123456789abcdef", *at;

		if (w->p == w->end || *w->p == '\0' || (at = strchr(digits, *w->p | 32)) == NULL)
			return false;
		*c = *c << 4 | (uint32_t)(at - digits);
		w->p++;
	}
	return true;
}

/* After \u. A NUL would end the text, and half of a pair is no character: both become '?'. */
static bool unicode(struct walk *w, uint32_t *c)
{
	const char *second;
	uint32_t low;

	if (!four_digits(w, c))
		return false;
	second = w->p;
	if (*c >> 10 == 0xd800 >> 10 && w->end - w->p >= 6 && w->p[0] == '\\' && w->p[1] == 'u') {
		w->p += 2;
		if (four_digits(w, &low) && low >> 10 == 0xdc00 >> 10)
			*c = 0x10000 + ((*c & 1023) << 10 | (low & 1023));
		else
			w->p = second;
	}
	if (*c == 0 || (*c >= 0xd800 && *c < 0xe000))
		*c = '?';
	return true;
}

static bool escape(struct walk *w, uint32_t *c)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at;

	if (w->p == w->end)
		return false;
	if (*w->p == 'u') {
		w->p++;
		return unicode(w, c);
	}
	if (*w->p == '\0' || (at = strchr(from, *w->p)) == NULL)
		return false;
	*c = (uint32_t)to[at - from];
	w->p++;
	return true;
}

/* Bytes that are not escaped are copied as they are. */
static bool string(struct walk *w, char *text, size_t cap)
{
	size_t n = 0;
	uint32_t c;

	if (!take(w, '"'))
		return false;
	while (w->p < w->end && *w->p != '"') {
		if (*w->p == '\\') {
			w->p++;
			if (!escape(w, &c))
				return false;
			add(text, &n, cap, c);
		} else if (*w->p == '\0') {
			return false;
		} else {
			if (n < cap - 1)
				text[n++] = *w->p;
			w->p++;
		}
	}
	text[n] = '\0';
	return take(w, '"');
}

/* The value of a member or element; `where` is then what it was. */
static bool inside(struct walk *w, const char *name)
{
	size_t was = w->len, n = strlen(name);
	bool good;

	if (was + n + 2 > PATH_TEXT_MAX)
		return false;
	w->where[w->len++] = '/';
	memcpy(w->where + w->len, name, n + 1);
	w->len += n;
	good = value(w);
	w->len = was;
	w->where[was] = '\0';
	return good;
}

static bool object(struct walk *w)
{
	char name[TEXT_MAX];

	if (take(w, '}'))
		return true;
	do {
		if (!string(w, name, sizeof(name)) || !take(w, ':') || !inside(w, name))
			return false;
	} while (!w->over && take(w, ','));
	return w->over || take(w, '}');
}

static bool array(struct walk *w)
{
	char name[24];
	unsigned long i = 0;

	if (take(w, ']'))
		return true;
	do {
		snprintf(name, sizeof(name), "%lu", i++);
		if (!inside(w, name))
			return false;
	} while (!w->over && take(w, ','));
	return w->over || take(w, ']');
}

static bool nested(struct walk *w, bool (*f)(struct walk *))
{
	bool good;

	if (w->depth == DEPTH_MAX)
		return false;
	w->p++;
	w->depth++;
	good = f(w);
	w->depth--;
	return good;
}

static bool any_value(struct walk *w)
{
	char text[TEXT_MAX], c = next(w);
	const char *start = w->p;

	if (c == '{')
		return nested(w, object);
	if (c == '[')
		return nested(w, array);
	if (c == '"') {
		if (!string(w, text, sizeof(text)))
			return false;
		w->over = w->f != NULL && !w->f(w->ctx, w->where, text);
		return true;
	}
	while (w->p < w->end && *w->p != '\0' && strchr("+-.0123456789Eabcdefghijklmnopqrstuvwxyz", *w->p))
		w->p++;
	return w->p > start;
}

static bool value(struct walk *w)
{
	const char *start;

	if (w->wanted == NULL || strcmp(w->where, w->wanted) != 0)
		return any_value(w);
	w->wanted = NULL;
	(void)next(w);
	start = w->p;
	if (!any_value(w))
		return false;
	w->found = start;
	w->found_end = w->p;
	w->over = true;
	return true;
}

bool dt_json_find(const char *text, size_t len, const char *where, const char **found, size_t *n)
{
	struct walk w = { .p = text, .end = text + len, .wanted = where };

	(void)value(&w);
	*found = w.found;
	*n = w.found != NULL ? (size_t)(w.found_end - w.found) : 0;
	return w.found != NULL;
}

char *dt_json_unquote(const char *value, size_t n)
{
	struct walk w = { .p = value, .end = value + n };
	char *text = malloc(n + 1);		/* what is escaped is longer than what it stands for */

	if (text == NULL || !string(&w, text, n + 1)) {
		free(text);
		return NULL;
	}
	return text;
}

bool dt_jsonwalk(const char *text, size_t len, dt_jsonwalk_f *f, void *ctx)
{
	struct walk w = { .p = text, .end = text + len, .f = f, .ctx = ctx };

	return value(&w) && (w.over || next(&w) == '\0');
}
