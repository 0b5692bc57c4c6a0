/* SPDX-License-Identifier: BSD-2-Clause */
/* Where instructions begin in the machine code of a file, and which of them leave their function. */
#ifndef DT_SYMBOL_INSN_H
#define DT_SYMBOL_INSN_H

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
 * What a branch depends on. Flags are condition codes of the machine: those of b.cond on aarch64, the
 * last four bits of jcc on x86-64.
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
	bool slot;			/* INDIRECT: to what the word at offset `to` says */
	enum dt_insn_test test;		/* of a branch */
	uint8_t number, reg;		/* reg: 31 is the constant 0 on aarch64; 1 is rcx on x86-64 */
};

/*
 * Calls f for each instruction of the function at offset … offset + size of the file; false ends the
 * walk. 0; -ENOEXEC: the bytes cannot be decoded; -EFBIG; -EIO; -EOPNOTSUPP: unknown machine; -ELIBACC:
 * Zydis, which x86-64 needs, is not installed.
 */
typedef bool dt_insn_f(void *ctx, const struct dt_insn *);
/* vaddr: where the first byte is linked; aarch64 addresses data by pages */
int dt_insn_walk_bytes(uint16_t machine, const void *code, uint64_t size, uint64_t vaddr, dt_insn_f *,
    void *ctx);
struct dt_elf;
int dt_insn_walk(struct dt_elf *, uint64_t offset, uint64_t size, dt_insn_f *, void *ctx);

#endif
