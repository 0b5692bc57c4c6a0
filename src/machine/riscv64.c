/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * riscv64: Linux with RV64GC and ABI lp64d. There are no 32-bit programs, no flags, and instructions have two
 * bytes or four. The numbers of struct pt_regs are ABI: ptrace(2) shows the first 32 words to processes. What
 * each member means: machine.h. Compiled and tested by its data; it has not run on such a machine yet.
 */
#include "machine/machine.h"
#include "base/count.h"
#include "machine/operand.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <string.h>

/*
 * struct pt_regs: pc, x1 … x31, status, address and cause of a fault, and a0 as it was at the entry of a
 * system call, which the result overwrites.
 */
#define X(n) (8 * (n))
enum { PC = 0, STATUS = X(32), ORIG_A0 = X(35) };
enum { NUMBER_RA = 1, NUMBER_T0 = 5 };

/* As instructions number them; x0 is the constant 0. */
static const int16_t numbers[] = {
	DT_MACHINE_NOWHERE, X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(10), X(11), X(12), X(13),
	X(14), X(15), X(16), X(17), X(18), X(19), X(20), X(21), X(22), X(23), X(24), X(25), X(26), X(27),
	X(28), X(29), X(30), X(31),
};

/*
 * nop; ret, and auipc a0, 0; lw a1, 20(a0); add a0, a0, a1; lhu a0, 20(a0); ret, followed by the distance of
 * the semaphore from that word: a single relocation, good for any kind of program.
 */
#define WORD(w) (uint8_t)(w), (uint8_t)((w) >> 8), (uint8_t)((w) >> 16), (uint8_t)((w) >> 24)
static const uint8_t usdt_probe[] = { WORD(0x00000013), WORD(0x00008067) };
static const uint8_t usdt_enabled[] = {
	WORD(0x00000517), WORD(0x01452583), WORD(0x00b50533), WORD(0x01455503), WORD(0x00008067), WORD(0),
};
#define REG(name) { name, name, name, name }

/* ---- machine code ---- */

/* Bits from … from + n - 1 of a word, at place `to` of the result. */
static uint64_t field(uint32_t word, unsigned from, unsigned n, unsigned to)
{
	return (uint64_t)(word >> from & ((1u << n) - 1)) << to;
}

