/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was counted in, the tables of lockstat out (lock_args.h). The columns and words are historic:
 * scripts read them.
 */
#include "lock_args.h"

#include "arguments.h"
#include "base.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The number of the profiling interrupt's event, whose tables differ. */
#define PROFILING 56

/* Functions through which everybody comes who wants a lock: none of them is a caller. */
static bool is_lock_function(const char *name)
{
	static const char *const begin[] = { "mutex_", "__mutex_", "ww_mutex_", "__ww_mutex_", "_raw_spin_",
		"_raw_read_", "_raw_write_", "queued_", "native_queued_", "__pv_queued_", "do_raw_", "down_",
		"__down_", "up_read", "up_write", "rwsem_", "rt_mutex_", "__rt_mutex_", "rt_spin_",
		"percpu_down_", "__percpu_down_", "percpu_rwsem_", "osq_lock" };

	for (size_t i = 0; i < COUNT(begin); i++)
		if (strncmp(name, begin[i], strlen(begin[i])) == 0)
			return true;
	return false;
}

/* ---- rows as they are wanted ---- */

/* name+0x10 becomes name and the mark. */
static void cut_offset(char *name, const char *mark)
{
	char *plus = strrchr(name, '+');

	if (plus == NULL)
		return;
	*plus = '\0';
	if (strlen(name) + strlen(mark) < LOCK_NAME)
		strcat(name, mark);
}

/* -f: the caller is inside one of the functions. */
static bool caller_wanted(const struct lock_args *w, const struct lockrow *row)
{
	uint64_t at = row->nframes > 0 ? row->frames[row->from] : 0;
	bool any = w->ncallers == 0;

	for (int i = 0; i < w->ncallers; i++)
		any |= at >= w->callers[i].from && at < w->callers[i].to;
	return any;
}

/* -c, -k and -g leave offsets out, so that rows with the same name are joined later. */
static void name_as_wanted(const struct lock_args *w, struct lockrow *row)
{
	if (row->event == PROFILING) {
		snprintf(row->lock_name, sizeof(row->lock_name), "cpu[%" PRIu64 "]", row->lock);
		if (row->nframes == 0)
			snprintf(row->caller, sizeof(row->caller), "(user mode)");
	}
	if (w->arrays)
		cut_offset(row->lock_name, "[]");
	if (w->functions || w->total)
		cut_offset(row->caller, "");
}

/* Removes the rows of other callers and frees what they own. */
static void keep_wanted(const struct lock_args *w, struct lockrows *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->n; i++) {
		if (!caller_wanted(w, &rows->v[i])) {
			free(rows->v[i].frames);
			free(rows->v[i].parts);
			continue;
		}
		name_as_wanted(w, &rows->v[i]);
		rows->v[n++] = rows->v[i];
	}
	rows->n = n;
}

