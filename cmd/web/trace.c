/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The worker that traces: program in, messages out (teller.h). It sleeps until there is something to read,
 * tells records as they come and aggregations once a second; the first time sooner, so that there is
 * a picture.
 */
#include "worker.h"

#include "base.h"
#include "cost.h"
#include "json.h"
#include "signals.h"
#include "teller.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wordexp.h>

#define MS 1000000ull
#define TICK (200 * MS)			/* how long anything may wait before it is told */
#define SECOND (1000 * MS)
#define MOST_RECORDS 1000		/* told each TICK; the page says how many were not */
#define MOST_BYTES (8 << 20)		/* of them: strings may be long */
#define MOST_TEXT 16384			/* bytes of one record's text */
#define CUT "\n... the rest of this record is not shown\n"
#define MOST_ERRORS 20			/* told each second; all are counted */

struct trace {
	struct teller teller;
	FILE *records;			/* those of this tick, or NULL */
	char *recbytes;
	size_t reclen;
	int nrecords;
	uint64_t unshown;		/* records beyond what is told, in this tick */
	char text[MOST_TEXT + sizeof(CUT)];	/* of the firing that is being read */
	bool cut;			/* there was more of it */
	size_t textlen;
	uint64_t errors, drops;		/* so far */
	int told_errors;		/* in this second */
	uint64_t next_snap, next_cost, last_tick;
	struct cost cost;
	size_t notice;			/* bytes of the library's notices that were told */
	struct ps_prochandle *proc;
	bool gone;			/* the process, or whoever listens */
};

/* ---- records ---- */

static int on_text(const dtrace_bufdata_t *b, void *arg)
{
	struct trace *t = arg;
	size_t n = strlen(b->dtbda_buffered), room = MOST_TEXT - t->textlen;

	t->cut |= n > room;
	if (n > room)
		n = room;
	memcpy(t->text + t->textlen, b->dtbda_buffered, n);
	t->textlen += n;
	return DTRACE_HANDLE_OK;
}

static void tell_values(struct trace *t, const dtrace_probedata_t *d)
{
	dtrace_val_t v;

	for (int i = 0; i < 16 && dtrace_probedata_value(d, i, &v) == 0; i++) {
		if (i != 0)
			putc(',', t->records);
		teller_value(&t->teller, t->records, &v);
	}
}

/* 1: an entry, 2: a return; dtpda_flow is kept with -F only. */
static int flow_of(const dtrace_probedesc_t *p)
{
	return strcmp(p->dtpd_name, "entry") == 0 ? 1 : strcmp(p->dtpd_name, "return") == 0 ? 2 : 0;
}

static void tell_record(struct trace *t, const dtrace_probedata_t *d)
{
	dtrace_probedesc_t named = *d->dtpda_pdesc;
	char name[DTRACE_DESC2STR_MAX];
	dtrace_val_t v;

	if (t->nrecords == MOST_RECORDS || (t->records != NULL && ftello(t->records) > MOST_BYTES)) {
		t->unshown++;
		return;
	}
	if (t->records == NULL && (t->records = open_memstream(&t->recbytes, &t->reclen)) == NULL)
		return;
	named.dtpd_id = 0;			/* else it would be its number */
	for (int i = 0; i < 16 && dtrace_probedata_value(d, i, &v) == 0; i++)
		teller_names(&t->teller, &v);
	fprintf(t->records, "%s[%.6f,%d,", t->nrecords++ != 0 ? "," : "",
	    teller_ms(&t->teller, d->dtpda_timestamp), d->dtpda_cpu);
	json_text(t->records, dtrace_desc2str(&named, name, sizeof(name)));
	fprintf(t->records, ",%d,", flow_of(&named));
	if (t->cut)
		t->textlen += (size_t)sprintf(t->text + t->textlen, CUT);
	json_string(t->records, t->text, t->textlen);
	fputs(",[", t->records);
	tell_values(t, d);
	fputs("]]", t->records);
}

/* What printa() shows is told before a clear() follows it: else it would be lost between two walks. */
static int on_record(const dtrace_probedata_t *d, const dtrace_recdesc_t *r, void *arg)
{
	struct trace *t = arg;

	if (r == NULL) {
		tell_record(t, d);
		t->textlen = 0;
		t->cut = false;
		return DTRACE_CONSUME_NEXT;
	}
	if (r->dtrd_action == DTRACEACT_PRINTA && now_ns() + SECOND - SECOND / 10 >= t->next_snap) {
		teller_snap(&t->teller);
		t->next_snap = now_ns() + SECOND;
	}
	return r->dtrd_action == DTRACEACT_EXIT ? DTRACE_CONSUME_NEXT : DTRACE_CONSUME_THIS;
}

static int on_firing(const dtrace_probedata_t *d, void *arg)
{
	struct trace *t = arg;

	(void)d;
	t->textlen = 0;
	t->cut = false;
	return DTRACE_CONSUME_THIS;
}

static void flush_records(struct trace *t)
{
	if (t->records != NULL && fclose(t->records) == 0 && t->recbytes != NULL)
		printf("S{\"t\":\"recs\",\"lost\":%" PRIu64 ",\"r\":[%s]}\n", t->unshown, t->recbytes);
	free(t->recbytes);
	t->records = NULL;
	t->recbytes = NULL;
	t->nrecords = 0;
	t->unshown = 0;
}

/* ---- what went wrong, and what it costs ---- */

