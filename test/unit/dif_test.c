/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The assembler, the listing and the validator. Programs are put together by hand, so that the validator
 * can be shown what no compiler would make.
 */
#include "dif_programs.h"

#include <strings.h>

static void test_listing(struct dt_arena *arena, struct dt_diag *diag)
{
	struct text *t = DT_NEW(arena, struct text);

	CHECK_STR(listing(make_pred(arena, diag), t),
	    "\nDIFO returns D type (integer) (size 4)\n"
	    "OFF OPCODE      INSTRUCTION\n"
	    "00: 29011601    ldgs DT_VAR(278), %r1\t\t! DT_VAR(278) = \"pid\"\n"
	    "01: 25000002    setx DT_INTEGER[0], %r2\t\t! 0x1\n"
	    "02: 0f010200    cmp  %r1, %r2\n"
	    "03: 12000006    be   6\n"
	    "04: 0e000001    mov  %r0, %r1\n"
	    "05: 11000007    ba   7\n"
	    "06: 25000001    setx DT_INTEGER[0], %r1\t\t! 0x1\n"
	    "07: 23000001    ret  %r1\n"
	    "\nNAME             ID   KND SCP FLAG TYPE\n"
	    "pid              116  scl glb r    D type (integer) (size 4)\n");
	CHECK_STR(listing(make_store(arena, diag), t),
	    "\nDIFO returns D type (integer) (size 8)\n"
	    "OFF OPCODE      INSTRUCTION\n"
	    "00: 29010101    ldgs DT_VAR(257), %r1\t\t! DT_VAR(257) = \"timestamp\"\n"
	    "01: 2d050001    stts %r1, DT_VAR(1280)\t\t! DT_VAR(1280) = \"ts\"\n"
	    "02: 23000001    ret  %r1\n"
	    "\nNAME             ID   KND SCP FLAG TYPE\n"
	    "ts               500  scl tls w    D type (integer) (size 8)\n"
	    "timestamp        101  scl glb r    D type (integer) (size 8)\n");
	CHECK_STR(listing(make_basename(arena, diag), t),
	    "\nDIFO returns string (unknown) by ref (size 256)\n"
	    "OFF OPCODE      INSTRUCTION\n"
	    "00: 29011801    ldgs DT_VAR(280), %r1\t\t! DT_VAR(280) = \"execname\"\n"
	    "01: 33000000    flushts\n"
	    "02: 25000002    setx DT_INTEGER[0], %r2\t\t! 0x100\n"
	    "03: 30010201    pushtr DT_TYPE(1), %r2, %r1\t! DT_TYPE(1) = string\n"
	    "04: 2f001901    call DIF_SUBR(25), %r1\t\t! basename\n"
	    "05: 23000001    ret  %r1\n"
	    "\nNAME             ID   KND SCP FLAG TYPE\n"
	    "execname         118  scl glb r    string (unknown) by ref (size 256)\n");
	CHECK_STR(listing(make_rest(arena, diag), t),
	    "\nDIFO returns string (unknown) by ref (size 256)\n"
	    "OFF OPCODE      INSTRUCTION\n"
	    "00: 26000101    sets DT_STRING[1], %r1\t\t! \"say \\\"hi\\\"\\n\"\n"
	    "01: 26000002    sets DT_STRING[0], %r2\t\t! \"\"\n"
	    "02: 26000103    sets DT_STRING[1], %r3\t\t! \"say \\\"hi\\\"\\n\"\n"
	    "03: 25000004    setx DT_INTEGER[0], %r4\t\t! 0x7\n"
	    "04: 25000105    setx DT_INTEGER[1], %r5\t\t! 0x7\n"
	    "05: 1e040005    ldsw [%r4], %r5\n"
	    "06: 31000005    pushtv DT_TYPE(0), %r5\t\t! DT_TYPE(0) = D type\n"
	    "07: 23000001    ret  %r1\n"
	    "\nKREL OFFSET   DATA     NAME\n"
	    "1    0        0        vmlinux`jiffies\n");
}

static void test_opcodes(void)
{
	static const struct { unsigned num; const char *name; int form; } all[] = {
#define X(num, name, form, text) { num, #name, DT_FORM_##form },
#include "dif/opcodes.def"
#undef X
	};

	for (size_t i = 0; i < DT_COUNT(all); i++) {
		const char *name = dt_difop_name(all[i].num);

		CHECK(name && strcasecmp(name, all[i].name) == 0);
		CHECK(dt_difop_form(all[i].num) == all[i].form);
	}
	CHECK(!dt_difop_name(0) && !dt_difop_name(81) && !dt_difop_name(255));
	CHECK(dt_difop_form(0) == -1 && dt_difop_form(81) == -1);
}

