/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The assembler: instructions and labels come in, a finished DIFO goes out. A branch carries its label
 * until dt_asm_finish() knows which instructions stay. All memory belongs to the caller's arenas;
 * exceeding a limit fails the compile.
 */
#include "dif/asm.h"
#include "base/map.h"
#include "dif/var.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * Of entries in the table of integers, and of bytes in that of strings. The checker allows one integer
 * more; it is the compiler that stays below.
 */
enum { TABLE_MAX = 65535 };	/* an instruction has 16 bits for an index */
#define NOWHERE UINT32_MAX

/* One instruction, before its place in the text is known. */
struct item {
	uint32_t instr;
	uint32_t label;			/* of a branch; NOWHERE for other instructions */
	struct dt_loc loc;
};

struct dt_asm {
	struct dt_arena *arena;		/* of the DIFO */
	struct dt_arena *tmp;
	struct dt_diag *diag;
	struct dt_loc loc;
	DT_VEC(struct item) items;
	DT_VEC(uint32_t) labels;	/* place, or NOWHERE */
	DT_VEC(uint64_t) ints;
	DT_VEC(char) strs;
	DT_VEC(struct dt_difv *) vars;
	DT_VEC(struct dt_difreloc) relocs;
	/* value -> index + 1, text -> offset, scope:id:name -> entry */
	struct dt_map intmap, strmap, varmap;
	bool destructive;
};

struct dt_asm *dt_asm_new(struct dt_arena *arena, struct dt_arena *tmp, struct dt_diag *diag)
{
	struct dt_asm *a = DT_NEW(tmp, struct dt_asm);

	a->arena = arena;
	a->tmp = tmp;
	a->diag = diag;
	dt_map_init(&a->intmap, tmp);
	dt_map_init(&a->strmap, tmp);
	dt_map_init(&a->varmap, tmp);
	dt_vec_push(tmp, &a->strs, '\0');	/* offset 0 is "" */
	return a;
}

void dt_asm_at(struct dt_asm *a, struct dt_loc loc)
{
	a->loc = loc;
}

/*
 * The one place where instructions are counted, and where the DIFO learns that it is destructive: an
 * instruction that is dropped later as unreachable counts too.
 */
static void add_item(struct dt_asm *a, uint32_t instr, uint32_t label)
{
	if (a->items.n == DT_DIF_MAXTEXT)
		dt_fail(a->diag, D_UNKNOWN, a->loc,
		    "expression is too long: DIF instruction limit exceeded (%u)", DT_DIF_MAXTEXT);
	dt_vec_push(a->tmp, &a->items, ((struct item){ instr, label, a->loc }));
	a->destructive |= dt_dif_is_destructive(instr);
}

void dt_asm_emit(struct dt_asm *a, uint32_t instr)
{
	add_item(a, instr, NOWHERE);
}

/* Labels are numbers of this assembler and end with it. */
unsigned dt_asm_label(struct dt_asm *a)
{
	dt_vec_push(a->tmp, &a->labels, NOWHERE);
	return (unsigned)a->labels.n - 1;
}

/* Branches to the label now go to the next instruction. */
void dt_asm_place(struct dt_asm *a, unsigned label)
{
	a->labels.v[label] = (uint32_t)a->items.n;
}

void dt_asm_branch(struct dt_asm *a, unsigned op, unsigned label)
{
	add_item(a, dt_dif_fmt24(op, 0), label);
}

/*
 * Does not return when the table is full: dt_fail() leaves by longjmp(), and the arenas keep what was made.
 */
static uint32_t add_int(struct dt_asm *a, uint64_t value)
{
	if (a->ints.n == TABLE_MAX)
		dt_fail(a->diag, D_UNKNOWN, a->loc,
		    "too many integer constants: integer table limit exceeded (%u)", TABLE_MAX);
	dt_vec_push(a->tmp, &a->ints, value);
	return (uint32_t)a->ints.n - 1;
}

