/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variables of the program. Globals are at a fixed place of one map value, clause-locals in the slot, self->
 * scalars in task storage, whose address F_TLS holds. A variable by reference is its bytes and a word that
 * says whether it is null (for self->: whether it is there). Elements of associative arrays are entries of a
 * hash map, one map for each variable, keyed by the packed tuple.
 *
 * Storing 0 to an element of an array deletes it, as in every DTrace. When there is no memory for a variable
 * the store is dropped and counted (dynamic), and reads find 0.
 */
#include "bpf/build.h"

#define ARRAY_KEY 0x4000u		/* in the slot, after aggregation keys */
#define ARRAY_VALUE 0x8000u

static bool by_ref(const struct dt_difv *v) { return v->type.flags & (DT_DTF_REF | DT_DTF_USERREF); }
static bool is_user(const struct dt_difv *v) { return v->type.flags & DT_DTF_USERREF; }

/* ---- scalars: where they are ---- */

/*
 * R9 = a pointer to the variable: it survives calls of helpers, and r0 stays. A thread that has no self->
 * variables goes to `none`.
 */
static void point_at(struct dt_lower *l, const struct dt_bvar *v, uint32_t none)
{
	switch (v->v.scope) {
	case DT_DIFV_GLOBAL:
		dt_mapval(l->a, R9, dt_globals(l->b), v->off);
		break;
	case DT_DIFV_THREAD:
		dt_ldx(l->a, B8, R9, FP, F_TLS);
		dt_jmpi(l->a, BPF_JEQ, R9, 0, none);
		if (v->off)
			dt_alui(l->a, BPF_ADD, R9, (int32_t)v->off);
		break;
	default:
		dt_mov(l->a, R9, dt_slot_reg(l));
		dt_alui(l->a, BPF_ADD, R9, (int32_t)(l->locals_off + v->off));
		break;
	}
}

/*
 * The word after the data: 1 means null, for self-> it means present. Zeroed memory is thus "not null" and
 * "not there".
 */
static void load_flag(struct dt_lower *l, const struct dt_bvar *v, int dst)
{
	dt_mov(l->a, dst, R9);
	dt_alui(l->a, BPF_ADD, dst, (int32_t)dt_bvar_size(&v->v));
	dt_ldx(l->a, B8, dst, dst, 0);
}

static void store_flag(struct dt_lower *l, const struct dt_bvar *v, bool null)
{
	bool present = v->v.scope == DT_DIFV_THREAD;

	dt_mov(l->a, R1, R9);
	dt_alui(l->a, BPF_ADD, R1, (int32_t)dt_bvar_size(&v->v));
	dt_sti(l->a, B8, R1, 0, present ? !null : null);
}

void dt_lower_ldv(struct dt_lower *l, unsigned scope, uint32_t id, unsigned rd)
{
	const struct dt_bvar *v = dt_bvar_find(l, scope, id);
	uint32_t none = dt_label(l->a), done = dt_label(l->a);

	l->cached = 0;
	dt_imm(l->a, R0, 0);
	point_at(l, v, none);
	if (by_ref(&v->v)) {
		load_flag(l, v, R1);
		dt_jmpi(l->a, scope == DT_DIFV_THREAD ? BPF_JEQ : BPF_JNE, R1, 0, done);
		dt_mov(l->a, R0, R9);
		dt_scalar(l->a, R0);
	} else {
		dt_ldx(l->a, B8, R0, R9, 0);
	}
	dt_put(l->a, none);
	dt_put(l->a, done);
	dt_set(l, rd);
}

/*
 * Copies the bytes at the address in the DIF register to memory at R9. What is known only as text or as a
 * name is copied from there, without an address.
 */
static void copy_to_r9(struct dt_lower *l, const struct dt_difv *v, unsigned rs)
{
	struct dt_known k = rs && l->lazy[rs] ? l->reg[rs] : (struct dt_known){ .kind = V_NUM };

	if (k.kind == V_NUM || k.kind == V_CONST)
		dt_get(l, rs, R0);
	if (k.kind == V_CONST)
		k.kind = V_NUM;
	if (v->type.kind == DT_DT_STRING)
		dt_copy_string(l, k, R9, 0,
		    v->type.size + 1 < l->b->opts->strsize ? v->type.size + 1 : l->b->opts->strsize, false,
		    is_user(v));
	else
		dt_copy_bytes(l, R9, 0, v->type.size, is_user(v));
}

