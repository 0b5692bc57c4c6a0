/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64: Linux, 64-bit programs of the System V ABI and 32-bit ones (compat). The numbers of struct pt_regs
 * are those of the kernel; ptrace(2) shows the same words to processes. What each member means: machine.h.
 * x86.c decodes instructions.
 */
#include "machine/machine.h"
#include "base/count.h"
#include "machine/insn.h"
#include "machine/operand.h"
#include "machine/x86.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

/* struct pt_regs, from its beginning */
enum {
	R15 = 0, R14 = 8, R13 = 16, R12 = 24, RBP = 32, RBX = 40, R11 = 48, R10 = 56, R9 = 64, R8 = 72,
	RAX = 80, RCX = 88, RDX = 96, RSI = 104, RDI = 112, ORIG_RAX = 120, RIP = 128, CS = 136, EFLAGS = 144,
	RSP = 152, SS = 160, END = 168,
};

/* as instructions number them; the last is sym(%rip) */
static const int16_t numbers[] = {
	RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, RIP,
};
/* as perf events number them: after ss, four segment registers that 64-bit programs do not have */
static const int16_t perf_numbers[] = {
	RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP, RIP, EFLAGS, CS, SS, DT_MACHINE_NOWHERE, DT_MACHINE_NOWHERE,
	DT_MACHINE_NOWHERE, DT_MACHINE_NOWHERE, R8, R9, R10, R11, R12, R13, R14, R15,
};
enum { NUMBER_RIP = 16, NNUMBERS = DT_COUNT(numbers) };

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

/* ---- machine code ---- */

/*
 * Jump tables: jmp *%rax after an addition or marked notrack; jmp *table(,%rax,8) may be one. Otherwise the
 * jump leads to another function: jmp *slot(%rip) to what the slot says.
 */
static void indirect_x86(struct dt_insn *in, const struct dt_x86 *x, bool behind_add)
{
	bool memory = x->mod != 3;
	bool index = memory && x->rm == 4 && x->index != 4;

	in->slot = x->mod == 0 && x->rm == 5;
	in->to = in->slot ? in->off + x->length + (uint64_t)(int64_t)x->disp : 0;
	in->way = (x->prefixes & DT_X86_NOTRACK && x->reg == 4) || (!memory && behind_add) ? DT_INSN_ON :
	    index ? DT_INSN_TABLE : DT_INSN_INDIRECT;
	in->table = in->way == DT_INSN_ON;
}

/* jcc, short and long, and jrcxz. loop changes its register first, and never leaves a function. */
static void test_x86(struct dt_insn *in, const struct dt_x86 *x)
{
	if (x->map == DT_X86_ONE && x->opcode == 0xe3) {
		in->test = DT_INSN_ZERO;
		in->number = x->prefixes & DT_X86_ADDRESS ? 32 : 64;
		in->reg = 1;
	} else if ((x->map == DT_X86_ONE && x->opcode >> 4 == 7) ||
	    (x->map == DT_X86_0F && x->opcode >> 4 == 8)) {
		in->test = DT_INSN_FLAGS;
		in->number = x->opcode & 15;
	}
}

static struct dt_insn describe_x86(uint64_t at, const struct dt_x86 *x, bool behind_add)
{
	struct dt_insn in = { .off = at };
	bool one = x->map == DT_X86_ONE;

	if (one && (x->opcode & 0xf6) == 0xc2) {	/* c2, c3, ca, cb */
		in.way = DT_INSN_RET;
	} else if (x->relative) {
		in.way = one && (x->opcode == 0xe9 || x->opcode == 0xeb) ? DT_INSN_JUMP :
		    one && x->opcode == 0xe8 ? DT_INSN_CALL : DT_INSN_BRANCH;
		in.to = at + x->length + (uint64_t)x->imm;
		if (in.way == DT_INSN_BRANCH)
			test_x86(&in, x);
	} else if (one && x->opcode == 0xff && (x->reg == 4 || x->reg == 5)) {
		indirect_x86(&in, x, behind_add);
	}
	return in;
}

static bool is_add(const struct dt_x86 *x)
{
	return x->map == DT_X86_ONE && (x->opcode < 6 || (x->opcode >> 2 == 0x80 >> 2 && x->reg == 0));
}

