/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An instruction of aarch64 in another place: those that depend on their address are written anew so that all
 * registers and the flags become what they would have become. Forms that are not known to be independent of
 * it are refused. Islands are not mapped with PROT_BTI: br from there may lead to any landing pad.
 */
#include "patch/patch_code.h"

enum { X16 = 16, X30 = 30, ZERO = 31, NOP = 0xd503201f };

static const char far[] = "what its instruction refers to is too far from the trampoline";

static void word(struct dt_patch_code *c, uint32_t w) { dt_patch_emit_int(c, w, 4); }

/* The signed field of `bits` bits at bit `at`. */
static int64_t field(uint32_t w, unsigned at, unsigned bits)
{
	return (int64_t)((uint64_t)w << (64 - bits - at)) >> (64 - bits);
}

/* adr and adrp: their number is in two parts. */
static uint32_t adr(uint32_t op, unsigned reg, int64_t v)
{
	return op | ((uint32_t)v & 3) << 29 | ((uint32_t)(v >> 2) & 0x7ffff) << 5 | reg;
}

void dt_patch_aarch64_address(struct dt_patch_code *c, unsigned reg, uint64_t value)
{
	int64_t near = (int64_t)(value - dt_patch_here(c));
	int64_t pages = (int64_t)((value >> 12) - (dt_patch_here(c) >> 12));

	if (dt_patch_fits(near, 21)) {
		word(c, adr(0x10000000, reg, near));
	} else if (dt_patch_fits(pages, 21)) {
		word(c, adr(0x90000000, reg, pages));
		if ((value & 0xfff) != 0)		/* add */
			word(c, 0x91000000 | (uint32_t)(value & 0xfff) << 10 | reg << 5 | reg);
	} else {
		word(c, 0xd2800000 | (uint32_t)(value & 0xffff) << 5 | reg);	/* movz, movk */
		for (unsigned i = 1; i < 4; i++)
			word(c, 0xf2800000 | i << 21 | (uint32_t)(value >> 16 * i & 0xffff) << 5 | reg);
	}
}

static const char *branch(struct dt_patch_code *c, uint64_t to)
{
	int64_t d = (int64_t)(to - dt_patch_here(c)) / 4;

	if (!dt_patch_fits(d, 26))
		return far;
	word(c, 0x14000000 | ((uint32_t)d & 0x3ffffff));
	return NULL;
}

/* b.cond, cbz, tbz with a field of `bits` bits: over the branch that goes on, to one that does not. */
static const char *conditional(struct dt_patch_code *c, uint32_t w, uint64_t at, unsigned bits)
{
	uint32_t mask = ((1u << bits) - 1) << 5;
	uint64_t to = at + (uint64_t)(field(w, 5, bits) * 4);
	const char *why;

	word(c, (w & ~mask) | 2 << 5);
	why = branch(c, at + 4);
	return why != NULL ? why : branch(c, to);
}

/* A call by a jump: the link register is what it would have been. */
static const char *call(struct dt_patch_code *c, uint64_t at, bool shadow_stack)
{
	if (shadow_stack)
		return "it is a call, which must be one where calls are checked by a shadow stack";
	dt_patch_aarch64_address(c, X30, at + 4);
	return NULL;
}

/* br, blr, ret, and those with authentication, whose modifier may be a register */
static const char *by_register(struct dt_patch_code *c, uint32_t w, uint64_t at, bool shadow_stack)
{
	unsigned what = w >> 21 & 7, key = w >> 10 & 63, reg = w >> 5 & 31, modifier = w & 31;
	bool plain = key == 0 && modifier == 0 && w >> 24 == 0xd6;
	bool zero = (key == 2 || key == 3) && modifier == 31 && w >> 24 == 0xd6;
	bool signed_by = (key == 2 || key == 3) && w >> 24 == 0xd7 && what < 2;
	const char *why = NULL;

	if ((w >> 16 & 31) != 31 || what > 2 || !(plain || zero || signed_by))
		return "the instruction is not known";
	if (what != 1) {
		word(c, w);
		return NULL;
	}
	if (reg == X30 || (signed_by && modifier == X30))
		return "it calls through the link register";
	why = call(c, at, shadow_stack);
	word(c, w & ~(1u << 21));
	return why;
}

