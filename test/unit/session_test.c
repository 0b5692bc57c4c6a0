/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sessions with images written by hand, a few instructions each (one is of many clauses, compiled): counting is exact while buffers are switched, rings
 * lose and double nothing, refusals say what the verifier said. Without the right to use bpf(2) all is skipped.
 */
#include "check.h"

#include "bpf/image.h"
#include "dtrace.h"
#include "session/session.h"
#include "lib/handle.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- instructions ---- */

#define I(c, d, s, o, i) { .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }
#define MOV_R(d, s) I(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define MOV_I(d, i) I(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADD_I(d, i) I(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define LOAD(d, s, o) I(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define LOADW(d, s, o) I(BPF_LDX | BPF_MEM | BPF_W, d, s, o, 0)
#define STORE(d, o, s) I(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STOREW(d, o, s) I(BPF_STX | BPF_MEM | BPF_W, d, s, o, 0)
#define JNE_I(d, i, o) I(BPF_JMP | BPF_JNE | BPF_K, d, 0, o, i)
#define JNE_R(d, s, o) I(BPF_JMP | BPF_JNE | BPF_X, d, s, o, 0)
#define JEQ_I(d, i, o) I(BPF_JMP | BPF_JEQ | BPF_K, d, 0, o, i)
#define CALL(f) I(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##f)
#define MAP(d) I(BPF_LD | BPF_IMM | BPF_DW, d, 0, 0, 0), I(0, 0, 0, 0, 0)
#define XADD(d, o, s) I(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, o, BPF_ADD)
#define EXIT() I(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The maps every image below has, by index. */
enum { M_AGGS, M_A, M_B, M_RINGS, M_RING, M_CONTROL, M_DROPS, M_N };
enum { KEYS = 4096 };

static const struct dt_image_map all_maps[M_N] = {
	[M_AGGS] = { DT_MAP_AGGS, "aggs", BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, 1, .agg = 0, .inner = M_A },
	[M_A] = { DT_MAP_AGG_A, "agg_a", BPF_MAP_TYPE_PERCPU_HASH, 8, 8, KEYS, .agg = 0, .inner = UINT32_MAX },
	[M_B] = { DT_MAP_AGG_B, "agg_b", BPF_MAP_TYPE_PERCPU_HASH, 8, 8, KEYS, .agg = 0, .inner = UINT32_MAX },
	[M_RINGS] = { DT_MAP_RINGS, "rings", BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, 1024, .inner = M_RING },
	[M_RING] = { DT_MAP_RING, "ring", BPF_MAP_TYPE_RINGBUF, 0, 0, 4 << 20, .inner = UINT32_MAX },
	[M_CONTROL] = { DT_MAP_CONTROL, "control", BPF_MAP_TYPE_ARRAY, 4, sizeof(struct dt_control), 1, .inner = UINT32_MAX },
	[M_DROPS] = { DT_MAP_DROPS, "drops", BPF_MAP_TYPE_PERCPU_ARRAY, 4, sizeof(struct dt_drops), 1, .inner = UINT32_MAX },
};

struct fixture {
	struct dt_image_map maps[M_N];
	struct dt_image_prog prog;
	struct dt_agglayout agg;
	struct dt_image image;
	struct dt_attach attach;
	struct dt_session *session;
	char msg[1024];
};

static void fixture_init(struct fixture *f, int kind, const struct bpf_insn *insns, uint32_t n,
    const struct dt_image_reloc *relocs, uint32_t nrelocs)
{
	memset(f, 0, sizeof(*f));
	memcpy(f->maps, all_maps, sizeof(all_maps));
	f->prog = (struct dt_image_prog){ .name = "test", .insns = insns, .ninsns = n, .relocs = relocs, .nrelocs = nrelocs };
	f->image = (struct dt_image){ .maps = f->maps, .nmaps = M_N, .progs = &f->prog, .nprogs = 1, .aggs = &f->agg, .naggs = 1 };
	f->attach = (struct dt_attach){ .kind = kind };
}

static int fixture_open(struct fixture *f)
{
	int err = dt_session_open(&f->image, &f->attach, 1, &f->session, f->msg, sizeof(f->msg));

	if (err)
		fprintf(stderr, "%s\n", f->msg);
	return CHECK_INT(err, 0);
}

