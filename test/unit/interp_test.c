/* SPDX-License-Identifier: BSD-2-Clause */
/* The interpreter by hand-made DIF: every opcode, every fault of one, variables. */
#include "interp_world.h"

#include "dif/builtin.h"

#include <inttypes.h>
#include <stdlib.h>

#define MIN64 ((uint64_t)1 << 63)

struct outcome { uint64_t value; enum dt_fault fault; int offset; uint64_t addr; };

static struct dt_difo difo(const uint64_t *ints, uint32_t nints, const uint32_t *text, uint32_t ntext)
{
	return (struct dt_difo){ .text = text, .ntext = ntext, .ints = ints, .nints = nints, .strs = strs,
		.strlen = sizeof(strs), .vars = vars, .nvars = sizeof(vars) / sizeof(vars[0]),
		.rtype = int8 };
}

static struct outcome run_in(struct dt_interp *ip, const struct dt_context *c, const uint64_t *ints,
    uint32_t nints, const uint32_t *text, uint32_t ntext)
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
		{ DT_DIF_SLL, 1, 63, MIN64 }, { DT_DIF_SLL, 1, 64, 1 }, { DT_DIF_SRL, MIN64, 63, 1 },
		{ DT_DIF_SRA, MIN64, 63, UINT64_MAX }, { DT_DIF_SRA, MIN64, 127, UINT64_MAX },
		{ DT_DIF_SUB, 0, 1, UINT64_MAX }, { DT_DIF_ADD, UINT64_MAX, 2, 1 },
		{ DT_DIF_MUL, UINT64_MAX, UINT64_MAX, 1 }, { DT_DIF_SDIV, -7ull, 2, -3ull },
		{ DT_DIF_SDIV, MIN64, -1ull, MIN64 }, { DT_DIF_UDIV, UINT64_MAX, 2, INT64_MAX },
		{ DT_DIF_SREM, -7ull, 2, -1ull }, { DT_DIF_SREM, MIN64, -1ull, 0 },
		{ DT_DIF_UREM, UINT64_MAX, 10, 5 },
	};
	static const unsigned divisions[] = { DT_DIF_SDIV, DT_DIF_UDIV, DT_DIF_SREM, DT_DIF_UREM };
	struct outcome o;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		o = run(cases[i].a, cases[i].b, TEXT(OPV(SETX, 0, 1), OPV(SETX, 1, 2),
		    dt_dif_fmt(cases[i].op, 1, 2, 3), RET(3)));
		CHECK_INT(o.value, cases[i].want);
		CHECK_INT(o.fault, DT_FLT_NONE);
	}
	for (size_t i = 0; i < 4; i++) {
		o = run(5, 0, TEXT(OPV(SETX, 0, 1), OPV(SETX, 1, 2), dt_dif_fmt(divisions[i], 1, 2, 3),
		    RET(1)));
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
	static const unsigned ops[] = { DT_DIF_BE, DT_DIF_BNE, DT_DIF_BG, DT_DIF_BGE, DT_DIF_BL, DT_DIF_BLE,
		DT_DIF_BGU, DT_DIF_BGEU, DT_DIF_BLU, DT_DIF_BLEU };
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
	CHECK_INT(run(0, 0, TEXT(OPV(SETX, 0, 1), OP(TST, 1, 0, 0), BR(BE, 4), RET(0), OPV(SETX, 3, 1),
	    RET(1))).value, 1);
	CHECK_INT(run(0, 0, TEXT(BR(BA, 2), RET(0), OPV(SETX, 3, 1), RET(1))).value, 1);
}

static unsigned string_order(unsigned a, unsigned b)
{
	return (unsigned)run(0, 0, TEXT(OPV(SETS, a, 1), OPV(SETS, b, 2), OP(SCMP, 1, 2, 0), BR(BL, 6),
	    /* 2 less, 1 equal, 0 greater */
	    BR(BE, 7), RET(0), OPV(SETX, 3, 3), OPV(SETX, 3, 1), OP(ADD, 1, 3, 1), RET(1))).value;
}

