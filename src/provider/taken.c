/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A branch in, D out that says whether it will be taken: its condition, of the flags and registers as
 * they are before it.
 */
#include "provider/objects.h"

#include "symbol/insn.h"

#include <elf.h>

/* Words of struct pt_regs: pstate with N Z C V in bits 31 … 28, and rflags. */
#define ARM(bit) "(uregs[33] >> " #bit " & 1)"
#define X86(bit) "(uregs[18] >> " #bit " & 1)"
#define NEGATIVE ARM(31)
#define ZERO ARM(30)
#define CARRY ARM(29)
#define OVERFLOW ARM(28)
#define CF X86(0)
#define PF X86(2)
#define ZF X86(6)
#define SF X86(7)
#define OF X86(11)

/* Each second condition is the one before it turned round. */
static const char *const arm_flags[7] = {
	ZERO, CARRY, NEGATIVE, OVERFLOW, "(" CARRY " && !" ZERO ")", "(" NEGATIVE " == " OVERFLOW ")",
	"(" NEGATIVE " == " OVERFLOW " && !" ZERO ")" };
static const char *const x86_flags[8] = {
	OF, CF, ZF, "(" CF " || " ZF ")", SF, PF, "(" SF " != " OF ")", "(" ZF " || " SF " != " OF ")" };

static const char *flags(struct dt_arena *arena, uint16_t machine, uint8_t number)
{
	if (machine == EM_AARCH64 && number >= 14)
		return NULL;			/* always: nobody writes that */
	return dt_arena_printf(arena, "%s%s", number & 1 ? "!" : "",
	    machine == EM_AARCH64 ? arm_flags[number / 2] : x86_flags[number / 2]);
}

const char *dt_branch_taken(struct dt_arena *arena, uint16_t machine, const struct dt_insn *in)
{
	unsigned reg = machine == EM_AARCH64 ? in->reg : 11;	/* rcx */
	const char *cast = in->number == 32 ? "(uint32_t)" : "";

	if (in->test == DT_INSN_FLAGS)
		return flags(arena, machine, in->number & 15);
	if (in->test == DT_INSN_UNKNOWN || (machine == EM_AARCH64 && reg == 31))
		return NULL;
	if (in->test == DT_INSN_ZERO || in->test == DT_INSN_NONZERO)
		return dt_arena_printf(arena, "(%suregs[%u] %s 0)", cast, reg,
		    in->test == DT_INSN_ZERO ? "==" : "!=");
	return dt_arena_printf(arena, "((uregs[%u] >> %u & 1) == %d)", reg, in->number & 63u,
	    in->test == DT_INSN_SET);
}
