/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoding of instructions of x86-64: prefixes, opcode, operands. */
#include "native/asm_x86_64.h"

void x_bytes(struct dt_native *n, unsigned count, const uint8_t *b) { dt_native_put(n, b, count); }

static void byte(struct dt_native *n, unsigned b)
{
	uint8_t v = (uint8_t)b;

	dt_native_put(n, &v, 1);
}

void x_number(struct dt_native *n, uint32_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		byte(n, v >> 8 * i);
}

/* Registers from 8 on, and 64 bits, are in a prefix; so is that 4 to 7 as bytes are sil and the like. */
static void prefixes(struct dt_native *n, unsigned flags, unsigned op, int reg, int rm)
{
	unsigned rex = (flags & X_W ? 8u : 0) | (reg > 7 ? 4u : 0) | (rm > 7 ? 1u : 0);

	if (flags & X_LOCK)
		byte(n, 0xf0);
	if (flags & X_16)
		byte(n, 0x66);
	if (rex || (flags & X_BYTE && reg > 3))
		byte(n, 0x40 | rex);
	if (op > 0xff)
		byte(n, 0x0f);
	byte(n, op);
}

void x_reg(struct dt_native *n, unsigned flags, unsigned op, int reg, int rm)
{
	prefixes(n, flags, op, reg, rm);
	byte(n, 0xc0 | ((unsigned)reg & 7) << 3 | ((unsigned)rm & 7));
}

void x_mem(struct dt_native *n, unsigned flags, unsigned op, int reg, int base, int32_t off)
{
	unsigned low = (unsigned)base & 7, form = off == 0 && low != X_BP ? 0 : off == (int8_t)off ? 1 : 2;

	prefixes(n, flags, op, reg, base);
	byte(n, form << 6 | ((unsigned)reg & 7) << 3 | low);
	if (low == X_SP)
		byte(n, 0x24);		/* its number means that another byte follows */
	x_number(n, (uint32_t)off, form == 0 ? 0 : form == 1 ? 1 : 4);
}

/* From the end of the four bytes that follow. */
static uint32_t distance(struct dt_native *n, uint64_t at)
{
	int64_t d = (int64_t)at - (int64_t)(n->place->at + n->len + 4);

	if (d != (int32_t)d)
		dt_native_fail(n, -ERANGE, "program %.16s is too far from what it uses", n->prog->name);
	return (uint32_t)d;
}

void x_at(struct dt_native *n, unsigned flags, unsigned op, int reg, uint64_t at)
{
	prefixes(n, flags, op, reg, 0);
	byte(n, ((unsigned)reg & 7) << 3 | 5);
	x_number(n, distance(n, at), 4);
}

void x_go(struct dt_native *n, unsigned op, uint64_t at)
{
	byte(n, op);
	x_number(n, distance(n, at), 4);
}

void x_mov(struct dt_native *n, bool w, int rd, int rs)
{
	if (rd != rs || !w)
		x_reg(n, w, X_MOV, rs, rd);
}

void x_imm(struct dt_native *n, int rd, uint64_t v)
{
	if (v == 0) {
		x_reg(n, 0, 0x31, rd, rd);
	} else if (v == (uint32_t)v) {
		if (rd > 7)
			byte(n, 0x41);
		byte(n, 0xb8 | ((unsigned)rd & 7));
		x_number(n, (uint32_t)v, 4);
	} else if (v == (uint64_t)(int32_t)v) {
		x_reg(n, X_W, 0xc7, 0, rd);
		x_number(n, (uint32_t)v, 4);
	} else {
		byte(n, 0x48 | (rd > 7));
		byte(n, 0xb8 | ((unsigned)rd & 7));
		x_number(n, (uint32_t)v, 4);
		x_number(n, (uint32_t)(v >> 32), 4);
	}
}

void x_arith(struct dt_native *n, bool w, unsigned op, int rd, int32_t v)
{
	bool small = v == (int8_t)v;

	x_reg(n, w, small ? 0x83 : 0x81, (int)op, rd);
	x_number(n, (uint32_t)v, small ? 1 : 4);
}

void x_shift(struct dt_native *n, bool w, unsigned op, int rd, unsigned by)
{
	if (by == 0) {
		x_mov(n, w, rd, rd);
		return;
	}
	x_reg(n, w, 0xc1, (int)op, rd);
	byte(n, by);
}

void x_mul(struct dt_native *n, bool w, int rd, int32_t v)
{
	bool small = v == (int8_t)v;

	x_reg(n, w, small ? 0x6b : 0x69, rd, rd);
	x_number(n, (uint32_t)v, small ? 1 : 4);
}

void x_push(struct dt_native *n, int r)
{
	if (r > 7)
		byte(n, 0x41);
	byte(n, 0x50 | ((unsigned)r & 7));
}

void x_pop(struct dt_native *n, int r)
{
	if (r > 7)
		byte(n, 0x41);
	byte(n, 0x58 | ((unsigned)r & 7));
}

void x_jump(struct dt_native *n, int cond, uint32_t to)
{
	unsigned size = n->note[n->insn].wide ? 4 : 1;
	size_t at;
	int64_t d;

	if (size == 1) {
		byte(n, cond < 0 ? 0xeb : 0x70u | (unsigned)cond);
	} else if (cond < 0) {
		byte(n, 0xe9);
	} else {
		byte(n, 0x0f);
		byte(n, 0x80u | (unsigned)cond);
	}
	at = n->len;
	x_number(n, 0, size);
	d = dt_native_jump(n, to);
	for (unsigned i = 0; i < size && !n->err; i++)
		n->bytes[at + i] = (uint8_t)(d >> 8 * i);
}

size_t x_ahead(struct dt_native *n, int cond)
{
	byte(n, cond < 0 ? 0xeb : 0x70u | (unsigned)cond);
	byte(n, 0);
	return n->len;
}

void x_here(struct dt_native *n, size_t jump)
{
	if (!n->err)
		n->bytes[jump - 1] = (uint8_t)(n->len - jump);
}

void x_back(struct dt_native *n, int cond, size_t to)
{
	byte(n, 0x70u | (unsigned)cond);
	byte(n, (unsigned)(to - n->len - 1));
}
