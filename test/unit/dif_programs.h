/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the tests of DIF and DOF: expressions put together by hand, their listings, and a program that has
 * one of everything. It is made anew for each test, so that a test may spoil it.
 */
#ifndef DIF_PROGRAMS_H
#define DIF_PROGRAMS_H

#include "base/arena.h"
#include "base/count.h"
#include "dif/asm.h"
#include "dif/dif.h"

#include "check.h"

#include <stdlib.h>

static const struct dt_diftype int4 = { DT_DT_CTF, DT_CK_INTEGER, 0, 1, 4 };
static const struct dt_diftype int8 = { DT_DT_CTF, DT_CK_INTEGER, 0, 0, 8 };
static const struct dt_diftype string256 = { DT_DT_STRING, DT_CK_UNKNOWN, DT_DTF_REF, 0, 256 };
static const struct dt_diftype nothing = { DT_DT_CTF, DT_CK_INTEGER, 0, 0, 0 };

static const struct dt_difv v_pid = { "pid", DT_VAR_pid, DT_DIFV_SCALAR, DT_DIFV_GLOBAL, DT_DIFV_REF,
	{ DT_DT_CTF, DT_CK_INTEGER, 0, 1, 4 } };
static const struct dt_difv v_timestamp = { "timestamp", DT_VAR_timestamp, DT_DIFV_SCALAR, DT_DIFV_GLOBAL,
	DT_DIFV_REF, { DT_DT_CTF, DT_CK_INTEGER, 0, 0, 8 } };
static const struct dt_difv v_execname = { "execname", DT_VAR_execname, DT_DIFV_SCALAR, DT_DIFV_GLOBAL,
	DT_DIFV_REF, { DT_DT_STRING, DT_CK_UNKNOWN, DT_DTF_REF, 0, 256 } };
static const struct dt_difv v_ts = { "ts", 0x500, DT_DIFV_SCALAR, DT_DIFV_THREAD, DT_DIFV_MOD,
	{ DT_DT_CTF, DT_CK_INTEGER, 0, 0, 8 } };

/* ---- listing ---- */

struct text { char s[65536]; size_t n; };

static inline void put_text(void *ctx, const char *line)
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

static inline const char *listing(const struct dt_difo *d, struct text *t)
{
	t->n = 0;
	t->s[0] = '\0';
	dt_difo_list(d, put_text, t);
	return t->s;
}

/* /pid == 1/ */
static inline struct dt_difo *make_pred(struct dt_arena *arena, struct dt_diag *diag)
{
	struct dt_asm *a = dt_asm_new(arena, arena, diag);
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
static inline struct dt_difo *make_store(struct dt_arena *arena, struct dt_diag *diag)
{
	struct dt_asm *a = dt_asm_new(arena, arena, diag);

	dt_asm_var(a, &v_timestamp);
	dt_asm_var(a, &v_ts);
	dt_asm_emit(a, dt_dif_fmt16(DT_DIF_LDGS, v_timestamp.id, 1));
	dt_asm_emit(a, dt_dif_fmt16(DT_DIF_STTS, v_ts.id, 1));
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_RET, 0, 0, 1));
	return dt_asm_finish(a, int8);
}

/* basename(execname) */
static inline struct dt_difo *make_basename(struct dt_arena *arena, struct dt_diag *diag)
{
	struct dt_asm *a = dt_asm_new(arena, arena, diag);

	dt_asm_var(a, &v_execname);
	dt_asm_emit(a, dt_dif_fmt16(DT_DIF_LDGS, v_execname.id, 1));
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_FLUSHTS, 0, 0, 0));
	dt_asm_setx(a, 0x100, 2);
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_PUSHTR, 1, 2, 1));
	dt_asm_emit(a, dt_dif_fmt16(DT_DIF_CALL, DT_SUBR_basename, 1));
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_RET, 0, 0, 1));
	return dt_asm_finish(a, string256);
}

