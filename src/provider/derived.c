/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns tables of derived probes into probes. Places that the running kernel does not have are left
 * out. A probe without any place is not listed, and naming it reports what is missing; only those that
 * historic programs cannot do without (`idle`) are there and never fire.
 */
#include "provider/derived.h"

#include "base/glob.h"
#include "kernel/kernel.h"
#include "kernel/kfunc.h"
#include "provider/provider.h"
#include "provider/syscalls.h"

#include <unistd.h>

/* Asked once, as it may load and attach a program to find out. */
bool dt_probes_functions(struct dt_probes *p)
{
	if (!p->functions_asked) {
		p->functions_asked = true;
		p->functions = p->types != NULL &&
		    dt_kfunc_any(dt_types_function_id(p->types, "bpf_fentry_test1"));
	}
	return p->functions;
}

/* The kernel's list of functions is long, so it is read on first use, and kept. */
int dt_probes_each_function(struct dt_probes *p, dt_kfunc_f *f, void *ctx)
{
	int ret = 0;

	if (!dt_probes_functions(p))
		return 0;
	if (p->kfuncs == NULL) {
		p->kfuncs = DT_NEW(p->arena, struct dt_kfuncs);
		ret = dt_kfuncs_read(p->arena, p->kfuncs);
	}
	for (size_t i = 0; i < p->kfuncs->list.n && ret == 0; i++)
		ret = f(ctx, &p->kfuncs->list.v[i]);
	return ret;
}

/* Whether programs at a return see the arguments of the function. Asked once, too. */
bool dt_probes_fexit(struct dt_probes *p)
{
	struct dt_kfunc_methods methods = { 0 };

	if (!p->fexit_asked) {
		p->fexit_asked = true;
		if (dt_probes_functions(p))
			dt_kfunc_probe(&methods, dt_types_function_id(p->types, "bpf_fentry_test1"));
		p->fexit = methods.fentry;
	}
	return p->fexit;
}

/* path is "struct.member"; without a dot it asks for nothing. */
static bool has_member(struct dt_types *types, const char *path)
{
	const char *dot = strchr(path, '.');
	const struct dt_type *t;
	struct dt_member m;
	char tag[64];

	if (dot == NULL || (size_t)(dot - path) >= sizeof(tag))
		return dot == NULL;
	memcpy(tag, path, (size_t)(dot - path));
	tag[dot - path] = '\0';
	t = types != NULL ? dt_types_find(types, NULL, DT_T_STRUCT, tag) : NULL;
	return t != NULL && dt_type_member(types, dt_type_complete(types, dt_type_base(t)), dot + 1, &m);
}

static const struct dt_syscall *syscall_named(const char *name)
{
	for (const struct dt_syscall *s = dt_syscalls; s->name[0] != '\0'; s++)
		if (strcmp(s->name, name) == 0)
			return s;
	return NULL;
}

/* By its type data, which also tell how many arguments it has: kernels add some. */
static bool tracepoint_there(struct dt_probes *p, const struct dt_site *at)
{
	struct dt_hook hook = { .kind = DT_HOOK_RAWTP, .target = at->target };
	struct dt_probe_sig *sig;

	if (p->types == NULL)
		return false;
	if (at->need == DT_NEED_MODULE &&
	    access(dt_arena_printf(p->arena, "/sys/kernel/btf/%s", at->needed), R_OK) == 0)
		/* asking reads the types of the module, for the texts too */
		(void)dt_types_find(p->types, at->needed, DT_T_TYPEDEF, "btf_trace");
	sig = dt_tracepoint_signature(p->arena, p->types,
	    &(struct dt_probedesc){ "rawtp", "", "", at->target, 0 });
	return sig != NULL && (at->nargs == 0 || dt_hook_nargs(p->types, &hook) >= at->nargs);
}

/* Clones made by the compiler ("f.isra.0") have no type data, but a symbol. */
static bool function_there(struct dt_probes *p, const char *name)
{
	struct dt_kernel *kernel;
	uint64_t addr;
	bool there;

	if (p->types != NULL && dt_types_function_id(p->types, name) != 0)
		return true;
	if (strchr(name, '.') == NULL)
		return false;
	kernel = dt_kernel_new(p->arena);
	there = dt_kernel_symbol(kernel, "vmlinux", name, &addr, NULL) == 0;
	dt_kernel_free(kernel);
	return there;
}

