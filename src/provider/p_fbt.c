/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fbt: entry and return of kernel functions, by the kernel's own list of those that can be traced.
 * Functions that share a name share a probe, which fires for each of them. How it is attached is
 * decided when it is enabled. rawfbt has the same probes, always by kprobe; they are created when named
 * and are not in the list of everything.
 */
#include "base/diag.h"
#include "base/count.h"
#include "base/glob.h"
#include "kernel/kfunc.h"
#include "kernel/rights.h"
#include "provider/derived.h"
#include "provider/provider.h"

#include <stdio.h>

/* These functions never return. */
static const char *const no_return[] = {
	"do_exit",
	"do_group_exit",
	"do_task_dead",
	"make_task_dead",
	"panic",
	"kthread_exit",
	"kthread_complete_and_exit",
	"cpu_startup_entry",
	"__stack_chk_fail",
	"__module_put_and_kthread_exit",
};

/* Functions of other kernels, and their counterparts here. */
static const struct {
	const char *name, *here;
} elsewhere[] = {
	{ "malloc",
	    "allocations of the kernel are dtmalloc:::malloc or fbt::__kmalloc*:entry, malloc() of a process "
	    "is pid$target::malloc:entry" },
	{ "free",
	    "memory the kernel gives back is dtmalloc:::free or fbt::kfree:entry, free() of a process is "
	    "pid$target::free:entry" },
};

/*
 * The source name of a system call's function: "sys_getpid" for __arm64_sys_getpid, NULL for others. On
 * x86-64 a call without arguments is __do_sys_getpid, of which the other names are aliases that the
 * kernel does not list; for other calls that name is a part of the function.
 */
static const char *plain_name(struct dt_types *types, const char *func)
{
	static const char *const own[] = { "__arm64_", "__x64_" };
	static const char part[] = "__do_";
	char name[128];

	for (size_t i = 0; i < DT_COUNT(own); i++)
		if (strncmp(func, own[i], strlen(own[i])) == 0 &&
		    strncmp(func + strlen(own[i]), "sys_", 4) == 0)
			return func + strlen(own[i]);
	if (strncmp(func, part, sizeof(part) - 1) != 0 || strncmp(func += sizeof(part) - 1, "sys_", 4) != 0)
		return NULL;
	for (size_t i = 0; i < DT_COUNT(own); i++) {
		snprintf(name, sizeof(name), "%s%s", own[i], func);
		if (types != NULL && dt_types_function_id(types, name) != 0)
			return NULL;
	}
	return func;
}

/* Arguments of the function at entry; at return args[0] is the return offset and args[1] the value. */
static struct dt_probe_sig *fbt_signature(struct dt_arena *arena, struct dt_types *types,
    const struct dt_probedesc *p)
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
	const struct dt_provider *row;
	const struct dt_probedesc *want;	/* NULL: all */
	bool by_kprobe;
};

static bool fbt_returns(const char *name)
{
	for (size_t i = 0; i < DT_COUNT(no_return); i++)
		if (strcmp(no_return[i], name) == 0)
			return false;
	return true;
}

/* The target of the hook is the name alone in the core kernel, otherwise module`name. */
static void fbt_add_probe(struct making *m, const struct dt_kfunc *f, const char *name,
    enum dt_hook_kind kind)
{
	const char *module = f->module, *func = f->name;
	struct dt_hook hook = { .kind = kind, .by_kprobe = m->by_kprobe, .alone = !f->shared };
	size_t before = m->probes->list.n;
	struct dt_probe *p = dt_probes_add(m->probes, m->row, module, func, name, &hook);

	if (m->probes->list.n == before) {
		p->hook.by_kprobe = true;	/* another function of that name */
	} else {
		p->alt = plain_name(m->probes->types, p->func);
		p->hook.target = strcmp(module, "vmlinux") == 0 ?
		    p->func :
		    dt_arena_printf(m->probes->arena, "%s`%s", module, func);
	}
}

/* An empty part, the name itself, or a pattern. */
static bool fbt_part_wanted(const char *part, const char *text)
{
	return part[0] == '\0' || strcmp(part, text) == 0 || dt_glob_match(part, text);
}

/* A function of a system call is found by its name in the source too. */
static int fbt_make_probe(void *ctx, const struct dt_kfunc *f)
{
	struct making *m = ctx;
	const struct dt_probedesc *d = m->want;
	const char *module = f->module, *func = f->name, *plain = plain_name(m->probes->types, func);

	if (d != NULL && !fbt_part_wanted(d->func, func) &&
	    (plain == NULL || !fbt_part_wanted(d->func, plain)))
		return 0;
	if (d != NULL && !fbt_part_wanted(d->mod, module))
		return 0;
	if (d == NULL || fbt_part_wanted(d->name, "entry"))
		fbt_add_probe(m, f, "entry", DT_HOOK_KFUNC);
	if ((d == NULL || fbt_part_wanted(d->name, "return")) && fbt_returns(func))
		fbt_add_probe(m, f, "return", DT_HOOK_KRET);
	return 0;
}

/* What is missing explains it: type data, or rights to try; else the kernel was built or locked so. */
static const char *no_way(const struct dt_probes *p)
{
	const char *untyped = p->types != NULL ? dt_types_kernel_missing(p->types, p->arena) : NULL;

	if (untyped != NULL)
		return untyped;
	if (dt_rights_missing() != NULL)
		return dt_rights_missing();
	return "the functions of this kernel cannot be traced: it has neither kprobes nor trampolines "
	       "(fentry), or lockdown forbids them; "
	       "tracepoints are there (sdt, rawtp)";
}