/* ---- assembler ---- */

static void test_dropped(struct dt_arena *arena, struct dt_diag *diag)
{
	struct dt_asm *a = dt_asm_new(arena, arena, diag);
	unsigned next = dt_asm_label(a), next2 = dt_asm_label(a), end = dt_asm_label(a);
	struct dt_difo *d;

	dt_asm_emit(a, dt_dif_fmt(DT_DIF_TST, 1, 0, 0));
	dt_asm_branch(a, DT_DIF_BNE, next2);		/* becomes a branch to the next once the ba is gone */
	dt_asm_branch(a, DT_DIF_BA, next);
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_MOV, 3, 0, 1));	/* nothing gets here */
	dt_asm_place(a, next);
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_NOP, 0, 0, 0));
	dt_asm_place(a, next2);
	dt_asm_branch(a, DT_DIF_BE, end);
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_MOV, 0, 0, 1));
	dt_asm_place(a, end);
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_RET, 0, 0, 1));
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_RET, 0, 0, 2));
	d = dt_asm_finish(a, int8);
	CHECK(d->ntext == 4);
	CHECK(d->text[0] == dt_dif_fmt(DT_DIF_TST, 1, 0, 0));
	CHECK(d->text[1] == dt_dif_fmt24(DT_DIF_BE, 3));
	CHECK(d->text[2] == dt_dif_fmt(DT_DIF_MOV, 0, 0, 1));
	CHECK(d->text[3] == dt_dif_fmt(DT_DIF_RET, 0, 0, 1));
	CHECK(!d->destructive);
}

static void overflow_text(struct dt_asm *a)
{
	for (uint32_t i = 0; i <= DT_DIF_MAXTEXT; i++)
		dt_asm_emit(a, dt_dif_fmt(DT_DIF_MOV, 0, 0, 1));
}

static void overflow_ints(struct dt_asm *a)
{
	for (uint32_t i = 0; i < DT_DIF_MAXTEXT; i++)
		dt_asm_setx(a, i, 1);
}

static void overflow_strs(struct dt_asm *a)
{
	char s[16];

	for (int i = 0; i < 20000; i++)
		dt_asm_sets(a, s, (uint32_t)snprintf(s, sizeof(s), "%d", i), 1);
}

static void branch_nowhere(struct dt_asm *a)
{
	dt_asm_branch(a, DT_DIF_BA, dt_asm_label(a));
	dt_asm_finish(a, int8);
}

static void check_limit(void (*f)(struct dt_asm *), const char *msg)
{
	struct dt_diag *diag = calloc(1, sizeof(*diag));

	diag->arena = dt_arena_new();
	if (setjmp(diag->env) == 0) {
		f(dt_asm_new(diag->arena, diag->arena, diag));
		CHECK(!"the limit was not seen");
	}
	CHECK(diag->msg && strstr(diag->msg, msg));
	CHECK(diag->tag == D_UNKNOWN);
	dt_arena_free(diag->arena);
	free(diag);
}

static void test_asm_limits(void)
{
	check_limit(overflow_text, "instruction limit exceeded");
	check_limit(overflow_ints, "integer table limit exceeded");
	check_limit(overflow_strs, "string table limit exceeded");
	check_limit(branch_nowhere, "goes nowhere");
}

/* ---- validator: one bad thing at a time ---- */

#define INT8 { DT_DT_CTF, DT_CK_INTEGER, 0, 0, 8 }
static const struct dt_difv vars_ok[] = {
	{ "ts", 0x500, DT_DIFV_SCALAR, DT_DIFV_THREAD, DT_DIFV_MOD, INT8 },
	{ "pid", DT_VAR_pid, DT_DIFV_SCALAR, DT_DIFV_GLOBAL, DT_DIFV_REF,
	    { DT_DT_CTF, DT_CK_INTEGER, 0, 1, 4 } },
	{ "x", 0x500, DT_DIFV_SCALAR, DT_DIFV_GLOBAL, DT_DIFV_MOD, INT8 },
	{ "arr", 0x501, DT_DIFV_ARRAY, DT_DIFV_GLOBAL, DT_DIFV_MOD, INT8 },
	{ "l", 0x500, DT_DIFV_SCALAR, DT_DIFV_LOCAL, DT_DIFV_MOD, INT8 },
};
static const uint64_t ints_ok[] = { 1, 2 };