/* agg[id & 7] += 1 for getppid() of our process (the pid is patched in), by sys_enter. */
static struct bpf_insn count_insns[] = {
	LOAD(8, 1, 8),			/* r8 = system call number */
	JNE_I(8, SYS_getppid, 30),
	CALL(get_current_pid_tgid),
	MOV_R(9, 0),
	I(BPF_ALU64 | BPF_RSH | BPF_K, 9, 0, 0, 32),
	JNE_I(9, 0, 26),		/* 5: our pid */
	I(BPF_ALU64 | BPF_AND | BPF_K, 0, 0, 0, 7),
	STORE(10, -8, 0),		/* the key: thread id & 7 */
	MOV_I(2, 0),
	STOREW(10, -12, 2),
	MAP(1),				/* 10: aggs */
	MOV_R(2, 10),
	ADD_I(2, -12),
	CALL(map_lookup_elem),
	JEQ_I(0, 0, 16),
	MOV_R(7, 0),
	MOV_R(1, 7),
	MOV_R(2, 10),
	ADD_I(2, -8),
	CALL(map_lookup_elem),
	JNE_I(0, 0, 8),			/* 21 → 30 */
	MOV_I(2, 1),
	STORE(10, -24, 2),
	MOV_R(1, 7),
	MOV_R(2, 10),
	ADD_I(2, -8),
	MOV_R(3, 10),
	ADD_I(3, -24),
	I(BPF_JMP | BPF_JA, 0, 0, 2, 0),	/* 29 → 32 */
	MOV_I(2, 1),			/* 30 */
	I(BPF_JMP | BPF_JA, 0, 0, 3, 0),	/* 31 → 35: add */
	MOV_I(4, BPF_NOEXIST),		/* 32 */
	CALL(map_update_elem),
	I(BPF_JMP | BPF_JA, 0, 0, 1, 0),	/* 34 → 36 */
	XADD(0, 0, 2),			/* 35 */
	MOV_I(0, 0),			/* 36 */
	EXIT(),
};

static void patch_count(void)
{
	/* branches to the end, at 36 */
	count_insns[1].off = 36 - 2;
	count_insns[5].off = 36 - 6;
	count_insns[15].off = 36 - 16;
	count_insns[5].imm = getpid();
}

enum { CALLS = 300000 };

static void *call_many(void *arg)
{
	unsigned n = *(unsigned *)arg;

	for (unsigned i = 0; i < n; i++)
		syscall(SYS_getppid);
	return NULL;
}

struct sum { int64_t total; uint32_t elements; };

static int add_up(void *ctx, const void *key, const int64_t *percpu, uint32_t ncpus)
{
	struct sum *s = ctx;

	(void)key;
	s->elements++;
	for (uint32_t i = 0; i < ncpus; i++)
		s->total += percpu[i];
	return 0;
}

/* Two threads call while the buffers are switched again and again: what was counted is what was called. */
static void test_exact(void)
{
	static const struct dt_image_reloc relocs[] = { { 10, M_AGGS, 0, false } };
	struct fixture f;
	struct sum sum = { 0 };
	pthread_t t[2];
	unsigned calls = CALLS, switches = 0;
	double start;
	const char *many = getenv("DT_SWITCHES");
	unsigned want = many ? (unsigned)atoi(many) : 60;

	patch_count();
	fixture_init(&f, DT_HOOK_SYS_ENTER, count_insns, COUNT(count_insns), relocs, COUNT(relocs));
	if (!fixture_open(&f))
		return;
	CHECK_INT(dt_session_attach(f.session, f.msg, sizeof(f.msg)), 0);
	CHECK_INT(dt_session_start(f.session, f.msg, sizeof(f.msg)), 0);
	CHECK_INT(dt_session_attach(f.session, f.msg, sizeof(f.msg)), -EBUSY);
	start = now_ms();
	calls = want > 60 ? CALLS / 60 * want : CALLS;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, call_many, &calls);
	for (; switches < want; switches++)
		CHECK_INT(dt_session_snapshot(f.session, 0, add_up, &sum), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("session_test: %u switches under load in %.0f ms\n", switches, now_ms() - start);
	dt_session_detach(f.session);
	syscall(SYS_getppid);			/* no longer counted */
	CHECK_INT(dt_session_snapshot(f.session, 0, add_up, &sum), 0);
	CHECK_INT(dt_session_snapshot(f.session, 0, add_up, &sum), 0);
	CHECK_INT(sum.total, 2ll * calls);
	sum = (struct sum){ 0 };
	for (int i = 0; i < 2; i++)
		CHECK_INT(dt_session_snapshot(f.session, 0, add_up, &sum), 0);
	CHECK_INT(sum.elements, 0);		/* emptied */
	CHECK_INT(dt_session_snapshot(f.session, 1, add_up, &sum), -EINVAL);
	dt_session_close(f.session);
}

