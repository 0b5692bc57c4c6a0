/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Enablings in, programs to make out (struct dt_bhook). Enablings that fire at one place share one program;
 * functions of the kernel get a method that this kernel has (trampoline, kprobe, one link for many);
 * derived probes get their D expressions compiled.
 *
 * It runs once for dtrace_go() and again for each graft (late_probes.c): b->done is how far the list of
 * enablings has been sorted, and hooks that exist stay where they are.
 */
#include "dif/action.h"
#include "trace/build.h"
#include "trace/trace_procs.h"

#include "dif/builtin.h"

#include "session/uprobe.h"
#include "provider/provider.h"
#include "provider/syscalls.h"

/* Trampolines are faster when they fire and slower to attach, some ms each: they are for few functions. */
#define FEW_FUNCTIONS 32

/*
 * All entries of a kernel are fewer. With all returns too, a slow machine does nothing but run probes and
 * does not even reach the end of tracing.
 */
#define FUNCTIONS_MAX 65536

/*
 * Words a trampoline has for the function's arguments; those larger than a word take two. UINT32_MAX: a
 * trampoline cannot serve this function, since it has no type data, variable arguments, or arguments larger
 * than 16 bytes.
 */
static uint32_t words_of(struct dt_types *types, const char *target)
{
	const char *tick = strchr(target, '`');
	char module[64] = "vmlinux";
	const struct dt_type *f;
	uint32_t n = 0;

	if (tick != NULL && snprintf(module, sizeof(module), "%.*s", (int)(tick - target), target) >=
	    (int)sizeof(module))
		return UINT32_MAX;
	f = dt_types_symbol(types, module, tick != NULL ? tick + 1 : target);
	f = f != NULL ? dt_type_base(f) : NULL;
	if (f == NULL || f->kind != DT_T_FUNC || f->varargs)
		return UINT32_MAX;
	for (uint32_t i = 0; i < f->nparams; i++) {
		uint64_t size = dt_type_size(types, f->params[i]);

		if (size == 0 || size > 16)
			return UINT32_MAX;
		n += size > 8 ? 2 : 1;
	}
	return n;
}

/* How many kernel functions something is enabled at; too many are refused here. */
static int count_functions(struct dt_gobuild *b)
{
	for (size_t i = 0; i < b->t->enabled.n; i++)
		for (const struct dt_hook *k = &b->t->enabled.v[i].probe->hook; k != NULL; k = k->next)
			b->nfuncs += k->kind == DT_HOOK_KFUNC || k->kind == DT_HOOK_KRET;
	if (b->nfuncs > FUNCTIONS_MAX)
		return dt_handle_errorf(b->h, EDT_ENABLING_ERR,
		    "the clauses enable %u probes of kernel functions, and at most %u can be live at a time: "
		    "name entry or return, a module, or a part of the names (fbt::vfs_*:)",
		    b->nfuncs, FUNCTIONS_MAX);
	return 0;
}

const struct dt_kfunc_methods *dt_gobuild_methods(struct dt_gobuild *b)
{
	if (!b->methods_asked)
		dt_kfunc_probe(&b->methods, dt_types_function_id(b->h->types, "bpf_fentry_test1"));
	b->methods_asked = true;
	return &b->methods;
}

bool dt_gobuild_trampoline(struct dt_gobuild *b, const char *target, bool ret)
{
	uint32_t id = dt_types_function_id(b->h->types, target);
	uint32_t words = id != 0 ? words_of(b->h->types, target) : UINT32_MAX;

	return words != UINT32_MAX && dt_kfunc_trampoline(target, id, ret, words);
}

/*
 * Chooses which of the kernel's methods serves a function: a trampoline for few functions and for probes that
 * need one, else kprobes, which one program can serve for many. Other kinds of hooks stay as they are.
 */
