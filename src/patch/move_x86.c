/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An instruction of x86-64 in another place: operands relative to the next instruction are adjusted, branches
 * get their long form, and a call becomes a push of the original return address and a jump, so that whatever
 * walks the stack sees the program's own code. No register and no flag is used for it.
 */
#include "patch/patch_code.h"

#include "machine/x86.h"

#include <string.h>

static const char far[] = "what its instruction refers to is too far from the trampoline";
static const char unknown[] = "the instruction is not known";

/* `skip` bytes follow the field, which is relative to the instruction after it. */
static bool relative(struct dt_patch_code *c, uint64_t to, unsigned skip)
{
	int64_t d = (int64_t)(to - (dt_patch_here(c) + 4 + skip));

	dt_patch_emit_int(c, (uint64_t)d, 4);
	return dt_patch_fits(d, 32);
}

bool dt_patch_x86_jump(struct dt_patch_code *c, uint64_t to)
{
	dt_patch_emit_int(c, 0xe9, 1);
	return relative(c, to, 0);
}

/* push with the low half, then the high one: there is no push of eight bytes */
static void push(struct dt_patch_code *c, uint64_t v)
{
	dt_patch_emit_int(c, 0x68, 1);
	dt_patch_emit_int(c, v, 4);
	dt_patch_emit(c, "\xc7\x44\x24\x04", 4);	/* movl $high, 4(%rsp) */
	dt_patch_emit_int(c, v >> 32, 4);
}

/* jcc, jmp, call, loop, jrcxz */
static const char *branch(struct dt_patch_code *c, const struct dt_x86 *x, uint64_t to, uint64_t next)
{
	bool one = x->map == DT_X86_ONE, good;

	if (x->prefixes & DT_X86_OPERAND && !(x->prefixes & DT_X86_REX_W))
		return unknown;		/* AMD: a jump to an address of two bytes */
	if (one && x->opcode == 0xe8) {
		push(c, next);
		good = dt_patch_x86_jump(c, to);
	} else if (one && (x->opcode == 0xe9 || x->opcode == 0xeb)) {
		good = dt_patch_x86_jump(c, to);
	} else if ((one && x->opcode >> 4 == 7) || (x->map == DT_X86_0F && x->opcode >> 4 == 8)) {
		dt_patch_emit_int(c, 0x800f | (x->opcode & 15u) << 8, 2);
		good = relative(c, to, 0);
	} else if (one && x->opcode >> 2 == 0xe0 >> 2) {
		/* these have one byte: over the jump that goes on, to one that does not */
		if (x->prefixes & DT_X86_ADDRESS)
			dt_patch_emit_int(c, 0x67, 1);
		dt_patch_emit_int(c, 0x05eb0200u | x->opcode, 4);
		good = dt_patch_x86_jump(c, to);
	} else {
		return unknown;		/* xbegin */
	}
	return good ? NULL : far;
}

/* As it is, with the displacement of an operand that is relative to the next instruction. */
static const char *copy(struct dt_patch_code *c, const struct dt_x86 *x, const uint8_t *bytes, uint64_t at)
{
	unsigned rest = x->length - x->disp_at - 4u;
	bool good;

	if (!x->has_modrm || x->mod != 0 || x->rm != 5) {
		dt_patch_emit(c, bytes, x->length);
		return NULL;
	}
	if (x->prefixes & DT_X86_ADDRESS)
		return unknown;
	dt_patch_emit(c, bytes, x->disp_at);
	good = relative(c, at + x->length + (uint64_t)(int64_t)x->disp, rest);
	dt_patch_emit(c, bytes + x->disp_at + 4, rest);
	return good ? NULL : far;
}

/* By a register or memory: jmp has another number in ModRM. The operand must not depend on the push. */
static const char *call(struct dt_patch_code *c, const struct dt_x86 *x, const uint8_t *bytes, uint64_t at)
{
	bool high = x->prefixes & DT_X86_REX && bytes[x->modrm_at - 2] & 1;
	uint8_t jump[16];

	if (x->prefixes & DT_X86_OPERAND)
		return unknown;
	if (x->rm == 4 && !high && (x->mod == 3 || (bytes[x->modrm_at + 1] & 7) == 4))
		return "it calls by an address on the stack";
	push(c, at + x->length);
	memcpy(jump, bytes, x->length);
	jump[x->modrm_at] = (uint8_t)((jump[x->modrm_at] & ~0x38) | 4 << 3);
	return copy(c, x, jump, at);
}

/* int3, int, int1, iret; ud2, ud1, ud0: signal handlers look at their address */
static bool is_trap(const struct dt_x86 *x)
{
	if (x->map == DT_X86_ONE)
		return x->opcode == 0xcc || x->opcode == 0xcd || x->opcode == 0xf1 || x->opcode == 0xcf;
	return x->map == DT_X86_0F && (x->opcode == 0x0b || x->opcode == 0xb9 || x->opcode == 0xff);
}

const char *dt_patch_x86_move(struct dt_patch_code *c, const struct dt_x86 *x, const uint8_t *bytes,
    uint64_t at, bool shadow_stack)
{
	bool group = x->map == DT_X86_ONE && x->opcode == 0xff;
	bool calls = (group && x->reg == 2) || (x->map == DT_X86_ONE && x->opcode == 0xe8);

	if (is_trap(x))
		return "the instruction is a trap";
	if (group && (x->reg == 3 || x->reg == 5))
		return unknown;		/* far */
	if (calls && shadow_stack)
		return "it is a call, which must be one where calls are checked by a shadow stack";
	if (x->relative)
		return branch(c, x, at + x->length + (uint64_t)x->imm, at + x->length);
	return calls ? call(c, x, bytes, at) : copy(c, x, bytes, at);
}