/* agg[arg0] += 1, run by hand with many keys: more than one batch. */
static const struct bpf_insn key_insns[] = {
	LOAD(0, 1, 0),
	STORE(10, -8, 0),
	MOV_I(2, 0),
	STOREW(10, -12, 2),
	MAP(1),				/* 4: aggs */
	MOV_R(2, 10),
	ADD_I(2, -12),
	CALL(map_lookup_elem),
	JEQ_I(0, 0, 9),
	MOV_I(2, 1),
	STORE(10, -24, 2),
	MOV_R(1, 0),
	MOV_R(2, 10),
	ADD_I(2, -8),
	MOV_R(3, 10),
	ADD_I(3, -24),
	MOV_I(4, BPF_NOEXIST),
	CALL(map_update_elem),
	MOV_I(0, 0),
	EXIT(),
};

static int stop_at_third(void *ctx, const void *key, const int64_t *percpu, uint32_t ncpus)
{
	(void)key, (void)percpu, (void)ncpus;
	return ++*(int *)ctx == 3 ? -ECANCELED : 0;
}

static void test_keys(void)
{
	static const struct dt_image_reloc relocs[] = { { 4, M_AGGS, 0, false } };
	struct fixture f;
	struct sum sum = { 0 };
	int n = 0;

	fixture_init(&f, DT_HOOK_RUN, key_insns, COUNT(key_insns), relocs, COUNT(relocs));
	if (!fixture_open(&f))
		return;
	for (uint64_t key = 0; key < KEYS; key++)
		dt_session_run(f.session, 0, &key, 1);
	CHECK_INT(dt_session_switch(f.session, &(uint32_t){ 0 }, 1), 0);
	CHECK_INT(dt_session_run(f.session, 0, &(uint64_t){ 7 }, 1), 0);	/* into the other one already */
	CHECK_INT(dt_session_snapshot(f.session, 0, add_up, &sum), 0);
	CHECK_INT(sum.elements, KEYS);
	CHECK_INT(sum.total, KEYS);
	sum = (struct sum){ 0 };
	CHECK_INT(dt_session_snapshot(f.session, 0, add_up, &sum), 0);
	CHECK_INT(sum.elements, 1);
	for (uint64_t key = 0; key < 100; key++)
		dt_session_run(f.session, 0, &key, 1);
	CHECK_INT(dt_session_snapshot(f.session, 0, stop_at_third, &n), -ECANCELED);
	CHECK_INT(n, 3);
	CHECK_INT(dt_session_run(f.session, 0, (uint64_t[13]){ 0 }, 13), -EINVAL);
	CHECK_INT(dt_session_run(f.session, 1, NULL, 0), -EINVAL);
	dt_session_close(f.session);
}

/* A record { cpu, arg0, arg1, time } into this CPU's ring. */
static const struct bpf_insn ring_insns[] = {
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
	MAP(1),				/* 10: rings */
	MOV_R(2, 10),
	ADD_I(2, -36),
	CALL(map_lookup_elem),
	JEQ_I(0, 0, 6),
	MOV_R(1, 0),
	MOV_R(2, 10),
	ADD_I(2, -32),
	MOV_I(3, 32),
	MOV_I(4, BPF_RB_NO_WAKEUP),
	CALL(ringbuf_output),
	MOV_I(0, 0),
	EXIT(),
};

struct rec { uint64_t cpu, arg0, arg1, time; };
struct reading { uint32_t cpu; uint64_t next; unsigned wrong, got; };

static int read_one(void *ctx, const void *data, size_t len)
{
	struct reading *r = ctx;
	const struct rec *rec = data;

	r->wrong += len != sizeof(*rec) || rec->cpu != r->cpu || rec->arg0 < r->next || rec->arg1 != ~rec->arg0;
	r->next = rec->arg0 + 1;
	r->got++;
	return 0;
}

static int refuse_one(void *ctx, const void *data, size_t len)
{
	(void)data, (void)len;
	++*(int *)ctx;
	return -ECANCELED;
}

