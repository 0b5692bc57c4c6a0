/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the jump tables of a function of x86-64 lead. Two forms are known:
 *
 *	lea table(%rip), %t; movslq (%t,%i,4), %r; add %t, %r; jmp *%r		distances from the table
 *	jmp *table(,%i,8)							addresses
 *
 * The first may have other instructions in between, and one lea for several jumps. So every address that
 * the function takes is read as a table of the first form if it has a jump of that form, and a table is read
 * on as long as its words lead into the code of the file. That finds more targets than there are, which is
 * harmless, never less. Any other jump that may be by a table makes the answer "not known".
 */
#include "patch/patch_x86.h"

#include "base/count.h"
#include "machine/machine.h"

#include <string.h>

enum { RECENT = 8, LOOSE_JUMPS = 3, MAX_TABLES = 512, MAX_ENTRIES = 1 << 16, CHUNK = 64 };

struct tables {
	const struct dt_patch_tables *in;
	uint64_t distances[MAX_TABLES], addresses[MAX_TABLES];	/* tables by form, maybe */
	unsigned ndistances, naddresses;
	uint64_t recent[RECENT];	/* offsets of the last instructions */
	unsigned n, loose;
	bool by_distance;		/* there is a jump of that form */
	bool unknown;
};

static bool decode(const struct tables *t, uint64_t off, struct dt_x86 *x)
{
	return off < t->in->size && dt_x86_decode(t->in->code + off, t->in->size - off, x);
}

static void add_table(uint64_t *list, unsigned *n, uint64_t table, bool *lost)
{
	for (unsigned i = 0; i < *n; i++)
		if (list[i] == table)
			return;
	if (*n < MAX_TABLES)
		list[(*n)++] = table;
	else
		*lost = true;
}

/* movslq (base,index,4), reg */
static bool is_distance_load(const struct tables *t, uint64_t off, const struct dt_x86 *x)
{
	return x->map == DT_X86_ONE && x->opcode == 0x63 && x->prefixes & DT_X86_REX_W && x->mod != 3 &&
	    x->rm == 4 && x->index != 4 && t->in->code[off + x->modrm_at + 1] >> 6 == 2;
}

static bool is_array_load(const struct dt_x86 *x)
{
	return x->map == DT_X86_ONE && x->opcode == 0x8b && x->mod != 3 && x->rm == 4 && x->index != 4;
}

static bool is_register_add(const struct dt_x86 *x)
{
	return x->map == DT_X86_ONE && (x->opcode == 0x01 || x->opcode == 0x03) && x->mod == 3;
}

/* What the last instructions say about a jump by a register. */
static void look_back(const struct tables *t, bool *load, bool *add, bool *array)
{
	struct dt_x86 x;

	*load = *add = *array = false;
	for (unsigned i = 0; i < RECENT && i < t->n; i++) {
		if (!decode(t, t->recent[i], &x))
			continue;
		*load |= is_distance_load(t, t->recent[i], &x);
		*add |= is_register_add(&x);
		*array |= is_array_load(&x) || (x.map == DT_X86_ONE && x.opcode == 0x63);
	}
}

/* jmp *table(,%i,8) */
static bool is_absolute(const struct tables *t, const struct dt_insn *in, const struct dt_x86 *x)
{
	return x->mod == 0 && x->rm == 4 && x->index != 4 && x->disp_at != 0 &&
	    (t->in->code[in->off + x->modrm_at + 1] & 0xc7) == 0xc5 && !(x->prefixes & DT_X86_ADDRESS);
}

static void note_jump(struct tables *t, const struct dt_insn *in, const struct dt_x86 *x)
{
	bool load, add, array;

	if (in->slot)
		return;			/* to what a word of the dynamic linker says */
	if (is_absolute(t, in, x)) {
		add_table(t->addresses, &t->naddresses, (uint64_t)(int64_t)x->disp, &t->unknown);
		return;
	}
	if (x->mod != 3) {		/* through a pointer of an object; many of them, as in interpreters */
		t->unknown |= in->table || in->way == DT_INSN_TABLE || ++t->loose >= LOOSE_JUMPS;
		return;
	}
	look_back(t, &load, &add, &array);
	if (load && add)
		t->by_distance = true;
	else if (in->table || in->way == DT_INSN_TABLE || array)
		t->unknown = true;
}

static bool read_insn(void *ctx, const struct dt_insn *in)
{
	struct tables *t = ctx;
	struct dt_x86 x;

	if (!decode(t, in->off, &x)) {
		t->unknown = true;
		return false;
	}
	if (x.map == DT_X86_ONE && x.opcode == 0x8d && x.mod == 0 && x.rm == 5)
		add_table(t->distances, &t->ndistances,
		    t->in->addr + in->off + x.length + (uint64_t)(int64_t)x.disp, &t->unknown);
	if (in->table || in->way == DT_INSN_TABLE || in->way == DT_INSN_INDIRECT)
		note_jump(t, in, &x);
	t->recent[t->n++ % RECENT] = in->off;
	return true;
}

/* ---- reading tables ---- */

/* True: there is an end. */
static bool read_table(const struct tables *t, uint64_t table, size_t size, dt_patch_target_f *f, void *ctx)
{
	const struct dt_patch_tables *in = t->in;
	uint8_t chunk[CHUNK * 8];
	uint32_t n = 0;

	for (; n < MAX_ENTRIES; n++) {
		uint64_t to = 0;
		size_t have = CHUNK * size;

		if (n % CHUNK == 0) {
			/* the last words of a mapping */
			while (have >= size && !in->read(in->ctx, table + n * size, chunk, have))
				have /= 2;
			if (have < size)
				return true;
			memset(chunk + have, 0, sizeof(chunk) - have);
		}
		memcpy(&to, chunk + n % CHUNK * size, size);
		if (size == 4)
			to = table + (uint64_t)(int64_t)(int32_t)(uint32_t)to;
		if (to < in->text_start || to >= in->text_end)
			return true;
		if (to - in->addr < in->size)
			f(ctx, table, to);
	}
	return false;
}

bool dt_patch_x86_tables(const struct dt_patch_tables *in, dt_patch_target_f *f, void *ctx)
{
	struct tables t = { .in = in };

	if (dt_machine_x86_64.walk(in->code, in->size, in->addr, read_insn, &t) != 0 || t.unknown ||
	    (t.by_distance && t.ndistances == 0))
		return false;
	for (unsigned i = 0; i < t.ndistances && t.by_distance; i++)
		if (!read_table(&t, t.distances[i], 4, f, ctx))
			return false;
	for (unsigned i = 0; i < t.naddresses; i++)
		if (!read_table(&t, t.addresses[i], 8, f, ctx))
			return false;
	return true;
}
