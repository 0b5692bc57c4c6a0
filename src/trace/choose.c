/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which engine runs a trace: -x engine, -x replay, the rights of this process, and what is enabled come in;
 * the engine comes out, with a sentence that says why, or an error that names what stands against it and the
 * fix. Engines are known by the bit that rows name them by (DT_IN_*), never by name.
 */
#include "base/count.h"
#include "dif/builtin.h"
#include "handle/entry.h"
#include "handle/errors.h"
#include "kernel/rights.h"
#include "provider/provider.h"
#include "trace/build.h"
#include "trace/trace_procs.h"

#include <errno.h>
#include <sys/syscall.h>

/*
 * With the rights to trace the kernel, auto takes the process for programs whose probes are all places in
 * given processes. If then one of them cannot be had there, the kernel takes the trace (dt_trace.fell_back).
 * What the kernel's probes do beyond that, and no one can foresee, is to go on after exec() of a program that
 * gains rights.
 */
static const bool PROCESS_BY_DEFAULT = true;

static const struct dt_engine_ops *const engines[] = {
#define ENGINE(name) &dt_engine_##name,
#include "engine/engines.def"
#undef ENGINE
};

const struct dt_engine_ops *dt_engine_in(unsigned where)
{
	for (size_t i = 0; i < DT_COUNT(engines); i++)
		if (engines[i]->where == where)
			return engines[i];
	return NULL;
}

/* ---- where a hook can be ---- */

#define KERNEL DT_IN_KERNEL
#define PROCESS DT_IN_PROCESS

/* The engines that can have a hook of this kind. The replay makes all of its own. */
static const uint8_t hook_in[] = {
	[DT_HOOK_NONE] = DT_IN_ALL, [DT_HOOK_RUN] = DT_IN_ALL, [DT_HOOK_TICK] = DT_IN_ALL,
	[DT_HOOK_PERF] = KERNEL | PROCESS, [DT_HOOK_COUNTER] = KERNEL, [DT_HOOK_WALL] = KERNEL,
	/* the system-call instructions of the processes of -p and -c */
	[DT_HOOK_SYS_ENTER] = KERNEL | PROCESS, [DT_HOOK_SYS_EXIT] = KERNEL | PROCESS,
	[DT_HOOK_SYS_FENTRY] = KERNEL, [DT_HOOK_SYS_FEXIT] = KERNEL,
	[DT_HOOK_RAWTP] = KERNEL, [DT_HOOK_KFUNC] = KERNEL, [DT_HOOK_KRET] = KERNEL,
	[DT_HOOK_FENTRY] = KERNEL, [DT_HOOK_FEXIT] = KERNEL,
	[DT_HOOK_KPROBE] = KERNEL, [DT_HOOK_KRETPROBE] = KERNEL,
	[DT_HOOK_UPROBE] = KERNEL | PROCESS, [DT_HOOK_URETSITE] = KERNEL | PROCESS,
	/* it replaces the return address, which breaks exceptions and backtraces of a process */
	[DT_HOOK_URETPROBE] = KERNEL,
	[DT_HOOK_REPLAY] = DT_IN_REPLAY,
};
_Static_assert(DT_COUNT(hook_in) == DT_HOOK_WALL + 1, "each kind of hook has a row");

unsigned dt_hook_where(enum dt_hook_kind kind) { return hook_in[kind]; }

/* ---- what stands against the engine in the process ---- */

static const char *name_of(const struct dt_trace *t, const struct dt_probe *p)
{
	return dt_arena_printf(t->arena, "%s:%s:%s:%s", p->prov, p->mod, p->func, p->name);
}

/* Options that the engine does not have. NULL: none is set. */
static const char *option_against(const struct dtrace_hdl *h)
{
	if (h->options.val[DT_OPT_cpu] >= 0)
		return "-x cpu limits tracing to a CPU";
	if (dt_trace_filters_cgroups(h))
		return "-x container and -x cgroup select processes";
	if (dt_options_on(&h->options, DT_OPT_uretprobe))
		return "-x uretprobe asks for return probes of the kernel";
	return NULL;
}

/*
 * What is in every process is looked for in those of -p and -c, if that is all that can be traced, or what
 * was asked for.
 */
static bool means_given(const struct dtrace_hdl *h)
{
	return dt_procs_pid(h, 0) != 0 &&
	    (h->options.val[DT_OPT_engine] == DT_ENGINE_PROCESS || dt_trace_permitted() != 0);
}