static void test_scmp(void)
{
	CHECK_INT(string_order(1, 5), 2);
	CHECK_INT(string_order(5, 1), 0);
	CHECK_INT(string_order(1, 1), 1);
	CHECK_INT(string_order(0, 1), 2);
	/* null is the empty string */
	CHECK_INT(run(0, 0, TEXT(OPV(SETS, 0, 2), OP(SCMP, 0, 2, 0), BR(BE, 4), RET(0), OPV(SETX, 3, 1),
	    RET(1))).value, 1);
	CHECK_INT(run(0, 0, TEXT(OPV(SETS, 1, 2), OP(SCMP, 0, 2, 0), BR(BL, 4), RET(0), OPV(SETX, 3, 1),
	    RET(1))).value, 1);
	CHECK_INT(run(0x55, 0, TEXT(OPV(SETX, 0, 1), OPV(SETS, 1, 2), OP(SCMP, 1, 2, 0), RET(0))).fault,
	    DT_FLT_BADADDR);
}

static void test_loads(void)
{
	static const struct { unsigned op; uint64_t addr, want; } cases[] = {
		{ DT_DIF_LDSB, 0xffff0000, -2ull }, { DT_DIF_LDUB, 0xffff0000, 0xfe },
		{ DT_DIF_LDSH, 0xffff0000, -2ull }, { DT_DIF_LDUH, 0xffff0000, 0xfffe },
		{ DT_DIF_LDSW, 0xffff0004, 0xffffffff85040302 }, { DT_DIF_LDUW, 0xffff0004, 0x85040302 },
		{ DT_DIF_LDX, 0xffff0000, 0x850403020180fffe }, { DT_DIF_RLDSB, 0xffff0000, -2ull },
		{ DT_DIF_RLDUB, 0xffff0000, 0xfe }, { DT_DIF_RLDSH, 0xffff0000, -2ull },
		{ DT_DIF_RLDUH, 0xffff0000, 0xfffe }, { DT_DIF_RLDSW, 0xffff0004, 0xffffffff85040302 },
		{ DT_DIF_RLDUW, 0xffff0004, 0x85040302 }, { DT_DIF_RLDX, 0xffff0000, 0x850403020180fffe },
		{ DT_DIF_ULDSB, 0x1000, -0x70ull }, { DT_DIF_ULDUB, 0x1000, 0x90 },
		{ DT_DIF_ULDSH, 0x1000, 0xffffffffffff9190 }, { DT_DIF_ULDUH, 0x1001, 0xff91 },
		{ DT_DIF_ULDSW, 0x1000, 0x4ff9190 }, { DT_DIF_ULDUW, 0x1000, 0x4ff9190 },
		{ DT_DIF_ULDX, 0x1000, 0x7265737504ff9190 },
	};
	struct outcome o;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		o = run(cases[i].addr, 0, TEXT(OPV(SETX, 0, 1), dt_dif_fmt(cases[i].op, 1, 0, 1), RET(1)));
		CHECK_INT(o.fault, DT_FLT_NONE);
		CHECK_INT(o.value, cases[i].want);
	}
	/* across two regions that touch */
	CHECK_INT(run(0xffff0000 + sizeof(kernel) - 8, 0,
	    TEXT(OPV(SETX, 0, 1), OP(LDX, 1, 0, 1), RET(1))).fault, DT_FLT_NONE);
	/* loads take any alignment */
	CHECK_INT(run(0xffff0001, 0, TEXT(OPV(SETX, 0, 1), OP(LDUH, 1, 0, 1), RET(1))).fault, DT_FLT_NONE);
	o = run(0x1000, 0, TEXT(OPV(SETX, 0, 1), OP(LDUB, 1, 0, 1), RET(1)));	/* a user address */
	CHECK_INT(o.fault, DT_FLT_BADADDR);
	CHECK_INT(o.addr, 0x1000);
	CHECK_INT(run(0xffff0000, 0, TEXT(OPV(SETX, 0, 1), OP(ULDUB, 1, 0, 1), RET(1))).fault,
	    DT_FLT_BADADDR);
	CHECK_INT(run(0, 0, TEXT(OP(LDX, 0, 0, 1), RET(1))).fault, DT_FLT_BADADDR);
	CHECK_INT(run(UINT64_MAX, 0, TEXT(OPV(SETX, 0, 1), OP(ULDX, 1, 0, 1), RET(1))).fault, DT_FLT_BADADDR);
	CHECK_INT(run(0, 0, TEXT(OPV(SETS, 2, 1), OP(LDUB, 1, 0, 1), RET(1))).value, 'b');
	CHECK_INT(run(sizeof(strs), 0, TEXT(OPV(SETS, 0, 1), OPV(SETX, 0, 2), OP(ADD, 1, 2, 1),
	    OP(LDUB, 1, 0, 1), RET(1))).fault, DT_FLT_BADADDR);
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
	o = run(16, 1, TEXT(OPV(SETX, 0, 1), OP(ALLOCS, 1, 0, 1), OPV(SETX, 1, 2), OP(ADD, 1, 2, 1),
	    OP(STW, 2, 0, 1), RET(1)));
	CHECK_INT(o.fault, DT_FLT_BADALIGN);
	/* a constant */
	CHECK_INT(run(0, 0, TEXT(OPV(SETS, 1, 1), OP(STB, 0, 0, 1), RET(1))).fault, DT_FLT_BADADDR);
	CHECK_INT(run(1 << 20, 0, TEXT(OPV(SETX, 0, 1), OP(ALLOCS, 1, 0, 1), RET(1))).fault,
	    DT_FLT_NOSCRATCH);
	CHECK_INT(run(UINT64_MAX, 0, TEXT(OPV(SETX, 0, 1), OP(ALLOCS, 1, 0, 1), RET(1))).fault,
	    DT_FLT_NOSCRATCH);
	o = run(4096, 1, TEXT(OPV(SETX, 0, 1), OP(ALLOCS, 1, 0, 1), OPV(SETX, 1, 2), OP(ALLOCS, 2, 0, 1),
	    RET(1)));
	CHECK_INT(o.fault, DT_FLT_NOSCRATCH);
	CHECK_INT(o.offset, 12);
	/* copys: "abc" and its NUL into scratch */
	o = run(8, 4, TEXT(OPV(SETX, 0, 1), OP(ALLOCS, 1, 0, 3), OPV(SETX, 1, 2), OPV(SETS, 1, 1),
	    OP(COPYS, 1, 2, 3), OP(LDX, 3, 0, 1), RET(1)));
	CHECK_INT(o.value, 'a' | 'b' << 8 | 'c' << 16);
	o = run(8, 1 << 20, TEXT(OPV(SETX, 0, 1), OP(ALLOCS, 1, 0, 3), OPV(SETX, 1, 2), OPV(SETS, 1, 1),
	    OP(COPYS, 1, 2, 3), RET(1)));
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
	CHECK_INT(run(1, 99, TEXT(OPV(SETX, 0, 1), OPV(SETX, 1, 2), OP(STGA, 2, 1, 2), OP(LDGA, 2, 1, 1),
	    RET(1))).value, 99);
	/* execname is full: 15 characters */
	CHECK_INT(run(14, 0, TEXT(OPV(LDGS, DT_VAR_execname, 1), OPV(SETX, 0, 2), OP(ADD, 1, 2, 1),
	    OP(LDUB, 1, 0, 1), RET(1))).value, '!');
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
	in(m, 7, 0, TEXT(OPV(SETX, 0, 1), OPV(STGS, 0x500, 1), OPV(STTS, 0x500, 1), OPV(STLS, 0x500, 1),
	    RET(1)));
	CHECK_INT(in(m, 0, 0, TEXT(OPV(LDGS, 0x500, 1), RET(1))).value, 7);
	CHECK_INT(in(m, 0, 0, TEXT(OPV(LDTS, 0x500, 1), RET(1))).value, 7);
	CHECK_INT(in(m, 0, 0, TEXT(OPV(LDLS, 0x500, 1), RET(1))).value, 0);	/* a new firing */
	CHECK_INT(in(m, 8, 0, TEXT(OPV(SETX, 0, 1), OPV(STLS, 0x500, 1), OPV(LDLS, 0x500, 1), RET(1))).value,
	    8);
	m->c.tid = 102;
	CHECK_INT(in(m, 0, 0, TEXT(OPV(LDTS, 0x500, 1), RET(1))).value, 0);
	m->c.tid = 101;
	/* strings: unset globals are empty, unset thread-locals are null */
	CHECK(in(m, 0, 0, TEXT(OPV(LDGS, 0x501, 1), RET(1))).value != 0);
	CHECK_INT(in(m, 0, 0, TEXT(OPV(LDTS, 0x501, 1), RET(1))).value, 0);
	/* cut to 8 characters */
	in(m, 0, 0, TEXT(OPV(LDGS, DT_VAR_execname, 1), OPV(STGS, 0x501, 1), RET(1)));
	CHECK_STR(dt_interp_string(m->ip, in(m, 0, 0, TEXT(OPV(LDGS, 0x501, 1), RET(1))).value, NULL),
	    "a_comman");
	in(m, 0, 0, TEXT(OPV(STGS, 0x501, 0), RET(0)));
	CHECK_INT(in(m, 0, 0, TEXT(OPV(LDGS, 0x501, 1), RET(1))).value, 0);
	in(m, 0, 0, TEXT(OPV(SETS, 5, 1), OPV(STTS, 0x501, 1), RET(1)));
	CHECK_STR(dt_interp_string(m->ip, in(m, 0, 0, TEXT(OPV(LDTS, 0x501, 1), RET(1))).value, NULL), "abd");
	in(m, 0, 0, TEXT(OPV(LDTS, 0x501, 1), OPV(STTS, 0x501, 1), RET(1)));	/* to itself */
	CHECK_STR(dt_interp_string(m->ip, in(m, 0, 0, TEXT(OPV(LDTS, 0x501, 1), RET(1))).value, NULL), "abd");
	/* a struct by reference, and a store into it */
	in(m, 0xffff0000, 0, TEXT(OPV(SETX, 0, 1), OPV(STGS, 0x504, 1), OPV(LDGS, 0x504, 1), OP(STB, 0, 0, 1),
	    RET(1)));
	CHECK_INT(in(m, 0, 0, TEXT(OPV(LDGS, 0x504, 1), OP(LDX, 1, 0, 1), RET(1))).value, 0x850403020180ff00);
	CHECK_INT(in(m, 0x10, 0, TEXT(OPV(SETX, 0, 1), OPV(STGS, 0x504, 1), RET(1))).fault, DT_FLT_BADADDR);
}

