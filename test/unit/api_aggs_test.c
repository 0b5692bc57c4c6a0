/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations through the public header, with real traces: every order and joined, what callbacks say, the
 * data of each aggregating function, several handles in threads (R 5, R 7 1: "no aggregation walk").
 */
#include "api_trace.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- elements ---- */

static const dtrace_recdesc_t *value_rec(const dtrace_aggdata_t *a)
{
	return &a->dtada_desc->dtagd_rec[a->dtada_desc->dtagd_nrecs - 1];
}

static int64_t value(const dtrace_aggdata_t *a)
{
	int64_t v;

	memcpy(&v, a->dtada_data + value_rec(a)->dtrd_offset, sizeof(v));
	return v;
}

static const char *key(const dtrace_aggdata_t *a)
{
	return a->dtada_data + a->dtada_desc->dtagd_rec[1].dtrd_offset;
}

/* "a:x=1 " for each element, in the order of the walk. */
struct list { char text[1024]; int says, times; };

static int list_element(const dtrace_aggdata_t *a, void *arg)
{
	struct list *l = arg;
	size_t n = strlen(l->text);

	snprintf(l->text + n, sizeof(l->text) - n, "%s:%s=%lld ", a->dtada_desc->dtagd_name, key(a),
	    (long long)value(a));
	l->times++;
	return l->says;
}

static const char orders_program[] =
    "BEGIN { @b[\"x\"] = sum(3); @b[\"y\"] = sum(1); @a[\"z\"] = sum(2); @a[\"x\"] = sum(4); }";

static void test_orders(void)
{
	static const struct { const char *name; dtrace_aggregate_walk_f *walk; const char *want; } orders[] =
	    {
		{ "sorted", dtrace_aggregate_walk_sorted, "b:y=1 b:x=3 a:z=2 a:x=4 " },
		{ "key", dtrace_aggregate_walk_keysorted, "b:x=3 b:y=1 a:x=4 a:z=2 " },
		{ "val", dtrace_aggregate_walk_valsorted, "b:y=1 b:x=3 a:z=2 a:x=4 " },
		{ "keyvar", dtrace_aggregate_walk_keyvarsorted, "b:x=3 a:x=4 b:y=1 a:z=2 " },
		{ "valvar", dtrace_aggregate_walk_valvarsorted, "b:y=1 a:z=2 b:x=3 a:x=4 " },
		{ "keyrev", dtrace_aggregate_walk_keyrevsorted, "a:z=2 a:x=4 b:y=1 b:x=3 " },
		{ "valrev", dtrace_aggregate_walk_valrevsorted, "a:x=4 a:z=2 b:x=3 b:y=1 " },
		{ "keyvarrev", dtrace_aggregate_walk_keyvarrevsorted, "a:z=2 b:y=1 a:x=4 b:x=3 " },
		{ "valvarrev", dtrace_aggregate_walk_valvarrevsorted, "a:x=4 b:x=3 a:z=2 b:y=1 " },
	};
	dtrace_hdl_t *h = traced(orders_program);
	struct list all = { .says = DTRACE_AGGWALK_NEXT };

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		struct list l = { .says = DTRACE_AGGWALK_NEXT };

		CHECK_INT(orders[i].walk(h, list_element, &l), 0);
		if (!CHECK_STR(l.text, orders[i].want))
			fprintf(stderr, "in the order %s\n", orders[i].name);
	}
	CHECK_INT(dtrace_aggregate_walk(h, list_element, &all), 0);
	CHECK_INT(all.times, 4);
	dtrace_close(h);
}