/* Texts and names have no address yet, and never are null. */
static bool never_null(const struct dt_lower *l, unsigned rs)
{
	return rs && l->lazy[rs] && l->reg[rs].kind != V_CONST;
}

static void store_ref(struct dt_lower *l, const struct dt_bvar *v, unsigned rs)
{
	uint32_t null = dt_label(l->a), done = dt_label(l->a);

	if (!never_null(l, rs)) {
		dt_get(l, rs, R1);
		dt_jmpi(l->a, BPF_JEQ, R1, 0, null);
	}
	copy_to_r9(l, &v->v, rs);
	store_flag(l, v, false);
	dt_ja(l->a, done);
	dt_put(l->a, null);
	if (!never_null(l, rs))
		store_flag(l, v, true);
	dt_put(l->a, done);
}

void dt_lower_stv(struct dt_lower *l, unsigned scope, uint32_t id, unsigned rs)
{
	const struct dt_bvar *v = dt_bvar_find(l, scope, id);
	uint32_t none = dt_label(l->a), done = dt_label(l->a);

	if (rs && !by_ref(&v->v))
		dt_settle(l, 1u << rs);
	if (by_ref(&v->v))		/* point_at() keeps r0, the copies do not */
		l->cached = 0;
	point_at(l, v, none);
	if (by_ref(&v->v)) {
		store_ref(l, v, rs);
	} else {
		dt_get(l, rs, R1);
		dt_stx(l->a, B8, R9, 0, R1);
	}
	if (scope != DT_DIFV_THREAD) {
		dt_put(l->a, none);
		dt_put(l->a, done);
		return;
	}
	dt_ja(l->a, done);
	dt_put(l->a, none);
	dt_drop(l, offsetof(struct dt_drops, dynamic));
	dt_put(l->a, done);
}