static struct dt_difo difo_of(const uint32_t *text, uint32_t n)
{
	return (struct dt_difo){ .text = text, .ntext = n, .ints = ints_ok, .nints = 2, .strs = "\0ab",
		.strlen = 4, .vars = vars_ok, .nvars = DT_COUNT(vars_ok),
		.rtype = { DT_DT_CTF, DT_CK_INTEGER, 0, 0, 8 } };
}

#define R(op, a, b, d) dt_dif_fmt(DT_DIF_##op, a, b, d)
#define V(op, v, r) dt_dif_fmt16(DT_DIF_##op, v, r)
#define B(op, l) dt_dif_fmt24(DT_DIF_##op, l)

static void check_bad_instr(uint32_t instr, const char *want)
{
	const uint32_t text[] = { R(TST, 1, 0, 0), instr, R(RET, 0, 0, 1) };
	struct dt_difo d = difo_of(text, DT_COUNT(text));
	char msg[256] = "";

	CHECK(dt_difo_check(&d, msg, sizeof(msg)) != 0 || !*want);
	CHECK(!*want || strncmp(msg, "[1]: ", 5) == 0);
	if (*want ? !strstr(msg, want) : *msg)
		CHECK_STR(msg, want);
}

static void test_bad_instrs(void)
{
	static const char reserved[] = "reserved bits", noreg[] = "no register",
	    r0[] = "%r0 cannot be written";
	const struct { uint32_t instr; const char *want; } all[] = {
		{ 0, "no instruction 0" }, { 81u << 24, "no instruction 81" },
		{ 255u << 24, "no instruction 255" }, { R(ADD, 8, 1, 1), noreg }, { R(ADD, 1, 8, 1), noreg },
		{ R(ADD, 1, 1, 8), noreg }, { R(ADD, 1, 1, 0), r0 }, { R(MOV, 1, 1, 1), reserved },
		{ R(MOV, 1, 0, 0), r0 }, { R(NOT, 9, 0, 1), noreg }, { R(CMP, 1, 1, 1), reserved },
		{ R(SCMP, 1, 200, 0), noreg }, { R(TST, 1, 1, 0), reserved },
		{ R(TST, 1, 0, 1), reserved }, { R(NOP, 0, 0, 1), reserved },
		{ R(FLUSHTS, 1, 0, 0), reserved }, { R(LDX, 1, 0, 0), r0 }, { R(ULDX, 1, 3, 1), reserved },
		{ R(RLDX, 8, 0, 1), noreg }, { R(STX, 1, 0, 0), "address of a store" },
		{ R(STB, 1, 1, 1), reserved }, { R(STB, 8, 0, 1), noreg },
		{ R(COPYS, 1, 1, 0), r0 }, { R(ALLOCS, 1, 0, 0), r0 },
		{ R(RET, 1, 0, 1), reserved }, { R(RET, 0, 0, 8), noreg },
		{ B(BA, 1), "goes backwards" }, { B(BE, 0), "goes backwards" },
		{ B(BNE, 3), "past the end" }, { V(SETX, 2, 1), "no integer constant 2" },
		{ V(SETX, 0, 0), r0 }, { V(SETS, 4, 1), "outside the string table" }, { V(SETS, 1, 0), r0 },
		{ V(CALL, 60000, 1), "no subroutine" }, { V(CALL, DT_SUBR_basename, 0), r0 },
		{ V(CALL, DT_SUBR_copyout, 1), "destructive" }, { R(STGA, 2, 1, 1), "destructive" },
		{ R(PUSHTR, 2, 1, 1), "pushtr of type 2" }, { R(PUSHTR, 1, 8, 1), noreg },
		{ R(PUSHTV, 1, 0, 1), "pushtv of type 1" }, { R(PUSHTV, 0, 1, 1), "must be %r0" },
		{ R(PUSHTV, 0, 0, 8), noreg }, { R(LDGA, 0x90, 1, 1), "no built-in variable" },
		{ R(LDGA, 0, 8, 1), noreg }, { R(LDGA, 0, 1, 0), r0 },
		{ V(LDGS, 0x4ff, 1), "no built-in variable" }, { V(LDGS, 0, 1), "is an array" },
		{ V(LDGS, DT_VAR_pid, 0), r0 }, { V(LDGS, 0x502, 1), "not in the variable table" },
		{ V(LDGS, 0x501, 1), "is an array" }, { V(LDTS, DT_VAR_pid, 1), "not the program's" },
		{ V(LDTS, 0x501, 1), "not in the variable table" },
		{ V(LDLS, 0x501, 1), "not in the variable table" }, { V(LDGAA, 0x500, 1), "is a scalar" },
		{ V(LDTAA, 0x500, 1), "is a scalar" }, { V(STGS, DT_VAR_pid, 1), "not the program's" },
		{ V(STGS, 0xffff, 1), "not the program's" }, { V(STGS, 0x501, 1), "is an array" },
		{ V(STTS, 0x501, 1), "not in the variable table" },
		{ V(STLS, 0x502, 1), "not in the variable table" }, { V(STGAA, 0x500, 1), "is a scalar" },
		{ V(STTAA, 0x502, 1), "not in the variable table" }, { V(STGS, 0x500, 8), noreg },
		{ V(XLATE, 0, 1), "cannot be run" }, { V(XLARG, 0, 1), "cannot be run" },
		/* and these are fine */
		{ B(BA, 2), "" }, { V(STGS, 0x500, 0), "" }, { V(LDTS, 0x500, 1), "" },
		{ V(STGAA, 0x501, 7), "" }, { R(LDTA, 3, 1, 1), "" }, { R(PUSHTR, 0, 1, 0), "" },
	};

	for (size_t i = 0; i < DT_COUNT(all); i++)
		check_bad_instr(all[i].instr, all[i].want);
}