static int walk_x86(const uint8_t *code, uint64_t size, uint64_t vaddr, dt_insn_f *f, void *ctx)
{
	bool behind_add = false;
	struct dt_x86 x;

	(void)vaddr;
	for (uint64_t at = 0; at < size; at += x.length) {
		struct dt_insn in;

		if (!dt_x86_decode(code + at, size - at, &x))
			return -ENOEXEC;
		in = describe_x86(at, &x, behind_add);
		behind_add = is_add(&x);
		if (!f(ctx, &in))
			break;
	}
	return 0;
}

/* ---- operands ---- */

static const struct {
	const char *name[5];
} x86_regs[] = {
	/* 8, 4, 2, 1 bytes, and the second byte */
	{ { "rax", "eax", "ax", "al", "ah" } },
	{ { "rcx", "ecx", "cx", "cl", "ch" } },
	{ { "rdx", "edx", "dx", "dl", "dh" } },
	{ { "rbx", "ebx", "bx", "bl", "bh" } },
	{ { "rsp", "esp", "sp", "spl", "" } },
	{ { "rbp", "ebp", "bp", "bpl", "" } },
	{ { "rsi", "esi", "si", "sil", "" } },
	{ { "rdi", "edi", "di", "dil", "" } },
	{ { "r8", "r8d", "r8w", "r8b", "r8l" } },
	{ { "r9", "r9d", "r9w", "r9b", "r9l" } },
	{ { "r10", "r10d", "r10w", "r10b", "r10l" } },
	{ { "r11", "r11d", "r11w", "r11b", "r11l" } },
	{ { "r12", "r12d", "r12w", "r12b", "r12l" } },
	{ { "r13", "r13d", "r13w", "r13b", "r13l" } },
	{ { "r14", "r14d", "r14w", "r14b", "r14l" } },
	{ { "r15", "r15d", "r15w", "r15b", "r15l" } },
	{ { "rip", "eip", "", "", "" } },
};
enum { X86_NREGS = DT_COUNT(x86_regs) };

/* %reg; *shift is 8 for the second byte. */
static int x86_reg(struct dt_operand *t, uint8_t *shift)
{
	size_t n;

	if (!dt_operand_skip(t, '%') || (n = dt_operand_word(t)) == 0)
		return DT_SDT_NOREG;
	for (int i = 0; i < X86_NREGS; i++)
		for (int k = 0; k < 5; k++)
			if (strlen(x86_regs[i].name[k]) == n && strncmp(x86_regs[i].name[k], t->p, n) == 0) {
				t->p += n;
				*shift = k == 4 && i < 4 ? 8 : 0;
				return i;
			}
	return DT_SDT_NOREG;
}

/* Recognised, so that the message can say what it is: programs cannot read it. */
static bool x86_xmm(struct dt_operand *t, struct dt_sdt_arg *a)
{
	uint64_t n;

	if (t->end - t->p < 5 || strncmp(t->p, "%xmm", 4) != 0)
		return false;
	t->p += 4;
	if (!dt_operand_number(t, &n) || n > 31)
		return false;
	a->kind = DT_SDT_FREG;
	a->reg = (int8_t)n;
	return true;
}

/* (%base), (%base,%index), (%base,%index,scale), (,%index,scale) */
static bool x86_memory(struct dt_operand *t, struct dt_sdt_arg *a)
{
	uint64_t scale = 1;
	uint8_t shift = 0, none;

	if (t->p < t->end && *t->p == '%') {
		if ((a->reg = (int8_t)x86_reg(t, &shift)) == DT_SDT_NOREG || shift != 0)
			return false;
	}
	if (dt_operand_skip(t, ',')) {
		while (t->p < t->end && *t->p == ' ')
			t->p++;
		if ((a->index = (int8_t)x86_reg(t, &none)) == DT_SDT_NOREG || none != 0 ||
		    a->index == NUMBER_RIP)
			return false;
		if (dt_operand_skip(t, ',') && (dt_operand_end(t) || !dt_operand_number(t, &scale)))
			return false;
	}
	if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
		return false;
	a->scale = scale == 8 ? 3 : (uint8_t)(scale / 2);
	return dt_operand_skip(t, ')') && (a->reg != DT_SDT_NOREG || a->index != DT_SDT_NOREG);
}

/*
 * Linker marks on a symbol: sym@tpoff is its offset from the thread pointer; other marks name words
 * that lead to it.
 */
