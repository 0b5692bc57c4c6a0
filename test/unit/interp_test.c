/* SPDX-License-Identifier: BSD-2-Clause */
/* The interpreter by hand-made DIF: every opcode, every fault, variables, then whole clauses: records, aggregations, speculation, ERROR. */
#include "dif/builtin.h"
#include "check.h"
#include "base/glob.h"
#include "interp/interp.h"

#include <inttypes.h>
#include <stdlib.h>

#define OP(op, a, b, c) ((uint32_t)DT_DIF_##op << 24 | (uint32_t)(a) << 16 | (b) << 8 | (c))
#define OPV(op, v, r) ((uint32_t)DT_DIF_##op << 24 | (uint32_t)(v) << 8 | (r))
#define BR(op, l) ((uint32_t)DT_DIF_##op << 24 | (l))
#define RET(r) OP(RET, 0, 0, r)
#define TEXT(...) (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4
#define MIN64 ((uint64_t)1 << 63)

static uint8_t kernel[64] = { 0xfe, 0xff, 0x80, 1, 2, 3, 4, 0x85, 'h', 'e', 'y', 0 };
static uint8_t user[32] = { 0x90, 0x91, 0xff, 4, 'u', 's', 'e', 'r', 0 };
static uint8_t readonly[8];
static struct dt_region regions[] = {
	{ .addr = 0xffff0000, .len = sizeof(kernel), .bytes = kernel },
	{ .addr = 0xffff0000 + sizeof(kernel), .len = 8, .bytes = kernel },
	{ .addr = 0x1000, .len = sizeof(user), .bytes = user, .user = true, .writable = true },
	{ .addr = 0x2000, .len = sizeof(readonly), .bytes = readonly, .user = true },
};
static const uint64_t uregs[4] = { 10, 11, 12, 13 };
static const uint64_t stack[3] = { 0x111, 0x222, 0x333 };
static struct dt_context context(void)
{
	return (struct dt_context){ .probe = { "syscall", "vmlinux", "read", "entry", 0 }, .probe_id = 77, .arg = { 1, 2, 3 },
		.pid = 100, .tid = 101, .ppid = 50, .execname = "a_command_name!", .regions = regions, .nregions = 4,
		.uregs = uregs, .nuregs = 4, .stack = stack, .nstack = 3, .ustack = stack, .nustack = 2 };
}

struct outcome { uint64_t value; enum dt_fault fault; int offset; uint64_t addr; };
static const char strs[] = "\0abc\0abd\0";		/* "" at 0, "abc" at 1, "abd" at 5 */
static const struct dt_diftype int8 = { .ckind = DT_CK_INTEGER, .size = 8 };
static const struct dt_diftype string16 = { .kind = DT_DT_STRING, .flags = DT_DTF_REF, .size = 16 };
static const struct dt_difv vars[] = {
	{ "t", 0x500, DT_DIFV_SCALAR, DT_DIFV_THREAD, 3, { .ckind = DT_CK_INTEGER, .size = 8 } },
	{ "ts", 0x501, DT_DIFV_SCALAR, DT_DIFV_THREAD, 3, { .kind = DT_DT_STRING, .flags = DT_DTF_REF, .size = 16 } },
	{ "ta", 0x502, DT_DIFV_ARRAY, DT_DIFV_THREAD, 3, { .ckind = DT_CK_INTEGER, .size = 8 } },
	{ "g", 0x500, DT_DIFV_SCALAR, DT_DIFV_GLOBAL, 3, { .ckind = DT_CK_INTEGER, .size = 8 } },
	{ "gs", 0x501, DT_DIFV_SCALAR, DT_DIFV_GLOBAL, 3, { .kind = DT_DT_STRING, .flags = DT_DTF_REF, .size = 8 } },
	{ "a", 0x502, DT_DIFV_ARRAY, DT_DIFV_GLOBAL, 3, { .ckind = DT_CK_INTEGER, .size = 8 } },
	{ "as", 0x503, DT_DIFV_ARRAY, DT_DIFV_GLOBAL, 3, { .kind = DT_DT_STRING, .flags = DT_DTF_REF, .size = 16 } },
	{ "st", 0x504, DT_DIFV_SCALAR, DT_DIFV_GLOBAL, 3, { .ckind = DT_CK_STRUCT, .flags = DT_DTF_REF, .size = 8 } },
	{ "l", 0x500, DT_DIFV_SCALAR, DT_DIFV_LOCAL, 3, { .ckind = DT_CK_INTEGER, .size = 8 } },
};

static struct dt_difo difo(const uint64_t *ints, uint32_t nints, const uint32_t *text, uint32_t ntext)
{
	return (struct dt_difo){ .text = text, .ntext = ntext, .ints = ints, .nints = nints, .strs = strs, .strlen = sizeof(strs),
		.vars = vars, .nvars = sizeof(vars) / sizeof(vars[0]), .rtype = int8 };
}

static struct outcome run_in(struct dt_interp *ip, const struct dt_context *c, const uint64_t *ints, uint32_t nints,
    const uint32_t *text, uint32_t ntext)
{
	struct dt_difo d = difo(ints, nints, text, ntext);
	struct outcome o;
	char msg[200] = "";

	for (uint32_t i = 0; i < ntext; i++)
		d.destructive |= dt_dif_op(text[i]) == DT_DIF_STGA;
	if (!CHECK(dt_difo_check(&d, msg, sizeof(msg)) == 0))
		fprintf(stderr, "\t%s\n", msg);
	o.value = dt_interp_run(ip, c, &d, &o.fault, &o.offset, &o.addr);
	return o;
}

/* x in ints[0], y in ints[1]. */
static struct outcome run(uint64_t x, uint64_t y, const uint32_t *text, uint32_t ntext)
{
	struct dt_interp *ip = dt_interp_new(NULL, NULL, NULL);
	struct dt_context c = context();
	struct outcome o = run_in(ip, &c, (const uint64_t[]){ x, y, 0, 1 }, 4, text, ntext);

