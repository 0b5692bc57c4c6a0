/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of variables and subroutines share. Each of these is one row (dif/builtin.h), which stands
 * after its functions: get_NAME or call_NAME says what it means to the interpreter, lower_NAME makes the
 * code that the kernel runs. Lowered code leaves the value in r0 and may change r0 to r5 and r9 (bpf/lower.h
 * has the registers); a fault ends the clause in both. Code that needs a loop calls a function of
 * src/runtime, which gets its arguments in the words and buffers of the slot; the interpreter calls the same
 * function (struct dt_rt_call), so its meaning is written once.
 *
 * A row's .doc is its text in d(7); test/unit/builtin_test.c fails if a part of a row is missing.
 */
#ifndef DT_BUILTIN_ROW_H
#define DT_BUILTIN_ROW_H

#include "bpf/lower.h"
#include "dif/builtin.h"
#include "interp/interp.h"
#include "runtime/rt_host.h"

#define V(major, minor) DT_VERS(major, minor, 0)
#define STABLE DT_ATTR_STABLE_COMMON
#define EVOLVING DT_ATTR_EVOLVING_COMMON

/* The head of a subroutine's row: its prototype, the first D version that has it, its stability. */
#define DT_SUBR(n, p, vers, a) \
	.name = #n, .kind = DT_BI_SUBR, .id = DT_SUBR_##n, .proto = p, .version = vers, .attr = a

/* The head of a variable's row: its type, the first D version that has it, its stability. */
#define DT_SCALAR(n, type, vers, a) \
	.name = #n, .kind = DT_BI_SCALAR, .id = DT_VAR_##n, .proto = type, .version = vers, .attr = a
#define DT_ARRAY(n, type, vers, a) \
	.name = #n, .kind = DT_BI_ARRAY, .id = DT_VAR_##n, .proto = type, .version = vers, .attr = a

/* get_NAME: the value of the expression, which has the interpreter in `ip`. */
#define CONTEXT(ip) dt_interp_context(ip)
#define GETTER(name, expr) \
	static uint64_t get_##name(struct dt_interp *ip, uint64_t index) \
	{ \
		(void)index; \
		return (uint64_t)(expr); \
	}

/* get_NAME: the number that the firing's context gives for the variable. */
#define GIVEN(name) GETTER(name, dt_given_number(ip, DT_VAR_##name))
static inline uint64_t dt_given_number(const struct dt_interp *ip, uint16_t id)
{
	const struct dt_context *c = dt_interp_context(ip);

	for (uint32_t i = 0; i < c->ngiven; i++) {
		if (c->given[i].id == id)
			return c->given[i].value;
	}
	return 0;
}

/* Slots of dt_interp_text(): a text stays where it is as long as nothing else is put there. */
enum {
	TEXT_PROV, TEXT_MOD, TEXT_FUNC, TEXT_NAME, TEXT_EXECNAME, TEXT_ZONENAME, TEXT_CWD, TEXT_ROOT,
	TEXT_THREADNAME, TEXT_EXECARGS, TEXT_CGROUP, TEXT_CONTAINER,
	TEXT_EXECENV, TEXT_HOSTNAME,
};

/* The string argument number i; NULL after a fault, which a null string is too. */
static inline const char *dt_subr_string(struct dt_interp *ip, const struct dt_subr_call *call, uint32_t i)
{
	bool null;
	const char *s = dt_interp_string(ip, call->arg[i].value, &null);

	if (s && null) {
		dt_interp_fault(ip, DT_FLT_BADADDR, 0);
		return NULL;
	}
	return s;
}

/* An `int` argument, whatever stands in the upper half. */
static inline int64_t dt_subr_int(const struct dt_subr_call *call, uint32_t i)
{
	return (int32_t)(uint32_t)call->arg[i].value;
}

/*
 * A call of a function of src/runtime: what the slot of a clause is in the kernel. a and b hold the strings,
 * d the result; w has the words, of which la and lb are the lengths of the strings. A function begins the
 * call, or loads its arguments, which begins it; sets the words that the runtime expects; and runs it. The
 * buffers live until the next call begins.
 */
struct dt_rt_call {
	unsigned char *a, *b, *d;
	union { struct dt_work w; unsigned char words[DT_WORK_SIZE]; };
};

/* Empty strings. False after a fault: out of memory. */
bool dt_rt_begin(struct dt_interp *, struct dt_rt_call *);
/* Begins with the first n arguments, one or two strings. False after a fault. */
bool dt_rt_strings(struct dt_interp *, const struct dt_subr_call *, uint32_t n, struct dt_rt_call *);
/* Begins with `size` bytes of kernel memory in a, at most DT_RT_BYTES. False after a fault. */
enum { DT_RT_BYTES = 32 };
bool dt_rt_bytes(struct dt_interp *, uint64_t addr, size_t size, struct dt_rt_call *);
/* The function's value. */
uint64_t dt_rt_run(struct dt_interp *, struct dt_rt_call *, dt_rt_fn *);
/* The address in scratch of the string that the function makes; 0: it makes none, or a fault. */
uint64_t dt_rt_text(struct dt_interp *, struct dt_rt_call *, dt_rt_fn *);

#endif
