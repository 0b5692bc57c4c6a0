/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A function comes in, the places in its file that call it go out, found by decoding all code. For
 * static probes of objects built for another system, which call a function for each site: the calls are
 * the sites.
 */
#include "provider/objects.h"

#include "symbol/insn.h"

enum { CALLERS_MAX = 65536 };

struct looking {
	struct dt_arena *arena;
	const struct dt_object *o;
	const struct dt_elf_function *callee, *in;
	struct dt_callers *out;
};

static bool instruction(void *ctx, const struct dt_insn *in)
{
	struct looking *l = ctx;
	bool jump = in->way == DT_INSN_JUMP;
	struct dt_caller c = { .in = l->in, .offset = l->in->offset + in->off, .jump = jump };

	if ((jump || in->way == DT_INSN_CALL) && l->in->vaddr + in->to == l->callee->vaddr)
		dt_vec_push(l->arena, l->out, c);
	return l->out->n < CALLERS_MAX;
}

/* Code that cannot be decoded is skipped. */
static int look_in_function(void *ctx, const struct dt_elf_function *f)
{
	struct looking *l = ctx;

	l->in = f;
	if (!f->alias && f->offset != UINT64_MAX && f->size > 0 && f->vaddr != l->callee->vaddr)
		(void)dt_insn_walk(l->o->fd, dt_elf_machine(l->o->elf), f->offset, f->size, instruction, l);
	return 0;
}

void dt_callers(struct dt_arena *arena, const struct dt_object *o, const struct dt_elf_function *callee,
    struct dt_callers *out)
{
	struct looking l = { .arena = arena, .o = o, .callee = callee, .out = out };

	*out = (struct dt_callers){ 0 };
	(void)dt_elf_each_function(o->elf, look_in_function, &l);
}
