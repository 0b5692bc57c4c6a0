/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machine code of all machines, byte by byte as given here, whatever machine this is: where instructions
 * begin, and how they go on. E1: x86-64 is decoded here, without a library; where Zydis is installed, each
 * opcode is compared with it.
 */
#include "check.h"

#include "base/arena.h"
#include "file/insn.h"
#include "machine/x86.h"
#include "provider/objects.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#if __has_include(<Zydis/Zydis.h>)
#include <Zydis/Zydis.h>
#define ORACLE
#endif

struct told { char text[4096]; size_t n; };

static bool tell(void *ctx, const struct dt_insn *in)
{
	static const char *const ways[] = { "on", "branch", "ret", "jump", "call", "indirect",
		"table" };
	static const char *const tests[] = { "?", "flags", "zero", "nonzero", "clear", "set" };
	struct told *t = ctx;
	char *to = t->text + t->n;
	size_t room = sizeof(t->text) - t->n;
	int n = snprintf(to, room, "%llx %s", (unsigned long long)in->off, ways[in->way]);

	if (in->way == DT_INSN_BRANCH || in->way == DT_INSN_JUMP || in->way == DT_INSN_CALL || in->slot)
		n += snprintf(to + n, room - (size_t)n, " %lld", (long long)in->to);
	if (in->way == DT_INSN_BRANCH)
		n += snprintf(to + n, room - (size_t)n, " %s %u %u", tests[in->test], in->number, in->reg);
	n += snprintf(to + n, room - (size_t)n, "\n");
	t->n += (size_t)n;
	return true;
}

static void reads(uint16_t machine, const void *code, size_t len, int err, const char *want)
{
	struct told t = { .n = 0 };

	CHECK_INT(dt_insn_walk_bytes(machine, code, len, 0x10ff8, tell, &t), err);
	CHECK_STR(t.text, want);
}

#define X86(err, want, ...) reads(EM_X86_64, (const uint8_t[]){ __VA_ARGS__ }, \
	sizeof((const uint8_t[]){ __VA_ARGS__ }), err, want)
#define ARM(want, ...) reads(EM_AARCH64, (const uint32_t[]){ __VA_ARGS__ }, \
	sizeof((const uint32_t[]){ __VA_ARGS__ }), 0, want)

#define RISCV(err, want, ...) reads(EM_RISCV, (const uint16_t[]){ __VA_ARGS__ }, \
	sizeof((const uint16_t[]){ __VA_ARGS__ }), err, want)
#define LONG(word) (uint16_t)(word), (uint16_t)((word) >> 16)

static void test_x86(void)
{
	/* push %rbp; mov %rsp,%rbp; test %edi,%edi; call; nopw; endbr64 */
	X86(0, "0 on\n1 on\n4 on\n6 call 11\nb on\n11 on\n", 0x55, 0x48, 0x89, 0xe5, 0x85, 0xff, 0xe8, 0, 0,
	    0, 0, 0x66, 0x0f, 0x1f, 0x44, 0, 0, 0xf3, 0x0f, 0x1e, 0xfa);
	/* ret; rep ret; bnd ret; ret $8 */
	X86(0, "0 ret\n1 ret\n3 ret\n5 ret\n", 0xc3, 0xf3, 0xc3, 0xf2, 0xc3, 0xc2, 8, 0);
	/* je, short and long; jg back; jrcxz; jecxz; loop */
	X86(0,
	    "0 branch 7 flags 4 0\n2 branch 264 flags 4 0\n8 branch 0 flags 15 0\na branch 14 zero 64 1\n"
	    "c branch 15 zero 32 1\nf branch 17 ? 0 0\n", 0x74, 0x05, 0x0f, 0x84, 0, 1, 0, 0, 0x7f, 0xf6,
	    0xe3, 0x02, 0x67, 0xe3, 0x00, 0xe2, 0x00);
	/* jmp to before the start; jmp far behind */
	X86(0, "0 jump -4\n2 jump 519\n", 0xeb, 0xfa, 0xe9, 0, 2, 0, 0);
	/*
	 * jmp *%rax; add %rdx,%rax; jmp *%rax: a table; notrack jmp *%rax; jmp *(,%rax,8); jmp *16(%rip);
	 * jmp *8(%rbx)
	 */
	X86(0, "0 indirect\n2 on\n5 on\n7 on\na table\n11 indirect 39\n17 indirect\n", 0xff, 0xe0, 0x48, 0x01,
	    0xd0, 0xff, 0xe0, 0x3e, 0xff, 0xe0, 0xff, 0x24, 0xc5, 0, 0, 0, 0, 0xff, 0x25, 0x10, 0, 0, 0, 0xff,
	    0x63, 0x08);
	/* what cannot be told apart; what is cut off */
	X86(-ENOEXEC, "0 on\n", 0x90, 0x06);
	X86(-ENOEXEC, "", 0xe8, 0, 0);
}

