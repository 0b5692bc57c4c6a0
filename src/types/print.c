/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A type in, its C spelling out. A declarator is written in two halves around where a name would
 * stand: "int (*" and ")[3]". Output is bounded: functions that take functions that take … end in "...".
 */
#include "types/table.h"

#include <stdio.h>

enum { DEPTH_MAX = 128, PARAM_DEPTH_MAX = 6, OUT_MAX = 1 << 16 };

struct out {
	char *buf;
	size_t len, used;
	char last;
	unsigned params;		/* depth of parameter lists */
};

static void put(struct out *o, const char *s)
{
	for (; *s && o->used < OUT_MAX; s++) {
		if (o->used + 1 < o->len)
			o->buf[o->used] = *s;
		o->used++;
		o->last = *s;
	}
}

/* Before a part of the declarator: a space after a word, none after another part. */
static void part(struct out *o, const char *s)
{
	if (o->last && !strchr("*([]) ", o->last))
		put(o, " ");
	put(o, s);
}

static void number(struct out *o, uint64_t n)
{
	char s[24];

	snprintf(s, sizeof(s), "%llu", (unsigned long long)n);
	put(o, s);
}

static bool wants_parens(const struct dt_type *t)
{
	return t->kind == DT_T_ARRAY || t->kind == DT_T_FUNC;
}

static void quals(struct out *o, unsigned q, const char *after)
{
	static const struct { unsigned bit; const char *word; } names[] = {
		{ DT_TQ_USERLAND, "userland" }, { DT_TQ_CONST, "const" },
		{ DT_TQ_VOLATILE, "volatile" }, { DT_TQ_RESTRICT, "restrict" },
	};

	for (unsigned i = 0; i < 4; i++) {
		if (!(q & names[i].bit))
			continue;
		part(o, names[i].word);
		put(o, after);
	}
}

static void tagged(struct out *o, const char *word, const struct dt_type *t)
{
	put(o, word);
	put(o, t->name ? t->name : "{...}");
}

static void word(struct out *o, const struct dt_type *t)
{
	switch (t->kind) {
	case DT_T_STRUCT:
		tagged(o, "struct ", t);
		break;
	case DT_T_UNION:
		tagged(o, "union ", t);
		break;
	case DT_T_ENUM:
		tagged(o, "enum ", t);
		break;
	default:
		put(o, t->name ? t->name : "?");
	}
}

static void left(struct out *o, const struct dt_type *t, unsigned depth)
{
	if (depth > DEPTH_MAX) {
		put(o, "...");
		return;
	}
	switch (t->kind) {
	case DT_T_PTR:
		left(o, t->ref, depth + 1);
		part(o, wants_parens(t->ref) ? "(*" : "*");
		break;
	case DT_T_ARRAY:
	case DT_T_FUNC:
		left(o, t->ref, depth + 1);
		break;
	case DT_T_QUAL:
		if (t->ref->kind != DT_T_PTR)
			quals(o, t->quals, " ");
		left(o, t->ref, depth + 1);
		if (t->ref->kind == DT_T_PTR)
			quals(o, t->quals, "");
		break;
	default:
		word(o, t);
	}
}

static void whole(struct out *o, const struct dt_type *t, unsigned depth);

static void params(struct out *o, const struct dt_type *t, unsigned depth)
{
	part(o, "(");
	if (o->params >= PARAM_DEPTH_MAX) {
		put(o, "...)");
		return;
	}
	o->params++;
	for (uint32_t i = 0; i < t->nparams && o->used < OUT_MAX; i++) {
		put(o, i ? ", " : "");
		whole(o, t->params[i], depth);
	}
	o->params--;
	if (t->varargs)
		put(o, t->nparams ? ", ..." : "...");
	else if (!t->nparams)
		put(o, "void");
	put(o, ")");
}

static void right(struct out *o, const struct dt_type *t, unsigned depth)
{
	if (depth > DEPTH_MAX)
		return;
	switch (t->kind) {
	case DT_T_PTR:
		put(o, wants_parens(t->ref) ? ")" : "");
		break;
	case DT_T_ARRAY:
		part(o, "[");
		if (t->nelems)
			number(o, t->nelems);
		put(o, "]");
		break;
	case DT_T_FUNC:
		params(o, t, depth + 1);
		break;
	case DT_T_QUAL:
		break;
	default:
		return;
	}
	right(o, t->ref, depth + 1);
}

static void whole(struct out *o, const struct dt_type *t, unsigned depth)
{
	left(o, t, depth);
	right(o, t, depth);
}

size_t dt_type_name(const struct dt_type *t, char *buf, size_t len)
{
	struct out o = { .buf = buf, .len = len };

	whole(&o, t, 0);
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
