/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A DIFO comes in, the lines of its -S listing go out. Layout, tabs and annotations are the historic
 * ones, so listings can be compared with those of other systems. The DIFO need not have been checked.
 */
#include "dif/builtin.h"
#include "base/count.h"
#include "dif/var.h"

#include <stdio.h>
#include <stdlib.h>

struct line {
	void (*put)(void *, const char *);
	void *ctx;
	char *text;			/* grows; if memory runs out, the line is cut off */
	size_t len, cap;
};

/* False: out of memory; what does not fit is left out. */
static bool line_room(struct line *l, size_t more)
{
	size_t cap = (l->len + more + 1) * 2;
	char *text;

	if (l->len + more < l->cap)
		return true;
	text = realloc(l->text, cap);
	if (!text)
		return false;
	l->text = text;
	l->cap = cap;
	return true;
}

__attribute__((format(printf, 2, 3))) static void line_add(struct line *l, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	if (n > 0 && line_room(l, (size_t)n)) {
		vsnprintf(l->text + l->len, (size_t)n + 1, fmt, again);
		l->len += (size_t)n;
	}
	va_end(again);
	va_end(ap);
}

/* Hands the line to the caller and begins the next one in the same memory. */
static void line_end(struct line *l)
{
	line_add(l, "\n");
	if (l->text)
		l->put(l->ctx, l->text);
	l->len = 0;
}

/* "D type (integer) (size 8)" */
static size_t diftype_str(const struct dt_diftype *t, char *buf, size_t len)
{
	static const char *const ckinds[] = {
		"unknown",
		"integer",
		"float",
		"pointer",
		"array",
		"function",
		"struct",
		"union",
		"enum",
		"forward",
		"typedef",
		"volatile",
		"const",
		"restrict",
	};
	char kind[24], ckind[24];
	int n;

	if (t->kind <= DT_DT_STRING)
		snprintf(kind, sizeof(kind), "%s", t->kind == DT_DT_STRING ? "string" : "D type");
	else
		snprintf(kind, sizeof(kind), "0x%x", t->kind);
	if (t->ckind < DT_COUNT(ckinds))
		snprintf(ckind, sizeof(ckind), "%s", ckinds[t->ckind]);
	else
		snprintf(ckind, sizeof(ckind), "0x%x", t->ckind);
	n = snprintf(buf, len, "%s (%s)%s (size %u)", kind, ckind,
	    t->flags & DT_DTF_USERREF ? " by user ref" :
		t->flags & DT_DTF_REF ? " by ref" :
					"",
	    (unsigned)t->size);
	return n < 0 ? 0 : (size_t)n;
}

/* A variable that is not in the table gets no annotation: the DIFO may be wrong. */
static void add_var_note(struct line *l, const struct dt_difo *d, unsigned op, unsigned id)
{
	const struct dt_difv *v = dt_difv_find(d, dt_difop_scope(op), id);

	if (v)
		line_add(l, "\t\t! DT_VAR(%u) = \"%s\"", id, v->name);
}

/* Strings of a foreign file never reach the terminal as they are. */
static void add_escaped(struct line *l, unsigned char c)
{
	static const char from[] = "\a\b\t\n\v\f\r\"\\", to[] = "abtnvfr\"\\";
	const char *p = c ? strchr(from, c) : NULL;

	if (p)
		line_add(l, "\\%c", to[p - from]);
	else if (c < ' ' || c > '~')
		line_add(l, "\\%03o", c);
	else
		line_add(l, "%c", c);
}

/* The string table may lack its last NUL: the DIFO may be wrong. */
static void add_string_note(struct line *l, const struct dt_difo *d, uint32_t off)
{
	if (off >= d->strlen)
		return;
	line_add(l, "\t\t! \"");
	for (; off < d->strlen && d->strs[off]; off++)
		add_escaped(l, (unsigned char)d->strs[off]);
	line_add(l, "\"");
}

static void add_setx(struct line *l, const struct dt_difo *d, uint32_t in)
{
	unsigned index = dt_dif_v16(in);

	line_add(l, "DT_INTEGER[%u], %%r%u", index, dt_dif_rd(in));
	if (index < d->nints)
		line_add(l, "\t\t! 0x%llx", (unsigned long long)d->ints[index]);
}

static void add_sets(struct line *l, const struct dt_difo *d, uint32_t in)
{
	line_add(l, "DT_STRING[%u], %%r%u", dt_dif_v16(in), dt_dif_rd(in));
	add_string_note(l, d, dt_dif_v16(in));
}

static void add_call(struct line *l, uint32_t in)
{
	unsigned subr = dt_dif_v16(in);
	const struct dt_builtin *row = dt_builtin_subr(subr);

	line_add(l, "DIF_SUBR(%u), %%r%u\t\t! ", subr, dt_dif_rd(in));
	if (row)
		line_add(l, "%s", row->name);
	else
		line_add(l, "%u", subr);
}

static void add_push(struct line *l, uint32_t in)
{
	unsigned type = dt_dif_r1(in);

	line_add(l, "DT_TYPE(%u), ", type);
	if (dt_dif_op(in) == DT_DIF_PUSHTR)
		line_add(l, "%%r%u, %%r%u\t", dt_dif_r2(in), dt_dif_rd(in));
	else
		line_add(l, "%%r%u\t\t", dt_dif_rd(in));
	line_add(l, "! DT_TYPE(%u) = %s", type, type == DT_DT_STRING ? "string" : "D type");
}

static void add_array(struct line *l, const struct dt_difo *d, uint32_t in)
{
	line_add(l, "DT_VAR(%u), %%r%u, %%r%u", dt_dif_r1(in), dt_dif_r2(in), dt_dif_rd(in));
	add_var_note(l, d, dt_dif_op(in), dt_dif_r1(in));
}