static void test_rings(void)
{
	static const struct dt_image_reloc relocs[] = { { 10, M_RINGS, 0, false } };
	struct fixture f;
	struct reading r[2] = { { .cpu = 0 }, { .cpu = 1 } };
	unsigned total = 0, ncpus;
	int once = 0;

	fixture_init(&f, DT_HOOK_RUN, ring_insns, COUNT(ring_insns), relocs, COUNT(relocs));
	f.maps[M_RING].max_entries = 60000;	/* rounded up to 64 KiB: many times round */
	if (!fixture_open(&f))
		return;
	ncpus = dt_session_ncpus(f.session);
	CHECK(ncpus >= 1 && (int)ncpus == dt_session_possible_cpus());
	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t args[] = { i, ~i };

		dt_session_run(f.session, 0, args, 2);
		for (uint32_t cpu = 0; i % 500 == 0 && cpu < ncpus && cpu < 2; cpu++)
			CHECK_INT(dt_session_drain(f.session, cpu, read_one, &r[cpu]), 0);
	}
	for (uint32_t cpu = 0; cpu < ncpus && cpu < 2; cpu++) {
		CHECK_INT(dt_session_drain(f.session, cpu, read_one, &r[cpu]), 0);
		CHECK_INT(r[cpu].wrong, 0);
		total += r[cpu].got;
	}
	if (ncpus <= 2)
		CHECK_INT(total, 20000);
	for (uint32_t cpu = 2; cpu < ncpus; cpu++)
		CHECK_INT(dt_session_drain(f.session, cpu, read_one, &r[0]), 0);
	dt_session_run(f.session, 0, (uint64_t[]){ 1, 2 }, 2);
	for (uint32_t cpu = 0; cpu < ncpus; cpu++)
		dt_session_drain(f.session, cpu, refuse_one, &once);
	for (uint32_t cpu = 0; cpu < ncpus; cpu++)
		CHECK_INT(dt_session_drain(f.session, cpu, refuse_one, &once), 0);
	CHECK_INT(once, 1);			/* refused, but gone */
	CHECK_INT(dt_session_drain(f.session, ncpus, read_one, &r[0]), -EINVAL);
	dt_session_close(f.session);
}

/* control.exited += 1 */
static const struct bpf_insn tick_insns[] = {
	MAP(1),				/* 0: control, its value */
	MOV_I(2, 1),
	I(BPF_STX | BPF_ATOMIC | BPF_W, 1, 2, offsetof(struct dt_control, exited), BPF_ADD),
	MOV_I(0, 0),
	EXIT(),
};
static const struct dt_image_reloc tick_relocs[] = { { 0, M_CONTROL, 0, true } };

static void test_tick_accuracy(const char *what)
{
	static const struct dt_image_reloc relocs[] = { { 10, M_RINGS, 0, false } };
	struct fixture f;
	struct reading r;
	unsigned got = 0, ncpus;
	double start;

	fixture_init(&f, DT_HOOK_TICK, ring_insns, COUNT(ring_insns), relocs, COUNT(relocs));
	f.attach.interval = 1000000;
	if (!fixture_open(&f))
		return;
	ncpus = dt_session_ncpus(f.session);
	start = now_ms();
	CHECK_INT(dt_session_attach(f.session, f.msg, sizeof(f.msg)), 0);
	CHECK_INT(dt_session_start(f.session, f.msg, sizeof(f.msg)), 0);
	usleep(500000);
	dt_session_detach(f.session);
	start = now_ms() - start;
	for (uint32_t cpu = 0; cpu < ncpus; cpu++) {
		r = (struct reading){ .cpu = cpu };
		dt_session_drain(f.session, cpu, read_one, &r);
		got += r.got;
	}
	printf("session_test: tick-1ms, %s: %u in %.1f ms\n", what, got, start);
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

	fixture_init(&f, DT_HOOK_TICK, ring_insns, COUNT(ring_insns), relocs, COUNT(relocs));
	f.attach.interval = 10000000;
	if (!fixture_open(&f))
		return;
	dt_session_attach(f.session, f.msg, sizeof(f.msg));
	dt_session_start(f.session, f.msg, sizeof(f.msg));
	usleep(600000);
	dt_session_detach(f.session);
	for (uint32_t cpu = 0; cpu < dt_session_ncpus(f.session); cpu++) {
		late.last = 0;			/* the thread may move: only intervals seen on one CPU */
		dt_session_drain(f.session, cpu, note_late, &late);
	}
	printf("session_test: tick-10ms, %s: off by %.1f us on average, %.1f us at worst\n", what,
	    late.n ? (double)late.sum / (double)late.n / 1e3 : 0, (double)late.worst / 1e3);
	dt_session_close(f.session);
}

