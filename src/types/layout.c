/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Members come in, offsets go out: the layout that gcc and clang produce on LP64 little endian (System
 * V for x86-64, AAPCS64). A bit-field follows the one before unless it would cross a boundary of its
 * own type. An unnamed one only takes space and is not kept as a member. An unnamed member with an
 * integer type and bit_size 0 is C's `: 0`.
 */
#include "types/table.h"

#include "machine/machine.h"

#include <errno.h>

static const uint64_t max_bits = UINT64_MAX / 2;	/* sums of two sizes cannot overflow */

struct layout {
	bool is_union;
	uint64_t at;			/* bits used; union: of the largest */
	uint32_t align;			/* bytes */
};

/* Both spellings of "no name" occur. */
static bool is_unnamed(const struct dt_member *m)
{
	return !m->name || !*m->name;
}

/* A filler takes space but is no member. */
static bool is_filler(const struct dt_member *m)
{
	return is_unnamed(m) && (m->bit_size || dt_type_is_integer(m->type));
}

/* Rounds *bits up to a multiple of unit; nothing may pass max_bits. */
static int round_up(uint64_t *bits, uint64_t unit)
{
	uint64_t over = unit ? *bits % unit : 0;

	if (over && __builtin_add_overflow(*bits, unit - over, bits))
		return -EOVERFLOW;
	return *bits > max_bits ? -EOVERFLOW : 0;
}

/* Records that bits are in use, from start; in a union only the largest counts. */
static int use_bits(struct layout *l, uint64_t start, uint64_t bits)
{
	uint64_t end;

	if (__builtin_add_overflow(start, bits, &end) || end > max_bits)
		return -EOVERFLOW;
	if (!l->is_union || end > l->at)
		l->at = end;
	return 0;
}

/*
 * A bit-field goes right after the one before, unless it would then cross a boundary of its type.
 * Width 0 moves on to the next boundary. Whether an unnamed one counts for the alignment of the struct
 * differs between machines.
 */
static int place_bits(struct layout *l, struct dt_member *m, uint64_t size, uint32_t align)
{
	uint64_t at = l->is_union ? 0 : l->at, unit = size * 8;
	int err = 0;

	if (!m->bit_size || (unit && at / unit != (at + m->bit_size - 1) / unit))
		err = round_up(&at, (uint64_t)align * 8);
	if (err)
		return err;
	m->bit_off = at;
	if ((!is_unnamed(m) || dt_machine_here()->unnamed_bitfields_align) && align > l->align)
		l->align = align;
	return use_bits(l, at, m->bit_size);
}

/* In a union every member is at 0, and the largest gives the size. */
static int place_member(struct dt_types *ts, struct layout *l, struct dt_member *m)
{
	uint64_t size = dt_type_size(ts, m->type), bits, at = l->is_union ? 0 : l->at;
	uint32_t align = dt_type_align(ts, m->type);

	if (m->bit_size || is_filler(m))
		return place_bits(l, m, size, align);
	if (__builtin_mul_overflow(size, 8, &bits))
		return -EOVERFLOW;
	if (round_up(&at, (uint64_t)align * 8))
		return -EOVERFLOW;
	m->bit_off = at;
	if (align > l->align)
		l->align = align;
	return use_bits(l, at, bits);
}

/* An array whose size overflows has size 0; it must not pass for an empty member. */
static bool too_large(struct dt_types *ts, const struct dt_type *type)
{
	const struct dt_type *t = dt_type_base(type);

	for (; t->kind == DT_T_ARRAY; t = dt_type_base(t->ref))
		if (t->nelems && dt_type_size(ts, t) == 0 && dt_type_size(ts, t->ref) != 0)
			return true;
	return false;
}

