/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoding of instructions of aarch64: which form a number or an offset has. */
#include "native/asm_aarch64.h"

/* The number as 16-bit pieces: those that are not the filling need an instruction each. */
static unsigned pieces(uint64_t v, unsigned n, uint16_t filling)
{
	unsigned count = 0;

	for (unsigned i = 0; i < n; i++)
		count += (uint16_t)(v >> 16 * i) != filling;
	return count;
}

void a_imm(struct dt_native *n, bool w, int rd, uint64_t v)
{
	unsigned parts = w ? 4 : 2;
	bool ones = pieces(v, parts, 0xffff) < pieces(v, parts, 0), first = true;
	uint16_t filling = ones ? 0xffff : 0;
	uint32_t sf = (uint32_t)w << 31;

	if (pieces(v, parts, filling) == 0)		/* nothing but filling */
		parts = 1;
	else if (pieces(v, parts, filling) > 1 && a_logical(n, w, A_ORR, rd, A_ZR, v))
		return;
	for (unsigned i = 0; i < parts; i++) {
		uint16_t piece = (uint16_t)(v >> 16 * i);
		uint32_t op = !first ? 0x72800000 : ones ? 0x12800000 : 0x52800000;

		if (piece == filling && !(first && i + 1 == parts))
			continue;
		if (first && ones)
			piece = (uint16_t)~piece;
		a_put(n, op | sf | i << 21 | (uint32_t)piece << 5 | (uint32_t)rd);
		first = false;
	}
}

/* 12 bits, or 12 bits that are 12 further up */
static bool add_form(uint64_t v, uint32_t *form)
{
	*form = v < 4096 ? (uint32_t)v << 10 : 1u << 22 | (uint32_t)(v >> 12) << 10;
	return v < 4096 || ((v & 0xfff) == 0 && v >> 24 == 0);
}

void a_mov(struct dt_native *n, bool w, int rd, int rn)
{
	if (rd != rn || !w)
		a_rrr(n, w, A_ORR, rd, A_ZR, rn, 0);
}

void a_addi(struct dt_native *n, bool w, int rd, int rn, int64_t v, int t)
{
	uint64_t size = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	uint32_t form, sf = (uint32_t)w << 31, regs = (uint32_t)rn << 5 | (uint32_t)rd;

	if (add_form(size, &form)) {
		a_put(n, (v < 0 ? 0x51000000 : 0x11000000) | sf | form | regs);
	} else if (size >> 24 == 0) {
		uint32_t high = 1u << 22 | (uint32_t)(size >> 12) << 10, low = (uint32_t)(size & 0xfff) << 10;
		uint32_t op = (v < 0 ? 0x51000000 : 0x11000000) | sf;

		a_put(n, op | high | regs);
		a_put(n, op | low | (uint32_t)rd << 5 | (uint32_t)rd);
	} else {
		a_imm(n, w, t, (uint64_t)v);
		a_rrr(n, w, A_ADD, rd, rn, t, 0);
	}
}

bool a_cmpi(struct dt_native *n, bool w, int rn, int64_t v)
{
	uint64_t size = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	uint32_t form;

	if (!add_form(size, &form))
		return false;
	/* a negative number: CMN adds its opposite */
	a_put(n, (v < 0 ? 0x31000000 : 0x71000000) | (uint32_t)w << 31 | form | (uint32_t)rn << 5 | A_ZR);
	return true;
}

static uint64_t ones(unsigned n) { return n >= 64 ? UINT64_MAX : (1ull << n) - 1; }

/*
 * A bitmask: an element of 2 to 64 bits, repeated, that is a run of ones rotated right. N, immr and imms of
 * the instruction; false: it is none.
 */
static bool bitmask(uint64_t v, bool w, uint32_t *form)
{
	unsigned size = w ? 64 : 32;

	if (!w)
		v = (uint32_t)v | v << 32;
	if (v == 0 || v == UINT64_MAX)
		return false;
	while (size > 2 && ((v ^ v >> size / 2) & ones(size / 2)) == 0)
		size /= 2;
	v &= ones(size);
	for (unsigned r = 0; r < size; r++) {
		uint64_t turned = (v << r | v >> (size - r) % 64) & ones(size);
		unsigned run = (unsigned)__builtin_popcountll(v);

		if (r == 0)
			turned = v;
		if (turned != ones(run))
			continue;
		/* imms: ones at the top tell the size of the element, below them stands the length - 1 */
		*form = (size == 64) << 22 | r << 16 | ((~(size * 2 - 1) & 0x3f) | (run - 1)) << 10;
		return true;
	}
	return false;
}