static void test_tick(void)
{
	struct fixture f;
	struct dt_control *c;
	double start;
	int stop = 0;
	pthread_t t[4];

	fixture_init(&f, DT_HOOK_TICK, tick_insns, COUNT(tick_insns), tick_relocs, COUNT(tick_relocs));
	f.attach.interval = 50000000;
	if (!fixture_open(&f))
		return;
	c = dt_session_control(f.session);
	CHECK(c != NULL);
	start = now_ms();
	CHECK_INT(dt_session_attach(f.session, f.msg, sizeof(f.msg)), 0);
	CHECK_INT(dt_session_start(f.session, f.msg, sizeof(f.msg)), 0);
	CHECK_INT(dt_session_wait(f.session, 5000000000), 1);	/* woken by the first tick, which says exited */
	CHECK(now_ms() - start < 2500);
	CHECK(__atomic_load_n(&c->exited, __ATOMIC_RELAXED) >= 1);
	start = now_ms();
	dt_session_detach(f.session);
	CHECK(now_ms() - start < 1000);		/* the thread does not sleep its tick out */
	dt_session_close(f.session);
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

	fixture_init(&f, DT_HOOK_PERF, tick_insns, COUNT(tick_insns), tick_relocs, COUNT(tick_relocs));
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
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	busy = __atomic_load_n(&c->exited, __ATOMIC_RELAXED) - idle;
	printf("session_test: profile-1000hz in 300 ms on %d CPUs: %u idle, %u with 2 spinning threads\n",
	    dt_session_possible_cpus(), idle, busy);
	CHECK(busy > 0);
	CHECK_INT(dt_session_run(f.session, 0, NULL, 0), -EINVAL);
	dt_session_close(f.session);
}

/* A refused program: the message has the verifier's words and the D line. */
static void test_refusal(void)
{
	static const struct bpf_insn bad[] = { MOV_I(1, 0), LOAD(0, 1, 0), EXIT() };
	static const uint32_t text[] = { 0, 0 };
	static const uint32_t pcs[] = { 0, 1, 1 };
	struct dt_arena *arena = dt_arena_new();
	struct dt_source *src = dt_source_new(arena, DT_SRC_FILE, "bad.d", "BEGIN\n{ trace(*(int *)0); }\n", 29);
	struct dt_loc locs[] = { { src, 0, 5 }, { src, 14, 9 } };
	struct dt_difo difo = { .text = text, .ntext = 2, .locs = locs };
	const struct dt_difo *at[] = { &difo, &difo, &difo };
	struct fixture f;

	fixture_init(&f, DT_HOOK_RAWTP, bad, COUNT(bad), NULL, 0);
	f.attach.target = "sched_switch";
	f.prog.difo_at = at;
	f.prog.difpc_at = pcs;
	f.image.nmaps = 0;
	f.image.naggs = 0;
	CHECK(dt_session_open(&f.image, &f.attach, 1, &f.session, f.msg, sizeof(f.msg)) < 0);
	CHECK(f.session == NULL);
	CHECK(strstr(f.msg, "refuses the program for sched_switch: R1 invalid mem access") != NULL);
	CHECK(strstr(f.msg, "bad.d, line 2, at DIF offset 4") != NULL);
	CHECK_INT(dt_session_open(&f.image, &f.attach, 0, &f.session, f.msg, sizeof(f.msg)), -EINVAL);
	fixture_init(&f, DT_HOOK_RAWTP, tick_insns, COUNT(tick_insns), tick_relocs, COUNT(tick_relocs));
	f.attach.target = "no_such_tracepoint";
	if (fixture_open(&f)) {
		CHECK_INT(dt_session_attach(f.session, f.msg, sizeof(f.msg)), -ENOENT);
		CHECK_STR(f.msg, "cannot attach to tracepoint no_such_tracepoint: No such file or directory");
		dt_session_close(f.session);
	}
	f.attach.target = "sched_process_free";		/* has one argument; the program reads two */
	fixture_init(&f, DT_HOOK_RAWTP, ring_insns, COUNT(ring_insns), &(struct dt_image_reloc){ 10, M_RINGS, 0, false }, 1);
	f.attach.target = "sched_process_free";
	if (fixture_open(&f)) {
		CHECK_INT(dt_session_attach(f.session, f.msg, sizeof(f.msg)), -EINVAL);
		CHECK(strstr(f.msg, "uses more arguments") != NULL);
		dt_session_close(f.session);
	}
	f.maps[M_AGGS].inner = 77;
	CHECK_INT(dt_session_open(&f.image, &f.attach, 1, &f.session, f.msg, sizeof(f.msg)), -EINVAL);
	dt_arena_free(arena);
}

static double least(double a, double b) { return a < b ? a : b; }

