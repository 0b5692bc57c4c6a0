/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the return of a function is seen: by probes on the instructions that leave it, as in every
 * DTrace. These are returns, and jumps to other functions, whose value is not known yet. A conditional
 * jump leaves if the condition holds: the flags are examined.
 * The kernel has another way: it replaces the return address on the stack. That also gives the value of
 * the function that is jumped to, but fires only at its end, and whatever walks the stack meets the
 * replaced address: C++ and Rust end the process if something is thrown through such a frame, and Go if
 * it moves a stack. It is used only in processes that do no such thing: for code that cannot be decoded, on
 * request, and where ends.c cannot follow a jump.
 */
#include "provider/objects.h"

#include "file/insn.h"

#include <errno.h>


static bool name_matches(const struct dt_object *o, const char *start)
{
	return strncmp(o->name, start, strlen(start)) == 0;
}

/*
 * Has it tables for exception handling? The C library has some for threads that are cancelled, which do
 * no harm.
 */
static bool throws(const struct dt_object *o)
{
	return dt_elf_has_section(o->elf, ".gcc_except_table") && !name_matches(o, "libc.so") &&
	    !name_matches(o, "libpthread") && !name_matches(o, "ld-");
}

/* A C library may be called by code that throws, and call such code in turn. */
bool dt_process_unwinds(const struct dt_process *proc)
{
	for (size_t i = 0; i < proc->list.n; i++)
		if (throws(proc->list.v[i].obj) || dt_object_is_go(proc->list.v[i].obj))
			return true;
	return false;
}

struct collecting {
	struct dt_arena *arena;
	struct dt_elf *elf;
	const struct dt_elf_function *f;
	/* the function being walked: f, or the part that the compiler moved elsewhere */
	const struct dt_elf_function *part;
	const struct dt_elf_function *cold;
	struct dt_return_sites *out;
};

/* f.cold: the rarely executed part of f. */
static bool is_cold_part(const struct dt_elf_function *f, const struct dt_elf_function *other)
{
	size_t len = strlen(f->name);

	return strncmp(other->name, f->name, len) == 0 && strncmp(other->name + len, ".cold", 5) == 0;
}

static bool leaves(struct collecting *c, uint64_t vaddr)
{
	const struct dt_elf_function *g;

	if (vaddr - c->f->vaddr < c->f->size)
		return false;
	g = dt_elf_function_at(c->elf, vaddr);
	if (g == NULL || g->offset == UINT64_MAX || !is_cold_part(c->f, g))
		return true;
	c->cold = g;
	return false;
}

static void note_unsure(struct collecting *c, uint32_t at)
{
	c->out->unsure = true;
	c->out->unsure_at = at;
}

/* outside: it is a jump or a branch, which leads elsewhere */
static void note_site(struct collecting *c, const struct dt_insn *in, bool outside)
{
	bool jumps = in->way == DT_INSN_JUMP || in->way == DT_INSN_BRANCH, unsure = in->way == DT_INSN_TABLE;
	struct dt_return_site s = { .offset = c->part->offset + in->off,
		.at = (uint32_t)(c->part->vaddr + in->off - c->f->vaddr),
		.how = in->way == DT_INSN_RET ? DT_LEAVE_RET : jumps ? DT_LEAVE_JUMP :
		    in->slot ? DT_LEAVE_SLOT : DT_LEAVE_POINTER,
		.to = c->part->vaddr + in->to };

	if (in->way == DT_INSN_BRANCH && outside) {
		s.when = dt_branch_taken(c->arena, dt_elf_machine(c->elf), in);
		unsure = s.when == NULL;
	}
	c->out->loops |= jumps && s.to == c->f->vaddr;
	if (unsure)
		note_unsure(c, s.at);
	else if (in->way == DT_INSN_RET || in->way == DT_INSN_INDIRECT || outside)
		dt_vec_push(c->arena, c->out, s);
}

static bool instruction(void *ctx, const struct dt_insn *in)
{
	struct collecting *c = ctx;
	bool jumps = in->way == DT_INSN_JUMP || in->way == DT_INSN_BRANCH;

	/* branches lead to the cold part */
	note_site(c, in, jumps && leaves(c, c->part->vaddr + in->to));
	return true;
}

int dt_return_sites(struct dt_arena *arena, const struct dt_object *o, const struct dt_elf_function *f,
    struct dt_return_sites *out)
{
	struct collecting c = { .arena = arena, .elf = o->elf, .f = f, .part = f, .out = out };
	int err;