	dt_interp_free(ip);
	return o;
}

/* ---- opcodes ---- */

static void test_arith(void)
{
	static const struct { unsigned op; uint64_t a, b, want; } cases[] = {
		{ DT_DIF_OR, 12, 10, 14 }, { DT_DIF_XOR, 12, 10, 6 }, { DT_DIF_AND, 12, 10, 8 },
		{ DT_DIF_SLL, 1, 63, MIN64 }, { DT_DIF_SLL, 1, 64, 1 }, { DT_DIF_SRL, MIN64, 63, 1 }, { DT_DIF_SRA, MIN64, 63, UINT64_MAX },
		{ DT_DIF_SRA, MIN64, 127, UINT64_MAX }, { DT_DIF_SUB, 0, 1, UINT64_MAX }, { DT_DIF_ADD, UINT64_MAX, 2, 1 },
		{ DT_DIF_MUL, UINT64_MAX, UINT64_MAX, 1 }, { DT_DIF_SDIV, -7ull, 2, -3ull }, { DT_DIF_SDIV, MIN64, -1ull, MIN64 },
		{ DT_DIF_UDIV, UINT64_MAX, 2, INT64_MAX }, { DT_DIF_SREM, -7ull, 2, -1ull }, { DT_DIF_SREM, MIN64, -1ull, 0 },
		{ DT_DIF_UREM, UINT64_MAX, 10, 5 },
	};
	static const unsigned divisions[] = { DT_DIF_SDIV, DT_DIF_UDIV, DT_DIF_SREM, DT_DIF_UREM };
	struct outcome o;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		o = run(cases[i].a, cases[i].b, TEXT(OPV(SETX, 0, 1), OPV(SETX, 1, 2), dt_dif_fmt(cases[i].op, 1, 2, 3), RET(3)));
		CHECK_INT(o.value, cases[i].want);
		CHECK_INT(o.fault, DT_FLT_NONE);
	}
	for (size_t i = 0; i < 4; i++) {
		o = run(5, 0, TEXT(OPV(SETX, 0, 1), OPV(SETX, 1, 2), dt_dif_fmt(divisions[i], 1, 2, 3), RET(1)));
		CHECK_INT(o.fault, DT_FLT_DIVZERO);
		CHECK_INT(o.offset, 8);
		CHECK_INT(o.value, 0);
	}
	CHECK_INT(run(5, 0, TEXT(OPV(SETX, 0, 1), OP(NOT, 1, 0, 1), RET(1))).value, ~5ll);
	CHECK_INT(run(5, 0, TEXT(OPV(SETX, 0, 1), OP(MOV, 1, 0, 2), OP(NOP, 0, 0, 0), RET(2))).value, 5);
	CHECK_INT(run(5, 0, TEXT(RET(0))).value, 0);
}

/* be bne bg bge bl ble bgu bgeu blu bleu as bits of the result */
static unsigned taken(uint64_t a, uint64_t b)
{
	static const unsigned ops[] = { DT_DIF_BE, DT_DIF_BNE, DT_DIF_BG, DT_DIF_BGE, DT_DIF_BL, DT_DIF_BLE, DT_DIF_BGU,
		DT_DIF_BGEU, DT_DIF_BLU, DT_DIF_BLEU };
	unsigned bits = 0;

	for (unsigned i = 0; i < 10; i++) {
		struct outcome o = run(a, b, TEXT(OPV(SETX, 0, 1), OPV(SETX, 1, 2), OP(CMP, 1, 2, 0),
		    dt_dif_fmt24(ops[i], 5), RET(0), OPV(SETX, 3, 1), RET(1)));

		bits |= (unsigned)o.value << i;
	}
	return bits;
}

static void test_branches(void)
{
	enum { E = 1, NE = 2, G = 4, GE = 8, L = 16, LE = 32, GU = 64, GEU = 128, LU = 256, LEU = 512 };

	CHECK_INT(taken(1, 1), E | GE | LE | GEU | LEU);
	CHECK_INT(taken(1, 2), NE | L | LE | LU | LEU);
	CHECK_INT(taken(2, 1), NE | G | GE | GU | GEU);
	CHECK_INT(taken(-1ull, 1), NE | L | LE | GU | GEU);
	CHECK_INT(taken(INT64_MAX, MIN64), NE | G | GE | LU | LEU);	/* the subtraction overflows */
	CHECK_INT(taken(MIN64, INT64_MAX), NE | L | LE | GU | GEU);
	CHECK_INT(run(0, 0, TEXT(OPV(SETX, 0, 1), OP(TST, 1, 0, 0), BR(BE, 4), RET(0), OPV(SETX, 3, 1), RET(1))).value, 1);
	CHECK_INT(run(0, 0, TEXT(BR(BA, 2), RET(0), OPV(SETX, 3, 1), RET(1))).value, 1);
}

static unsigned string_order(unsigned a, unsigned b)
{
	return (unsigned)run(0, 0, TEXT(OPV(SETS, a, 1), OPV(SETS, b, 2), OP(SCMP, 1, 2, 0), BR(BL, 6), BR(BE, 7), RET(0),
	    OPV(SETX, 3, 3), OPV(SETX, 3, 1), OP(ADD, 1, 3, 1), RET(1))).value;	/* 2 less, 1 equal, 0 greater */
}

