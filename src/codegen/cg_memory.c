/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects in memory: addresses, loads and stores, bit-fields, copies of structs and strings, and the
 * scratch copy of a whole translated struct. The node decides whether an address is the kernel's or a
 * user's (dt_cg_is_user()); the register does not tell.
 */
#include "codegen/impl.h"

/* The caller has to have a register free, unless the offset is 0. */
void dt_cg_offset(struct dt_cg *cg, unsigned reg, uint64_t off)
{
	if (off == 0)
		return;
	unsigned t = dt_cg_alloc(cg);
	dt_asm_setx(cg->as, off, t);
	dt_cg_emit(cg, DT_DIF_ADD, reg, t, reg);
	dt_cg_free(cg, t);
}

/* A symbol's address may be another one when the program is enabled: it gets a relocation. */
static unsigned symbol_address(struct dt_cg *cg, const struct dt_node *n)
{
	const struct dt_ident *id = n->ident;
	unsigned r = dt_cg_alloc(cg);

	if (!id) {
		dt_asm_setx(cg->as, n->value, r);
		return r;
	}
	const char *name = id->module ? dt_arena_printf(cg->opts->arena, "%s`%s", id->module, id->name) :
					id->name;
	dt_asm_setx_sym(cg->as, name, n->value, r);
	return r;
}

/*
 * The address of an object in memory; the value of any other by-reference node is its address already.
 */
unsigned dt_cg_address(struct dt_cg *cg, const struct dt_node *n)
{
	if (n->kind == DT_N_SYM)
		return symbol_address(cg, n);
	if (n->kind == DT_N_UNARY && n->op == DT_OP_DEREF)
		return dt_cg_node(cg, n->a);
	if (n->kind != DT_N_MEMBER)
		return dt_cg_node(cg, n);
	unsigned r = n->arrow ? dt_cg_node(cg, n->a) : dt_cg_address(cg, n->a);
	dt_asm_at(cg->as, n->loc);
	dt_cg_offset(cg, r, n->moff);
	return r;
}

/* ---- loads ---- */

/* The user loads have the order of the kernel loads. */
static unsigned load_op(unsigned size, bool is_signed, bool user)
{
	static const uint8_t ops[4][2] = {
		{ DT_DIF_LDUB, DT_DIF_LDSB }, { DT_DIF_LDUH, DT_DIF_LDSH }, { DT_DIF_LDUW, DT_DIF_LDSW },
		{ DT_DIF_LDX, DT_DIF_LDX },
	};
	unsigned op = ops[size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3][is_signed];

	return user ? op + (DT_DIF_ULDSB - DT_DIF_LDSB) : op;
}

static unsigned scalar_size(const struct dt_type *t)
{
	uint64_t size = dt_type_base(t)->size;

	if (dt_type_is_integer(t))
		return dt_cg_width(t).bits / 8;
	return size == 4 || size == 2 || size == 1 ? (unsigned)size : 8;
}

/*
 * Bytes of the unit that contains a bit-field: the size of its type, or more if the field crosses it.
 */
static unsigned unit_size(struct dt_cg *cg, const struct dt_node *n, const struct dt_type *t)
{
	unsigned size = scalar_size(t);

	while (size < 8 && n->bit_off + n->bit_size > size * 8u)
		size *= 2;
	if (n->bit_size == 0 || n->bit_size > 64 || n->bit_off + n->bit_size > size * 8u)
		dt_fail(cg->opts->diag, D_UNKNOWN, n->loc, "bit-field %s does not lie within 8 bytes",
		    n->name ? n->name : "");
	return size;
}

static uint64_t low_bits(unsigned n)
{
	return n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
}

static void emit_with_constant(struct dt_cg *cg, unsigned op, unsigned reg, uint64_t value)
{
	unsigned t = dt_cg_alloc(cg);

	dt_asm_setx(cg->as, value, t);
	dt_cg_emit(cg, op, reg, t, reg);
	dt_cg_free(cg, t);
}

