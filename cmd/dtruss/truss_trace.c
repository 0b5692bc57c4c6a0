/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records in, lines out (truss_trace.h). What a firing means is known by its enabling: which call, and
 * whether it has returned, waits, or was cut short by a fault of ours. Records come in the order of time.
 */
#include "truss_trace.h"

#include "files.h"
#include "line.h"
#include "threads.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct trace;
typedef void event_f(struct trace *, const dtrace_probedata_t *, const struct row *);

/* By the number of the enabling. */
struct slot {
	event_f *event;
	const struct row *row;
};

struct trace {
	const struct args *args;
	struct calls *calls;
	struct run *run;
	struct lines lines;
	struct threads threads;
	struct slot *slots;
	size_t nslots;
	const struct row **by_probe;	/* the row of a probe's number */
	size_t nprobes;
	char **command;			/* the arguments of -c; NULL: dtruss started no command */
	pid_t pid;			/* its process */
};

/* Record n of a firing, of 4 or 8 bytes. */
static int64_t number(const dtrace_probedata_t *d, int n)
{
	const dtrace_recdesc_t *r = &d->dtpda_edesc->dtepd_rec[n];
	int64_t v;
	int32_t w;

	if (r->dtrd_size == sizeof(v))
		return memcpy(&v, d->dtpda_data + r->dtrd_offset, sizeof(v)), v;
	return memcpy(&w, d->dtpda_data + r->dtrd_offset, sizeof(w)), w;
}

static struct thread *thread_of(struct trace *t, pid_t pid, pid_t tid)
{
	struct thread *th = threads_get(&t->threads, pid, tid);

	t->lines.threads = t->threads.n;
	return th;
}

/* ---- stacks ---- */

static void put_stack(struct trace *t, const dtrace_probedata_t *d, pid_t pid)
{
	dtrace_val_t v;
	int n = d->dtpda_edesc->dtepd_nrecs;

	if (!t->args->stacks || dtrace_probedata_value(d, n - 1, &v) != 0 || v.dtv_kind != DTRACE_VAL_STACK)
		return;
	for (size_t i = 0; i < v.dtv_nframes; i++) {
		char name[512];

		dtrace_uaddr2str(t->run->dtp, pid, v.dtv_frames[i], name, sizeof(name));
		fprintf(t->lines.out, " > %s [%#llx]\n", name, (unsigned long long)v.dtv_frames[i]);
	}
}

/* ---- calls ---- */

static struct call call_from(struct trace *t, const dtrace_probedata_t *d, const struct row *row)
{
	struct call c = { .row = row, .pid = (pid_t)number(d, REC_PID), .tid = (pid_t)number(d, REC_TID),
	    .begin = (uint64_t)number(d, REC_BEGIN), .end = d->dtpda_timestamp, .dtp = t->run->dtp,
	    .limit = (size_t)t->args->limit, .names = t->args->names };

	for (int i = 0; i < CALL_ARGS; i++)
		c.a[i] = (uint64_t)number(d, REC_ARGS + i);
	return c;
}

static void flush_signals(struct trace *t, struct thread *th, uint64_t time)
{
	for (size_t i = 0; i < th->nsignals; i++) {
		line_begin(&t->lines, th->tid, time);
		text_put(&t->lines.text, "--- ");
		put_signal(&t->lines.text, th->signals[i].signo);
		text_char(&t->lines.text, ' ');
		put_siginfo(&t->lines.text, &th->signals[i]);
		text_put(&t->lines.text, " ---");
		line_end(&t->lines);
	}
	th->nsignals = 0;
}

/* Goes on where the line of the thread has stopped, or begins one. Returns the first argument to be put. */
static unsigned resume(struct trace *t, struct thread *th, const struct call *c)
{
	unsigned from = 0;

	if (th->inside && t->lines.open == th->tid) {
		from = th->done;
	} else {
		line_begin(&t->lines, c->tid, th->inside ? c->end : c->begin);
		if (th->inside)
			text_format(&t->lines.text, "<... %s resumed>", c->row->name);
		else
			text_format(&t->lines.text, "%s(", c->row->name);
		from = th->inside ? th->done : 0;
	}
	th->inside = false;
	return from;
}

