/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A function comes in, the places in its file that call it go out. For static probes of objects built for
 * another system, which call a function for each site: the calls are the sites. All code is decoded once
 * for all such functions, and no byte of it twice, however the functions of a hostile file overlap.
 */
#include "provider/objects.h"

#include "file/insn.h"

enum { CALLERS_MAX = 65536 };

struct looking {
	struct dt_arena *arena;
	struct dt_object *o;
	const struct dt_elf_function *in;
	uint64_t end;			/* of what was decoded */
};

bool dt_is_stub(const struct dt_elf_function *f)
{
	return f != NULL && strncmp(f->name, "__dtrace_", 9) == 0;
}

static bool instruction(void *ctx, const struct dt_insn *in)
{
	struct looking *l = ctx;
	bool jump = in->way == DT_INSN_JUMP;
	struct dt_caller c = { .in = l->in, .offset = l->in->offset + in->off, .jump = jump,
		.callee = l->in->vaddr + in->to };
	const struct dt_elf_function *to;

	if (!jump && in->way != DT_INSN_CALL)
		return true;
	to = dt_elf_function_at(l->o->elf, c.callee);
	if (dt_is_stub(to) && to->vaddr == c.callee && l->in->vaddr != c.callee)
		dt_vec_push(l->arena, &l->o->stub_calls, c);
	return l->o->stub_calls.n < CALLERS_MAX;
}

/* Code that cannot be decoded is skipped. */
static int look_in_function(void *ctx, const struct dt_elf_function *f)
{
	struct looking *l = ctx;

	l->in = f;
	if (f->alias || f->offset == UINT64_MAX || f->size == 0 || f->vaddr < l->end)
		return 0;
	(void)dt_insn_walk(l->o->elf, f->offset, f->size, instruction, l);
	l->end = f->vaddr + f->size;
	return 0;
}

void dt_callers(struct dt_arena *arena, struct dt_object *o, const struct dt_elf_function *callee,
    struct dt_callers *out)
{
	struct looking l = { .arena = arena, .o = o };

	*out = (struct dt_callers){ 0 };
	if (!o->stubs_sought) {
		o->stubs_sought = true;
		(void)dt_elf_each_function(o->elf, look_in_function, &l);
	}
	for (size_t i = 0; i < o->stub_calls.n; i++)
		if (o->stub_calls.v[i].callee == callee->vaddr)
			dt_vec_push(arena, out, o->stub_calls.v[i]);
}
