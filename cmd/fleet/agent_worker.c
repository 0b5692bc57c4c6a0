/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The worker of an agent: a request in (standard input), the recording of a trace out (STREAM_FD,
 * doc/RECORDING.md), beside it what there is to say: "live" when the probes are enabled, then messages. It
 * dies with the agent. What the policy forbids is refused here, where the text is compiled.
 */
#include "worker.h"

#include "base.h"
#include "signals.h"

#include <dtrace.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

int worker_fail(const char *why, const char *what, const char *text)
{
	printf("fail %s\n%s%s%s\n", why, what, text[0] != '\0' ? ": " : "", text);
	fflush(stdout);
	return 1;
}

int worker_fail_library(struct work *w, const char *why, const char *what)
{
	printf("fail %s\n%s: %s\n%s", why, what, dtrace_errmsg(w->dtp, dtrace_errno(w->dtp)),
	    dtrace_errexcerpt(w->dtp));
	fflush(stdout);
	return 1;
}

/* ---- the request ---- */

static char *read_all(size_t *len)
{
	FILE *f = fdopen(0, "r");
	char *bytes = malloc(MESSAGE_MAX + MESSAGE_HEAD);

	*len = f != NULL && bytes != NULL ? fread(bytes, 1, MESSAGE_MAX + MESSAGE_HEAD, f) : 0;
	return bytes;
}

/* `program TYPE LENGTH` and `operand LENGTH`, in order; the texts follow each other in the body. */
static bool read_texts(struct work *w)
{
	const char *at = w->m.body;
	size_t left = w->m.len;

	w->operand[w->noperands++] = "dtrace";
	for (int i = 0; i < w->m.n; i++) {
		bool program = strcmp(w->m.v[i].word, "program") == 0;
		const char *value = w->m.v[i].value, *blank = strchr(value, ' ');
		size_t n;

		if (!program && strcmp(w->m.v[i].word, "operand") != 0)
			continue;
		n = strtoul(program && blank != NULL ? blank + 1 : value, NULL, 10);
		if (n > left || memchr(at, '\0', n) != NULL || w->nprograms == PROGRAMS_MAX ||
		    w->noperands == OPERANDS_MAX)
			return false;
		if (program) {
			w->type[w->nprograms] = value;
			w->text[w->nprograms++] = strndup(at, n);
		} else {
			w->operand[w->noperands++] = strndup(at, n);
		}
		at += n;
		left -= n;
	}
	return w->nprograms > 0;
}

/* ---- the trace ---- */

static int no_text(const dtrace_bufdata_t *b, void *arg) { (void)b, (void)arg; return DTRACE_HANDLE_OK; }
static int no_error(const dtrace_errdata_t *e, void *arg) { (void)e, (void)arg; return DTRACE_HANDLE_OK; }
static int no_drop(const dtrace_dropdata_t *d, void *arg) { (void)d, (void)arg; return DTRACE_HANDLE_OK; }
static int on_firing(const dtrace_probedata_t *d, void *arg)
{
	(void)d;
	always_worker_record(((struct work *)arg)->always);
	return DTRACE_CONSUME_THIS;
}

static int on_record(const dtrace_probedata_t *d, const dtrace_recdesc_t *r, void *arg)
{
	(void)d, (void)arg;
	return r == NULL || r->dtrd_action == DTRACEACT_EXIT ? DTRACE_CONSUME_NEXT : DTRACE_CONSUME_THIS;
}

/* A recording, or documents of a program of the agent's own. */
static int choose_output(struct work *w)
{
	if (message_get(&w->m, "always")[0] == '\0')
		return dtrace_record_fd(w->dtp, STREAM_FD, 0);
	w->always = always_worker_open(w->dtp, &w->m);
	return w->always != NULL ? 0 : -1;
}

static int set_handlers(struct work *w)
{
	if (dtrace_handle_buffered(w->dtp, no_text, NULL) != 0)
		return -1;
	if (w->always != NULL)
		return always_worker_begin(w->always);
	return dtrace_handle_err(w->dtp, no_error, NULL) != 0 ||
	    dtrace_handle_drop(w->dtp, no_drop, NULL) != 0 ? -1 : 0;
}

