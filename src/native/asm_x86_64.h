/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions of x86-64 by their forms. An opcode above 0xff has the byte 0x0f before it. */
#ifndef DT_NATIVE_ASM_X86_64_H
#define DT_NATIVE_ASM_X86_64_H

#include "native/code.h"

enum { X_AX, X_CX, X_DX, X_BX, X_SP, X_BP, X_SI, X_DI, X_8, X_9, X_10, X_11, X_12, X_13, X_14, X_15 };
enum { X_W = 1, X_16 = 2, X_BYTE = 4, X_LOCK = 8 };	/* flags: 64 bits; 16; a register of 8; locked */
enum { X_B = 2, X_AE, X_E, X_NE, X_BE, X_A, X_L = 12, X_GE, X_LE, X_G };	/* conditions */
/* numbers of operations: of those with a number, and of shifts */
enum { X_ADD, X_OR, X_AND = 4, X_SUB, X_XOR, X_CMP };
enum { X_ROL = 0, X_SHL = 4, X_SHR, X_SAR = 7 };
enum { X_MOV = 0x89, X_TEST = 0x85, X_LOAD = 0x8b, X_LEA = 0x8d, X_IMUL = 0x1af };

void x_bytes(struct dt_native *, unsigned count, const uint8_t *);
/* op reg, rm: which one is written depends on the opcode */
void x_reg(struct dt_native *, unsigned flags, unsigned op, int reg, int rm);
void x_mem(struct dt_native *, unsigned flags, unsigned op, int reg, int base, int32_t off);
/* the same with the address of a place */
void x_at(struct dt_native *, unsigned flags, unsigned op, int reg, uint64_t at);
void x_mov(struct dt_native *, bool w, int rd, int rs);		/* nothing when it does nothing */
void x_imm(struct dt_native *, int rd, uint64_t v);
void x_arith(struct dt_native *, bool w, unsigned op, int rd, int32_t v);
void x_shift(struct dt_native *, bool w, unsigned op, int rd, unsigned by);
void x_mul(struct dt_native *, bool w, int rd, int32_t v);
void x_number(struct dt_native *, uint32_t v, unsigned bytes);	/* after an instruction that has one */
void x_push(struct dt_native *, int r);
void x_pop(struct dt_native *, int r);
/* CALL 0xe8 or JMP 0xe9 to a place */
void x_go(struct dt_native *, unsigned op, uint64_t at);
/* Jump to an instruction of eBPF: cond < 0 always. */
void x_jump(struct dt_native *, int cond, uint32_t to);
/* A short jump ahead, within an instruction of eBPF: x_here() says to where. */
size_t x_ahead(struct dt_native *, int cond);
void x_here(struct dt_native *, size_t jump);
void x_back(struct dt_native *, int cond, size_t to);

#endif