static void test_scmp(void)
{
	CHECK_INT(string_order(1, 5), 2);
	CHECK_INT(string_order(5, 1), 0);
	CHECK_INT(string_order(1, 1), 1);
	CHECK_INT(string_order(0, 1), 2);
	/* null is the empty string */
	CHECK_INT(run(0, 0, TEXT(OPV(SETS, 0, 2), OP(SCMP, 0, 2, 0), BR(BE, 4), RET(0), OPV(SETX, 3, 1), RET(1))).value, 1);
	CHECK_INT(run(0, 0, TEXT(OPV(SETS, 1, 2), OP(SCMP, 0, 2, 0), BR(BL, 4), RET(0), OPV(SETX, 3, 1), RET(1))).value, 1);
	CHECK_INT(run(0x55, 0, TEXT(OPV(SETX, 0, 1), OPV(SETS, 1, 2), OP(SCMP, 1, 2, 0), RET(0))).fault, DT_FLT_BADADDR);
}

static void test_loads(void)
{
	static const struct { unsigned op; uint64_t addr, want; } cases[] = {
		{ DT_DIF_LDSB, 0xffff0000, -2ull }, { DT_DIF_LDUB, 0xffff0000, 0xfe }, { DT_DIF_LDSH, 0xffff0000, -2ull },
		{ DT_DIF_LDUH, 0xffff0000, 0xfffe }, { DT_DIF_LDSW, 0xffff0004, 0xffffffff85040302 }, { DT_DIF_LDUW, 0xffff0004, 0x85040302 },
		{ DT_DIF_LDX, 0xffff0000, 0x850403020180fffe }, { DT_DIF_RLDSB, 0xffff0000, -2ull }, { DT_DIF_RLDUB, 0xffff0000, 0xfe },
		{ DT_DIF_RLDSH, 0xffff0000, -2ull }, { DT_DIF_RLDUH, 0xffff0000, 0xfffe }, { DT_DIF_RLDSW, 0xffff0004, 0xffffffff85040302 },
		{ DT_DIF_RLDUW, 0xffff0004, 0x85040302 }, { DT_DIF_RLDX, 0xffff0000, 0x850403020180fffe },
		{ DT_DIF_ULDSB, 0x1000, -0x70ull }, { DT_DIF_ULDUB, 0x1000, 0x90 }, { DT_DIF_ULDSH, 0x1000, 0xffffffffffff9190 },
		{ DT_DIF_ULDUH, 0x1001, 0xff91 }, { DT_DIF_ULDSW, 0x1000, 0x4ff9190 }, { DT_DIF_ULDUW, 0x1000, 0x4ff9190 },
		{ DT_DIF_ULDX, 0x1000, 0x7265737504ff9190 },
	};
	struct outcome o;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		o = run(cases[i].addr, 0, TEXT(OPV(SETX, 0, 1), dt_dif_fmt(cases[i].op, 1, 0, 1), RET(1)));
		CHECK_INT(o.fault, DT_FLT_NONE);
		CHECK_INT(o.value, cases[i].want);
	}
	/* across two regions that touch */
	CHECK_INT(run(0xffff0000 + sizeof(kernel) - 8, 0, TEXT(OPV(SETX, 0, 1), OP(LDX, 1, 0, 1), RET(1))).fault, DT_FLT_NONE);
	/* loads take any alignment */
	CHECK_INT(run(0xffff0001, 0, TEXT(OPV(SETX, 0, 1), OP(LDUH, 1, 0, 1), RET(1))).fault, DT_FLT_NONE);
	o = run(0x1000, 0, TEXT(OPV(SETX, 0, 1), OP(LDUB, 1, 0, 1), RET(1)));	/* a user address */
	CHECK_INT(o.fault, DT_FLT_BADADDR);
	CHECK_INT(o.addr, 0x1000);
	CHECK_INT(run(0xffff0000, 0, TEXT(OPV(SETX, 0, 1), OP(ULDUB, 1, 0, 1), RET(1))).fault, DT_FLT_BADADDR);
	CHECK_INT(run(0, 0, TEXT(OP(LDX, 0, 0, 1), RET(1))).fault, DT_FLT_BADADDR);
	CHECK_INT(run(UINT64_MAX, 0, TEXT(OPV(SETX, 0, 1), OP(ULDX, 1, 0, 1), RET(1))).fault, DT_FLT_BADADDR);
	CHECK_INT(run(0, 0, TEXT(OPV(SETS, 2, 1), OP(LDUB, 1, 0, 1), RET(1))).value, 'b');
	CHECK_INT(run(sizeof(strs), 0, TEXT(OPV(SETS, 0, 1), OPV(SETX, 0, 2), OP(ADD, 1, 2, 1), OP(LDUB, 1, 0, 1), RET(1))).fault, DT_FLT_BADADDR);
}