static void test_arm(void)
{
	/* stp x29,x30,[sp,-16]!; bl; ret; ret x1; retaa */
	ARM("0 on\n4 call 20\n8 ret\nc ret\n10 ret\n", 0xa9bf7bfd, 0x94000004, 0xd65f03c0, 0xd65f0020,
	    0xd65f0bff);
	/* b -4; b.ne +8; cbz w3; cbnz x4; tbz w5, 3; tbnz x6, 40 */
	ARM("0 jump -4\n4 branch 12 flags 1 0\n8 branch 8 zero 32 3\nc branch 16 nonzero 64 4\n"
	    "10 branch 20 clear 3 5\n14 branch 16 set 40 6\n", 0x17ffffff, 0x54000041, 0x34000003, 0xb5000024,
	    0x36180025, 0xb747ffe6);
	/* br x16, br x17: through a linkage table; ldr x3, [x1]; br x3: what a pointer says */
	ARM("0 indirect\n4 indirect\n8 on\nc indirect\n", 0xd61f0200, 0xd61f0220, 0xf9400023, 0xd61f0060);
	/*
	 * tables of the function: add x1, x0, w1, sxtb #2; br x1, and ldr x0, [x20, x0, lsl #3]; mov x2,
	 * x3; br x0
	 */
	ARM("0 on\n4 on\n8 on\nc on\n10 table\n", 0x8b218801, 0xd61f0020, 0xf8607a80, 0xaa0303e2, 0xd61f0000);
	/* add x1, x0, x1; ldp x0, x1, [sp]; br x1: what was saved */
	ARM("0 on\n4 on\n8 indirect\n", 0x8b010001, 0xa94007e0, 0xd61f0020);
	/*
	 * N25: a linkage table, at 0x10ff8: adrp x16, +1 page; ldr x17, [x16, #24]; add x16; br x17: 0x11018
	 * is 0x20 further; across the page: nop; nop; adrp x0, 0; ldr x0, [x0, #8]; br x0: 0x11008
	 */
	ARM("0 on\n4 on\n8 on\nc indirect 32\n", 0xb0000010, 0xf9400e11, 0x91006210, 0xd61f0220);
	ARM("0 on\n4 on\n8 on\nc on\n10 indirect 16\n", 0xd503201f, 0xd503201f, 0x90000000, 0xf9400400,
	    0xd61f0000);
	/* the page is not known behind a jump, and a word that another instruction has changed is none */
	ARM("0 on\n4 jump 8\n8 on\nc indirect\n", 0xb0000010, 0x14000001, 0xf9400e11, 0xd61f0220);
	ARM("0 on\n4 on\n8 on\nc indirect\n", 0xb0000010, 0xf9400e11, 0xd2800011, 0xd61f0220);
	reads(EM_AARCH64, "\0\0\0", 3, 0, "");		/* less than an instruction */
}

