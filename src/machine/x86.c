/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes the length and the fields of x86-64 instructions: prefixes, opcode, ModRM, SIB, displacement and
 * immediate operands. Names and meanings of instructions are not known here. The bytes are untrusted: none
 * after `end` is read, which is at most 15 bytes, the longest instruction, from the start.
 */
#include "machine/x86.h"

#include <string.h>

enum { LENGTH_MAX = 15 };

/*
 * What follows an opcode:
 *   .  nothing           m  ModRM                 !  not defined in 64-bit mode
 *   b  1 byte            M  ModRM, 1 byte         p  a prefix or an escape
 *   w  2 bytes           Z  ModRM, 2 or 4 bytes   c  ModRM that names registers whatever mod says
 *   e  3 bytes (enter)   z  2 or 4 bytes          v  2, 4 or 8 bytes
 *   j  1 byte, relative  J  4 bytes, relative     o  an address: 4 or 8 bytes
 *   g  ModRM, 1 byte for test (f6)                G  ModRM, 2 or 4 bytes for test (f7)
 *   x  ModRM, 2 bytes for SSE4a (0f 78)
 * The operand size prefix does not shorten a relative operand: Intel ignores it there, and compilers emit it
 * as padding only with REX.W.
 */
static const char one_byte[] =
	"mmmmbz!!mmmmbz!p" "mmmmbz!!mmmmbz!!" "mmmmbzp!mmmmbzp!" "mmmmbzp!mmmmbzp!"
	"pppppppppppppppp" "................" "!!pmppppzZbM...." "jjjjjjjjjjjjjjjj"
	"MZ!Mmmmmmmmmmmmm" "..........!....." "oooo....bz......" "bbbbbbbbvvvvvvvv"
	"MMw.ppMZe.w..b!." "mmmm!!!.mmmmmmmm" "jjjjbbbbJJ!j...." "p.pp..gG......mm";
static const char two_bytes[] =
	"mmmm!.....!.!m.M" "mmmmmmmmmmmmmmmm" "cccc!!!!mmmmmmmm" "......!.p!p!!!!!"
	"mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "MMMMmmm.xm!!mmmm"
	"JJJJJJJJJJJJJJJJ" "mmmmmmmmmmmmmmmm" "...mMmmm...mMmmm" "mmmmmmmmmmMmmmmm"
	"mmMmMMMm........" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm";

struct cursor { const uint8_t *at, *end, *start; };

/* A little-endian number of n bytes, with its sign. */
static bool take(struct cursor *c, unsigned n, int64_t *v)
{
	uint64_t bits = 0;

	if ((size_t)(c->end - c->at) < n)
		return false;
	for (unsigned i = 0; i < n; i++)
		bits |= (uint64_t)c->at[i] << 8 * i;
	c->at += n;
	*v = n == 0 ? 0 : (int64_t)(bits << (64 - 8 * n)) >> (64 - 8 * n);
	return true;
}

static bool take_byte(struct cursor *c, uint8_t *v)
{
	if (c->at == c->end)
		return false;
	*v = *c->at++;
	return true;
}

static uint8_t prefix_of(uint8_t byte)
{
	switch (byte) {
	case 0x66: return DT_X86_OPERAND;
	case 0x67: return DT_X86_ADDRESS;
	case 0xf0: return DT_X86_LOCK;
	case 0xf2: return DT_X86_REPNE;
	case 0xf3: return DT_X86_REP;
	case 0x3e: return DT_X86_NOTRACK;
	default: return 0;
	}
}

static bool is_prefix(uint8_t byte)
{
	return prefix_of(byte) != 0 || byte == 0x2e || byte == 0x36 || byte == 0x26 || byte >> 1 == 0x64 >> 1;
}

/* REX counts only right before the opcode. Leaves the first byte that is no prefix in `opcode`. */
static bool take_prefixes(struct cursor *c, struct dt_x86 *x)
{
	for (;;) {
		uint8_t byte;

		if (!take_byte(c, &byte))
			return false;
		if (byte == 0x64 || byte == 0x65)	/* fs and gs take the place of notrack */
			x->prefixes &= (uint8_t)~DT_X86_NOTRACK;
		if (is_prefix(byte)) {
			x->prefixes &= (uint8_t)~(DT_X86_REX | DT_X86_REX_W);
			x->prefixes |= prefix_of(byte);
		} else if (byte >> 4 == 4) {
			x->prefixes &= (uint8_t)~DT_X86_REX_W;
			x->prefixes |= DT_X86_REX | (byte & 8 ? DT_X86_REX_W : 0);
		} else {
			x->opcode = byte;
			return true;
		}
	}
}

