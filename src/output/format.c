/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of formats: a format string becomes a list of conversions, each with the plain text
 * before it. The rows of conv.c say what a letter means; this file knows only how conversions are
 * spelled and counted.
 */
#include "output/format.h"

#include <stdarg.h>
#include <stdio.h>

struct reader {
	const char *text;
	size_t len, pos;
	char *plain;			/* room for all plain text: never longer than the format */
	struct dt_format_error *err;
	unsigned number;		/* of the conversion, from 1 */
};

/* Fills in the error; returns false, so that a reader can return what it returns. */
static bool bad_format(struct reader *r, size_t off, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static bool bad_format(struct reader *r, size_t off, const char *fmt, ...)
{
	va_list ap;

	r->err->tag = D_SYNTAX;
	r->err->off = (uint32_t)off;
	r->err->arg = -1;
	va_start(ap, fmt);
	vsnprintf(r->err->msg, sizeof(r->err->msg), fmt, ap);
	va_end(ap);
	return false;
}

static int peek(const struct reader *r)
{
	return r->pos < r->len ? (unsigned char)r->text[r->pos] : -1;
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

/* The plain text up to the next conversion, in which %% has become %. */
static void read_prefix(struct reader *r, struct dt_conv *c)
{
	char *to = r->plain;
	uint32_t n = 0;

	while (r->pos < r->len) {
		if (r->text[r->pos] == '%') {
			if (r->pos + 1 >= r->len || r->text[r->pos + 1] != '%')
				break;
			r->pos++;
		}
		to[n++] = r->text[r->pos++];
	}
	c->prefix = to;
	c->prefixlen = n;
	r->plain += n;
}

/*
 * Reads a flag; false: the next character is not a flag. Of `0` and `-` the last one counts. `?` is a width:
 * that of a pointer in hexadecimal.
 */
static bool read_flag(struct reader *r, struct dt_conv *c)
{
	switch (peek(r)) {
	case '#': c->flags |= DT_CF_ALT; break;
	case '+': c->flags |= DT_CF_PLUS; break;
	case ' ': c->flags |= DT_CF_SPACE; break;
	case '\'': c->flags |= DT_CF_GROUP; break;
	case '@': c->flags |= DT_CF_AGG; break;
	case '?': c->width = 2 * (uint32_t)sizeof(uint64_t); break;
	case '0': c->flags = (uint16_t)((c->flags & ~DT_CF_LEFT) | DT_CF_ZERO); break;
	case '-': c->flags = (uint16_t)((c->flags & ~DT_CF_ZERO) | DT_CF_LEFT); break;
	default: return false;
	}
	r->pos++;
	return true;
}

/*
 * Reads a width or a precision: digits or *. Without digits, *value stays as it is. What is too large
 * is refused here, so that printers may convert it to int.
 */
static bool read_number(struct reader *r, struct dt_conv *c, uint32_t *value, uint16_t star, const char *what)
{
	size_t start = r->pos;
	uint32_t v = 0;

	if (peek(r) == '*') {
		c->flags |= star;
		r->pos++;
		return true;
	}
	while (is_digit(peek(r))) {
		v = v * 10 + (uint32_t)(r->text[r->pos++] - '0');
		if (v > DT_FORMAT_WIDTH_MAX)
			return bad_format(r, start, "format conversion #%u: %s is larger than %u", r->number,
			    what, DT_FORMAT_WIDTH_MAX);
	}
	if (r->pos > start)
		*value = v;
	return true;
}

static const struct dt_convrow *find_row(const char *name, size_t len)
{
	for (const struct dt_convrow *row = dt_convrows; row->name; row++)
		if (strlen(row->name) == len && memcmp(row->name, name, len) == 0)
			return row;
	return NULL;
}

/* Reads the size prefix and the letter: "lld". */
static bool read_name(struct reader *r, struct dt_conv *c)
{
	size_t start = r->pos;

	while (peek(r) == 'h' || peek(r) == 'l' || peek(r) == 'L' || peek(r) == 'w')
		r->pos++;
	if (peek(r) < 0)
		return bad_format(r, c->off, "format conversion #%u is incomplete: %.*s", r->number,
		    (int)(r->len - c->off < 64 ? r->len - c->off : 64), r->text + c->off);
	if (peek(r) == '$')
		return bad_format(r, c->off,
		    "format conversion #%u: positional arguments (%%n$) are not supported", r->number);
	r->pos++;
	c->row = find_row(r->text + start, r->pos - start);
	if (!c->row)
		return bad_format(r, c->off, "format conversion #%u is undefined: %%%.*s", r->number,
		    (int)(r->pos - start < 64 ? r->pos - start : 64), r->text + start);
	return true;
}

static bool read_conversion(struct reader *r, struct dt_conv *c)
{
	c->off = (uint32_t)r->pos++;
	while (read_flag(r, c))
		;
	if (!read_number(r, c, &c->width, DT_CF_STARWIDTH, "width"))
		return false;
	/* Flags are accepted after the width too: "%5@d" is common in scripts. A 0 there is a digit. */
	while (peek(r) != '0' && read_flag(r, c))
		;
	if (peek(r) == '.') {
		r->pos++;
		c->flags |= DT_CF_PREC;
		if (!read_number(r, c, &c->prec, DT_CF_STARPREC, "precision"))
			return false;
	}
	if (!read_name(r, c))
		return false;
	c->len = (uint32_t)r->pos - c->off;
	return true;
}

struct dt_format *dt_format_parse(struct dt_arena *arena, const char *text, size_t len,
    struct dt_format_error *err)
{
	struct reader r = { .text = text, .len = len, .plain = dt_arena_alloc(arena, len + 1), .err = err };
	struct dt_format *f = DT_NEW(arena, struct dt_format);
	DT_VEC(struct dt_conv) list = { 0 };

	memset(err, 0, sizeof(*err));
	while (r.pos < r.len) {
		struct dt_conv c = { 0 };

		read_prefix(&r, &c);
		if (r.pos < r.len) {
			r.number++;
			if (!read_conversion(&r, &c))
				return NULL;
			f->nargs += !!(c.flags & DT_CF_STARWIDTH) + !!(c.flags & DT_CF_STARPREC) +
				    !(c.flags & DT_CF_AGG);
			f->naggs += !!(c.flags & DT_CF_AGG);
		}
		dt_vec_push(arena, &list, c);
	}
	f->conv = list.v;
	f->nconv = (uint32_t)list.n;
	return f;
}

/* ---- checking ---- */

/* NULL: the type fits the conversion. Otherwise what the conversion takes ("pointer or integer"). */
static const char *format_check_arg(const struct dt_conv *c, struct dt_types *types, const struct dt_type *t)
{
	if (!c->row)
		return "no argument";
	return c->row->check(c->row, types, t) ? NULL : c->row->args;
}

/* Walks the conversions and the types of the arguments side by side. */
struct check {
	const struct dt_format *f;
	const char *func;
	struct dt_types *types;
	const struct dt_type *const *args;
	uint32_t n, next;
	unsigned number;
	struct dt_format_error *err;
};

/* Fills in the error, as bad_format() does; arg is the index of the argument, or -1. */
static bool bad_argument(struct check *k, enum dt_tag tag, int arg, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
static bool bad_argument(struct check *k, enum dt_tag tag, int arg, const char *fmt, ...)
{
	va_list ap;

	k->err->tag = tag;
	k->err->arg = arg;
	k->err->hint = NULL;
	va_start(ap, fmt);
	vsnprintf(k->err->msg, sizeof(k->err->msg), fmt, ap);
	va_end(ap);
	return false;
}

/* The argument of a *: an int. */
static bool check_star(struct check *k, const struct dt_conv *c)
{
	if (k->next >= k->n)
		return bad_argument(k, D_PRINTF_DYN_PROTO, -1,
		    "%s( ) prototype mismatch: conversion #%u (%%%s) is missing a corresponding "
		    "\"*\" argument", k->func, k->number, c->row->name);
	const struct dt_type *t = k->args[k->next++];
	/* A long constant would do no harm, but 64-bit values have always been refused. */
	if (!dt_type_is_integer(t) || dt_type_size(k->types, t) > 4)
		return bad_argument(k, D_PRINTF_DYN_TYPE, (int)k->next - 1,
		    "%s( ) argument #%u is incompatible with conversion #%u prototype:\n"
		    "\tconversion: %%*\n\t prototype: int", k->func, k->next + 1, k->number);
	return true;
}

/*
 * The argument of a conversion. Messages count the format itself as argument #1, as they always have;
 * the index in the error does not.
 */
static bool check_value(struct check *k, const struct dt_conv *c)
{
	char name[128];

	if (k->next >= k->n)
		return bad_argument(k, D_PRINTF_ARG_PROTO, -1,
		    "%s( ) prototype mismatch: conversion #%u (%%%s) is missing a corresponding "
		    "value argument", k->func, k->number, c->row->name);
	const struct dt_type *t = k->args[k->next++];
	const char *want = format_check_arg(c, k->types, t);
	if (!want)
		return true;
	dt_type_name(t, name, sizeof(name));
	bad_argument(k, D_PRINTF_ARG_TYPE, (int)k->next - 1,
	    "%s( ) argument #%u is incompatible with conversion #%u prototype:\n"
	    "\tconversion: %%%s\n\t prototype: %s\n\t  argument: %s",
	    k->func, k->next + 1, k->number, c->row->name, want, name);
	if (strcmp(c->row->name, "s") == 0 && dt_type_is_integer(t))
		k->err->hint = "%d prints a number; copyinstr( ) or stringof( ) give the text at an address";
	return false;
}

static bool check_conversion(struct check *k, const struct dt_conv *c, bool printa)
{
	if (!c->row)
		return true;
	k->number++;
	k->err->off = c->off;
	if ((c->flags & DT_CF_STARWIDTH) && !check_star(k, c))
		return false;
	if ((c->flags & DT_CF_STARPREC) && !check_star(k, c))
		return false;
	if (!(c->flags & DT_CF_AGG))
		return check_value(k, c);
	if (!printa)
		return bad_argument(k, D_PRINTF_AGG_CONV, -1,
		    "%%@ conversion requires an aggregation and is not for use with %s( )", k->func);
	return true;
}

bool dt_format_check(const struct dt_format *f, const char *func, struct dt_types *types,
    const struct dt_type *const *args, uint32_t n, bool printa, struct dt_format_error *err)
{
	struct check k = { .f = f, .func = func, .types = types, .args = args, .n = n, .err = err };

	memset(err, 0, sizeof(*err));
	for (uint32_t i = 0; i < f->nconv; i++)
		if (!check_conversion(&k, &f->conv[i], printa))
			return false;
	if (k.next < n && !printa) {
		err->off = 0;
		return bad_argument(&k, D_PRINTF_ARG_EXTRA, (int)k.next,
		    "%s( ) prototype mismatch: only %u arguments required by this format string", func,
		    k.next);
	}
	return true;
}
