/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The worker that traces: a program in, its recording out (STREAM_FD, doc/RECORDING.md), and beside it
 * lines for the page: a letter, then a message of JSON (doc/WEB.md). `D` is kept as long as the trace, `L`
 * too even if there is no room for more, `S` is a moment. It sleeps until there is something to read and
 * takes aggregations over once a second; the first time sooner, so that there is a picture.
 */
#include "worker.h"

#include "base.h"
#include "worker_process.h"
#include "cost.h"
#include "web_json.h"
#include "signals.h"
#include "split.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ull
#define TICK (200 * MS)			/* how long anything may wait before it is reported */
#define SECOND (1000 * MS)
#define MAX_FIRINGS 5000		/* a second, in the recording */

struct trace {
	dtrace_hdl_t *dtp;
	uint64_t began;			/* ns, monotonic */
	uint64_t errors, drops;		/* so far */
	uint64_t next_snap, next_cost;
	struct cost cost;
	size_t notice;			/* bytes of the library's notices that were reported */
	struct ps_prochandle *proc;
	bool gone;			/* the process, or the server */
};

/* ---- records ---- */

/* The recording has the text. */
static int on_text(const dtrace_bufdata_t *b, void *arg)
{
	(void)b, (void)arg;
	return DTRACE_HANDLE_OK;
}

/* What printa() shows is in the recording, and a clear() may follow it: no snapshot is taken for a second. */
static int on_record(const dtrace_probedata_t *d, const dtrace_recdesc_t *r, void *arg)
{
	struct trace *t = arg;

	(void)d;
	if (r == NULL)
		return DTRACE_CONSUME_NEXT;
	if (r->dtrd_action == DTRACEACT_PRINTA)
		t->next_snap = now_ns() + SECOND + SECOND / 10;
	return r->dtrd_action == DTRACEACT_EXIT ? DTRACE_CONSUME_NEXT : DTRACE_CONSUME_THIS;
}

static int on_firing(const dtrace_probedata_t *d, void *arg)
{
	(void)d, (void)arg;
	return DTRACE_CONSUME_THIS;
}

/* ---- what went wrong, and what it costs ---- */

static int on_error(const dtrace_errdata_t *e, void *arg)
{
	(void)e;
	((struct trace *)arg)->errors++;
	return DTRACE_HANDLE_OK;
}

static int on_drop(const dtrace_dropdata_t *d, void *arg)
{
	((struct trace *)arg)->drops += d->dtdda_drops;
	return DTRACE_HANDLE_OK;
}

static void report_notice(struct trace *t)
{
	const char *all = dtrace_notice(t->dtp);

	if (strlen(all) <= t->notice)
		return;
	fputs("D{\"t\":\"notice\",\"msg\":", stdout);
	json_text(stdout, all + t->notice);
	fputs("}\n", stdout);
	t->notice = strlen(all);
}

static void report_cost(struct trace *t)
{
	struct cost_shown c = cost_take(&t->cost);

	printf("S{\"t\":\"cost\",\"cpu\":%.4f,\"probes\":%.4f,\"runs\":%.0f,\"rss\":%ld,\"errors\":%" PRIu64
	    ",\"drops\":%" PRIu64 "}\n", c.cpu, c.probes, c.runs, c.rss_kb, t->errors, t->drops);
}

/* ---- the trace ---- */

static void on_process(struct ps_prochandle *p, const char *msg, void *arg)
{
	(void)p;
	if (msg == NULL)
		((struct trace *)arg)->gone = true;
}

/* -p and -c, which is split as dtrace(1) splits it. False after a message. */
static bool begin_process(struct trace *t, const struct args *w)
{
	const char *why;
	char **words;

	if (w->pid == NULL && w->command == NULL)
		return true;
	if (w->pid != NULL) {
		t->proc = dtrace_proc_grab(t->dtp, (pid_t)strtol(w->pid, NULL, 10), 0);
	} else if ((words = split_command(w->command, &why)) != NULL) {
		t->proc = dtrace_proc_create(t->dtp, words[0], words);
		free(words);
	} else {
		worker_say("L", "the command cannot be started", why);
		return false;
	}
	if (t->proc == NULL)
		worker_error(t->dtp, "L", "the process cannot be traced");
	return t->proc != NULL;
}

