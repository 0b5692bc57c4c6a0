/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One probe description comes in, its four parts go out, with macros replaced. It works on any text,
 * not only on what the lexer found: dtrace_str2desc() comes here too.
 */
#include "dtrace.h"
#include "syntax/lexer.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>

/* The historic sizes of the parts. */
static const struct part {
	const char *name;
	size_t max;		/* with the NUL */
} parts[] = {
	[DT_PART_PROV] = { "provider", 64 },
	[DT_PART_MOD] = { "module", 64 },
	[DT_PART_FUNC] = { "function", 256 },
	[DT_PART_NAME] = { "name", 64 },
};

struct desc {
	struct dt_parse *p;
	const char *text;
	size_t len;
	struct dt_loc loc;
};

/* `code` is for callers of dtrace_str2desc(); to the compiler all of these are D_PDESC_INVAL. */
_Noreturn static void refuse_description(const struct desc *d, int code, const char *why)
{
	d->p->refused = code;
	dt_fail(d->p->diag, D_PDESC_INVAL, d->loc, "invalid probe description \"%.*s%s\": %s",
	    d->len < 200 ? (int)d->len : 200, d->text, d->len < 200 ? "" : "...", why);
}

/* The text of $N or $$N */
static const char *macro_argument(const struct desc *d, const char *digits, size_t n, bool string)
{
	const char *text = dt_macro_argument(d->p, &digits, &n);

	if (!text && !d->p->defaultargs)
		refuse_description(d, EDT_BADSPCV, "Undefined macro variable in probe description");
	return text ? text : string ? "" : "0";
}

/* The value of $name as text. */
static const char *macro_variable(const struct desc *d, const char *name, size_t n)
{
	int64_t value;

	if (!d->p->macro || !d->p->macro(d->p->ctx, dt_arena_strndup(d->p->arena, name, n), &value))
		refuse_description(d, EDT_BADSPCV, "Undefined macro variable in probe description");
	return dt_arena_printf(d->p->arena, "%" PRId64, value);
}

/* One field: text, then perhaps a macro; more text may follow a numbered macro. */
static const char *description_field(const struct desc *d, const char *s, size_t n, const struct part *part)
{
	struct dt_arena *arena = d->p->arena;
	const char *dollar = n ? memchr(s, '$', n) : NULL, *name, *end = s + n, *tail = end, *value, *out;
	bool string;

	if (!dollar) {
		out = dt_arena_strndup(arena, s, n);
	} else {
		string = dollar + 1 < end && dollar[1] == '$';
		name = dollar + 1 + string;
		if (name < end && dt_is_digit(*name)) {
			for (tail = name; tail < end && dt_is_digit(*tail); tail++)
				;
			value = macro_argument(d, name, (size_t)(tail - name), string);
		} else {
			value = macro_variable(d, name, (size_t)(end - name));
		}
		out = dt_arena_printf(arena, "%.*s%s%.*s", (int)(dollar - s), s, value, (int)(end - tail),
		    tail);
	}
	/* A path as module may be longer than a name. */
	if (strlen(out) >= (part == &parts[DT_PART_MOD] && out[0] == '/' ? PATH_MAX : part->max))
		refuse_description(d, ENAMETOOLONG,
		    dt_arena_printf(arena, "the %s is longer than %zu characters", part->name,
		        part->max - 1));
	return out;
}

/*
 * Functions of processes may have colons in their names: pid123:a.out:shop::Cart::add*:entry. Returns
 * the offset where such a function begins, or 0 if the description has no extra colons.
 */
static size_t function_with_colons(const struct desc *d)
{
	size_t colons = 0, second = 0;

	if (d->p->spec != DT_PART_NAME || d->len < 4 || memcmp(d->text, "pid", 3) != 0 ||
	    (d->text[3] != '$' && !dt_is_digit(d->text[3])))
		return 0;
	for (size_t i = 0; i < d->len; i++)
		if (d->text[i] == ':' && ++colons == 2)
			second = i + 1;
	return colons > 3 ? second : 0;
}

struct dt_pdesc *dt_parse_pdesc(struct dt_parse *p, const char *text, size_t len, struct dt_loc loc)
{
	struct desc d = { p, text, len, loc };
	struct dt_pdesc *out = DT_NEW(p->arena, struct dt_pdesc);
	/* Fields are read from the right: the last one is part p->spec. */
	const char **slot[] = { &out->prov, &out->mod, &out->func, &out->name };
	size_t end = len, func = function_with_colons(&d);
	int part = p->spec;

	out->prov = out->mod = out->func = out->name = "";
	out->loc = loc;
	if (len > DT_SOURCE_MAX || memchr(text, '\0', len))
		refuse_description(&d, EINVAL, "NUL or too many characters");
	if (part < DT_PART_PROV || part > DT_PART_NAME)
		refuse_description(&d, EDT_BADSPEC, "only a probe identifier is permitted here");
	for (; ; part--) {
		size_t start = end;

		if (part < DT_PART_PROV)
			refuse_description(&d, EDT_BADSPEC, "Overspecified probe description");
		while (start > 0 &&
		    (text[start - 1] != ':' || (part == DT_PART_FUNC && start > func && func > 0)))
			start--;
		*slot[part] = description_field(&d, text + start, end - start, &parts[part]);
		/*
		 * As in historic DTrace, a leading colon adds no part if there is no room for one (-f
		 * ::read:)
		 */
		if (start == 0 || (start == 1 && part == DT_PART_PROV))
			return out;
		end = start - 1;
	}
}
