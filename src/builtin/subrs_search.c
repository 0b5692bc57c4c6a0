/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Subroutines that look for something in a string. strchr(), strrchr() and strstr() give an address inside
 * their first argument, so that what they return is a string of the program's and no copy.
 */
#include "builtin/row.h"

/* r0 is a place in the first argument, or -1. It becomes the address of that place, or NULL. */
static void pointer_into(struct dt_lower *l)
{
	struct dt_emit *a = dt_code(l);
	uint32_t none = dt_label(a), done = dt_label(a);

	dt_jmpi(a, BPF_JEQ, R0, -1, none);
	dt_mov(a, R9, R0);
	dt_tuple_arg(l, 0, R0);
	dt_alu(a, BPF_ADD, R0, R9);
	dt_ja(a, done);
	dt_put(a, none);
	dt_imm(a, R0, 0);
	dt_put(a, done);
}

#define NOT_FOUND UINT64_MAX		/* as the runtime says it */

/* The same for the interpreter. */
static uint64_t address_into(const struct dt_subr_call *call, uint64_t at)
{
	return at == NOT_FOUND ? 0 : call->arg[0].value + at;
}

static uint64_t find_char(struct dt_interp *ip, const struct dt_subr_call *call, dt_rt_fn *f)
{
	struct dt_rt_call c;

	if (!dt_rt_strings(ip, call, 1, &c))
		return 0;
	c.w.n = call->arg[1].value;
	return address_into(call, dt_rt_run(ip, &c, f));
}
static uint64_t call_strchr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return find_char(ip, call, dt_rt_strchr);
}
static uint64_t call_strrchr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return find_char(ip, call, dt_rt_strrchr);
}

/* The character goes to W_N; the runtime returns a place. */
static void search_char(struct dt_lower *l, const char *name)
{
	dt_tuple_strings(l, 1);
	dt_tuple_arg(l, 1, R1);
	dt_work(l, W_N, R1);
	dt_runtime(l, name);
	pointer_into(l);
}
static void lower_strchr(struct dt_lower *l) { search_char(l, "rt_strchr"); }
static void lower_strrchr(struct dt_lower *l) { search_char(l, "rt_strrchr"); }

const struct dt_builtin dt_subr_strchr = {
	DT_SUBR(strchr, "string(const char *, char)", V(1, 1), STABLE),
	.call = call_strchr, .lower = lower_strchr, .scratch = DT_SCRATCH_STRING,
	.doc = "The string from the first such character on; NULL if it is not found.",
};

const struct dt_builtin dt_subr_strrchr = {
	DT_SUBR(strrchr, "string(const char *, char)", V(1, 1), STABLE),
	.call = call_strrchr, .lower = lower_strrchr, .scratch = DT_SCRATCH_STRING,
	.doc = "The string from the last such character on; NULL if it is not found.",
};

static uint64_t call_strstr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	struct dt_rt_call c;

	return dt_rt_strings(ip, call, 2, &c) ? address_into(call, dt_rt_run(ip, &c, dt_rt_strstr)) : 0;
}

static void lower_strstr(struct dt_lower *l)
{
	dt_tuple_strings(l, 2);
	dt_runtime(l, "rt_strstr");
	pointer_into(l);
}

const struct dt_builtin dt_subr_strstr = {
	DT_SUBR(strstr, "string(const char *, const char *)", V(1, 1), STABLE),
	.call = call_strstr, .lower = lower_strstr, .scratch = DT_SCRATCH_STRING,
	.doc = "The string from the first place on where the second one stands; NULL when it does not.",
};

/* m says whether a start is given at all, since 0 is one. */
static uint64_t find_text(struct dt_interp *ip, const struct dt_subr_call *call, dt_rt_fn *f)
{
	struct dt_rt_call c;

	if (!dt_rt_strings(ip, call, 2, &c))
		return 0;
	c.w.n = (uint64_t)dt_subr_int(call, 2);
	c.w.m = call->nargs > 2;
	return dt_rt_run(ip, &c, f);
}

/*
 * History's corner cases: a negative start is 0, and the empty text is found at the end, but not beyond it.
 */
static uint64_t call_index(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return find_text(ip, call, dt_rt_index);
}

/*
 * The search begins at the last place where the text can stand. A negative start finds only the empty text.
 */
static uint64_t call_rindex(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return find_text(ip, call, dt_rt_rindex);
}

/* W_N and W_M as in find_text(). */
static void search_text(struct dt_lower *l, const char *name)
{
	dt_tuple_strings(l, 2);
	dt_tuple_int(l, 2, R1);
	dt_work(l, W_N, R1);
	dt_work_imm(l, W_M, dt_tuple_nargs(l) > 2);
	dt_runtime(l, name);
}
static void lower_index(struct dt_lower *l) { search_text(l, "rt_index"); }
static void lower_rindex(struct dt_lower *l) { search_text(l, "rt_rindex"); }

const struct dt_builtin dt_subr_index = {
	DT_SUBR(index, "int(const char *, const char *, [int])", V(1, 1), STABLE),
	.call = call_index, .lower = lower_index, .scratch = DT_SCRATCH_STRING,
	.doc = "The place of the first such text in the string, from the given place on; -1 if it is "
	    "not found.",
};

const struct dt_builtin dt_subr_rindex = {
	DT_SUBR(rindex, "int(const char *, const char *, [int])", V(1, 1), STABLE),
	.call = call_rindex, .lower = lower_rindex, .scratch = DT_SCRATCH_STRING,
	.doc = "The place of the last such text in the string, up to the given place; -1 if it is not found.",
};

/* ---- strmatch ---- */

enum { MATCH_TOO_LONG = 2 };		/* else 0 or 1: runtime/rt_strmatch.c */

/* A pattern that takes too many steps is a fault, not a wrong answer. */
static uint64_t call_strmatch(struct dt_interp *ip, const struct dt_subr_call *call)
{
	struct dt_rt_call c;
	uint64_t found = dt_rt_strings(ip, call, 2, &c) ? dt_rt_run(ip, &c, dt_rt_strmatch) : 0;

	return found == MATCH_TOO_LONG ? dt_interp_fault(ip, DT_FLT_ILLOP, 0) : found;
}

static void lower_strmatch(struct dt_lower *l)
{
	dt_tuple_strings(l, 2);
	dt_runtime(l, "rt_strmatch");
	dt_jmpi(dt_code(l), BPF_JEQ, R0, MATCH_TOO_LONG, dt_fault_label(l, DT_FLT_ILLOP, A_NONE));
}

const struct dt_builtin dt_subr_strmatch = {
	DT_SUBR(strmatch, "int(const char *, const char *)", V(1, 0), EVOLVING),
	.call = call_strmatch, .lower = lower_strmatch, .scratch = DT_SCRATCH_STRING,
	.doc = "1 if the string matches the pattern of a shell (`*`, `?`, `[a-z]`, `[!a-z]`, `\\`), else 0.",
};