static void test_options(void)
{
	dtrace_hdl_t *h = traced(orders_program);
	struct list l = { .says = DTRACE_AGGWALK_NEXT };

	CHECK_INT(dtrace_setopt(h, "aggsortrev", NULL), 0);
	CHECK_INT(dtrace_aggregate_walk_sorted(h, list_element, &l), 0);
	CHECK_STR(l.text, "a:x=4 a:z=2 b:x=3 b:y=1 ");
	l.text[0] = '\0';
	CHECK_INT(dtrace_setopt(h, "aggsortkey", NULL), 0);
	CHECK_INT(dtrace_aggregate_walk_sorted(h, list_element, &l), 0);
	CHECK_STR(l.text, "a:z=2 a:x=4 b:y=1 b:x=3 ");
	dtrace_close(h);
}

/* ---- what callbacks say ---- */

static void expect(dtrace_hdl_t *h, const char *want)
{
	struct list l = { .says = DTRACE_AGGWALK_NEXT };

	CHECK_INT(dtrace_aggregate_walk_valsorted(h, list_element, &l), 0);
	CHECK_STR(l.text, want);
}

static int remove_x(const dtrace_aggdata_t *a, void *arg)
{
	(void)arg;
	return strcmp(key(a), "x") == 0 ? DTRACE_AGGWALK_REMOVE : DTRACE_AGGWALK_NEXT;
}

static int clear_y(const dtrace_aggdata_t *a, void *arg)
{
	(void)arg;
	return strcmp(key(a), "y") == 0 ? DTRACE_AGGWALK_CLEAR : DTRACE_AGGWALK_NEXT;
}

static int halve(const dtrace_aggdata_t *a, void *arg)
{
	((dtrace_aggdata_t *)a)->dtada_normal = *(int *)arg;
	return DTRACE_AGGWALK_NORMALIZE;
}

static char *printed(dtrace_hdl_t *h, dtrace_aggregate_walk_f *walk)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	CHECK_INT(dtrace_aggregate_print(h, f, walk), 0);
	fclose(f);
	return text;
}

static void test_says(void)
{
	static const struct { int says, err; } bad[] = { { DTRACE_AGGWALK_ABORT, EDT_DIRABORT },
		{ 99, EDT_BADRVAL },
		{ DTRACE_AGGWALK_ERROR, 0 } };
	dtrace_hdl_t *h = traced(orders_program);
	int by = 2;
	char *text;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct list l = { .says = bad[i].says };

		CHECK_INT(dtrace_aggregate_walk_keysorted(h, list_element, &l), -1);
		CHECK_INT(l.times, 1);
		if (bad[i].err != 0)
			CHECK_INT(dtrace_errno(h), bad[i].err);
	}
	CHECK_INT(dtrace_aggregate_walk(h, remove_x, NULL), 0);
	expect(h, "b:y=1 a:z=2 ");
	CHECK_INT(dtrace_aggregate_walk(h, clear_y, NULL), 0);
	expect(h, "b:y=0 a:z=2 ");
	CHECK_INT(dtrace_aggregate_walk(h, halve, &by), 0);
	text = printed(h, dtrace_aggregate_walk_keyrevsorted);
	CHECK_STR(text, "  z                                                                 1\n"
	    "  y                                                                 0\n");
	free(text);
	expect(h, "b:y=0 a:z=2 ");	/* the data are as they were */
	by = 0;
	CHECK_INT(dtrace_aggregate_walk(h, halve, &by), -1);
	CHECK_INT(dtrace_errno(h), EDT_BADRVAL);
	struct list denormal = { .says = DTRACE_AGGWALK_DENORMALIZE };
	CHECK_INT(dtrace_aggregate_walk(h, list_element, &denormal), 0);
	text = printed(h, NULL);
	CHECK(strstr(text, "                 2\n") != NULL);
	free(text);
	dtrace_aggregate_clear(h);
	expect(h, "b:y=0 a:z=0 ");
	dtrace_close(h);
}

