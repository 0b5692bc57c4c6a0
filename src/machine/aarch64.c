/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * aarch64: Linux with little-endian programs, 64 bits (AAPCS64) and 32 (compat). The numbers of struct
 * pt_regs are ABI: ptrace(2) shows the first 34 words to processes. What each member means: machine.h.
 */
#include "machine/machine.h"
#include "base/count.h"
#include "machine/insn.h"
#include "machine/operand.h"

#include <ctype.h>
#include <elf.h>
#include <string.h>

/* struct pt_regs: x0 … x30, sp, pc, pstate, the first argument of a system call again, its number */
#define X(n) (8 * (n))
enum { SP = 248, PC = 256, PSTATE = 264, SYSCALLNO = 280 };

/* As instructions number them. 31 is the stack pointer or, in the tests of branches, the constant 0. */
static const int16_t numbers[] = {
	X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(10), X(11), X(12), X(13), X(14), X(15),
	X(16), X(17), X(18), X(19), X(20), X(21), X(22), X(23), X(24), X(25), X(26), X(27), X(28), X(29),
	X(30), SP,
};
/* As perf events number them: the same, and the pc. */
static const int16_t perf_numbers[] = {
	X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(10), X(11), X(12), X(13), X(14), X(15),
	X(16), X(17), X(18), X(19), X(20), X(21), X(22), X(23), X(24), X(25), X(26), X(27), X(28), X(29),
	X(30), SP, PC,
};

enum { NUMBER_SP = 31 };

#define FLAG(bit) "(uregs[33] >> " #bit " & 1)"
_Static_assert(PSTATE == 33 * 8, "the word of the flags");
#define NEGATIVE FLAG(31)
#define ZERO FLAG(30)
#define CARRY FLAG(29)
#define OVERFLOW FLAG(28)
/* of b.cond; the last two numbers, which mean "always", are not used */
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

/* ---- machine code: every instruction is a word ---- */

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
	in->table = in->way == DT_INSN_ON;
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
static int walk_aarch64(const uint8_t *code, uint64_t size, uint64_t vaddr, dt_insn_f *f, void *ctx)
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

/* ---- operands ---- */

/* x0, w0, sp, fp, lr; xzr is constant 0. False: no register. */
static bool arm_reg(struct dt_operand *t, int8_t *reg, bool *zero)
{
	size_t n = dt_operand_word(t);
	unsigned v = 0;

	*zero = dt_operand_is(t, n, "xzr") || dt_operand_is(t, n, "wzr");
	if (dt_operand_is(t, n, "sp") || dt_operand_is(t, n, "wsp")) {
		*reg = NUMBER_SP;
	} else if (dt_operand_is(t, n, "fp") || dt_operand_is(t, n, "lr")) {
		*reg = t->p[0] == 'f' ? 29 : 30;
	} else if (!*zero) {
		if (n < 2 || n > 3 || (t->p[0] != 'x' && t->p[0] != 'w'))
			return false;
		for (size_t i = 1; i < n; i++) {
			if (!isdigit((unsigned char)t->p[i]))
				return false;
			v = v * 10 + (unsigned)(t->p[i] - '0');
		}
		if (v > 30)
			return false;
		*reg = (int8_t)v;
	}
	t->p += n;
	return true;
}

/* Recognised, as on x86-64, only to be named in a message. */
static bool arm_vector(struct dt_operand *t, struct dt_sdt_arg *a)
{
	uint64_t n;

	if (t->p == t->end || strchr("vqdshb", *t->p) == NULL || *t->p == '\0')
		return false;
	t->p++;
	if (!dt_operand_number(t, &n) || n > 31 || !dt_operand_end(t))
		return false;
	a->kind = DT_SDT_FREG;
	a->reg = (int8_t)n;
	return true;
}

/* After [base, index: lsl, uxtw or sxtw, with or without an amount */
static bool arm_extend(struct dt_operand *t, struct dt_sdt_arg *a)
{
	static const struct { const char *name; uint8_t ext; } exts[] = {
		{ "lsl", DT_SDT_EXT_NONE }, { "sxtx", DT_SDT_EXT_NONE }, { "uxtx", DT_SDT_EXT_NONE },
		{ "uxtw", DT_SDT_EXT_UXTW }, { "sxtw", DT_SDT_EXT_SXTW } };
	uint64_t amount = 0;
	size_t n, i;

	while (t->p < t->end && *t->p == ' ')
		t->p++;
	n = dt_operand_word(t);
	for (i = 0; i < DT_COUNT(exts) && !dt_operand_is(t, n, exts[i].name); i++)
		;
	if (i == DT_COUNT(exts))
		return false;
	a->ext = exts[i].ext;
	t->p += n;
	(void)dt_operand_skip(t, '#');
	if (t->p < t->end && *t->p == ' ')
		dt_operand_end(t);
	if (t->p < t->end && isdigit((unsigned char)*t->p) && !dt_operand_number(t, &amount))
		return false;
	a->scale = (uint8_t)amount;
	return amount <= 4;
}

