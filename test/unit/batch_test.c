/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Formatting by several threads: jobs come back in order; random firings of random clauses are written, byte
 * for byte, as the sink writes them one by one; errors of the file are reported as then. Make it with
 * -fsanitize=thread to look for data races.
 */
#include "base/crew.h"
#include "dif/action.h"
#include "handle/handle.h"
#include "sink/batch.h"

#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static uint64_t seed = 88172645463325252u;

static uint64_t any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

/* ---- the crew ---- */

struct job { unsigned number, cost, result; };

static void square(void *arg)
{
	struct job *j = arg;

	for (volatile unsigned i = 0; i < j->cost; i++)
		;
	j->result = j->number * j->number;
}

static void check_crew(unsigned threads, unsigned room)
{
	enum { JOBS = 2000 };
	static struct job jobs[JOBS];
	struct dt_crew *c = dt_crew_new(threads, room, square);
	unsigned given = 0, taken = 0, wrong = 0;

	if (!CHECK(c != NULL))
		return;
	CHECK(dt_crew_take(c) == NULL && dt_crew_threads(c) == 0);
	while (taken < JOBS) {
		if (given < JOBS && !dt_crew_full(c) && (any() % 4 != 0 || given == taken)) {
			jobs[given] = (struct job){ given, (unsigned)(any() % 3000), 0 };
			dt_crew_give(c, &jobs[given]);
			given++;
			continue;
		}
		wrong += dt_crew_take(c) != &jobs[taken] || jobs[taken].result != taken * taken;
		taken++;
	}
	CHECK_INT(wrong, 0);
	CHECK(!dt_crew_pending(c) && dt_crew_threads(c) <= threads);
	for (unsigned i = 0; i < room; i++)
		dt_crew_give(c, &jobs[i]);
	CHECK(dt_crew_full(c));
	dt_crew_free(c);		/* with jobs that were not taken */
}

/* ---- clauses ---- */

static const char program[] =
    "BEGIN { printf(\"%s %d %d\\n\", execname, pid, tid); }\n"
    "BEGIN { trace(pid); trace(execname); trace(timestamp); }\n"
    "BEGIN { }\n"
    "BEGIN { if (pid & 1) { printf(\"odd %x|%-9d|\", pid, tid); } else { trace(probename); } }\n"
    "BEGIN { if (pid & 1) { printf(\"seldom\\n\"); } }\n"
    "BEGIN { x = pid; @a[execname] = count(); }\n"
    "BEGIN { printf(\"%*d,%S\\\"%c%%%llu\\n\", 3, pid, execname, 'x', timestamp); "
    "printf(\"no arguments\\n\"); }\n"
    "BEGIN { printf(\"%Y %o %i %5.3s|%'d\\n\", walltimestamp, pid, tid, execname, pid); }\n";

enum { CLAUSES = 8, WIDTH = 6, FIRINGS = 30000 };	/* WIDTH: the clause whose first record is a width */

static struct dt_recfield fields[CLAUSES][DT_BATCH_ACTS];
static struct dt_reclayout layouts[CLAUSES];
static struct dt_batch_clause clauses[CLAUSES];
static dtrace_eprobedesc_t edescs[CLAUSES];
static dtrace_probedesc_t pdescs[CLAUSES];

/* Fields as the kernel would lay them out: numbers by their size, strings of a few bytes. */
static void lay_out(unsigned i, const struct dt_ecb *e)
{
	uint32_t at = 0;

	for (uint32_t k = 0; k < e->nacts; k++) {
		const struct dt_act *a = &e->acts[k];
		uint32_t size = a->kind == DT_ACT_SKIPZ ? 1 : a->difo == NULL ? 0 :
		    a->difo->rtype.kind == DT_DT_STRING ? 24 : (uint32_t)a->difo->rtype.size;

		fields[i][k] = (struct dt_recfield){ at, DT_ACT_IS_AGG(a->kind) ? 0 : size };
		at += (size + 7) & ~7u;
	}
	layouts[i] = (struct dt_reclayout){ .size = at, .probe_id = 100 + i, .field = fields[i] };
	edescs[i].dtepd_epid = i + 1;
	pdescs[i] = (dtrace_probedesc_t){ .dtpd_id = 100 + i, .dtpd_provider = "test", .dtpd_mod = "a,b",
		.dtpd_func = "f", .dtpd_name = "entry" };
	clauses[i] = (struct dt_batch_clause){ e, &layouts[i], &edescs[i], &pdescs[i], false };
}

