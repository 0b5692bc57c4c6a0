/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Buffers by need (E4, E6): a session begins with one ring for all CPUs; a CPU that fills it gets one of its
 * own, which grows while nobody reads; nothing is lost on the way, and every ring is in order.
 */
#include "session_fixture.h"

#include <sched.h>

enum { WANTS = DT_CONTROL_SPECS + 8, WANTS_CPUS = 64 };

/* A record { cpu, arg0, arg1, time } into this CPU's ring, or into the one that all share. */
static const struct bpf_insn need_insns[] = {
	MOV_R(6, 1),
	CALL(ktime_get_ns),
	STORE(10, -8, 0),
	LOAD(2, 6, 8),
	STORE(10, -16, 2),
	LOAD(2, 6, 0),
	STORE(10, -24, 2),
	CALL(get_smp_processor_id),
	STORE(10, -32, 0),
	STOREW(10, -36, 0),
	MOV_R(7, 0),
	MAP(1),				/* 11: rings */
	MOV_R(2, 10),
	ADD_I(2, -36),
	CALL(map_lookup_elem),
	JNE_I(0, 0, 7),			/* 16 */
	I(BPF_JMP | BPF_JGE | BPF_K, 7, 0, 12, WANTS_CPUS),
	MAP(1),				/* 18: wants */
	I(BPF_ALU64 | BPF_ADD | BPF_X, 1, 7, 0, 0),
	I(BPF_ST | BPF_MEM | BPF_B, 1, 0, 0, 1),
	MAP(0),				/* 22: the shared ring */
	MOV_R(1, 0),
	MOV_R(2, 10),
	ADD_I(2, -32),
	MOV_I(3, 32),
	MOV_I(4, BPF_RB_FORCE_WAKEUP),
	CALL(ringbuf_output),
	MOV_I(0, 0),
	EXIT(),
};

struct seen { uint64_t next, wrong; };

/* All rings together, oldest first, must be the numbers from 0 without a gap. */
static int note(void *ctx, const void *data, size_t len)
{
	const struct rec *r = data;
	struct seen *s = ctx;

	s->wrong += len != sizeof(*r) || r->arg0 != s->next || r->arg1 != ~r->arg0;
	s->next = r->arg0 + 1;
	return 0;
}

static void drain_all(struct dt_session *s, struct seen *seen)
{
	for (uint32_t i = 0, n = dt_session_rings(s); i < n; i++)
		dt_session_drain(s, i, note, seen);
}

/*
 * Fires until there are so many rings, and the largest has so many bytes. Nothing is read; before a ring is
 * full this waits for the next, however long the machine takes to make it.
 */
static uint64_t fire_until(struct fixture *f, uint64_t from, uint32_t rings, uint64_t room)
{
	uint64_t have = 0, fired = 0;

	while (dt_session_rings(f->session) < rings || dt_session_room(f->session) < room) {
		uint64_t now = dt_session_room(f->session) + dt_session_rings(f->session);

		fired = now == have ? fired : 0;
		have = now;
		for (int i = 0; i < 256 && fired < dt_session_room(f->session) / 2; i++, from++, fired += 40)
			dt_session_run(f->session, 0, (uint64_t[]){ from, ~from }, 2);
		dt_session_wait(f->session, 1000000);
	}
	return from;
}

static const struct dt_image_reloc relocs[] = {
	{ 11, M_RINGS, 0, false }, { 18, M_CONTROL, WANTS, true }, { 22, M_RING, 0, false }
};

static bool begin(struct fixture *f, uint32_t size, bool grows)
{
	fixture_init(f, DT_HOOK_RUN, need_insns, DT_COUNT(need_insns), relocs, DT_COUNT(relocs));
	f->image.layouts.policy = DT_POLICY_SWITCH;
	f->image.grows = grows;
	f->image.wants = WANTS;
	f->image.layouts.room = size;
	f->maps[M_RING].max_entries = size;
	f->maps[M_CONTROL].value_size = WANTS + WANTS_CPUS;
	return fixture_open(f);
}

/* On one CPU: what is written before another ring comes is in the one before it. */
static void test_need(void)
{
	enum { SIZE = 1 << 20 };
	struct seen seen = { 0 };
	struct fixture f;
	uint64_t n;

	if (!begin(&f, SIZE, true))
		return;
	CHECK_INT(dt_session_rings(f.session), 1);
	CHECK_INT(dt_session_ring_cpu(f.session, 0), -1);
	for (n = 0; n < 100; n++)
		dt_session_run(f.session, 0, (uint64_t[]){ n, ~n }, 2);
	dt_session_wait(f.session, 1000000);
	drain_all(f.session, &seen);
	CHECK_INT(dt_session_rings(f.session), 1);	/* little was written: there was no need */
	n = fire_until(&f, n, 2, 0);
	CHECK_INT(dt_session_ring_cpu(f.session, 1), 0);
	n = fire_until(&f, n, 3, 4 * SIZE);
	CHECK(dt_session_room(f.session) >= 4 * SIZE);
	drain_all(f.session, &seen);
	CHECK_INT(seen.wrong, 0);
	CHECK_INT(seen.next, n);			/* nothing was lost */
	n = fire_until(&f, n, 1, 16 * SIZE);
	dt_session_detach(f.session);
	drain_all(f.session, &seen);
	CHECK_INT(seen.wrong, 0);
	CHECK_INT(seen.next, n);
	/* what was replaced and read is closed: the shared one and the last are left */
	CHECK_INT(dt_session_rings(f.session), 2);
	dt_session_close(f.session);
}

/* A size that somebody has set is kept: a CPU gets a ring of it, and no larger one. */
static void test_fixed(void)
{
	enum { SIZE = 1 << 20 };
	struct seen seen = { 0 };
	struct fixture f;
	uint64_t n;

	if (!begin(&f, SIZE, false))
		return;
	n = fire_until(&f, 0, 2, 0);
	for (uint64_t end = n + 200000; n < end; n++)
		dt_session_run(f.session, 0, (uint64_t[]){ n, ~n }, 2);
	CHECK_INT(dt_session_rings(f.session), 2);
	CHECK_INT(dt_session_room(f.session), SIZE);
	drain_all(f.session, &seen);
	CHECK_INT(seen.wrong, 0);
	CHECK(seen.next < n);				/* the rest had no room */
	dt_session_close(f.session);
}

int main(void)
{
	struct dt_features feat;
	cpu_set_t one;

	if (!may_trace("session_rings_test", &feat))
		return 0;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one) != 0) {
		printf("session_rings_test: 0 passed, 0 failed, 1 skipped\n");
		return 0;
	}
	test_need();
	test_fixed();
	return CHECK_DONE("session_rings_test");
}