static void test_stores(void)
{
	static const unsigned sts[] = { DT_DIF_STB, DT_DIF_STH, DT_DIF_STW, DT_DIF_STX };
	static const uint64_t want[] = { 0x88, 0x7788, 0x55667788, 0x1122334455667788 };
	struct outcome o;

	for (unsigned i = 0; i < 4; i++) {	/* 16 bytes of scratch */
		o = run(16, 0x1122334455667788, TEXT(OPV(SETX, 0, 1), OP(ALLOCS, 1, 0, 1), OPV(SETX, 1, 2),
		    dt_dif_fmt(sts[i], 2, 0, 1), OP(LDX, 1, 0, 1), RET(1)));
		CHECK_INT(o.value, want[i]);
		o = run(0xffff0000, 0, TEXT(OPV(SETX, 0, 1), dt_dif_fmt(sts[i], 0, 0, 1), RET(1)));
		CHECK_INT(o.fault, DT_FLT_BADADDR);
		CHECK_INT(o.addr, 0xffff0000);
	}
	o = run(16, 1, TEXT(OPV(SETX, 0, 1), OP(ALLOCS, 1, 0, 1), OPV(SETX, 1, 2), OP(ADD, 1, 2, 1), OP(STW, 2, 0, 1), RET(1)));
	CHECK_INT(o.fault, DT_FLT_BADALIGN);
	CHECK_INT(run(0, 0, TEXT(OPV(SETS, 1, 1), OP(STB, 0, 0, 1), RET(1))).fault, DT_FLT_BADADDR);	/* a constant */
	CHECK_INT(run(1 << 20, 0, TEXT(OPV(SETX, 0, 1), OP(ALLOCS, 1, 0, 1), RET(1))).fault, DT_FLT_NOSCRATCH);
	CHECK_INT(run(UINT64_MAX, 0, TEXT(OPV(SETX, 0, 1), OP(ALLOCS, 1, 0, 1), RET(1))).fault, DT_FLT_NOSCRATCH);
	o = run(4096, 1, TEXT(OPV(SETX, 0, 1), OP(ALLOCS, 1, 0, 1), OPV(SETX, 1, 2), OP(ALLOCS, 2, 0, 1), RET(1)));
	CHECK_INT(o.fault, DT_FLT_NOSCRATCH);
	CHECK_INT(o.offset, 12);
	/* copys: "abc" and its NUL into scratch */
	o = run(8, 4, TEXT(OPV(SETX, 0, 1), OP(ALLOCS, 1, 0, 3), OPV(SETX, 1, 2), OPV(SETS, 1, 1), OP(COPYS, 1, 2, 3), OP(LDX, 3, 0, 1), RET(1)));
	CHECK_INT(o.value, 'a' | 'b' << 8 | 'c' << 16);
	o = run(8, 1 << 20, TEXT(OPV(SETX, 0, 1), OP(ALLOCS, 1, 0, 3), OPV(SETX, 1, 2), OPV(SETS, 1, 1), OP(COPYS, 1, 2, 3), RET(1)));
	CHECK_INT(o.fault, DT_FLT_BADADDR);
	CHECK_INT(o.offset, 16);
}

/* ---- variables ---- */

static void test_builtins(void)
{
	const struct dt_builtin *row;

	CHECK_INT(run(0, 0, TEXT(OPV(LDGS, DT_VAR_pid, 1), RET(1))).value, 100);
	CHECK_INT(run(0, 0, TEXT(OPV(LDGS, DT_VAR_arg1, 1), RET(1))).value, 2);
	CHECK_INT(run(2, 0, TEXT(OPV(SETX, 0, 1), OP(LDGA, 0, 1, 1), RET(1))).value, 3);
	CHECK_INT(run(10, 0, TEXT(OPV(SETX, 0, 1), OP(LDGA, 0, 1, 1), RET(1))).fault, DT_FLT_BADINDEX);
	CHECK_INT(run(3, 0, TEXT(OPV(SETX, 0, 1), OP(LDGA, 2, 1, 1), RET(1))).value, 13);
	CHECK_INT(run(4, 0, TEXT(OPV(SETX, 0, 1), OP(LDGA, 2, 1, 1), RET(1))).fault, DT_FLT_BADINDEX);
	CHECK_INT(run(1, 99, TEXT(OPV(SETX, 0, 1), OPV(SETX, 1, 2), OP(STGA, 2, 1, 2), OP(LDGA, 2, 1, 1), RET(1))).value, 99);
	/* execname is full: 15 characters */
	CHECK_INT(run(14, 0, TEXT(OPV(LDGS, DT_VAR_execname, 1), OPV(SETX, 0, 2), OP(ADD, 1, 2, 1), OP(LDUB, 1, 0, 1), RET(1))).value, '!');
	for (size_t at = 0; (row = dt_builtin_next(&at)) != NULL; ) {
		struct outcome o;

		if (row->kind != DT_BI_SCALAR || row->unsupported)
			continue;
		o = run(0, 0, TEXT(OPV(LDGS, row->id, 1), RET(1)));
		CHECK_INT(o.fault, DT_FLT_NONE);
	}
}

struct machine { struct dt_interp *ip; struct dt_context c; unsigned drops; };
static void count_drop(void *ctx, const char *kind)
{
	((struct machine *)ctx)->drops++;
	CHECK_STR(kind, "dynamic variable");
}

static struct outcome in(struct machine *m, uint64_t x, uint64_t y, const uint32_t *text, uint32_t ntext)
{
	return run_in(m->ip, &m->c, (const uint64_t[]){ x, y, 0, 1 }, 4, text, ntext);
}

static void test_scalars(struct machine *m)
{
	CHECK_INT(in(m, 0, 0, TEXT(OPV(LDGS, 0x500, 1), RET(1))).value, 0);
	in(m, 7, 0, TEXT(OPV(SETX, 0, 1), OPV(STGS, 0x500, 1), OPV(STTS, 0x500, 1), OPV(STLS, 0x500, 1), RET(1)));
	CHECK_INT(in(m, 0, 0, TEXT(OPV(LDGS, 0x500, 1), RET(1))).value, 7);
	CHECK_INT(in(m, 0, 0, TEXT(OPV(LDTS, 0x500, 1), RET(1))).value, 7);
	CHECK_INT(in(m, 0, 0, TEXT(OPV(LDLS, 0x500, 1), RET(1))).value, 0);	/* a new firing */
	CHECK_INT(in(m, 8, 0, TEXT(OPV(SETX, 0, 1), OPV(STLS, 0x500, 1), OPV(LDLS, 0x500, 1), RET(1))).value, 8);
	m->c.tid = 102;
	CHECK_INT(in(m, 0, 0, TEXT(OPV(LDTS, 0x500, 1), RET(1))).value, 0);
	m->c.tid = 101;
	/* strings: unset globals are empty, unset thread-locals are null */
	CHECK(in(m, 0, 0, TEXT(OPV(LDGS, 0x501, 1), RET(1))).value != 0);
	CHECK_INT(in(m, 0, 0, TEXT(OPV(LDTS, 0x501, 1), RET(1))).value, 0);
	in(m, 0, 0, TEXT(OPV(LDGS, DT_VAR_execname, 1), OPV(STGS, 0x501, 1), RET(1)));	/* cut to 8 characters */
	CHECK_STR(dt_interp_string(m->ip, in(m, 0, 0, TEXT(OPV(LDGS, 0x501, 1), RET(1))).value, NULL), "a_comman");
	in(m, 0, 0, TEXT(OPV(STGS, 0x501, 0), RET(0)));
	CHECK_INT(in(m, 0, 0, TEXT(OPV(LDGS, 0x501, 1), RET(1))).value, 0);
	in(m, 0, 0, TEXT(OPV(SETS, 5, 1), OPV(STTS, 0x501, 1), RET(1)));
	CHECK_STR(dt_interp_string(m->ip, in(m, 0, 0, TEXT(OPV(LDTS, 0x501, 1), RET(1))).value, NULL), "abd");
	in(m, 0, 0, TEXT(OPV(LDTS, 0x501, 1), OPV(STTS, 0x501, 1), RET(1)));	/* to itself */
	CHECK_STR(dt_interp_string(m->ip, in(m, 0, 0, TEXT(OPV(LDTS, 0x501, 1), RET(1))).value, NULL), "abd");
	/* a struct by reference, and a store into it */
	in(m, 0xffff0000, 0, TEXT(OPV(SETX, 0, 1), OPV(STGS, 0x504, 1), OPV(LDGS, 0x504, 1), OP(STB, 0, 0, 1), RET(1)));
	CHECK_INT(in(m, 0, 0, TEXT(OPV(LDGS, 0x504, 1), OP(LDX, 1, 0, 1), RET(1))).value, 0x850403020180ff00);
	CHECK_INT(in(m, 0x10, 0, TEXT(OPV(SETX, 0, 1), OPV(STGS, 0x504, 1), RET(1))).fault, DT_FLT_BADADDR);
}

