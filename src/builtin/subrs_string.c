/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Subroutines that make strings out of strings. A null string faults, except as the first argument of
 * strtok(). Strings have at most strsize bytes with their NUL; new strings live in scratch until the clause
 * ends.
 */
#include "builtin/row.h"

#include <stdlib.h>

/* A null string has faulted by then: 0 is not seen. */
static uint64_t call_strlen(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *s = dt_subr_string(ip, call, 0);

	return s ? strlen(s) : 0;
}

/* dt_tuple_string() counts the NUL. */
static void lower_strlen(struct dt_lower *l)
{
	dt_tuple_string(l, 0, DT_BUF_A);
	dt_alui(dt_code(l), BPF_SUB, R0, 1);
}

const struct dt_builtin dt_subr_strlen = {
	DT_SUBR(strlen, "size_t(const char *)", V(1, 0), STABLE),
	.call = call_strlen, .lower = lower_strlen, .scratch = DT_SCRATCH_NONE,
	.doc = "The number of characters of a string, without the NUL.",
};

/* Too long is a fault and not a shorter string, as in history. */
static uint64_t call_strjoin(struct dt_interp *ip, const struct dt_subr_call *call)
{
	const char *a = dt_subr_string(ip, call, 0), *b = a ? dt_subr_string(ip, call, 1) : NULL;
	size_t la, lb;
	char *both;

	if (!b)
		return 0;
	la = strlen(a);
	lb = strlen(b);
	if (la + lb + 1 > dt_interp_options(ip)->strsize)
		return dt_interp_fault(ip, DT_FLT_NOSCRATCH, 0);
	both = dt_interp_temp(ip, la + lb + 1);
	if (!both)
		return 0;
	memcpy(both, a, la);
	memcpy(both + la, b, lb + 1);
	return dt_interp_put(ip, both, la + lb);
}

/* Both are copied to where the next allocation begins, the second over the NUL of the first. */
static void lower_strjoin(struct dt_lower *l)
{
	struct dt_emit *a = dt_code(l);

	dt_scratch_open(l);
	dt_scratch_ptr(l, R1, R9);
	dt_tuple_string_at(l, 0);
	dt_alui(a, BPF_SUB, R0, 1);
	dt_stx(a, B8, FP, DT_CALL_WORD(0), R0);
	dt_mov(a, R2, R0);
	dt_alu(a, BPF_ADD, R2, R9);
	dt_scratch_ptr(l, R1, R2);
	dt_tuple_string_at(l, 1);
	dt_ldx(a, B8, R1, FP, DT_CALL_WORD(0));
	dt_alu(a, BPF_ADD, R0, R1);
	dt_jmpi(a, BPF_JGT, R0, (int32_t)dt_opts(l)->strsize, dt_fault_label(l, DT_FLT_NOSCRATCH, A_NONE));
	dt_scratch_close(l);
}

const struct dt_builtin dt_subr_strjoin = {
	DT_SUBR(strjoin, "string(const char *, const char *)", V(1, 0), STABLE),
	.call = call_strjoin, .lower = lower_strjoin, .scratch = DT_SCRATCH_STRING,
	.doc = "The two strings, one after the other. More characters than strsize are a fault.",
};

/*
 * A negative start counts from the end; a negative length leaves that many characters out at the end. A
 * length that is not given is longer than any string.
 */
static uint64_t call_substr(struct dt_interp *ip, const struct dt_subr_call *call)
{
	struct dt_rt_call c;

	if (!dt_rt_strings(ip, call, 1, &c))
		return 0;
	c.w.n = (uint64_t)dt_subr_int(call, 1);
	c.w.m = call->nargs > 2 ? (uint64_t)dt_subr_int(call, 2) : INT32_MAX;
	return dt_rt_text(ip, &c, dt_rt_substr);
}

static void lower_substr(struct dt_lower *l)
{
	dt_tuple_strings(l, 1);
	dt_tuple_int(l, 1, R1);
	dt_work(l, W_N, R1);
	if (dt_tuple_nargs(l) > 2)
		dt_tuple_int(l, 2, R1);
	else
		dt_imm(dt_code(l), R1, INT32_MAX);
	dt_work(l, W_M, R1);
	dt_runtime(l, "rt_substr");
	dt_runtime_take(l);
}

const struct dt_builtin dt_subr_substr = {
	DT_SUBR(substr, "string(const char *, int, [int])", V(1, 1), STABLE),
	.call = call_substr, .lower = lower_substr, .scratch = DT_SCRATCH_STRING,
	.doc = "The part of the string from a place on, as long as said or up to the end. A negative place "
	    "counts from the end; a negative length leaves that many characters out at the end.",
};