static void check_bad_difo(const struct dt_difo *d, const char *want)
{
	char msg[256] = "";

	CHECK(dt_difo_check(d, msg, sizeof(msg)) != 0);
	if (!strstr(msg, want))
		CHECK_STR(msg, want);
}

static void check_bad_var(struct dt_difv v, const char *want)
{
	const uint32_t text[] = { R(RET, 0, 0, 0) };
	struct dt_difo d = difo_of(text, 1);
	struct dt_difv two[] = { vars_ok[0], v };

	d.vars = two;
	d.nvars = 2;
	check_bad_difo(&d, want);
}

#define VAR(n, id, kind, scope, ...) ((struct dt_difv){ n, id, DT_DIFV_##kind, DT_DIFV_##scope, 0, \
	{ __VA_ARGS__ } })

static void test_bad_vars(void)
{
	check_bad_var(VAR(NULL, 0x501, SCALAR, THREAD, 0, 1, 0, 0, 8), "no name");
	check_bad_var(VAR("two words", 0x501, SCALAR, THREAD, 0, 1, 0, 0, 8), "no name");
	check_bad_var((struct dt_difv){ "v", 0x501, 2, 0, 0, INT8 }, "unknown scope or kind");
	check_bad_var((struct dt_difv){ "v", 0x501, 1, 3, 0, INT8 }, "unknown scope or kind");
	check_bad_var(VAR("v", 0x500, SCALAR, THREAD, 0, 1, 0, 0, 8), "twice");
	check_bad_var(VAR("v", 0x4ff, SCALAR, THREAD, 0, 1, 0, 0, 8), "not in order");
	check_bad_var(VAR("v", DT_VAR_pid, SCALAR, LOCAL, 0, 1, 0, 0, 8), "is not global");
	check_bad_var(VAR("v", 0x4ff, SCALAR, GLOBAL, 0, 1, 0, 0, 8), "no built-in variable");
	check_bad_var(VAR("v", DT_VAR_pid, ARRAY, GLOBAL, 0, 1, 0, 0, 8), "not an array");
	check_bad_var(VAR("v", 0x10500, SCALAR, GLOBAL, 0, 1, 0, 0, 8), "has number 66816");
	check_bad_var(VAR("v", 0x501, SCALAR, GLOBAL, 0, 1, 0, 0, 3), "value of 3 bytes");
	check_bad_var(VAR("v", 0x501, SCALAR, GLOBAL, 1, 0, DT_DTF_REF, 0, 0), "no size");
	check_bad_var(VAR("v", 0x501, SCALAR, GLOBAL, 1, 0, DT_DTF_REF, 0, 16385), "oversized by-ref static");
	check_bad_var(VAR("v", 0x501, SCALAR, LOCAL, 0, DT_CK_STRUCT, DT_DTF_REF, 0, 16385),
	    "oversized by-ref static");
	check_bad_var(VAR("v", 0x501, SCALAR, THREAD, 0, DT_CK_STRUCT, DT_DTF_REF, 0, 1u << 31),
	    "more than 16777216");
	check_bad_var(VAR("v", 0x501, SCALAR, THREAD, 2, 1, 0, 0, 8), "unknown type");
	check_bad_var(VAR("v", 0x501, SCALAR, THREAD, 0, 14, 0, 0, 8), "unknown type");
	check_bad_var(VAR("v", 0x501, SCALAR, THREAD, 0, 1, 4, 0, 8), "unknown type");
	check_bad_var(VAR("v", 0x501, SCALAR, THREAD, 0, 1, 0, 2, 8), "unknown type");
}

