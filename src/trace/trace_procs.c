/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Victims: the processes of -c and -p, as the caller knows them (struct ps_prochandle). The first one is
 * $target. They are looked after in dtrace_sleep(); a process that was started here ends with the handle at
 * the latest.
 *
 * A handle of a process is counted: grabbing one process twice gives the same handle. The list must not be
 * walked across a call of the handler, which may release any of them.
 */
#include "trace/trace_procs.h"

#include "dif/builtin.h"
#include "provider/provider.h"
#include "trace/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct ps_prochandle {
	struct dt_proc proc;
	unsigned refs;
	bool reported;		/* the handler knows that it is gone */
	struct ps_prochandle *next;
};

/* All processes of a handle, made at the first need. */
struct dt_procs {
	struct ps_prochandle *list;	/* oldest first */
	dtrace_handle_proc_f *f;
	void *arg;
	bool over;			/* all have ended, and that was reported */
	uint32_t *only;			/* pids the probes are limited to */
	uint32_t nonly;
};

/* NULL: out of memory, and the handle's error says so. */
static struct dt_procs *procs_of(struct dtrace_hdl *h)
{
	if (h->procs == NULL && (h->procs = calloc(1, sizeof(*h->procs))) == NULL)
		dt_handle_error(h, EDT_NOMEM);
	return h->procs;
}

/* Takes `proc` over and appends it to the list. NULL: out of memory; `proc` is still the caller's. */
static struct ps_prochandle *add_victim(struct dtrace_hdl *h, const struct dt_proc *proc)
{
	struct ps_prochandle *p = calloc(1, sizeof(*p)), **end = &h->procs->list;

	if (p == NULL) {
		dt_handle_error(h, EDT_NOMEM);
		return NULL;
	}
	p->proc = *proc;
	p->refs = 1;
	while (*end != NULL)
		end = &(*end)->next;
	*end = p;
	if (h->target == 0)
		h->target = proc->pid;
	return p;
}

/* dt_proc_close() kills a process that was started here; any other runs on. */
static void destroy_victim(struct ps_prochandle *p)
{
	dt_proc_close(&p->proc);
	free(p);
}

void dt_procs_free(struct dtrace_hdl *h)
{
	struct ps_prochandle *next;

	if (h->procs == NULL)
		return;
	for (struct ps_prochandle *p = h->procs->list; p != NULL; p = next) {
		next = p->next;
		destroy_victim(p);
	}
	free(h->procs->only);
	free(h->procs);
	h->procs = NULL;
}

/* ---- starting ---- */

/* Whether "N=V" or "N" is about the variable. */
static bool names_variable(const char *entry, const char *name, size_t len)
{
	return strncmp(entry, name, len) == 0 && (entry[len] == '=' || entry[len] == '\0');
}

/* Removes a variable from the list of `n`; returns how many are left. */
static size_t without_variable(char **env, size_t n, const char *name)
{
	size_t len = strcspn(name, "="), kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!names_variable(env[i], name, len))
			env[kept++] = env[i];
	return kept;
}

/*
 * Our environment, changed by -x setenv and unsetenv in the order given. The caller frees the list; the
 * strings belong to the environment and the options.
 */
static char **victim_environment(const struct dt_options *o)
{
	size_t n = 0;
	char **env;

	while (environ != NULL && environ[n] != NULL)
		n++;
	env = calloc(n + o->env.n + 1, sizeof(*env));
	if (env == NULL)
		return NULL;
	if (n > 0)
		memcpy(env, environ, n * sizeof(*env));
	for (size_t i = 0; i < o->env.n; i++) {
		n = without_variable(env, n, o->env.v[i]);
		if (strchr(o->env.v[i], '=') != NULL)
			env[n++] = (char *)o->env.v[i];
	}
	env[n] = NULL;
	return env;
}

