/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starting, grabbing and waiting for the processes that are traced, and the notices about their ends. The
 * handles belong to the library; this keeps a list of them in the order of the command line.
 */
#include "targets.h"

#include "split.h"
#include "waitfor.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* -c: the process is started and held. NULL after a message. */
static struct ps_prochandle *start_command(struct targets *v, const char *command)
{
	const char *why;
	char **words = split_command(command, &why);
	struct ps_prochandle *p = NULL;

	if (words == NULL)
		fprintf(stderr, "dtrace: -c: %s: %s\n", why, command);
	else if ((p = dtrace_proc_create(v->dtp, words[0], words)) == NULL)
		fprintf(stderr, "dtrace: %s\n", dtrace_errmsg(v->dtp, dtrace_errno(v->dtp)));
	free(words);
	return p;
}

/* -p: the process runs on. NULL after a message. */
static struct ps_prochandle *grab_process(struct targets *v, long pid)
{
	struct ps_prochandle *p = dtrace_proc_grab(v->dtp, (pid_t)pid, 0);

	if (p == NULL)
		fprintf(stderr, "dtrace: %s\n", dtrace_errmsg(v->dtp, dtrace_errno(v->dtp)));
	return p;
}

/* A command, a pid, or a name to wait for (-W). */
static struct ps_prochandle *open_one(struct targets *v, const struct target *a)
{
	long pid = a->pid;

	if (a->command)
		return start_command(v, a->text);
	if (pid == 0)
		pid = waitfor_name(a->text);
	return pid > 0 ? grab_process(v, pid) : NULL;
}

int targets_open(struct targets *v, dtrace_hdl_t *dtp, const struct args *a)
{
	*v = (struct targets){ .dtp = dtp, .list = calloc((size_t)a->ntargets + 1,
	    sizeof(struct ps_prochandle *)) };
	if (v->list == NULL) {
		fprintf(stderr, "dtrace: out of memory\n");
		return 1;
	}
	/* Nothing will run: $target is only to be some number. */
	if (a->compile_only && a->mode == MODE_TRACE) {
		if (a->ntargets > 0)
			dtrace_proc_target(dtp, a->targets[0].pid > 0 ? (pid_t)a->targets[0].pid : getpid());
		return 0;
	}
	for (int i = 0; i < a->ntargets; i++) {
		v->list[i] = open_one(v, &a->targets[i]);
		if (v->list[i] == NULL)
			return 1;
		v->n = v->alive = i + 1;
	}
	return 0;
}

/*
 * Called by dtrace_sleep() for each process that ends: v->alive counts down, and a message says how it
 * ended.
 */
static void on_end(struct ps_prochandle *p, const char *msg, void *arg)
{
	struct targets *v = arg;
	int pid = (int)dtrace_proc_getpid(v->dtp, p), status = 0;

	if (msg != NULL) {
		fprintf(stderr, "dtrace: pid %d: %s\n", pid, msg);
		return;
	}
	for (int i = 0; i < v->n; i++)		/* the same process may have been named twice */
		if (v->list[i] == p)
			v->alive--;
	if (v->quiet || !dtrace_proc_gone(v->dtp, p, &status))
		return;
	if (WIFSIGNALED(status))
		fprintf(stderr, "dtrace: pid %d terminated by SIG%s\n", pid,
		    sigabbrev_np(WTERMSIG(status)) != NULL ?
		    sigabbrev_np(WTERMSIG(status)) : "RT");
	else if (WEXITSTATUS(status) != 0)
		fprintf(stderr, "dtrace: pid %d exited with status %d\n", pid, WEXITSTATUS(status));
	else
		fprintf(stderr, "dtrace: pid %d has exited\n", pid);
}

/* -x follow: processes that the targets make are traced too. */
static bool follows(dtrace_hdl_t *dtp)
{
	dtrace_optval_t v;

	return dtrace_getopt(dtp, "follow", &v) == 0 && v != DTRACEOPT_UNSET;
}

void targets_notice(struct targets *v)
{
	pid_t pids[8];
	int n = dtrace_proc_only(v->dtp, pids, 8);

	/* the engine process is in these processes: there is nothing to choose */
	if (n == 0 || strcmp(dtrace_engine(v->dtp), "process") == 0)
		return;
	fprintf(stderr, "dtrace: tracing only process");
	for (int i = 0; i < n && i < 8; i++)
		fprintf(stderr, "%s%d", i > 0 ? ", " : n > 1 ? "es " : " ", (int)pids[i]);
	fprintf(stderr, "%s%s (-x target=all traces everything)\n", n > 8 ? ", ..." : "",
	    follows(v->dtp) ? " and what it makes" : "");
}

/* Called in the loop: tracing ends with the last of them. */
bool targets_gone(const struct targets *v)
{
	return v->n > 0 && v->alive == 0 && dtrace_proc_followed(v->dtp) == 0;
}

/* The handler comes first: a short process may end at once. */
void targets_continue(struct targets *v)
{
	(void)dtrace_handle_proc(v->dtp, on_end, v);
	for (int i = 0; i < v->n; i++)
		dtrace_proc_continue(v->dtp, v->list[i]);
}

int targets_status(const struct targets *v, const struct args *a)
{
	int i = 0, status;

	while (i < v->n && !a->targets[i].command)
		i++;
	if (i == v->n || !dtrace_proc_gone(v->dtp, v->list[i], &status))
		return 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void targets_free(struct targets *v)
{
	free(v->list);
}