static void test_bad_difos(void)
{
	const uint32_t good[] = { R(RET, 0, 0, 0) }, open[] = { R(MOV, 0, 0, 1) };
	const struct dt_difreloc rel = { 2, "vmlinux`jiffies", 0 };
	struct dt_difo d = difo_of(good, 1);
	char msg[256] = "";

	CHECK(dt_difo_check(&d, msg, sizeof(msg)) == 0);
	d.ntext = 0;
	check_bad_difo(&d, "no instructions");
	d.ntext = DT_DIF_MAXTEXT + 1;
	check_bad_difo(&d, "more than 65536");
	d = difo_of(open, 1);
	check_bad_difo(&d, "last instruction is not ret");
	d = difo_of(good, 1);
	d.rtype.size = 5;
	check_bad_difo(&d, "the result is a value of 5 bytes");
	d = difo_of(good, 1);
	d.rtype.kind = DT_DT_STRING;
	check_bad_difo(&d, "not by reference");
	d = difo_of(good, 1);
	d.strlen = 3;
	check_bad_difo(&d, "end with a NUL");
	d = difo_of(good, 1);
	d.strs++;
	d.strlen--;
	check_bad_difo(&d, "start and end with a NUL");
	d = difo_of(good, 1);
	d.relocs = &rel;
	d.nrelocs = 1;
	check_bad_difo(&d, "relocation 0 has no name or lies outside");
	d = difo_of(good, 1);
	d.nints = 65537;
	check_bad_difo(&d, "65537 entries");
}

/* ---- programs ---- */

static void check_bad_prog(const struct demo *m, const char *want)
{
	char msg[256] = "";

	CHECK(dt_prog_check(&m->p, msg, sizeof(msg)) != 0);
	if (!strstr(msg, want))
		CHECK_STR(msg, want);
}

/* Spoils one thing of a good program and wants to hear of it. */
#define SPOIL(what, want) do { \
	struct demo *m = make_demo(arena, diag); \
	what; \
	check_bad_prog(m, want); \
} while (0)

static void test_bad_acts(struct dt_arena *arena, struct dt_diag *diag)
{
	const uint32_t bad[] = { 0 };
	struct dt_difo bad_difo = difo_of(bad, 1);

	SPOIL(m->act[0].kind = 0x777, "no action 0x777");
	SPOIL(m->act[0].kind = DT_ACT_EXIT; m->act[0].difo = NULL, "has no expression");
	SPOIL(m->act[0].kind = DT_ACT_EXIT; m->act[0].difo = m->act[2].difo, "wants a value");
	SPOIL(m->act[0].difo = &bad_difo, "clause 1, action 1: [0]: there is no instruction 0");
	SPOIL(m->act[0].kind = DT_ACT_STOP, "not marked destructive");
	SPOIL(m->act[0].ntuple = 1, "does not aggregate");
	SPOIL(m->act[2].fmt = NULL, "has no format");
	SPOIL(m->act[3].stmt = 9, "has no format");
	SPOIL(m->act[11].fmt = NULL, "has no type name");
	SPOIL(m->act[9].arg = 7, "no library action 7");
	SPOIL(m->act[9].difo = NULL, "has no expression");
	SPOIL(m->act[9].difo = make_const(arena, diag, 0, int8), "names no aggregation");
	SPOIL(m->act[8].difo = m->act[2].difo, "names no aggregation");
}

