/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fbt: entry and return of the kernel's functions, by the kernel's own list of those that can be traced. Functions that share
 * a name share a probe, which fires for each of them. By what means it is attached is settled when it is enabled; rawfbt has
 * the same probes, always by kprobe; they are made when asked for and are not in the list of everything.
 */
#include "base/diag.h"
#include "dif/interp.h"
#include "host/kfunc.h"
#include "provider/derived.h"
#include "provider/provider.h"

/* Nobody comes back from these. */
static const char *const no_return[] = {
	"do_exit", "do_group_exit", "do_task_dead", "make_task_dead", "panic", "kthread_exit", "kthread_complete_and_exit", "cpu_startup_entry",
	"__stack_chk_fail", "__module_put_and_kthread_exit",
};

/* Function arguments at entry; at return args[0] is the return offset, args[1] the value. */
struct dt_probe_sig *dt_fbt_signature(struct dt_arena *arena, struct dt_types *types, const struct dt_probedesc *p)
{
	const struct dt_type *f;
	struct dt_probe_sig *sig;
	bool entry = strcmp(p->name, "entry") == 0;

	if (!dt_part_literal(p->func) || (!entry && strcmp(p->name, "return") != 0))
		return NULL;
	f = dt_types_symbol(types, dt_part_literal(p->mod) ? p->mod : NULL, p->func);
	f = f != NULL ? dt_type_base(f) : NULL;
	if (f == NULL || f->kind != DT_T_FUNC)
		return NULL;
	if (!entry) {
		bool has_value = !dt_type_is_void(f->ref);

		sig = dt_sig_new(arena, has_value ? 2 : 1);
		sig->in[0] = dt_types_sized(types, 8, true);
		if (has_value)
			sig->in[1] = f->ref;
		return sig;
	}
	sig = dt_sig_new(arena, f->nparams < 255 ? f->nparams : 255);
	for (uint32_t i = 0; i < sig->nin; i++)
		sig->in[i] = f->params[i];
	return sig;
}

struct making {
	struct dt_probes *probes;
	const struct dt_provider_row *row;
	const struct dt_probedesc *want;	/* NULL: all */
	bool by_kprobe;
};

static bool returns(const char *name)
{
	for (size_t i = 0; i < sizeof(no_return) / sizeof(no_return[0]); i++)
		if (strcmp(no_return[i], name) == 0)
			return false;
	return true;
}

/* The hook's target is the name alone in the core kernel, else module`name. */
static void add(struct making *m, const struct dt_kfunc *f, const char *name, enum dt_hook_kind kind)
{
	const char *module = f->module, *func = f->name;
	struct dt_hook hook = { .kind = kind, .by_kprobe = m->by_kprobe, .alone = !f->shared };
	size_t before = m->probes->list.n;
	struct dt_probe *p = dt_probes_add(m->probes, m->row, module, func, name, &hook);

	if (m->probes->list.n == before)
		p->hook.by_kprobe = true;	/* another function of that name */
	else
		p->hook.target = strcmp(module, "vmlinux") == 0 ? p->func : dt_arena_printf(m->probes->arena, "%s`%s", module, func);
}

static bool wanted(const char *part, const char *text)
{
	return part[0] == '\0' || strcmp(part, text) == 0 || dt_glob_match(part, text);
}

static int make(void *ctx, const struct dt_kfunc *f)
{
	struct making *m = ctx;
	const struct dt_probedesc *d = m->want;
	const char *module = f->module, *func = f->name;

	if (d != NULL && (!wanted(d->func, func) || !wanted(d->mod, module)))
		return 0;
	if (d == NULL || wanted(d->name, "entry"))
		add(m, f, "entry", DT_HOOK_KFUNC);
	if ((d == NULL || wanted(d->name, "return")) && returns(func))
		add(m, f, "return", DT_HOOK_KRET);
	return 0;
}

static const char *no_way(const struct dt_probes *p)
{
	if (p->types != NULL && dt_types_btf_error(p->types) != NULL)
		return dt_types_btf_error(p->types);
	return "this kernel lets nobody trace its functions: it has neither kprobes nor trampolines (fentry), or lockdown keeps them off; "
	    "tracepoints are there (sdt, rawtp)";
}

/* Names of what cannot be had are looked for among what can. */
static const char *reason(struct dt_probes *p, const struct dt_probedesc *want)
{
	struct dt_near near;

	if (!dt_probes_functions(p))
		return no_way(p);
	if (!dt_part_literal(want->func))
		return NULL;
	if (dt_kfunc_ours(want->func) != NULL)
		return dt_arena_printf(p->arena, "%s is not probed: %s", want->func, dt_kfunc_ours(want->func));
	if (strcmp(want->name, "return") == 0 && !returns(want->func))
		return dt_arena_printf(p->arena, "%s never returns", want->func);
	dt_near_init(&near, want->func);
	for (size_t i = 0; i < p->list.n; i++)
		if (p->list.v[i]->hook.kind == DT_HOOK_KFUNC && p->list.v[i]->hook.when == NULL)
			dt_near_offer(&near, p->list.v[i]->func);
	if (near.best == NULL)
		return dt_arena_printf(p->arena, "the kernel has no function %s that can be traced (it may be part of another: inlined)", want->func);
	if (strcmp(near.best, want->func) == 0)
		return dt_arena_printf(p->arena, "the function %s is in another module, or has no such probe: they are entry and return", want->func);
	return dt_arena_printf(p->arena, "the kernel has no function %s that can be traced; did you mean %s?", want->func, near.best);
}

bool dt_fbt_may_match(const struct dt_provider_row *row, const struct dt_probedesc *d)
{
	(void)row;
	return !dt_part_literal(d->name) || strcmp(d->name, "entry") == 0 || strcmp(d->name, "return") == 0;
}

int dt_fbt_provide(struct dt_probes *p, const struct dt_provider_row *row, const struct dt_probedesc *want, const char **why)
{
	struct making m = { .probes = p, .row = row };

	if (want == NULL)
		return dt_probes_each_function(p, make, &m);
	if (dt_part_literal(want->prov))
		*why = reason(p, want);
	return 0;
}

/* ---- rawfbt ---- */

bool dt_rawfbt_wants(const struct dt_probedesc *d)
{
	return d->prov[0] != '\0' && strcmp(d->prov, "*") != 0 && dt_glob_match(d->prov, "rawfbt") && dt_fbt_may_match(NULL, d);
}

int dt_rawfbt_provide(struct dt_probes *p, const struct dt_provider_row *row, const struct dt_probedesc *want, const char **why)
{
	struct making m = { .probes = p, .row = row, .want = want, .by_kprobe = true };
	size_t before = p->list.n;
	int err;

	if (want == NULL || !dt_rawfbt_wants(want))
		return 0;
	err = dt_probes_each_function(p, make, &m);
	if (p->list.n == before && dt_part_literal(want->prov))
		*why = reason(p, want);
	return err;
}