/* ---- both ways ---- */

struct firing { unsigned clause; uint32_t cpu; uint64_t time; uint64_t data[40]; };
static struct firing firings[FIRINGS];

/* Strings end with a NUL or not, and may hold anything; a condition is 0 or not. */
static void make_firings(void)
{
	for (unsigned i = 0; i < FIRINGS; i++) {
		struct firing *f = &firings[i];
		const struct dt_ecb *e;

		f->clause = (unsigned)(any() % CLAUSES);
		f->cpu = (uint32_t)(any() % 16);
		f->time = 1000 + i;
		for (unsigned k = 0; k < sizeof(f->data) / 8; k++)
			f->data[k] = any() % 3 == 0 ? any() : any() % 100000;
		if (f->clause == WIDTH)
			f->data[0] = any() % 30;
		e = clauses[f->clause].ecb;
		for (uint32_t k = 0; k < e->nacts; k++) {
			char *at = (char *)f->data + fields[f->clause][k].off;

			if (e->acts[k].kind == DT_ACT_SKIPZ)
				*at = (char)(any() % 2);
			else if (fields[f->clause][k].size == 24 && any() % 8 != 0)
				snprintf(at, 24, "na\"me,%u", (unsigned)(any() % 1000));
		}
	}
}

struct world {
	struct dt_arena *arena;
	struct dt_prog *prog;
	struct dt_print_opts opts;
	struct dt_out out;
	struct dt_statements statements;
	struct dt_sink_caller caller;
	struct dt_sink *sink;
};

static void open_world(struct world *w, struct dt_prog *prog, unsigned format, FILE *f, bool quiet)
{
	struct dt_sink_clause told[CLAUSES];
	const struct dt_prog *progs[] = { prog };
	struct dt_sink_start start = { .pid = 1, .nprograms = 1, .programs = progs, .clauses = told,
		.nclauses = CLAUSES };
	uint32_t probe = 100;

	memset(w, 0, sizeof(*w));
	w->arena = dt_arena_new();
	w->opts = dt_print_defaults;
	w->opts.quiet = quiet;
	w->caller = (struct dt_sink_caller){ .all = true };
	dt_out_init(&w->out, f, &w->opts);
	dt_statements_init(&w->statements, w->arena, &w->out, &(struct dt_statement_ops){ .ctx = NULL });
	w->sink = dt_sink_open(format, &(struct dt_sink_env){ .arena = w->arena, .out = &w->out,
		.statements = &w->statements, .caller = &w->caller });
	for (unsigned i = 0; i < CLAUSES; i++) {
		told[i] = (struct dt_sink_clause){ .ecb = &prog->ecbs[i], .description = "BEGIN",
			.epid = i + 1, .probes = &probe, .nprobes = 1 };
		CHECK(dt_statements_alone(&w->statements, &prog->ecbs[i]));
	}
	/* the first line of JSON has the time, which is another each time */
	if (format != DT_OFORMAT_json && w->sink->type->start != NULL)
		w->sink->type->start(w->sink, &start);
}

static void close_world(struct world *w)
{
	dt_sink_close(w->sink);
	dt_out_free(&w->out);
	dt_arena_free(w->arena);
}

static unsigned before(char *text, size_t size, const struct firing *f, bool lines)
{
	return lines ? (unsigned)snprintf(text, size, "%3u %6u ", f->cpu, f->clause) : 0;
}

