/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds instruction boundaries in machine code. On aarch64 every instruction is a word; x86-64 is
 * decoded by Zydis, which is loaded on first use, so it costs nothing at start.
 */
#include "symbol/insn.h"
#include "symbol/elf.h"

#include <Zydis/Zydis.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTION_MAX = 4 << 20 };

/* The signed field of `bits` bits at bit `at`, in bytes. */
static uint64_t distance(uint32_t word, unsigned at, unsigned bits)
{
	return (uint64_t)((int64_t)((uint64_t)word << (64 - bits - at)) >> (64 - bits)) * 4;
}

/* b.cond, cbz, cbnz */
static void test_aarch64(struct dt_insn *in, uint32_t word)
{
	if ((word & 0xff000000) == 0x54000000) {
		in->test = DT_INSN_FLAGS;
		in->number = word & 15;
		return;
	}
	in->test = word >> 24 & 1 ? DT_INSN_NONZERO : DT_INSN_ZERO;
	in->number = word >> 31 ? 64 : 32;
	in->reg = word & 31;
}

/* The last instruction that wrote each register, as far as its form shows; 0: unknown. */
struct writers {
	uint32_t word[32];
	/* adrp: the page, as an offset; ldr of a word in such a page: that of the word */
	uint64_t at[32];
};

static bool is_adrp(uint32_t word) { return (word & 0x9f000000) == 0x90000000; }
static bool is_load(uint32_t word) { return (word & 0xffc00000) == 0xf9400000; }	/* ldr x, [x, imm] */

static void note_writer(struct writers *w, uint64_t vaddr, uint64_t off, uint32_t word)
{
	bool call = (word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000;
	unsigned to = word & 31, base = word >> 5 & 31;

	if (is_load(word) && !is_adrp(w->word[base])) {
		w->word[to] = 0;
		return;
	}
	if (is_load(word))
		w->at[to] = w->at[base] + (word >> 10 & 0xfff) * 8;
	else if (is_adrp(word))
		w->at[to] = ((vaddr + off) & ~(uint64_t)0xfff) - vaddr +
		    (distance(word, 5, 19) + (word >> 29 & 3)) * 4096;
	w->word[to] = word;
	if ((word & 0x3a000000) == 0x28000000)		/* ldp */
		w->word[word >> 10 & 31] = word;
	if (call)
		memset(w->word, 0, 19 * sizeof(w->word[0]));
}

/*
 * Where a br leads, by what wrote its register: a table's base was added to an entry; the entry itself was
 * loaded (ldr x1, [x2, x3, lsl 3]); a word at a known address was; or another function is meant.
 */
static void indirect_aarch64(struct dt_insn *in, const struct writers *w, unsigned reg)
{
	uint32_t writer = w->word[reg];

	in->way = (writer & 0xff000000) == 0x8b000000 ? DT_INSN_ON :
	    (writer & 0xffe00c00) == 0xf8600800 ? DT_INSN_TABLE : DT_INSN_INDIRECT;
	in->slot = is_load(writer);
	in->to = in->slot ? w->at[reg] : 0;
}

/* ret, retaa, retab; b; bl; b.cond; cbz; tbz; br */
static struct dt_insn decode_aarch64(uint64_t at, uint32_t word, const struct writers *w)
{
	struct dt_insn in = { .off = at };

	if ((word & 0xfffffc1f) == 0xd65f0000 || word == 0xd65f0bff || word == 0xd65f0fff) {
		in.way = DT_INSN_RET;
	} else if ((word & 0xfc000000) == 0x14000000) {
		in.way = DT_INSN_JUMP;
		in.to = at + distance(word, 0, 26);
	} else if ((word & 0xfc000000) == 0x94000000) {
		in.way = DT_INSN_CALL;
		in.to = at + distance(word, 0, 26);
	} else if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000) {
		in.way = DT_INSN_BRANCH;
		in.to = at + distance(word, 5, 19);
		test_aarch64(&in, word);
	} else if ((word & 0x7e000000) == 0x36000000) {
		in.way = DT_INSN_BRANCH;
		in.to = at + distance(word, 5, 14);
		in.test = word >> 24 & 1 ? DT_INSN_SET : DT_INSN_CLEAR;
		in.number = (uint8_t)((word >> 31 & 1) << 5 | (word >> 19 & 31));
		in.reg = word & 31;
	} else if ((word & 0xfffffc1f) == 0xd61f0000) {
		indirect_aarch64(&in, w, word >> 5 & 31);
	}
	return in;
}

/* What follows an instruction that never goes on is reached from elsewhere: no register is known there. */
static int walk_aarch64(const unsigned char *code, uint64_t size, uint64_t vaddr, dt_insn_f *f, void *ctx)
{
	struct writers w = { { 0 }, { 0 } };

	for (uint64_t at = 0; at + 4 <= size; at += 4) {
		struct dt_insn in;
		uint32_t word;

		memcpy(&word, code + at, 4);
		in = decode_aarch64(at, word, &w);
		note_writer(&w, vaddr, at, word);
		if (in.way == DT_INSN_JUMP || in.way == DT_INSN_RET)
			memset(&w, 0, sizeof(w));
		if (!f(ctx, &in))
			break;
	}
	return 0;
}

struct zydis {
	ZyanStatus (*init)(ZydisDecoder *, ZydisMachineMode, ZydisStackWidth);
	ZyanStatus (*decode)(const ZydisDecoder *, ZydisDecoderContext *, const void *, ZyanUSize,
	    ZydisDecodedInstruction *);
};