static bool take_modrm(struct cursor *c, struct dt_x86 *x, bool registers)
{
	uint8_t modrm, sib = 0;
	unsigned size;
	int64_t disp;

	if (!take_byte(c, &modrm))
		return false;
	x->has_modrm = true;
	x->modrm_at = (uint8_t)(c->at - 1 - c->start);
	x->mod = registers ? 3 : modrm >> 6;
	x->reg = modrm >> 3 & 7;
	x->rm = modrm & 7;
	x->index = 4;
	if (x->mod == 3)
		return true;
	if (x->rm == 4) {
		if (!take_byte(c, &sib))
			return false;
		x->index = sib >> 3 & 7;
	}
	x->disp_at = (uint8_t)(c->at - c->start);
	size = x->mod == 1 ? 1 : x->mod == 2 || x->rm == 5 || (x->rm == 4 && (sib & 7) == 5) ? 4 : 0;
	if (!take(c, size, &disp))
		return false;
	x->disp = (int32_t)disp;
	if (size == 0)
		x->disp_at = 0;
	return true;
}

/* Bytes of the immediate operands that a letter of the tables stands for. */
static unsigned immediate_size(const struct dt_x86 *x, char kind)
{
	unsigned z = x->prefixes & DT_X86_OPERAND && !(x->prefixes & DT_X86_REX_W) ? 2 : 4;

	switch (kind) {
	case 'b': case 'M': case 'j': return 1;
	case 'w': return 2;
	case 'e': return 3;
	case 'J': return 4;
	case 'z': case 'Z': return z;
	case 'v': return x->prefixes & DT_X86_REX_W ? 8 : z;
	case 'o': return x->prefixes & DT_X86_ADDRESS ? 4 : 8;
	case 'g': return x->reg < 2 ? 1 : 0;
	case 'G': return x->reg < 2 ? z : 0;
	case 'x': return x->prefixes & (DT_X86_OPERAND | DT_X86_REPNE) ? 2 : 0;
	default: return 0;
	}
}

/* Encodings of defined opcodes that mean nothing, by the field that tells which of a group is meant. */
static bool defined(const struct dt_x86 *x)
{
	/* lock is for memory; AMD reads cr8 by it (0f 20 … 23) */
	if (x->prefixes & DT_X86_LOCK && (!x->has_modrm || x->mod == 3) &&
	    !(x->map == DT_X86_0F && x->opcode >> 2 == 8))
		return false;
	if (x->map == DT_X86_0F)
		return x->opcode != 0xba || x->reg >= 4;
	if (x->map != DT_X86_ONE)
		return true;
	switch (x->opcode) {
	case 0x8c: return x->reg < 6;
	case 0x8d: return x->mod != 3;
	case 0x8e: return x->reg < 6 && x->reg != 1;
	case 0x8f: return x->reg == 0;
	case 0xc6: case 0xc7: return x->reg == 0 || (x->reg == 7 && x->mod == 3 && x->rm == 0);
	case 0xfe: return x->reg < 2;
	case 0xff: return x->reg < 7 && (x->mod != 3 || (x->reg != 3 && x->reg != 5));
	default: return true;
	}
}

static bool take_operands(struct cursor *c, struct dt_x86 *x, char kind)
{
	if (kind == '!' || kind == 'p')
		return false;
	if (strchr("mMZcgGx", kind) != NULL && !take_modrm(c, x, kind == 'c'))
		return false;
	/* xbegin: where an aborted transaction goes on */
	if (x->map == DT_X86_ONE && x->opcode == 0xc7 && x->reg == 7)
		x->relative = true;
	x->relative |= kind == 'j' || kind == 'J';
	return take(c, immediate_size(x, kind), &x->imm) && defined(x);
}

