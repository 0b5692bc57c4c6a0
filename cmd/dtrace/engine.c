/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compiled programs in, the command's exit status out: enable, go, work until exit(), a signal or the end of the
 * target, then what is left is printed.
 */
#include "engine.h"

#include "lib/options.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct run {
	dtrace_hdl_t *dtp;
	const struct args *a;
	FILE *out;
	bool quiet, flowindent, header;
	bool json;			/* the library writes the lines */
	dtrace_probedesc_t listed;	/* by -l, last */
};

/* Written by signal handlers only. */
static volatile sig_atomic_t interrupted, since;	/* since: milliseconds, at the first signal */

/*
 * The second one ends at once; the kernel side goes with the process. timeout(1) signals its child and then its whole
 * group: two signals within a millisecond are one wish to stop, and what was counted is still to be printed.
 */
static void on_signal(int sig)
{
	struct timespec now;
	sig_atomic_t ms;

	(void)sig;
	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (sig_atomic_t)(now.tv_sec % 1000000 * 1000 + now.tv_nsec / 1000000);
	if (interrupted && (ms < since || ms > since + 300))
		_exit(1);
	if (!interrupted)
		since = ms;
	interrupted = 1;
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };
	struct sigaction old;

	sigemptyset(&sa.sa_mask);
	for (const int *s = (const int[]){ SIGINT, SIGTERM, SIGHUP, 0 }; *s != 0; s++)
		if (sigaction(*s, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(*s, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);	/* a closed pipe is an error to report */
}

static bool option_on(dtrace_hdl_t *dtp, const char *name)
{
	dtrace_optval_t v;

	return dtrace_getopt(dtp, name, &v) == 0 && v != DTRACEOPT_UNSET;
}

static void read_options(struct run *r)
{
	dtrace_optval_t format;

	r->json = dtrace_getopt(r->dtp, "oformat", &format) == 0 && format == DT_OFORMAT_JSON;
	r->quiet = option_on(r->dtp, "quiet");
	r->flowindent = option_on(r->dtp, "flowindent");
}

static void put_header(struct run *r)
{
	if (r->header)
		return;
	r->header = true;
	if (r->flowindent)
		fprintf(r->out, "%s%3s %-41s\n", r->a->time_column ? "            TIME " : "", "CPU", "FUNCTION");
	else if (!r->quiet)
		fprintf(r->out, "%s%3s %6s %32s\n", r->a->time_column ? "            TIME " : "", "CPU", "ID", "FUNCTION:NAME");
}

static void put_time(struct run *r, const dtrace_probedata_t *d)
{
	if (r->a->time_column)
		fprintf(r->out, "%6llu.%09llu ", (unsigned long long)(d->dtpda_timestamp / 1000000000u),
		    (unsigned long long)(d->dtpda_timestamp % 1000000000u));
}

static int on_probe(const dtrace_probedata_t *d, void *arg)
{
	const dtrace_probedesc_t *p = d->dtpda_pdesc;
	struct run *r = arg;
	char name[DTRACE_FUNCNAMELEN + DTRACE_NAMELEN + 160];

	if (r->json)
		return DTRACE_CONSUME_THIS;
	put_header(r);
	if (r->flowindent) {
		if (d->dtpda_flow == DTRACEFLOW_NONE)
			snprintf(name, sizeof(name), "%*s%s%s:%s", d->dtpda_indent, "", d->dtpda_prefix, p->dtpd_func, p->dtpd_name);
		else
			snprintf(name, sizeof(name), "%*s%s%s", d->dtpda_indent, "", d->dtpda_prefix, p->dtpd_func);
		put_time(r, d);
		fprintf(r->out, "%3d %-41s ", d->dtpda_cpu, name);
	} else if (!r->quiet) {
		snprintf(name, sizeof(name), "%s:%s", p->dtpd_func, p->dtpd_name);
		put_time(r, d);
		fprintf(r->out, "%3d %6u %32s ", d->dtpda_cpu, p->dtpd_id, name);
	} else {
		put_time(r, d);
	}
	return DTRACE_CONSUME_THIS;
}

/* Called once after the records of a firing. */
static int on_end(const dtrace_probedata_t *d, const dtrace_recdesc_t *rec, void *arg)
{
	struct run *r = arg;

	(void)d;
	if (!r->json && rec == NULL && (!r->quiet || r->flowindent))
		putc('\n', r->out);
	return DTRACE_CONSUME_NEXT;
}

static int on_error(const dtrace_errdata_t *d, void *arg)
{
	if (!((struct run *)arg)->json)
		fprintf(stderr, "dtrace: %s", d->dteda_msg);
	return DTRACE_HANDLE_OK;
}

static int on_drop(const dtrace_dropdata_t *d, void *arg)
{
	if (!((struct run *)arg)->json)
		fprintf(stderr, "dtrace: %s", d->dtdda_msg);
	return DTRACE_HANDLE_OK;
}

static int on_setopt(const dtrace_setoptdata_t *d, void *arg)
{
	(void)d;
	read_options(arg);
	return DTRACE_HANDLE_OK;
}

/* ---- enabling ---- */

/* Up to the predicate, the body or the end: what people call the description. */
static void put_matched(const struct program *p, unsigned n)
{
	if (p->file)
		fprintf(stderr, "dtrace: script '%s' matched %u probe%s\n", p->text, n, n == 1 ? "" : "s");
	else
		fprintf(stderr, "dtrace: description '%.*s' matched %u probe%s\n", (int)strcspn(p->text, "{/;"), p->text, n,
		    n == 1 ? "" : "s");
}

static int enable(struct run *r, dtrace_prog_t *const *programs)
{
	unsigned total = 0;

	for (int i = 0; i < r->a->nprograms; i++) {
		const struct program *p = &r->a->programs[i];
		dtrace_proginfo_t info;

		if (dtrace_program_exec(r->dtp, programs[i], &info) != 0) {
			const char *why = dtrace_errmsg(r->dtp, dtrace_errno(r->dtp));

			if (p->file)
				fprintf(stderr, "dtrace: failed to compile script %s: %s\n", p->text, why);
			else
				fprintf(stderr, "dtrace: invalid probe specifier %s: %s\n", p->text, why);
			return 1;
		}
		total += info.dpi_matches;
		if (!r->quiet)
			put_matched(p, info.dpi_matches);
	}
	if (total == 0) {
		fprintf(stderr, "dtrace: no probes matched\n");
		return 1;
	}
	return 0;
}

static int failed(struct run *r, const char *what)
{
	fprintf(stderr, "dtrace: %s: %s\n", what, dtrace_errmsg(r->dtp, dtrace_errno(r->dtp)));
	return 1;
}

/* ---- the loop ---- */

static int loop(struct run *r)
{
	bool done = false;

	while (!done) {
		if (!interrupted)
			dtrace_sleep(r->dtp);
		if (interrupted) {
			done = true;
			if (!r->json)
				putc('\n', r->out);
			if (dtrace_stop(r->dtp) != 0)
				return failed(r, "couldn't stop tracing");
		}
		switch (dtrace_work(r->dtp, r->out, on_probe, on_end, r)) {
		case DTRACE_WORKSTATUS_DONE:
			done = true;
			break;
		case DTRACE_WORKSTATUS_OKAY:
			break;
		default:
			return failed(r, "processing aborted");
		}
	}
	return 0;
}

static int trace(struct run *r, dtrace_prog_t *const *programs)
{
	int status;

	read_options(r);
	if (enable(r, programs) != 0)
		return 1;
	dtrace_handle_err(r->dtp, on_error, r);
	dtrace_handle_drop(r->dtp, on_drop, r);
	dtrace_handle_setopt(r->dtp, on_setopt, r);
	catch_signals();
	if (dtrace_go(r->dtp) != 0)
		return failed(r, "could not enable tracing");
	if (option_on(r->dtp, "destructive") && !r->quiet)
		fprintf(stderr, "dtrace: allowing destructive actions\n");
	read_options(r);
	status = loop(r);
	if (status != 0)
		return status;
	if (!r->json)
		putc('\n', r->out);
	if (dtrace_aggregate_print(r->dtp, r->out, NULL) != 0)
		return failed(r, "failed to print aggregations");
	return dtrace_exitstatus(r->dtp);
}

/* ---- -l ---- */

static int put_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *d, void *arg)
{
	struct run *r = arg;

	(void)dtp;
	fprintf(r->out, "%5u %10s %17s %33s %s\n", d->dtpd_id, d->dtpd_provider, d->dtpd_mod, d->dtpd_func, d->dtpd_name);
	return 0;
}

