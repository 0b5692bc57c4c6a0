/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One D program from its text to its aggregations (run.h), by the calls of libdtrace in their documented
 * order.
 */
#include "run.h"

#include "base.h"
#include "signals.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* What stands behind the mark of an excerpt, and is about this machine: "" if nothing does. */
static const char *hint_of(const char *excerpt)
{
	const char *mark = strrchr(excerpt, '^');

	if (mark == NULL)
		return "";
	mark += 1 + strspn(mark + 1, "~");
	return *mark == ' ' ? mark + 1 : "";
}

/* The library's reason. The program is not the user's: of an excerpt only the hint is shown. */
int run_failed(const struct run *r, const char *what)
{
	const char *hint = hint_of(dtrace_errexcerpt(r->dtp));

	fprintf(stderr, "%s: %s: %s%s%.*s\n", r->name, what, dtrace_errmsg(r->dtp, dtrace_errno(r->dtp)),
	    hint[0] != '\0' ? ": " : "", (int)strcspn(hint, "\n"), hint);
	return 1;
}

bool run_number(const struct run *r, int option, const char *text, long least, long *out)
{
	char *end;

	errno = 0;
	*out = strtol(text, &end, 10);
	if (errno == 0 && end != text && *end == '\0' && *out >= least && *out <= RUN_NUMBER_MAX)
		return true;
	if (*out > RUN_NUMBER_MAX)
		fprintf(stderr, "%s: -%c %s: the number is too large; see %s --help\n", r->name, option, text,
		    r->name);
	else
		fprintf(stderr, "%s: -%c %s: it must be a number, %ld or more; see %s --help\n", r->name,
		    option, text, least, r->name);
	return false;
}

int run_open(struct run *r, const char *name)
{
	int err;

	*r = (struct run){ .name = name };
	r->dtp = dtrace_open(DTRACE_VERSION, 0, &err);
	if (r->dtp != NULL)
		return 0;
	fprintf(stderr, "%s: failed to initialize dtrace: %s\n", name, dtrace_errmsg(NULL, err));
	return 1;
}

int run_option(struct run *r, const char *option, const char *value)
{
	if (dtrace_setopt(r->dtp, option, value) == 0)
		return 0;
	fprintf(stderr, "%s: failed to set -x %s: %s\n", r->name, option,
	    dtrace_errmsg(r->dtp, dtrace_errno(r->dtp)));
	return 1;
}

int run_option_text(struct run *r, const char *text)
{
	char *copy = strdup(text), *value = copy != NULL ? strchr(copy, '=') : NULL;
	int status;

	if (copy == NULL) {
		fprintf(stderr, "%s: out of memory\n", r->name);
		return 1;
	}
	if (value != NULL)
		*value++ = '\0';
	status = run_option(r, copy, value);
	free(copy);
	return status;
}

int run_create(struct run *r, char *const argv[])
{
	r->proc = dtrace_proc_create(r->dtp, argv[0], argv);
	if (r->proc != NULL)
		return 0;
	fprintf(stderr, "%s: %s\n", r->name, dtrace_errmsg(r->dtp, dtrace_errno(r->dtp)));
	return 1;
}

int run_grab(struct run *r, const char *pid)
{
	long n;

	if (!run_number(r, 'p', pid, 1, &n))
		return 1;
	if (n > INT32_MAX) {		/* would be the number of another process */
		fprintf(stderr, "%s: -p %s: no process has such a number\n", r->name, pid);
		return 1;
	}
	r->proc = dtrace_proc_grab(r->dtp, (pid_t)n, 0);
	if (r->proc != NULL)
		return 0;
	fprintf(stderr, "%s: %s\n", r->name, dtrace_errmsg(r->dtp, dtrace_errno(r->dtp)));
	return 1;
}

/* ---- what the library reports while it runs ---- */

/* The trace ends with its process. How it ended is reported unless it succeeded. */
static void on_process(struct ps_prochandle *p, const char *msg, void *arg)
{
	struct run *r = arg;
	int pid = (int)dtrace_proc_getpid(r->dtp, p), status = 0;

	if (msg != NULL) {
		fprintf(stderr, "%s: pid %d: %s\n", r->name, pid, msg);
		return;
	}
	r->gone = true;
	(void)dtrace_proc_gone(r->dtp, p, &status);
	r->status = status;
	if (r->silent)
		return;
	if (WIFSIGNALED(status))
		fprintf(stderr, "%s: pid %d terminated by SIG%s\n", r->name, pid,
		    sigabbrev_np(WTERMSIG(status)) != NULL ? sigabbrev_np(WTERMSIG(status)) : "RT");
	else if (WEXITSTATUS(status) != 0)
		fprintf(stderr, "%s: pid %d exited with status %d\n", r->name, pid, WEXITSTATUS(status));
	else if (r->verbose)
		fprintf(stderr, "%s: pid %d has exited\n", r->name, pid);
}

