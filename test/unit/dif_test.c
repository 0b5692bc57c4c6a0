/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The assembler, the listing, the validator and DOF. Programs are put together by hand, so that the validator can
 * be shown what no compiler would make.
 *
 *   dif_test seeds DIR     writes the saved programs of this test into DIR, for the fuzzer
 */
#include "base/arena.h"
#include "dif/asm.h"
#include "dif/dif.h"

#include "check.h"

#include <stdlib.h>
#include <strings.h>

#define NELEM(a) (sizeof(a) / sizeof((a)[0]))

static const struct dt_diftype int4 = { DT_DT_CTF, DT_CK_INTEGER, 0, 1, 4 };
static const struct dt_diftype int8 = { DT_DT_CTF, DT_CK_INTEGER, 0, 0, 8 };
static const struct dt_diftype string256 = { DT_DT_STRING, DT_CK_UNKNOWN, DT_DTF_REF, 0, 256 };
static const struct dt_diftype nothing = { DT_DT_CTF, DT_CK_INTEGER, 0, 0, 0 };

static const struct dt_difv v_pid = { "pid", 0x116, DT_DIFV_SCALAR, DT_DIFV_GLOBAL, DT_DIFV_REF,
	{ DT_DT_CTF, DT_CK_INTEGER, 0, 1, 4 } };
static const struct dt_difv v_timestamp = { "timestamp", 0x101, DT_DIFV_SCALAR, DT_DIFV_GLOBAL, DT_DIFV_REF,
	{ DT_DT_CTF, DT_CK_INTEGER, 0, 0, 8 } };
static const struct dt_difv v_execname = { "execname", 0x118, DT_DIFV_SCALAR, DT_DIFV_GLOBAL, DT_DIFV_REF,
	{ DT_DT_STRING, DT_CK_UNKNOWN, DT_DTF_REF, 0, 256 } };
static const struct dt_difv v_ts = { "ts", 0x500, DT_DIFV_SCALAR, DT_DIFV_THREAD, DT_DIFV_MOD,
	{ DT_DT_CTF, DT_CK_INTEGER, 0, 0, 8 } };

/* ---- listing ---- */

struct text { char s[65536]; size_t n; };

static void put_text(void *ctx, const char *line)
{
	struct text *t = ctx;
	size_t n = strlen(line);

	if (strncmp(line, "DIFO 0x", 7) == 0) {		/* the address is not for comparing */
		line = strstr(line, " returns");
		n = strlen(line);
		t->n += (size_t)snprintf(t->s + t->n, sizeof(t->s) - t->n, "DIFO");
	}
	if (t->n + n < sizeof(t->s)) {
		memcpy(t->s + t->n, line, n + 1);
		t->n += n;
	}
}

static const char *listing(const struct dt_difo *d, struct text *t)
{
	t->n = 0;
	t->s[0] = '\0';
	dt_difo_list(d, put_text, t);
	return t->s;
}

/* /pid == 1/ */
static struct dt_difo *make_pred(struct dt_arena *arena, struct dt_diag *diag)
{
	struct dt_asm *a = dt_asm_new(arena, diag);
	unsigned yes = dt_asm_label(a), end = dt_asm_label(a);

	dt_asm_var(a, &v_pid);
	dt_asm_emit(a, dt_dif_fmt16(DT_DIF_LDGS, v_pid.id, 1));
	dt_asm_setx(a, 1, 2);
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_CMP, 1, 2, 0));
	dt_asm_branch(a, DT_DIF_BE, yes);
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_MOV, 0, 0, 1));
	dt_asm_branch(a, DT_DIF_BA, end);
	dt_asm_place(a, yes);
	dt_asm_setx(a, 1, 1);
	dt_asm_place(a, end);
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_NOP, 0, 0, 0));
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_RET, 0, 0, 1));
	return dt_asm_finish(a, int4);
}

/* self->ts = timestamp */
static struct dt_difo *make_store(struct dt_arena *arena, struct dt_diag *diag)
{
	struct dt_asm *a = dt_asm_new(arena, diag);

	dt_asm_var(a, &v_timestamp);
	dt_asm_var(a, &v_ts);
	dt_asm_emit(a, dt_dif_fmt16(DT_DIF_LDGS, v_timestamp.id, 1));
	dt_asm_emit(a, dt_dif_fmt16(DT_DIF_STTS, v_ts.id, 1));
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_RET, 0, 0, 1));
	return dt_asm_finish(a, int8);
}

/* basename(execname) */
static struct dt_difo *make_basename(struct dt_arena *arena, struct dt_diag *diag)
{
	struct dt_asm *a = dt_asm_new(arena, diag);

	dt_asm_var(a, &v_execname);
	dt_asm_emit(a, dt_dif_fmt16(DT_DIF_LDGS, v_execname.id, 1));
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_FLUSHTS, 0, 0, 0));
	dt_asm_setx(a, 0x100, 2);
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_PUSHTR, 1, 2, 1));
	dt_asm_emit(a, dt_dif_fmt16(DT_DIF_CALL, 25, 1));
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_RET, 0, 0, 1));
	return dt_asm_finish(a, string256);
}

/* strings, a symbol, values of all kinds: what the two examples do not show */
static struct dt_difo *make_rest(struct dt_arena *arena, struct dt_diag *diag)
{
	struct dt_asm *a = dt_asm_new(arena, diag);

	dt_asm_sets(a, "say \"hi\"\n", 9, 1);
	dt_asm_sets(a, "", 0, 2);
	dt_asm_sets(a, "say \"hi\"\n", 9, 3);
	dt_asm_setx_sym(a, "vmlinux`jiffies", 7, 4);
	dt_asm_setx(a, 7, 5);
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_LDSW, 4, 0, 5));
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_PUSHTV, 0, 0, 5));
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_RET, 0, 0, 1));
	return dt_asm_finish(a, string256);
}

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

	for (size_t i = 0; i < NELEM(all); i++) {
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
	struct dt_asm *a = dt_asm_new(arena, diag);
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
		f(dt_asm_new(diag->arena, diag));
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

int main(int argc, char **argv)
{
	struct dt_diag diag = { .arena = dt_arena_new() };

	(void)argc, (void)argv, (void)nothing;
	if (setjmp(diag.env)) {
		fprintf(stderr, "dif_test: %s\n", diag.msg ? diag.msg : "out of memory");
		return 1;
	}
	test_opcodes();
	test_listing(diag.arena, &diag);
	test_dropped(diag.arena, &diag);
	test_asm_limits();
	dt_arena_free(diag.arena);
	return check_report("dif");
}
