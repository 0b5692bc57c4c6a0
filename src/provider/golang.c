/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is different in Go programs. Arguments are in registers of their own. A function first checks
 * whether its stack is large enough; if not, it has the stack moved and starts again from its first
 * instruction. So the entry probe is after that check, or the call would be seen twice.
 */
#include "provider/objects.h"

#include "machine/machine.h"
#include "file/insn.h"

/* bytes of the check, and of the code that has the stack moved, which saves arguments */
enum { CHECK_MAX = 64, MORESTACK_MAX = 1024 };

bool dt_object_is_go(const struct dt_object *o)
{
	return dt_elf_has_section(o->elf, ".gopclntab") || dt_elf_has_section(o->elf, ".go.buildinfo");
}

void dt_go_arguments(struct dt_arena *arena, const struct dt_object *o, const char *args[10])
{
	const struct dt_machine *m = dt_machine_elf(dt_elf_machine(o->elf));

	for (int i = 0; i < 10; i++) {
		int reg = m != NULL ? m->regs.go_arg[i] : DT_MACHINE_NOWHERE;

		args[i] = reg != DT_MACHINE_NOWHERE ? dt_arena_printf(arena, "uregs[%d]", reg / 8) : "0";
	}
}

struct looking {
	uint64_t more;			/* where the look's branches lead; 0: none seen yet */
	uint64_t after;		/* the instruction after the last of them */
	bool next;			/* the one that comes is it */
	bool again;			/* from there it goes back to the start */
};

static bool instruction(void *ctx, const struct dt_insn *in)
{
	struct looking *l = ctx;

	if (l->next)
		l->after = in->off;
	l->next = false;
	if (in->way == DT_INSN_BRANCH && in->off < CHECK_MAX && in->to > in->off &&
	    (l->more == 0 || in->to == l->more)) {
		l->more = in->to;
		l->next = true;
	}
	if (in->off < l->more)
		return true;
	if (in->way == DT_INSN_JUMP && in->to == 0)
		l->again = true;
	return in->way != DT_INSN_JUMP && in->way != DT_INSN_RET && in->off - l->more < MORESTACK_MAX;
}

uint64_t dt_go_entry(const struct dt_object *o, const struct dt_elf_function *f)
{
	struct looking l = { 0 };

	if (dt_insn_walk(o->elf, f->offset, f->size, instruction, &l) != 0 || !l.again)
		return f->offset;
	return f->offset + l.after;
}