static void test_arrays(struct machine *m)
{
	in(m, 5, 50, TEXT(OPV(SETX, 0, 1), OPV(SETX, 1, 2), OP(PUSHTV, 0, 0, 1), OPV(STGAA, 0x502, 2), OPV(STTAA, 0x502, 1), RET(1)));
	CHECK_INT(in(m, 5, 0, TEXT(OPV(SETX, 0, 1), OP(PUSHTV, 0, 0, 1), OPV(LDGAA, 0x502, 1), RET(1))).value, 50);
	CHECK_INT(in(m, 6, 0, TEXT(OPV(SETX, 0, 1), OP(PUSHTV, 0, 0, 1), OPV(LDGAA, 0x502, 1), RET(1))).value, 0);
	CHECK_INT(in(m, 5, 0, TEXT(OPV(SETX, 0, 1), OP(PUSHTV, 0, 0, 1), OPV(LDTAA, 0x502, 1), RET(1))).value, 5);
	m->c.tid = 102;
	CHECK_INT(in(m, 5, 0, TEXT(OPV(SETX, 0, 1), OP(PUSHTV, 0, 0, 1), OPV(LDTAA, 0x502, 1), RET(1))).value, 0);
	m->c.tid = 101;
	/* two strings as key; the same text elsewhere is the same key; popts takes the last away */
	in(m, 256, 9, TEXT(OPV(SETS, 1, 1), OPV(SETX, 0, 2), OP(PUSHTR, 1, 2, 1), OPV(SETX, 1, 3), OPV(STGAA, 0x502, 3), RET(1)));
	CHECK_INT(in(m, 256, 0, TEXT(OPV(SETS, 1, 1), OPV(SETX, 0, 2), OP(PUSHTR, 1, 2, 1), OP(PUSHTV, 0, 0, 2),
	    OP(POPTS, 0, 0, 0), OPV(LDGAA, 0x502, 1), RET(1))).value, 9);
	CHECK_INT(in(m, 256, 0, TEXT(OPV(SETS, 5, 1), OPV(SETX, 0, 2), OP(PUSHTR, 1, 2, 1), OPV(LDGAA, 0x502, 1), RET(1))).value, 0);
	/* 8 bytes by reference are not the number with the same bytes' key size… but equal bytes: equal key */
	in(m, 8, 0xffff0000, TEXT(OPV(SETX, 1, 1), OPV(SETX, 0, 2), OP(PUSHTR, 0, 2, 1), OPV(STGAA, 0x502, 2), RET(1)));
	CHECK_INT(in(m, 8, 0xffff0000, TEXT(OPV(SETX, 1, 1), OPV(SETX, 0, 2), OP(PUSHTR, 0, 2, 1), OPV(LDGAA, 0x502, 1), RET(1))).value, 8);
	CHECK_INT(in(m, 8, 0x10, TEXT(OPV(SETX, 1, 1), OPV(SETX, 0, 2), OP(PUSHTR, 0, 2, 1), OPV(LDGAA, 0x502, 1), RET(1))).fault, DT_FLT_BADADDR);
	CHECK_INT(in(m, UINT64_MAX, 1, TEXT(OPV(SETX, 0, 2), OP(PUSHTR, 0, 2, 1), RET(1))).fault, DT_FLT_ILLOP);
	/* null is the key "" */
	in(m, 256, 3, TEXT(OPV(SETX, 0, 2), OP(PUSHTR, 1, 2, 0), OPV(SETX, 1, 3), OPV(STGAA, 0x502, 3), RET(1)));
	CHECK_INT(in(m, 256, 0, TEXT(OPV(SETS, 0, 1), OPV(SETX, 0, 2), OP(PUSHTR, 1, 2, 1), OPV(LDGAA, 0x502, 1), RET(1))).value, 3);
	CHECK_INT(in(m, 0, 0, TEXT(OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0),
	    OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0), RET(0))).fault, DT_FLT_NONE);
	CHECK_INT(in(m, 0, 0, TEXT(OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0),
	    OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0), RET(0))).fault, DT_FLT_TUPOFLOW);
}

