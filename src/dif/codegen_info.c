/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Facts about typed trees that the code generator decides by: registers needed, effects, exactness. Each node's facts
 * are computed once, from those of its operands, and kept in a table: asking again on the way down a deep tree is free.
 */
#include "dif/codegen_impl.h"

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
		return true;	/* sign extension is the conversion to unsigned 64 bits too */
	if (from.is_signed == to.is_signed)
		return from.bits <= to.bits;
	return to.is_signed && from.bits < to.bits;
}

/* The wider one, the unsigned one of equal width (d-language.md: rank = width + unsigned); enums count as int. */
/* A bit-field that fits an int is one, whatever it was declared as. */
static struct dt_cg_width promoted_width(const struct dt_node *n)
{
	if ((n->nflags & DT_NF_BITFIELD) && n->bit_size < 32)
		return (struct dt_cg_width){ .bits = 32, .is_signed = true };
	return dt_cg_width(n->type);
}

struct dt_cg_width dt_cg_common(const struct dt_node *a, const struct dt_node *b)
{
	struct dt_cg_width wa = promoted_width(a), wb = promoted_width(b);
	struct dt_cg_width w = wa.bits + !wa.is_signed >= wb.bits + !wb.is_signed ? wa : wb;

	w.is_bool = false;
	return w;
}

uint64_t dt_cg_canon(uint64_t v, struct dt_cg_width w)
{
	if (w.is_bool)
		return v != 0;
	if (w.bits == 0 || w.bits >= 64)
		return v;
	uint64_t mask = ((uint64_t)1 << w.bits) - 1;
	if (w.is_signed && v >> (w.bits - 1) & 1)
		return v | ~mask;
	return v & mask;
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
	return n->kind == DT_N_SYM || n->kind == DT_N_MEMBER || (n->kind == DT_N_UNARY && n->op == DT_OP_DEREF);
}

static bool points_to_user(const struct dt_node *n)
{
	return n->nflags & DT_NF_USER || (n->type && dt_type_is_user(n->type));
}