static int choose_means(struct dt_gobuild *b, struct dt_hook *hook)
{
	bool ret = hook->kind == DT_HOOK_KRET, few = b->nfuncs <= FEW_FUNCTIONS;
	const struct dt_kfunc_methods *methods;

	if (hook->kind != DT_HOOK_KFUNC && !ret)
		return 0;
	methods = dt_gobuild_methods(b);
	if (methods->fentry && hook->offset == 0 && !hook->by_kprobe && (few || hook->needs_fexit) &&
	    dt_gobuild_trampoline(b, hook->target, ret))
		hook->kind = ret ? DT_HOOK_FEXIT : DT_HOOK_FENTRY;
	else if (hook->needs_fexit)
		return dt_handle_errorf(b->h, EDT_ENABLING_ERR,
		    "%s needs fexit programs in the kernel, which this one does not have",
		    hook->target);
	else if (methods->kprobe || (methods->multi && hook->offset == 0))
		hook->kind = ret ? DT_HOOK_KRETPROBE : DT_HOOK_KPROBE;
	else
		return dt_handle_errorf(b->h, EDT_ENABLING_ERR,
		    "this kernel has no way to trace its function %s", hook->target);
	hook->inside = hook->offset != 0;
	hook->single = !methods->multi || hook->inside;
	return 0;
}

/* NULL equals only NULL. */
static bool same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/*
 * The program for this place, made if it is the first enabling there. Kinds that have points share one
 * program for all places; a graft never adds to a program that is already loaded.
 */
static struct dt_bhook *hook_for(struct dt_gobuild *b, const struct dt_hook *hook)
{
	struct dt_bhook *k;

	for (size_t i = 0; i < b->hooks.n; i++) {
		k = b->hooks.v[i];
		if (k->hook.kind == hook->kind && k->hook.interval == hook->interval &&
		    k->hook.single == hook->single && k->hook.inside == hook->inside &&
		    k->hook.waiting == hook->waiting && k->generation == b->generation &&
		    (dt_hook_has_points(hook->kind) || same_text(k->hook.target, hook->target)))
			return k;
	}
	k = DT_NEW(b->t->arena, struct dt_bhook);
	k->hook = *hook;
	k->generation = b->generation;
	dt_map_init(&k->point_of, b->t->arena);
	dt_vec_push(b->t->arena, &b->hooks, k);
	return k;
}

/* The number of a place among the points of its program; a new place is added after the others. */
static uint32_t point_of(struct dt_gobuild *b, struct dt_bhook *k, const struct dt_hook *hook)
{
	struct dt_point p = { hook->target, hook->offset, hook->ref_ctr, hook->pid, hook->root,
		hook->alone };
	const char *key = dt_arena_printf(b->t->arena, "%s+%llx/%u", p.target, (unsigned long long)p.offset,
	    p.pid);
	uintptr_t known = (uintptr_t)dt_map_get(&k->point_of, key);

	if (known != 0)
		return (uint32_t)known - 1;
	dt_vec_push(b->t->arena, &k->points, p);
	dt_map_put(&k->point_of, key, (void *)(uintptr_t)k->points.n);
	return (uint32_t)k->points.n - 1;
}

/* Compiles the text once a trace: many probes share their expressions. */
static const struct dt_difo *compiled_expression(struct dt_gobuild *b, const char *text)
{
	const struct dt_difo *difo = dt_map_get(&b->exprs, text);

	if (difo == NULL && (difo = dt_handle_expr(b->h, b->t->arena, text)) != NULL)
		dt_map_put(&b->exprs, text, (void *)(uintptr_t)difo);
	return difo;
}

/* The expressions of a derived probe: over what it repeats, when it fires, and its arguments. */
static int compile_derived(struct dt_gobuild *b, const struct dt_hook *hook, struct dt_enabling *en)
{
	if (hook->each != NULL && (en->each = compiled_expression(b, hook->each)) == NULL)
		return -1;
	if (hook->when != NULL && (en->when = compiled_expression(b, hook->when)) == NULL)
		return -1;
	for (int i = 0; i < 10 && hook->args[i] != NULL; i++)
		if ((en->args[i] = compiled_expression(b, hook->args[i])) == NULL)
			return -1;
	return 0;
}

/* Places where one event may fire several probes, which must come in the provider's order. */
static bool fires_in_order(enum dt_hook_kind kind)
{
	return kind == DT_HOOK_RAWTP || kind == DT_HOOK_FENTRY || kind == DT_HOOK_FEXIT;
}

/*
 * On one tracepoint probes fire by number, in the order in which providers made them (lwp-exit before exit);
 * clauses of one probe stay in program order. An insertion, since few enablings share a place.
 */
static void add_ordered(struct dt_gobuild *b, struct dt_bhook *k, const struct dt_enabling *en)
{
	size_t i = k->en.n;

	dt_vec_push(b->t->arena, &k->en, *en);
	for (; fires_in_order(k->hook.kind) && i > 0 && k->en.v[i - 1].probe_id > en->probe_id; i--)
		k->en.v[i] = k->en.v[i - 1];
	k->en.v[i] = *en;
}