/* A string element costs 64 + 32 + 16 bytes of 256: two fit; 0 gives one back. */
static void test_dynvarsize(void)
{
	struct machine m = { .c = context() };

	m.ip = dt_interp_new(NULL, &(struct dt_interp_opts){ .dynvarsize = 256 }, &(struct dt_interp_sink){ .ctx = &m, .drop = count_drop });
	for (uint64_t i = 1; i <= 3; i++)
		in(&m, i, 0, TEXT(OPV(SETX, 0, 1), OP(PUSHTV, 0, 0, 1), OPV(SETS, 1, 1), OPV(STGAA, 0x503, 1), RET(1)));
	CHECK_INT(m.drops, 1);
	CHECK_INT(in(&m, 3, 0, TEXT(OPV(SETX, 0, 1), OP(PUSHTV, 0, 0, 1), OPV(LDGAA, 0x503, 1), RET(1))).value, 0);
	in(&m, 1, 0, TEXT(OPV(SETX, 0, 1), OP(PUSHTV, 0, 0, 1), OPV(STGAA, 0x503, 0), RET(1)));
	in(&m, 3, 0, TEXT(OPV(SETX, 0, 1), OP(PUSHTV, 0, 0, 1), OPV(SETS, 5, 1), OPV(STGAA, 0x503, 1), RET(1)));
	CHECK_INT(m.drops, 1);
	CHECK_STR(dt_interp_string(m.ip, in(&m, 3, 0, TEXT(OPV(SETX, 0, 1), OP(PUSHTV, 0, 0, 1), OPV(LDGAA, 0x503, 1), RET(1))).value, NULL), "abd");
	CHECK_INT(in(&m, 1, 0, TEXT(OPV(SETX, 0, 1), OP(PUSHTV, 0, 0, 1), OPV(LDGAA, 0x503, 1), RET(1))).value, 0);
	dt_interp_free(m.ip);
}

static void see_var(void *ctx, const struct dt_interp_var *v)
{
	unsigned *seen = ctx;

	if (strcmp(v->var->name, "g") == 0)
		*seen += v->value == 7;
	if (v->var->id == 0x500 && v->var->scope == DT_DIFV_THREAD)
		*seen += v->value == 7 && v->tid == 101 && !v->key;
	if (strcmp(v->var->name, "a") == 0 && v->keylen == 16)
		*seen += v->value == 50 || v->value == 8;
}

static void test_variables(void)
{
	struct machine m = { .c = context(), .ip = dt_interp_new(NULL, NULL, NULL) };
	unsigned seen = 0;

	test_scalars(&m);
	test_arrays(&m);
	dt_interp_vars(m.ip, see_var, &seen);
	CHECK_INT(seen, 4);
	dt_interp_free(m.ip);
	test_dynvarsize();
}

/* ---- clauses ---- */

static char log_text[8192];		/* what the sink was told */
#define LOG(...) snprintf(log_text + strlen(log_text), sizeof(log_text) - strlen(log_text), __VA_ARGS__)

static void on_begin(void *ctx, const struct dt_ecb *e, uint32_t epid, const struct dt_context *c)
{
	(void)ctx, (void)e;
	LOG("begin %u %s:%s ", epid, c->probe.func, c->probe.name);
}
static void on_record(void *ctx, const struct dt_ecb *e, uint32_t act, const void *data, size_t len)
{
	(void)ctx;
	LOG("[%u:", act);
	if (e->acts[act].difo && e->acts[act].difo->rtype.kind == DT_DT_STRING) {
		LOG("'%.*s'/%zu", (int)len, (const char *)data, len);
	} else {
		for (size_t i = 0; i < len; i += len < 8 ? len : 8) {
			uint64_t v = 0;

			memcpy(&v, (const char *)data + i, len < 8 ? len : 8);
			LOG(" %" PRIx64, v);
		}
	}
	LOG("] ");
}
static void on_end(void *ctx, const struct dt_ecb *e, bool faulted)
{
	(void)ctx, (void)e;
	LOG(faulted ? "lost\n" : "end\n");
}
static void on_fault(void *ctx, const struct dt_ecb *e, uint32_t epid, int act, int offset, enum dt_fault f, uint64_t addr)
{
	(void)ctx, (void)e;
	LOG("fault %u %d %d %s %" PRIx64 "\n", epid, act, offset, dt_fault_text((int)f), addr);
}
static void on_drop(void *ctx, const char *kind)
{
	(void)ctx;
	LOG("drop %s\n", kind);
}
static const struct dt_interp_sink sink = { NULL, on_begin, on_record, on_end, on_fault, on_drop };

static const uint64_t ints[] = { 1, 2, 3, 7, 0xffff0000, 256 };
#define DIFO(...) { .text = (const uint32_t[]){ __VA_ARGS__ }, .ntext = sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4, \
	.ints = ints, .nints = 6, .strs = strs, .strlen = sizeof(strs), .vars = vars, .nvars = 9, .rtype = { .ckind = DT_CK_INTEGER, .size = 8 } }
static const struct dt_difo one = DIFO(OPV(SETX, 0, 1), RET(1)), two = DIFO(OPV(SETX, 1, 1), RET(1)), zero = DIFO(RET(0)),
	div0 = DIFO(OPV(SETX, 0, 1), OP(SDIV, 1, 0, 1), RET(1)), badaddr = DIFO(OPV(SETX, 5, 1), OP(LDX, 1, 0, 1), RET(1)),
	spec = DIFO(OP(FLUSHTS, 0, 0, 0), OPV(CALL, DT_SUBR_speculation, 1), OPV(STGS, 0x500, 1), RET(1)), spec_id = DIFO(OPV(LDGS, 0x500, 1), RET(1)),
	arg0 = DIFO(OPV(LDGS, DT_VAR_arg0, 1), RET(1)), arg4 = DIFO(OPV(LDGS, DT_VAR_arg4, 1), RET(1)), arg2 = DIFO(OPV(LDGS, DT_VAR_arg2, 1), RET(1)),
	local = DIFO(OPV(LDLS, 0x500, 1), RET(1)), set_local = DIFO(OPV(SETX, 3, 1), OPV(STLS, 0x500, 1), RET(1)), seven = DIFO(OPV(SETX, 3, 1), RET(1));