/* After [base: an offset, a register, or the low part of a symbol's address */
static bool arm_second(struct dt_operand *t, struct dt_sdt_arg *a)
{
	bool zero;

	(void)dt_operand_skip(t, '#');
	if (t->end - t->p > 6 && strncmp(t->p, ":lo12:", 6) == 0) {
		t->p += 6;
		a->page = true;
		return dt_operand_sum(t, a) && a->sym != NULL;
	}
	if (arm_reg(t, &a->index, &zero)) {
		if (zero)
			a->index = DT_SDT_NOREG;
		return dt_operand_skip(t, ',') ? arm_extend(t, a) : true;
	}
	return !dt_operand_end(t) && dt_operand_sum(t, a) && a->sym == NULL;
}

/* [memory], a register, or a constant, with or without #. */
static bool arm_operand(struct dt_operand *t, struct dt_sdt_arg *a)
{
	bool zero;

	if (dt_operand_skip(t, '[')) {
		a->kind = DT_SDT_MEM;
		dt_operand_end(t);
		if (!arm_reg(t, &a->reg, &zero) || zero)
			return false;
		if (dt_operand_skip(t, ',') && (dt_operand_end(t) || !arm_second(t, a)))
			return false;
		return dt_operand_skip(t, ']');
	}
	if (arm_reg(t, &a->reg, &zero)) {
		a->kind = zero ? DT_SDT_CONST : DT_SDT_REG;
		return true;
	}
	if (arm_vector(t, a))
		return true;
	(void)dt_operand_skip(t, '#');
	a->kind = DT_SDT_CONST;
	return !dt_operand_end(t) && dt_operand_sum(t, a);
}

const struct dt_machine dt_machine_aarch64 = {
	.name = "aarch64", .elf = EM_AARCH64, .define = "-D__aarch64",
#ifdef __aarch64__
	.here = true,
#endif
	.regs = {
		.pc = PC, .sp = SP, .fp = X(29), .link = X(30), .flags = PSTATE, .result = X(0),
		.bytecode = X(22),
		.arg = { X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7) }, .nargs = 8,
		.words = 34,		/* those a process has */
		.go_arg = { X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9) },
		.go_g = X(28),
		.number = numbers, .nnumbers = DT_COUNT(numbers), .zero = 31,
		.perf = perf_numbers, .nperf = DT_COUNT(perf_numbers),
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
	.hotspot_bcp = 9,
	.dwarf = { .sp = 31, .fp = 29, .ra = 30 },
	.conditions = conditions, .nconditions = DT_COUNT(conditions),
	.reloc = {
		.irelative = R_AARCH64_IRELATIVE, .jump_slot = R_AARCH64_JUMP_SLOT,
		.glob_dat = R_AARCH64_GLOB_DAT, .word = R_AARCH64_ABS64,
		.relative = R_AARCH64_RELATIVE,
	},
	/* in the vdso: mov x8, #139; svc #0. Offsets in struct rt_sigframe, which the ABI fixes */
	.sigreturn = { .code = { 0xd2801168, 0xd4000001 }, .n = 2, .sp = 560, .pc = 568, .fp = 544 },
	.inject = {
		.insn = 0xd4000001, .insn_len = 4,	/* svc #0 */
		.spin = 0x14000000, .spin_len = 4,
		.number = X(8), .cleared = DT_MACHINE_NOWHERE, .number_set = NT_ARM_SYSTEM_CALL,
		.no_branch = 3 << 10,			/* PSTATE.BTYPE */
		.tls = DT_MACHINE_NOWHERE, .tls_set = NT_ARM_TLS,
		.vectors = { 0x405, 0x40b },		/* NT_ARM_SVE, NT_ARM_SSVE */
		.clock = "__kernel_clock_gettime", .musl_tid = 32,
	},
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
	.hwcap_atomics = 1 << 8,
	.insn_align = 4,
	.walk = walk_aarch64, .operand = arm_operand,
	.unnamed_bitfields_align = true,	/* AAPCS64 10.1.8.2 */
};