/* The end of a signal handler: unwinders know the frame of one by the bytes of this call. */
static bool ends_handler(const struct dt_hook *hook)
{
	return dt_hook_is_syscall(hook->kind) && hook->number == SYS_rt_sigreturn;
}

static const char *call_against(const struct dt_trace *t, const struct dt_probe *p,
    const struct dt_hook *hook)
{
	if (dt_procs_pid(t->h, 0) == 0)
		return dt_arena_printf(t->arena, "%s fires in any process (name some with -p or -c)",
		    name_of(t, p));
	return !ends_handler(hook) ? NULL : dt_arena_printf(t->arena, "%s is where a signal handler ends, "
	    "which is recognised by instructions that must not change", name_of(t, p));
}

/* The engine is put into processes one by one: each place has to name its process. */
static const char *hook_against(const struct dt_trace *t, const struct dt_probe *p,
    const struct dt_hook *hook)
{
	if (hook->kind == DT_HOOK_URETPROBE)
		return dt_arena_printf(t->arena, "%s needs the kernel's return probe", name_of(t, p));
	if (!(hook_in[hook->kind] & PROCESS))
		return dt_arena_printf(t->arena, "%s fires in the kernel", name_of(t, p));
	if (dt_hook_is_syscall(hook->kind))
		return call_against(t, p, hook);
	if (hook->kind == DT_HOOK_PERF && dt_procs_pid(t->h, 0) == 0)
		return dt_arena_printf(t->arena, "%s fires on all CPUs (name processes with -p or -c to take "
		    "samples of them)", name_of(t, p));
	if (hook->kind == DT_HOOK_PERF && t->h->probes.follow)
		return dt_arena_printf(t->arena, "%s takes samples of the processes of -p and -c, not of "
		    "their children (-x follow)", name_of(t, p));
	if (!dt_hook_in_process(hook->kind) || hook->pid != 0 || hook->root != 0 || means_given(t->h))
		return NULL;
	return dt_arena_printf(t->arena, "%s fires in any process (name one, by its number or as $target "
	    "with -p or -c)", name_of(t, p));
}

static bool has_kind(const struct dt_probe *p, enum dt_hook_kind kind)
{
	const struct dt_hook *hook = &p->hook;

	while (hook != NULL && hook->kind != kind)
		hook = hook->next;
	return hook != NULL;
}

/*
 * All places of a probe are needed; but of several functions (plockstat) those are left out, with a notice,
 * whose returns cannot be found.
 */
static const char *hooks_against(const struct dt_trace *t, const struct dt_probe *p)
{
	bool may_miss = has_kind(p, DT_HOOK_URETSITE);
	const char *text = NULL;

	for (const struct dt_hook *hook = &p->hook; hook != NULL && text == NULL; hook = hook->next)
		if (hook->kind != DT_HOOK_URETPROBE || !may_miss)
			text = hook_against(t, p, hook);
	return text;
}

/*
 * Functions whose returns cannot be found by reading their code are few among many: the engine leaves them
 * out, with a notice, unless a clause has no other probe. So with the one system call that it cannot see.
 */
static const char *probe_against(const struct dt_trace *t)
{
	const struct dt_enabled *end = t->enabled.v + t->enabled.n;

	for (const struct dt_enabled *e = t->enabled.v, *next; e < end; e = next) {
		const char *text = NULL, *returns = NULL;
		bool other = false;

		for (next = e; next < end && next->ecb == e->ecb && text == NULL; next++) {
			bool may_miss = next->probe->hook.kind == DT_HOOK_URETPROBE ||
			    ends_handler(&next->probe->hook);
			const char *no = may_miss && returns != NULL ? returns :
			    hooks_against(t, next->probe);

			*(may_miss ? &returns : &text) = no;
			other |= !may_miss;
		}
		if (text != NULL || (returns != NULL && !other))
			return text != NULL ? text : returns;
	}
	return NULL;
}

static const char *kind_of(const struct dt_builtin *row)
{
	switch (row->kind) {
	case DT_BI_SUBR: return "( ), a subroutine";
	case DT_BI_ACTION: return "( ), an action";
	case DT_BI_ARRAY: return "[ ], an array";
	default: return ", a variable";
	}
}

