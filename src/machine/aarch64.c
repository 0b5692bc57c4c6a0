/* SPDX-License-Identifier: BSD-2-Clause */
/* aarch64. */
#include "machine/machines.h"

#include <elf.h>

/* struct pt_regs: x0 … x30, sp, pc, pstate, the first argument of a system call again, its number */
#define X(n) (8 * (n))
enum { SP = 248, PC = 256, PSTATE = 264, SYSCALLNO = 280 };

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
	},
	.mode = { .reg = PSTATE, .mask = 15, .zero_is_user = true },	/* EL0t */
	.syscall = {
		.number = SYSCALLNO, .number_size = 4, .arg = { X(0), X(1), X(2), X(3), X(4), X(5) },
		.compat_at = 0, .compat_size = 8, .compat_bit = 1 << 22,	/* TIF_32BIT of flags */
		.native = { "__arm64_sys_", "__arm64_sys_arm64_" }, .compat = { "__arm64_sys_", "__arm64_compat_sys_" },
		.runs_compat = "__arm64_compat_sys_ioctl",
		.clone = "unsigned long, void *, int *, unsigned long, int *",
	},
	/*
	 * Linux 6.12, 6.18: the walk tells the program twice. At the beginning of a function its caller is in the link register only,
	 * which the walk misses: the function's own frame becomes the caller's, so that none is left out.
	 */
	.frames = { .program = 2, .tracepoint = 2, .kprobe = 0 },
	.dwarf = { .sp = 31, .fp = 29, .ra = 30 },
	/* in the vdso: mov x8, #139; svc #0. Offsets in struct rt_sigframe, which the ABI fixes */
	.sigreturn = { .code = { 0xd2801168, 0xd4000001 }, .n = 2, .sp = 560, .pc = 568, .fp = 544 },
	.trap = { .bytes = 0xd4200000, .mask = 0xffffffff },	/* brk #0 */
	.insn_align = 4,
	.unnamed_bitfields_align = true,	/* AAPCS64 10.1.8.2 */
};