/* A word for what is missing at the place; NULL: the place exists. */
static const char *missing(struct dt_probes *p, const struct dt_site *at)
{
	bool is_sys = at->kind == DT_HOOK_SYS_ENTER || at->kind == DT_HOOK_SYS_EXIT;

	if (at->need == DT_NEED_MEMBER && !has_member(p->types, at->needed))
		return dt_arena_printf(p->arena, "member %s of its structs", at->needed);
	if (at->need == DT_NEED_SYMBOL && !function_there(p, at->needed))
		return dt_arena_printf(p->arena, "function %s", at->needed);
	if (at->kind == DT_HOOK_RAWTP && !tracepoint_there(p, at) && at->need == DT_NEED_MODULE)
		return dt_arena_printf(p->arena, "tracepoint %s, which module %s has when it is loaded",
		    at->target, at->needed);
	if (at->kind == DT_HOOK_RAWTP && !tracepoint_there(p, at))
		return dt_arena_printf(p->arena, "tracepoint %s", at->target);
	if (is_sys && syscall_named(at->target) == NULL)
		return dt_arena_printf(p->arena, "system call %s", at->target);
	if (at->kind != DT_HOOK_KFUNC && at->kind != DT_HOOK_KRET)
		return NULL;
	if (!dt_probes_functions(p))
		return dt_arena_printf(p->arena, "way to trace its functions (%s is the one)", at->target);
	if (!function_there(p, at->target))
		return dt_arena_printf(p->arena, "function %s", at->target);
	if ((at->needs_fexit && !dt_probes_fexit(p)) || (at->no_fexit && dt_probes_fexit(p)))
		return dt_arena_printf(p->arena, "way to see the arguments of %s at its return (fexit)",
		    at->target);
	return NULL;
}

/* Texts follow each other, each with its NUL (DT_SITE()). */
static const char *next_text(const char **text)
{
	return *text += strlen(*text) + 1;
}

/* `with` for each $ in the text; NULL: the text as it is. An empty text gives NULL. */
static const char *filled(struct dt_arena *arena, const char *text, const char *with)
{
	const char *dollar;
	char *out = "";

	if (text[0] == '\0')
		return NULL;
	if (with == NULL)
		return text;
	while ((dollar = strchr(text, '$')) != NULL) {
		out = dt_arena_printf(arena, "%s%.*s%s", out, (int)(dollar - text), text, with);
		text = dollar + 1;
	}
	return dt_arena_printf(arena, "%s%s", out, text);
}

/* System calls are attached by their number, everything else by its name. */
static void fill_hook(struct dt_arena *arena, const struct dt_site *at, const char *with,
    struct dt_hook *hook)
{
	const struct dt_syscall *s;
	const char *text = at->target, *each = at->each ? next_text(&text) : NULL, *when = next_text(&text);

	*hook = (struct dt_hook){ .kind = at->kind,
		.target = at->target,
		.each = each,
		.when = filled(arena, when, with),
		.soft = at->soft,
		.needs_fexit = at->needs_fexit };
	text = next_text(&text);
	for (int i = 0; i < DT_ARGS_MAX && text[0] != '\0'; i++, next_text(&text))
		hook->args[i] = filled(arena, text, with);
	if (at->kind == DT_HOOK_SYS_ENTER || at->kind == DT_HOOK_SYS_EXIT) {
		s = syscall_named(at->target);
		hook->target = NULL;
		hook->number = s != NULL ? s->number : 0;
	}
	if (at->kind == DT_HOOK_COUNTER)
		hook->interval = 1;
}

/*
 * Fills *first and its chain with every place that exists. Returns the function that the probe is
 * listed in: the row's, or the first place (tracepoint, function, system call). NULL: there is no
 * place; *what is the first thing missing.
 */
static const char *places(struct dt_probes *p, const struct dt_derived *d, struct dt_hook *first,
    const char **what)
{
	struct dt_hook *last = NULL;
	const char *func = d->func;
	bool before = false;

	*what = NULL;
	for (const struct dt_site *at = d->place; at < d->place + d->nplaces; at++) {
		const char *none;
		struct dt_hook *hook;

		if ((at->otherwise && before) || (at->no_functions && dt_probes_functions(p)))
			continue;
		none = missing(p, at);
		before = none == NULL;
		if (none != NULL) {
			*what = *what != NULL ? *what : none;
			if (at->required)
				return NULL;
			continue;
		}
		hook = last == NULL ? first : DT_NEW(p->arena, struct dt_hook);
		fill_hook(p->arena, at, d->with, hook);
		func = func != NULL ? func : at->target;
		if (last != NULL)
			last->next = hook;
		last = hook;
	}
	return last != NULL ? func : NULL;
}

/*
 * Why nothing matched although the name is known. Other systems have the probe in other functions and
 * modules.
 */