/* Loads the whole unit, then shifts or masks the field out. */
static void load_bits(struct dt_cg *cg, const struct dt_node *n, unsigned ra, unsigned rd)
{
	unsigned size = unit_size(cg, n, n->type), up = 64 - n->bit_off - n->bit_size;

	dt_cg_emit(cg, load_op(size, false, dt_cg_is_user(n)), ra, 0, rd);
	if (dt_type_is_signed(n->type) && n->bit_off == 0) {
		dt_cg_narrow(cg, rd, n->bit_size, true);
		return;
	}
	if (dt_type_is_signed(n->type)) {
		if (up)
			emit_with_constant(cg, DT_DIF_SLL, rd, up);
		if (n->bit_size < 64)
			emit_with_constant(cg, DT_DIF_SRA, rd, 64u - n->bit_size);
		return;
	}
	if (n->bit_off)
		emit_with_constant(cg, DT_DIF_SRL, rd, n->bit_off);
	if (n->bit_off + n->bit_size < size * 8u)
		emit_with_constant(cg, DT_DIF_AND, rd, low_bits(n->bit_size));
}

void dt_cg_load(struct dt_cg *cg, const struct dt_node *n, unsigned ra, unsigned rd)
{
	if (n->nflags & DT_NF_BITFIELD) {
		load_bits(cg, n, ra, rd);
		return;
	}
	unsigned op = load_op(scalar_size(n->type), dt_cg_width(n->type).is_signed, dt_cg_is_user(n));
	dt_cg_emit(cg, op, ra, 0, rd);
}

unsigned dt_cg_memory(struct dt_cg *cg, const struct dt_node *n)
{
	unsigned r = dt_cg_address(cg, n);

	dt_asm_at(cg->as, n->loc);
	if (!dt_cg_is_ref(n))
		dt_cg_load(cg, n, r, r);
	return r;
}

/* ---- stores ---- */

static unsigned store_op(unsigned size)
{
	return size == 1 ? DT_DIF_STB : size == 2 ? DT_DIF_STH : size == 4 ? DT_DIF_STW : DT_DIF_STX;
}

/* Reads the unit, replaces the field, writes the unit back: neighbours keep their bits. */
static void store_bits(struct dt_cg *cg, const struct dt_node *n, const struct dt_type *t, unsigned ra,
    unsigned rv)
{
	unsigned size = unit_size(cg, n, t), unit = dt_cg_alloc(cg), field = dt_cg_alloc(cg);
	uint64_t mask = low_bits(n->bit_size);

	dt_asm_setx(cg->as, mask, field);
	dt_cg_emit(cg, DT_DIF_AND, rv, field, field);
	if (n->bit_off)
		emit_with_constant(cg, DT_DIF_SLL, field, n->bit_off);
	dt_cg_emit(cg, load_op(size, false, false), ra, 0, unit);
	emit_with_constant(cg, DT_DIF_AND, unit, ~(mask << n->bit_off) & low_bits(size * 8));
	dt_cg_emit(cg, DT_DIF_OR, unit, field, unit);
	dt_cg_emit(cg, store_op(size), unit, 0, ra);
	dt_cg_free(cg, field);
	dt_cg_free(cg, unit);
}

static void copy_bytes(struct dt_cg *cg, uint64_t size, unsigned ra, unsigned rv)
{
	unsigned t = dt_cg_alloc(cg);

	dt_asm_setx(cg->as, size, t);
	dt_cg_emit(cg, DT_DIF_COPYS, rv, t, ra);
	dt_cg_free(cg, t);
}

/*
 * Copies the string at rv to the `limit` bytes at ra, cut if it is too long and always terminated. Only
 * the string's own length is read: it may end just before memory that cannot be read.
 */