static bool makes_pair(const struct row *r)
{
	return strncmp(r->name, "pipe", 4) == 0 || strcmp(r->name, "socketpair") == 0;
}

/* Names of new descriptors are in the result, those of a pair in the arguments. */
static void show_call(struct trace *t, struct thread *th, struct call *c, bool unknown)
{
	unsigned from;

	c->files = th->files;
	if (!c->row->wanted) {
		files_after(th->files, c);
		return;
	}
	if (makes_pair(c->row))
		files_after(th->files, c);
	from = resume(t, th, c);
	if (c->blind)
		text_put(&t->lines.text, " <begun before> ");
	else
		line_args(&t->lines, c, from);
	if (!makes_pair(c->row))
		files_after(th->files, c);
	line_result(&t->lines, c, unknown);
}

static void on_return(struct trace *t, const dtrace_probedata_t *d, const struct row *row)
{
	struct call c = call_from(t, d, row);
	struct thread *th = thread_of(t, c.pid, c.tid);

	if (th == NULL)
		return;
	c.ret = number(d, REC_RET);
	c.data = d->dtpda_data;
	c.recs = d->dtpda_edesc->dtepd_rec + REC_COMMON;
	show_call(t, th, &c, false);
	if (row->wanted)
		put_stack(t, d, c.pid);
	flush_signals(t, th, c.end);
}

/* A call that does not return: the record was made at its entry. */
static void on_last(struct trace *t, const dtrace_probedata_t *d, const struct row *row)
{
	bool exits = strncmp(row->name, "exit", 4) == 0;
	struct call c = call_from(t, d, row);
	struct thread *th = thread_of(t, c.pid, c.tid);

	if (th == NULL)
		return;
	c.data = d->dtpda_data;
	c.recs = d->dtpda_edesc->dtepd_rec + REC_COMMON;
	c.ret = exits ? 0 : call_number(&c, 0, 1);
	show_call(t, th, &c, exits);
	if (row->wanted)
		put_stack(t, d, c.pid);
}

static const struct row *row_of_probe(struct trace *t, int64_t id)
{
	dtrace_probedesc_t d;
	size_t n = (size_t)id + 1;

	if (id <= 0 || id > 1 << 20)
		return NULL;
	if ((size_t)id >= t->nprobes) {
		const struct row **v = realloc(t->by_probe, n * sizeof(*v));

		if (v == NULL)
			return NULL;
		memset(v + t->nprobes, 0, (n - t->nprobes) * sizeof(*v));
		t->by_probe = v;
		t->nprobes = n;
	}
	if (t->by_probe[id] == NULL && dtrace_id2desc(t->run->dtp, (dtrace_id_t)id, &d) == 0)
		t->by_probe[id] = calls_find(t->calls, d.dtpd_func);
	return t->by_probe[id];
}

/* The thread waits inside a call. */
static void on_sleep(struct trace *t, const dtrace_probedata_t *d, const struct row *none)
{
	const struct row *row = row_of_probe(t, number(d, REC_RET));
	struct call c;
	struct thread *th;

	(void)none;
	if (row == NULL || !row->wanted)
		return;
	c = call_from(t, d, row);
	th = thread_of(t, c.pid, c.tid);
	if (th == NULL)
		return;
	c.inside = true;
	c.files = th->files;
	line_begin(&t->lines, c.tid, c.begin);
	text_format(&t->lines.text, "%s(", row->name);
	th->done = line_args(&t->lines, &c, 0);
	th->inside = true;
	line_pause(&t->lines, c.tid);
}

