/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations of lock events in, rows with names out (locks.h). Names are made here, when tracing has ended:
 * rows that differ only by an address may then have one name, and locks_merge() joins them.
 */
#include "locks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* For the callback of the joined walk. */
struct collecting {
	struct run *r;
	struct lockrows *rows;
	bool failed;			/* out of memory */
};

/* One bucket of the row's distribution; they come in ascending order. -1: out of memory. */
static int add_part(const dtrace_bucket_t *b, void *arg)
{
	struct lockrow *row = arg;
	struct lockpart *v = realloc(row->parts, (row->nparts + 1) * sizeof(*v));

	if (v == NULL)
		return -1;
	row->parts = v;
	v[row->nparts++] = (struct lockpart){ b->dtbk_has_low ? b->dtbk_low : 0, (uint64_t)b->dtbk_count };
	return 0;
}

/* A row of zeros after the others; NULL: out of memory. Rows move when the list grows. */
static struct lockrow *new_row(struct lockrows *rows)
{
	struct lockrow *v = realloc(rows->v, (rows->n + 1) * sizeof(*v));

	if (v == NULL)
		return NULL;
	rows->v = v;
	v[rows->n] = (struct lockrow){ 0 };
	return &v[rows->n++];
}

/* The walk's memory is valid only during the call, so the stack is copied. */
static bool copy_frames(struct lockrow *row, const dtrace_val_t *stack)
{
	row->pid = stack->dtv_pid;
	row->frames = calloc(stack->dtv_nframes + 1, sizeof(*row->frames));
	if (row->frames == NULL)
		return false;
	row->nframes = stack->dtv_nframes;
	if (row->nframes > 0)
		memcpy(row->frames, stack->dtv_frames, row->nframes * sizeof(*row->frames));
	return true;
}

/*
 * a[0] has the keys [event, lock, stack]; then come @count, @time if there is one, and @hist if there is one.
 */
static int on_joined(const dtrace_aggdata_t **a, const int n, void *arg)
{
	struct collecting *c = arg;
	struct lockrow *row = new_row(c->rows);
	dtrace_val_t event, lock, stack, value;

	if (row == NULL || dtrace_aggdata_key(a[0], 0, &event) != 0 || dtrace_aggdata_key(a[0], 1,
	    &lock) != 0 ||
	    dtrace_aggdata_key(a[0], 2, &stack) != 0 || !copy_frames(row, &stack)) {
		c->failed = true;
		return DTRACE_AGGWALK_ABORT;
	}
	row->event = (uint32_t)event.dtv_int;
	row->lock = (uint64_t)lock.dtv_int;
	for (int i = 1; i < n; i++) {
		if (dtrace_aggdata_value(a[i], &value) != 0)
			continue;
		if (value.dtv_kind == DTRACE_VAL_BUCKETS)
			c->failed |= dtrace_aggdata_buckets(a[i], add_part, row) != 0;
		else if (i == 1)
			row->count = (uint64_t)value.dtv_int;
		else
			row->time = (uint64_t)value.dtv_int;
	}
	return DTRACE_AGGWALK_NEXT;
}

/* The kernel's own module name is left out: nearly all locks are there. */
void locks_name(const struct run *r, pid_t pid, uint64_t addr, char out[LOCK_NAME])
{
	static const char kernel[] = "vmlinux`";

	if (pid != 0)
		(void)dtrace_uaddr2str(r->dtp, pid, addr, out, LOCK_NAME);
	else
		(void)dtrace_addr2str(r->dtp, addr, out, LOCK_NAME);
	if (strncmp(out, kernel, sizeof(kernel) - 1) == 0)
		memmove(out, out + sizeof(kernel) - 1, strlen(out + sizeof(kernel) - 1) + 1);
}

/* The caller is the first frame that is not one of the lock functions. If all are, it is the innermost. */
static void name_row(const struct run *r, struct lockrow *row, lock_function_f *is_lock)
{
	pid_t pid = row->pid;

	locks_name(r, pid, row->lock, row->lock_name);
	for (row->from = 0; row->from < row->nframes; row->from++) {
		locks_name(r, pid, row->frames[row->from], row->caller);
		if (!is_lock(row->caller))
			return;
	}
	row->from = 0;			/* nothing but such functions: the innermost is the caller */
	if (row->nframes > 0)
		locks_name(r, pid, row->frames[0], row->caller);
	else
		snprintf(row->caller, sizeof(row->caller), "%s", "-");
}

/*
 * An aggregation into which nothing was counted does not exist for the library: it is left out of the walk,
 * and without any there are no rows.
 */
