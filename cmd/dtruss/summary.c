/* SPDX-License-Identifier: BSD-2-Clause */
/* -c: how often each call was made, how often it failed, and how long it took in all, as a table. */
#include "truss_trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct line_of {
	char name[32];
	uint64_t calls, errors, ns;
};

struct table {
	struct line_of *v;
	size_t n;
	bool failed;
};

static struct line_of *line_for(struct table *t, const char *name, size_t len)
{
	struct line_of *v;

	for (size_t i = 0; i < t->n; i++)
		if (strlen(t->v[i].name) == len && memcmp(t->v[i].name, name, len) == 0)
			return &t->v[i];
	v = realloc(t->v, (t->n + 1) * sizeof(*v));
	if (v == NULL) {
		t->failed = true;
		return NULL;
	}
	t->v = v;
	v += t->n++;
	*v = (struct line_of){ .calls = 0 };
	snprintf(v->name, sizeof(v->name), "%.*s", (int)len, name);
	return v;
}

static int take(const dtrace_aggdata_t *a, void *arg)
{
	struct table *t = arg;
	const char *what = a->dtada_desc->dtagd_name;
	dtrace_val_t key, value;
	struct line_of *l;

	if (dtrace_aggdata_key(a, 0, &key) != 0 || dtrace_aggdata_value(a, &value) != 0)
		return DTRACE_AGGWALK_NEXT;
	l = line_for(t, key.dtv_bytes, key.dtv_len);
	if (l == NULL)
		return DTRACE_AGGWALK_ABORT;
	*(strcmp(what, "calls") == 0 ? &l->calls : strcmp(what, "errors") == 0 ? &l->errors : &l->ns) =
	    (uint64_t)value.dtv_int;
	return DTRACE_AGGWALK_NEXT;
}

static int by_time(const void *x, const void *y)
{
	const struct line_of *a = x, *b = y;

	return a->ns != b->ns ? (a->ns < b->ns ? 1 : -1) : strcmp(a->name, b->name);
}

static void put_line(FILE *out, const struct line_of *l, uint64_t all, uint64_t per_call, const char *name)
{
	fprintf(out, "%6.2f %11.6f %11" PRIu64 " %9" PRIu64 " ", all > 0 ? 100.0 * (double)l->ns / (double)all
	    : 0.0,
	    (double)l->ns / 1e9, per_call, l->calls);
	if (l->errors > 0)
		fprintf(out, "%9" PRIu64, l->errors);
	else
		fprintf(out, "%9s", "");
	fprintf(out, " %s\n", name);
}

/* The layout is strace's; times are of the wall, as with its -w. */
int summary_print(struct run *r, FILE *out, bool command)
{
	static const char rule[] = "------ ----------- ----------- --------- --------- ----------------\n";
	struct table t = { .n = 0 };
	struct line_of total = { .calls = 0 }, *exec = command ? line_for(&t, "execve", 6) : NULL;

	(void)dtrace_aggregate_walk(r->dtp, take, &t);
	if (t.failed) {
		fprintf(stderr, "dtruss: out of memory\n");
		free(t.v);
		return 1;
	}
	exec = exec != NULL ? line_for(&t, "execve", 6) : NULL;
	if (exec != NULL)		/* the one that made the command what it is */
		exec->calls++;
	qsort(t.v, t.n, sizeof(*t.v), by_time);
	for (size_t i = 0; i < t.n; i++) {
		total.calls += t.v[i].calls;
		total.errors += t.v[i].errors;
		total.ns += t.v[i].ns;
	}
	fprintf(out, "%6s %11s %11s %9s %9s %s\n%s", "% time", "seconds", "usecs/call", "calls", "errors",
	    "syscall", rule);
	for (size_t i = 0; i < t.n; i++)
		put_line(out, &t.v[i], total.ns, t.v[i].ns / 1000 / (t.v[i].calls > 0 ? t.v[i].calls : 1),
		    t.v[i].name);
	fputs(rule, out);
	put_line(out, &total, total.ns, total.calls > 0 ? total.ns / 1000 / total.calls : 0, "total");
	free(t.v);
	return 0;
}