/* A fault of the clause: the call is shown without what its arguments point to. */
static void on_fault(struct trace *t, const dtrace_probedata_t *d, const struct row *none)
{
	const struct row *row = row_of_probe(t, number(d, REC_RET + 1));
	struct call c;
	struct thread *th;

	(void)none;
	if (row == NULL)
		return;
	c = call_from(t, d, row);
	th = thread_of(t, c.pid, c.tid);
	if (th == NULL)
		return;
	c.ret = number(d, REC_RET);
	show_call(t, th, &c, false);
	if (row->wanted)
		put_stack(t, d, c.pid);
	flush_signals(t, th, c.end);
}

/* ---- processes and signals ---- */

static void on_fork(struct trace *t, const dtrace_probedata_t *d, const struct row *none)
{
	struct thread *parent = thread_of(t, (pid_t)number(d, 0), (pid_t)number(d, 1));

	(void)none;
	threads_fork(&t->threads, parent, (pid_t)number(d, 2), (pid_t)number(d, 3), number(d, 4) != 0);
	t->lines.threads = t->threads.n;
}

static void put_end(struct text *t, int status)
{
	if (WIFSIGNALED(status)) {
		text_put(t, "+++ killed by ");
		put_signal(t, WTERMSIG(status));
		text_put(t, WCOREDUMP(status) ? " (core dumped) +++" : " +++");
	} else {
		text_format(t, "+++ exited with %d +++", WEXITSTATUS(status));
	}
}

/* A call that the thread was in never returns. */
static void on_exit_thread(struct trace *t, const dtrace_probedata_t *d, const struct row *none)
{
	const struct row *row = row_of_probe(t, number(d, REC_RET));
	pid_t pid = (pid_t)number(d, REC_PID), tid = (pid_t)number(d, REC_TID);
	struct thread *th = thread_of(t, pid, tid);

	(void)none;
	if (th == NULL)
		return;
	if (row != NULL && row->wanted) {
		struct call c = call_from(t, d, row);

		c.inside = true;
		c.files = th->files;
		(void)line_args(&t->lines, &c, resume(t, th, &c));
		text_put(&t->lines.text, " <unfinished ...>");
		line_result(&t->lines, &c, true);
	}
	flush_signals(t, th, d->dtpda_timestamp);
	if (!t->args->quiet) {
		line_begin(&t->lines, tid, d->dtpda_timestamp);
		put_end(&t->lines.text, (int)number(d, REC_RET + 1));
		line_end(&t->lines);
	}
	threads_remove(&t->threads, th);
	t->lines.threads = t->threads.n;
}

/* A thread that waits has it after the call: that is when it would see it. */
static void on_signal(struct trace *t, const dtrace_probedata_t *d, const struct row *none)
{
	struct thread *th = threads_find(&t->threads, (pid_t)number(d, 1));
	struct siginfo_facts f = { .signo = (int)number(d, 2), .whole = number(d, 3) != 0, .code =
	    (int)number(d, 4),
	    .pid = number(d, 5), .uid = number(d, 6), .status = number(d, 7), .addr = (uint64_t)number(d, 8),
	    .utime = number(d, 9), .stime = number(d, 10) };

	(void)none;
	if (th == NULL || th->nsignals == COUNT(th->signals))
		return;
	th->signals[th->nsignals++] = f;
	if (!th->inside)
		flush_signals(t, th, d->dtpda_timestamp);
}

/* ---- what a firing is ---- */

static void on_nothing(struct trace *t, const dtrace_probedata_t *d, const struct row *none)
{
	(void)t;
	(void)d;
	(void)none;
}

static struct slot slot_of(struct trace *t, const dtrace_probedesc_t *p)
{
	static const struct {
		char name[24];
		event_f *event;
	} others[] = {
		{ "sleep", on_sleep }, { "ERROR", on_fault }, { "sched_process_fork", on_fork },
		{ "sched_process_exit", on_exit_thread }, { "signal_deliver", on_signal },
		{ "signal_generate", on_signal },
	};

	if (strcmp(p->dtpd_provider, "syscall") == 0)
		return (struct slot){ strcmp(p->dtpd_name, "entry") == 0 ? on_last : on_return,
		    calls_find(t->calls, p->dtpd_func) };
	for (size_t i = 0; i < COUNT(others); i++)
		if (strcmp(p->dtpd_name, others[i].name) == 0)
			return (struct slot){ others[i].event, NULL };
	return (struct slot){ on_nothing, NULL };
}