/* A walk inside a walk that removes what the outer one still has before it. */
static int remove_all_inside(const dtrace_aggdata_t *a, void *arg)
{
	int *times = arg;
	struct list l = { .says = DTRACE_AGGWALK_REMOVE };

	if ((*times)++ > 0)
		return DTRACE_AGGWALK_ERROR;
	CHECK_INT(dtrace_aggregate_walk(a->dtada_handle, list_element, &l), 0);
	CHECK_INT(l.times, 4);
	CHECK_INT(dtrace_work(a->dtada_handle, stderr, NULL, NULL, NULL), DTRACE_WORKSTATUS_ERROR);
	CHECK_INT(dtrace_errno(a->dtada_handle), EBUSY);
	return DTRACE_AGGWALK_NEXT;
}

static void test_nested(void)
{
	dtrace_hdl_t *h = traced(orders_program);
	int times = 0;

	CHECK_INT(dtrace_aggregate_walk_sorted(h, remove_all_inside, &times), 0);
	CHECK_INT(times, 1);
	expect(h, "");
	dtrace_close(h);
}

/* ---- joined ---- */

struct joined { char text[512]; int n; };

static int list_joined(const dtrace_aggdata_t **a, const int n, void *arg)
{
	struct joined *j = arg;
	size_t at = strlen(j->text);

	j->n = n;
	at += (size_t)snprintf(j->text + at, sizeof(j->text) - at, "%s", key(a[0]));
	for (int i = 1; i < n; i++) {
		CHECK_STR(key(a[i]), key(a[0]));
		at += (size_t)snprintf(j->text + at, sizeof(j->text) - at, " %s=%lld",
		    a[i]->dtada_desc->dtagd_name, (long long)value(a[i]));
	}
	snprintf(j->text + at, sizeof(j->text) - at, "\n");
	return DTRACE_AGGWALK_NEXT;
}

static int remove_joined(const dtrace_aggdata_t **a, const int n, void *arg)
{
	(void)n;
	(void)arg;
	return strcmp(key(a[0]), "x") == 0 ? DTRACE_AGGWALK_REMOVE : DTRACE_AGGWALK_NEXT;
}

static int first_varid(const dtrace_aggdata_t *a, void *arg)
{
	dtrace_aggvarid_t *ids = arg, inside;

	ids[strcmp(a->dtada_desc->dtagd_name, "a") == 0] = a->dtada_desc->dtagd_varid;
	memcpy(&inside, a->dtada_data + a->dtada_desc->dtagd_rec[0].dtrd_offset, sizeof(inside));
	CHECK_INT(inside, a->dtada_desc->dtagd_varid);
	return DTRACE_AGGWALK_NEXT;
}

static void test_joined(void)
{
	dtrace_hdl_t *h = traced(orders_program);
	dtrace_aggvarid_t ids[2] = { -1, -1 }, none = 4711;
	struct joined j = { .n = 0 };

	CHECK_INT(dtrace_aggregate_walk(h, first_varid, ids), 0);
	CHECK_INT(dtrace_aggregate_walk_joined(h, ids, 2, list_joined, &j), 0);
	CHECK_STR(j.text, "z b=0 a=2\ny b=1 a=0\nx b=3 a=4\n");
	CHECK_INT(j.n, 3);
	CHECK_INT(dtrace_aggregate_walk_joined(h, &none, 1, list_joined, &j), -1);
	CHECK_INT(dtrace_errno(h), EDT_BADAGGVAR);
	CHECK_INT(dtrace_aggregate_walk_joined(h, ids, 0, list_joined, &j), -1);
	CHECK_INT(dtrace_aggregate_walk_joined(h, ids, 2, remove_joined, NULL), 0);
	expect(h, "b:y=1 a:z=2 ");
	dtrace_close(h);
}

/* ---- descriptions and data of every function ---- */

struct shape { const char *name; unsigned action, size; };
static const struct shape shapes[] = {
	{ "c", DTRACEAGG_COUNT, 8 }, { "s", DTRACEAGG_SUM, 8 }, { "mi", DTRACEAGG_MIN, 8 },
		{ "ma", DTRACEAGG_MAX, 8 },
	{ "av", DTRACEAGG_AVG, 24 }, { "sd", DTRACEAGG_STDDEV, 40 },
		{ "q", DTRACEAGG_QUANTIZE, DTRACE_QUANTIZE_NBUCKETS * 8 },
	{ "lq", DTRACEAGG_LQUANTIZE, (1 + 2 + 5) * 8 },
};