static int enable(struct work *w)
{
	(void)fcntl(STREAM_FD, F_SETFD, FD_CLOEXEC);
	if (choose_output(w) != 0)
		return worker_fail_library(w, "failed", "the trace cannot be recorded");
	if (worker_compile_all(w) != 0)
		return 1;
	if (set_handlers(w) != 0 || dtrace_go(w->dtp) != 0)
		return worker_fail_library(w, dtrace_errno(w->dtp) == EDT_DESTRUCTIVE ? "refused" : "failed",
		    "could not enable tracing");
	if (w->always != NULL && always_worker_live(w->always) != 0)
		return worker_fail_library(w, "failed", "the history cannot be recorded");
	signals_begun();
	puts("live");
	if (dtrace_notice(w->dtp)[0] != '\0')
		printf("%s\n", dtrace_notice(w->dtp));
	fflush(stdout);
	return 0;
}

static void wait_for_work(struct work *w)
{
	struct pollfd fd = { .fd = dtrace_ctlfd(w->dtp), .events = POLLIN };

	(void)poll(&fd, 1, 100);
}

static int follow(struct work *w)
{
	dtrace_workstatus_t status = DTRACE_WORKSTATUS_OKAY;
	bool stopped = false;

	while (status == DTRACE_WORKSTATUS_OKAY) {
		if (!stopped && !signals_interrupted())
			wait_for_work(w);
		if (!stopped && signals_interrupted()) {
			if (dtrace_stop(w->dtp) != 0)
				return worker_fail_library(w, "failed", "the trace cannot be stopped");
			stopped = true;
		}
		status = dtrace_work(w->dtp, NULL, on_firing, on_record, w);
		if (w->always != NULL && always_worker_report(w->always, false) != 0)
			return 1;
	}
	if (status == DTRACE_WORKSTATUS_ERROR || dtrace_aggregate_print(w->dtp, NULL, NULL) != 0)
		return worker_fail_library(w, "failed", "the trace has failed");
	return w->always != NULL ? always_worker_report(w->always, true) != 0 : 0;
}

/* ---- a list of probes ---- */

static int put_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *p, void *arg)
{
	const struct work *w = arg;
	const char *list = message_get(&w->m, "providers");

	(void)dtp;
	if (list[0] == '\0' || worker_allowed(list, p->dtpd_provider))
		dprintf(
		    STREAM_FD, "%s\t%s\t%s\t%s\n", p->dtpd_provider, p->dtpd_mod, p->dtpd_func, p->dtpd_name);
	return 0;
}

static int list(struct work *w)
{
	dtrace_probedesc_t d;

	puts("live");
	fflush(stdout);
	for (int i = 0; i < w->nprograms; i++)
		if (dtrace_str2desc(w->dtp, atoi(w->type[i]), w->text[i], &d) != 0)
			return worker_fail_library(w, "compile", w->text[i]);
		else
			(void)dtrace_probe_iter(w->dtp, &d, put_probe, w);
	return 0;
}

/* ---- the process ---- */

/* The name of the settings holds in this process alone. */
static void take_name(const struct work *w)
{
	const char *name = message_get(&w->m, "name");
	char now[256] = "";

	if (gethostname(now, sizeof(now) - 1) == 0 && strcmp(now, name) != 0 && unshare(CLONE_NEWUTS) == 0)
		(void)sethostname(name, strlen(name));
}

static int run(struct work *w)
{
	int err = 0, status;

	signals_catch();
	if ((w->dtp = dtrace_open(DTRACE_VERSION, 0, &err)) == NULL)
		return worker_fail("failed", "tracing is not possible", dtrace_errmsg(NULL, err));
	signals_for(w->dtp);
	status = worker_set_options(w);
	if (status == 0 && strcmp(message_get(&w->m, "mode"), "list") == 0) {
		status = list(w);
	} else if (status == 0 && (status = enable(w)) == 0) {
		status = follow(w);
	}
	signals_for(NULL);
	dtrace_close(w->dtp);
	return status;
}

bool worker_begin(struct message *m)
{
	size_t len;
	char *bytes;
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "dtraced");
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	bytes = read_all(&len);
	return getppid() != 1 && bytes != NULL && message_read(m, bytes, len);
}

int worker_main(void)
{
	struct work *w = calloc(1, sizeof(*w));

	if (w == NULL || !worker_begin(&w->m) || !read_texts(w))
		return worker_fail("failed", "the request cannot be read", "");
	take_name(w);
	worker_limit_memory(w);
	return run(w);
}