/* The module that has the function (any function if func is NULL); NULL if there is none. */
static const char *module_of(const struct dt_probes *p, const char *module, const char *func)
{
	for (size_t i = 0; p->kfuncs != NULL && i < p->kfuncs->list.n; i++) {
		const struct dt_kfunc *f = &p->kfuncs->list.v[i];

		if ((module == NULL || strcmp(f->module, module) == 0) &&
		    (func == NULL || strcmp(f->name, func) == 0))
			return f->module;
	}
	return NULL;
}

static const char *no_module(struct dt_probes *p, const char *module)
{
	return dt_arena_printf(p->arena,
	    "no module %s with functions that can be traced is loaded; those of what is built in are in "
	    "vmlinux, "
	    "e.g. fbt:vmlinux:%s*:entry",
	    module, module);
}

/* The function does not exist: suggests the nearest name. */
static const char *fbt_no_function(struct dt_probes *p, const char *func)
{
	struct dt_near near;

	for (size_t i = 0; i < DT_COUNT(elsewhere); i++)
		if (strcmp(elsewhere[i].name, func) == 0)
			return dt_arena_printf(p->arena, "the kernel has no function %s: %s", func,
			    elsewhere[i].here);
	dt_near_init(&near, func);
	for (size_t i = 0; p->kfuncs != NULL && i < p->kfuncs->list.n; i++)
		dt_near_offer(&near, p->kfuncs->list.v[i].name);
	if (near.best == NULL)
		return dt_arena_printf(p->arena,
		    "the kernel has no function %s that can be traced (it may be part of another: inlined)",
		    func);
	return dt_arena_printf(p->arena, "the kernel has no function %s that can be traced; did you mean %s?",
	    func, near.best);
}

/* Suggests names that can be traced for one that cannot. */
static const char *fbt_missing(struct dt_probes *p, const struct dt_probedesc *want)
{
	const char *module = strcmp(want->mod, "kernel") == 0 ? "vmlinux" : want->mod, *home;

	if (!dt_probes_functions(p))
		return no_way(p);
	if (dt_part_literal(module) && module_of(p, module, NULL) == NULL)
		return no_module(p, module);
	if (!dt_part_literal(want->func))
		return NULL;
	if (dt_kfunc_ours(want->func) != NULL)
		return dt_arena_printf(p->arena, "%s is not probed: %s", want->func,
		    dt_kfunc_ours(want->func));
	if (strcmp(want->name, "return") == 0 && !fbt_returns(want->func))
		return dt_arena_printf(p->arena, "%s never returns", want->func);
	home = module_of(p, NULL, want->func);
	if (home == NULL)
		return fbt_no_function(p, want->func);
	if (dt_part_literal(module) && module_of(p, module, want->func) == NULL)
		return dt_arena_printf(p->arena, "the function %s is in the module %s", want->func, home);
	return dt_arena_printf(p->arena, "the probes of the function %s are entry and return", want->func);
}

static bool fbt_may_match(const struct dt_provider *row, const struct dt_probedesc *d)
{
	(void)row;
	return !dt_part_literal(d->name) || strcmp(d->name, "entry") == 0 || strcmp(d->name, "return") == 0;
}

static int fbt_provide(struct dt_probes *p, const struct dt_provider *row, const struct dt_probedesc *want,
    const char **why)
{
	struct making m = { .probes = p, .row = row };

	if (want == NULL)
		return dt_probes_each_function(p, fbt_make_probe, &m);
	if (dt_part_literal(want->prov))
		*why = fbt_missing(p, want);
	return 0;
}

/* ---- rawfbt ---- */

static bool rawfbt_wants(const struct dt_probes *p, const struct dt_probedesc *d)
{
	(void)p;
	return d->prov[0] != '\0' && strcmp(d->prov, "*") != 0 && dt_glob_match(d->prov, "rawfbt") &&
	    fbt_may_match(NULL, d);
}

static int rawfbt_provide(struct dt_probes *p, const struct dt_provider *row, const struct dt_probedesc *want,
    const char **why)
{
	struct making m = { .probes = p, .row = row, .want = want, .by_kprobe = true };
	size_t before = p->list.n;
	int err;

	if (want == NULL || !rawfbt_wants(p, want))
		return 0;
	err = dt_probes_each_function(p, fbt_make_probe, &m);
	if (p->list.n == before && dt_part_literal(want->prov))
		*why = fbt_missing(p, want);
	return err;
}

const struct dt_provider dt_provider_fbt = {
	.name = "fbt",
	.form = "fbt:MODULE:FUNCTION:entry, return",
	.doc = "Functions of the kernel, with types.",
	.attrs = { { EEC, PPU, PPI, EEC, PPI } },
	.signature = fbt_signature,
	.provide = fbt_provide,
	.may_match = fbt_may_match,
};

const struct dt_provider dt_provider_rawfbt = {
	.name = "rawfbt",
	.form = "rawfbt:MODULE:FUNCTION:entry, return",
	.doc = "The same by kprobes, without types.",
	.attrs = { { EEC, PPU, PPI, EEC, PPI } },
	.provide = rawfbt_provide,
	.may_match = fbt_may_match,
	.wants = rawfbt_wants,
};