static uint64_t extend(uint64_t v, unsigned bits)
{
	return (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
}

static uint64_t branch_distance(uint32_t w)
{
	return extend(field(w, 8, 4, 1) | field(w, 25, 6, 5) | field(w, 7, 1, 11) | field(w, 31, 1, 12), 13);
}

static uint64_t jump_distance(uint32_t w)
{
	return extend(field(w, 21, 10, 1) | field(w, 20, 1, 11) | field(w, 12, 8, 12) | field(w, 31, 1, 20),
	    21);
}

static uint64_t short_branch_distance(uint32_t w)
{
	return extend(field(w, 3, 2, 1) | field(w, 10, 2, 3) | field(w, 2, 1, 5) | field(w, 5, 2, 6) |
	    field(w, 12, 1, 8), 9);
}

static uint64_t short_jump_distance(uint32_t w)
{
	return extend(field(w, 3, 3, 1) | field(w, 11, 1, 4) | field(w, 2, 1, 5) | field(w, 7, 1, 6) |
	    field(w, 6, 1, 7) | field(w, 9, 2, 8) | field(w, 8, 1, 10) | field(w, 12, 1, 11), 12);
}

/* ra, and t0 as the link register of helpers: by these the calling convention knows calls and returns. */
static bool is_link(unsigned reg) { return reg == NUMBER_RA || reg == NUMBER_T0; }

/*
 * What wrote each register, as far as its form shows. PAGE: auipc, whose result is the offset `at`; LOADED: a
 * word in such a page, the offset of which is `at`; ADDED: an addition, as of a table's base.
 */
struct writers { enum { UNKNOWN, PAGE, LOADED, ADDED } kind[32]; uint64_t at[32]; };

static void note_writer(struct writers *w, uint64_t off, uint32_t word)
{
	unsigned to = word >> 7 & 31, base = word >> 15 & 31, op = word & 0x7f;
	bool page = w->kind[base] == PAGE;
	uint64_t low = extend(field(word, 20, 12, 0), 12);

	switch (op) {
	case 0x17:			/* auipc */
		w->kind[to] = PAGE;
		w->at[to] = off + extend(word & 0xfffff000, 32);
		break;
	case 0x13:			/* addi, the second half of an address; others */
		w->kind[to] = page && (word >> 12 & 7) == 0 ? PAGE : UNKNOWN;
		w->at[to] = w->at[base] + low;
		break;
	case 0x03:			/* ld */
		w->kind[to] = page && (word >> 12 & 7) == 3 ? LOADED : UNKNOWN;
		w->at[to] = w->at[base] + low;
		break;
	case 0x33:			/* add */
		w->kind[to] = (word & 0xfe007000) == 0 ? ADDED : UNKNOWN;
		break;
	case 0x23: case 0x27: case 0x63:	/* stores and branches write none */
		break;
	default:
		w->kind[to] = UNKNOWN;
	}
	w->kind[0] = UNKNOWN;
}

/* c.add and c.mv; any other compressed instruction may write rd, or one of x8 … x15. */
static void note_short_writer(struct writers *w, uint32_t word)
{
	unsigned to = word >> 7 & 31;

	if ((word & 0xf003) == 0x9002 && (word >> 2 & 31) != 0) {
		w->kind[to] = ADDED;
		return;
	}
	w->kind[to] = UNKNOWN;
	w->kind[8 + (word >> 2 & 7)] = w->kind[8 + (word >> 7 & 7)] = UNKNOWN;
}

/* jr and jalr: a return, a call, or a jump whose target the register has. */
static void indirect(struct dt_insn *in, const struct writers *w, unsigned link, unsigned reg, uint64_t low)
{
	in->way = is_link(reg) && link == 0 ? DT_INSN_RET :
	    link != 0 ? DT_INSN_ON :
	    w->kind[reg] == ADDED ? DT_INSN_ON : DT_INSN_INDIRECT;
	if (w->kind[reg] == PAGE && in->way != DT_INSN_RET) {		/* call and tail of the assembler */
		in->way = link != 0 ? DT_INSN_CALL : DT_INSN_JUMP;
		in->to = w->at[reg] + low;
	} else if (in->way == DT_INSN_INDIRECT && w->kind[reg] == LOADED && low == 0) {
		in->slot = true;
		in->to = w->at[reg];
	}
}

/* A comparison with 0 can be said in D; of two registers it is not known. */
static void test_zero(struct dt_insn *in, unsigned reg, bool zero)
{
	in->test = zero ? DT_INSN_ZERO : DT_INSN_NONZERO;
	in->number = 64;
	in->reg = (uint8_t)reg;
}

static struct dt_insn decode_long(uint64_t at, uint32_t word, const struct writers *w)
{
	struct dt_insn in = { .off = at };
	unsigned link = word >> 7 & 31, first = word >> 15 & 31, second = word >> 20 & 31;

	if ((word & 0x7f) == 0x63) {
		in.way = DT_INSN_BRANCH;
		in.to = at + branch_distance(word);
		if ((word >> 12 & 6) == 0 && (first == 0 || second == 0))	/* beq, bne */
			test_zero(&in, first != 0 ? first : second, (word >> 12 & 1) == 0);
	} else if ((word & 0x7f) == 0x6f) {
		in.way = link != 0 ? DT_INSN_CALL : DT_INSN_JUMP;
		in.to = at + jump_distance(word);
	} else if ((word & 0x707f) == 0x67) {
		indirect(&in, w, link, first, extend(field(word, 20, 12, 0), 12));
	}
	return in;
}

static struct dt_insn decode_short(uint64_t at, uint32_t word, const struct writers *w)
{
	struct dt_insn in = { .off = at };
	unsigned reg = word >> 7 & 31;

	if ((word & 0xe003) == 0xa001) {	/* c.j */
		in.way = DT_INSN_JUMP;
		in.to = at + short_jump_distance(word);
	} else if ((word & 0xc003) == 0xc001) {	/* c.beqz, c.bnez */
		in.way = DT_INSN_BRANCH;
		in.to = at + short_branch_distance(word);
		test_zero(&in, 8 + (word >> 7 & 7), (word & 0x2000) == 0);
	} else if ((word & 0xe07f) == 0x8002 && reg != 0) {	/* c.jr, c.jalr */
		indirect(&in, w, word & 0x1000 ? NUMBER_RA : 0, reg, 0);
	}
	return in;
}

/* The two low bits of the first half word say how long it is; lengths above 4 are not in RV64GC. */
static int walk_riscv64(const uint8_t *code, uint64_t size, uint64_t vaddr, dt_insn_f *f, void *ctx)
{
	struct writers w = { 0 };
	unsigned length;

	(void)vaddr;
	for (uint64_t at = 0; at + 2 <= size; at += length) {
		uint16_t half[2] = { 0, 0 };
		struct dt_insn in;
		uint32_t word;

		memcpy(half, code + at, 2);
		length = (half[0] & 3) != 3 ? 2 : 4;
		if (half[0] == 0 || (half[0] & 0x1f) == 0x1f || length > size - at)
			return -ENOEXEC;
		if (length == 4)
			memcpy(half + 1, code + at + 2, 2);
		word = half[0] | (uint32_t)half[1] << 16;
		in = length == 2 ? decode_short(at, word, &w) : decode_long(at, word, &w);
		if (length == 2)
			note_short_writer(&w, word);
		else
			note_writer(&w, at, word);
		/* what follows is reached from elsewhere, or a call has changed registers: none is known */
		if (in.way == DT_INSN_JUMP || in.way == DT_INSN_RET || in.way == DT_INSN_CALL)
			memset(&w, 0, sizeof(w));
		if (!f(ctx, &in))
			break;
	}
	return 0;
}

/* ---- operands ---- */

/* The names of the ABI; s0 is fp too, and x8 is what instructions call it. False: no register. */
static bool riscv_reg(struct dt_operand *t, int8_t *reg)
{
	static const char names[][5] = {
		"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
		"a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
		"t5", "t6",
	};
	size_t n = dt_operand_word(t);
	unsigned v = 0;

	while (v < DT_COUNT(names) && !dt_operand_is(t, n, names[v]))
		v++;
	if (v == DT_COUNT(names) && dt_operand_is(t, n, "fp")) {
		v = 8;
	} else if (v == DT_COUNT(names) && n >= 2 && n <= 3 && t->p[0] == 'x') {
		v = 0;
		for (size_t i = 1; i < n; i++)
			v = isdigit((unsigned char)t->p[i]) ? v * 10 + (unsigned)(t->p[i] - '0') : 1000;
	}
	if (v >= DT_COUNT(names))
		return false;
	t->p += n;
	*reg = (int8_t)v;
	return true;
}

/* fa0, ft11, fs3, f10: recognised to be named in a message; programs cannot read it. */
static bool riscv_float(struct dt_operand *t, struct dt_sdt_arg *a)
{
	struct dt_operand from = *t;
	uint64_t n;

	if (t->end - t->p < 2 || t->p[0] != 'f')
		return false;
	t->p += t->p[1] != '\0' && strchr("ast", t->p[1]) != NULL ? 2 : 1;
	if (!dt_operand_number(t, &n) || n > 31 || !dt_operand_end(t)) {
		*t = from;
		return false;
	}
	a->kind = DT_SDT_FREG;
	a->reg = (int8_t)n;
	return true;
}

/* %lo(symbol+8)(a5): a5 has the other part of its address, and both are known together */
static bool riscv_low(struct dt_operand *t, struct dt_sdt_arg *a)
{
	int8_t reg;

	a->kind = DT_SDT_MEM;
	t->p += strlen("%lo(");
	return dt_operand_sum(t, a) && a->sym != NULL && dt_operand_skip(t, ')') && dt_operand_skip(t, '(') &&
	    riscv_reg(t, &reg) && reg != 0 && dt_operand_skip(t, ')');
}

/* a0, a constant, the address of a symbol, or memory: -20(s0) */
static bool riscv_operand(struct dt_operand *t, struct dt_sdt_arg *a)
{
	if (t->end - t->p > 4 && strncmp(t->p, "%lo(", 4) == 0)
		return riscv_low(t, a);
	if (riscv_reg(t, &a->reg)) {
		a->kind = a->reg == 0 ? DT_SDT_CONST : DT_SDT_REG;
		return true;
	}
	if (riscv_float(t, a))
		return true;
	if (dt_operand_end(t) || !dt_operand_sum(t, a))
		return false;
	if (dt_operand_skip(t, '(')) {
		a->kind = DT_SDT_MEM;
		return riscv_reg(t, &a->reg) && a->reg != 0 && dt_operand_skip(t, ')') && a->sym == NULL;
	}
	a->kind = DT_SDT_CONST;
	return true;
}

/* ---- the table ---- */

const struct dt_machine dt_machine_riscv64 = {
	.name = "riscv64", .elf = EM_RISCV, .define = "-D__riscv",
#if defined(__riscv) && __riscv_xlen == 64
	.here = true,
#endif
	.regs = {
		.pc = PC, .sp = X(2), .fp = X(8), .link = X(NUMBER_RA), .flags = DT_MACHINE_NOWHERE,
		.result = X(10), .bytecode = DT_MACHINE_NOWHERE,
		.arg = { X(10), X(11), X(12), X(13), X(14), X(15), X(16), X(17) }, .nargs = 8,
		.words = 32,		/* those a process has */
		.go_arg = { X(10), X(11), X(12), X(13), X(14), X(15), X(16), X(17), X(8), X(9) },
		.go_g = X(27),
		.number = numbers, .nnumbers = DT_COUNT(numbers), .zero = 0,
	},
	.mode = { .reg = STATUS, .mask = 0x100, .zero_is_user = true },		/* SPP */
	.syscall = {
		.number = X(17), .number_size = 8, .arg = { ORIG_A0, X(11), X(12), X(13), X(14), X(15) },
		.native = { "__riscv_sys_" },
		.clone = "unsigned long, void *, int *, unsigned long, int *",
	},
	/* .frames is not measured yet: test/cli/stack/kernel_stack.sh on such a machine */
	.dwarf = { .sp = 2, .fp = 8, .ra = NUMBER_RA },
	.reloc = {
		.irelative = R_RISCV_IRELATIVE, .jump_slot = R_RISCV_JUMP_SLOT,
		.glob_dat = R_RISCV_64, .word = R_RISCV_64,
		.relative = R_RISCV_RELATIVE,
	},
	.result_takes_argument = true,
	/* in the vdso: li a7, 139; ecall. Offsets in struct rt_sigframe, which the ABI fixes */
	.sigreturn = { .code = { 0x08b00893, 0x00000073 }, .n = 2, .sp = 320, .pc = 304, .fp = 368 },
	.trap = { .bytes = 0x9002, .mask = 0xffff },	/* c.ebreak: fits on any instruction */
	.usdt = {
		.probe = usdt_probe, .probe_len = sizeof(usdt_probe), .nop = 0,
		.enabled = usdt_enabled, .enabled_len = sizeof(usdt_enabled),
		.reloc = { { 20, R_RISCV_32_PCREL, 0 } },
		.eflags = EF_RISCV_FLOAT_ABI_DOUBLE,
		.reg = {
			REG("a0"), REG("a1"), REG("a2"), REG("a3"),
			REG("a4"), REG("a5"), REG("a6"), REG("a7"),
		},
		.on_stack = "%u(sp)", .in_float = "fa%u",
	},
	.insn_align = 2,
	.walk = walk_riscv64, .operand = riscv_operand,
};
