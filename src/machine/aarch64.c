/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * aarch64: Linux with little-endian programs, 64 bits (AAPCS64) and 32 (compat). The numbers of struct
 * pt_regs are ABI: ptrace(2) shows the first 34 words to processes. What each member means: machine.h.
 */
#include "machine/machines.h"
#include "base/count.h"

#include <elf.h>

/* struct pt_regs: x0 … x30, sp, pc, pstate, the first argument of a system call again, its number */
#define X(n) (8 * (n))
enum { SP = 248, PC = 256, PSTATE = 264, SYSCALLNO = 280 };

/* As instructions number them. 31 is the stack pointer or, in the tests of branches, the constant 0. */
static const int16_t numbers[] = {
	X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(10), X(11), X(12), X(13), X(14), X(15),
	X(16), X(17), X(18), X(19), X(20), X(21), X(22), X(23), X(24), X(25), X(26), X(27), X(28), X(29),
	X(30), SP,
};

#define FLAG(bit) "(uregs[33] >> " #bit " & 1)"
_Static_assert(PSTATE == 33 * 8, "the word of the flags");
#define NEGATIVE FLAG(31)
#define ZERO FLAG(30)
#define CARRY FLAG(29)
#define OVERFLOW FLAG(28)
/* of b.cond; nobody writes the last two numbers, which mean "always" */
static const char *const conditions[] = {
	ZERO, CARRY, NEGATIVE, OVERFLOW, "(" CARRY " && !" ZERO ")", "(" NEGATIVE " == " OVERFLOW ")",
	"(" NEGATIVE " == " OVERFLOW " && !" ZERO ")",
};

/* bti c; nop; ret, and bti c; adrp x0, sem; ldrh w0, [x0, :lo12:sem]; ret */
#define WORD(w) (uint8_t)(w), (uint8_t)((w) >> 8), (uint8_t)((w) >> 16), (uint8_t)((w) >> 24)
static const uint8_t usdt_probe[] = { WORD(0xd503245f), WORD(0xd503201f), WORD(0xd65f03c0) };
static const uint8_t usdt_enabled[] = {
	WORD(0xd503245f), WORD(0x90000000), WORD(0x79400000), WORD(0xd65f03c0),
};
#define REG(name) { name, name, name, name }

const struct dt_machine dt_machine_aarch64 = {
	.name = "aarch64", .elf = EM_AARCH64, .define = "-D__aarch64",
#ifdef __aarch64__
	.here = true,
#endif
	.regs = {
		.pc = PC, .sp = SP, .fp = X(29), .link = X(30), .flags = PSTATE, .result = X(0),
		.arg = { X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7) }, .nargs = 8,
		.words = 34,		/* those a process has */
		.go_arg = { X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9) },
		.go_g = X(28),
		.number = numbers, .nnumbers = DT_COUNT(numbers), .zero = 31,
	},
	.mode = { .reg = PSTATE, .mask = 15, .zero_is_user = true },	/* EL0t */
	.syscall = {
		.number = SYSCALLNO, .number_size = 4, .arg = { X(0), X(1), X(2), X(3), X(4), X(5) },
		.compat_at = 0, .compat_size = 8, .compat_bit = 1 << 22,	/* TIF_32BIT of flags */
		.native = { "__arm64_sys_", "__arm64_sys_arm64_" },
		.compat = { "__arm64_sys_", "__arm64_compat_sys_" },
		.runs_compat = "__arm64_compat_sys_ioctl",
		.clone = "unsigned long, void *, int *, unsigned long, int *",
	},
	/*
	 * Linux 6.12, 6.18: the walk tells the program twice. At the beginning of a function its caller is
	 * in the link register only, which the walk misses: the function's own frame becomes the caller's,
	 * so that none is left out.
	 */
	.frames = { .program = 2, .tracepoint = 2, .kprobe = 0 },
	.dwarf = { .sp = 31, .fp = 29, .ra = 30 },
	.conditions = conditions, .nconditions = DT_COUNT(conditions),
	.reloc = {
		.irelative = R_AARCH64_IRELATIVE, .jump_slot = R_AARCH64_JUMP_SLOT,
		.glob_dat = R_AARCH64_GLOB_DAT, .word = R_AARCH64_ABS64,
		.relative = R_AARCH64_RELATIVE,
	},
	/* in the vdso: mov x8, #139; svc #0. Offsets in struct rt_sigframe, which the ABI fixes */
	.sigreturn = { .code = { 0xd2801168, 0xd4000001 }, .n = 2, .sp = 560, .pc = 568, .fp = 544 },
	.trap = { .bytes = 0xd4200000, .mask = 0xffffffff },	/* brk #0 */
	.usdt = {
		.probe = usdt_probe, .probe_len = sizeof(usdt_probe), .nop = 4,
		.enabled = usdt_enabled, .enabled_len = sizeof(usdt_enabled),
		.reloc = { { 4, R_AARCH64_ADR_PREL_PG_HI21, 0 }, { 8, R_AARCH64_LDST16_ABS_LO12_NC, 0 } },
		.property = 0xc0000000,		/* GNU_PROPERTY_AARCH64_FEATURE_1_AND */
		.reg = {
			REG("x0"), REG("x1"), REG("x2"), REG("x3"),
			REG("x4"), REG("x5"), REG("x6"), REG("x7"),
		},
		.on_stack = "[sp, %u]", .in_float = "v%u",
	},
	.insn_align = 4,
	.unnamed_bitfields_align = true,	/* AAPCS64 10.1.8.2 */
};
