/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions of aarch64: one function for each form. Registers are numbers, 31 is the stack pointer or
 * zero, as the form has it. `w`: 64 bits, else 32.
 */
#ifndef DT_NATIVE_ASM_AARCH64_H
#define DT_NATIVE_ASM_AARCH64_H

#include "native/code.h"

enum { A_LR = 30, A_SP = 31, A_ZR = 31 };
enum { A_ADD = 0x0b000000, A_SUB = 0x4b000000, A_SUBS = 0x6b000000, A_ADDS = 0x2b000000,
	A_AND = 0x0a000000, A_ORR = 0x2a000000, A_EOR = 0x4a000000, A_ANDS = 0x6a000000, A_ORN = 0x2a200000,
	A_UDIV = 0x1ac00800, A_SDIV = 0x1ac00c00, A_LSLV = 0x1ac02000, A_LSRV = 0x1ac02400,
	A_ASRV = 0x1ac02800, A_MADD = 0x1b000000, A_MSUB = 0x1b008000 };
enum { A_EQ, A_NE, A_HS, A_LO, A_MI, A_PL, A_VS, A_VC, A_HI, A_LS, A_GE, A_LT, A_GT, A_LE };

static inline void a_put(struct dt_native *n, uint32_t word)
{
	uint8_t b[4] = { (uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24) };

	dt_native_put(n, b, sizeof(b));
}

/* rd = rn op rm, shifted left */
static inline void a_rrr(struct dt_native *n, bool w, uint32_t op, int rd, int rn, int rm, unsigned shift)
{
	a_put(n, op | (uint32_t)w << 31 | (uint32_t)rm << 16 | shift << 10 | (uint32_t)rn << 5 |
	    (uint32_t)rd);
}

void a_imm(struct dt_native *, bool w, int rd, uint64_t v);
/* rd = rn + v, rn may be the stack pointer, rd too; t: a register for v where it needs one, never rn */
void a_addi(struct dt_native *, bool w, int rd, int rn, int64_t v, int t);
void a_mov(struct dt_native *, bool w, int rd, int rn);
/* AND, ORR, EOR or ANDS with a number; false: it has no such form */
bool a_logical(struct dt_native *, bool w, uint32_t op, int rd, int rn, uint64_t v);
/* CMP with a number; false: it has no such form */
bool a_cmpi(struct dt_native *, bool w, int rn, int64_t v);
/* bits: from `low` on, `len` of them, to the bottom of rd; sign: extended with their sign */
void a_extract(struct dt_native *, bool w, bool sign, int rd, int rn, unsigned low, unsigned len);
void a_shift_left(struct dt_native *, bool w, int rd, int rn, unsigned by);

enum a_access { A_STORE, A_LOAD, A_LOAD_SIGNED };
/* size: log2 of bytes */
void a_memory(struct dt_native *, enum a_access, unsigned size, int rt, int base, int64_t off, int t);
/* rd = the address of a place */
void a_address(struct dt_native *, int rd, uint64_t at);
/* rt = what is there */
void a_load_at(struct dt_native *, unsigned size, int rt, uint64_t at, int t);
/* B or BL to a place */
void a_branch(struct dt_native *, bool link, uint64_t at);

#endif