/* What D is made of: curpsinfo and others are expressions with curthread in the D libraries. */
static const char *row_against(const struct dt_trace *t, unsigned where)
{
	const struct dt_builtin *row = NULL;

	for (size_t i = 0; i < t->progs.n && row == NULL; i++)
		row = dt_prog_outside(t->progs.v[i], where);
	if (row == NULL)
		return NULL;
	return dt_arena_printf(t->arena, "%s%s of the kernel alone%s", row->name, kind_of(row),
	    row == &dt_var_curthread ? " (curpsinfo, curlwpsinfo and fds[ ] are made of it)" : "");
}

static const char *against(struct dtrace_hdl *h, const struct dt_trace *t)
{
	const char *text = option_against(h);

	if (text == NULL)
		text = probe_against(t);
	return text != NULL ? text : row_against(t, PROCESS);
}

/* ---- the choice ---- */

/* What to do instead. */
static const char *fix(int permitted)
{
	return permitted == 0 ? "use -x engine=kernel" : "run as root, with -x engine=kernel";
}

/* -x engine=process. NULL with the error set: it cannot be. */
static const struct dt_engine_ops *process_asked(struct dtrace_hdl *h, char *why, size_t len)
{
	const struct dt_engine_ops *ops = dt_engine_in(PROCESS);
	const char *no = against(h, h->trace);

	if (no != NULL)
		dt_handle_errorf(h, EDT_ENABLING_ERR, "engine process: %s; %s", no,
		    fix(dt_trace_permitted()));
	else if (ops == NULL)
		dt_handle_errorf(h, EDT_BADOPTVAL, "engine process: not in this build; %s",
		    fix(dt_trace_permitted()));
	snprintf(why, len, "asked for by -x engine");
	return no == NULL ? ops : NULL;
}

/* What would be of the whole machine is of some processes: that is said, unless a program is quiet. */
static void note_given(struct dtrace_hdl *h, const char *why)
{
	const struct dt_trace *t = h->trace;

	for (size_t i = 0; i < t->enabled.n && !dt_options_on(&h->options, DT_OPT_quiet); i++) {
		enum dt_hook_kind kind = t->enabled.v[i].probe->hook.kind;

		if (!dt_hook_is_syscall(kind) && kind != DT_HOOK_PERF)
			continue;
		dt_handle_note(h, dt_arena_printf(t->arena, "%s: only the processes of -p and -c are traced, "
		    "because %s", name_of(t, t->enabled.v[i].probe), why));
		return;
	}
}

/* Without the rights for the kernel. The sentence about rights is the historic one. */
static const struct dt_engine_ops *without_rights(struct dtrace_hdl *h, int permitted, char *why, size_t len)
{
	const struct dt_engine_ops *ops = dt_engine_in(PROCESS);
	const char *no = against(h, h->trace);

	if (ops == NULL && permitted == -EPERM) {
		dt_handle_error(h, EDT_ACCESS);
	} else if (ops == NULL) {
		dt_handle_error(h, EDT_NOENT);
	} else if (no != NULL) {
		dt_handle_errorf(h, permitted == -EPERM ? EDT_ACCESS : EDT_NOENT, "%s: %s; what needs none: "
		    "probes of the user's own processes (pid$target, static probes, syscall and profile-n "
		    "with -p or -c), BEGIN, END, tick", no,
		    permitted == -EPERM ? dt_rights_why_refused() : dt_error_text(EDT_NOENT));
		ops = NULL;
	}
	snprintf(why, len, "%s", permitted == -EPERM ? "there are no rights to trace the kernel" :
	    "the kernel has no eBPF");
	if (ops != NULL)
		note_given(h, why);
	return ops;
}

/*
 * With rights system calls and profile-n mean the whole machine, and what may come while tracing is for the
 * kernel; but descriptions of functions in all files of a process have found some.
 */
static const char *not_given(const struct dt_trace *t)
{
	bool any = false;

	for (size_t i = 0; i < t->enabled.n; i++)
		for (const struct dt_hook *k = &t->enabled.v[i].probe->hook; k != NULL; k = k->next) {
			bool runs = k->kind == DT_HOOK_RUN || k->kind == DT_HOOK_TICK ||
			    k->kind == DT_HOOK_NONE;

			if (!runs && (!dt_hook_in_process(k->kind) || k->pid == 0))
				return dt_arena_printf(t->arena, "%s is no place in a given process",
				    name_of(t, t->enabled.v[i].probe));
			any |= !runs;
		}
	if (t->retained.n > 0)
		return dt_arena_printf(t->arena, "%s may get more probes while tracing",
		    t->retained.v[0].ecb->probe.prov);
	return any ? NULL : "there are rights to trace the kernel";
}