/* Equal constants share an entry of the integer table. */
void dt_asm_setx(struct dt_asm *a, uint64_t value, unsigned rd)
{
	char key[20];
	uintptr_t index;

	snprintf(key, sizeof(key), "%llx", (unsigned long long)value);
	index = (uintptr_t)dt_map_get(&a->intmap, key);
	if (!index) {
		index = (uintptr_t)add_int(a, value) + 1;
		dt_map_put(&a->intmap, key, (void *)index);
	}
	dt_asm_emit(a, dt_dif_fmt16(DT_DIF_SETX, (unsigned)index - 1, rd));
}

/*
 * A symbol has an entry of its own, which its relocation names; the address in it is the one of this boot.
 */
void dt_asm_setx_sym(struct dt_asm *a, const char *symbol, uint64_t addr, unsigned rd)
{
	uint32_t index = add_int(a, addr);

	dt_vec_push(a->tmp, &a->relocs, ((struct dt_difreloc){ index, dt_arena_strdup(a->tmp, symbol), 0 }));
	dt_asm_emit(a, dt_dif_fmt16(DT_DIF_SETX, index, rd));
}

/* Offsets in the table are 16 bits of an instruction. */
static uint32_t add_str(struct dt_asm *a, const char *text)
{
	size_t at = a->strs.n, len = strlen(text) + 1;

	if (len > TABLE_MAX || at > TABLE_MAX - len)
		dt_fail(a->diag, D_UNKNOWN, a->loc,
		    "too many string constants: string table limit exceeded (%u bytes)", TABLE_MAX);
	for (size_t i = 0; i < len; i++)
		dt_vec_push(a->tmp, &a->strs, text[i]);
	return (uint32_t)at;
}

/* A string ends at its first NUL for every instruction that reads it, so the rest is not kept. */
void dt_asm_sets(struct dt_asm *a, const char *str, uint32_t len, unsigned rd)
{
	const char *text = dt_arena_strndup(a->tmp, str, len);
	uintptr_t off = 0;

	if (*text) {
		off = (uintptr_t)dt_map_get(&a->strmap, text);
		if (!off) {
			off = add_str(a, text);
			dt_map_put(&a->strmap, text, (void *)off);
		}
	}
	dt_asm_emit(a, dt_dif_fmt16(DT_DIF_SETS, (unsigned)off, rd));
}

/* Entries for the same variable are merged: the flags tell how it is used. */
void dt_asm_var(struct dt_asm *a, const struct dt_difv *v)
{
	char *key = dt_arena_printf(a->tmp, "%u:%u:%s", v->scope, (unsigned)v->id, v->name);
	struct dt_difv *known = dt_map_get(&a->varmap, key);

	if (known) {
		known->flags |= v->flags;
		return;
	}
	known = dt_arena_memdup(a->tmp, v, sizeof(*v));
	dt_map_put(&a->varmap, key, known);
	dt_vec_push(a->tmp, &a->vars, known);
}

/* ---- finishing ---- */

static bool is_branch(uint32_t instr)
{
	return dt_difop_form(dt_dif_op(instr)) == DT_FORM_BR;
}

/*
 * The target of the branch at `at`; an unplaced label is a bug of the code generator. Called for branches
 * that can be reached only: the others may have labels that were never placed.
 */
static uint32_t branch_target(const struct dt_asm *a, uint32_t at)
{
	const struct item *it = &a->items.v[at];
	uint32_t to = it->label < a->labels.n ? a->labels.v[it->label] : NOWHERE;

	if (to == NOWHERE || to <= at)
		dt_fail(a->diag, D_UNKNOWN, it->loc,
		    "internal error: a branch at %u goes nowhere or backwards", at);
	return to;
}

/*
 * Branches go forward, so one pass in order sees every way to an instruction before the instruction itself.
 * keep has one element more than there are items: what follows the last one is marked too, and never
 * read.
 */
static void find_reachable(const struct dt_asm *a, bool *keep)
{
	keep[0] = true;
	for (uint32_t i = 0; i < a->items.n; i++) {
		uint32_t instr = a->items.v[i].instr;
		unsigned op = dt_dif_op(instr);

		if (!keep[i])
			continue;
		if (is_branch(instr))
			keep[branch_target(a, i)] = true;
		if (op != DT_DIF_BA && op != DT_DIF_RET)
			keep[i + 1] = true;
	}
}