static struct dt_difo name, nothing, null_string;

#define ACT(k, d, ...) { .kind = DT_ACT_##k, .difo = d, __VA_ARGS__ }
#define ECB(p, m, f, n, pr, a) { .probe = { p, m, f, n, 0 }, .pred = pr, .acts = a, .nacts = sizeof(a) / sizeof((a)[0]) }

static const char *fire(struct dt_interp *ip, const struct dt_context *c, int want)
{
	log_text[0] = '\0';
	CHECK_INT(dt_interp_fire(ip, c), want);
	return log_text;
}

static void test_records(void)
{
	const struct dt_act acts[] = { ACT(DIFEXPR, &one), ACT(DIFEXPR, &nothing), ACT(DIFEXPR, &name), ACT(DIFEXPR, &null_string),
		ACT(STACK, NULL, .arg = 2), ACT(USTACK, NULL, .arg = 3), ACT(SYM, &seven), ACT(USYM, &seven),
		ACT(SKIPZ, &zero, .arg = 1), ACT(DIFEXPR, &one), ACT(SKIPZ, &two, .arg = 1), ACT(DIFEXPR, &two), ACT(STOP, NULL), ACT(TRACEMEM, &name, .arg = 3), ACT(EXIT, &seven) };
	const struct dt_act local_acts[] = { ACT(DIFEXPR, &set_local) }, read_acts[] = { ACT(DIFEXPR, &local) };
	const struct dt_ecb ecbs[] = { ECB("", "", "", "", &zero, acts), { .probe = { "", "kernel", "", "", 0 } },
		ECB("", "", "", "", NULL, local_acts), ECB("", "", "", "return", NULL, acts), ECB("", "", "", "", &one, read_acts),
		ECB("sys*", "", "re[a-c]?", "entry", NULL, acts) };
	const struct dt_prog prog = { .ecbs = ecbs, .necbs = 6 };
	struct dt_context c = context();
	struct dt_interp *ip = dt_interp_new(&prog, NULL, &sink);

	CHECK_STR(fire(ip, &c, 7),
	    "begin 2 read:entry end\nbegin 3 read:entry [0: 7] end\nbegin 5 read:entry [0: 7] end\n"
	    "begin 6 read:entry [0: 1] [2:'a_comman'/9] [3:''/17] [4: 111 222] [5: 64 111 222 0] [6: 7] [7: 64 7] "
	    "[8: 0] [10: 1] [11: 2] [12:] [13:'a_c'/3] [14: 7] end\n");
	CHECK_STR(fire(ip, &c, 7), "");
	dt_interp_free(ip);
}

static void test_faults(void)
{
	const struct dt_act acts[] = { ACT(DIFEXPR, &set_local), ACT(DIFEXPR, &div0), ACT(EXIT, &one) };
	const struct dt_act user_string[] = { ACT(TRACEMEM, &two, .arg = 8) };
	const struct dt_act error[] = { ACT(DIFEXPR, &arg2), ACT(DIFEXPR, &arg4), ACT(DIFEXPR, &local), ACT(DIFEXPR, &div0) };
	const struct dt_act after[] = { ACT(DIFEXPR, &local) };
	const struct dt_ecb ecbs[] = { ECB("syscall", "", "", "", NULL, acts), ECB("syscall", "", "", "", &badaddr, acts),
		ECB("syscall", "", "", "", NULL, user_string), ECB("dtrace", "", "", "ERROR", NULL, error), ECB("syscall", "", "", "", NULL, after) };
	const struct dt_prog prog = { .ecbs = ecbs, .necbs = 5 };
	struct dt_context c = context();
	struct dt_interp *ip = dt_interp_new(&prog, NULL, &sink);

	CHECK_STR(fire(ip, &c, -1),
	    "begin 1 read:entry lost\nfault 1 1 4 divide-by-zero 0\nbegin 4 :ERROR lost\ndrop error in ERROR probe enabling\n"
	    "fault 2 -1 4 invalid address 100\nbegin 4 :ERROR lost\ndrop error in ERROR probe enabling\n"
	    "begin 3 read:entry lost\nfault 3 0 -1 invalid address 2\nbegin 4 :ERROR lost\ndrop error in ERROR probe enabling\n"
	    "begin 5 read:entry [0: 7] end\n");
	dt_interp_free(ip);
}

static void test_error_args(void)
{
	const struct dt_act acts[] = { ACT(DIFEXPR, &one), ACT(DIFEXPR, &div0) };
	const struct dt_act error[] = { ACT(DIFEXPR, &arg2), ACT(DIFEXPR, &arg4) };
	const struct dt_ecb ecbs[] = { ECB("syscall", "", "", "", NULL, acts), ECB("dtrace", "", "", "ERROR", NULL, error) };
	const struct dt_prog prog = { .ecbs = ecbs, .necbs = 2 };
	struct dt_context c = context();
	struct dt_interp *ip = dt_interp_new(&prog, NULL, &sink);

	CHECK_STR(fire(ip, &c, -1), "begin 1 read:entry lost\nfault 1 1 4 divide-by-zero 0\nbegin 2 :ERROR [0: 2] [1: 4] end\n");
	dt_interp_free(ip);
}