static void show_alone(struct world *w, const struct firing *f, bool lines)
{
	const struct dt_batch_clause *c = &clauses[f->clause];
	struct dt_rec recs[DT_BATCH_ACTS];
	dtrace_probedata_t d = { .dtpda_edesc = c->edesc, .dtpda_pdesc = c->pdesc, .dtpda_cpu = (int)f->cpu,
		.dtpda_timestamp = f->time, .dtpda_flow = DTRACEFLOW_NONE, .dtpda_prefix = "| " };
	struct dt_sink_event told = { .data = &d, .ecb = c->ecb, .recs = recs,
		.n = dt_batch_records(c, (const uint8_t *)f->data, recs) };
	char text[64];

	if (told.n == 0 && !dt_ecb_is_default(c->ecb))
		return;
	dt_out_put(&w->out, text, before(text, sizeof(text), f, lines));
	CHECK_INT(w->sink->type->event(w->sink, &told), 0);
	dt_out_str(&w->out, lines ? "\n" : "");
	dt_out_flush(&w->out);
}

static bool add(struct dt_batches *b, const struct firing *f, bool lines)
{
	char text[64];
	struct dt_batch_firing a = { .clause = &clauses[f->clause], .data = (const uint8_t *)f->data,
		.time = f->time, .cpu = f->cpu, .before = text,
		.nbefore = before(text, sizeof(text), f, lines),
		.end = lines ? "\n" : NULL };

	return dt_batches_add(b, &a);
}

/* threads -1: one by one. Some firings are shown in their place, as those that have to be. */
static char *write_all(struct dt_prog *prog, unsigned format, int threads, bool lines, size_t *len)
{
	struct world w;
	char *text = NULL;
	FILE *f = open_memstream(&text, len);
	struct dt_batches *b;

	open_world(&w, prog, format, f, !lines);
	b = threads >= 0 ? dt_batches_new(w.sink, NULL, (unsigned)threads) : NULL;
	for (unsigned i = 0; i < FIRINGS; i++) {
		bool alone = b == NULL || firings[i].time % 7001 == 0 || !dt_sink_clonable(w.sink);

		if (alone && b != NULL)
			CHECK_INT(dt_batches_settle(b), 0);
		if (alone || !add(b, &firings[i], lines))
			show_alone(&w, &firings[i], lines);
	}
	if (b != NULL) {
		CHECK_INT(dt_batches_settle(b), 0);
		CHECK(!dt_batches_any(b));
		CHECK(dt_batches_threads(b) <= (unsigned)threads);
		CHECK(threads == 0 || dt_batches_threads(b) > 0);
	}
	dt_batches_free(b);
	CHECK(!w.out.failed);
	close_world(&w);
	fclose(f);
	return text;
}

static void check_equal_ways(struct dt_prog *prog, unsigned format, bool lines)
{
	size_t len, gotlen;
	char *want = write_all(prog, format, -1, lines, &len);

	CHECK(len > 10 * (size_t)FIRINGS);
	for (int threads = 0; threads <= 3; threads++) {
		char *got = write_all(prog, format, threads, lines, &gotlen);

		CHECK(gotlen == len && memcmp(got, want, len) == 0);
		free(got);
	}
	free(want);
}

/* ---- what cannot be done in parallel ---- */

/* Text that is longer than is kept in memory comes out all the same. */
static void check_long_text(struct dt_prog *prog)
{
	enum { MANY = 600, WIDE = 20000 };
	struct world w;
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	struct dt_batches *b;
	struct firing one = firings[0];

	one.clause = WIDTH;
	one.data[0] = WIDE;
	open_world(&w, prog, DT_OFORMAT_text, f, true);
	b = dt_batches_new(w.sink, NULL, 2);
	for (unsigned i = 0; i < MANY; i++)
		CHECK(add(b, &one, false));
	CHECK_INT(dt_batches_settle(b), 0);
	dt_batches_free(b);
	close_world(&w);
	fclose(f);
	CHECK(len > (size_t)MANY * WIDE && strstr(text, "no arguments") != NULL);
	free(text);
}

