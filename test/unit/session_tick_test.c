/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sessions that fire by time: tick and profile. How exact they are is printed and not judged, as the
 * machine is not ours alone; that they fire, wake their reader and end is checked.
 */
#include "session_fixture.h"

#include <pthread.h>

/* How many records are in all rings, which are then empty. */
static unsigned drained(struct dt_session *s, uint32_t ncpus)
{
	unsigned got = 0;

	for (uint32_t cpu = 0, n = dt_session_rings(s); cpu < ncpus && cpu < n; cpu++) {
		struct reading r = { .cpu = cpu };

		dt_session_drain(s, cpu, read_one, &r);
		got += r.got;
	}
	return got;
}

static void test_tick_accuracy(const char *what)
{
	static const struct dt_image_reloc relocs[] = { { 10, M_RINGS, 0, false } };
	struct fixture f;
	unsigned got = 0, ncpus;
	double start;

	fixture_init(&f, DT_HOOK_TICK, ring_insns, DT_COUNT(ring_insns), relocs, DT_COUNT(relocs));
	f.attach.interval = 1000000;
	if (!fixture_open(&f))
		return;
	ncpus = dt_session_ncpus(f.session);
	start = now_ms();
	CHECK_INT(dt_session_attach(f.session, f.msg, sizeof(f.msg)), 0);
	CHECK_INT(dt_session_start(f.session, f.msg, sizeof(f.msg)), 0);
	usleep(500000);
	/* One comes however slow the machine is; how many is printed. */
	for (double end = now_ms() + LONG_WAIT / 1e6; got == 0 && now_ms() < end; usleep(1000))
		got += drained(f.session, ncpus);
	dt_session_detach(f.session);
	start = now_ms() - start;
	got += drained(f.session, ncpus);
	printf("session_tick_test: tick-1ms, %s: %u in %.1f ms\n", what, got, start);
	CHECK(got > 0);
	dt_session_close(f.session);
}

struct late { uint64_t last, worst, n, sum; };

static int note_late(void *ctx, const void *data, size_t len)
{
	struct late *l = ctx;
	const struct rec *rec = data;

	(void)len;
	if (l->last) {
		int64_t off = (int64_t)(rec->time - l->last) - 10000000;
		uint64_t abs = (uint64_t)(off < 0 ? -off : off);

		l->worst = abs > l->worst ? abs : l->worst;
		l->sum += abs;
		l->n++;
	}
	l->last = rec->time;
	return 0;
}

static void *spin(void *stop)
{
	while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED))
		;
	return NULL;
}

/* How far from 10 ms are the intervals of tick-10ms? Printed, not judged: the machine is not ours alone. */
static void print_jitter(const char *what)
{
	static const struct dt_image_reloc relocs[] = { { 10, M_RINGS, 0, false } };
	struct fixture f;
	struct late late = { 0 };

	fixture_init(&f, DT_HOOK_TICK, ring_insns, DT_COUNT(ring_insns), relocs, DT_COUNT(relocs));
	f.attach.interval = 10000000;
	if (!fixture_open(&f))
		return;
	dt_session_attach(f.session, f.msg, sizeof(f.msg));
	dt_session_start(f.session, f.msg, sizeof(f.msg));
	usleep(600000);
	dt_session_detach(f.session);
	for (uint32_t cpu = 0, n = dt_session_rings(f.session); cpu < n; cpu++) {
		late.last = 0;			/* the thread may move: only intervals seen on one CPU */
		dt_session_drain(f.session, cpu, note_late, &late);
	}
	printf("session_tick_test: tick-10ms, %s: off by %.1f us on average, %.1f us at worst\n", what,
	    late.n ? (double)late.sum / (double)late.n / 1e3 : 0, (double)late.worst / 1e3);
	dt_session_close(f.session);
}

/* The first tick wakes who waits. */
static void test_tick_wakes(void)
{
	struct fixture f;
	struct dt_control *c;

	fixture_init(&f, DT_HOOK_TICK, tick_insns, DT_COUNT(tick_insns), tick_relocs, DT_COUNT(tick_relocs));
	f.attach.interval = 50000000;
	if (!fixture_open(&f))
		return;
	c = dt_session_control(f.session);
	CHECK(c != NULL);
	CHECK_INT(dt_session_attach(f.session, f.msg, sizeof(f.msg)), 0);
	CHECK_INT(dt_session_start(f.session, f.msg, sizeof(f.msg)), 0);
	CHECK_INT(dt_session_wait(f.session, LONG_WAIT), 1);	/* woken: the tick says exited */
	CHECK(__atomic_load_n(&c->exited, __ATOMIC_RELAXED) >= 1);
	dt_session_detach(f.session);
	dt_session_close(f.session);
}

/* The thread of a tick does not sleep its interval out when it is to end: this one would sleep for a day. */
static void test_tick_ends(void)
{
	struct fixture f;

	fixture_init(&f, DT_HOOK_TICK, tick_insns, DT_COUNT(tick_insns), tick_relocs, DT_COUNT(tick_relocs));
	f.attach.interval = 86400000000000;
	if (!fixture_open(&f))
		return;
	CHECK_INT(dt_session_attach(f.session, f.msg, sizeof(f.msg)), 0);
	CHECK_INT(dt_session_start(f.session, f.msg, sizeof(f.msg)), 0);
	dt_session_detach(f.session);
	CHECK_INT(__atomic_load_n(&dt_session_control(f.session)->exited, __ATOMIC_RELAXED), 0);
	dt_session_close(f.session);
}

static void test_tick(void)
{
	int stop = 0;
	pthread_t t[4];

	test_tick_wakes();
	test_tick_ends();
	test_tick_accuracy("idle");
	print_jitter("idle");
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, spin, &stop);
	test_tick_accuracy("4 spinning threads");
	print_jitter("4 spinning threads");
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

/* profile: control.exited counts the firings of all CPUs. */
static void test_profile(void)
{
	struct fixture f;
	struct dt_control *c;
	pthread_t t[2];
	int stop = 0;
	uint32_t idle, busy;

	fixture_init(&f, DT_HOOK_PERF, tick_insns, DT_COUNT(tick_insns), tick_relocs, DT_COUNT(tick_relocs));
	f.attach.interval = 1000000;
	if (!fixture_open(&f))
		return;
	c = dt_session_control(f.session);
	CHECK_INT(dt_session_attach(f.session, f.msg, sizeof(f.msg)), 0);
	CHECK_INT(dt_session_start(f.session, f.msg, sizeof(f.msg)), 0);
	usleep(300000);
	idle = __atomic_load_n(&c->exited, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, spin, &stop);
	usleep(300000);
	/* a CPU that is busy has timer events; how many is printed */
	for (double end = now_ms() + LONG_WAIT / 1e6; now_ms() < end; usleep(1000))
		if (__atomic_load_n(&c->exited, __ATOMIC_RELAXED) != idle)
			break;
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	busy = __atomic_load_n(&c->exited, __ATOMIC_RELAXED) - idle;
	printf("session_tick_test: profile-1000hz in 300 ms on %d CPUs: %u idle, %u with 2 spinning "
	    "threads\n", dt_session_possible_cpus(), idle, busy);
	CHECK(busy > 0);
	CHECK_INT(dt_session_run(f.session, 0, NULL, 0), -EINVAL);
	dt_session_close(f.session);
}

int main(void)
{
	struct dt_features feat;

	if (!may_trace("session_tick_test", &feat))
		return 0;
	test_tick();
	test_profile();
	return CHECK_DONE("session_tick_test");
}
