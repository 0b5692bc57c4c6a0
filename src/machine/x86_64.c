/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64: Linux, 64-bit programs of the System V ABI and 32-bit ones (compat). The numbers of struct pt_regs
 * are those of the kernel; ptrace(2) shows the same words to processes. What each member means: machine.h.
 */
#include "machine/machines.h"
#include "base/count.h"

#include <elf.h>

/* struct pt_regs, from its beginning */
enum {
	R15 = 0, R14 = 8, R13 = 16, R12 = 24, RBP = 32, RBX = 40, R11 = 48, R10 = 56, R9 = 64, R8 = 72,
	RAX = 80, RCX = 88, RDX = 96, RSI = 104, RDI = 112, ORIG_RAX = 120, RIP = 128, CS = 136, EFLAGS = 144,
	RSP = 152, END = 168,
};

/* as instructions number them; the last is sym(%rip) */
static const int16_t numbers[] = {
	RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, RIP,
};
enum { NNUMBERS = DT_COUNT(numbers) };

#define FLAG(bit) "(uregs[18] >> " #bit " & 1)"
_Static_assert(EFLAGS == 18 * 8, "the word of the flags");
#define CF FLAG(0)
#define PF FLAG(2)
#define ZF FLAG(6)
#define SF FLAG(7)
#define OF FLAG(11)
/* of jcc, its last four bits */
static const char *const conditions[] = {
	OF, CF, ZF, "(" CF " || " ZF ")", SF, PF, "(" SF " != " OF ")", "(" ZF " || " SF " != " OF ")",
};

/* endbr64; nop; ret, and endbr64; movzwl sem(%rip), %eax; ret */
static const uint8_t usdt_probe[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x90, 0xc3 };
static const uint8_t usdt_enabled[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x0f, 0xb7, 0x05, 0, 0, 0, 0, 0xc3 };

static const int16_t compat_arg[6] = { RBX, RCX, RDX, RSI, RDI, RBP };

const struct dt_machine dt_machine_x86_64 = {
	.name = "x86-64", .elf = EM_X86_64, .define = "-D__amd64",
#ifdef __x86_64__
	.here = true,
#endif
	.regs = {
		.pc = RIP, .sp = RSP, .fp = RBP, .link = DT_MACHINE_NOWHERE, .flags = EFLAGS, .result = RAX,
		.arg = { RDI, RSI, RDX, RCX, R8, R9 }, .nargs = 6,
		.stack_args = 8,	/* above the return address */
		.words = END / 8,
		.go_arg = { RAX, RBX, RCX, RDI, RSI, R8, R9, R10, R11, DT_MACHINE_NOWHERE },
		.go_g = R14,
		.number = numbers, .nnumbers = NNUMBERS, .zero = NNUMBERS,
	},
	.mode = { .reg = CS, .mask = 3 },
	.syscall = {
		.number = ORIG_RAX, .number_size = 8,
		.arg = { RDI, RSI, RDX, R10, R8, R9 }, .compat_arg = compat_arg,
		/* TS_COMPAT of status: a 64-bit program too may call by int 0x80 */
		.compat_at = 16, .compat_size = 4, .compat_bit = 2,
		.native = { "__x64_sys_" }, .compat = { "__ia32_sys_", "__ia32_compat_sys_" },
		.runs_compat = "__ia32_compat_sys_ioctl",
		.clone = "unsigned long, void *, int *, int *, unsigned long",
	},
	/* Linux 6.1; __bpf_trace_NAME() jumps to bpf_trace_run<n>() and is no frame */
	.frames = { .program = 1, .tracepoint = 1, .kprobe = 1 },
	.dwarf = { .sp = 7, .fp = 6, .ra = 16 }, .plt_frames = true,
	.conditions = conditions, .nconditions = DT_COUNT(conditions),
	.reloc = {
		.irelative = R_X86_64_IRELATIVE, .jump_slot = R_X86_64_JUMP_SLOT,
		.glob_dat = R_X86_64_GLOB_DAT, .word = R_X86_64_64,
		.relative = R_X86_64_RELATIVE,
	},
	.go_tls = { "thread.fsbase", -8 },
	.result_takes_argument = true,
	.trap = { .bytes = 0xcc, .mask = 0xff, .behind = 1 },	/* int3 */
	.usdt = {
		.probe = usdt_probe, .probe_len = sizeof(usdt_probe), .nop = 4,
		.enabled = usdt_enabled, .enabled_len = sizeof(usdt_enabled),
		.reloc = { { 7, R_X86_64_PC32, -4 } },
		.property = 0xc0000002,		/* GNU_PROPERTY_X86_FEATURE_1_AND */
		.reg = {
			{ "%dil", "%di", "%edi", "%rdi" },
			{ "%sil", "%si", "%esi", "%rsi" },
			{ "%dl", "%dx", "%edx", "%rdx" },
			{ "%cl", "%cx", "%ecx", "%rcx" },
			{ "%r8b", "%r8w", "%r8d", "%r8" },
			{ "%r9b", "%r9w", "%r9d", "%r9" },
		},
		.on_stack = "%u(%%rsp)", .in_float = "%%xmm%u",
	},
	.insn_align = 1,
};
