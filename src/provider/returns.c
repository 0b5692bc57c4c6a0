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

#include "symbol/insn.h"

#include <elf.h>

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

static bool instruction(void *ctx, const struct dt_insn *in)
{
	struct collecting *c = ctx;
	bool jumps = in->way == DT_INSN_JUMP || in->way == DT_INSN_BRANCH;
	/* branches lead to the cold part */
	bool outside = jumps && leaves(c, c->part->vaddr + in->to), unsure = in->way == DT_INSN_TABLE;
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
	if (unsure) {
		c->out->unsure = true;
		c->out->unsure_at = s.at;
	} else if (in->way == DT_INSN_RET || in->way == DT_INSN_INDIRECT || outside) {
		dt_vec_push(c->arena, c->out, s);
	}
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