/* One session that fires once into a ring its program names itself, without any array of maps. */
static double begin_alone(void)
{
	static const struct bpf_insn direct[] = {
		MAP(1), MOV_R(2, 10), ADD_I(2, -8), MOV_I(3, 0), STORE(10, -8, 3), MOV_I(3, 8), MOV_I(4, BPF_RB_FORCE_WAKEUP),
		CALL(ringbuf_output), MOV_I(0, 0), EXIT(),
	};
	static const struct dt_image_reloc relocs[] = { { 0, 0, 0, false } };
	struct fixture f;
	int got = 0;
	double start = now_ms();

	fixture_init(&f, DT_HOOK_RUN, direct, COUNT(direct), relocs, COUNT(relocs));
	memmove(&f.maps[0], &f.maps[M_RING], sizeof(f.maps[0]) * (M_N - M_RING));
	f.image.nmaps = M_N - M_RING;
	f.image.naggs = 0;
	if (fixture_open(&f)) {
		CHECK_INT(dt_session_run(f.session, 0, NULL, 0), 0);
		CHECK_INT(dt_session_wait(f.session, 5000000000), 1);	/* the record wakes us */
		dt_session_drain(f.session, 0, refuse_one, &got);
		CHECK_INT(got, 1);
		dt_session_close(f.session);
	}
	return now_ms() - start;
}

/* What every run costs, the best of a few: the machine is not ours alone. */
static void test_cost(void)
{
	static const struct dt_image_reloc rings[] = { { 10, M_RINGS, 0, false } };
	struct dt_features feat;
	struct fixture f;
	double start = now_ms(), direct_ms = 1e9, maps_ms = 1e9;

	CHECK_INT(dt_features_probe(&feat, f.msg, sizeof(f.msg)), 0);
	printf("session_test: features in %.2f ms\n", now_ms() - start);
	CHECK(feat.bpf_loop && feat.get_current_task_btf);	/* Linux 6.1 has both */
	for (int i = 0; i < 8; i++)
		direct_ms = least(direct_ms, begin_alone());
	printf("session_test: BEGIN alone, from open to close: %.2f ms\n", direct_ms);
	for (int i = 0; i < 4; i++) {
		start = now_ms();
		fixture_init(&f, DT_HOOK_RUN, ring_insns, COUNT(ring_insns), rings, COUNT(rings));
		if (fixture_open(&f)) {
			dt_session_run(f.session, 0, NULL, 0);
			dt_session_close(f.session);
		}
		maps_ms = least(maps_ms, now_ms() - start);
	}
	printf("session_test: the same through arrays of maps, with an aggregation: %.2f ms\n", maps_ms);
}

/* An aggregation without keys is a per-CPU array: its one element is always there, and zero after it was read. */
static void test_no_keys(void)
{
	static const struct bpf_insn insns[] = {
		MOV_R(6, 1),
		MOV_I(2, 0),
		STOREW(10, -4, 2),
		MAP(1),				/* 3: aggs */
		MOV_R(2, 10),
		ADD_I(2, -4),
		CALL(map_lookup_elem),
		JEQ_I(0, 0, 7),
		MOV_R(1, 0),
		MOV_R(2, 10),
		ADD_I(2, -4),
		CALL(map_lookup_elem),
		JEQ_I(0, 0, 2),
		LOAD(1, 6, 0),
		XADD(0, 0, 1),
		MOV_I(0, 0),
		EXIT(),
	};
	static const struct dt_image_reloc relocs[] = { { 3, M_AGGS, 0, false } };
	struct fixture f;
	struct sum sum = { 0 };

	fixture_init(&f, DT_HOOK_RUN, insns, COUNT(insns), relocs, COUNT(relocs));
	for (int i = M_A; i <= M_B; i++) {
		f.maps[i].type = BPF_MAP_TYPE_PERCPU_ARRAY;
		f.maps[i].key_size = 4;
		f.maps[i].max_entries = 1;
	}
	if (!fixture_open(&f))
		return;
	for (uint64_t i = 1; i <= 100; i++)
		dt_session_run(f.session, 0, &i, 1);
	for (int i = 0; i < 3; i++)
		CHECK_INT(dt_session_snapshot(f.session, 0, add_up, &sum), 0);
	CHECK_INT(sum.total, 5050);
	CHECK_INT(sum.elements, 3);
	dt_session_close(f.session);
}

static struct btf *storage_btf(uint32_t size, struct dt_image_map *m)
{
	struct btf *btf = btf__new_empty();

	m->btf_key = (uint32_t)btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	m->btf_value = (uint32_t)btf__add_array(btf, (int)m->btf_key, btf__add_int(btf, "char", 1, 0), size);
	return btf;
}