static void check_quantize(const int64_t *w)
{
	for (int i = 0; i < DTRACE_QUANTIZE_NBUCKETS; i++)
		CHECK_INT(w[i], DTRACE_QUANTIZE_BUCKETVAL(i) == 4 || DTRACE_QUANTIZE_BUCKETVAL(i) == -8);
	CHECK_INT(DTRACE_QUANTIZE_BUCKETVAL(DTRACE_QUANTIZE_ZEROBUCKET), 0);
}

static void check_lquantize(const int64_t *w)
{
	uint64_t arg = (uint64_t)w[0];

	CHECK_INT(DTRACE_LQUANTIZE_BASE(arg), -10);
	CHECK_INT(DTRACE_LQUANTIZE_STEP(arg), 4);
	CHECK_INT(DTRACE_LQUANTIZE_LEVELS(arg), 5);
	CHECK_INT(w[1 + 1 + (7 + 10) / 4], 1);
}

static int check_shape(const dtrace_aggdata_t *a, void *arg)
{
	const dtrace_aggdesc_t *d = a->dtada_desc;
	const dtrace_recdesc_t *r = value_rec(a);
	const int64_t *w = (const int64_t *)(const void *)(a->dtada_data + r->dtrd_offset);
	size_t i = 0;

	while (i < sizeof(shapes) / sizeof(shapes[0]) && strcmp(shapes[i].name, d->dtagd_name) != 0)
		i++;
	if (!CHECK(i < sizeof(shapes) / sizeof(shapes[0])))
		return DTRACE_AGGWALK_ABORT;
	++*(int *)arg;
	CHECK_INT(r->dtrd_action, shapes[i].action);
	CHECK(DTRACEACT_ISAGG(r->dtrd_action));
	CHECK_INT(r->dtrd_size, shapes[i].size);
	CHECK_INT(d->dtagd_nrecs, 2);
	CHECK_INT(d->dtagd_size, r->dtrd_offset + r->dtrd_size);
	CHECK_INT(a->dtada_size, d->dtagd_size);
	CHECK_INT(a->dtada_normal, 1);
	CHECK_INT(a->dtada_edesc->dtepd_epid, d->dtagd_epid);
	CHECK_STR(a->dtada_pdesc->dtpd_name, "BEGIN");
	if (r->dtrd_action == DTRACEAGG_AVG)
		CHECK(w[0] == 2 && w[1] == -1 && w[2] == -1);
	if (r->dtrd_action == DTRACEAGG_QUANTIZE)
		check_quantize(w);
	if (r->dtrd_action == DTRACEAGG_LQUANTIZE)
		check_lquantize(w);
	return DTRACE_AGGWALK_NEXT;
}

static void test_shapes(void)
{
	dtrace_hdl_t *h =
	    traced("BEGIN { @c = count(); @s = sum(3); @mi = min(3); @ma = max(3); @av = avg(7); @av = "
	    "avg(-8); "
	    "@sd = stddev(1); @q = quantize(7); @q = quantize(-8); @lq = lquantize(7, -10, 10, 4); }");
	int times = 0;

	CHECK_INT(dtrace_aggregate_walk(h, check_shape, &times), 0);
	CHECK_INT(times, 8);
	dtrace_close(h);
}