/* Legacy 0f 38 and 0f 3a: always ModRM, the latter with a byte. Ranges that are defined. */
static bool three_bytes_defined(const struct dt_x86 *x)
{
	static const uint8_t m38[][2] = { { 0x00, 0x0b }, { 0x10, 0x10 }, { 0x14, 0x15 }, { 0x17, 0x17 },
		{ 0x1c, 0x1e }, { 0x20, 0x25 }, { 0x28, 0x2b }, { 0x30, 0x35 }, { 0x37, 0x41 },
		{ 0x80, 0x82 }, { 0xc8, 0xcd }, { 0xcf, 0xcf }, { 0xd8, 0xd8 }, { 0xdb, 0xdf },
		{ 0xf0, 0xf1 }, { 0xf5, 0xf6 }, { 0xf8, 0xfc }, { 0, 0 } };
	static const uint8_t m3a[][2] = { { 0x08, 0x0f }, { 0x14, 0x17 }, { 0x20, 0x22 }, { 0x40, 0x42 },
		{ 0x44, 0x44 }, { 0x60, 0x63 }, { 0xcc, 0xcc }, { 0xce, 0xcf }, { 0xdf, 0xdf },
		{ 0xf0, 0xf0 }, { 0, 0 } };
	const uint8_t (*r)[2] = x->map == DT_X86_0F38 ? m38 : m3a;

	for (; (*r)[1] != 0; r++)
		if (x->opcode >= (*r)[0] && x->opcode <= (*r)[1])
			return true;
	return false;
}

static bool decode_0f(struct cursor *c, struct dt_x86 *x)
{
	x->map = DT_X86_0F;
	if (!take_byte(c, &x->opcode))
		return false;
	if (x->opcode != 0x38 && x->opcode != 0x3a)
		return take_operands(c, x, two_bytes[x->opcode]);
	x->map = x->opcode == 0x38 ? DT_X86_0F38 : DT_X86_0F3A;
	return take_byte(c, &x->opcode) && three_bytes_defined(x) &&
	    take_operands(c, x, x->map == DT_X86_0F38 ? 'm' : 'M');
}

/* Map 1 has operands like 0f; of those without ModRM only vzeroupper and vzeroall (77) are in it. */
static char vector_kind(unsigned map, uint8_t opcode)
{
	switch (map) {
	case 1: return opcode == 0x77 ? '.' : opcode >= 0x70 && two_bytes[opcode] == 'M' ? 'M' : 'm';
	case 2: case 5: case 6: return 'm';
	case 3: return 'M';
	default: return '!';
	}
}

/* c5: 1 byte, map 1; c4: 2 bytes, the map in the first; 62: 3 bytes, likewise. */
static bool decode_vector(struct cursor *c, struct dt_x86 *x, unsigned bytes)
{
	uint8_t first;
	unsigned map;
	int64_t rest;

	if (x->prefixes & (DT_X86_OPERAND | DT_X86_LOCK | DT_X86_REPNE | DT_X86_REP | DT_X86_REX) ||
	    !take_byte(c, &first) || !take(c, bytes - 1, &rest) || !take_byte(c, &x->opcode))
		return false;
	map = bytes == 1 ? 1 : first & (bytes == 2 ? 0x1f : 0x07);
	if ((bytes == 2 && map > 3) || (bytes == 3 && (first & 8)))
		return false;
	x->map = DT_X86_VEX;
	return take_operands(c, x, vector_kind(map, x->opcode));
}

/* 8f is pop if its ModRM has 0 in reg, and so no map of XOP, which are 8, 9 and 10. */
static bool decode_xop(struct cursor *c, struct dt_x86 *x)
{
	unsigned map = c->at < c->end ? *c->at & 0x1f : 0;
	int64_t prefix;

	if (map < 8)
		return take_operands(c, x, 'm');
	if (map > 10 || !take(c, 2, &prefix) || !take_byte(c, &x->opcode))
		return false;
	x->map = DT_X86_VEX;
	x->prefixes = 0;	/* the operand size does not depend on them */
	return take_operands(c, x, map == 8 ? 'M' : map == 9 ? 'm' : 'Z');
}

static bool decode_opcode(struct cursor *c, struct dt_x86 *x)
{
	switch (x->opcode) {
	case 0x0f: return decode_0f(c, x);
	case 0xc5: return decode_vector(c, x, 1);
	case 0xc4: return decode_vector(c, x, 2);
	case 0x62: return decode_vector(c, x, 3);
	case 0x8f: return decode_xop(c, x);
	default: return take_operands(c, x, one_byte[x->opcode]);
	}
}

bool dt_x86_decode(const uint8_t *code, size_t len, struct dt_x86 *x)
{
	struct cursor c = { code, code + (len < LENGTH_MAX ? len : LENGTH_MAX), code };

	*x = (struct dt_x86){ .map = DT_X86_ONE, .index = 4 };
	if (!take_prefixes(&c, x) || !decode_opcode(&c, x))
		return false;
	x->length = (uint8_t)(c.at - code);
	return true;
}