/*
 * At one instruction: a jump arrives at a function; probes on entries and instructions; returns; ends of
 * functions that had jumped here; what these leave behind for others.
 */
static uint8_t place_in_order(const struct dt_hook *hook)
{
	switch (hook->order) {
	case DT_ORDER_ARRIVE: return 0;
	case DT_ORDER_NONE: return hook->kind == DT_HOOK_URETSITE ? 2 : 1;
	default: return (uint8_t)(1 + hook->order);
	}
}

/*
 * Adds one enabling at one place. ERROR clauses have no place: the image calls them from where faults are
 * found.
 */
static int add_hook(struct dt_gobuild *b, const struct dt_enabled *e, const struct dt_hook *hook)
{
	const struct dt_probe *p = e->probe;
	struct dt_enabling en = {
		.ecb = e->ecb, .epid = e->epid, .probe_id = p->id, .number = hook->number, .site = hook->site,
		/* in the process, places are put into those that descend from it */
		.root = b->t->ops->where != DT_IN_PROCESS ? hook->root : 0, .soft = hook->soft,
		.prov = p->prov, .mod = p->mod, .func = p->func, .name = p->name,
	};
	struct dt_hook at = *hook;
	struct dt_bhook *k;

	if (compile_derived(b, hook, &en) != 0 || choose_means(b, &at) != 0)
		return -1;
	en.order = place_in_order(&at);
	if (at.kind == DT_HOOK_URETSITE) {
		/* one program for both, so that it decides what comes first at one instruction */
		at.kind = DT_HOOK_UPROBE;
		en.leaves = true;
	}
	if (at.kind == DT_HOOK_NONE) {
		dt_vec_push(b->t->arena, &b->errors, en);
		return 0;
	}
	k = hook_for(b, &at);
	if (dt_hook_has_points(at.kind) && !at.waiting)
		en.number = point_of(b, k, &at);
	add_ordered(b, k, &en);
	return 0;
}

/*
 * A system call seen in its functions. There may be several (32-bit programs have their own); the number
 * tells the program of each whether the call is the one.
 */
static int add_call(struct dt_gobuild *b, const struct dt_enabled *e, const struct dt_hook *hook)
{
	bool ret = hook->kind == DT_HOOK_SYS_EXIT;
	struct dt_names names = { 0 };
	struct dt_hook at = *hook;

	dt_syscall_functions(b->t->arena, b->h->types, hook->number, ret, &names);
	at.kind = ret ? DT_HOOK_SYS_FEXIT : DT_HOOK_SYS_FENTRY;
	for (size_t i = 0; i < names.list.n; i++) {
		at.target = names.list.v[i];
		if (add_hook(b, e, &at) != 0)
			return -1;
	}
	return 0;
}

static bool first_time(struct dt_gobuild *b, const struct dt_hook *hook)
{
	const char *key = dt_arena_printf(b->t->arena, "%p", (const void *)hook);

	if (dt_map_get(&b->once, key) != NULL)
		return false;
	dt_map_put(&b->once, key, b);
	return true;
}

/* Adds an enabling at all places of its probe, or at the one place that came while tracing. */
static int add_enabling(struct dt_gobuild *b, const struct dt_enabled *e)
{
	if (e->at != NULL)
		return add_hook(b, e, e->at);
	for (const struct dt_hook *hook = &e->probe->hook; hook != NULL; hook = hook->next) {
		bool by_function = b->sys_functions && dt_hook_is_syscall(hook->kind);

		if (hook->once && !first_time(b, hook))
			continue;
		if ((by_function ? add_call : add_hook)(b, e, hook) != 0)
			return -1;
	}
	return 0;
}

