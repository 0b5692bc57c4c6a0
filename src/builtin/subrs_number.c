/* SPDX-License-Identifier: BSD-2-Clause */
/* Subroutines on numbers: as text and back, the parts of device numbers, random numbers. */
#include "builtin/row.h"

/* The base goes to the word `at`: 10 if it is not given. Others than 2 to 36 fault. */
static void put_base(struct dt_lower *l, int at)
{
	struct dt_emit *a = dt_code(l);
	uint32_t bad = dt_fault_label(l, DT_FLT_ILLOP, F_T1);

	if (dt_tuple_nargs(l) > 1)
		dt_tuple_int(l, 1, R1);
	else
		dt_imm(a, R1, 10);
	dt_stx(a, B8, FP, F_T1, R1);
	dt_work(l, at, R1);
	dt_jmpi(a, BPF_JSLT, R1, 2, bad);
	dt_jmpi(a, BPF_JSGT, R1, 36, bad);
}

/* The same for the interpreter. False after a fault. */
static bool base_of(struct dt_interp *ip, const struct dt_subr_call *call, dt_word *base)
{
	int64_t v = call->nargs > 1 ? dt_subr_int(call, 1) : 10;

	*base = (uint64_t)v;
	if (v >= 2 && v <= 36)
		return true;
	dt_interp_fault(ip, DT_FLT_ILLOP, (uint64_t)v);
	return false;
}

/* Base 10 is signed, the others are not; 8 and 16 have their prefix. */
static uint64_t call_lltostr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	struct dt_rt_call c;

	if (!dt_rt_begin(ip, &c) || !base_of(ip, call, &c.w.m))
		return 0;
	c.w.n = call->arg[0].value;
	return dt_rt_text(ip, &c, dt_rt_lltostr);
}

/* The runtime gets the number in W_N and the base in W_M. */
static void lower_lltostr(struct dt_lower *l)
{
	put_base(l, W_M);
	dt_tuple_arg(l, 0, R1);
	dt_work(l, W_N, R1);
	dt_runtime(l, "rt_lltostr");
	dt_runtime_take(l);
}

const struct dt_builtin dt_subr_lltostr = {
	DT_SUBR(lltostr, "string(int64_t, [int])", V(1, 0), STABLE),
	.call = call_lltostr, .lower = lower_lltostr, .scratch = DT_SCRATCH_STRING,
	.doc = "A number as text, in base 10 or the given one (2 to 36).",
};

/*
 * Blanks, a sign, a 0x in base 16, then digits up to the first character that is not a digit. Overflow wraps.
 */
static uint64_t call_strtoll(struct dt_interp *ip, const struct dt_subr_call *call)
{
	struct dt_rt_call c;

	if (!dt_rt_strings(ip, call, 1, &c) || !base_of(ip, call, &c.w.n))
		return 0;
	return dt_rt_run(ip, &c, dt_rt_strtoll);
}

/* The runtime gets the base in W_N and leaves the number in r0. */
static void lower_strtoll(struct dt_lower *l)
{
	dt_tuple_strings(l, 1);
	put_base(l, W_N);
	dt_runtime(l, "rt_strtoll");
}

const struct dt_builtin dt_subr_strtoll = {
	DT_SUBR(strtoll, "int64_t(const char *, [int])", V(1, 11), STABLE),
	.call = call_strtoll, .lower = lower_strtoll, .scratch = DT_SCRATCH_STRING,
	.doc = "The number that a text begins with, in base 10 or the given one (2 to 36).",
};

/* The kernel's own form of a dev_t: 12 bits above 20. */
static uint64_t call_getmajor(struct dt_interp *ip, const struct dt_subr_call *call)
{
	(void)ip;
	return (uint32_t)call->arg[0].value >> 20;
}

/* The lower 20 bits. */
static uint64_t call_getminor(struct dt_interp *ip, const struct dt_subr_call *call)
{
	(void)ip;
	return (uint32_t)call->arg[0].value & 0xfffff;
}

/* r0 becomes the argument without its upper half. */
static void argument_low32(struct dt_lower *l)
{
	dt_tuple_arg(l, 0, R0);
	dt_alui(dt_code(l), BPF_LSH, R0, 32);
	dt_alui(dt_code(l), BPF_RSH, R0, 32);
}
static void lower_getmajor(struct dt_lower *l)
{
	argument_low32(l);
	dt_alui(dt_code(l), BPF_RSH, R0, 20);
}
static void lower_getminor(struct dt_lower *l)
{
	argument_low32(l);
	dt_alui(dt_code(l), BPF_AND, R0, 0xfffff);
}

const struct dt_builtin dt_subr_getmajor = {
	DT_SUBR(getmajor, "uint32_t(uint32_t)", V(1, 0), EVOLVING),
	.call = call_getmajor, .lower = lower_getmajor, .scratch = DT_SCRATCH_NONE,
	.doc = "The major part of a device number.",
};

const struct dt_builtin dt_subr_getminor = {
	DT_SUBR(getminor, "uint32_t(uint32_t)", V(1, 0), EVOLVING),
	.call = call_getminor, .lower = lower_getminor, .scratch = DT_SCRATCH_NONE,
	.doc = "The minor part of a device number.",
};

/* The historic formula, applied to a better source. */
static uint64_t call_rand(struct dt_interp *ip, const struct dt_subr_call *call)
{
	(void)call;
	return (dt_interp_context(ip)->random * 2416 + 374441) % 1771875;
}

/* Both steps wrap at 64 bits before the remainder is taken, here as in call_rand(). */
static void lower_rand(struct dt_lower *l)
{
	dt_help(l, BPF_FUNC_get_prandom_u32);
	dt_alui(dt_code(l), BPF_MUL, R0, 2416);
	dt_alui(dt_code(l), BPF_ADD, R0, 374441);
	dt_alui(dt_code(l), BPF_MOD, R0, 1771875);
}

const struct dt_builtin dt_subr_rand = {
	DT_SUBR(rand, "int()", V(1, 0), STABLE),
	.call = call_rand, .lower = lower_rand, .scratch = DT_SCRATCH_NONE,
	.doc = "A random number. Not for cryptography.",
};

/* A test's context gives the number, so that the result is known. */
static uint64_t call_random(struct dt_interp *ip, const struct dt_subr_call *call)
{
	(void)call;
	return dt_interp_context(ip)->random;
}

/* The helper gives 32 bits at a time. */
static void lower_random(struct dt_lower *l)
{
	dt_help(l, BPF_FUNC_get_prandom_u32);
	dt_mov(dt_code(l), R9, R0);
	dt_alui(dt_code(l), BPF_LSH, R9, 32);
	dt_help(l, BPF_FUNC_get_prandom_u32);
	dt_alu(dt_code(l), BPF_OR, R0, R9);
}

const struct dt_builtin dt_subr_random = {
	DT_SUBR(random, "uint64_t()", V(1, 0), EVOLVING),
	.call = call_random, .lower = lower_random, .scratch = DT_SCRATCH_NONE,
	.doc = "A random number of 64 bits. Not for cryptography.",
};
