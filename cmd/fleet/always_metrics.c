/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What Prometheus gets: the families of each program, as its worker has made them, then those of the agent
 * (doc/FLEET.md lists them). A family's samples stand together, so it is one loop over the programs for each.
 */
#include "always.h"

#include "base.h"
#include "post.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_head(FILE *f, const char *name, const char *type, const char *help)
{
	fprintf(f, "# HELP dtrace_agent_%s %s\n# TYPE dtrace_agent_%s %s\n", name, help, name, type);
}

static void put_count(FILE *f, const char *name, const char *help, uint64_t n)
{
	put_head(f, name, "counter", help);
	fprintf(f, "dtrace_agent_%s_total %llu\n", name, (unsigned long long)n);
}

static void put_gauge(FILE *f, const char *name, const char *help, uint64_t n)
{
	put_head(f, name, "gauge", help);
	fprintf(f, "dtrace_agent_%s %llu\n", name, (unsigned long long)n);
}

/* ---- of programs ---- */

static double running(const struct program *p) { return p->pid != 0 && p->state == PROGRAM_RUNS; }
static double restarts(const struct program *p) { return (double)p->restarts; }
static double records(const struct program *p) { return (double)(p->before.records + p->last.records); }
static double drops(const struct program *p) { return (double)(p->before.drops + p->last.drops); }
static double errors(const struct program *p) { return (double)(p->before.errors + p->last.errors); }
static double spans_left(const struct program *p)
{
	return (double)(p->before.spans_left + p->last.spans_left);
}
static double cpu_share(const struct program *p) { return p->cpu; }
static double memory(const struct program *p) { return (double)p->memory; }
static double cpu_seconds(const struct program *p)
{
	return (double)(p->ticks_before + p->cpu_ticks) / (double)sysconf(_SC_CLK_TCK);
}

static const struct { const char *name, *type, *help; double (*of)(const struct program *); } families[] = {
	{ "program_running", "gauge", "1 while the program runs", running },
	{ "program_restarts", "counter", "Workers that failed and were started again", restarts },
	{ "program_records", "counter", "Firings that recorded something", records },
	{ "program_drops", "counter", "Records and updates that were lost", drops },
	{ "program_errors", "counter", "Errors of probes", errors },
	{ "program_spans_dropped", "counter", "Spans beyond 4096 a second", spans_left },
	{ "program_cpu_seconds", "counter", "CPU time of the worker, without its probes", cpu_seconds },
	{ "program_cpu_share", "gauge", "Share of a CPU, of the worker and its probes", cpu_share },
	{ "program_memory_bytes", "gauge", "Memory of the worker, without buffers of the kernel", memory },
};

/* A name of a file that is refused may have any characters. */
static void put_label(FILE *f, const struct program *p)
{
	for (const char *at = p->name; *at != '\0'; at++) {
		bool plain = (unsigned char)*at >= ' ' && (unsigned char)*at <= '~' && *at != '"' &&
		    *at != '\\';

		putc(plain ? *at : '?', f);
	}
}

static void put_programs(FILE *f, const struct always *w)
{
	for (size_t k = 0; k < COUNT(families); k++) {
		const char *end = strcmp(families[k].type, "counter") == 0 ? "_total" : "";

		put_head(f, families[k].name, families[k].type, families[k].help);
		for (int i = 0; i < w->n; i++) {
			fprintf(f, "dtrace_agent_%s%s{program=\"", families[k].name, end);
			put_label(f, w->program[i]);
			fprintf(f, "\"} %.17g\n", families[k].of(w->program[i]));
		}
	}
	put_head(f, "program_stops", "counter", "How often it was stopped because it was over a budget");
	for (int i = 0; i < w->n; i++)
		for (int b = 0; b < NBUDGETS; b++) {
			fputs("dtrace_agent_program_stops_total{program=\"", f);
			put_label(f, w->program[i]);
			fprintf(f, "\",budget=\"%s\"} %llu\n", budget_names[b],
			    (unsigned long long)w->program[i]->stops[b]);
		}
}

/* ---- of the agent ---- */

static void put_bus(FILE *f, const struct agent *a)
{
	int now = 0;

	for (int i = 0; i < a->nruns; i++)
		now += a->run[i]->pid != 0;
	put_count(f, "asked", "How often this host was looked for by askers", a->counts.asked);
	put_count(f, "runs", "Programs of askers that were begun", a->counts.begun);
	put_count(f, "refused", "What the policy has refused", a->counts.refused);
	put_gauge(f, "runs_now", "Programs of askers that run", (uint64_t)now);
	put_count(f, "bus_losses", "How often the bus was lost", a->bus != NULL ? bus_losses(a->bus) : 0);
	put_count(f, "bus_dropped", "Messages of askers that came too fast",
	    a->bus != NULL ? bus_dropped(a->bus) : 0);
}

static void put_history(FILE *f, struct history *h)
{
	struct queue_counts c = history_count(h);

	put_count(f, "history_stored", "Messages that the bus has stored", c.sent);
	put_count(f, "history_retried", "Messages that were sent again", c.retried);
	put_count(f, "history_dropped", "Messages that were dropped because the queue was full", c.dropped);
	put_gauge(f, "history_waiting", "Messages in the queue", c.waiting);
}

static void put_otlp(FILE *f, struct post *post)
{
	struct queue_counts c = post_count(post);

	put_count(f, "otlp_sent", "Requests that the collector took", c.sent);
	put_count(f, "otlp_retried", "Requests that were sent again", c.retried);
	put_count(f, "otlp_refused", "Requests that the collector refused", c.refused);
	put_count(f, "otlp_dropped", "Requests that were dropped because the queue was full", c.dropped);
	put_gauge(f, "otlp_waiting", "Requests in the queue", c.waiting);
}

char *always_document(const struct agent *a, const struct always *w, size_t *len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, len);

	if (f == NULL)
		return NULL;
	for (int i = 0; i < w->n; i++)
		if (w->program[i]->document != NULL)
			fwrite(w->program[i]->document, 1, w->program[i]->ndocument, f);
	put_programs(f, w);
	put_bus(f, a);
	if (w->outlets.post != NULL)
		put_otlp(f, w->outlets.post);
	if (w->outlets.history != NULL)
		put_history(f, w->outlets.history);
	fputs("# EOF\n", f);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}