/* The string becomes the text that is taken apart, in a buffer like the slot's. False after a fault. */
static bool keep_text(struct dt_interp *ip, const struct dt_subr_call *call)
{
	struct dt_strtok *tok = dt_interp_strtok(ip);
	const char *s = dt_subr_string(ip, call, 0);
	unsigned char *text = s ? calloc(1, dt_interp_options(ip)->strsize + DT_RT_AFTER) : NULL;

	if (!text) {
		dt_interp_fault(ip, DT_FLT_NOSCRATCH, 0);
		return false;
	}
	memcpy(text, s, strlen(s));
	free(tok->text);
	*tok = (struct dt_strtok){ .text = text };
	return true;
}

/*
 * The text is the interpreter's own copy and lives until the next text: the program's string may change in
 * between. The separators come first: if they fault, the text stays.
 */
static uint64_t call_strtok(struct dt_interp *ip, const struct dt_subr_call *call)
{
	struct dt_strtok *tok = dt_interp_strtok(ip);
	const char *separators = dt_subr_string(ip, call, 1);
	struct dt_rt_call c;
	uint64_t token;

	if (!separators || (call->arg[0].value && !keep_text(ip, call)) || !tok->text || !dt_rt_begin(ip, &c))
		return 0;
	memcpy(c.b, separators, strlen(separators));
	c.a = tok->text;
	c.w.pos = tok->pos;
	token = dt_rt_text(ip, &c, dt_rt_strtok);
	tok->pos = c.w.pos;
	return token;
}

/*
 * The text stays in the slot until another one comes, and the word at dt_slot_tok_pos() says where to go on:
 * -1 means that there is no text yet.
 */
static void lower_strtok(struct dt_lower *l)
{
	struct dt_emit *a = dt_code(l);
	uint32_t on = dt_label(a), none = dt_label(a), done = dt_label(a);
	int pos = dt_slot_tok_pos(l);

	dt_tuple_string(l, 1, DT_BUF_B);
	dt_tuple_arg(l, 0, R1);
	dt_jmpi(a, BPF_JEQ, R1, 0, on);
	dt_mov(a, R1, dt_slot_reg(l));
	dt_alui(a, BPF_ADD, R1, (int32_t)dt_slot_buffer(l, DT_BUF_TOKENS));
	dt_tuple_string_at(l, 0);
	dt_work_imm(l, pos, 0);
	dt_put(a, on);
	dt_ldx(a, B8, R1, R6, pos);
	dt_jmpi(a, BPF_JEQ, R1, -1, none);
	dt_work(l, W_POS, R1);
	dt_runtime_on(l, "rt_strtok", DT_BUF_TOKENS);
	dt_ldx(a, B8, R1, R6, W_POS);
	dt_work(l, pos, R1);
	dt_jmpi(a, BPF_JEQ, R0, 0, done);
	dt_runtime_take(l);
	dt_ja(a, done);
	dt_put(a, none);
	dt_imm(a, R0, 0);
	dt_put(a, done);
}

const struct dt_builtin dt_subr_strtok = {
	DT_SUBR(strtok, "string(const char *, const char *)", V(1, 1), STABLE),
	.call = call_strtok, .lower = lower_strtok, .scratch = DT_SCRATCH_STRING,
	.doc = "The next piece of the string between the given separators; NULL as the string goes on in "
	    "the last one. NULL if no piece is left.",
};

/* `first` is the first of the 26 letters that change. */
static uint64_t change_case(struct dt_interp *ip, const struct dt_subr_call *call, char first)
{
	struct dt_rt_call c;

	if (!dt_rt_strings(ip, call, 1, &c))
		return 0;
	c.w.n = (dt_word)first;
	return dt_rt_text(ip, &c, dt_rt_case);
}

/* Only ASCII letters change, whatever the encoding: a program in the kernel knows no locale. */
static uint64_t call_toupper(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return change_case(ip, call, 'a');
}
static uint64_t call_tolower(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return change_case(ip, call, 'A');
}

static void lower_case(struct dt_lower *l, char first)
{
	dt_work_imm(l, W_N, first);
	dt_tuple_strings(l, 1);
	dt_runtime(l, "rt_case");
	dt_runtime_take(l);
}
static void lower_toupper(struct dt_lower *l) { lower_case(l, 'a'); }
static void lower_tolower(struct dt_lower *l) { lower_case(l, 'A'); }

const struct dt_builtin dt_subr_toupper = {
	DT_SUBR(toupper, "string(const char *)", V(1, 8), STABLE),
	.call = call_toupper, .lower = lower_toupper, .scratch = DT_SCRATCH_STRING,
	.doc = "The string with its ASCII letters in upper case.",
};

const struct dt_builtin dt_subr_tolower = {
	DT_SUBR(tolower, "string(const char *)", V(1, 8), STABLE),
	.call = call_tolower, .lower = lower_tolower, .scratch = DT_SCRATCH_STRING,
	.doc = "The string with its ASCII letters in lower case.",
};