int locks_collect(struct run *r, lock_function_f *is_lock, struct lockrows *rows)
{
	static const char *const names[] = { "count", "time", "hist" };
	struct collecting c = { .r = r, .rows = rows };
	dtrace_aggvarid_t ids[3];
	int n = 0;

	*rows = (struct lockrows){ 0 };
	for (int i = 0; i < 3; i++) {
		ids[n] = run_aggregation(r, names[i]);
		n += ids[n] != 0;
	}
	if (n == 0)
		return 0;
	if (dtrace_aggregate_walk_joined(r->dtp, ids, n, on_joined, &c) != 0 && !c.failed)
		return run_failed(r, "failed to read aggregations");
	if (c.failed) {
		fprintf(stderr, "%s: out of memory\n", r->name);
		return 1;
	}
	for (size_t i = 0; i < rows->n; i++)
		name_row(r, &rows->v[i], is_lock);
	return 0;
}

/* ---- joining and sorting ---- */

static void free_row(struct lockrow *row)
{
	free(row->frames);
	free(row->parts);
}

/* Adds a distribution to another; both are in ascending order. False: out of memory. */
static bool add_parts(struct lockrow *to, const struct lockrow *from)
{
	for (size_t i = 0; i < from->nparts; i++) {
		size_t k = 0;
		struct lockpart *v;

		while (k < to->nparts && to->parts[k].low < from->parts[i].low)
			k++;
		if (k < to->nparts && to->parts[k].low == from->parts[i].low) {
			to->parts[k].count += from->parts[i].count;
			continue;
		}
		v = realloc(to->parts, (to->nparts + 1) * sizeof(*v));
		if (v == NULL)
			return false;
		to->parts = v;
		memmove(&v[k + 1], &v[k], (to->nparts++ - k) * sizeof(*v));
		v[k] = from->parts[i];
	}
	return true;
}

/* Rows of one event that are one row of the report. */
static bool is_same_row(const struct lockrow *a, const struct lockrow *b, bool lock, bool caller)
{
	return a->event == b->event && (!lock || strcmp(a->lock_name, b->lock_name) == 0) &&
	    (!caller || strcmp(a->caller, b->caller) == 0);
}

/*
 * The first of the rows that are joined keeps its addresses and its stack, and gets the counts of the others.
 */
bool locks_merge(struct lockrows *rows, bool lock, bool caller)
{
	bool ok = true;
	size_t n = 0;

	for (size_t i = 0; i < rows->n; i++) {
		size_t k = 0;

		while (k < n && !is_same_row(&rows->v[k], &rows->v[i], lock, caller))
			k++;
		if (k == n) {
			rows->v[n++] = rows->v[i];
			continue;
		}
		rows->v[k].count += rows->v[i].count;
		rows->v[k].time += rows->v[i].time;
		ok &= add_parts(&rows->v[k], &rows->v[i]);
		free_row(&rows->v[i]);
	}
	rows->n = n;
	return ok;
}

/*
 * Rows of one event stay together; equal ones are in the order of their names, so that reports can be
 * compared.
 */
static int order_rows(const struct lockrow *a, const struct lockrow *b, uint64_t na, uint64_t nb)
{
	int c;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (na != nb)
		return na > nb ? -1 : 1;
	c = strcmp(a->lock_name, b->lock_name);
	return c != 0 ? c : strcmp(a->caller, b->caller);
}

static int by_count(const void *x, const void *y)
{
	const struct lockrow *a = x, *b = y;

	return order_rows(a, b, a->count, b->count);
}

static int by_time(const void *x, const void *y)
{
	const struct lockrow *a = x, *b = y;

	return order_rows(a, b, a->time, b->time);
}

void locks_sort(struct lockrows *rows, bool product)
{
	if (rows->n > 0)
		qsort(rows->v, rows->n, sizeof(*rows->v), product ? by_time : by_count);
}

/* ---- distributions ---- */

/* Bars are shares of all events of the row. */
void locks_distribution(FILE *f, const struct run *r, const struct lockrow *row, int width, size_t depth)
{
	size_t frames = row->nframes - row->from < depth ? row->nframes - row->from : depth;

	for (size_t i = 0; i < row->nparts || i < frames; i++) {
		char name[LOCK_NAME] = "";

		if (i < frames)
			locks_name(r, row->pid, row->frames[row->from + i], name);
		if (i < row->nparts) {
			const struct lockpart *p = &row->parts[i];
			int bar = row->count > 0 ? (int)(p->count * (uint64_t)width / row->count) : 0;

			fprintf(f, "%10" PRId64 " |", p->low);
			for (int k = 0; k < width; k++)
				fputc(k < bar ? '@' : ' ', f);
			fprintf(f, "| %5" PRIu64 " %s\n", p->count, name);
		} else {
			fprintf(f, "%*s %s\n", 10 + 2 + width + 2 + 5, "", name);
		}
	}
}

void locks_free(struct lockrows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		free_row(&rows->v[i]);
	free(rows->v);
	*rows = (struct lockrows){ 0 };
}