/* strings, a symbol, values of all kinds: what the two examples do not show */
static inline struct dt_difo *make_rest(struct dt_arena *arena, struct dt_diag *diag)
{
	struct dt_asm *a = dt_asm_new(arena, arena, diag);

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

/* ---- programs ---- */

/* a program with everything in it, made anew for each test so that it can be spoilt */
struct demo {
	struct dt_prog p;
	struct dt_ecb ecb[3];
	struct dt_act act[12];
	struct dt_act shared[2];
	struct dt_aggvar agg[2];
	const char *options[4];
};

static inline struct dt_difo *make_const(struct dt_arena *arena, struct dt_diag *diag, uint64_t value,
    struct dt_diftype type)
{
	struct dt_asm *a = dt_asm_new(arena, arena, diag);

	dt_asm_setx(a, value, 1);
	dt_asm_emit(a, dt_dif_fmt(DT_DIF_RET, 0, 0, 1));
	return dt_asm_finish(a, type);
}

static inline void demo_acts(struct dt_arena *arena, struct dt_diag *diag, struct demo *m)
{
	const struct dt_difo *base = make_basename(arena, diag), *two = make_const(arena, diag, 2, int8);
	const struct dt_difo *skip = make_const(arena, diag, 1, int4),
	    *arg = make_const(arena, diag, 77, nothing);
	const struct dt_act act[12] = {
		{ .kind = DT_ACT_DIFEXPR, .stmt = 1, .difo = make_store(arena, diag) },
		{ .kind = DT_ACT_SKIPZ, .stmt = 2, .difo = skip, .arg = 6 },
		{ .kind = DT_ACT_PRINTF, .stmt = 3, .difo = base, .fmt = "%s %d\n" },
		{ .kind = DT_ACT_PRINTF, .stmt = 3, .difo = skip },
		{ .kind = DT_ACT_DIFEXPR, .stmt = 4, .difo = two, .in_tuple = true },
		{ .kind = DT_ACT_USTACK, .stmt = 4, .arg = 20, .in_tuple = true },
		{ .kind = DT_ACT_DIFEXPR, .stmt = 4, .difo = arg, .in_tuple = true },
		{ .kind = DT_ACT_LQUANTIZE, .stmt = 4, .ntuple = 3, .arg = 1ull << 48 | 10ull << 32 },
		{ .kind = DT_ACT_PRINTA, .stmt = 5, .difo = two, .fmt = "%@d", .arg = 9 },
		{ .kind = DT_ACT_LIBACT, .stmt = 6, .difo = two, .arg = DT_LIB_TRUNC },
		{ .kind = DT_ACT_LIBACT, .stmt = 6, .difo = skip, .arg = DT_LIB_TRUNC },
		{ .kind = DT_ACT_PRINT, .stmt = 7, .difo = make_rest(arena, diag), .fmt = "struct file" },
	};

	memcpy(m->act, act, sizeof(act));
}

static inline struct demo *make_demo(struct dt_arena *arena, struct dt_diag *diag)
{
	struct demo *m = DT_NEW(arena, struct demo);

	demo_acts(arena, diag, m);
	m->shared[0] = (struct dt_act){ .kind = DT_ACT_DIFEXPR, .stmt = 8,
		.difo = make_const(arena, diag, 5, int8), .in_tuple = true };
	m->shared[1] = (struct dt_act){ .kind = DT_ACT_COUNT, .stmt = 8, .ntuple = 1 };
	m->agg[0] = (struct dt_aggvar){ "sizes", 2, DT_ACT_LQUANTIZE, 1ull << 48 | 10ull << 32, 1 };
	m->agg[1] = (struct dt_aggvar){ "", 5, DT_ACT_COUNT, 0, 0 };
	m->ecb[0] = (struct dt_ecb){ .probe = { "syscall", "", "read*", "entry", 0 },
		.pred = make_pred(arena, diag), .acts = m->act, .nacts = 12, .descattr = { 5, 5, 5 },
		.stmtattr = { 7, 6, 5 } };
	m->ecb[1] = (struct dt_ecb){ .probe = { "", "", "", "", 12 }, .acts = m->shared, .nacts = 2 };
	m->ecb[2] = (struct dt_ecb){ .probe = { "dtrace", "", "", "END", 0 }, .acts = m->shared, .nacts = 2 };
	m->options[0] = "quiet";
	m->options[1] = "";
	m->options[2] = "strsize";
	m->options[3] = "1k=1";
	m->p = (struct dt_prog){ .arena = arena, .ecbs = m->ecb, .necbs = 3, .aggs = m->agg, .naggs = 2,
		.descattr = { 1, 2, 3 }, .stmtattr = { 4, 5, 1 }, .options = m->options, .noptions = 2 };
	return m;
}

#endif