/* The address decides, not the object: a kernel struct may hold a user pointer. */
bool dt_cg_is_user(const struct dt_node *n)
{
	while (n->kind == DT_N_MEMBER && !n->arrow && n->a)
		n = n->a;
	switch (n->kind) {
	case DT_N_SYM:
	case DT_N_IDENT:	/* a variable holds a copy of its own */
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

/* ---- the table ---- */

static struct dt_cg_info compute(struct dt_cg *, const struct dt_node *);

static uint32_t slot_of(const struct dt_cg *cg, const struct dt_node *n)
{
	uint64_t h = (uint64_t)(uintptr_t)n * 0x9e3779b97f4a7c15u;
	uint32_t i = (uint32_t)(h >> 32) & (cg->capinfo - 1);

	while (cg->info[i].node && cg->info[i].node != n)
		i = (i + 1) & (cg->capinfo - 1);
	return i;
}

static void grow(struct dt_cg *cg)
{
	struct dt_cg_info *old = cg->info;
	uint32_t n = cg->capinfo;

	cg->capinfo = n ? n * 2 : 64;
	cg->info = DT_NEWN(cg->opts->tmp != NULL ? cg->opts->tmp : cg->opts->arena, struct dt_cg_info, cg->capinfo);
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
	struct dt_cg_info in = compute(cg, n);
	in.node = n;
	if (cg->ninfo * 2 >= cg->capinfo)
		grow(cg);
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

/* ---- what each kind needs; the numbers follow the emitting functions ---- */

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

/* A place that is read and written: what it takes to find it, and how many registers it then keeps. */
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
	struct dt_cg_info in = { .effects = true, .exact = true };

	/* 4: value, loaded unit or length, two more in bit-field and string stores */
	unsigned need = n->op == DT_OP_NONE ? max(nb, 1 + place) : max(place, keeps + 1 + nb);
	in.need = (uint8_t)min(max(need, keeps + 4), 100);
	return in;
}

static struct dt_cg_info incdec_info(struct dt_cg *cg, const struct dt_node *n)
{
	unsigned keeps = 0, place = place_need(cg, n->a, &keeps);

	/* old and new value, and a bit-field store's three */
	return (struct dt_cg_info){ .need = (uint8_t)min(max(place, keeps + 5), 100), .effects = true, .exact = true };
}

/* Sums and products of narrow types may have anything in their upper bits; what is masked or halved may not. */
static bool binary_exact(struct dt_cg *cg, const struct dt_node *n)
{
	struct dt_cg_width w = dt_cg_width(n->type);

	if (w.bits == 64 || dt_cg_is_truth(n))
		return true;
	switch (n->op) {
	case DT_OP_AND:
	case DT_OP_OR:
	case DT_OP_XOR:
		return dt_cg_exact(cg, n->a) && dt_cg_exact(cg, n->b) && dt_cg_fits(dt_cg_width(n->a->type), w) &&
		    dt_cg_fits(dt_cg_width(n->b->type), w);
	case DT_OP_DIV:		/* only the lowest value divided by -1 leaves the range */
		return !w.is_signed || (n->b->kind == DT_N_INT && n->b->value != (uint64_t)-1);
	case DT_OP_MOD:
	case DT_OP_SHR:
		return true;
	default:
		return false;
	}
}

static struct dt_cg_info binary_info(struct dt_cg *cg, const struct dt_node *n)
{
	unsigned na = dt_cg_need(cg, n->a), nb = dt_cg_need(cg, n->b), need;
	struct dt_cg_info in = { .exact = binary_exact(cg, n) };
	struct dt_cg_width wa, wb;

	dt_cg_operand_widths(n, n->op, n->a, n->b, &wa, &wb);
	in.effects = dt_cg_effects(cg, n->a) || dt_cg_effects(cg, n->b);
	need = max(na, 1 + nb);
	if (!in.effects)
		need = min(need, max(nb, 1 + na));
	if (wa.bits || wb.bits || n->op == DT_OP_LXOR || dt_type_is_pointer(n->type) || dt_type_is_pointer(n->a->type))
		need = max(need, 3);	/* a constant to narrow or scale with */
	if (n->op == DT_OP_LAND || n->op == DT_OP_LOR)
		need = max(max(na, nb), 2);
	in.need = (uint8_t)min(need, 100);
	return in;
}

static struct dt_cg_info unary_info(struct dt_cg *cg, const struct dt_node *n)
{
	struct dt_cg_info in = { .exact = true };

	if (n->op >= DT_OP_PREINC && n->op <= DT_OP_POSTDEC)
		return incdec_info(cg, n);
	in.need = (uint8_t)max(dt_cg_need(cg, n->a), n->op == DT_OP_BITNOT ? 1 : 2);
	in.effects = dt_cg_effects(cg, n->a);
	if (n->op == DT_OP_NEG || n->op == DT_OP_BITNOT)
		in.exact = dt_cg_width(n->type).bits == 64;
	return in;
}

static struct dt_cg_info xstruct_info(struct dt_cg *cg, const struct dt_node *n)
{
	unsigned need = 6;	/* the struct's address, a member's, and a store's 4 */
	struct dt_cg_info in = { .effects = true, .exact = true };

	for (const struct dt_node *m = n->list; m; m = m->next)
		need = max(need, 1 + dt_cg_need(cg, m->b));
	in.need = (uint8_t)min(need, 100);
	return in;
}

/* Nodes whose operands are evaluated one after the other, none held. */
static struct dt_cg_info plain_info(struct dt_cg *cg, const struct dt_node *n, unsigned least)
{
	const struct dt_node *sub[] = { n->a, n->b, n->c };
	struct dt_cg_info in = { .need = (uint8_t)least, .exact = true };

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
	struct dt_cg_info in = { .exact = true };

	in.need = (uint8_t)min(max(list_need(cg, n->list, &count), dt_cg_may_lack(n) ? 4 : 2), 100);
	in.effects = n->kind == DT_N_CALL || list_effects(cg, n->list);
	return in;
}

static struct dt_cg_info comma_info(struct dt_cg *cg, const struct dt_node *n)
{
	struct dt_cg_info in = plain_info(cg, n, 1);

	in.exact = dt_cg_exact(cg, n->b);
	return in;
}

static struct dt_cg_info compute(struct dt_cg *cg, const struct dt_node *n)
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
	case DT_N_COMMA:
		return comma_info(cg, n);
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