static void check_full_disk(struct dt_prog *prog)
{
	struct world w;
	FILE *f = fopen("/dev/full", "w");
	struct dt_batches *b;

	open_world(&w, prog, DT_OFORMAT_text, f, true);
	b = dt_batches_new(w.sink, NULL, 2);
	for (unsigned i = 0; i < FIRINGS; i++)
		CHECK(add(b, &firings[i], false));
	CHECK_INT(dt_batches_settle(b), 0);
	CHECK(w.out.failed);
	CHECK_INT(w.out.err, ENOSPC);
	for (unsigned i = 0; i < 5000; i++)
		CHECK(add(b, &firings[i], false));
	dt_batches_free(b);		/* with firings that were not written */
	close_world(&w);
	fclose(f);
}

static void check_too_large(void)
{
	struct dt_reclayout huge = { .size = 1 << 20, .field = fields[0] };
	struct dt_batch_clause c = clauses[0];

	CHECK(dt_batches_fits(&c, 100));
	CHECK(!dt_batches_fits(&c, 1 << 20));
	c.layout = &huge;
	CHECK(!dt_batches_fits(&c, 0));
}

/* Names are looked up and things are done in order. */
static void check_not_alone(dtrace_hdl_t *h)
{
	static const char *const texts[] = { "BEGIN { printf(\"%a\", 1); }", "BEGIN { stack(); }",
		"BEGIN { printf(\"%P\", (uint16_t)1); }", "BEGIN { exit(0); }", "BEGIN { ustack(); }",
		"BEGIN { system(\"x\"); }", "BEGIN { @b = count(); printa(@b); }", "BEGIN { sym(1); }",
		"BEGIN { printf(\"%k\", stack()); }", "BEGIN { setopt(\"quiet\"); }", "BEGIN { print(1); }",
		"BEGIN { freopen(\"x\"); }", "BEGIN { trace(1); @b = count(); clear(@b); }" };
	struct dt_arena *arena = dt_arena_new();
	struct dt_statements st;
	struct dt_out out;

	dt_out_init(&out, NULL, NULL);
	dt_statements_init(&st, arena, &out, &(struct dt_statement_ops){ .ctx = NULL });
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		dtrace_prog_t *p = dtrace_program_strcompile(h, texts[i], DTRACE_PROBESPEC_NAME, 0, 0, NULL);

		if (p == NULL)
			CHECK_STR(texts[i], dtrace_errmsg(h, dtrace_errno(h)));
		else if (dt_statements_alone(&st, &dt_handle_prog(p)->ecbs[0]))
			CHECK_STR(texts[i], "is not alone");
	}
	dt_arena_free(arena);
}

int main(void)
{
	int err;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);
	dtrace_prog_t *p = h == NULL ? NULL :
	    dtrace_program_strcompile(h, program, DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	struct dt_prog *prog;

	for (unsigned threads = 0; threads <= 4; threads++)
		check_crew(threads, 2 * threads + 1);
	if (!CHECK(p != NULL))
		return check_report("batch");
	prog = dt_handle_prog(p);
	CHECK_INT(prog->necbs, CLAUSES);
	for (unsigned i = 0; i < CLAUSES; i++)
		lay_out(i, &prog->ecbs[i]);
	make_firings();
	check_equal_ways(prog, DT_OFORMAT_text, false);
	check_equal_ways(prog, DT_OFORMAT_text, true);
	check_equal_ways(prog, DT_OFORMAT_json, false);
	check_equal_ways(prog, DT_OFORMAT_csv, false);
	check_long_text(prog);
	check_full_disk(prog);
	check_too_large();
	check_not_alone(h);
	dtrace_close(h);
	return check_report("batch");
}
