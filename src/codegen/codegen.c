/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entries of the code generator: a typed tree (see codegen.h) comes in, a finished DIFO goes out.
 * Errors leave through dt_fail(); all memory belongs to the caller's arenas.
 */
#include "codegen/impl.h"

/* iregs and tregs of 0 mean "all registers". */
static void begin_difo(struct dt_cg *cg, const struct dt_cg_opts *o)
{
	memset(cg, 0, sizeof(*cg));
	cg->opts = o;
	cg->types = o->types;
	cg->as = dt_asm_new(o->arena, o->tmp != NULL ? o->tmp : o->arena, o->diag);
	cg->nregs = o->iregs && o->iregs < DT_DIF_NREGS ? o->iregs : DT_DIF_NREGS;
	cg->ntuple = o->tregs && o->tregs < DT_CG_MAXTUPLE ? o->tregs : DT_CG_MAXTUPLE;
}

static struct dt_difo *finish_difo(struct dt_cg *cg, unsigned reg, struct dt_diftype t)
{
	dt_cg_emit(cg, DT_DIF_RET, 0, 0, reg);
	return dt_asm_finish(cg->as, t);
}

static uint8_t ctf_kind(const struct dt_type *t)
{
	switch (t->kind) {
	case DT_T_VOID:		/* in CTF void is an integer without a size */
	case DT_T_INT:
		return DT_CK_INTEGER;
	case DT_T_FLOAT:
		return DT_CK_FLOAT;
	case DT_T_PTR:
		return DT_CK_POINTER;
	case DT_T_ARRAY:
		return DT_CK_ARRAY;
	case DT_T_FUNC:
		return DT_CK_FUNCTION;
	case DT_T_STRUCT:
		return DT_CK_STRUCT;
	case DT_T_UNION:
		return DT_CK_UNION;
	case DT_T_ENUM:
		return DT_CK_ENUM;
	default:
		return DT_CK_UNKNOWN;
	}
}

struct dt_diftype dt_cg_diftype(struct dt_types *types, const struct dt_type *t)
{
	struct dt_diftype d = { 0 };

	if (!t)
		return d;
	const struct dt_type *b = dt_type_complete(types, dt_type_base(t));
	uint64_t size = dt_type_size(types, b);
	d.kind = b->kind == DT_T_STRING ? DT_DT_STRING : DT_DT_CTF;
	d.ckind = ctf_kind(b);
	d.size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
	if (dt_type_is_byref(b)) {
		d.flags = DT_DTF_REF;
		if (dt_type_is_user(t))
			d.flags |= DT_DTF_USERREF;
	}
	d.is_signed = dt_type_is_integer(b) && dt_type_is_signed(b);
	return d;
}

/* The type the DIFO returns; strings have the size of the strsize option. */
static struct dt_diftype result_type(struct dt_cg *cg, const struct dt_node *n)
{
	struct dt_diftype t = dt_cg_diftype(cg->types, n->type);

	if (dt_cg_is_ref(n)) {
		t.flags |= DT_DTF_REF;
		if (dt_cg_is_user(n))
			t.flags |= DT_DTF_USERREF;
	}
	if (t.kind == DT_DT_STRING && cg->opts->strsize)
		t.size = cg->opts->strsize;
	if (!(t.flags & DT_DTF_REF) && t.size > 8)
		t.size = 8;	/* registers hold no more of a 128-bit integer */
	return t;
}

struct dt_difo *dt_cg_expr(const struct dt_cg_opts *o, const struct dt_node *n)
{
	struct dt_cg cg;

	begin_difo(&cg, o);
	unsigned r = dt_cg_node(&cg, n);
	return finish_difo(&cg, r, result_type(&cg, n));
}

struct dt_difo *dt_cg_void(const struct dt_cg_opts *o, const struct dt_node *n)
{
	struct dt_cg cg;

	begin_difo(&cg, o);
	unsigned r = dt_cg_node(&cg, n);
	return finish_difo(&cg, r, result_type(&cg, n));
}

struct dt_difo *dt_cg_bool(const struct dt_cg_opts *o, const struct dt_node *n, const struct dt_ident *keep)
{
	struct dt_diftype t = { .kind = DT_DT_CTF, .ckind = DT_CK_INTEGER, .is_signed = 1, .size = 4 };
	struct dt_cg cg;

	begin_difo(&cg, o);
	if (n->type && dt_type_base(n->type)->kind == DT_T_DYN)
		dt_cg_node(&cg, n);	/* fails and says what is wrong */
	unsigned r = dt_cg_truth(&cg, n);
	if (keep)
		dt_cg_scalar(&cg, keep, true, r);
	return finish_difo(&cg, r, t);
}

struct dt_difo *dt_cg_const(const struct dt_cg_opts *o, uint64_t value, uint32_t size)
{
	struct dt_diftype t = { .kind = DT_DT_CTF, .ckind = DT_CK_INTEGER, .size = size };
	struct dt_cg cg;

	begin_difo(&cg, o);
	unsigned r = dt_cg_alloc(&cg);
	dt_asm_setx(cg.as, value, r);
	return finish_difo(&cg, r, t);
}

struct dt_difo *dt_difo_void(struct dt_arena *arena, const struct dt_difo *difo)
{
	struct dt_difo *copy = dt_arena_memdup(arena, difo, sizeof(*difo));

	copy->rtype = (struct dt_diftype){ .kind = DT_DT_CTF, .ckind = DT_CK_INTEGER };
	return copy;
}