static void begin(struct trace *t, const char *text)
{
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	t->began = now_ns();
	printf("D{\"t\":\"start\",\"wall\":%lld.%03ld,\"program\":", (long long)wall.tv_sec,
	    wall.tv_nsec / 1000000);
	json_text(stdout, text);
	fputs("}\n", stdout);
	fflush(stdout);
}

static int enable(struct trace *t, const struct args *w, const char *text)
{
	dtrace_hdl_t *dtp = t->dtp;
	dtrace_prog_t *prog;

	if (dtrace_record_fd(dtp, STREAM_FD, MAX_FIRINGS) != 0) {
		worker_error(dtp, "L", "the trace cannot be recorded");
		return -1;
	}
	if (!begin_process(t, w) || (prog = worker_compile(w, dtp, text, "L")) == NULL)
		return -1;
	if (dtrace_handle_err(dtp, on_error, t) != 0 || dtrace_handle_drop(dtp, on_drop, t) != 0 ||
	    dtrace_handle_buffered(dtp, on_text, t) != 0 || dtrace_handle_proc(dtp, on_process, t) != 0 ||
	    dtrace_program_exec(dtp, prog, NULL) != 0 || dtrace_go(dtp) != 0) {
		worker_error(dtp, "L", "the program cannot be enabled");
		return -1;
	}
	if (t->proc != NULL)
		dtrace_proc_continue(dtp, t->proc);
	puts("D{\"t\":\"live\"}");
	report_notice(t);
	fflush(stdout);
	return 0;
}

/* The first snapshots come soon: a user who waits for a picture sees one. */
static void tick(struct trace *t)
{
	uint64_t now = now_ns();

	if (now >= t->next_snap) {
		(void)dtrace_aggregate_snap(t->dtp);
		t->next_snap = now - t->began < SECOND ? now + 250 * MS : now + SECOND;
	}
	if (now >= t->next_cost) {
		report_cost(t);
		t->next_cost = now + SECOND;
	}
	report_notice(t);
	fflush(stdout);
}

/* The server has the other end of stdout: it is gone if that is. */
static void wait_for_work(struct trace *t)
{
	struct pollfd fd[] = { { .fd = dtrace_ctlfd(t->dtp), .events = POLLIN },
		{ .fd = STDOUT_FILENO } };

	if (poll(fd, COUNT(fd), TICK / MS) > 0 && (fd[1].revents & POLLERR))
		t->gone = true;
}

static int follow(struct trace *t)
{
	dtrace_workstatus_t status = DTRACE_WORKSTATUS_OKAY;
	bool stopped = false;

	while (status == DTRACE_WORKSTATUS_OKAY) {
		if (!stopped)
			wait_for_work(t);
		if (!stopped && (signals_interrupted() || t->gone || ferror(stdout) ||
		    (t->proc != NULL && dtrace_proc_gone(t->dtp, t->proc, NULL)))) {
			if (dtrace_stop(t->dtp) != 0)
				return -1;
			stopped = true;
		}
		status = dtrace_work(t->dtp, NULL, on_firing, on_record, t);
		tick(t);
	}
	t->next_snap = t->next_cost = 0;
	tick(t);
	if (status == DTRACE_WORKSTATUS_DONE && dtrace_aggregate_print(t->dtp, NULL, NULL) != 0)
		return -1;
	return status == DTRACE_WORKSTATUS_ERROR ? -1 : 0;
}

int worker_trace(const struct args *w)
{
	struct trace *t = calloc(1, sizeof(*t));
	char *text = worker_input();
	int err = 0, rv = -1;

	if (t == NULL || text == NULL)
		return 1;
	signals_catch();
	(void)fcntl(STREAM_FD, F_SETFD, FD_CLOEXEC);	/* a command of -c must not hold it open */
	begin(t, text);
	t->dtp = worker_open(w, 0, &err);
	if (t->dtp != NULL) {
		signals_for(t->dtp);
		rv = enable(t, w, text);
		signals_begun();
		cost_begin(&t->cost);
		if (rv == 0 && (rv = follow(t)) != 0)
			worker_error(t->dtp, "L", "the trace has failed");
		signals_for(NULL);
		dtrace_close(t->dtp);
	} else if (err != 0) {
		worker_say("L", "tracing is not possible", dtrace_errmsg(NULL, err));
	}
	fputs("L{\"t\":\"end\"}\n", stdout);
	fflush(stdout);
	free(t);
	free(text);
	return rv != 0;
}