static void *zydis_load(struct zydis *z)
{
	/* the library stays loaded: it is needed once per function */
	void *lib = dlopen("libZydis.so.4.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (lib == NULL)
		lib = dlopen("libZydis.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (lib == NULL)
		return NULL;
	*(void **)&z->init = dlsym(lib, "ZydisDecoderInit");
	*(void **)&z->decode = dlsym(lib, "ZydisDecoderDecodeInstruction");
	if (z->init != NULL && z->decode != NULL)
		return lib;
	dlclose(lib);
	return NULL;
}

/*
 * Jump tables: jmp *%rax after an addition or marked notrack; jmp *table(,%rax,8) may be one. Otherwise the
 * jump leads to another function: jmp *slot(%rip) to what the slot says.
 */
static void indirect_x86(struct dt_insn *in, const ZydisDecodedInstruction *insn, bool behind_add)
{
	bool memory = insn->raw.modrm.mod != 3;
	bool index = memory && insn->raw.modrm.rm == 4 && insn->raw.sib.index != 4;

	in->slot = memory && insn->raw.modrm.mod == 0 && insn->raw.modrm.rm == 5;
	in->to = in->slot ? in->off + insn->length + (uint64_t)insn->raw.disp.value : 0;
	in->way = insn->attributes & ZYDIS_ATTRIB_HAS_NOTRACK || (!memory && behind_add) ? DT_INSN_ON :
	    index ? DT_INSN_TABLE : DT_INSN_INDIRECT;
}

/* jcc, short and long, and jrcxz. loop changes its register first, and never leaves a function. */
static void test_x86(struct dt_insn *in, const ZydisDecodedInstruction *insn)
{
	if (insn->mnemonic == ZYDIS_MNEMONIC_JRCXZ || insn->mnemonic == ZYDIS_MNEMONIC_JECXZ) {
		in->test = DT_INSN_ZERO;
		in->number = insn->mnemonic == ZYDIS_MNEMONIC_JRCXZ ? 64 : 32;
		in->reg = 1;
	} else if ((insn->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && insn->opcode >> 4 == 7) ||
	    (insn->opcode_map == ZYDIS_OPCODE_MAP_0F && insn->opcode >> 4 == 8)) {
		in->test = DT_INSN_FLAGS;
		in->number = insn->opcode & 15;
	}
}

static struct dt_insn describe_x86(uint64_t at, const ZydisDecodedInstruction *insn, bool behind_add)
{
	struct dt_insn in = { .off = at };

	if (insn->mnemonic == ZYDIS_MNEMONIC_RET) {
		in.way = DT_INSN_RET;
	} else if ((insn->mnemonic == ZYDIS_MNEMONIC_JMP || insn->meta.category == ZYDIS_CATEGORY_COND_BR) &&
	    insn->raw.imm[0].is_relative) {
		in.way = insn->mnemonic == ZYDIS_MNEMONIC_JMP ? DT_INSN_JUMP : DT_INSN_BRANCH;
		in.to = at + insn->length + (uint64_t)insn->raw.imm[0].value.s;
		if (in.way == DT_INSN_BRANCH)
			test_x86(&in, insn);
	} else if (insn->mnemonic == ZYDIS_MNEMONIC_CALL && insn->raw.imm[0].is_relative) {
		in.way = DT_INSN_CALL;
		in.to = at + insn->length + (uint64_t)insn->raw.imm[0].value.s;
	} else if (insn->mnemonic == ZYDIS_MNEMONIC_JMP) {
		indirect_x86(&in, insn, behind_add);
	}
	return in;
}

static int walk_x86(const unsigned char *code, uint64_t size, dt_insn_f *f, void *ctx)
{
	ZydisDecodedInstruction insn;
	ZydisDecoder decoder;
	struct zydis z;
	void *lib = zydis_load(&z);
	bool behind_add = false;
	int err = 0;

	if (lib == NULL)
		return -ELIBACC;
	if (!ZYAN_SUCCESS(z.init(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
		err = -ELIBACC;
	for (uint64_t at = 0; err == 0 && at < size; at += insn.length) {
		struct dt_insn in;

		if (!ZYAN_SUCCESS(z.decode(&decoder, NULL, code + at, size - at, &insn)) ||
		    insn.length == 0) {
			err = -ENOEXEC;
			break;
		}
		in = describe_x86(at, &insn, behind_add);
		behind_add = insn.mnemonic == ZYDIS_MNEMONIC_ADD;
		if (!f(ctx, &in))
			break;
	}
	dlclose(lib);
	return err;
}

int dt_insn_walk_bytes(uint16_t machine, const void *code, uint64_t size, uint64_t vaddr, dt_insn_f *f,
    void *ctx)
{
	switch (machine) {
	case EM_AARCH64: return walk_aarch64(code, size, vaddr, f, ctx);
	case EM_X86_64: return walk_x86(code, size, f, ctx);
	default: return -EOPNOTSUPP;
	}
}

int dt_insn_walk(struct dt_elf *e, uint64_t offset, uint64_t size, dt_insn_f *f, void *ctx)
{
	uint16_t machine = dt_elf_machine(e);
	const void *code;
	uint64_t vaddr;
	int err;

	if (machine != EM_AARCH64 && machine != EM_X86_64)
		return -EOPNOTSUPP;
	if (size > FUNCTION_MAX || offset > INT64_MAX - size)
		return -EFBIG;
	err = dt_elf_code(e, offset, size, &code);
	if (!dt_elf_offset_to_vaddr(e, offset, &vaddr))
		vaddr = 0;
	return err != 0 ? err : dt_insn_walk_bytes(machine, code, size, vaddr, f, ctx);
}