/* Constants are filled and can never change; task storage has its types; elements can be looked at. */
static void test_other_maps(void)
{
	static const struct bpf_insn insns[] = { MOV_I(0, 0), EXIT() };
	static const char text[] = "constant";
	char value[16] = "";
	struct fixture f;
	struct btf *btf;
	struct dt_drops drops = { .principal = 1 };

	fixture_init(&f, DT_HOOK_RUN, insns, COUNT(insns), NULL, 0);
	f.maps[0] = (struct dt_image_map){ DT_MAP_CONST, "const", BPF_MAP_TYPE_ARRAY, 4, 16, 1, BPF_F_RDONLY_PROG,
	    .inner = UINT32_MAX, .data = text, .len = sizeof(text) };
	f.maps[1] = (struct dt_image_map){ DT_MAP_TLS, "self", BPF_MAP_TYPE_TASK_STORAGE, 4, 24, 0, BPF_F_NO_PREALLOC,
	    .inner = UINT32_MAX };
	f.maps[2] = (struct dt_image_map){ DT_MAP_DYN, "dyn", BPF_MAP_TYPE_HASH, 8, 16, 10, .inner = UINT32_MAX };
	f.image.naggs = 0;
	btf = storage_btf(24, &f.maps[1]);
	f.image.btf = btf__raw_data(btf, &f.image.btflen);
	if (fixture_open(&f)) {
		CHECK_INT(dt_session_lookup(f.session, 0, &(uint32_t){ 0 }, value), 0);
		CHECK_STR(value, text);
		CHECK_INT(dt_session_update(f.session, 0, &(uint32_t){ 0 }, value), -EPERM);
		CHECK_INT(dt_session_update(f.session, 2, &(uint64_t){ 5 }, value), 0);
		CHECK_INT(dt_session_lookup(f.session, 2, &(uint64_t){ 6 }, value), -ENOENT);
		CHECK_INT(dt_session_lookup(f.session, M_N, &(uint64_t){ 6 }, value), -EINVAL);
		CHECK_INT(dt_session_drops(f.session, 0, &drops), 0);
		CHECK_INT(drops.principal, 0);
		CHECK_INT(dt_session_drops(f.session, dt_session_ncpus(f.session), &drops), -EINVAL);
		dt_session_close(f.session);
	}
	btf__free(btf);
}

static void nothing(int sig) { (void)sig; }

static void test_signal(void)
{
	static const struct bpf_insn insns[] = { MOV_I(0, 0), EXIT() };
	struct fixture f;
	struct sigaction act = { .sa_handler = nothing }, old;
	double start = now_ms();

	fixture_init(&f, DT_HOOK_RUN, insns, COUNT(insns), NULL, 0);
	f.image.nmaps = f.image.naggs = 0;
	if (!fixture_open(&f))
		return;
	CHECK_INT(dt_session_wait(f.session, 1000000), 0);
	sigaction(SIGALRM, &act, &old);
	ualarm(30000, 0);
	CHECK_INT(dt_session_wait(f.session, 20000000000), -EINTR);
	CHECK(now_ms() - start < 10000);
	sigaction(SIGALRM, &old, NULL);
	CHECK(dt_session_control(f.session) == NULL);
	dt_session_close(f.session);
}

static unsigned programs_named(const char *name)
{
	unsigned n = 0;

	for (uint32_t id = 0; bpf_prog_get_next_id(id, &id) == 0;) {
		struct bpf_prog_info info = { 0 };
		uint32_t len = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0)
			continue;
		n += bpf_obj_get_info_by_fd(fd, &info, &len) == 0 && strcmp(info.name, name) == 0;
		close(fd);
	}
	return n;
}

