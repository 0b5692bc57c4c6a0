/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types of arguments that do not depend on a provider: type data of the kernel come in, signatures go out.
 */
#include "provider/probe.h"
#include "provider/provider.h"

/* Inputs and outputs are the same list, in the same order: no translator. */
struct dt_probe_sig *dt_sig_new(struct dt_arena *arena, uint32_t n)
{
	struct dt_probe_sig *sig = DT_NEW(arena, struct dt_probe_sig);

	sig->nin = sig->nout = n;
	sig->in = sig->out = DT_NEWN(arena, const struct dt_type *, n + 1);
	sig->map = DT_NEWN(arena, uint8_t, n + 1);
	for (uint32_t i = 0; i < n; i++)
		sig->map[i] = (uint8_t)i;
	return sig;
}

/*
 * The prototype of a tracepoint is the typedef btf_trace_NAME; its first parameter is the tracer's own.
 */
struct dt_probe_sig *dt_tracepoint_signature(struct dt_arena *arena, struct dt_types *types,
    const struct dt_probedesc *p)
{
	const struct dt_type *f;
	struct dt_probe_sig *sig;

	if (!dt_part_literal(p->name))
		return NULL;
	f = dt_types_find(types, NULL, DT_T_TYPEDEF,
	    dt_arena_printf(arena, DT_TRACEPOINT_TYPE "%s", p->name));
	f = f != NULL ? dt_type_base(f) : NULL;
	if (f == NULL || f->kind != DT_T_PTR || (f = dt_type_base(f->ref))->kind != DT_T_FUNC ||
	    f->nparams == 0)
		return NULL;
	sig = dt_sig_new(arena, f->nparams - 1 < 255 ? f->nparams - 1 : 255);
	for (uint32_t i = 0; i < sig->nin; i++)
		sig->in[i] = f->params[i + 1];
	return sig;
}

uint32_t dt_hook_nargs(struct dt_types *types, const struct dt_hook *hook)
{
	struct dt_arena *arena;
	struct dt_probe_sig *sig;
	uint32_t n = 12;

	if (hook->kind != DT_HOOK_RAWTP || types == NULL ||
	    (arena = dt_arena_under(dt_types_arena(types))) == NULL)
		return n;
	sig = dt_tracepoint_signature(arena, types,
	    &(struct dt_probedesc){ "rawtp", "", "", hook->target, 0 });
	if (sig != NULL && sig->nin < n)
		n = sig->nin;
	dt_arena_free(arena);
	return n;
}