/* ldr of a word near the instruction. A vector register is loaded by one that is saved around it. */
static const char *literal(struct dt_patch_code *c, uint32_t w, uint64_t at)
{
	static const uint32_t load[2][3] = { { 0xb9400000, 0xf9400000, 0xb9800000 },
		{ 0xbd400000, 0xfd400000, 0x3dc00000 } };
	unsigned size = w >> 30, vector = w >> 26 & 1, reg = w & 31;
	uint64_t from = at + (uint64_t)(field(w, 5, 19) * 4);
	int64_t near = (int64_t)(from - dt_patch_here(c));

	if (size == 3 && vector)
		return "the instruction is not known";
	if (dt_patch_fits(near, 21)) {
		word(c, (w & 0xff00001f) | ((uint32_t)(near / 4) & 0x7ffff) << 5);
	} else if (size == 3) {
		word(c, NOP);		/* prfm, a hint */
	} else if (!vector && reg == ZERO) {
		return far;
	} else if (!vector) {
		dt_patch_aarch64_address(c, reg, from);
		word(c, load[0][size] | reg << 5 | reg);
	} else {
		word(c, 0xa9bf47f0);	/* stp x16, x17, [sp, #-16]! */
		dt_patch_aarch64_address(c, X16, from);
		word(c, load[1][size] | X16 << 5 | reg);
		word(c, 0xa8c147f0);	/* ldp x16, x17, [sp], #16 */
	}
	return NULL;
}

/* ldxr, ldaxr, ldxp and stxr, stlxr, stxp; casp, ldar, stlr and cas are in the same group */
enum dt_exclusive dt_patch_aarch64_exclusive(uint32_t w)
{
	bool pair = w >> 21 & 1;

	if ((w & 0x3e800000) != 0x08000000 || (pair && w >> 31 == 0))
		return DT_EXCLUSIVE_NONE;
	return w >> 22 & 1 ? DT_EXCLUSIVE_LOAD : DT_EXCLUSIVE_STORE;
}

/* Branches, exceptions and system instructions; all other forms of this group are new. */
static const char *branches(struct dt_patch_code *c, uint32_t w, uint64_t at, bool shadow_stack)
{
	const char *why = NULL;

	if ((w & 0x7c000000) == 0x14000000) {
		uint64_t to = at + (uint64_t)(field(w, 0, 26) * 4);

		if (w >> 31)
			why = call(c, at, shadow_stack);
		return why != NULL ? why : branch(c, to);
	}
	if ((w & 0xff000000) == 0x54000000 || (w & 0x7e000000) == 0x34000000)
		return conditional(c, w, at, 19);
	if ((w & 0x7e000000) == 0x36000000)
		return conditional(c, w, at, 14);
	if ((w & 0xfe000000) == 0xd6000000)
		return by_register(c, w, at, shadow_stack);
	if (w >> 24 == 0xd4 && (w & 0xffe0001f) != 0xd4000001)
		return "the instruction is a trap";
	if (w >> 24 != 0xd4 && w >> 24 != 0xd5)
		return "the instruction is not known";
	word(c, w);		/* svc; hints, barriers, system registers */
	return NULL;
}

bool dt_patch_aarch64_prefix(uint32_t w)
{
	return (w & 0xfffffc00) == 0x0420bc00 || (w & 0xff3ee000) == 0x04102000;
}

/* What means something else in another place, or next to other instructions. */
static const char *immovable(uint32_t w)
{
	if (w >> 16 == 0)
		return "the instruction is a trap";
	if (dt_patch_aarch64_exclusive(w) != DT_EXCLUSIVE_NONE)
		return "it is part of an exclusive access, which a probe would break";
	/* pacia and autia with the pc, pacm */
	if ((w & 0xffff8000) == 0xdac18000 || (w & 0xff800000) == 0xf3800000 || w == 0xd50324ff)
		return "it signs with its own address";
	/* cpy and set: the kernel may go back to the first of three by its distance */
	if (dt_patch_aarch64_prefix(w) || (w & 0x3b200c00) == 0x19000400)
		return "it belongs together with the next instruction";
	return NULL;
}

const char *dt_patch_aarch64_move(struct dt_patch_code *c, uint32_t w, uint64_t at, bool shadow_stack)
{
	const char *why = immovable(w);
	int64_t adr_field = field(w, 5, 19) * 4 + (w >> 29 & 3);

	if (why != NULL)
		return why;
	if ((w & 0x1c000000) == 0x14000000)
		return branches(c, w, at, shadow_stack);
	if ((w & 0x3b000000) == 0x18000000)
		return literal(c, w, at);
	if ((w & 0x1f000000) != 0x10000000)
		word(c, w);
	else if ((w & 31) == ZERO)
		word(c, NOP);
	else if (w >> 31)
		dt_patch_aarch64_address(c, w & 31, (at & ~(uint64_t)0xfff) + (uint64_t)(adr_field * 4096));
	else
		dt_patch_aarch64_address(c, w & 31, at + (uint64_t)adr_field);
	return NULL;
}