static int on_error(const dtrace_errdata_t *e, void *arg)
{
	struct trace *t = arg;

	t->errors++;
	if (t->told_errors++ < MOST_ERRORS) {
		printf("S{\"t\":\"err\",\"n\":%" PRIu64 ",\"msg\":", t->errors);
		json_text(stdout, e->dteda_msg);
		fputs("}\n", stdout);
	}
	return DTRACE_HANDLE_OK;
}

static int on_drop(const dtrace_dropdata_t *d, void *arg)
{
	struct trace *t = arg;

	t->drops += d->dtdda_drops;
	printf("S{\"t\":\"drop\",\"n\":%" PRIu64 ",\"msg\":", t->drops);
	json_text(stdout, d->dtdda_msg);
	fputs("}\n", stdout);
	return DTRACE_HANDLE_OK;
}

static void tell_notice(struct trace *t)
{
	const char *all = dtrace_notice(t->teller.dtp);

	if (strlen(all) <= t->notice)
		return;
	fputs("D{\"t\":\"notice\",\"msg\":", stdout);
	json_text(stdout, all + t->notice);
	fputs("}\n", stdout);
	t->notice = strlen(all);
}

static void tell_cost(struct trace *t)
{
	struct cost_shown c = cost_take(&t->cost);

	printf("S{\"t\":\"cost\",\"cpu\":%.4f,\"probes\":%.4f,\"runs\":%.0f,\"rss\":%ld,\"errors\":%" PRIu64
	    ",\"drops\":%" PRIu64 "}\n", c.cpu, c.probes, c.runs, c.rss_kb, t->errors, t->drops);
	t->told_errors = 0;
}

/* ---- the trace ---- */

static void on_process(struct ps_prochandle *p, const char *msg, void *arg)
{
	(void)p;
	if (msg == NULL)
		((struct trace *)arg)->gone = true;
}

static int begin_process(struct trace *t, const struct wish *w)
{
	wordexp_t words;

	if (w->pid != NULL)
		t->proc = dtrace_proc_grab(t->teller.dtp, (pid_t)strtol(w->pid, NULL, 10), 0);
	else if (w->command == NULL)
		return 0;
	else if (wordexp(w->command, &words, WRDE_NOCMD) == 0) {
		t->proc = words.we_wordc == 0 ? NULL :
		    dtrace_proc_create(t->teller.dtp, words.we_wordv[0], words.we_wordv);
		wordfree(&words);
	}
	return t->proc != NULL ? 0 : -1;
}

static void begin(struct trace *t, const char *text)
{
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	t->teller.began = now_ns();
	printf("D{\"t\":\"start\",\"wall\":%lld.%03ld,\"program\":", (long long)wall.tv_sec,
	    wall.tv_nsec / 1000000);
	json_text(stdout, text);
	fputs("}\n", stdout);
	fflush(stdout);
}

static int enable(struct trace *t, const struct wish *w, const char *text)
{
	dtrace_hdl_t *dtp = t->teller.dtp;
	dtrace_prog_t *prog;

	if (begin_process(t, w) != 0) {
		worker_error(dtp, "L", "the process cannot be traced");
		return -1;
	}
	if ((prog = worker_compile(w, dtp, text, "L")) == NULL)
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
	tell_notice(t);
	fflush(stdout);
	return 0;
}

/* The first walks come soon: whoever waits for a picture sees one. */
static void tick(struct trace *t)
{
	uint64_t now = now_ns();

	if (now >= t->next_snap) {
		(void)dtrace_aggregate_snap(t->teller.dtp);
		teller_snap(&t->teller);
		t->next_snap = now - t->teller.began < SECOND ? now + 250 * MS : now + SECOND;
	}
	if (now >= t->next_cost) {
		tell_cost(t);
		t->next_cost = now + SECOND;
	}
	flush_records(t);
	tell_notice(t);
	fflush(stdout);
}

/* The server has the other end of stdout: it is gone if that is. */
static void wait_for_work(struct trace *t)
{
	struct pollfd fd[] = { { .fd = dtrace_ctlfd(t->teller.dtp), .events = POLLIN },
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
		    (t->proc != NULL && dtrace_proc_gone(t->teller.dtp, t->proc, NULL)))) {
			if (dtrace_stop(t->teller.dtp) != 0)
				return -1;
			stopped = true;
		}
		status = dtrace_work(t->teller.dtp, NULL, on_firing, on_record, t);
		tick(t);
	}
	t->next_snap = t->next_cost = 0;
	tick(t);
	return status == DTRACE_WORKSTATUS_ERROR ? -1 : 0;
}

int worker_trace(const struct wish *w)
{
	struct trace *t = calloc(1, sizeof(*t));
	char *text = worker_input();
	int err = 0, rv = -1;

	if (t == NULL || text == NULL)
		return 1;
	t->teller.out = stdout;
	signals_catch();
	begin(t, text);
	t->teller.dtp = worker_open(w, 0, &err);
	if (t->teller.dtp != NULL) {
		signals_for(t->teller.dtp);
		rv = enable(t, w, text);
		signals_begun();
		cost_begin(&t->cost);
		if (rv == 0 && (rv = follow(t)) != 0)
			worker_error(t->teller.dtp, "L", "the trace has failed");
		signals_for(NULL);
		dtrace_close(t->teller.dtp);
	} else if (err != 0) {
		fputs("L{\"t\":\"fail\",\"what\":\"tracing is not possible\",\"excerpt\":\"\","
		    "\"msg\":", stdout);
		json_text(stdout, dtrace_errmsg(NULL, err));
		fputs("}\n", stdout);
	}
	fputs("L{\"t\":\"end\"}\n", stdout);
	fflush(stdout);
	teller_free(&t->teller);
	free(t);
	free(text);
	return rv != 0;
}