static void test_arrays(struct machine *m)
{
	in(m, 5, 50, TEXT(OPV(SETX, 0, 1), OPV(SETX, 1, 2), OP(PUSHTV, 0, 0, 1), OPV(STGAA, 0x502, 2),
	    OPV(STTAA, 0x502, 1), RET(1)));
	CHECK_INT(in(m, 5, 0, TEXT(OPV(SETX, 0, 1), OP(PUSHTV, 0, 0, 1), OPV(LDGAA, 0x502, 1), RET(1))).value,
	    50);
	CHECK_INT(in(m, 6, 0, TEXT(OPV(SETX, 0, 1), OP(PUSHTV, 0, 0, 1), OPV(LDGAA, 0x502, 1), RET(1))).value,
	    0);
	CHECK_INT(in(m, 5, 0, TEXT(OPV(SETX, 0, 1), OP(PUSHTV, 0, 0, 1), OPV(LDTAA, 0x502, 1), RET(1))).value,
	    5);
	m->c.tid = 102;
	CHECK_INT(in(m, 5, 0, TEXT(OPV(SETX, 0, 1), OP(PUSHTV, 0, 0, 1), OPV(LDTAA, 0x502, 1), RET(1))).value,
	    0);
	m->c.tid = 101;
	/* two strings as key; the same text elsewhere is the same key; popts takes the last away */
	in(m, 256, 9, TEXT(OPV(SETS, 1, 1), OPV(SETX, 0, 2), OP(PUSHTR, 1, 2, 1), OPV(SETX, 1, 3),
	    OPV(STGAA, 0x502, 3), RET(1)));
	CHECK_INT(in(m, 256, 0, TEXT(OPV(SETS, 1, 1), OPV(SETX, 0, 2), OP(PUSHTR, 1, 2, 1),
	    OP(PUSHTV, 0, 0, 2), OP(POPTS, 0, 0, 0), OPV(LDGAA, 0x502, 1), RET(1))).value, 9);
	CHECK_INT(in(m, 256, 0, TEXT(OPV(SETS, 5, 1), OPV(SETX, 0, 2), OP(PUSHTR, 1, 2, 1),
	    OPV(LDGAA, 0x502, 1), RET(1))).value, 0);
	/*
	 * 8 bytes by reference are not the number with the same bytes' key size… but equal bytes: equal
	 * key
	 */
	in(m, 8, 0xffff0000, TEXT(OPV(SETX, 1, 1), OPV(SETX, 0, 2), OP(PUSHTR, 0, 2, 1), OPV(STGAA, 0x502, 2),
	    RET(1)));
	CHECK_INT(in(m, 8, 0xffff0000, TEXT(OPV(SETX, 1, 1), OPV(SETX, 0, 2), OP(PUSHTR, 0, 2, 1),
	    OPV(LDGAA, 0x502, 1), RET(1))).value, 8);
	CHECK_INT(in(m, 8, 0x10, TEXT(OPV(SETX, 1, 1), OPV(SETX, 0, 2), OP(PUSHTR, 0, 2, 1),
	    OPV(LDGAA, 0x502, 1), RET(1))).fault, DT_FLT_BADADDR);
	CHECK_INT(in(m, UINT64_MAX, 1, TEXT(OPV(SETX, 0, 2), OP(PUSHTR, 0, 2, 1), RET(1))).fault,
	    DT_FLT_ILLOP);
	/* null is the key "" */
	in(m, 256, 3, TEXT(OPV(SETX, 0, 2), OP(PUSHTR, 1, 2, 0), OPV(SETX, 1, 3), OPV(STGAA, 0x502, 3),
	    RET(1)));
	CHECK_INT(in(m, 256, 0, TEXT(OPV(SETS, 0, 1), OPV(SETX, 0, 2), OP(PUSHTR, 1, 2, 1),
	    OPV(LDGAA, 0x502, 1), RET(1))).value, 3);
	CHECK_INT(in(m, 0, 0, TEXT(OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0),
	    OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0),
	    OP(PUSHTV, 0, 0, 0), RET(0))).fault, DT_FLT_NONE);
	CHECK_INT(in(m, 0, 0, TEXT(OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0),
	    OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0),
	    OP(PUSHTV, 0, 0, 0), OP(PUSHTV, 0, 0, 0), RET(0))).fault, DT_FLT_TUPOFLOW);
}

