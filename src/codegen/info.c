/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Facts about typed trees that decide how code is generated: registers needed, side effects, exactness.
 * The facts of a node are computed once from those of its operands and kept in a table, so asking again
 * on the way down a deep tree costs nothing.
 */
#include "codegen/impl.h"

static unsigned max(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static unsigned min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* ---- questions about one node ---- */

struct dt_cg_width dt_cg_width(const struct dt_type *t)
{
	struct dt_cg_width w = { .bits = 64 };

	if (t && dt_type_is_integer(t)) {
		const struct dt_type *b = dt_type_base(t);
		w.is_signed = dt_type_is_signed(b);
		if (b->size >= 1 && b->size < 8)
			w.bits = (uint8_t)(b->size * 8);
		else if (b->kind == DT_T_ENUM && b->size == 0)
			w.bits = 32;
		w.is_bool = b->kind == DT_T_INT && b->is_bool;
	}
	return w;
}

bool dt_cg_fits(struct dt_cg_width from, struct dt_cg_width to)
{
	if (to.is_bool)
		return from.is_bool;
	if (to.bits == 64)
		return true;	/* sign extension is also the conversion to unsigned 64 bits */
	if (from.is_signed == to.is_signed)
		return from.bits <= to.bits;
	return to.is_signed && from.bits < to.bits;
}

struct dt_cg_width dt_cg_operand_width(const struct dt_node *n)
{
	struct dt_cg_width w = dt_cg_width(n->type);

	if (w.is_bool || (w.bits == 32 && dt_type_base(n->type)->kind == DT_T_ENUM))
		return (struct dt_cg_width){ .bits = 32, .is_signed = true };
	return w;
}

bool dt_cg_is_const(const struct dt_node *n)
{
	return n->kind == DT_N_INT || n->kind == DT_N_STR;
}

bool dt_cg_is_truth(const struct dt_node *n)
{
	return (n->kind == DT_N_BINARY && n->op >= DT_OP_EQ && n->op <= DT_OP_LXOR) ||
	    (n->kind == DT_N_UNARY && n->op == DT_OP_NOT);
}

bool dt_cg_is_ref(const struct dt_node *n)
{
	if (n->nflags & DT_NF_BITFIELD)
		return false;
	return n->nflags & DT_NF_REF || (n->type && dt_type_is_byref(n->type));
}

bool dt_cg_is_memory(const struct dt_node *n)
{
	return n->kind == DT_N_SYM || n->kind == DT_N_MEMBER ||
	    (n->kind == DT_N_UNARY && n->op == DT_OP_DEREF);
}

/* Either the node or its type may mark the address as the user's. */
static bool points_to_user(const struct dt_node *n)
{
	return n->nflags & DT_NF_USER || (n->type && dt_type_is_user(n->type));
}

/* The address decides, not the object: a kernel struct may contain a user pointer. */
bool dt_cg_is_user(const struct dt_node *n)
{
	while (n->kind == DT_N_MEMBER && !n->arrow && n->a)
		n = n->a;
	switch (n->kind) {
	case DT_N_SYM:
	case DT_N_IDENT:	/* a variable holds its own copy */
	case DT_N_VAR:
	case DT_N_INDEX:
	case DT_N_XSTRUCT:
		return false;
	case DT_N_MEMBER:
	case DT_N_UNARY:
		return dt_cg_is_memory(n) && n->a && points_to_user(n->a);
	default:
		return dt_cg_is_ref(n) && points_to_user(n);
	}
}

uint64_t dt_cg_elem_size(struct dt_cg *cg, const struct dt_type *t)
{
	const struct dt_type *b = dt_type_base(t);
	uint64_t size = 0;

	if (b->kind == DT_T_PTR || b->kind == DT_T_ARRAY)
		size = dt_type_size(cg->types, b->ref);
	return size ? size : 1;
}

/* ---- the table: open addressing, at most half full ---- */

static struct dt_cg_info compute_info(struct dt_cg *, const struct dt_node *);
static bool is_exact(struct dt_cg *, const struct dt_node *);

static uint32_t slot_of(const struct dt_cg *cg, const struct dt_node *n)
{
	uint64_t h = (uint64_t)(uintptr_t)n * 0x9e3779b97f4a7c15u;
	uint32_t i = (uint32_t)(h >> 32) & (cg->capinfo - 1);

	while (cg->info[i].node && cg->info[i].node != n)
		i = (i + 1) & (cg->capinfo - 1);
	return i;
}

static void grow_table(struct dt_cg *cg)
{
	struct dt_cg_info *old = cg->info;
	uint32_t n = cg->capinfo;

	cg->capinfo = n ? n * 2 : 64;
	cg->info = DT_NEWN(cg->opts->tmp != NULL ? cg->opts->tmp : cg->opts->arena, struct dt_cg_info,
	    cg->capinfo);
	for (uint32_t i = 0; i < n; i++) {
		if (old[i].node)
			cg->info[slot_of(cg, old[i].node)] = old[i];
	}
}

static struct dt_cg_info info_of(struct dt_cg *cg, const struct dt_node *n)
{
	if (cg->capinfo) {
		struct dt_cg_info *known = &cg->info[slot_of(cg, n)];
		if (known->node)
			return *known;
	}
	struct dt_cg_info in = compute_info(cg, n);
	in.node = n;
	in.exact = is_exact(cg, n);
	if (cg->ninfo * 2 >= cg->capinfo)
		grow_table(cg);
	cg->info[slot_of(cg, n)] = in;
	cg->ninfo++;
	return in;
}

unsigned dt_cg_need(struct dt_cg *cg, const struct dt_node *n)
{
	return info_of(cg, n).need;
}

bool dt_cg_effects(struct dt_cg *cg, const struct dt_node *n)
{
	return info_of(cg, n).effects;
}

bool dt_cg_exact(struct dt_cg *cg, const struct dt_node *n)
{
	return info_of(cg, n).exact;
}

/* ---- what each kind needs; the numbers must match the functions that emit code ---- */

/* Registers for a list whose values are all held until the end; *n becomes its length. */
static unsigned list_need(struct dt_cg *cg, const struct dt_node *list, unsigned *n)
{
	unsigned need = 1;

	*n = 0;
	for (const struct dt_node *k = list; k; k = k->next) {
		need = max(need, *n + max(dt_cg_need(cg, k), 1));
		++*n;
	}
	return *n ? max(need, *n + 1) : need;
}

static bool list_effects(struct dt_cg *cg, const struct dt_node *list)
{
	for (; list; list = list->next) {
		if (dt_cg_effects(cg, list))
			return true;
	}
	return false;
}

/*
 * A place that is read and written: the registers it takes to find it, and in *keeps how many it holds.
 */
static unsigned place_need(struct dt_cg *cg, const struct dt_node *n, unsigned *keeps)
{
	if (n->kind == DT_N_INDEX)
		return list_need(cg, n->list, keeps);
	*keeps = dt_cg_is_memory(n);
	return *keeps && n->a ? max(dt_cg_need(cg, n->a), 2) : 1;
}

static struct dt_cg_info assign_info(struct dt_cg *cg, const struct dt_node *n)
{
	unsigned keeps = 0, nb = dt_cg_need(cg, n->b), place = place_need(cg, n->a, &keeps);
	struct dt_cg_info in = { .effects = true };

	/* 4: the value, the loaded unit or length, and two more in stores of bit-fields and strings */
	unsigned need = n->op == DT_OP_NONE ? max(nb, 1 + place) : max(place, keeps + 1 + nb);
	/* 100: fits a byte, and is far more than DIF has */
	in.need = (uint8_t)min(max(need, keeps + 4), 100);
	return in;
}

static struct dt_cg_info incdec_info(struct dt_cg *cg, const struct dt_node *n)
{
	unsigned keeps = 0, place = place_need(cg, n->a, &keeps);

	/* the old and the new value, and the three of a bit-field store */
	return (struct dt_cg_info){ .need = (uint8_t)min(max(place, keeps + 5), 100), .effects = true };
}

static struct dt_cg_info binary_info(struct dt_cg *cg, const struct dt_node *n)
{
	unsigned na = dt_cg_need(cg, n->a), nb = dt_cg_need(cg, n->b), need;
	struct dt_cg_info in = { 0 };

	in.effects = dt_cg_effects(cg, n->a) || dt_cg_effects(cg, n->b);
	need = max(na, 1 + nb);
	/* Without side effects the operands may be swapped. */
	if (!in.effects)
		need = min(need, max(nb, 1 + na));
	if (dt_type_is_pointer(n->type) || dt_type_is_pointer(n->a->type))
		need = max(need, 3);	/* a constant to scale with */
	if (n->op == DT_OP_LAND || n->op == DT_OP_LOR)
		need = max(max(na, nb), 2);
	in.need = (uint8_t)min(need, 100);
	return in;
}

static struct dt_cg_info unary_info(struct dt_cg *cg, const struct dt_node *n)
{
	struct dt_cg_info in = { 0 };

	if (n->op >= DT_OP_PREINC && n->op <= DT_OP_POSTDEC)
		return incdec_info(cg, n);
	in.need = (uint8_t)max(dt_cg_need(cg, n->a), n->op == DT_OP_BITNOT ? 1 : 2);
	in.effects = dt_cg_effects(cg, n->a);
	return in;
}

static struct dt_cg_info xstruct_info(struct dt_cg *cg, const struct dt_node *n)
{
	unsigned need = 6;	/* the address of the struct, of a member, and the 4 of a store */
	struct dt_cg_info in = { .effects = true };

	for (const struct dt_node *m = n->list; m; m = m->next)
		need = max(need, 1 + dt_cg_need(cg, m->b));
	in.need = (uint8_t)min(need, 100);
	return in;
}

/* Nodes whose operands are evaluated one after the other, with none held. */
static struct dt_cg_info plain_info(struct dt_cg *cg, const struct dt_node *n, unsigned least)
{
	const struct dt_node *sub[] = { n->a, n->b, n->c };
	struct dt_cg_info in = { .need = (uint8_t)least };

	for (unsigned i = 0; i < 3; i++) {
		if (!sub[i])
			continue;
		in.need = (uint8_t)max(in.need, dt_cg_need(cg, sub[i]));
		in.effects |= dt_cg_effects(cg, sub[i]);
	}
	return in;
}

static struct dt_cg_info tuple_info(struct dt_cg *cg, const struct dt_node *n)
{
	unsigned count;
	struct dt_cg_info in = { 0 };

	in.need = (uint8_t)min(max(list_need(cg, n->list, &count), dt_cg_may_lack(n) ? 4 : 2), 100);
	in.effects = n->kind == DT_N_CALL || list_effects(cg, n->list);
	return in;
}

static struct dt_cg_info compute_info(struct dt_cg *cg, const struct dt_node *n)
{
	switch (n->kind) {
	case DT_N_INDEX:
	case DT_N_CALL:
		return tuple_info(cg, n);
	case DT_N_UNARY:
		return unary_info(cg, n);
	case DT_N_BINARY:
		return binary_info(cg, n);
	case DT_N_ASSIGN:
		return assign_info(cg, n);
	case DT_N_XSTRUCT:
		return xstruct_info(cg, n);
	case DT_N_MEMBER:
	case DT_N_COND:
	case DT_N_CAST:
	case DT_N_STRINGOF:
		return plain_info(cg, n, 2);
	default:
		return plain_info(cg, n, dt_cg_may_lack(n) ? 2 : 1);
	}
}

/* ---- exactness ---- */

/* Is the value of n surely a value of width w? */
static bool fits_as(struct dt_cg *cg, const struct dt_node *n, struct dt_cg_width w)
{
	return dt_cg_exact(cg, n) && dt_cg_fits(dt_cg_width(n->type), w);
}

static bool const_exact(uint64_t v, struct dt_cg_width w)
{
	uint64_t upper = v >> (w.bits - 1), ones = UINT64_MAX >> (w.bits - 1);

	return w.is_signed ? upper == 0 || upper == ones : v >> w.bits == 0;
}

static bool binary_exact(struct dt_cg *cg, const struct dt_node *n, struct dt_cg_width w)
{
	switch (n->op) {
	case DT_OP_AND:
	case DT_OP_OR:
	case DT_OP_XOR:
		return fits_as(cg, n->a, w) && fits_as(cg, n->b, w);
	case DT_OP_SHR:
		return fits_as(cg, n->a, w);
	default:
		return false;
	}
}

static bool cast_exact(struct dt_cg *cg, const struct dt_node *n, struct dt_cg_width w)
{
	if (!(n->nflags & DT_NF_WHOLE))
		return true;
	return fits_as(cg, n->a, w) || ((n->a->nflags & DT_NF_BITFIELD) && n->a->bit_size < w.bits);
}

/* Variables are never exact, since they keep all 64 bits assigned to them; built-ins always are. */
static bool is_exact(struct dt_cg *cg, const struct dt_node *n)
{
	struct dt_cg_width w = dt_cg_width(n->type);

	if (w.bits == 64 || w.is_bool || dt_cg_is_truth(n))
		return true;
	switch (n->kind) {
	case DT_N_INT:
		return const_exact(n->value, w);
	case DT_N_IDENT:
	case DT_N_VAR:
	case DT_N_INDEX:
		return n->ident && n->ident->row;
	case DT_N_UNARY:
		return n->op == DT_OP_DEREF || (n->op == DT_OP_PLUS && fits_as(cg, n->a, w));
	case DT_N_BINARY:
		return binary_exact(cg, n, w);
	case DT_N_ASSIGN:
		return n->op == DT_OP_NONE && fits_as(cg, n->b, w);
	case DT_N_COND:
		return fits_as(cg, n->b, w) && fits_as(cg, n->c, w);
	case DT_N_COMMA:
		return dt_cg_exact(cg, n->b);
	case DT_N_CAST:
		return cast_exact(cg, n, w);
	default:
		return true;
	}
}