/* Where a started process waits for its probes (-x evaltime). */
static enum dt_proc_stop stop_place(const struct dt_options *o)
{
	switch (o->val[DT_OPT_evaltime]) {
	case DT_EVALTIME_EXEC: return DT_PROC_AT_EXEC;
	case DT_EVALTIME_PREINIT: return DT_PROC_AT_PREINIT;
	case DT_EVALTIME_MAIN: return DT_PROC_AT_MAIN;
	default: return DT_PROC_AT_ENTRY;
	}
}

struct ps_prochandle *dtrace_proc_create(dtrace_hdl_t *h, const char *file, char *const argv[])
{
	char **env, msg[256] = "";
	struct dt_proc proc;
	int err;

	if (file == NULL || argv == NULL || argv[0] == NULL) {
		dt_handle_error(h, EINVAL);
		return NULL;
	}
	if (procs_of(h) == NULL)
		return NULL;
	env = victim_environment(&h->options);
	err = env != NULL ? dt_proc_start(&proc, file, argv, env, stop_place(&h->options), msg, sizeof(msg)) :
	    -ENOMEM;
	free(env);
	if (err != 0) {
		dt_handle_errorf(h, EDT_COMPILER, "failed to execute %s: %s", file, *msg ? msg :
		    strerror(-err));
		return NULL;
	}
	struct ps_prochandle *p = add_victim(h, &proc);

	if (p == NULL)
		dt_proc_close(&proc);
	return p;
}

/* ---- grabbing ---- */

/*
 * A process that must not be dumped gives its files in /proc to root. For a process of root itself we cannot
 * tell the difference, so it counts as dumpable.
 */