/* As binutils 2.40 assembles them. */
static void test_riscv(void)
{
	/* c.addi sp,-16; c.sdsp ra,8(sp); call g; c.beqz a0; bne a1,a2; bnez t3; c.beqz a5; jal f; c.j f */
	RISCV(0,
	    "0 on\n2 on\n4 on\n8 call 4\nc branch 30 zero 64 10\ne branch 30 ? 0 0\n"
	    "12 branch 30 nonzero 64 28\n16 branch 30 zero 64 15\n18 call 0\n1c jump 0\n",
	    0x1141, 0xe406, LONG(0x00000097u), LONG(0x000080e7u), 0xc909, LONG(0x00c59863u),
	    LONG(0x000e1663u), 0xc781, LONG(0xfe9ff0efu), 0xb7d5);
	/* c.jr ra; ret; jr t0; bgeu a0,a1 back; c.nop; c.ebreak; jr a3; jalr ra,0(a4); c.jalr a4 */
	RISCV(0, "0 ret\n2 ret\n6 ret\na branch 4 ? 0 0\ne on\n10 on\n12 indirect\n16 on\n1a on\n", 0x8082,
	    LONG(0x00008067u), LONG(0x00028067u), LONG(0xfeb57de3u), 0x0001, 0x9002, LONG(0x00068067u),
	    LONG(0x000700e7u), 0x9702);
	/* tail g: auipc t1; jr t1 */
	RISCV(0, "0 on\n4 jump 0\n", LONG(0x00000317u), LONG(0x00030067u));
	/* a jump table: auipc a5; addi a5; ld a4,0(a5); add a5,a5,a4; jr a5, and with c.add; c.jr */
	RISCV(0, "0 on\n4 on\n8 on\nc on\n10 on\n14 on\n16 on\n", LONG(0x00000797u), LONG(0x00078793u),
	    LONG(0x0007b703u), LONG(0x00e787b3u), LONG(0x00078067u), 0x97ba, 0x8782);
	/* of a procedure linkage table: auipc t3,0x10; ld t3,16(t3); jr t3; with the register written anew */
	RISCV(0, "0 on\n4 on\n8 indirect 65552\n", LONG(0x00010e17u), LONG(0x010e3e03u), LONG(0x000e0067u));
	RISCV(0, "0 on\n4 on\n8 on\na indirect\n", LONG(0x00010e17u), LONG(0x010e3e03u), 0x4e05,
	    LONG(0x000e0067u));
	/* no instruction; longer than 4 bytes; cut off */
	RISCV(-ENOEXEC, "0 on\n", 0x0001, 0x0000);
	RISCV(-ENOEXEC, "", 0x001f, 0, 0);
	RISCV(-ENOEXEC, "0 on\n", 0x0001, 0x0013);
}

static void test_taken(void)
{
	static const struct { uint16_t machine; struct dt_insn in; const char *want; } rows[] = {
		{ EM_AARCH64, { .test = DT_INSN_FLAGS, .number = 0 }, "(uregs[33] >> 30 & 1)" },
		{ EM_AARCH64, { .test = DT_INSN_FLAGS, .number = 13 },
		    "!((uregs[33] >> 31 & 1) == (uregs[33] >> 28 & 1) && !(uregs[33] >> 30 & 1))" },
		{ EM_AARCH64, { .test = DT_INSN_ZERO, .number = 32, .reg = 3 }, "((uint32_t)uregs[3] == 0)" },
		{ EM_AARCH64, { .test = DT_INSN_SET, .number = 40, .reg = 6 },
		    "((uregs[6] >> 40 & 1) == 1)" },
		{ EM_AARCH64, { .test = DT_INSN_NONZERO, .number = 64, .reg = 31 }, "" },
		{ EM_X86_64, { .test = DT_INSN_FLAGS, .number = 5 }, "!(uregs[18] >> 6 & 1)" },
		{ EM_X86_64, { .test = DT_INSN_ZERO, .number = 64, .reg = 1 }, "(uregs[11] == 0)" },
		{ EM_X86_64, { .test = DT_INSN_UNKNOWN }, "" },
	};
	struct dt_arena *arena = dt_arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *text = dt_branch_taken(arena, rows[i].machine, &rows[i].in);

		CHECK_STR(text != NULL ? text : "", rows[i].want);
	}
	dt_arena_free(arena);
}