static void add_var(struct line *l, const struct dt_difo *d, uint32_t in, bool store)
{
	if (store)
		line_add(l, "%%r%u, DT_VAR(%u)", dt_dif_rd(in), dt_dif_v16(in));
	else
		line_add(l, "DT_VAR(%u), %%r%u", dt_dif_v16(in), dt_dif_rd(in));
	add_var_note(l, d, dt_dif_op(in), dt_dif_v16(in));
}

/* The operands by form; registers that do not exist are printed as they are. */
static void add_operands(struct line *l, const struct dt_difo *d, uint32_t in, int form)
{
	unsigned r1 = dt_dif_r1(in), r2 = dt_dif_r2(in), rd = dt_dif_rd(in);

	switch (form) {
	case DT_FORM_RRR: line_add(l, "%%r%u, %%r%u, %%r%u", r1, r2, rd); return;
	case DT_FORM_RR: line_add(l, "%%r%u, %%r%u", r1, rd); return;
	case DT_FORM_CMP: line_add(l, "%%r%u, %%r%u", r1, r2); return;
	case DT_FORM_TST: line_add(l, "%%r%u", r1); return;
	case DT_FORM_BR: line_add(l, "%u", (unsigned)dt_dif_label(in)); return;
	case DT_FORM_LD: line_add(l, "[%%r%u], %%r%u", r1, rd); return;
	case DT_FORM_ST: line_add(l, "%%r%u, [%%r%u]", r1, rd); return;
	case DT_FORM_RET: line_add(l, "%%r%u", rd); return;
	case DT_FORM_SETX: add_setx(l, d, in); return;
	case DT_FORM_SETS: add_sets(l, d, in); return;
	case DT_FORM_LDA: case DT_FORM_STA: add_array(l, d, in); return;
	case DT_FORM_LDV: add_var(l, d, in, false); return;
	case DT_FORM_STV: add_var(l, d, in, true); return;
	case DT_FORM_CALL: add_call(l, in); return;
	case DT_FORM_PUSHTR: case DT_FORM_PUSHTV: add_push(l, in); return;
	case DT_FORM_XL: line_add(l, "DT_XLREF[%u], %%r%u", dt_dif_v16(in), rd); return;
	}
}

/* An opcode that does not exist is listed too, so that a refused program can be looked at. */
static void list_instr(struct line *l, const struct dt_difo *d, uint32_t pc)
{
	uint32_t in = d->text[pc];
	const char *name = dt_difop_name(dt_dif_op(in));
	int form = dt_difop_form(dt_dif_op(in));

	line_add(l, "%02u: %08x    ", (unsigned)pc, (unsigned)in);
	if (!name) {
		line_add(l, "???");
	} else if (form == DT_FORM_NONE) {
		line_add(l, "%s", name);
	} else {
		line_add(l, "%-4s ", name);
		add_operands(l, d, in, form);
	}
	line_end(l);
}

static void list_var(struct line *l, const struct dt_difv *v)
{
	static const char *const scopes[] = { "glb", "tls", "loc" };
	unsigned other = v->flags & ~(unsigned)(DT_DIFV_REF | DT_DIFV_MOD);
	bool r = v->flags & DT_DIFV_REF, w = v->flags & DT_DIFV_MOD;
	char type[96], flags[24] = "";

	diftype_str(&v->type, type, sizeof(type));
	if (other)
		snprintf(flags, sizeof(flags), "0x%x%s", other, r || w ? "/" : "");
	strcat(flags, r && w ? "r/w" : r ? "r" : w ? "w" : "");
	line_add(l, "%-16s %-4x %-3s %-3s %-4s %s", v->name, (unsigned)v->id,
	    v->kind == DT_DIFV_ARRAY ? "arr" : "scl", v->scope <= DT_DIFV_LOCAL ? scopes[v->scope] : "???",
	    flags, type);
	line_end(l);
}

static void list_vars(struct line *l, const struct dt_difo *d)
{
	line_end(l);
	line_add(l, "%-16s %-4s %-3s %-3s %-4s %s", "NAME", "ID", "KND", "SCP", "FLAG", "TYPE");
	line_end(l);
	for (uint32_t i = 0; i < d->nvars; i++)
		list_var(l, &d->vars[i]);
}

static void list_relocs(struct line *l, const struct dt_difo *d)
{
	line_end(l);
	line_add(l, "%-4s %-8s %-8s %s", "KREL", "OFFSET", "DATA", "NAME");
	line_end(l);
	for (uint32_t i = 0; i < d->nrelocs; i++) {
		const struct dt_difreloc *r = &d->relocs[i];

		/* 1: a setx constant, the only kind of relocation */
		line_add(l, "%-4u %-8llu %-8llu %s", 1, (unsigned long long)r->index * 8,
		    (unsigned long long)r->addend, r->name);
		line_end(l);
	}
}

/* The address in the first line tells DIFOs apart, as it always did; it means nothing else. */
void dt_difo_list(const struct dt_difo *d, void (*put)(void *, const char *), void *ctx)
{
	struct line l = { .put = put, .ctx = ctx };
	char type[96];

	diftype_str(&d->rtype, type, sizeof(type));
	line_end(&l);
	line_add(&l, "DIFO 0x%llx returns %s", (unsigned long long)(uintptr_t)d, type);
	line_end(&l);
	line_add(&l, "%-3s %-8s    %s", "OFF", "OPCODE", "INSTRUCTION");
	line_end(&l);
	for (uint32_t i = 0; i < d->ntext; i++)
		list_instr(&l, d, i);
	if (d->nvars)
		list_vars(&l, d);
	if (d->nrelocs)
		list_relocs(&l, d);
	free(l.text);
}
