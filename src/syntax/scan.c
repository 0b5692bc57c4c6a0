/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a library needs and declares, for the index of libraries. A library with an error is scanned up
 * to the error: a program that needs it will compile it and get the message then.
 */
#include "syntax/grammar.h"

/* Names that are not plain are entered with a word before them, as they are asked for: "struct stat". */
static void offer_name(struct dt_parse *p, struct dt_lib_scan *scan, const char *kind, const char *name)
{
	const char *text = *kind ? dt_arena_printf(p->arena, "%s %s", kind, name) : name;

	dt_vec_push(p->arena, &scan->names, text);
}

/* The word in front of a tag; "" for other types. */
static const char *tag_kind(const struct dt_specs *s)
{
	return s->base == DT_B_STRUCT ? "struct" :
	    s->base == DT_B_UNION     ? "union" :
	    s->base == DT_B_ENUM      ? "enum" :
					"";
}

/* The tags and enumerators that specifiers define, also inside their bodies. */
static void scan_specs(struct dt_parse *p, struct dt_lib_scan *scan, const struct dt_specs *s)
{
	const struct dt_specs *last = NULL;

	if (!s->body)
		return;
	if (s->tname)
		offer_name(p, scan, tag_kind(s), s->tname);
	for (const struct dt_enumerator *e = s->enums; e; e = e->next)
		offer_name(p, scan, "", e->name);
	for (const struct dt_decl *m = s->members; m; m = m->next) {
		if (m->specs != last)
			scan_specs(p, scan, m->specs);
		last = m->specs;
	}
}

/* The declared names share their specifiers, which are scanned once. */
static void scan_decls(struct dt_parse *p, struct dt_lib_scan *scan, const struct dt_decl *d)
{
	if (d)
		scan_specs(p, scan, d->specs);
	for (; d; d = d->next) {
		if (d->name)
			offer_name(p, scan, "", d->name);
	}
}

/* A translator is found by the type that it makes; that is how xlate asks for it. */
static void scan_translator(struct dt_parse *p, struct dt_lib_scan *scan, const struct dt_tname *dst)
{
	const struct dt_specs *s = dst->decl->specs;
	const char *kind = tag_kind(s);

	if (s->tname)
		offer_name(p, scan, *kind ? dt_arena_printf(p->arena, "translator %s", kind) : "translator",
		    s->tname);
}

static void scan_pragma(struct dt_parse *p, struct dt_lib_scan *scan, const struct dt_word *w)
{
	w = w->next->next;	/* skip `pragma' `D' */
	if (strcmp(w->text, "depends_on") == 0 && strcmp(w->next->text, "library") == 0)
		dt_vec_push(p->arena, &scan->libraries, w->next->next->text);
}

/* An external that an error cut off may lack its parts. */
static void scan_external(struct dt_parse *p, struct dt_lib_scan *scan, const struct dt_ext *x)
{
	switch (x->kind) {
	case DT_X_DECL: scan_decls(p, scan, x->decls); break;
	case DT_X_INLINE: scan_decls(p, scan, x->decl); break;
	case DT_X_TRANSLATOR: if (x->dst) scan_translator(p, scan, x->dst); break;
	case DT_X_PROVIDER: if (x->name) offer_name(p, scan, "provider", x->name); break;
	case DT_X_PRAGMA: scan_pragma(p, scan, x->words); break;
	case DT_X_CLAUSE: break;
	}
}

void dt_parse_scan(struct dt_parse *p, struct dt_lib_scan *scan)
{
	struct dt_unit *unit = DT_NEW(p->arena, struct dt_unit);
	struct dt_parse quiet = *p;
	jmp_buf here, *outer = p->diag->attempt;

	quiet.context = DT_CTX_PROGRAM;
	quiet.empty_ok = quiet.defaultargs = quiet.argref = true;
	quiet.argused = NULL;
	quiet.option = NULL;
	p->diag->attempt = &here;
	if (setjmp(here) == 0)
		dt_unit_parse(&quiet, unit);
	p->diag->attempt = outer;
	p->diag->msg = p->diag->hint = NULL;
	for (const struct dt_ext *x = unit->exts; x; x = x->next)
		scan_external(p, scan, x);
}