/* Lengths that depend on prefixes, ModRM and SIB; VEX, EVEX and XOP. */
static void test_x86_lengths(void)
{
	/* mov $1,%ax; mov $1,%rax in 7 and 10 bytes; movabs %al,addr; addr32 mov; enter; test $1,%bl; not */
	X86(0, "0 on\n4 on\nb on\n15 on\n1e on\n24 on\n28 on\n2b on\n", 0x66, 0xb8, 1, 0, 0x48, 0xc7,
	    0xc0, 1, 0, 0, 0, 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8, 0xa2, 1, 2, 3, 4, 5, 6, 7, 8, 0x67, 0xa0, 1,
	    2, 3, 4, 0xc8, 1, 0, 1, 0xf6, 0xc3, 1, 0xf6, 0xd3);
	/* mov 0x10(%rsp),%rax; mov 0(,%rax,8),%rax; lea 0(%r13),%eax; movdqa 0(%rip),%xmm0 */
	X86(0, "0 on\n5 on\nd on\n11 on\n", 0x48, 0x8b, 0x44, 0x24, 0x10, 0x48, 0x8b, 0x04, 0xc5, 0, 0, 0,
	    0, 0x41, 0x8d, 0x45, 0, 0x66, 0x0f, 0x6f, 0x05, 0, 0, 0, 0);
	/* vzeroupper; vpshufd $1; vmovdqu 1(%rdi),%ymm0; vpternlogd $3 of zmm; XOP: vpcmov (8), bextr (10) */
	X86(0, "0 on\n3 on\n8 on\nd on\n14 on\n1a on\n", 0xc5, 0xf8, 0x77, 0xc5, 0xf9, 0x70, 0xc0, 1, 0xc5,
	    0xfe, 0x6f, 0x47, 1, 0x62, 0xf3, 0x75, 0x48, 0x25, 0xc2, 3, 0x8f, 0xe8, 0x78, 0xa2, 0xc1, 0x10,
	    0x8f, 0xea, 0x78, 0x10, 0xc1, 1, 2, 3, 4);
	/* data16 data16 rex.W call __tls_get_addr: 4 bytes of distance */
	X86(0, "0 call 8\n", 0x66, 0x66, 0x48, 0xe8, 0, 0, 0, 0);
	/* 16 bytes; a prefix and nothing behind it; VEX behind rex; lea of a register; lock of a register */
	X86(-ENOEXEC, "", 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
	    0x66, 0x90);
	X86(-ENOEXEC, "", 0x66);
	X86(-ENOEXEC, "", 0x48, 0xc5, 0xf8, 0x77);
	X86(-ENOEXEC, "", 0x8d, 0xc0);
	X86(-ENOEXEC, "", 0xf0, 0x01, 0xc0);
}

#ifdef ORACLE
struct oracle {
	ZydisDecoder decoder;
	ZyanStatus (*init)(ZydisDecoder *, ZydisMachineMode, ZydisStackWidth);
	ZyanStatus (*decode)(const ZydisDecoder *, ZydisDecoderContext *, const void *, ZyanUSize,
	    ZydisDecodedInstruction *);
	long compared, differ;
};