/* Nothing in *t changes if this fails. */
int dt_type_complete_sou(struct dt_types *ts, struct dt_type *t, struct dt_member *m, uint32_t n)
{
	struct layout l = { .is_union = t->kind == DT_T_UNION, .align = 1 };
	struct dt_undo u = { .completed = t };
	struct dt_member *kept;
	uint32_t nkept = 0;
	int err;

	for (uint32_t i = 0; i < n; i++) {
		err = too_large(ts, m[i].type) ? -EOVERFLOW : place_member(ts, &l, &m[i]);
		if (err)
			return err;
	}
	err = round_up(&l.at, (uint64_t)l.align * 8);
	if (err)
		return err;
	kept = DT_NEWN(ts->arena, struct dt_member, n);
	for (uint32_t i = 0; i < n; i++) {
		if (is_filler(&m[i]))
			continue;
		kept[nkept] = m[i];
		kept[nkept++].name = is_unnamed(&m[i]) ? NULL : dt_arena_strdup(ts->arena, m[i].name);
	}
	t->size = l.at / 8;
	t->align = l.align;
	t->incomplete = false;
	*t->lazy = (struct dt_type_lazy){ .members = kept, .n = nkept, .aligned = true };
	dt_vec_push(ts->arena, &ts->undo, u);
	return 0;
}

/* A type of which the members are loaded on first use. A size of 0 means that it is not known either. */
void dt_type_defer(struct dt_type *t, uint64_t size, dt_type_load_f *load, void *ctx)
{
	t->process = true;
	t->size = size;
	t->incomplete = size == 0;
	*t->lazy = (struct dt_type_lazy){ .load = load, .load_ctx = ctx };
}

/* Runs the loader once, if there is one; dt_type_members() and dt_type_enums() call it before they look. */
void dt_type_load(const struct dt_type *t)
{
	dt_type_load_f *load = t->lazy ? t->lazy->load : NULL;

	if (!load)
		return;
	t->lazy->load = NULL;		/* first: a type that contains itself then sees no members and ends */
	load(t->lazy->load_ctx, dt_type_mutable(t));
}

void dt_type_complete_placed(struct dt_types *ts, struct dt_type *t, const struct dt_member *m, uint32_t n,
    uint64_t size)
{
	struct dt_member *kept = DT_NEWN(ts->arena, struct dt_member, n + 1);

	if (n > 0)
		memcpy(kept, m, n * sizeof(*kept));
	t->size = size;
	t->incomplete = false;
	/* `aligned` stays as it is: a caller may be computing the alignment right now */
	t->lazy->members = kept;
	t->lazy->n = n;
}

void dt_type_complete_enum_sized(struct dt_types *ts, struct dt_type *t, const struct dt_enumconst *c,
    uint32_t n, uint32_t size)
{
	struct dt_enumconst *copy = DT_NEWN(ts->arena, struct dt_enumconst, n + 1);

	t->is_signed = false;
	for (uint32_t i = 0; i < n; i++) {
		copy[i] = (struct dt_enumconst){ dt_arena_strdup(ts->arena, c[i].name), c[i].value };
		t->is_signed |= c[i].value < 0;
	}
	t->size = t->align = size;
	t->incomplete = false;
	*t->lazy = (struct dt_type_lazy){ .enums = copy, .n = n, .aligned = true };
}

/*
 * As gcc does: unsigned int if no value is negative, otherwise int, otherwise long. Bit-fields of the
 * enum are extended accordingly.
 */
void dt_type_complete_enum(struct dt_types *ts, struct dt_type *t, const struct dt_enumconst *c, uint32_t n)
{
	struct dt_enumconst *copy = DT_NEWN(ts->arena, struct dt_enumconst, n);
	struct dt_undo u = { .completed = t };
	int64_t low = 0, high = 0;

	for (uint32_t i = 0; i < n; i++) {
		copy[i] = (struct dt_enumconst){ dt_arena_strdup(ts->arena, c[i].name), c[i].value };
		low = c[i].value < low ? c[i].value : low;
		high = c[i].value > high ? c[i].value : high;
	}
	t->is_signed = low < 0 || high > UINT32_MAX;
	t->size = low < INT32_MIN || high > UINT32_MAX || (low < 0 && high > INT32_MAX) ? 8 : 4;
	t->align = (uint32_t)t->size;
	t->incomplete = false;
	*t->lazy = (struct dt_type_lazy){ .enums = copy, .n = n, .aligned = true };
	dt_vec_push(ts->arena, &ts->undo, u);
}