/* What the image builder calls the context a program of this kind runs in. */
static enum dt_plan_ctx context_of(enum dt_hook_kind kind, unsigned where)
{
	switch (kind) {
	case DT_HOOK_SYS_ENTER: return where == DT_IN_PROCESS ? DT_CTX_SYS_UENTER : DT_CTX_SYS_ENTER;
	case DT_HOOK_SYS_EXIT: return where == DT_IN_PROCESS ? DT_CTX_SYS_UEXIT : DT_CTX_SYS_EXIT;
	case DT_HOOK_RAWTP: return DT_CTX_RAWTP;
	case DT_HOOK_PERF: case DT_HOOK_COUNTER: return DT_CTX_PERF;
	case DT_HOOK_WALL: return DT_CTX_TASK;
	case DT_HOOK_SYS_FENTRY: return DT_CTX_SYS_FENTRY;
	case DT_HOOK_SYS_FEXIT: return DT_CTX_SYS_FEXIT;
	case DT_HOOK_FENTRY: return DT_CTX_FENTRY;
	case DT_HOOK_FEXIT: return DT_CTX_FEXIT;
	case DT_HOOK_KPROBE: return DT_CTX_KPROBE;
	case DT_HOOK_KRETPROBE: return DT_CTX_KRETPROBE;
	case DT_HOOK_UPROBE: return DT_CTX_UPROBE;
	case DT_HOOK_URETPROBE: return DT_CTX_URETPROBE;
	default: return DT_CTX_RUN;
	}
}

/* How many arguments the probe's context has, as the machine passes them. */
static uint32_t nargs_of(struct dt_gobuild *b, const struct dt_hook *hook)
{
	if (dt_hook_is_trampoline(hook->kind))
		return words_of(b->h->types, hook->target);
	return dt_hook_nargs(b->h->types, hook);
}

/* Whether the clause records a stack of the kernel or looks at one. */
static bool wants_stack(const struct dt_ecb *e)
{
	for (uint32_t i = 0; i < e->nacts; i++)
		if (dt_act_is(&e->acts[i], DT_AF_KSTACK) || dt_difo_needs(e->acts[i].difo, DT_NEED_KSTACK))
			return true;
	return dt_difo_needs(e->pred, DT_NEED_KSTACK);
}

/* The kernel functions that call the programs of a tracepoint: stacks begin after them. */
static void find_between(struct dt_gobuild *b, const struct dt_hook *hook, struct dt_plan_hook *out)
{
	static const char *const names[DT_BETWEEN] = { "__traceiter_", "__bpf_trace_" };
	const char *of = hook->kind == DT_HOOK_RAWTP ? hook->target :
	    hook->kind == DT_HOOK_SYS_ENTER ? "sys_enter" :
	    hook->kind == DT_HOOK_SYS_EXIT ? "sys_exit" : NULL;

	if (of == NULL)
		return;
	if (b->h->kernel == NULL)
		b->h->kernel = dt_kernel_new(b->h->arena);
	for (int i = 0; i < DT_BETWEEN; i++) {
		struct dt_extent *e = &out->between[i];

		if (dt_kernel_extent(b->h->kernel, dt_arena_printf(b->t->arena, "%s%s", names[i], of),
		    &e->at, &e->len) != 0)
			*e = (struct dt_extent){ 0 };
	}
}

void dt_gobuild_plan_hook(struct dt_gobuild *b, const struct dt_bhook *k, struct dt_plan_hook *out)
{
	*out = (struct dt_plan_hook){ context_of(k->hook.kind, b->t->ops->where), k->keep, k->en.v,
		(uint32_t)k->en.n,
		.nargs_known = fires_in_order(k->hook.kind), .nargs = nargs_of(b, &k->hook),
		.npoints = (uint32_t)k->points.n, .inside = k->hook.inside,
		.in_locks = k->hook.kind == DT_HOOK_RAWTP &&
		    strncmp(k->hook.target, "contention_", 11) == 0,
		.irqs_off = k->hook.kind == DT_HOOK_RAWTP && strncmp(k->hook.target, "sched_", 6) == 0 &&
		    strncmp(k->hook.target, "sched_process_", 14) != 0 };
	for (size_t i = 0; i < k->en.n && out->between[0].at == 0; i++)
		if (wants_stack(k->en.v[i].ecb))
			find_between(b, &k->hook, out);
}

void dt_gobuild_attach(struct dt_gobuild *b, const struct dt_bhook *k, struct dt_attach *out)
{
	*out = (struct dt_attach){ k->hook.kind, k->hook.target, k->hook.interval, .points = k->points.v,
		.npoints = (uint32_t)k->points.n, .multi = !k->hook.single };
	if (dt_hook_in_process(k->hook.kind))
		out->multi = dt_uprobe_multi();
	if (dt_hook_is_trampoline(k->hook.kind))
		out->btf_id = dt_types_function_id(b->h->types, k->hook.target);
	if (k->hook.kind == DT_HOOK_WALL)
		out->btf_id = dt_types_function_id(b->h->types, "bpf_iter_task");
}