static bool undumpable(pid_t pid)
{
	char path[64];
	struct stat dir, maps;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (stat(path, &dir) != 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	return stat(path, &maps) == 0 && dir.st_uid != 0 && maps.st_uid == 0;
}

/* The process keeps running: the flags, which say how to stop it, mean nothing here. */
struct ps_prochandle *dtrace_proc_grab(dtrace_hdl_t *h, pid_t pid, int flags)
{
	struct ps_prochandle *p;
	struct dt_proc proc;
	char msg[256];

	(void)flags;		/* nothing is stopped, so there is nothing to choose */
	if (procs_of(h) == NULL)
		return NULL;
	for (p = h->procs->list; p != NULL; p = p->next)
		if (p->proc.pid == pid && !p->proc.gone) {
			p->refs++;
			return p;
		}
	if (pid <= 0 || dt_proc_grab(&proc, pid, msg, sizeof(msg)) != 0) {
		dt_handle_errorf(h, EDT_COMPILER, "failed to grab pid %d: %s", (int)pid, pid <= 0 ?
		    strerror(ESRCH) : msg);
		return NULL;
	}
	if (!dt_options_on(&h->options, DT_OPT_undumpable) && undumpable(pid)) {
		dt_handle_errorf(h, EDT_COMPILER,
		    "failed to grab pid %d: the process does not allow others to examine it (it is not "
		    "dumpable); -x undumpable grabs it anyway", (int)pid);
		dt_proc_close(&proc);
		return NULL;
	}
	p = add_victim(h, &proc);
	if (p == NULL)
		dt_proc_close(&proc);
	return p;
}

/* ---- running and ending ---- */

/* Whether system calls are traced by an engine that has to know the files they are made from. */
static bool wants_files(const struct dt_trace *t)
{
	for (size_t i = 0; t->ops->mapped != NULL && i < t->build->hooks.n; i++)
		if (dt_hook_is_syscall(t->build->hooks.v[i]->hook.kind))
			return true;
	return false;
}

struct mapping { struct dt_trace *t; char *msg; size_t len; int err; bool all; };

static bool tell_engine(void *ctx, struct dt_proc *p)
{
	struct mapping *m = ctx;

	m->err = m->t->ops->mapped(m->t->engine, (uint32_t)p->pid, m->all, m->msg, m->len);
	return m->err == 0;
}

int dt_procs_map(struct dtrace_hdl *h, struct dt_trace *t, char *msg, size_t len)
{
	struct mapping m = { t, msg, len, 0, false };

	if (h->procs == NULL || stop_place(&h->options) != DT_PROC_AT_EXEC || !wants_files(t))
		return 0;
	for (struct ps_prochandle *p = h->procs->list; p != NULL && m.err == 0; p = p->next) {
		m.all = false;
		if (!p->proc.held || p->proc.gone || !dt_proc_load(&p->proc, tell_engine, &m) || m.err != 0)
			continue;
		m.all = true;
		(void)tell_engine(&m, &p->proc);
		if (h->usyms != NULL)		/* stacks lead through the new files */
			dt_usyms_learn(h->usyms, (uint32_t)p->proc.pid);
	}
	(void)dt_trace_unwind_work(h, t);
	return m.err == -ESRCH ? 0 : m.err;
}

void dtrace_proc_continue(dtrace_hdl_t *h, struct ps_prochandle *p)
{
	(void)h;
	if (p != NULL)
		dt_proc_continue(&p->proc);
}

/* Frees the handle when the last user has released it. */
void dtrace_proc_release(dtrace_hdl_t *h, struct ps_prochandle *p)
{
	struct ps_prochandle **at;

	if (p == NULL || --p->refs > 0)
		return;
	for (at = &h->procs->list; *at != NULL && *at != p; at = &(*at)->next)
		;
	if (*at == p)
		*at = p->next;
	destroy_victim(p);
}

pid_t dtrace_proc_getpid(dtrace_hdl_t *h, struct ps_prochandle *p)
{
	(void)h;
	return p != NULL ? p->proc.pid : -1;
}

int dtrace_proc_gone(dtrace_hdl_t *h, struct ps_prochandle *p, int *status)
{
	(void)h;
	if (p == NULL || !dt_proc_ended(&p->proc))
		return 0;
	if (status != NULL)
		*status = p->proc.status;
	return 1;
}

int dtrace_handle_proc(dtrace_hdl_t *h, dtrace_handle_proc_f *f, void *arg)
{
	if (procs_of(h) == NULL)
		return -1;
	if (h->procs->f != NULL)
		return dt_handle_error(h, EALREADY);
	h->procs->f = f;
	h->procs->arg = arg;
	return 0;
}

/* True once, when all processes and all that came from them have ended. */
static bool last_ended(struct dtrace_hdl *h, bool alone)
{
	if (h->procs == NULL || h->procs->list == NULL || h->procs->over || !alone ||
	    dtrace_proc_followed(h) > 0)
		return false;
	h->procs->over = true;
	return true;
}

/*
 * A process that has ended and was not reported yet. The list is searched from its beginning each time: the
 * handler may release any of them.
 */
static struct ps_prochandle *next_ended(const struct dt_procs *ps)
{
	for (struct ps_prochandle *p = ps != NULL ? ps->list : NULL; p != NULL; p = p->next)
		if (!p->reported && dt_proc_ended(&p->proc))
			return p;
	return NULL;
}

bool dt_procs_check(struct dtrace_hdl *h)
{
	struct ps_prochandle *p;
	bool ended = false, alone = true;

	while ((p = next_ended(h->procs)) != NULL) {
		p->reported = ended = true;
		if (h->procs->f != NULL)
			h->procs->f(p, NULL, h->procs->arg);
	}
	for (p = h->procs != NULL ? h->procs->list : NULL; p != NULL; p = p->next)
		alone &= p->reported;
	return last_ended(h, alone) || ended;
}

/* ---- -x follow ---- */

uint32_t dt_procs_pid(const struct dtrace_hdl *h, int i)
{
	const struct ps_prochandle *p = h->procs != NULL ? h->procs->list : NULL;

	for (; p != NULL && i > 0; i--)
		p = p->next;
	return p != NULL ? (uint32_t)p->proc.pid : 0;
}

int dtrace_proc_target(dtrace_hdl_t *h, pid_t pid)
{
	if (pid <= 0)
		return dt_handle_error(h, EINVAL);
	h->target = pid;
	return 0;
}

int dtrace_proc_followed(dtrace_hdl_t *h)
{
	struct dt_trace *t = h->trace;

	if (t->engine == NULL)
		return 0;
	return (int)__atomic_load_n(&dt_trace_control(t)->followed, __ATOMIC_RELAXED);
}

/* Hands one descendant to the engine. */
static void follow_descendant(void *ctx, uint32_t pid, uint32_t root)
{
	struct dt_engine *e = ctx;

	if (e->ops->follow != NULL)
		e->ops->follow(e, pid, root);
}

void dt_procs_family(struct dtrace_hdl *h, struct dt_trace *t)
{
	uint32_t n = 0, *roots;

	if (!t->h->probes.follow || !dt_proc_pids_global())
		return;
	while (dt_procs_pid(h, (int)n) != 0)
		n++;
	roots = calloc(n + 1, sizeof(*roots));
	for (uint32_t i = 0; roots != NULL && i < n; i++)
		roots[i] = dt_procs_pid(h, (int)i);
	if (roots != NULL)
		dt_proc_family(roots, n, follow_descendant, t->engine);
	free(roots);
}

/* ---- what the probes are limited to ---- */

/* Whether a probe is enabled that belongs to one process anyway. */
static bool per_process(const struct dt_trace *t)
{
	for (size_t i = 0; i < t->enabled.n; i++)
		if (t->enabled.v[i].probe->row->per_process && !t->enabled.v[i].probe->every)
			return true;
	return false;
}

/*
 * Whether this process limits all probes to itself. -c is often only a clock ("-c 'sleep 10'"), so a process
 * started here limits nothing unless that is asked for, or it is to be followed.
 */
static bool limits_probes(const struct dtrace_hdl *h, const struct dt_trace *t, const struct ps_prochandle *p)
{
	if (t->ops != NULL && t->ops->where == DT_IN_PROCESS)
		return true;		/* it is put into these and sees no others */
	switch (h->options.val[DT_OPT_target]) {
	case DT_TARGET_ALL: return false;
	case DT_TARGET_ONLY: return true;
	default: return (!p->proc.child || dt_options_on(&h->options, DT_OPT_follow)) && !h->target_named &&
	    !per_process(t);
	}
}

/* With several processes it is all or none: if one limits nothing, probes fire everywhere. */
int dt_procs_limit(struct dtrace_hdl *h, const struct dt_trace *t, const uint32_t **pids, uint32_t *n)
{
	struct dt_procs *ps = h->procs;
	uint32_t max = 0;

	*pids = NULL;
	*n = 0;
	for (struct ps_prochandle *p = ps != NULL ? ps->list : NULL; p != NULL; p = p->next)
		max++;
	if (max == 0)
		return 0;
	free(ps->only);
	ps->nonly = 0;
	ps->only = calloc(max, sizeof(*ps->only));
	if (ps->only == NULL)
		return dt_handle_error(h, EDT_NOMEM);
	for (struct ps_prochandle *p = ps->list; p != NULL; p = p->next) {
		if (!limits_probes(h, t, p)) {
			ps->nonly = 0;
			break;		/* several: all or none */
		}
		ps->only[ps->nonly++] = (uint32_t)p->proc.pid;
	}
	*pids = ps->only;
	*n = ps->nonly;
	return 0;
}

int dtrace_proc_only(dtrace_hdl_t *h, pid_t *pids, int max)
{
	bool inside = h->trace != NULL && h->trace->ops != NULL && h->trace->ops->where == DT_IN_PROCESS;
	uint32_t n = h->procs != NULL && !inside ? h->procs->nonly : 0;

	for (uint32_t i = 0; i < n && (int)i < max; i++)
		pids[i] = (pid_t)h->procs->only[i];
	return (int)n;
}