/* Is the function of this frame also further in? It counts once then. */
static bool seen_before(char (*names)[LOCK_NAME], size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* -g: a row for each function of the stack. False: out of memory. */
static bool add_functions(const struct run *r, const struct lockrow *row, struct lockrows *out)
{
	char (*names)[LOCK_NAME] = calloc(row->nframes + 1, LOCK_NAME);
	struct lockrow *v = realloc(out->v, (out->n + row->nframes + 1) * sizeof(*v));
	size_t n = 0;

	out->v = v != NULL ? v : out->v;
	for (size_t i = row->from; names != NULL && v != NULL && (i < row->nframes || i == 0); i++) {
		if (row->nframes > 0)
			locks_name(r, row->pid, row->frames[i], names[n]);
		else
			snprintf(names[n], LOCK_NAME, "%s", row->caller);
		cut_offset(names[n], "");
		if (seen_before(names, n, names[n]))
			continue;
		v[out->n] = (struct lockrow){ .event = row->event, .lock = row->lock, .count = row->count,
			.time = row->time };
		memcpy(v[out->n].lock_name, row->lock_name, LOCK_NAME);
		memcpy(v[out->n++].caller, names[n++], LOCK_NAME);
	}
	free(names);
	return names != NULL && v != NULL;
}

/*
 * -g: replaces the rows by one for each function. False: out of memory; the rows are then those made so far.
 */
static bool spread_stacks(const struct run *r, struct lockrows *rows)
{
	struct lockrows out = { 0 };
	bool ok = true;

	for (size_t i = 0; i < rows->n && ok; i++)
		ok = add_functions(r, &rows->v[i], &out);
	locks_free(rows);
	*rows = out;
	return ok;
}

/* ---- tables ---- */

/* One event's table. */
struct table {
	const struct lock_args *w;
	const struct run *r;
	const struct lock_event *event;
	uint64_t count, time;		/* of all its rows */
	double seconds;
};

static void put_rule(void)
{
	for (int i = 0; i < 79; i++)
		putchar('-');
	putchar('\n');
}

/* -w and -W merge callers and locks: the hottest one stands for all. */
static void put_header(const struct table *t)
{
	const struct lock_args *w = t->w;

	printf("%5s %4s %4s %4s ", w->rates ? "ops/s" : "Count", w->total ? "genr" : "indv", "cuml", "rcnt");
	if (w->detail >= DETAIL_TIMES && t->event->number != PROFILING)
		printf("%8s ", "nsec");
	printf("%-22s %s\n", t->event->number == PROFILING ? (w->any_lock ? "Hottest CPU" : "CPU") :
	    w->any_lock ? "Hottest Lock" : "Lock", w->any_caller ? "Hottest Caller" : "Caller");
}

/* One row as text, or with -p as fields between tabs. rcnt is always 0: references are not counted here. */
static void put_fields(const struct table *t, const struct lockrow *row, double share, double sum)
{
	uint64_t ns = row->count > 0 ? row->time / row->count : 0;

	if (t->w->parsable) {
		printf("%u\t%s\t%" PRIu64 "\t%.2f\t%.2f\t%" PRIu64 "\t%s\t%s\n", t->event->number,
		    t->event->title, row->count, share, sum, ns, row->lock_name, row->caller);
		return;
	}
	printf("%5.0f %3.0f%% ", t->w->rates ? (double)row->count / t->seconds : (double)row->count, share);
	if (t->w->total)
		printf("%4s ", "-");
	else
		printf("%3.0f%% ", sum);
	printf("%4.2f ", 0.0);
	if (t->w->detail >= DETAIL_TIMES && t->event->number != PROFILING)
		printf("%8" PRIu64 " ", ns);
	printf("%-22s %s\n", row->lock_name, row->caller);
}

/* With -h and -s each row has a header and its distribution. */
static void put_row(const struct table *t, const struct lockrow *row, double share, double sum)
{
	bool parts = t->w->detail >= DETAIL_HISTOGRAM && t->event->number != PROFILING && !t->w->parsable;

	if (parts) {
		put_header(t);
		put_rule();
	}
	put_fields(t, row, share, sum);
	if (parts) {
		printf("\n%10s %-32s %5s %s\n", "nsec", "------ Time Distribution ------", "count",
		    t->w->detail == DETAIL_STACKS ? "Stack" : "");
		locks_distribution(stdout, t->r, row, 30, t->w->detail == DETAIL_STACKS ?
		    (size_t)t->w->depth : 0);
		putchar('\n');
	}
}

static void put_title(const struct table *t)
{
	if (t->w->parsable)
		return;
	printf("\n%s: %" PRIu64 " events in %.3f seconds (%.0f events/sec)\n\n", t->event->title,
	    t->count, t->seconds,
	    (double)t->count / t->seconds);
	if (t->w->detail < DETAIL_HISTOGRAM || t->event->number == PROFILING) {
		put_header(t);
		put_rule();
	}
}

/* With -g an event is in several rows, so shares do not add up. */
static void put_table(struct table *t, const struct lockrows *rows)
{
	double sum = 0;
	long n = 0;

	put_title(t);
	for (size_t i = 0; i < rows->n; i++) {
		const struct lockrow *row = &rows->v[i];
		uint64_t all = t->w->product ? t->time : t->count;
		uint64_t of = t->w->product ? row->time : row->count;
		double share = all > 0 ? 100.0 * (double)of / (double)all : 0;

		if (row->event != t->event->number)
			continue;
		sum = t->w->total ? 0 : sum + share;
		if (t->w->most == 0 || n++ < t->w->most)
			put_row(t, row, share, sum);
	}
	if (!t->w->parsable && t->w->detail < DETAIL_HISTOGRAM)
		put_rule();
}

/* `all` has each event once: shares are of its sums, whatever -g made of `rows`. */
static void put_tables(const struct lock_args *w, const struct run *r, const struct lockrows *rows,
    const struct lockrows *all)
{
	for (int e = 0; e < w->nevents; e++) {
		struct table t = { .w = w, .r = r, .event = w->events[e],
			.seconds = (double)(r->ended - r->began) / 1e9 };

		for (size_t i = 0; i < all->n; i++)
			if (all->v[i].event == t.event->number) {
				t.count += all->v[i].count;
				t.time += all->v[i].time;
			}
		if (t.count > 0)
			put_table(&t, rows);
	}
}

void lock_args_put_nothing(const struct lock_args *w, const struct run *r)
{
	fprintf(stderr, "lockstat: no events in %.3f seconds", (double)(r->ended - r->began) / 1e9);
	if (w->pid != 0)
		fprintf(stderr, " of pid %ld", w->pid);
	if (w->name != NULL)
		fprintf(stderr, " of processes called %s", w->name);
	fputs("; watched:", stderr);
	for (int i = 0; i < w->nevents; i++)
		fprintf(stderr, "%s %s", i > 0 ? "," : "", w->events[i]->title);
	putc('\n', stderr);
}

/*
 * Rows are sorted before they are joined, because the first of those that are joined gives them its name: the
 * hottest. `sums` shares the memory of `rows` and owns only its list.
 */
int lock_args_report(const struct lock_args *w, struct run *r)
{
	struct lockrows rows, sums;
	bool ok = true;

	if (locks_collect(r, is_lock_function, &rows) != 0)
		return 1;
	keep_wanted(w, &rows);
	if (w->time && !w->parsable)
		arguments_put_time(stdout);
	if (rows.n == 0)
		lock_args_put_nothing(w, r);
	/* what all events of a kind come to, before a stack is counted for each of its functions */
	sums = (struct lockrows){ calloc(rows.n + 1, sizeof(*rows.v)), rows.n };
	if (sums.v != NULL && rows.n > 0)
		memcpy(sums.v, rows.v, rows.n * sizeof(*rows.v));
	if (sums.v == NULL || (w->total && !spread_stacks(r, &rows))) {
		fprintf(stderr, "lockstat: out of memory\n");
		free(sums.v);
		return 1;
	}
	/* the first of those that are joined gives them its name: the hottest */
	locks_sort(&rows, w->product);
	if (w->detail != DETAIL_STACKS || w->any_lock || w->any_caller || w->total)
		ok = locks_merge(&rows, !w->any_lock, !w->any_caller);
	locks_sort(&rows, w->product);
	if (ok)
		put_tables(w, r, &rows, &sums);
	else
		fprintf(stderr, "lockstat: out of memory\n");
	free(sums.v);
	locks_free(&rows);
	return !ok;
}