static void test_speculation(void)
{
	const struct dt_act begin[] = { ACT(DIFEXPR, &spec) }, speculate[] = { ACT(SPECULATE, &spec_id), ACT(DIFEXPR, &arg0) };
	const struct dt_act commit[] = { ACT(COMMIT, &spec_id) }, discard[] = { ACT(DISCARD, &spec_id) };
	const struct dt_ecb ecbs[] = { ECB("", "", "", "begin", NULL, begin), ECB("", "", "", "spec", NULL, speculate),
		ECB("", "", "", "commit", NULL, commit), ECB("", "", "", "discard", NULL, discard) };
	const struct dt_prog prog = { .ecbs = ecbs, .necbs = 4 };
	struct dt_interp *ip = dt_interp_new(&prog, &(struct dt_interp_opts){ .nspec = 1, .specsize = 16 }, &sink);
	struct dt_context c = context();
	static const struct { const char *probe, *want; } steps[] = {
		{ "spec", "" },							/* not active: nothing is recorded */
		{ "begin", "begin 1 read:begin [0: 1] end\n" },
		{ "spec", "" }, { "spec", "" }, { "spec", "drop speculative\n" },
		{ "commit", "begin 2 read:spec [1: 1] end\nbegin 2 read:spec [1: 1] end\nbegin 3 read:commit end\n" },
		{ "commit", "begin 3 read:commit end\n" },
		{ "begin", "begin 1 read:begin [0: 1] end\n" }, { "spec", "" }, { "discard", "begin 4 read:discard end\n" },
		{ "begin", "begin 1 read:begin [0: 1] end\n" },
		{ "begin", "drop failed speculation\nbegin 1 read:begin [0: 0] end\n" },
		{ "commit", "begin 3 read:commit end\n" },
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		c.probe.name = steps[i].probe;
		CHECK_STR(fire(ip, &c, -1), steps[i].want);
	}
	dt_interp_free(ip);
}

static void see_agg(void *ctx, const struct dt_aggvar *v, const struct dt_interp_key *keys, uint32_t nkeys, const int64_t *data, uint32_t n)
{
	(void)ctx;
	LOG("@%s", v->name);
	for (uint32_t i = 0; i < nkeys; i++) {
		uint64_t k = 0;

		memcpy(&k, keys[i].data, keys[i].len < 8 ? keys[i].len : 8);
		LOG(" %" PRIu64 "/%zu", k, keys[i].len);
	}
	LOG(" = %" PRId64 "/%u\n", data[0], n);
}

static void test_aggregations(void)
{
	const struct dt_act acts[] = {
		ACT(DIFEXPR, &one, .in_tuple = true), ACT(COUNT, NULL, .ntuple = 1),
		ACT(DIFEXPR, &two, .in_tuple = true), ACT(DIFEXPR, &arg0, .in_tuple = true), ACT(STACK, NULL, .arg = 2, .in_tuple = true),
		ACT(DIFEXPR, &seven, .in_tuple = true), ACT(SUM, NULL, .ntuple = 4) };
	const struct dt_ecb ecbs[] = { ECB("", "", "", "", NULL, acts) };
	const struct dt_aggvar aggs[] = { { "", 1, DT_ACT_COUNT, 0, 0 }, { "s", 2, DT_ACT_SUM, 0, 2 } };
	const struct dt_prog prog = { .ecbs = ecbs, .necbs = 1, .aggs = aggs, .naggs = 2 };
	struct dt_interp *ip = dt_interp_new(&prog, NULL, &sink);
	struct dt_context c = context();

	for (unsigned i = 0; i < 3; i++) {
		c.arg[0] = 10 + i / 2;
		CHECK_STR(fire(ip, &c, -1), "begin 1 read:entry end\n");
	}
	log_text[0] = '\0';
	dt_interp_aggs(ip, see_agg, NULL);
	CHECK_STR(log_text, "@ = 3/1\n@s 10/8 273/16 = 14/1\n@s 11/8 273/16 = 7/1\n");
	dt_interp_free(ip);
}

static void test_glob(void)
{
	static const struct { const char *pattern, *text; bool want; } cases[] = {
		{ "", "", true }, { "abc", "abc", true }, { "abc", "abcd", false }, { "*", "", true }, { "a*c", "abbc", true },
		{ "a*b*c", "axxbyyc", true }, { "a*b*c", "axxcyyb", false }, { "?", "", false }, { "?", "x", true },
		{ "[a-c]", "b", true }, { "[!a-c]", "b", false }, { "[^a-c]", "d", true }, { "[]x]", "]", true }, { "[a", "[a", true },
		{ "\\*", "*", true }, { "\\*", "x", false }, { "[\\]]", "]", true }, { "*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaa", false },
		{ "*read", "sys_read", true }, { "a-", "a-", true }, { "[a-]", "-", true }, { "x[", "x[", true }, { "\\", "\\", true },
	};
	struct dt_probedesc any = { "", "", "", "", 0 }, five = { .id = 5 }, probe = { "p", "vmlinux", "f", "n", 5 }, kern = { "", "kernel", "", "", 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!CHECK(dt_glob_match(cases[i].pattern, cases[i].text) == cases[i].want))
			fprintf(stderr, "\t%s ~ %s\n", cases[i].pattern, cases[i].text);
	}
	CHECK(dt_probe_match(&any, &probe) && dt_probe_match(&five, &probe) && dt_probe_match(&kern, &probe));
	five.id = 6;
	CHECK(!dt_probe_match(&five, &probe));
}

int main(void)
{
	name = (struct dt_difo)DIFO(OPV(LDGS, DT_VAR_execname, 1), OPV(STGS, 0x501, 1), OPV(LDGS, 0x501, 1), RET(1));
	name.rtype = (struct dt_diftype){ .kind = DT_DT_STRING, .flags = DT_DTF_REF, .size = 8 };
	null_string = zero;
	null_string.rtype = string16;
	nothing = one;
	nothing.rtype = (struct dt_diftype){ 0 };
	test_arith();
	test_branches();
	test_scmp();
	test_loads();
	test_stores();
	test_builtins();
	test_variables();
	test_records();
	test_faults();
	test_error_args();
	test_speculation();
	test_aggregations();
	test_glob();
	return check_report("interp");
}