static void copy_string(struct dt_cg *cg, uint64_t limit, unsigned ra, unsigned rv)
{
	unsigned len = dt_cg_alloc(cg), t = dt_cg_alloc(cg), fits = dt_asm_label(cg->as);

	dt_cg_emit(cg, DT_DIF_FLUSHTS, 0, 0, 0);
	dt_asm_setx(cg->as, cg->opts->strsize, len);
	dt_cg_emit(cg, DT_DIF_PUSHTR, DT_DT_STRING, len, rv);
	dt_asm_emit(cg->as, dt_dif_fmt16(DT_DIF_CALL, DT_SUBR_strlen, len));
	dt_asm_setx(cg->as, limit - 1, t);
	dt_cg_emit(cg, DT_DIF_CMP, len, t, 0);
	dt_asm_branch(cg->as, DT_DIF_BLEU, fits);
	dt_cg_emit(cg, DT_DIF_MOV, t, 0, len);
	dt_asm_place(cg->as, fits);
	dt_cg_emit(cg, DT_DIF_COPYS, rv, len, ra);
	dt_cg_emit(cg, DT_DIF_ADD, ra, len, t);
	dt_cg_emit(cg, DT_DIF_STB, 0, 0, t);
	dt_cg_free(cg, t);
	dt_cg_free(cg, len);
}

static bool is_text(const struct dt_type *t)
{
	return dt_type_is_string(t) || (dt_type_base(t)->kind == DT_T_ARRAY && dt_type_is_stringlike(t));
}

/* Copies a struct, array or string; a shorter source leaves the rest of the target alone. */
static void store_ref(struct dt_cg *cg, const struct dt_type *t, const struct dt_node *value, unsigned ra,
    unsigned rv)
{
	uint64_t size = dt_type_is_string(t) ? cg->opts->strsize : dt_type_size(cg->types, t), from = 0;

	if (dt_type_base(value->type)->kind == DT_T_ARRAY || dt_type_is_sou(value->type))
		from = dt_type_size(cg->types, value->type);
	if (size == 0)
		return;
	if (is_text(t) && from == 0 && dt_type_is_stringlike(value->type))
		copy_string(cg, size, ra, rv);
	else
		copy_bytes(cg, from && from < size ? from : size, ra, rv);
}

void dt_cg_store(struct dt_cg *cg, const struct dt_node *n, const struct dt_type *t,
    const struct dt_node *value, unsigned ra, unsigned rv)
{
	if (n->nflags & DT_NF_BITFIELD)
		store_bits(cg, n, t, ra, rv);
	else if (dt_type_is_byref(t))
		store_ref(cg, t, value, ra, rv);
	else
		dt_cg_emit(cg, store_op(scalar_size(t)), rv, 0, ra);
}

/* ---- a whole translated struct ---- */

/* Stores one member at its offset from the held base address. */
static void store_xmember(struct dt_cg *cg, const struct dt_node *m, struct dt_cg_held *base)
{
	const struct dt_type *t = m->type ? m->type : m->b->type;

	dt_cg_room(cg, base, 1, dt_cg_need(cg, m->b));
	unsigned rv = dt_cg_node(cg, m->b);
	dt_asm_at(cg->as, m->loc);
	unsigned rb = dt_cg_fetch(cg, base), ra = rb;
	if (m->moff) {
		ra = dt_cg_alloc(cg);
		dt_asm_setx(cg->as, m->moff, ra);
		dt_cg_emit(cg, DT_DIF_ADD, rb, ra, ra);
	}
	dt_cg_store(cg, m, t, m->b, ra, rv);
	if (ra != rb)
		dt_cg_free(cg, ra);
	dt_cg_unfetch(cg, base, rb);
	dt_cg_free(cg, rv);
}

unsigned dt_cg_xstruct(struct dt_cg *cg, const struct dt_node *n)
{
	const struct dt_type *t = dt_type_base(n->type);
	struct dt_cg_held base;
	unsigned r = dt_cg_alloc(cg);

	if (t->kind == DT_T_PTR)
		t = t->ref;
	dt_asm_setx(cg->as, dt_type_size(cg->types, t), r);
	dt_cg_emit(cg, DT_DIF_ALLOCS, r, 0, r);
	dt_cg_hold(&base, n, r);
	for (const struct dt_node *m = n->list; m; m = m->next)
		store_xmember(cg, m, &base);
	return dt_cg_unhold(cg, &base);
}
