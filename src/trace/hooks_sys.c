/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How system calls are seen. The tracepoints see all of them, but while one is in use every call of the
 * machine takes the kernel's long way, also those that are not traced. Where few calls are named and the
 * kernel lets its functions be traced, programs are put on the functions of those calls instead: the same
 * numbers and arguments, and all other calls pay nothing.
 */
#include "trace/build.h"
#include "provider/syscalls.h"

/* Trampolines take some ms each to attach; for more calls the tracepoints are better. */
#define FEW_FUNCTIONS 12

struct call { uint32_t number; bool ret; };
struct calls { DT_VEC(struct call) list; };

/* Adds the call unless it is in the list: several clauses may name it. */
static void note_call(struct dt_gobuild *b, struct calls *c, const struct dt_hook *hook)
{
	struct call call = { hook->number, hook->kind == DT_HOOK_SYS_EXIT };

	for (size_t i = 0; i < c->list.n; i++)
		if (c->list.v[i].number == call.number && c->list.v[i].ret == call.ret)
			return;
	dt_vec_push(b->t->arena, &c->list, call);
}

/* The calls that are enabled, each once. False: there are none, or too many. */
static bool few_calls(struct dt_gobuild *b, struct calls *c)
{
	for (size_t i = 0; i < b->t->enabled.n && c->list.n <= FEW_FUNCTIONS; i++)
		for (const struct dt_hook *k = &b->t->enabled.v[i].probe->hook; k != NULL; k = k->next)
			if (dt_hook_is_syscall(k->kind))
				note_call(b, c, k);
	return c->list.n > 0 && c->list.n <= FEW_FUNCTIONS;
}

/*
 * Adds the functions of one call to *n. False if a trampoline cannot be put on all of them: then no call is
 * seen this way, so that all calls are seen alike.
 */
static bool count_functions(struct dt_gobuild *b, const struct call *call, size_t *n)
{
	struct dt_names names = { 0 };

	if (!dt_syscall_functions(b->t->arena, b->h->types, call->number, call->ret, &names))
		return false;
	*n += names.list.n;
	for (size_t i = 0; i < names.list.n && *n <= FEW_FUNCTIONS; i++)
		if (!dt_gobuild_trampoline(b, names.list.v[i], call->ret))
			return false;
	return *n <= FEW_FUNCTIONS;
}

/* The checks go from cheap to expensive; dt_gobuild_methods() loads test programs. */
bool dt_gobuild_sys_functions(struct dt_gobuild *b)
{
	struct calls calls = { 0 };
	size_t n = 0;

	if (!few_calls(b, &calls) || !b->feat.get_current_task_btf || !dt_kfunc_likely() ||
	    !dt_gobuild_methods(b)->fentry)
		return false;
	for (size_t i = 0; i < calls.list.n; i++)
		if (!count_functions(b, &calls.list.v[i], &n))
			return false;
	return true;
}