bool a_logical(struct dt_native *n, bool w, uint32_t op, int rd, int rn, uint64_t v)
{
	uint32_t form;

	if (!bitmask(v, w, &form))
		return false;
	/* the form with a number differs from that with a register in these bits */
	a_put(n, (op & 0x60000000) | 0x12000000 | (uint32_t)w << 31 | form | (uint32_t)rn << 5 |
	    (uint32_t)rd);
	return true;
}

static void bitfield(struct dt_native *n, bool w, bool sign, int rd, int rn, unsigned immr, unsigned imms)
{
	a_put(n, (sign ? 0x13000000 : 0x53000000) | (uint32_t)w << 31 | (uint32_t)w << 22 | immr << 16 |
	    imms << 10 | (uint32_t)rn << 5 | (uint32_t)rd);
}

void a_extract(struct dt_native *n, bool w, bool sign, int rd, int rn, unsigned low, unsigned len)
{
	bitfield(n, w, sign, rd, rn, low, low + len - 1);
}

void a_shift_left(struct dt_native *n, bool w, int rd, int rn, unsigned by)
{
	unsigned bits = w ? 64 : 32;

	bitfield(n, w, false, rd, rn, (bits - by) % bits, bits - 1 - by);
}

void a_memory(struct dt_native *n, enum a_access what, unsigned size, int rt, int base, int64_t off, int t)
{
	static const uint32_t scaled[] = { 0x39000000, 0x39400000, 0x39800000 };
	static const uint32_t unscaled[] = { 0x38000000, 0x38400000, 0x38800000 };
	static const uint32_t indexed[] = { 0x38206800, 0x38606800, 0x38a06800 };
	uint32_t regs = size << 30 | (uint32_t)base << 5 | (uint32_t)rt;

	if (off >= 0 && off % (1 << size) == 0 && off >> size < 4096) {
		a_put(n, scaled[what] | regs | (uint32_t)(off >> size) << 10);
	} else if (off >= -256 && off < 256) {
		a_put(n, unscaled[what] | regs | ((uint32_t)off & 0x1ff) << 12);
	} else {
		a_imm(n, true, t, (uint64_t)off);
		a_put(n, indexed[what] | regs | (uint32_t)t << 16);
	}
}

static void adrp(struct dt_native *n, int rd, uint64_t at)
{
	int64_t pages = (int64_t)(at >> 12) - (int64_t)((n->place->at + n->len) >> 12);

	if (pages < -(1 << 20) || pages >= 1 << 20)
		dt_native_fail(n, -ERANGE, "program %.16s is too far from its data", n->prog->name);
	a_put(n, 0x90000000 | ((uint32_t)pages & 3) << 29 | ((uint32_t)(pages >> 2) & 0x7ffff) << 5 |
	    (uint32_t)rd);
}

void a_address(struct dt_native *n, int rd, uint64_t at)
{
	adrp(n, rd, at);
	a_put(n, 0x91000000 | (uint32_t)(at & 0xfff) << 10 | (uint32_t)rd << 5 | (uint32_t)rd);
}

void a_load_at(struct dt_native *n, unsigned size, int rt, uint64_t at, int t)
{
	if (at & ((1u << size) - 1))
		dt_native_fail(n, -EINVAL,
		    "program %.16s reads a value that does not begin at a multiple of 8",
		    n->prog->name);
	adrp(n, t, at);
	a_memory(n, A_LOAD, size, rt, t, (int64_t)(at & 0xfff), t);
}

void a_branch(struct dt_native *n, bool link, uint64_t at)
{
	int64_t d = (int64_t)at - (int64_t)(n->place->at + n->len);

	if (d < -(1 << 27) || d >= 1 << 27)
		dt_native_fail(n, -ERANGE, "program %.16s is too far from what it calls", n->prog->name);
	a_put(n, (link ? 0x94000000 : 0x14000000) | ((uint32_t)(d >> 2) & 0x3ffffff));
}
