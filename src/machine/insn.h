/* SPDX-License-Identifier: BSD-2-Clause */
/* An instruction: where it begins, and whether it leaves its function. What dt_machine.walk reports. */
#ifndef DT_MACHINE_INSN_H
#define DT_MACHINE_INSN_H

#include <stdbool.h>
#include <stdint.h>

enum dt_insn_way {
	DT_INSN_ON,			/* continues in the function */
	DT_INSN_BRANCH,			/* branches to offset `to` on a condition */
	DT_INSN_RET,
	DT_INSN_JUMP,			/* always jumps to offset `to` */
	DT_INSN_CALL,			/* calls the function at offset `to`, then continues */
	/*
	 * jumps through a register or memory, and by its form not through a jump table of the function
	 */
	DT_INSN_INDIRECT,
	/* jumps through an array of addresses: a table of the function, or an array of functions */
	DT_INSN_TABLE,
};

/*
 * What a branch depends on. Flags are condition codes of the machine, as dt_machine.conditions numbers them.
 */
enum dt_insn_test {
	DT_INSN_UNKNOWN,		/* not known, or no branch */
	DT_INSN_FLAGS,			/* number: the condition */
	DT_INSN_ZERO, DT_INSN_NONZERO,	/* the low `number` bits of a register */
	DT_INSN_CLEAR, DT_INSN_SET,	/* bit `number` of a register */
};

struct dt_insn {
	uint64_t off;			/* from the start of the function */
	enum dt_insn_way way;
	/* may be outside of the function; wraps if it is before the start */
	uint64_t to;
	bool table;			/* ON: jumps through a table of the function, and TABLE may */
	bool slot;			/* INDIRECT: to what the word at offset `to` says */
	enum dt_insn_test test;		/* of a branch */
	uint8_t number, reg;		/* reg: as dt_machine.regs.number has it */
};

typedef bool dt_insn_f(void *ctx, const struct dt_insn *);	/* false ends the walk */

#endif