/* F_TLS = this thread's variables, or NULL: it has none, or there is no memory. */
void dt_tls_open(struct dt_lower *l, bool create)
{
	struct dt_emit *a = l->a;

	dt_help(l, BPF_FUNC_get_current_task_btf);
	dt_mov(a, R2, R0);
	dt_map(a, R1, dt_tls(l->b));
	dt_imm(a, R3, 0);
	dt_imm(a, R4, create ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	dt_help(l, BPF_FUNC_task_storage_get);
	dt_stx(a, B8, FP, F_TLS, R0);
}

/* Locals start as 0 in each firing: numbers and structs whole, strings empty. r6 is the slot. */
void dt_locals_zero(struct dt_lower *l)
{
	for (size_t i = 0; i < l->b->vars.n; i++) {
		const struct dt_bvar *v = &l->b->vars.v[i];
		int off = (int)(l->locals_off + v->off);

		if (!v->used || v->v.kind != DT_DIFV_SCALAR)
			continue;
		dt_mov(l->a, R9, R6);
		dt_alui(l->a, BPF_ADD, R9, off);
		if (!by_ref(&v->v)) {
			dt_sti(l->a, B8, R9, 0, 0);
		} else {
			dt_zero(l, R9, 0, v->v.type.kind == DT_DT_STRING ? 8 : dt_bvar_size(&v->v));
			store_flag(l, v, false);
		}
	}
}

/* ---- associative arrays ---- */

#define ELEMENT_MAX (1u << 20)		/* a kmalloc() of the kernel's has 4 MiB at most */
#define ENTRIES_MAX (1u << 26)		/* the kernel's table for as many has 1 GiB */

static uint32_t entry_size(const struct dt_tentry *t)
{
	return t->ref && t->limit ? (uint32_t)((t->limit + 7) & ~7ull) : 8;
}

/* Bytes after an element that copies may be made into (struct dt_build); strings are stored whole. */
static uint32_t element_tail(const struct dt_lower *l, const struct dt_bvar *v)
{
	return by_ref(&v->v) && v->v.type.kind != DT_DT_STRING ? l->b->tail : 0;
}

/*
 * The first use decides how the key is laid out; all uses have the same types. The key of a self-> array
 * begins with the thread, as the address of its task_struct: numbers change when a thread calls exec().
 */
static void plan_key(struct dt_lower *l, struct dt_bvar *v)
{
	uint64_t at = v->v.scope == DT_DIFV_THREAD ? 8 : 0, value;
	uint64_t entries;

	v->nkeys = l->ntuple;
	for (uint32_t i = 0; i < l->ntuple; i++) {
		v->keyoff[i] = (uint32_t)at;
		v->keylen[i] = entry_size(&l->tuple[i]);
		at += v->keylen[i];
	}
	if (at > 16384)
		REFUSE(l, "the keys of %s have %llu bytes; the kernel takes at most 16384", v->v.name,
		    (unsigned long long)at);
	v->keysize = at ? (uint32_t)at : 8;
	value = by_ref(&v->v) ? dt_bvar_size(&v->v) : 8;
	if (value > ELEMENT_MAX)
		REFUSE(l, "an element of %s has %llu bytes; the kernel takes at most %u", v->v.name,
		    (unsigned long long)value, ELEMENT_MAX);
	/* as the interpreter counts (src/interp/interp_var.c), so that both drop at the same element */
	entries = l->b->opts->dynvarsize / (64 + 16 + 8ull * l->ntuple + at + value);
	v->none = entries == 0;
	entries = entries < 1 ? 1 : entries > ENTRIES_MAX ? ENTRIES_MAX : entries;
	v->link = (uint32_t)value + element_tail(l, v);
	v->map = 1 + dt_build_map(l->b, DT_MAP_DYN, BPF_MAP_TYPE_HASH, v->keysize,
	    v->link + (dt_owned(v) ? 8 : 0), (uint32_t)entries, BPF_F_NO_PREALLOC);
	if (dt_owned(v))
		dt_owned_plan(l->b, v, (uint32_t)entries);
}

/* ---- stores to members of elements ---- */

static bool is_elem_op(uint32_t in, bool store, unsigned *scope, uint32_t *id)
{
	unsigned op = dt_dif_op(in);

	if (op != (store ? DT_DIF_STGAA : DT_DIF_LDGAA) && op != (store ? DT_DIF_STTAA : DT_DIF_LDTAA))
		return false;
	*scope = op == DT_DIF_STGAA || op == DT_DIF_LDGAA ? DT_DIFV_GLOBAL : DT_DIFV_THREAD;
	*id = dt_dif_v16(in);
	return true;
}

/*
 * An address in DIF is a number, and an element cannot be found again by it. So elements that are stored to
 * stay in the frame as pointers too (F_ELEM). The compiler loads such an element, makes it when it is not
 * there, and loads it again: a branch on the value jumps past a store to the same array. When such a piece
 * of code begins with the load at pc, this returns where it ends, else 0. bcopy() and copyinto() write to
 * elements without making them.
 */
static uint32_t lvalue_end(const struct dt_difo *d, uint32_t pc, bool copies)
{
	unsigned scope, s;
	uint32_t id, i, to;

	if (pc + 2 >= d->ntext || !is_elem_op(d->text[pc], false, &scope, &id) ||
	    dt_dif_op(d->text[pc + 1]) != DT_DIF_TST || dt_dif_op(d->text[pc + 2]) != DT_DIF_BNE)
		return 0;
	to = dt_dif_label(d->text[pc + 2]);
	for (uint32_t k = pc; k < to && k < d->ntext; k++) {
		if (is_elem_op(d->text[k], true, &s, &i) && s == scope && i == id)
			return to;
	}
	return copies ? to : 0;
}

static bool has_copies(const struct dt_difo *d)
{
	for (uint32_t pc = 0; pc < d->ntext; pc++) {
		if (dt_dif_op(d->text[pc]) == DT_DIF_CALL && dt_dif_copies(d->text[pc]))
			return true;
	}
	return false;
}

/*
 * Gives each such element of the DIFO a word of the frame, and notes for each load which word it fills. The
 * words begin as NULL: an element that the path did not load cannot be stored to.
 */
void dt_elems_start(struct dt_lower *l)
{
	const struct dt_difo *d = l->difo;
	bool copies = has_copies(d);
	int n = 0;

	memset(l->elem, 0, sizeof(l->elem));
	l->elem_at = NULL;
	for (uint32_t pc = 0; pc < d->ntext; pc++) {
		uint32_t to = lvalue_end(d, pc, copies), id, i;
		const struct dt_bvar *v;
		unsigned scope, s;

		if (!to || (l->elem_at && l->elem_at[pc]))
			continue;
		is_elem_op(d->text[pc], false, &scope, &id);
		v = dt_bvar_find(l, scope, id);
		if (!by_ref(&v->v) || v->v.type.kind == DT_DT_STRING)
			continue;
		if (n == DT_NELEMS)
			REFUSE(l,
			    "one expression stores to members of more than %d elements of arrays; write "
			    "several",
			    DT_NELEMS);
		l->elem[n] = v;
		dt_sti(l->a, B8, FP, dt_frame_elem((unsigned)n++), 0);
		if (!l->elem_at)
			l->elem_at = DT_NEWN(l->b->arena, uint8_t, d->ntext);
		for (uint32_t k = pc; k < to && k < d->ntext; k++) {
			if (is_elem_op(d->text[k], false, &s, &i) && s == scope && i == id)
				l->elem_at[k] = (uint8_t)n;
		}
	}
}

/* A later use may have shorter strings than the first, never longer ones: the map's keys have one size. */
static void check_key(struct dt_lower *l, struct dt_bvar *v)
{
	bool same = v->nkeys == l->ntuple;

	dt_tuple_check(l);
	if (!v->map) {
		plan_key(l, v);
		return;
	}
	for (uint32_t i = 0; same && i < l->ntuple; i++)
		same = v->keylen[i] >= entry_size(&l->tuple[i]);
	if (!same)
		REFUSE(l, "%s is used with keys of different sizes", v->v.name);
}

/* All bytes of a key count, so each entry is filled up with zeros. */
static void key_entry(struct dt_lower *l, const struct dt_bvar *v, uint32_t i, int base, int off)
{
	const struct dt_tentry *t = &l->tuple[i];

	if (t->known.kind == V_NUM)
		dt_ldx(l->a, B8, R0, FP, dt_frame_tuple(i));
	if (t->string) {
		dt_copy_string(l, t->known, base, off, (uint32_t)t->limit, true, false);
	} else {
		dt_known_address(l, t->known);
		if (t->ref && t->limit) {
			dt_copy_bytes(l, base, off, (uint32_t)t->limit, false);
		} else {
			dt_mov(l->a, R1, base);
			dt_alui(l->a, BPF_ADD, R1, off);
			dt_stx(l->a, B8, R1, 0, R0);
		}
	}
	if (t->ref && t->limit && v->keylen[i] > t->limit)
		dt_zero(l, base, off + (int)t->limit, v->keylen[i] - (uint32_t)t->limit);
}

/* Makes the key, in the frame or in the slot, and says where. */
static void key_make(struct dt_lower *l, const struct dt_bvar *v, int *base, int *off)
{
	bool small = v->keysize <= 72;

	*base = small ? FP : dt_slot_reg(l);
	*off = small ? F_CMP : (int)(l->b->slot_key + ARRAY_KEY);
	if (!small && l->b->keymax < ARRAY_KEY + v->keysize)
		l->b->keymax = ARRAY_KEY + v->keysize;
	if (!l->ntuple && v->v.scope != DT_DIFV_THREAD)
		dt_zero(l, *base, *off, 8);
	if (v->v.scope == DT_DIFV_THREAD) {
		if (l->a->task != NULL)
			REFUSE(l, "self->%s[ ] belongs to the thread that runs, which at wall-n is not the "
			    "one the probe fires for: use an array with the key tid", v->v.name);
		dt_help(l, BPF_FUNC_get_current_task);
		dt_mov(l->a, R1, *base);
		dt_alui(l->a, BPF_ADD, R1, *off);
		dt_stx(l->a, B8, R1, 0, R0);
	}
	for (uint32_t i = 0; i < l->ntuple; i++)
		key_entry(l, v, i, *base, *off + (int)v->keyoff[i]);
}

/* r1 the map and r2 the key, for a helper. */
static void key_args(struct dt_lower *l, const struct dt_bvar *v, int base, int off)
{
	dt_map(l->a, R1, v->map - 1);
	dt_mov(l->a, R2, base);
	dt_alui(l->a, BPF_ADD, R2, off);
}

void dt_lower_ldaa(struct dt_lower *l, unsigned scope, uint32_t id, unsigned rd)
{
	struct dt_bvar *v = dt_bvar_find(l, scope, id);
	uint32_t done = dt_label(l->a);
	int base, off;

	check_key(l, v);
	key_make(l, v, &base, &off);
	key_args(l, v, base, off);
	dt_help(l, BPF_FUNC_map_lookup_elem);
	dt_mov(l->a, R1, R0);
	dt_imm(l->a, R0, 0);
	dt_jmpi(l->a, BPF_JEQ, R1, 0, done);
	if (by_ref(&v->v)) {
		if (l->elem_at && l->elem_at[l->pc])
			dt_stx(l->a, B8, FP, dt_frame_elem(l->elem_at[l->pc] - 1u), R1);
		dt_mov(l->a, R0, R1);
		dt_scalar(l->a, R0);
	} else {
		dt_ldx(l->a, B8, R0, R1, 0);
	}
	dt_put(l->a, done);
	dt_set(l, rd);
}

/*
 * Makes the new value where the map's helper can read it: a number in F_T1, bytes in the slot at R9. Behind
 * it there is room for the number of an element that a thread owns.
 */
static void value_make(struct dt_lower *l, const struct dt_bvar *v, unsigned rs)
{
	uint32_t at = l->b->slot_key + ARRAY_VALUE;

	if (!by_ref(&v->v)) {
		dt_get(l, rs, R1);
		dt_stx(l->a, B8, FP, F_T1, R1);
		return;
	}
	if (l->b->keymax < ARRAY_VALUE + v->link + 8)
		l->b->keymax = ARRAY_VALUE + v->link + 8;
	dt_mov(l->a, R9, dt_slot_reg(l));
	dt_alui(l->a, BPF_ADD, R9, (int32_t)at);
	copy_to_r9(l, &v->v, rs);
}

/* The number in F_T1 goes where the element has its own, if it is there. */
static void store_in_place(struct dt_lower *l, const struct dt_bvar *v, int base, int off, uint32_t done)
{
	uint32_t make = dt_label(l->a);

	key_args(l, v, base, off);
	dt_help(l, BPF_FUNC_map_lookup_elem);
	dt_jmpi(l->a, BPF_JEQ, R0, 0, make);
	dt_ldx(l->a, B8, R1, FP, F_T1);
	dt_stx(l->a, B8, R0, 0, R1);
	dt_ja(l->a, done);
	dt_put(l->a, make);
}

/*
 * An update either replaces the value or makes the element; it fails when the map is full. A thread that
 * there is no memory for has no elements.
 */
static void element_store(struct dt_lower *l, const struct dt_bvar *v, int base, int off, uint32_t done)
{
	uint32_t none = dt_label(l->a);

	if (v->none)
		return;
	if (dt_owned(v)) {
		dt_ldx(l->a, B8, R2, FP, F_TLS);
		dt_jmpi(l->a, BPF_JEQ, R2, 0, none);
		dt_mov(l->a, R1, base);
		dt_alui(l->a, BPF_ADD, R1, off);
	} else {
		if (v->kept)
			store_in_place(l, v, base, off, done);
		key_args(l, v, base, off);
	}
	if (by_ref(&v->v))
		dt_mov(l->a, R3, R9);
	else
		dt_fpaddr(l->a, R3, F_T1);
	if (dt_owned(v)) {
		dt_owned_store(l, v);
	} else {
		dt_imm(l->a, R4, BPF_ANY);
		dt_help(l, BPF_FUNC_map_update_elem);
	}
	dt_jmpi(l->a, BPF_JEQ, R0, 0, done);
	dt_put(l->a, none);
}

static void element_delete(struct dt_lower *l, const struct dt_bvar *v, int base, int off, uint32_t done)
{
	if (!dt_owned(v)) {
		key_args(l, v, base, off);
		dt_help(l, BPF_FUNC_map_delete_elem);
		return;
	}
	dt_ldx(l->a, B8, R2, FP, F_TLS);
	dt_jmpi(l->a, BPF_JEQ, R2, 0, done);
	dt_mov(l->a, R1, base);
	dt_alui(l->a, BPF_ADD, R1, off);
	dt_owned_delete(l, v);
}

void dt_lower_staa(struct dt_lower *l, unsigned scope, uint32_t id, unsigned rs)
{
	struct dt_bvar *v = dt_bvar_find(l, scope, id);
	struct dt_emit *a = l->a;
	uint32_t zero = dt_label(a), done = dt_label(a);
	bool maybe_zero = !never_null(l, rs);
	int base, off;

	check_key(l, v);
	if (rs && maybe_zero)
		dt_settle(l, 1u << rs);
	key_make(l, v, &base, &off);
	if (maybe_zero && !v->kept) {
		dt_get(l, rs, R1);
		dt_jmpi(a, BPF_JEQ, R1, 0, zero);
	}
	value_make(l, v, rs);
	element_store(l, v, base, off, done);
	dt_drop(l, offsetof(struct dt_drops, dynamic));
	if (maybe_zero && !v->kept) {
		dt_ja(a, done);
		dt_put(a, zero);
		element_delete(l, v, base, off, done);
	} else {
		dt_put(a, zero);
	}
	dt_put(a, done);
	l->cached = 0;
}
