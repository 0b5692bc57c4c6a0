/* SPDX-License-Identifier: BSD-2-Clause */
/* Lengths and fields of x86-64 instructions, in 64-bit mode. */
#ifndef DT_MACHINE_X86_H
#define DT_MACHINE_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dt_x86_map {
	DT_X86_ONE,			/* opcodes of one byte */
	DT_X86_0F, DT_X86_0F38, DT_X86_0F3A,
	DT_X86_VEX,			/* any map of a VEX, EVEX or XOP prefix: never a branch */
};

enum dt_x86_prefix {
	DT_X86_OPERAND = 1 << 0,	/* 66 */
	DT_X86_ADDRESS = 1 << 1,	/* 67 */
	DT_X86_LOCK = 1 << 2,
	DT_X86_REPNE = 1 << 3,		/* f2 */
	DT_X86_REP = 1 << 4,		/* f3 */
	DT_X86_NOTRACK = 1 << 5,	/* 3e */
	DT_X86_REX = 1 << 6,
	DT_X86_REX_W = 1 << 7,
};

struct dt_x86 {
	uint8_t length;
	enum dt_x86_map map;
	uint8_t opcode, prefixes;
	bool has_modrm;
	uint8_t mod, reg, rm;		/* of ModRM; 3 bits each, without those of REX */
	uint8_t index;			/* of SIB; 4: none */
	/* where ModRM and the displacement are, 0: not in it; REX is two bytes before ModRM (map ONE) */
	uint8_t modrm_at, disp_at;
	int32_t disp;
	bool relative;			/* imm is a distance from the next instruction */
	int64_t imm;			/* the first immediate operand */
};

/*
 * The instruction at code. False: it is not complete in len bytes, longer than 15 bytes, or not defined. Not
 * every undefined encoding is recognised; the length of every defined one is right. Unknown: APX.
 */
bool dt_x86_decode(const uint8_t *code, size_t len, struct dt_x86 *);

#endif