	*out = (struct dt_return_sites){ 0 };
	err = dt_insn_walk(o->elf, f->offset, f->size, instruction, &c);
	if (err != 0)
		return err;
	if (c.cold == NULL)
		return 0;
	c.part = c.cold;
	return dt_insn_walk(o->elf, c.cold->offset, c.cold->size, instruction, &c);
}

/* ---- functions without a symbol ---- */

/*
 * Such code is read in the order it runs, from the first instruction on, as nothing says where it ends. A
 * call that never returns leads into the code after it. That makes places that no call of the function
 * reaches, and does no harm: what ends there did not begin as the function did.
 */
enum { BLOCKS_MAX = 1024, BLOCK_SIZE = 16384, BLOCK_LEAST = 16, INSTRUCTIONS_MAX = 32768 };

struct block { uint64_t start, end; };		/* addresses; end: of what was read already */

struct flow {
	struct collecting c;
	struct dt_elf_function part;	/* begins where the block does */
	DT_VEC(struct block) blocks;
	size_t at;			/* the block being read */
	uint32_t n;			/* instructions so far */
	bool ended;			/* the block goes elsewhere, or on in what was read */
};

static void add_block(struct flow *x, uint64_t vaddr)
{
	struct block b = { vaddr, vaddr };

	for (size_t i = 0; i < x->blocks.n; i++)
		if (vaddr == x->blocks.v[i].start || vaddr - x->blocks.v[i].start <
		    x->blocks.v[i].end - x->blocks.v[i].start)
			return;
	if (x->blocks.n < BLOCKS_MAX)
		dt_vec_push(x->c.arena, &x->blocks, b);
	else
		note_unsure(&x->c, 0);
}

static bool was_read(const struct flow *x, uint64_t vaddr)
{
	for (size_t i = 0; i < x->blocks.n; i++)
		if (i != x->at && vaddr - x->blocks.v[i].start < x->blocks.v[i].end - x->blocks.v[i].start)
			return true;
	return false;
}

/* Is it the code of a function that has a symbol? */
static bool is_named(const struct flow *x, uint64_t vaddr)
{
	return dt_elf_function_at(x->c.elf, vaddr) != NULL;
}

static bool next_instruction(void *ctx, const struct dt_insn *in)
{
	struct flow *x = ctx;
	uint64_t start = x->part.vaddr, here = start + in->off, to = start + in->to;
	bool jumps = in->way == DT_INSN_JUMP || in->way == DT_INSN_BRANCH, outside = jumps && is_named(x, to);

	x->ended = was_read(x, here) || is_named(x, here);
	if (x->ended)
		return false;
	if (++x->n > INSTRUCTIONS_MAX || (in->way == DT_INSN_ON && in->table)) {
		note_unsure(&x->c, (uint32_t)(here - x->c.f->vaddr));
		return false;
	}
	x->blocks.v[x->at].end = here + 1;
	note_site(&x->c, in, outside);
	if (jumps && !outside)
		add_block(x, to);
	x->ended = in->way != DT_INSN_ON && in->way != DT_INSN_BRANCH && in->way != DT_INSN_CALL;
	return !x->ended;
}

static int read_block(struct flow *x)
{
	uint64_t start = x->blocks.v[x->at].start, off, size = BLOCK_SIZE;
	int err;

	x->part = *x->c.f;
	x->part.vaddr = start;
	if (!dt_elf_vaddr_to_offset(x->c.elf, start, &off))
		return -ENOEXEC;
	x->part.offset = off;
	/* the file may end before; then nothing was read */
	while ((err = dt_insn_walk(x->c.elf, off, size, next_instruction, x)) == -EIO && size > BLOCK_LEAST)
		size /= 2;
	if (err == 0 && !x->ended)
		note_unsure(&x->c, (uint32_t)(start - x->c.f->vaddr));
	return err;
}

int dt_return_sites_unnamed(struct dt_arena *arena, const struct dt_object *o,
    const struct dt_elf_function *f, struct dt_return_sites *out)
{
	struct flow x = { .c = { .arena = arena, .elf = o->elf, .f = f, .out = out } };
	int err = 0;

	*out = (struct dt_return_sites){ 0 };
	x.c.part = &x.part;
	add_block(&x, f->vaddr);
	for (; x.at < x.blocks.n && err == 0 && !out->unsure; x.at++)
		err = read_block(&x);
	return err;
}