static int list_statement(dtrace_hdl_t *dtp, dtrace_prog_t *prog, dtrace_stmtdesc_t *s, void *arg)
{
	const dtrace_probedesc_t *d = &s->dtsd_ecbdesc->dted_probe;
	struct run *r = arg;
	char text[DTRACE_DESC2STR_MAX];

	(void)prog;
	if (memcmp(d, &r->listed, sizeof(*d)) == 0)
		return 0;	/* another statement of the same clause */
	r->listed = *d;
	if (dtrace_probe_iter(dtp, d, put_probe, r) != 0)
		fprintf(stderr, "dtrace: failed to match %s: %s\n", dtrace_desc2str(d, text, sizeof(text)),
		    dtrace_errmsg(dtp, dtrace_errno(dtp)));
	return 0;
}

static int list(struct run *r, dtrace_prog_t *const *programs)
{
	fprintf(r->out, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
	if (r->a->nprograms == 0 && dtrace_probe_iter(r->dtp, NULL, put_probe, r) != 0)
		return failed(r, "failed to list probes");
	for (int i = 0; i < r->a->nprograms; i++)
		(void)dtrace_stmt_iter(r->dtp, programs[i], list_statement, r);
	return 0;
}

/* ---- what is asked for ---- */

static int refuse(const struct args *a)
{
	const char *what = a->mode == MODE_ANON ? "anonymous tracing (-A)" : a->mode == MODE_LINK ? "linking probes (-G)" :
	    "writing probe headers (-h)";

	fprintf(stderr, "dtrace: %s is not available in this version\n", what);
	return 1;
}

int engine_run(dtrace_hdl_t *dtp, const struct args *a, dtrace_prog_t *const *programs)
{
	struct run r = { .dtp = dtp, .a = a, .out = stdout };
	int status;

	if (a->mode != MODE_TRACE && a->mode != MODE_LIST)
		return refuse(a);
	if (a->nvictims > 0 && a->mode == MODE_TRACE && a->victims[0].command) {
		fprintf(stderr, "dtrace: running a command (-c) is not available in this version\n");
		return 1;
	}
	if (a->output != NULL && (r.out = fopen(a->output, "ae")) == NULL) {
		fprintf(stderr, "dtrace: failed to open %s: %s\n", a->output, strerror(errno));
		return 1;
	}
	status = a->mode == MODE_LIST ? list(&r, programs) : trace(&r, programs);
	if (r.out != stdout && fclose(r.out) != 0) {
		fprintf(stderr, "dtrace: failed to write %s: %s\n", a->output, strerror(errno));
		status = status != 0 ? status : 1;
	}
	return status;
}