static bool oracle_load(struct oracle *o)
{
	void *lib = dlopen("libZydis.so.4.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (lib == NULL)
		lib = dlopen("libZydis.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (lib == NULL)
		return false;
	*(void **)&o->init = dlsym(lib, "ZydisDecoderInit");
	*(void **)&o->decode = dlsym(lib, "ZydisDecoderDecodeInstruction");
	return o->init != NULL && o->decode != NULL &&
	    ZYAN_SUCCESS(o->init(&o->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
}

static enum dt_insn_way oracle_way(const ZydisDecodedInstruction *z)
{
	bool relative = z->raw.imm[0].is_relative;

	if (z->mnemonic == ZYDIS_MNEMONIC_RET)
		return DT_INSN_RET;
	if (z->mnemonic == ZYDIS_MNEMONIC_CALL)
		return relative ? DT_INSN_CALL : DT_INSN_ON;
	if (z->mnemonic != ZYDIS_MNEMONIC_JMP)
		return z->meta.category == ZYDIS_CATEGORY_COND_BR && relative ? DT_INSN_BRANCH : DT_INSN_ON;
	if (relative)
		return DT_INSN_JUMP;
	if (z->attributes & ZYDIS_ATTRIB_HAS_NOTRACK)
		return DT_INSN_ON;
	return z->raw.modrm.mod != 3 && z->raw.modrm.rm == 4 && z->raw.sib.index != 4 ? DT_INSN_TABLE :
	    DT_INSN_INDIRECT;
}

static void print_code(const char *what, const uint8_t *code, int length, int want)
{
	fprintf(stderr, "%s: %d, Zydis: %d:", what, length, want);
	for (int i = 0; i < 16; i++)
		fprintf(stderr, " %02x", code[i]);
	fprintf(stderr, "\n");
}

static bool first_of(void *ctx, const struct dt_insn *in)
{
	*(struct dt_insn *)ctx = *in;
	return false;
}

static void compare(struct oracle *o, const uint8_t code[16])
{
	ZydisDecodedInstruction z;
	struct dt_insn in = { .off = 1 };
	struct dt_x86 x;
	bool ours;

	/* jkzd and jknzd are those of a coprocessor that runs no programs of x86-64 (Knights Corner) */
	if (!ZYAN_SUCCESS(o->decode(&o->decoder, NULL, code, 16, &z)) || z.mnemonic == ZYDIS_MNEMONIC_JKZD ||
	    z.mnemonic == ZYDIS_MNEMONIC_JKNZD)
		return;
	o->compared++;
	ours = dt_x86_decode(code, 16, &x);
	if (!ours || x.length != z.length) {
		if (o->differ++ < 20)
			print_code("length", code, ours ? x.length : 0, z.length);
		return;
	}
	(void)dt_insn_walk_bytes(EM_X86_64, code, 16, 0, first_of, &in);
	if (in.way == oracle_way(&z) &&
	    (!z.raw.imm[0].is_relative || in.to == z.length + (uint64_t)z.raw.imm[0].value.s))
		return;
	if (o->differ++ < 20)
		print_code("way", code, (int)in.way, (int)oracle_way(&z));
}

/* Each opcode and ModRM behind these bytes. What follows is a SIB without a base, or one with an index. */
static void compare_opcodes(struct oracle *o, const uint8_t *before, size_t n)
{
	uint8_t code[16];

	for (unsigned op = 0; op < 256; op++) {
		for (unsigned modrm = 0; modrm < 256; modrm++) {
			memset(code, 0x25, sizeof(code));
			if (n > 0)
				memcpy(code, before, n);
			code[n] = (uint8_t)op;
			code[n + 1] = (uint8_t)modrm;
			code[n + 2] = modrm & 8 ? 0x25 : 0xc1;
			compare(o, code);
		}
	}
}

#define OPCODES(o, ...) \
	compare_opcodes(o, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void test_oracle(void)
{
	static const uint8_t prefixes[][2] = { { 0x90, 0 }, { 0x66, 0 }, { 0xf2, 0 }, { 0xf3, 0 },
		{ 0x67, 0 }, { 0x3e, 0 }, { 0xf0, 0 }, { 0x48, 0 }, { 0x66, 0x48 }, { 0x48, 0x66 },
		{ 0xf3, 0x4f } };
	struct oracle o = { .compared = 0 };

	if (!oracle_load(&o)) {
		fprintf(stderr, "x86-64 is compared with nothing: Zydis is not installed\n");
		return;
	}
	compare_opcodes(&o, NULL, 0);
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		uint8_t p[4] = { prefixes[i][0], prefixes[i][1] };
		size_t n = p[1] != 0 ? 2 : 1;

		if (p[0] == 0x90)
			n = 0;
		else
			compare_opcodes(&o, p, n);
		p[n] = 0x0f;
		compare_opcodes(&o, p, n + 1);
		p[n + 1] = 0x38;
		compare_opcodes(&o, p, n + 2);
		p[n + 1] = 0x3a;
		compare_opcodes(&o, p, n + 2);
	}
	for (unsigned pp = 0; pp < 8; pp++) {
		OPCODES(&o, 0xc5, (uint8_t)(0xf8 | pp));
		for (unsigned map = 0xe0; map < 0xe4; map++) {
			OPCODES(&o, 0xc4, (uint8_t)map, (uint8_t)(0x78 | pp));
			OPCODES(&o, 0xc4, (uint8_t)map, (uint8_t)(0xf8 | pp));
			OPCODES(&o, 0x8f, (uint8_t)(map + 8), (uint8_t)(0x78 | pp));
		}
		for (unsigned map = 0xf0; map < 0xf8; map++) {
			OPCODES(&o, 0x62, (uint8_t)map, (uint8_t)(0x7c | (pp & 3)), pp & 4 ? 0x48 : 0x08);
			OPCODES(&o, 0x62, (uint8_t)map, (uint8_t)(0xfc | (pp & 3)), pp & 4 ? 0x49 : 0x29);
		}
	}
	CHECK(o.compared > 1000000);
	CHECK_INT(o.differ, 0);
}
#else
static void test_oracle(void)
{
	fprintf(stderr, "x86-64 is compared with nothing: Zydis is not installed\n");
}
#endif

int main(void)
{
	struct told t = { .n = 0 };

	test_x86();
	test_x86_lengths();
	test_oracle();
	test_arm();
	test_riscv();
	test_taken();
	CHECK_INT(dt_insn_walk_bytes(EM_S390, "", 0, 0, tell, &t), -EOPNOTSUPP);
	return check_report("insn");
}