int trace_firing(const dtrace_probedata_t *d, void *arg)
{
	struct trace *t = arg;
	size_t epid = d->dtpda_edesc->dtepd_epid;

	if (epid >= t->nslots) {
		struct slot *v = realloc(t->slots, (epid + 256) * sizeof(*v));

		if (v == NULL)
			return DTRACE_CONSUME_ABORT;
		memset(v + t->nslots, 0, (epid + 256 - t->nslots) * sizeof(*v));
		t->slots = v;
		t->nslots = epid + 256;
	}
	if (t->slots[epid].event == NULL)
		t->slots[epid] = slot_of(t, d->dtpda_pdesc);
	t->slots[epid].event(t, d, t->slots[epid].row);
	return DTRACE_CONSUME_NEXT;
}

void trace_round(void *arg)
{
	struct trace *t = arg;

	fflush(t->lines.out);
}

/* ---- beginning and end ---- */

struct trace *trace_new(const struct args *args, struct calls *calls, struct run *r, FILE *out)
{
	struct trace *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->args = args;
	t->calls = calls;
	t->run = r;
	lines_init(&t->lines, args, out);
	return t;
}

void trace_first(struct trace *t, pid_t pid) { (void)thread_of(t, pid, pid); }

/* As the command was looked for: the first file of that name in PATH that can be run. */
static void put_found(struct text *t, const char *name)
{
	const char *path = getenv("PATH");
	char file[4096];

	while (strchr(name, '/') == NULL && path != NULL && *path != '\0') {
		size_t n = strcspn(path, ":");

		snprintf(file, sizeof(file), "%.*s/%s", (int)n, path, name);
		if (n > 0 && access(file, X_OK) == 0) {
			text_string(t, file, strlen(file), false);
			return;
		}
		path += n + (path[n] == ':');
	}
	text_string(t, name, strlen(name), false);
}

static void put_command(struct trace *t, pid_t pid, char **argv)
{
	const struct row *row = calls_find(t->calls, "execve");
	struct call c = { .row = row, .tid = pid, .limit = (size_t)t->args->limit, .begin = now_ns() };
	size_t n = 0;

	if (row == NULL || !row->wanted)
		return;
	c.end = c.begin;
	line_begin(&t->lines, pid, c.begin);
	text_put(&t->lines.text, "execve(");
	put_found(&t->lines.text, argv[0]);
	text_put(&t->lines.text, ", [");
	for (size_t i = 0; argv[i] != NULL; i++) {
		text_put(&t->lines.text, i > 0 ? ", " : "");
		put_limited(&t->lines.text, &c, argv[i], strlen(argv[i]), strlen(argv[i]));
	}
	while (environ != NULL && environ[n] != NULL)
		n++;
	text_format(&t->lines.text, "], %p /* %zu var%s */", (void *)environ, n, n == 1 ? "" : "s");
	line_result(&t->lines, &c, false);
}

void trace_command(struct trace *t, pid_t pid, char **argv)
{
	t->pid = pid;
	t->command = argv;
}

void trace_begun(void *arg)
{
	struct trace *t = arg;

	if (t->command != NULL)
		put_command(t, t->pid, t->command);
}

void trace_ended(struct trace *t, int status)
{
	if (!t->args->inside || t->args->quiet || t->command == NULL)
		return;
	line_begin(&t->lines, t->pid, now_ns());
	put_end(&t->lines.text, status);
	line_end(&t->lines);
}

void trace_free(struct trace *t)
{
	if (t == NULL)
		return;
	if (t->lines.open != 0) {
		text_put(&t->lines.text, " <detached ...>");
		line_end(&t->lines);
	}
	fflush(t->lines.out);
	threads_free(&t->threads);
	text_free(&t->lines.text);
	free(t->slots);
	free(t->by_probe);
	free(t);
}
