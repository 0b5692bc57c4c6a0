/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A DIFO from anywhere comes in; "it is sound", or the first thing that is wrong, goes out. A DIFO that
 * passes can be run without further checks: it ends (branches only go forward, the last instruction is
 * ret), it names only registers, constants, variables and subroutines that exist, and it never writes
 * %r0. Faults of values (addresses, division, tuple depth) are left to the executors.
 */
#include "dif/builtin.h"
#include "dif/var.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/* Limits that a hostile file could exceed; the compiler stays far below them. */
enum {
	STATIC_MAX = 16 * 1024,		/* global and clause-local variables by reference */
	VALUE_MAX = 16 * 1024 * 1024,	/* anything by reference */
	NAME_LEN_MAX = 2048,
};

struct check {
	const struct dt_difo *d;
	uint32_t pc, in;		/* the current instruction */
	char *msg;
	size_t len;
};

/* Writes the message and returns -EINVAL. */
__attribute__((format(printf, 2, 3))) static int bad_difo(const struct check *c, const char *fmt, ...)
{
	int n = snprintf(c->msg, c->len, "[%u]: ", (unsigned)c->pc);
	va_list ap;

	va_start(ap, fmt);
	if (n >= 0 && (size_t)n < c->len)
		vsnprintf(c->msg + n, c->len - (size_t)n, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* ---- instructions: each check returns 0 or bad_difo() ---- */

/* Executors may index their registers with what passes here. */
static int check_read(const struct check *c, unsigned reg)
{
	return reg < DT_DIF_NREGS ? 0 : bad_difo(c, "there is no register %%r%u", reg);
}

static int check_write(const struct check *c, unsigned reg)
{
	return reg ? check_read(c, reg) : bad_difo(c, "%%r0 cannot be written");
}

/* Bits without a meaning are refused, so that a later version can give them one. */
static int check_zero(const struct check *c, unsigned field)
{
	return field ? bad_difo(c, "reserved bits of %s are not zero", dt_difop_name(dt_dif_op(c->in))) : 0;
}

/* Forward only: this is why every program ends. The target is inside, so that nothing runs off the text. */
static int check_branch(const struct check *c)
{
	uint32_t to = dt_dif_label(c->in);

	if (to >= c->d->ntext)
		return bad_difo(c, "branch to %u, past the end", (unsigned)to);
	if (to <= c->pc)
		return bad_difo(c, "branch to %u goes backwards", (unsigned)to);
	return 0;
}

/* The index has 16 bits in the instruction; the table may be shorter, or not there at all. */
static int check_setx(const struct check *c)
{
	if (dt_dif_v16(c->in) >= c->d->nints)
		return bad_difo(c, "there is no integer constant %u", dt_dif_v16(c->in));
	return check_write(c, dt_dif_rd(c->in));
}

/* Inside the table is enough: that it ends with a NUL is what check_tables() has made sure of before. */
static int check_sets(const struct check *c)
{
	if (dt_dif_v16(c->in) >= c->d->strlen)
		return bad_difo(c, "string constant %u lies outside the string table", dt_dif_v16(c->in));
	return check_write(c, dt_dif_rd(c->in));
}

/*
 * How many values were pushed is known only when it runs, so the number of arguments is not checked here.
 */
static int check_call(const struct check *c)
{
	const struct dt_builtin *row = dt_builtin_subr(dt_dif_v16(c->in));

	if (!row)
		return bad_difo(c, "there is no subroutine %u", dt_dif_v16(c->in));
	if (row->unsupported)
		return bad_difo(c, "%s() is not supported: %s", row->name, row->unsupported);
	return check_write(c, dt_dif_rd(c->in));
}

/*
 * The number of values is not followed here: branches could push in one arm only. The ninth faults when it
 * runs.
 */
static int check_push(const struct check *c)
{
	unsigned type = dt_dif_r1(c->in), size = dt_dif_r2(c->in);
	bool value = dt_dif_op(c->in) == DT_DIF_PUSHTV;
	int err;

	if (type > (value ? DT_DT_CTF : DT_DT_STRING))
		return bad_difo(c, "%s of type %u", dt_difop_name(dt_dif_op(c->in)), type);
	if (value && size)
		return bad_difo(c, "pushtv with size register %%r%u, must be %%r0", size);
	err = check_read(c, size);
	return err ? err : check_read(c, dt_dif_rd(c->in));
}

/* The built-in variable exists, is of the kind, and is supported here. */
static int check_builtin(const struct check *c, unsigned id, unsigned kind)
{
	const struct dt_builtin *row = dt_builtin_var(id);

	if (!row)
		return bad_difo(c, "there is no built-in variable %u", id);
	if (row->kind != kind)
		return bad_difo(c, "%s is %s", row->name, kind == DT_BI_ARRAY ? "not an array" : "an array");
	return row->unsupported ? bad_difo(c, "%s is not supported: %s", row->name, row->unsupported) : 0;
}

/* Only uregs[] can be written, which the executors know; here any array will do. */
static int check_array(const struct check *c)
{
	unsigned op = dt_dif_op(c->in);
	int err = check_read(c, dt_dif_r2(c->in));

	if (!err)
		err = op == DT_DIF_STGA ? check_read(c, dt_dif_rd(c->in)) : check_write(c, dt_dif_rd(c->in));
	if (!err && op != DT_DIF_LDTA)		/* ldta always faults, whatever it names */
		err = check_builtin(c, dt_dif_r1(c->in), DT_BI_ARRAY);
	return err;
}

static bool is_assoc(unsigned op)
{
	return op == DT_DIF_LDGAA || op == DT_DIF_LDTAA || op == DT_DIF_STGAA || op == DT_DIF_STTAA;
}

/* A variable of the program must be in the table, with the kind that the instruction needs. */
static int check_user_var(const struct check *c)
{
	unsigned op = dt_dif_op(c->in), id = dt_dif_v16(c->in);
	const struct dt_difv *v = dt_difv_find(c->d, dt_difop_scope(op), id);

	if (id < DT_VAR_USER_MIN || id > DT_VAR_USER_MAX)
		return bad_difo(c, "%s of variable %u, which is not the program's", dt_difop_name(op), id);
	if (!v)
		return bad_difo(c, "%s of variable %u, which is not in the variable table",
		    dt_difop_name(op), id);
	if (v->kind != (is_assoc(op) ? DT_DIFV_ARRAY : DT_DIFV_SCALAR))
		return bad_difo(c, "%s of variable %u, which is %s", dt_difop_name(op), id,
		    is_assoc(op) ? "a scalar" : "an array");
	return 0;
}

/* Numbers below DT_VAR_USER_MIN are built-in variables, of which arrays come first. */
static int check_load_var(const struct check *c)
{
	unsigned id = dt_dif_v16(c->in);
	int err = check_write(c, dt_dif_rd(c->in));

	if (err)
		return err;
	if (dt_dif_op(c->in) == DT_DIF_LDGS && id < DT_VAR_USER_MIN)
		return id < DT_VAR_SCALAR_MIN ? bad_difo(c, "ldgs of variable %u, which is an array", id) :
		    check_builtin(c, id, DT_BI_SCALAR);
	return check_user_var(c);
}

/* Only the program's own variables: there is no way to write a built-in one but stga. */
static int check_store_var(const struct check *c)
{
	int err = check_read(c, dt_dif_rd(c->in));

	return err ? err : check_user_var(c);
}

/* Forms that have registers only: which fields are read or written; all others must be zero. */
static int check_regs(const struct check *c, bool use1, bool use2, bool write)
{
	unsigned r1 = dt_dif_r1(c->in), r2 = dt_dif_r2(c->in), rd = dt_dif_rd(c->in);
	int err = use1 ? check_read(c, r1) : check_zero(c, r1);

	if (!err)
		err = use2 ? check_read(c, r2) : check_zero(c, r2);
	if (!err)
		err = write ? check_write(c, rd) : check_zero(c, rd);
	return err;
}

/* rd is an address here and is read, but %r0 is not an address: the historic checker refuses it too. */
static int check_store(const struct check *c)
{
	if (dt_dif_rd(c->in) == 0)
		return bad_difo(c, "%%r0 cannot be the address of a store");
	return check_regs(c, true, false, true);
}

static int check_ret(const struct check *c)
{
	int err = check_zero(c, dt_dif_v16(c->in));

	return err ? err : check_read(c, dt_dif_rd(c->in));
}

/*
 * The form says which fields there are; an opcode without a form, or with one that cannot be run, ends
 * here.
 */
static int check_instr(const struct check *c)
{
	switch (dt_difop_form(dt_dif_op(c->in))) {
	case DT_FORM_RRR: return check_regs(c, true, true, true);
	case DT_FORM_RR: case DT_FORM_LD: return check_regs(c, true, false, true);
	case DT_FORM_CMP: return check_regs(c, true, true, false);
	case DT_FORM_TST: return check_regs(c, true, false, false);
	case DT_FORM_NONE: return check_regs(c, false, false, false);
	case DT_FORM_ST: return check_store(c);
	case DT_FORM_BR: return check_branch(c);
	case DT_FORM_RET: return check_ret(c);
	case DT_FORM_SETX: return check_setx(c);
	case DT_FORM_SETS: return check_sets(c);
	case DT_FORM_LDA: case DT_FORM_STA: return check_array(c);
	case DT_FORM_LDV: return check_load_var(c);
	case DT_FORM_STV: return check_store_var(c);
	case DT_FORM_CALL: return check_call(c);
	case DT_FORM_PUSHTR: case DT_FORM_PUSHTV: return check_push(c);
	case DT_FORM_XL: return bad_difo(c, "dynamic translation cannot be run");
	default: return bad_difo(c, "there is no instruction %u", dt_dif_op(c->in));
	}
}

/* Since branches only go forward and the last instruction is ret, every run ends within ntext steps. */
static int check_text(struct check *c)
{
	const struct dt_difo *d = c->d;

	if (!d->ntext)
		return bad_difo(c, "no instructions");
	if (d->ntext > DT_DIF_MAXTEXT)
		return bad_difo(c, "%u instructions, more than %u", (unsigned)d->ntext, DT_DIF_MAXTEXT);
	for (c->pc = 0; c->pc < d->ntext; c->pc++) {
		int err;

		c->in = d->text[c->pc];
		err = check_instr(c);
		if (err)
			return err;
		if (dt_dif_is_destructive(c->in) && !d->destructive)
			return bad_difo(c,
			    "destructive instruction in an object that is not marked destructive");
	}
	c->pc = d->ntext - 1;
	return dt_dif_op(d->text[c->pc]) == DT_DIF_RET ? 0 : bad_difo(c, "the last instruction is not ret");
}

/* ---- tables ---- */

/* 0: there is no value, as of void. */
static bool is_value_size(uint32_t size)
{
	return size == 0 || size == 1 || size == 2 || size == 4 || size == 8;
}

/* A type is by value in at most 8 bytes, or by reference; strings are always by reference. */
static int check_type(const struct check *c, const struct dt_diftype *t, const char *what)
{
	bool ref = t->flags & (DT_DTF_REF | DT_DTF_USERREF);

	if (t->kind > DT_DT_STRING || t->ckind > DT_CK_RESTRICT || t->is_signed > 1 ||
	    t->flags & ~(DT_DTF_REF | DT_DTF_USERREF))
		return bad_difo(c, "%s has an unknown type", what);
	if (t->kind == DT_DT_STRING && !ref)
		return bad_difo(c, "%s is a string but not by reference", what);
	if (!ref && !is_value_size(t->size))
		return bad_difo(c, "%s is a value of %u bytes", what, (unsigned)t->size);
	if (t->size > VALUE_MAX)
		return bad_difo(c, "%s has %u bytes, more than %u", what, (unsigned)t->size, VALUE_MAX);
	return 0;
}

/*
 * Names are printed in listings, so they must be printable and without blanks. They are limited because
 * a file can make many variables share one long name.
 */
static bool is_name(const char *s)
{
	size_t n = 0;

	while (s && s[n] > ' ' && s[n] <= '~' && n < NAME_LEN_MAX)
		n++;
	return n && !s[n];
}

/* The table may list built-ins too; their size is not ours to limit. */
static int check_var_type(const struct check *c, const struct dt_difv *v)
{
	bool ref = v->type.flags & (DT_DTF_REF | DT_DTF_USERREF);
	char what[64];
	int err;

	snprintf(what, sizeof(what), "variable %.40s", v->name);
	err = check_type(c, &v->type, what);
	if (err || v->id < DT_VAR_USER_MIN)
		return err;
	if (ref && !v->type.size)
		return bad_difo(c, "%s is by reference but has no size", what);
	if (ref && v->kind == DT_DIFV_SCALAR && v->scope != DT_DIFV_THREAD && v->type.size > STATIC_MAX)
		return bad_difo(c, "oversized by-ref static: %s has %u bytes, more than %u", what,
		    (unsigned)v->type.size, STATIC_MAX);
	return 0;
}

/* A DIFO of another system may name a built-in variable that is not there: it is refused, not run as 0. */
static int check_var_id(const struct check *c, const struct dt_difv *v)
{
	if (v->id >= DT_VAR_USER_MIN)
		return v->id <= DT_VAR_USER_MAX ?
		    0 :
		    bad_difo(c, "variable %.40s has number %u", v->name, (unsigned)v->id);
	if (v->scope != DT_DIFV_GLOBAL)
		return bad_difo(c, "built-in variable %.40s is not global", v->name);
	return check_builtin(c, v->id, v->kind == DT_DIFV_ARRAY ? DT_BI_ARRAY : DT_BI_SCALAR);
}

/* The table is sorted, so executors can search it. */
static int check_vars(const struct check *c)
{
	for (uint32_t i = 0; i < c->d->nvars; i++) {
		const struct dt_difv *v = &c->d->vars[i];
		int order, err;

		if (!is_name(v->name) || v->scope > DT_DIFV_LOCAL || v->kind > DT_DIFV_SCALAR)
			return bad_difo(c,
			    "entry %u of the variable table has no name or an unknown scope or kind",
			    (unsigned)i);
		order = i ? dt_difv_order(v->scope, v->id, v - 1) : 1;
		if (order == 0 && v->id < DT_VAR_USER_MIN)
			order = strcmp(v->name, v[-1].name);
		else if (order == 0)
			return bad_difo(c, "variable %.40s is in the variable table twice", v->name);
		if (order <= 0)
			return bad_difo(c, "the variable table is not in order at %.40s", v->name);
		err = check_var_id(c, v);
		if (!err)
			err = check_var_type(c, v);
		if (err)
			return err;
	}
	return 0;
}

/* Every offset into the string table is a string, since the table ends with a NUL. */
static int check_tables(const struct check *c)
{
	const struct dt_difo *d = c->d;

	if (d->nints > UINT16_MAX + 1u)
		return bad_difo(c, "the integer table has %u entries", (unsigned)d->nints);
	if (d->strlen && (d->strs[0] || d->strs[d->strlen - 1]))
		return bad_difo(c, "the string table does not start and end with a NUL");
	for (uint32_t i = 0; i < d->nrelocs; i++) {
		if (!is_name(d->relocs[i].name) || d->relocs[i].index >= d->nints)
			return bad_difo(c, "relocation %u has no name or lies outside the integer table",
			    (unsigned)i);
	}
	return check_vars(c);
}

/* Tables before text, as instructions are checked against the tables. */
int dt_difo_check(const struct dt_difo *d, char *msg, size_t len)
{
	struct check c = { .d = d, .msg = msg, .len = len };
	int err = check_type(&c, &d->rtype, "the result");

	if (!err)
		err = check_tables(&c);
	return err ? err : check_text(&c);
}