static bool x86_symbol(struct dt_sdt_arg *a)
{
	static const char tpoff[] = "@tpoff";
	const char *at = a->sym != NULL ? memchr(a->sym, '@', a->symlen) : NULL;
	size_t len = at != NULL ? a->symlen - (size_t)(at - a->sym) : 0;

	if (at == NULL)
		return a->sym == NULL || !a->thread;
	if (!a->thread || len != sizeof(tpoff) - 1 || strncmp(at, tpoff, len) != 0)
		return false;
	a->symlen = (uint32_t)(at - a->sym);
	return a->symlen > 0;
}

/* $constant, %register, or memory; %fs: in front of memory makes it relative to the thread pointer. */
static bool x86_operand(struct dt_operand *t, struct dt_sdt_arg *a)
{
	uint8_t shift;

	if (dt_operand_skip(t, '$')) {
		a->kind = DT_SDT_CONST;
		return !dt_operand_end(t) && dt_operand_sum(t, a) && x86_symbol(a);
	}
	if (t->end - t->p > 4 && strncmp(t->p, "%fs:", 4) == 0) {
		t->p += 4;
		a->thread = true;
	}
	if (!a->thread && t->p < t->end && *t->p == '%') {
		if (x86_xmm(t, a))
			return true;
		a->kind = DT_SDT_REG;
		a->reg = (int8_t)x86_reg(t, &shift);
		a->shift = shift;
		return a->reg != DT_SDT_NOREG;
	}
	a->kind = DT_SDT_MEM;
	if (dt_operand_end(t) || !dt_operand_sum(t, a) || !x86_symbol(a))
		return false;
	return dt_operand_skip(t, '(') ? x86_memory(t, a) : true;
}

/*
 * Linux (seen with 6.18) looks at the opcode of an instruction and not at a VEX or EVEX prefix before
 * it: what has the opcode of a branch, a call or a nop is not executed (branch_setup_xol_ops() of its
 * uprobes), and after those of returns, far calls and popf a process goes on in a wrong place or state
 * (arch_uprobe_analyze_insn()). vpcmpeqb, vpor, vpshufd, vmovdqu to memory and vpbroadcastb, by which
 * strchr() begins, are among them.
 */
static bool misread_x86(const uint8_t *code, size_t len)
{
	static const uint8_t others[] = { 0x90, 0x9a, 0x9d, 0xc2, 0xc3, 0xca, 0xcb, 0xe8, 0xe9, 0xeb };
	struct dt_x86 x;

	return dt_x86_decode(code, len, &x) && x.map == DT_X86_VEX &&
	    ((x.opcode & 0xf0) == 0x70 || memchr(others, x.opcode, sizeof(others)) != NULL);
}

const struct dt_machine dt_machine_x86_64 = {
	.name = "x86-64", .elf = EM_X86_64, .define = "-D__amd64",
#ifdef __x86_64__
	.here = true,
#endif
	.regs = {
		.pc = RIP, .sp = RSP, .fp = RBP, .link = DT_MACHINE_NOWHERE, .flags = EFLAGS, .result = RAX,
		.bytecode = R13,
		.arg = { RDI, RSI, RDX, RCX, R8, R9 }, .nargs = 6,
		.stack_args = 8,	/* above the return address */
		.words = END / 8,
		.go_arg = { RAX, RBX, RCX, RDI, RSI, R8, R9, R10, R11, DT_MACHINE_NOWHERE },
		.go_g = R14,
		.number = numbers, .nnumbers = NNUMBERS, .zero = NNUMBERS,
		.perf = perf_numbers, .nperf = DT_COUNT(perf_numbers),
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
	.hotspot_bcp = 8,
	.dwarf = { .sp = 7, .fp = 6, .ra = 16 }, .plt_frames = true,
	.conditions = conditions, .nconditions = DT_COUNT(conditions),
	.reloc = {
		.irelative = R_X86_64_IRELATIVE, .jump_slot = R_X86_64_JUMP_SLOT,
		.glob_dat = R_X86_64_GLOB_DAT, .word = R_X86_64_64,
		.relative = R_X86_64_RELATIVE,
	},
	.thread_pointer = "thread.fsbase", .go_tls = -8,
	.result_takes_argument = true,
	.inject = {
		.insn = 0x050f, .insn_len = 2,		/* syscall */
		.spin = 0xfeeb, .spin_len = 2,
		.number = RAX, .cleared = ORIG_RAX,
		.tls = 168,				/* fs_base of struct user_regs_struct */
		.clock = "__vdso_clock_gettime", .musl_tid = 48,
	},
	.trap = { .bytes = 0xcc, .mask = 0xff, .advance = 1 },	/* int3 */
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
	.walk = walk_x86, .operand = x86_operand, .misread = misread_x86,
};