/*
 * Drops nops and branches to the instruction that follows anyway. Going backwards makes one pass
 * enough: a dropped branch can only turn an earlier one into a branch to the next instruction.
 * Afterwards next[i] is the first instruction kept at or after i.
 */
static void drop_idle(const struct dt_asm *a, bool *keep, uint32_t *next)
{
	uint32_t n = (uint32_t)a->items.n;

	next[n] = n;
	for (uint32_t i = n; i-- > 0;) {
		uint32_t instr = a->items.v[i].instr;

		if (keep[i] &&
		    (dt_dif_op(instr) == DT_DIF_NOP ||
			(is_branch(instr) && next[branch_target(a, i)] == next[i + 1])))
			keep[i] = false;
		next[i] = keep[i] ? i : next[i + 1];
	}
}

/* Numbers the instructions that stay, then writes them with resolved labels. */
static void write_text(const struct dt_asm *a, struct dt_difo *d)
{
	uint32_t n = (uint32_t)a->items.n, len = 0;
	bool *keep = DT_NEWN(a->tmp, bool, n + 1);
	uint32_t *next = DT_NEWN(a->tmp, uint32_t, n + 1), *number = DT_NEWN(a->tmp, uint32_t, n + 1);
	uint32_t *text;
	struct dt_loc *locs;

	find_reachable(a, keep);
	drop_idle(a, keep, next);
	for (uint32_t i = 0; i < n; i++) {
		number[i] = len;
		len += keep[i];
	}
	number[n] = len;
	text = DT_NEWN(a->arena, uint32_t, len);
	locs = DT_NEWN(a->arena, struct dt_loc, len);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t instr = a->items.v[i].instr;

		if (!keep[i])
			continue;
		if (is_branch(instr))
			instr = dt_dif_fmt24(dt_dif_op(instr), number[next[branch_target(a, i)]]);
		text[number[i]] = instr;
		locs[number[i]] = a->items.v[i].loc;
	}
	d->text = text;
	d->ntext = len;
	d->locs = locs;
}

/* The order that dt_difv_find() searches in; entries of one built-in variable go by name. */
static int compare_vars(const void *x, const void *y)
{
	const struct dt_difv *a = x, *b = y;
	int order = dt_difv_order(a->scope, a->id, b);

	return order ? order : strcmp(a->name, b->name);
}

/* Names are copied: they live in the compile's scratch arena. */
static void write_vars(const struct dt_asm *a, struct dt_difo *d)
{
	struct dt_difv *vars = DT_NEWN(a->arena, struct dt_difv, a->vars.n);

	for (size_t i = 0; i < a->vars.n; i++) {
		vars[i] = *a->vars.v[i];
		vars[i].name = dt_arena_strdup(a->arena, vars[i].name);
	}
	qsort(vars, a->vars.n, sizeof(*vars), compare_vars);
	d->vars = vars;
	d->nvars = (uint32_t)a->vars.n;
}

/*
 * Names are copied, as those of variables are. The entries of the integer table stay, even if the
 * instruction that loads one was dropped: the index must not change.
 */
static const struct dt_difreloc *kept_relocs(const struct dt_asm *a)
{
	struct dt_difreloc *r = dt_arena_memdup(a->arena, a->relocs.v, a->relocs.n * sizeof(*r));

	for (size_t i = 0; i < a->relocs.n; i++)
		r[i].name = dt_arena_strdup(a->arena, r[i].name);
	return r;
}

/* Everything is copied to the DIFO's arena; the assembler and its own arena may go then. */
struct dt_difo *dt_asm_finish(struct dt_asm *a, struct dt_diftype rtype)
{
	struct dt_difo *d = DT_NEW(a->arena, struct dt_difo);

	write_text(a, d);
	write_vars(a, d);
	d->ints = dt_arena_memdup(a->arena, a->ints.v, a->ints.n * sizeof(*a->ints.v));
	d->nints = (uint32_t)a->ints.n;
	d->strs = dt_arena_memdup(a->arena, a->strs.v, a->strs.n);
	d->strlen = (uint32_t)a->strs.n;
	d->relocs = kept_relocs(a);
	d->nrelocs = (uint32_t)a->relocs.n;
	d->rtype = rtype;
	d->destructive = a->destructive;
	return d;
}
