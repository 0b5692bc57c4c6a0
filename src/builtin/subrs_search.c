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

static uint64_t call_strchr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0), *at = s ? strchr(s, (char)call->arg[1].value) : NULL;

	return at ? call->arg[0].value + (uint64_t)(at - s) : 0;
}

static uint64_t call_strrchr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0), *at = s ? strrchr(s, (char)call->arg[1].value) : NULL;

	return at ? call->arg[0].value + (uint64_t)(at - s) : 0;
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
	.doc = "The string from the first such character on; NULL when there is none.",
};

const struct dt_builtin dt_subr_strrchr = {
	DT_SUBR(strrchr, "string(const char *, char)", V(1, 1), STABLE),
	.call = call_strrchr, .lower = lower_strrchr, .scratch = DT_SCRATCH_STRING,
	.doc = "The string from the last such character on; NULL when there is none.",
};

static uint64_t call_strstr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0), *sub = s ? dt_subr_string(ip, call, 1) : NULL;
	const char *at = sub ? strstr(s, sub) : NULL;

	return at ? call->arg[0].value + (uint64_t)(at - s) : 0;
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

/*
 * History's corner cases: a negative start is 0, and the empty text is found at the end, but not beyond it.
 */
static uint64_t call_index(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0), *sub = s ? dt_subr_string(ip, call, 1) : NULL, *at;
	int64_t pos = call->nargs > 2 ? dt_subr_int(call, 2) : 0, len;

	if (!sub)
		return 0;
	len = (int64_t)strlen(s);
	if (pos < 0)
		pos = 0;
	if (pos >= len)
		return *sub ? UINT64_MAX : (uint64_t)len;
	at = strstr(s + pos, sub);
	return at ? (uint64_t)(at - s) : UINT64_MAX;
}

/*
 * The search begins at the last place where the text can stand. A negative start finds only the empty text.
 */
static uint64_t call_rindex(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0), *sub = s ? dt_subr_string(ip, call, 1) : NULL;
	int64_t pos, len, sublen;

	if (!sub)
		return 0;
	len = (int64_t)strlen(s);
	sublen = (int64_t)strlen(sub);
	pos = call->nargs > 2 ? dt_subr_int(call, 2) : len;
	if (pos < 0)
		return *sub ? UINT64_MAX : 0;
	for (pos = pos > len - sublen ? len - sublen : pos; pos >= 0; pos--) {
		if (memcmp(s + pos, sub, (size_t)sublen) == 0)
			return (uint64_t)pos;
	}
	return UINT64_MAX;
}

/* W_M says whether a start is given at all, since 0 is one. */
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
	.doc = "The place of the first such text in the string, from the given place on; -1 when there is "
	    "none.",
};

const struct dt_builtin dt_subr_rindex = {
	DT_SUBR(rindex, "int(const char *, const char *, [int])", V(1, 1), STABLE),
	.call = call_rindex, .lower = lower_rindex, .scratch = DT_SCRATCH_STRING,
	.doc = "The place of the last such text in the string, up to the given place; -1 when there is none.",
};

/* ---- strmatch ---- */

enum { MATCH_TOO_LONG = 2 };		/* else 0 or 1: runtime/both/strmatch.c, which is what it means */

DT_RT(rt_strmatch);

/* A pattern that takes too many steps is a fault, not a wrong answer. */
static uint64_t call_strmatch(struct dt_interp *ip, const struct dt_subr_call *call)
{
	uint64_t found = dt_subr_runtime(ip, call, 2, dt_rt_strmatch);

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