/* Keys: integers of each size, text, a part of the probe's name, a stack. */
static int check_keys(const dtrace_aggdata_t *a, void *arg)
{
	const dtrace_recdesc_t *r = a->dtada_desc->dtagd_rec;
	int64_t eight;
	int four;
	char one;

	++*(int *)arg;
	CHECK_INT(a->dtada_desc->dtagd_nrecs, 8);
	memcpy(&one, a->dtada_data + r[1].dtrd_offset, 1);
	memcpy(&four, a->dtada_data + r[2].dtrd_offset, 4);
	memcpy(&eight, a->dtada_data + r[3].dtrd_offset, 8);
	CHECK(r[1].dtrd_size == 1 && one == 'c');
	CHECK(r[2].dtrd_size == 4 && four == -4);
	CHECK(r[3].dtrd_size == 8 && eight == -8);
	CHECK_STR(a->dtada_data + r[4].dtrd_offset, "text");
	CHECK_STR(a->dtada_data + r[5].dtrd_offset, "BEGIN");
	CHECK_INT(r[6].dtrd_action, DTRACEACT_STACK);
	CHECK_INT(r[6].dtrd_arg, 3);
	CHECK_INT(r[6].dtrd_size, 3 * 8);
	for (int i = 1; i < 8; i++)
		CHECK_INT((uintptr_t)(a->dtada_data + r[i].dtrd_offset) % r[i].dtrd_alignment, 0);
	return DTRACE_AGGWALK_NEXT;
}

static void test_keys(void)
{
	dtrace_hdl_t *h =
	    traced("BEGIN { @[(char)'c', (int)-4, (long)-8, \"text\", probename, stack(3)] = count(); }");
	int times = 0;

	CHECK_INT(dtrace_aggregate_walk(h, check_keys, &times), 0);
	CHECK_INT(times, 1);
	dtrace_close(h);
}

/* ---- what each CPU has aggregated (N17) ---- */

static int64_t word_of(const char *data, unsigned i)
{
	int64_t v;

	memcpy(&v, data + i * sizeof(v), sizeof(v));
	return v;
}

/* The words of all CPUs come to those of the element; a CPU that has seen nothing has zeros. */
struct cpus { int calls[2], at[2], times; };

static int check_cpus(const dtrace_aggdata_t *a, void *arg)
{
	const dtrace_recdesc_t *r = value_rec(a);
	struct cpus *c = arg;
	unsigned n = r->dtrd_size / sizeof(int64_t), first = r->dtrd_action == DTRACEAGG_LQUANTIZE;

	c->times++;
	CHECK_INT(a->dtada_flags & DTRACE_A_PERCPU, DTRACE_A_PERCPU);
	if (!CHECK(a->dtada_percpu != NULL))
		return DTRACE_AGGWALK_NEXT;
	for (unsigned i = first; i < n && r->dtrd_action != DTRACEAGG_MIN; i++) {
		int64_t total = 0;

		for (int cpu = 0; a->dtada_percpu[cpu] != NULL; cpu++)
			total += word_of(a->dtada_percpu[cpu], i);
		CHECK_INT(total, word_of(a->dtada_data + r->dtrd_offset, i));
	}
	for (int k = 0; k < 2; k++) {
		const char *on = a->dtada_percpu[c->at[k]];

		if (r->dtrd_action == DTRACEAGG_COUNT)
			CHECK_INT(word_of(on, 0), c->calls[k]);
		if (r->dtrd_action == DTRACEAGG_MIN)
			CHECK_INT(word_of(on, 0), c->calls[k] > 0 ? 7 : 0);
	}
	return DTRACE_AGGWALK_NEXT;
}

static void call_on(int cpu, int times)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK_INT(sched_setaffinity(0, sizeof(set), &set), 0);
	for (int i = 0; i < times; i++)
		getppid();
}

/* The first and the last CPU that we may use; they may be the same. */
static void two_cpus(const cpu_set_t *may, int at[2])
{
	at[0] = -1;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, may))
			continue;
		at[0] = at[0] < 0 ? cpu : at[0];
		at[1] = cpu;
	}
}