/* Drops are reported, and the trace goes on. */
static int on_drop(const dtrace_dropdata_t *d, void *arg)
{
	const struct run *r = arg;

	fprintf(stderr, "%s: %s", r->name, d->dtdda_msg);
	return DTRACE_HANDLE_OK;
}

static int on_fault(const dtrace_errdata_t *e, void *arg)
{
	const struct run *r = arg;

	if (!r->silent)
		fprintf(stderr, "%s: %s", r->name, e->dteda_msg);
	return DTRACE_HANDLE_OK;
}

/* ---- the trace ---- */

/*
 * One more round of work follows dtrace_stop(), for what is left. The time of the trace ends before the
 * aggregations are read.
 */
static int work_loop(struct run *r)
{
	dtrace_workstatus_t status = DTRACE_WORKSTATUS_OKAY;
	bool over = false;

	while (!over && status == DTRACE_WORKSTATUS_OKAY) {
		if (!signals_interrupted())
			dtrace_sleep(r->dtp);
		over = signals_interrupted() || (r->gone && dtrace_proc_followed(r->dtp) == 0);
		if (over && dtrace_stop(r->dtp) != 0)
			return run_failed(r, "could not stop tracing");
		status = dtrace_work(r->dtp, stdout, r->firing, dtrace_consume_all, r->arg);
		if (r->round != NULL)
			r->round(r->arg);
	}
	r->ended = now_ns();
	if (status == DTRACE_WORKSTATUS_ERROR)
		return run_failed(r, "processing aborted");
	return dtrace_aggregate_snap(r->dtp) != 0 ? run_failed(r, "failed to read aggregations") : 0;
}

/*
 * Handlers must be there before dtrace_go(), and the process runs only after it, so that nothing is missed.
 */
int run_program(struct run *r, const char *text)
{
	dtrace_prog_t *prog;
	dtrace_proginfo_t info;

	signals_catch();
	prog = dtrace_program_strcompile(r->dtp, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	if (prog == NULL)
		return run_failed(r, "failed to compile the program");
	if (dtrace_program_exec(r->dtp, prog, &info) != 0)
		return run_failed(r, "failed to enable probes");
	if (dtrace_handle_drop(r->dtp, on_drop, r) != 0 || dtrace_handle_err(r->dtp, on_fault, r) != 0 ||
	    dtrace_handle_proc(r->dtp, on_process, r) != 0 || dtrace_go(r->dtp) != 0)
		return run_failed(r, "could not enable tracing");
	signals_begun();
	r->began = now_ns();
	if (r->begun != NULL)
		r->begun(r->arg);
	if (r->proc != NULL)
		dtrace_proc_continue(r->dtp, r->proc);
	if (r->verbose && r->proc != NULL)
		fprintf(stderr, "%s: tracing enabled for pid %d\n", r->name,
		    (int)dtrace_proc_getpid(r->dtp, r->proc));
	return work_loop(r);
}

int run_close(struct run *r, int status)
{
	if (r->dtp != NULL)
		dtrace_close(r->dtp);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(stderr, "%s: failed to write output: %s\n", r->name, strerror(errno));
	return status != 0 ? status : 1;
}

/* ---- aggregations ---- */

/* Looks for the number of an aggregation by its name. */
struct wanted {
	const char *name;
	dtrace_aggvarid_t id;
};

static int if_named(const dtrace_aggdata_t *a, void *arg)
{
	struct wanted *w = arg;

	if (strcmp(a->dtada_desc->dtagd_name, w->name) == 0)
		w->id = a->dtada_desc->dtagd_varid;
	return DTRACE_AGGWALK_NEXT;
}

dtrace_aggvarid_t run_aggregation(struct run *r, const char *name)
{
	struct wanted w = { .name = name };

	(void)dtrace_aggregate_walk(r->dtp, if_named, &w);
	return w.id;
}