/* A string element costs 64 + 32 + 16 bytes of 256: two fit; 0 gives one back. */
static void test_dynvarsize(void)
{
	struct machine m = { .c = context() };

	m.ip = dt_interp_new(NULL, &(struct dt_interp_opts){ .dynvarsize = 256 },
	    &(struct dt_interp_sink){ .ctx = &m, .drop = count_drop });
	for (uint64_t i = 1; i <= 3; i++)
		in(&m, i, 0, TEXT(OPV(SETX, 0, 1), OP(PUSHTV, 0, 0, 1), OPV(SETS, 1, 1), OPV(STGAA, 0x503, 1),
		    RET(1)));
	CHECK_INT(m.drops, 1);
	CHECK_INT(in(&m, 3, 0, TEXT(OPV(SETX, 0, 1), OP(PUSHTV, 0, 0, 1), OPV(LDGAA, 0x503, 1),
	    RET(1))).value, 0);
	in(&m, 1, 0, TEXT(OPV(SETX, 0, 1), OP(PUSHTV, 0, 0, 1), OPV(STGAA, 0x503, 0), RET(1)));
	in(&m, 3, 0, TEXT(OPV(SETX, 0, 1), OP(PUSHTV, 0, 0, 1), OPV(SETS, 5, 1), OPV(STGAA, 0x503, 1),
	    RET(1)));
	CHECK_INT(m.drops, 1);
	CHECK_STR(dt_interp_string(m.ip, in(&m, 3, 0,
	    TEXT(OPV(SETX, 0, 1), OP(PUSHTV, 0, 0, 1), OPV(LDGAA, 0x503, 1), RET(1))).value, NULL), "abd");
	CHECK_INT(in(&m, 1, 0, TEXT(OPV(SETX, 0, 1), OP(PUSHTV, 0, 0, 1), OPV(LDGAA, 0x503, 1),
	    RET(1))).value, 0);
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

/* The host memory of a clause has a limit, in one piece and in many; the next clause has all of it again. */
static void test_temp_limit(void)
{
	struct dt_interp *ip = dt_interp_new(NULL, NULL, NULL);
	struct dt_context c = context();
	const uint32_t text[] = { OPV(SETX, 0, 1), RET(1) };
	const uint64_t ints[] = { 7 };
	struct dt_difo d = difo(ints, 1, text, 2);
	enum dt_fault fault;

	for (int i = 0; i < 2; i++) {
		CHECK_INT(dt_interp_run(ip, &c, &d, &fault, NULL, NULL), 7);
		CHECK(dt_interp_temp(ip, DT_INTERP_TEMP_MAX) == NULL && dt_interp_faulted(ip));
		CHECK(dt_interp_temp(ip, SIZE_MAX) == NULL);
		CHECK(dt_interp_temp(ip, DT_INTERP_TEMP_MAX / 2) != NULL);
		CHECK(dt_interp_temp(ip, DT_INTERP_TEMP_MAX / 4) != NULL);
		CHECK(dt_interp_temp(ip, DT_INTERP_TEMP_MAX / 4) == NULL);
		CHECK(dt_interp_temp(ip, 0) != NULL);
	}
	dt_interp_free(ip);
}

int main(void)
{
	test_arith();
	test_branches();
	test_scmp();
	test_loads();
	test_stores();
	test_builtins();
	test_variables();
	test_temp_limit();
	return check_report("interp");
}
