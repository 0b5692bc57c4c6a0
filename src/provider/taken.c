/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A branch comes in; D that tells whether it will be taken goes out: its condition, from the flags and
 * registers before it.
 */
#include "provider/objects.h"

#include "machine/machine.h"
#include "file/insn.h"

static const char *flags(struct dt_arena *arena, const struct dt_machine *m, uint8_t number)
{
	if (number / 2 >= m->nconditions)
		return NULL;
	return dt_arena_printf(arena, "%s%s", number & 1 ? "!" : "", m->conditions[number / 2]);
}

const char *dt_branch_taken(struct dt_arena *arena, uint16_t machine, const struct dt_insn *in)
{
	const struct dt_machine *m = dt_machine_elf(machine);
	const char *cast = in->number == 32 ? "(uint32_t)" : "";
	int reg;

	if (m != NULL && in->test == DT_INSN_FLAGS)
		return flags(arena, m, in->number & 15);
	if (m == NULL || in->test == DT_INSN_UNKNOWN || in->reg == m->regs.zero ||
	    in->reg >= m->regs.nnumbers)
		return NULL;
	reg = m->regs.number[in->reg] / 8;
	if (in->test == DT_INSN_ZERO || in->test == DT_INSN_NONZERO)
		return dt_arena_printf(arena, "(%suregs[%d] %s 0)", cast, reg,
		    in->test == DT_INSN_ZERO ? "==" : "!=");
	return dt_arena_printf(arena, "((uregs[%d] >> %u & 1) == %d)", reg, in->number & 63u,
	    in->test == DT_INSN_SET);
}