static void test_cpus(void)
{
	dtrace_hdl_t *h = opened();
	cpu_set_t may;
	struct cpus c = { .calls = { 11, 30 } };
	char text[512];

	CHECK_INT(sched_getaffinity(0, sizeof(may), &may), 0);
	two_cpus(&may, c.at);
	CHECK_INT(dtrace_setopt(h, "aggpercpu", NULL), 0);
	snprintf(text, sizeof(text),
	    "syscall::getppid:entry /tid == %d/ { @ = count(); @k[probefunc] = count(); "
	    "@s[\"x\", execname] = count(); @m = min(7); @l[1] = lquantize(3, 0, 10, 1); "
	    "@q[2] = quantize(9); }",
	    (int)gettid());
	go(h, text);
	call_on(c.at[0], c.calls[0]);
	call_on(c.at[1], c.calls[1]);
	CHECK_INT(dtrace_aggregate_snap(h), 0);
	if (c.at[0] == c.at[1])
		c.calls[0] = c.calls[1] = c.calls[0] + c.calls[1];
	CHECK_INT(dtrace_aggregate_walk(h, check_cpus, &c), 0);
	CHECK_INT(c.times, 6);
	dtrace_aggregate_clear(h);
	c.calls[0] = c.at[0] == c.at[1] ? 5 : 0;
	c.calls[1] = 5;
	call_on(c.at[1], 5);
	CHECK_INT(dtrace_aggregate_snap(h), 0);
	CHECK_INT(dtrace_aggregate_walk(h, check_cpus, &c), 0);
	CHECK_INT(c.times, 12);
	CHECK_INT(sched_setaffinity(0, sizeof(may), &may), 0);
	CHECK_INT(dtrace_stop(h), 0);
	dtrace_close(h);
}

static int check_no_cpus(const dtrace_aggdata_t *a, void *arg)
{
	(void)arg;
	CHECK(a->dtada_percpu == NULL && a->dtada_flags == 0);
	return DTRACE_AGGWALK_NEXT;
}

static void test_without_cpus(void)
{
	dtrace_hdl_t *h = traced(orders_program);

	CHECK_INT(dtrace_aggregate_walk(h, check_no_cpus, NULL), 0);
	dtrace_close(h);
}

/* ---- several handles ---- */

static int sum_up(const dtrace_aggdata_t *a, void *arg)
{
	*(int64_t *)arg += value(a);
	return DTRACE_AGGWALK_NEXT;
}

struct thread { int calls; pthread_t id; };

/* Each traces its own thread's calls, and sees as many as it made. */
static void *trace_own_calls(void *arg)
{
	struct thread *t = arg;
	dtrace_hdl_t *h = opened();
	char text[128];
	int64_t total = 0;

	snprintf(text, sizeof(text), "syscall::getppid:entry /tid == %d/ { @[probefunc] = count(); }",
	    (int)gettid());
	go(h, text);
	for (int i = 0; i < t->calls; i++)
		getppid();
	CHECK_INT(dtrace_aggregate_snap(h), 0);
	CHECK_INT(dtrace_aggregate_walk(h, sum_up, &total), 0);
	CHECK_INT(total, t->calls);
	dtrace_aggregate_clear(h);
	getppid();
	CHECK_INT(dtrace_stop(h), 0);
	CHECK_INT(dtrace_work(h, stderr, NULL, NULL, NULL), DTRACE_WORKSTATUS_DONE);
	total = 0;
	CHECK_INT(dtrace_aggregate_walk(h, sum_up, &total), 0);
	CHECK_INT(total, 1);
	dtrace_close(h);
	return NULL;
}

static void test_threads(void)
{
	struct thread t[4] = { { .calls = 10 }, { .calls = 200 }, { .calls = 3000 }, { .calls = 1 } };

	for (int i = 0; i < 4; i++)
		CHECK_INT(pthread_create(&t[i].id, NULL, trace_own_calls, &t[i]), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i].id, NULL);
}

int main(void)
{
	if (geteuid() != 0) {
		check_skip("tracing needs root", __FILE__, __LINE__);
		return check_report("api_aggs");
	}
	test_orders();
	test_options();
	test_says();
	test_nested();
	test_joined();
	test_shapes();
	test_keys();
	test_cpus();
	test_without_cpus();
	test_threads();
	return check_report("api_aggs");
}
