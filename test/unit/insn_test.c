/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machine code of both machines, byte by byte as given here, whatever machine this is: where instructions
 * begin, and how they go on.
 */
#include "check.h"

#include "base/arena.h"
#include "symbol/insn.h"
#include "provider/objects.h"

#include <elf.h>
#include <errno.h>

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

int main(void)
{
	struct told t = { .n = 0 };
	bool decodes = dt_insn_walk_bytes(EM_X86_64, "\x90", 1, 0, tell, &t) != -ELIBACC;

	if (decodes)
		test_x86();
	else
		fprintf(stderr, "x86-64 is left out: Zydis is not installed\n");
	test_arm();
	test_taken();
	CHECK_INT(dt_insn_walk_bytes(EM_S390, "", 0, 0, tell, &t), -EOPNOTSUPP);
	return check_report("insn");
}
