/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A type comes in, its C spelling goes out. A declarator is written in two halves around the place of a
 * name: "int (*" and ")[3]". Output is bounded: functions that take functions that take … end in "...".
 */
#include "types/table.h"

#include <stdio.h>

/* Bounds for hostile types; PARAM_DEPTH_MAX also keeps the output from growing exponentially. */
enum { DEPTH_MAX = 128, PARAM_DEPTH_MAX = 6, OUT_MAX = 1 << 16 };

struct out {
	char *buf;
	size_t len, used;		/* used counts on after the buffer is full */
	char last;
	unsigned params;		/* depth of parameter lists */
};

/* Counts on when the buffer is full, so the length of the whole text is known; OUT_MAX bounds even that. */
static void put_text(struct out *o, const char *s)
{
	for (; *s && o->used < OUT_MAX; s++) {
		if (o->used + 1 < o->len)
			o->buf[o->used] = *s;
		o->used++;
		o->last = *s;
	}
}

/* Writes a part of the declarator, with a space in front after a word. */
static void put_part(struct out *o, const char *s)
{
	if (o->last && !strchr("*([]) ", o->last))
		put_text(o, " ");
	put_text(o, s);
}

static void put_count(struct out *o, uint64_t n)
{
	char s[24];

	snprintf(s, sizeof(s), "%llu", (unsigned long long)n);
	put_text(o, s);
}

/* A pointer to an array or function needs them: `int (*)[3]`, where `int *[3]` is an array of pointers. */
static bool wants_parens(const struct dt_type *t)
{
	return t->kind == DT_T_ARRAY || t->kind == DT_T_FUNC;
}

/* `after` is the blank before a base type; qualifiers of a pointer follow its * without one. */
static void put_quals(struct out *o, unsigned q, const char *after)
{
	static const struct { unsigned bit; const char *word; } names[] = {
		{ DT_TQ_USERLAND, "userland" }, { DT_TQ_CONST, "const" },
		{ DT_TQ_VOLATILE, "volatile" }, { DT_TQ_RESTRICT, "restrict" },
	};

	for (unsigned i = 0; i < 4; i++) {
		if (!(q & names[i].bit))
			continue;
		put_part(o, names[i].word);
		put_text(o, after);
	}
}

/* A struct without a tag has nothing that could be named. */
static void put_tag(struct out *o, const char *put_word, const struct dt_type *t)
{
	put_text(o, put_word);
	put_text(o, t->name ? t->name : "{...}");
}

static void put_word(struct out *o, const struct dt_type *t)
{
	switch (t->kind) {
	case DT_T_STRUCT:
		put_tag(o, "struct ", t);
		break;
	case DT_T_UNION:
		put_tag(o, "union ", t);
		break;
	case DT_T_ENUM:
		put_tag(o, "enum ", t);
		break;
	default:
		put_text(o, t->name ? t->name : "?");
	}
}

/* What stands in front of the name. */
static void put_left(struct out *o, const struct dt_type *t, unsigned depth)
{
	if (depth > DEPTH_MAX) {
		put_text(o, "...");
		return;
	}
	switch (t->kind) {
	case DT_T_PTR:
		put_left(o, t->ref, depth + 1);
		put_part(o, wants_parens(t->ref) ? "(*" : "*");
		break;
	case DT_T_ARRAY:
	case DT_T_FUNC:
		put_left(o, t->ref, depth + 1);
		break;
	case DT_T_QUAL:
		if (t->ref->kind != DT_T_PTR)
			put_quals(o, t->quals, " ");
		put_left(o, t->ref, depth + 1);
		if (t->ref->kind == DT_T_PTR)
			put_quals(o, t->quals, "");
		break;
	default:
		put_word(o, t);
	}
}

static void put_type(struct out *o, const struct dt_type *t, unsigned depth);

/* An empty list is printed as C's (void). Lists inside of lists are cut at PARAM_DEPTH_MAX. */
static void put_params(struct out *o, const struct dt_type *t, unsigned depth)
{
	put_part(o, "(");
	if (o->params >= PARAM_DEPTH_MAX) {
		put_text(o, "...)");
		return;
	}
	o->params++;
	for (uint32_t i = 0; i < t->nparams && o->used < OUT_MAX; i++) {
		put_text(o, i ? ", " : "");
		put_type(o, t->params[i], depth);
	}
	o->params--;
	if (t->varargs)
		put_text(o, t->nparams ? ", ..." : "...");
	else if (!t->nparams)
		put_text(o, "void");
	put_text(o, ")");
}

/* What stands after the name. */
static void put_right(struct out *o, const struct dt_type *t, unsigned depth)
{
	if (depth > DEPTH_MAX)
		return;
	switch (t->kind) {
	case DT_T_PTR:
		put_text(o, wants_parens(t->ref) ? ")" : "");
		break;
	case DT_T_ARRAY:
		put_part(o, "[");
		if (t->nelems)
			put_count(o, t->nelems);
		put_text(o, "]");
		break;
	case DT_T_FUNC:
		put_params(o, t, depth + 1);
		break;
	case DT_T_QUAL:
		break;
	default:
		return;
	}
	put_right(o, t->ref, depth + 1);
}

static void put_type(struct out *o, const struct dt_type *t, unsigned depth)
{
	put_left(o, t, depth);
	put_right(o, t, depth);
}

/*
 * As snprintf(): the length of the whole name is returned, whatever fits; a buffer of any length ends
 * with NUL.
 */
size_t dt_type_name(const struct dt_type *t, char *buf, size_t len)
{
	struct out o = { .buf = buf, .len = len };

	put_type(&o, t, 0);
	if (len)
		buf[o.used < len ? o.used : len - 1] = '\0';
	return o.used;
}

const char *dt_type_str(struct dt_arena *a, const struct dt_type *t)
{
	size_t len = dt_type_name(t, NULL, 0) + 1;
	char *s = dt_arena_alloc(a, len);

	dt_type_name(t, s, len);
	return s;
}