/* A process that dies without a word leaves nothing in the kernel. */
static void test_killed(void)
{
	static const struct dt_image_reloc relocs[] = { { 10, M_AGGS, 0, false } };
	struct fixture f;
	int ready[2], status;
	char byte = 0;
	pid_t pid;

	CHECK_INT(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		fixture_init(&f, DT_HOOK_SYS_ENTER, count_insns, COUNT(count_insns), relocs, COUNT(relocs));
		snprintf(f.prog.name, sizeof(f.prog.name), "k%d", (int)getppid());
		if (!fixture_open(&f) || dt_session_attach(f.session, f.msg, sizeof(f.msg)) || dt_session_start(f.session, f.msg, sizeof(f.msg)) ||
		    write(ready[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	snprintf(f.msg, sizeof(f.msg), "k%d", (int)getpid());
	CHECK_INT(read(ready[0], &byte, 1), 1);
	CHECK_INT(programs_named(f.msg), 1);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	for (int i = 0; i < 500 && programs_named(f.msg); i++)
		usleep(10000);			/* the kernel frees it after a grace period */
	CHECK_INT(programs_named(f.msg), 0);
	close(ready[0]);
	close(ready[1]);
}

/* A fork without rights: the sentence, not a number. */
static void test_rights(void)
{
	struct dt_features feat;
	char msg[256];
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		int err;

		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
			_exit(2);
		err = dt_features_probe(&feat, msg, sizeof(msg));
		_exit(err == -EPERM && strstr(msg, "DTrace requires additional privileges") ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	CHECK_INT(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

static int count_fds(void)
{
	int n = 0;

	for (int i = 0; i < 1024; i++)
		n += fcntl(i, F_GETFD) >= 0;
	return n;
}

/* ---- clauses over several programs ---- */

enum { CLAUSES = 3000, RUNS = 6 };

/* What the last clause that ran left in the one global variable, and the firings that were lost. */
static void run_chain(const struct dt_image *image, uint64_t *left, uint64_t *lost)
{
	struct dt_attach attach = { .kind = DT_HOOK_RUN };
	struct dt_session *s = NULL;
	struct dt_drops d;
	char msg[1024];

	if (!CHECK_INT(dt_session_open(image, &attach, 1, &s, msg, sizeof(msg)), 0)) {
		fprintf(stderr, "%s\n", msg);
		return;
	}
	for (int i = 0; i < RUNS; i++)
		CHECK_INT(dt_session_run(s, 0, NULL, 0), 0);
	for (uint32_t cpu = 0; cpu < dt_session_ncpus(s); cpu++) {
		CHECK_INT(dt_session_drops(s, cpu, &d), 0);
		*lost += d.slot;
	}
	for (uint32_t m = 0; m < image->nmaps; m++)
		if (image->maps[m].role == DT_MAP_GLOBALS)
			CHECK_INT(dt_session_lookup(s, m, &(uint32_t){ 0 }, left), 0);
	dt_session_close(s);
}

/* Without the programs behind the first each run is a drop, and gives its slot back, of which there are four. */
static void check_chain(struct dt_image *image)
{
	uint64_t left = 0, lost = 0;

	CHECK(image->nmore > 0);
	run_chain(image, &left, &lost);
	CHECK_INT(left, CLAUSES);
	CHECK_INT(lost, 0);
	image->nmore = 0;
	run_chain(image, &left, &lost);
	CHECK(left > 0 && left < CLAUSES);
	CHECK_INT(lost, RUNS);
}

static void test_chain(const struct dt_features *feat)
{
	static const char clause[] = "BEGIN { this->x++; y = this->x; }";
	struct dt_image_opts opts = { .strsize = 256, .nspec = 1, .bufsize = 1 << 16, .aggsize = 1 << 16, .dynvarsize = 1 << 16,
		.ncpus = (uint32_t)dt_session_possible_cpus(), .machine = dt_machine_here(), .feat = feat };
	struct dt_enabling *en = calloc(CLAUSES, sizeof(*en));
	struct dt_image_hook hook = { .ctx = DT_CTX_RUN, .en = en, .nen = CLAUSES };
	char *text = malloc(CLAUSES * sizeof(clause) + 32), *at = stpcpy(text, "this int x; int y; "), msg[1024] = "";
	int err = 0;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);
	dtrace_prog_t *p;

	for (int i = 0; i < CLAUSES; i++)
		at = stpcpy(at, clause);
	p = h ? dtrace_program_strcompile(h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL) : NULL;
	if (CHECK(p != NULL)) {
		const struct dt_prog *prog = dt_handle_prog(p);
		struct dt_image *image = NULL;

		for (uint32_t i = 0; i < CLAUSES; i++)
			en[i] = (struct dt_enabling){ .ecb = &prog->ecbs[i], .epid = i + 1, .probe_id = 1 };
		if (CHECK_INT(dt_image_build(&opts, &prog, 1, &hook, 1, &image, msg, sizeof(msg)), 0))
			check_chain(image);
		dt_image_free(image);
	}
	dtrace_close(h);
	free(en);
	free(text);
}

int main(void)
{
	struct dt_features feat;
	char msg[256];
	int fds;

	if (dt_features_probe(&feat, msg, sizeof(msg)) < 0) {
		printf("session_test: %s\nsession_test: 0 passed, 0 failed, 1 skipped\n", msg);
		return 0;
	}
	fds = count_fds();
	test_cost();
	test_keys();
	test_rings();
	test_exact();
	test_no_keys();
	test_other_maps();
	test_signal();
	test_killed();
	test_refusal();
	test_chain(&feat);
	test_tick();
	test_profile();
	test_rights();
	CHECK_INT(count_fds(), fds);
	return CHECK_DONE("session_test");
}