/* A program without enablings, at a tracepoint. */
static void add_keeper(struct dt_gobuild *b, const char *target, enum dt_keep keep)
{
	struct dt_bhook *k = DT_NEW(b->t->arena, struct dt_bhook);

	k->hook = (struct dt_hook){ .kind = DT_HOOK_RAWTP, .target = target };
	k->keep = keep;
	dt_vec_push(b->t->arena, &b->hooks, k);
}

/* ---- -x follow ---- */

static void add_root(struct dt_gobuild *b, uint32_t pid)
{
	for (size_t i = 0; i < b->roots.n; i++)
		if (b->roots.v[i] == pid)
			return;
	dt_vec_push(b->t->arena, &b->roots, pid);
}

/*
 * -x follow: the processes of -p and -c, those that descriptions name, and three programs without enablings
 * that keep track of which processes descend from them.
 */
static void add_family(struct dt_gobuild *b)
{
	static const char *const places[] = { [DT_KEEP_FORK] = "sched_process_fork",
		[DT_KEEP_EXIT] = "sched_process_exit",
		[DT_KEEP_FREE] = "sched_process_free" };

	for (int i = 0; dt_procs_pid(b->h, i) != 0; i++)
		add_root(b, dt_procs_pid(b->h, i));
	for (size_t i = 0; i < b->hooks.n; i++)
		for (size_t e = 0; e < b->hooks.v[i]->en.n; e++)
			if (b->hooks.v[i]->en.v[e].root != 0)
				add_root(b, b->hooks.v[i]->en.v[e].root);
	for (int keep = DT_KEEP_FORK; b->roots.n > 0 && keep <= DT_KEEP_FREE; keep++)
		add_keeper(b, places[keep], (enum dt_keep)keep);
}

/*
 * A function may end with its first instruction: it is entered before it is left, whatever the order of the
 * clauses. Apart from that they keep their order.
 */
static void leave_last(struct dt_gobuild *b, struct dt_bhook *k)
{
	struct dt_enabling *sorted = DT_NEWN(b->t->arena, struct dt_enabling, k->en.n + 1);
	size_t n = 0;

	for (uint8_t order = 0; n < k->en.n; order++)
		for (size_t i = 0; i < k->en.n; i++)
			if (k->en.v[i].order == order)
				sorted[n++] = k->en.v[i];
	k->en.v = sorted;
	k->en.cap = k->en.n;
}

/* All programs are asked, not only what is enabled, since clauses may be enabled later. */
static bool any_needs(const struct dt_gobuild *b, unsigned needs)
{
	for (size_t i = 0; i < b->t->progs.n; i++)
		if (dt_prog_needs(b->t->progs.v[i], needs))
			return true;
	return false;
}

/*
 * vtimestamp needs a program of its own at each switch of threads; elements of self-> arrays need two, after
 * all clauses of the same events.
 */
static void add_keepers(struct dt_gobuild *b)
{
	if (b->t->ops->where == DT_IN_PROCESS)
		return;			/* an element there ends when dtrace removes those of ended threads */
	if (any_needs(b, DT_NEED_VTIME))
		add_keeper(b, "sched_switch", DT_KEEP_NONE);
	if (any_needs(b, DT_NEED_ENDS)) {
		add_keeper(b, "sched_switch", DT_KEEP_SELF_SWITCH);
		add_keeper(b, "sched_process_free", DT_KEEP_SELF_FREE);
	}
}

/* Sorts the enablings that are new since the last call. What a trace needs once is added in generation 0. */
int dt_gobuild_hooks(struct dt_gobuild *b)
{
	if (b->generation == 0) {
		dt_map_init(&b->exprs, b->t->arena);
		dt_map_init(&b->once, b->t->arena);
		if (count_functions(b) != 0)
			return -1;
		b->sys_functions = b->t->ops->where == DT_IN_KERNEL && dt_gobuild_sys_functions(b);
	}
	for (; b->done < b->t->enabled.n; b->done++)
		if (add_enabling(b, &b->t->enabled.v[b->done]) != 0)
			return -1;
	for (size_t i = 0; i < b->hooks.n; i++)
		if (b->hooks.v[i]->hook.kind == DT_HOOK_UPROBE)
			leave_last(b, b->hooks.v[i]);
	if (b->generation == 0)
		add_keepers(b);
	if (b->t->h->probes.follow && b->generation == 0 && b->t->ops->where != DT_IN_PROCESS)
		add_family(b);
	return 0;
}