/* With the rights for the kernel, or with an error that loading will tell. */
static const struct dt_engine_ops *with_rights(struct dtrace_hdl *h, char *why, size_t len)
{
	const struct dt_engine_ops *ops = PROCESS_BY_DEFAULT ? dt_engine_in(PROCESS) : NULL;
	struct dt_trace *t = h->trace;
	const char *no = t->fell_back;

	if (ops == NULL)
		no = "there are rights to trace the kernel";
	if (no == NULL)
		no = not_given(t);
	if (no == NULL)
		no = against(h, t);
	t->may_fall_back = no == NULL;
	snprintf(why, len, "%s", no != NULL ? no : "all probes are in given processes");
	return no == NULL ? ops : dt_engine_in(KERNEL);
}

static const struct dt_engine_ops *replay_asked(struct dtrace_hdl *h, char *why, size_t len)
{
	const struct dt_engine_ops *ops = dt_engine_in(DT_IN_REPLAY);
	const struct dt_builtin *row = NULL;

	snprintf(why, len, "asked for by -x replay");
	if (h->options.val[DT_OPT_engine] != DT_ENGINE_AUTO) {
		dt_handle_errorf(h, EDT_BADOPTVAL, "-x replay runs programs on the events of a file, which "
		    "no other engine does: leave out -x engine");
		return NULL;
	}
	for (size_t i = 0; i < h->trace->progs.n && row == NULL; i++)
		row = dt_prog_outside(h->trace->progs.v[i], DT_IN_REPLAY);
	if (row == NULL)
		return ops;
	dt_handle_errorf(h, EDT_COMPILER, "%s is not available in the engine %s: only the kernel has it",
	    row->name, ops->name);
	return NULL;
}

const struct dt_engine_ops *dt_trace_choose(struct dtrace_hdl *h, char *why, size_t len)
{
	int permitted;

	h->trace->may_fall_back = false;
	if (h->probes.events != NULL)
		return replay_asked(h, why, len);
	switch (h->options.val[DT_OPT_engine]) {
	case DT_ENGINE_PROCESS: return process_asked(h, why, len);
	case DT_ENGINE_KERNEL:
		snprintf(why, len, "asked for by -x engine");
		return dt_engine_in(KERNEL);
	default: break;
	}
	permitted = dt_trace_permitted();
	if (permitted == -EPERM || permitted == -ENOSYS)
		return without_rights(h, permitted, why, len);
	return with_rights(h, why, len);
}

/*
 * Expressions of derived probes are compiled when the engine is known: what they use must be there too. 0,
 * or -1 with the error set.
 */
int dt_trace_check_derived(struct dt_gobuild *b)
{
	unsigned where = b->t->ops->where;

	if (where == DT_IN_KERNEL)
		return 0;
	for (size_t i = 0; i < b->hooks.n; i++)
		for (size_t k = 0; k < b->hooks.v[i]->en.n; k++) {
			const struct dt_enabling *en = &b->hooks.v[i]->en.v[k];
			const struct dt_builtin *row = dt_difo_outside(en->when, where);

			if (row == NULL)
				row = dt_difo_outside(en->each, where);
			for (int a = 0; a < 10 && en->args[a] != NULL && row == NULL; a++)
				row = dt_difo_outside(en->args[a], where);
			if (row != NULL)
				return dt_handle_errorf(b->h, EDT_ENABLING_ERR,
				    "%s:%s:%s:%s uses %s, which the engine %s does not have; %s", en->prov,
				    en->mod, en->func, en->name, row->name, b->t->ops->name,
				    fix(dt_trace_permitted()));
		}
	return 0;
}

const char *dtrace_engine(dtrace_hdl_t *h)
{
	int permitted, asked = (int)h->options.val[DT_OPT_engine];
	unsigned where = KERNEL;

	if (h->trace != NULL && h->trace->ops != NULL)
		return h->trace->ops->name;
	permitted = asked == DT_ENGINE_AUTO ? dt_trace_permitted() : 0;
	if (asked == DT_ENGINE_PROCESS || permitted == -EPERM || permitted == -ENOSYS)
		where = PROCESS;
	if (h->probes.events != NULL)
		where = DT_IN_REPLAY;
	return dt_engine_in(where) != NULL ? dt_engine_in(where)->name : "kernel";
}