static void test_bad_tuples(struct dt_arena *arena, struct dt_diag *diag)
{
	SPOIL(m->act[5].in_tuple = false, "has no aggregating action");
	SPOIL(m->act[7].ntuple = 2, "a tuple of 2 actions, but 3");
	SPOIL(m->act[7].kind = DT_ACT_STACK; m->act[7].ntuple = 0, "has no aggregating action");
	SPOIL(m->act[5].stmt = 9, "of another statement");
	SPOIL(m->act[6].kind = DT_ACT_PRINTF, "cannot be part of a tuple");
	SPOIL(m->act[4].difo = m->act[6].difo, "there is no aggregation 77");
	SPOIL(m->act[4].kind = DT_ACT_STACK, "names no aggregation");
	SPOIL(m->act[7].arg++, "another aggregating function");
	SPOIL(m->agg[0].kind = DT_ACT_QUANTIZE, "another aggregating function");
	SPOIL(m->agg[0].nkeys = 3, "does not fit");
	SPOIL(m->agg[1].nkeys = 1, "does not fit");
	SPOIL(m->shared[1].kind = DT_ACT_DIFEXPR; m->shared[1].difo = m->shared[0].difo;
	    m->shared[1].in_tuple = true;
	    m->shared[1].ntuple = 0, "has no aggregating action");
	SPOIL(m->act[1].arg = 11, "skips 11 actions");
	SPOIL(m->act[1].arg = UINT64_MAX, "more than there are");
	SPOIL(m->act[1].arg = 1, "ends inside a statement");
	SPOIL(m->act[1].arg = 4, "ends inside a statement");
	SPOIL(m->act[2] = m->act[1]; m->act[2].arg = 6; m->act[3].fmt = "", "skips 6 actions");
}

static void test_bad_progs(struct dt_arena *arena, struct dt_diag *diag)
{
	static const struct dt_difv other = { "ts", 0x500, DT_DIFV_SCALAR, DT_DIFV_THREAD, 0,
		{ DT_DT_CTF, DT_CK_INTEGER, 0, 0, 4 } };
	char name[65];
	struct dt_difo d;

	memset(name, 'x', 64);
	name[64] = '\0';
	SPOIL(m->ecb[0].probe.prov = NULL, "incomplete");
	SPOIL(m->ecb[0].probe.name = name, "too long");
	SPOIL(m->ecb[0].descattr.name = 8, "unknown stability");
	SPOIL(m->p.stmtattr.cls = 6, "unknown stability");
	SPOIL(m->ecb[0].pred = m->act[2].difo, "predicate is not a value");
	SPOIL(m->ecb[0].nacts = 16385, "more than 16384");
	SPOIL(m->agg[1].id = 2, "the same number");
	SPOIL(m->agg[1].id = 0, "no name or number");
	SPOIL(m->agg[1].kind = 0x710, "no aggregating function");
	SPOIL(m->agg[0].arg = 1ull << 48, "parameters of lquantize");
	SPOIL(m->agg[0].kind = DT_ACT_LLQUANTIZE; m->agg[0].arg = 1ull << 48 | 1, "parameters of llquantize");
	SPOIL(m->agg[0].kind = DT_ACT_LLQUANTIZE; m->agg[0].arg = 10ull << 48 | 20ull << 16 | 10,
	    "parameters of llquantize");
	SPOIL(m->options[0] = "a=b", "an option");
	SPOIL(d = *m->ecb[0].pred; d.vars = &other; d.nvars = 1; m->ecb[0].pred = &d,
	    "variable ts has two types");
}

static void test_probe_match(void)
{
	struct dt_probedesc any = { "", "", "", "", 0 }, five = { .id = 5 },
	    probe = { "p", "vmlinux", "f", "n", 5 }, kern = { "", "kernel", "", "", 0 };

	CHECK(dt_probe_match(&any, &probe) && dt_probe_match(&five, &probe) && dt_probe_match(&kern, &probe));
	five.id = 6;
	CHECK(!dt_probe_match(&five, &probe));
}

int main(void)
{
	struct dt_diag diag = { .arena = dt_arena_new() };

	if (setjmp(diag.env)) {
		fprintf(stderr, "dif_test: %s\n", diag.msg ? diag.msg : "out of memory");
		return 1;
	}
	test_opcodes();
	test_probe_match();
	test_listing(diag.arena, &diag);
	test_dropped(diag.arena, &diag);
	test_asm_limits();
	test_bad_instrs();
	test_bad_vars();
	test_bad_difos();
	test_bad_acts(diag.arena, &diag);
	test_bad_tuples(diag.arena, &diag);
	test_bad_progs(diag.arena, &diag);
	dt_arena_free(diag.arena);
	return check_report("dif");
}