static const char *derived_missing(struct dt_probes *p, const struct dt_provider *row,
    const struct dt_derived *d)
{
	struct dt_hook hook;
	const char *what, *func, *untyped;

	if (d->never != NULL)
		return d->never;
	func = places(p, d, &hook, &what);
	if (func != NULL)
		return dt_arena_printf(p->arena, "here it is %s:%s:%s:%s, which %s:::%s matches everywhere",
		    row->name, d->mod != NULL ? d->mod : "vmlinux", func, d->name, row->name, d->name);
	untyped = p->types != NULL ? dt_types_kernel_missing(p->types, p->arena) : NULL;
	if (untyped != NULL)
		return untyped;
	return dt_arena_printf(p->arena, "%s:%s:%s:%s cannot be had: this kernel has no %s", row->name,
	    d->mod != NULL ? d->mod : "", d->func != NULL ? d->func : "", d->name, what);
}

/* False positives are allowed (the kernel may lack the probe), false negatives are not. */
bool dt_derived_may_match(const struct dt_provider *row, const struct dt_probedesc *want)
{
	for (const struct dt_derived *d = row->derived; d->name[0] != '\0'; d++) {
		bool func = dt_part_matches_empty(want->func) ||
		    (d->func != NULL && dt_glob_match(want->func, d->func));

		for (size_t i = 0; d->func == NULL && i < d->nplaces; i++)
			func |= dt_glob_match(want->func, d->place[i].target);
		if (func && (!dt_part_literal(want->name) || strcmp(want->name, d->name) == 0))
			return true;
	}
	return false;
}

/*
 * Does a description that matched nothing mean this row? If several functions have a probe of that
 * name, the function decides.
 */
static bool description_names(const struct dt_probedesc *want, const struct dt_derived *d)
{
	return (want->name[0] == '\0' || dt_glob_match(want->name, d->name)) &&
	    (d->func == NULL || !dt_part_literal(want->func) || strcmp(want->func, d->func) == 0);
}

/* The provider has no such probe on any kernel. Names that this kernel cannot have are offered too. */
static const char *unknown_name(struct dt_probes *p, const struct dt_provider *row,
    const struct dt_probedesc *want)
{
	struct dt_near near;

	dt_near_init(&near, want->name);
	for (const struct dt_derived *d = row->derived; d->name[0] != '\0'; d++)
		dt_near_offer(&near, d->name);
	if (near.best != NULL)
		return dt_arena_printf(p->arena, "provider %s has no probe %s; did you mean %s:::%s?",
		    row->name, want->name, row->name, near.best);
	return dt_arena_printf(p->arena, "provider %s has no probe %s: dtrace -l -P %s lists what it has",
	    row->name, want->name, row->name);
}

/* Without `want` all rows become probes; with it, nothing has matched, and *why is to be found. */
int dt_derived_provide(struct dt_probes *p, const struct dt_provider *row,
    const struct dt_probedesc *want, const char **why)
{
	struct dt_hook hook;
	const char *what, *func;

	for (const struct dt_derived *d = row->derived; d->name[0] != '\0'; d++) {
		if (want == NULL && d->idle)
			dt_probes_add_idle(p, row, row->name, "vmlinux", d->name, d->never);
		else if (want == NULL && d->never == NULL && (func = places(p, d, &hook, &what)) != NULL)
			dt_probes_add(p, row, d->mod != NULL ? d->mod : "vmlinux", func, d->name, &hook);
		else if (want != NULL && *why == NULL && strcmp(want->prov, row->name) == 0 &&
		    description_names(want, d))
			*why = derived_missing(p, row, d);
	}
	if (want != NULL && *why == NULL && strcmp(want->prov, row->name) == 0)
		*why = unknown_name(p, row, want);
	return 0;
}

/* ---- patterns of which some are there ---- */

static bool meant(const struct dt_probedesc *want, const struct dt_derived *d)
{
	bool func = dt_part_matches_empty(want->func) ||
	    (d->func != NULL && dt_glob_match(want->func, d->func));

	return d->never == NULL && func && (want->name[0] == '\0' || dt_glob_match(want->name, d->name));
}

const char *dt_derived_left_out(struct dt_probes *p, const struct dt_provider *row,
    const struct dt_probedesc *want)
{
	const struct dt_derived *first = NULL;
	unsigned n = 0, all = 0;
	struct dt_hook hook;
	const char *what;

	for (const struct dt_derived *d = row->derived; d->name[0] != '\0'; d++) {
		if (!meant(want, d))
			continue;
		all++;
		if (places(p, d, &hook, &what) != NULL)
			continue;
		n++;
		first = first != NULL ? first : d;
	}
	if (first == NULL || n == all)
		return NULL;
	return dt_arena_printf(p->arena, "%s:%s:%s:%s leaves out %u of %u probes: %s", want->prov, want->mod,
	    want->func, want->name, n, all, derived_missing(p, row, first));
}
