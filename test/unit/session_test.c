/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sessions with images written by hand: counting is exact while buffers are switched, rings lose and double
 * nothing, refusals say what the verifier said. Without the right to use bpf(2) all of it is skipped.
 */
#include "session_fixture.h"
#include "session/uprobe.h"

#include <bpf/btf.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>

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
	MAP(2),				/* 8: control.gen */
	LOAD(2, 2, 0),
	MOV_R(3, 2),
	I(BPF_ALU64 | BPF_LSH | BPF_K, 3, 0, 0, DT_GEN_SHIFT),
	STOREW(10, -4, 3),		/* the last word of the key */
	I(BPF_ALU64 | BPF_AND | BPF_K, 2, 0, 0, 1),
	STOREW(10, -12, 2),
	MAP(1),				/* 16: aggs */
	MOV_R(2, 10),
	ADD_I(2, -12),
	CALL(map_lookup_elem),
	JEQ_I(0, 0, 16),
	MOV_R(7, 0),
	MOV_R(1, 7),
	MOV_R(2, 10),
	ADD_I(2, -8),
	CALL(map_lookup_elem),
	JNE_I(0, 0, 8),			/* 27 → 36 */
	MOV_I(2, 1),
	STORE(10, -24, 2),
	MOV_R(1, 7),
	MOV_R(2, 10),
	ADD_I(2, -8),
	MOV_R(3, 10),
	ADD_I(3, -24),
	I(BPF_JMP | BPF_JA, 0, 0, 2, 0),	/* 35 → 38 */
	MOV_I(2, 1),			/* 42 */
	I(BPF_JMP | BPF_JA, 0, 0, 3, 0),	/* 37 → 41: add */
	MOV_I(4, BPF_NOEXIST),		/* 38 */
	CALL(map_update_elem),
	I(BPF_JMP | BPF_JA, 0, 0, 1, 0),	/* 40 → 42 */
	XADD(0, 0, 2),			/* 41 */
	MOV_I(0, 0),			/* 36 */
	EXIT(),
};

static void patch_count(void)
{
	/* branches to the end, at 42 */
	count_insns[1].off = 42 - 2;
	count_insns[5].off = 42 - 6;
	count_insns[21].off = 42 - 22;
	count_insns[5].imm = getpid();
}

enum { CALLS = 300000, GEN = offsetof(struct dt_control, gen) };

static void *call_many(void *arg)
{
	unsigned n = *(unsigned *)arg;

	for (unsigned i = 0; i < n; i++)
		syscall(SYS_getppid);
	return NULL;
}

struct sum { int64_t total; uint32_t elements; };

static int add_up(void *ctx, const struct dt_aggcell *part)
{
	struct sum *s = ctx;

	s->elements++;
	for (uint32_t i = 0; i < part->ncpus; i++)
		s->total += part->words[i * part->stride];
	return 0;
}

static int take_sum(struct fixture *f, struct sum *sum)
{
	struct dt_taken taken;

	return dt_session_take(f->session, &taken, add_up, sum);
}

/* Two threads call while the buffers are switched again and again: what was counted is what was called. */
static void test_exact(void)
{
	static const struct dt_image_reloc relocs[] = {
		{ 8, M_CONTROL, GEN, true }, { 16, M_AGGS, 0, false }
	};
	struct fixture f;
	struct sum sum = { 0 };
	pthread_t t[2];
	unsigned calls = CALLS, switches = 0;
	double start;
	const char *many = getenv("DT_SWITCHES");
	unsigned want = many ? (unsigned)atoi(many) : 60;

	patch_count();
	fixture_init(&f, DT_HOOK_SYS_ENTER, count_insns, DT_COUNT(count_insns), relocs, DT_COUNT(relocs));
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
		CHECK_INT(take_sum(&f, &sum), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("session_test: %u switches under load in %.0f ms\n", switches, now_ms() - start);
	dt_session_detach(f.session);
	syscall(SYS_getppid);			/* no longer counted */
	CHECK_INT(take_sum(&f, &sum), 0);
	CHECK_INT(take_sum(&f, &sum), 0);
	CHECK_INT(sum.total, 2ll * calls);
	sum = (struct sum){ 0 };
	for (int i = 0; i < 2; i++)
		CHECK_INT(take_sum(&f, &sum), 0);
	CHECK_INT(sum.elements, 0);		/* emptied */
	dt_session_close(f.session);
}

/* agg[arg0] += 1, run by hand with many keys: more than one batch. */
static const struct bpf_insn key_insns[] = {
	LOAD(0, 1, 0),
	STORE(10, -8, 0),
	MAP(2),				/* 2: control.gen */
	LOAD(2, 2, 0),
	MOV_R(3, 2),
	I(BPF_ALU64 | BPF_LSH | BPF_K, 3, 0, 0, DT_GEN_SHIFT),
	STOREW(10, -4, 3),		/* the last word of the key */
	I(BPF_ALU64 | BPF_AND | BPF_K, 2, 0, 0, 1),
	STOREW(10, -12, 2),
	MAP(1),				/* 10: aggs */
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

static int stop_at_third(void *ctx, const struct dt_aggcell *part)
{
	(void)part;
	return ++*(int *)ctx == 3 ? -ECANCELED : 0;
}

static void test_keys(void)
{
	static const struct dt_image_reloc relocs[] = {
		{ 2, M_CONTROL, GEN, true }, { 10, M_AGGS, 0, false }
	};
	struct fixture f;
	struct sum sum = { 0 };
	struct dt_taken taken;
	int n = 0;

	fixture_init(&f, DT_HOOK_RUN, key_insns, DT_COUNT(key_insns), relocs, DT_COUNT(relocs));
	if (!fixture_open(&f))
		return;
	for (uint64_t key = 0; key < KEYS; key++)
		dt_session_run(f.session, 0, &key, 1);
	CHECK_INT(take_sum(&f, &sum), 0);
	CHECK_INT(sum.elements, KEYS);
	CHECK_INT(sum.total, KEYS);
	/* into the hash of the other side */
	CHECK_INT(dt_session_run(f.session, 0, &(uint64_t){ 7 }, 1), 0);
	sum = (struct sum){ 0 };
	CHECK_INT(take_sum(&f, &sum), 0);
	CHECK_INT(sum.elements, 1);
	for (uint64_t key = 0; key < 100; key++)
		dt_session_run(f.session, 0, &key, 1);
	CHECK_INT(dt_session_take(f.session, &taken, stop_at_third, &n), -ECANCELED);
	CHECK_INT(n, 3);
	CHECK_INT(dt_session_run(f.session, 0, (uint64_t[13]){ 0 }, 13), -EINVAL);
	CHECK_INT(dt_session_run(f.session, 1, NULL, 0), -EINVAL);
	dt_session_close(f.session);
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

	fixture_init(&f, DT_HOOK_RUN, ring_insns, DT_COUNT(ring_insns), relocs, DT_COUNT(relocs));
	f.maps[M_RING].max_entries = 60000;	/* rounded up to 64 KiB: many times round */
	if (!fixture_open(&f))
		return;
	ncpus = dt_session_ncpus(f.session);
	CHECK(ncpus >= 1 && (int)ncpus == dt_session_possible_cpus());
	ncpus = dt_session_rings(f.session);
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
	CHECK_INT(once, 1);
	r[0].got = 0;
	for (uint32_t cpu = 0; cpu < ncpus; cpu++)
		dt_session_drain(f.session, cpu, read_one, &r[0]);
	CHECK_INT(r[0].got, 1);			/* refused, and still there */
	CHECK_INT(dt_session_drain(f.session, ncpus, read_one, &r[0]), -EINVAL);
	dt_session_close(f.session);
}

/* A refused program: the message has the verifier's words and the D line. */
static void test_refusal(void)
{
	static const struct bpf_insn bad[] = { MOV_I(1, 0), LOAD(0, 1, 0), EXIT() };
	static const uint32_t text[] = { 0, 0 };
	static const uint32_t pcs[] = { 0, 1, 1 };
	struct dt_arena *arena = dt_arena_new();
	struct dt_source *src = dt_source_new(arena, DT_SRC_FILE, "bad.d", "BEGIN\n{ trace(*(int *)0); }\n",
	    29);
	struct dt_loc locs[] = { { src, 0, 5 }, { src, 14, 9 } };
	struct dt_difo difo = { .text = text, .ntext = 2, .locs = locs };
	const struct dt_difo *at[] = { &difo, &difo, &difo };
	struct fixture f;

	fixture_init(&f, DT_HOOK_RAWTP, bad, DT_COUNT(bad), NULL, 0);
	f.attach.target = "sched_switch";
	f.prog.difo_at = at;
	f.prog.difpc_at = pcs;
	f.image.nmaps = 0;
	f.image.layouts.naggs = 0;
	CHECK(dt_session_open(&f.image, &f.attach, 1, &f.session, f.msg, sizeof(f.msg)) < 0);
	CHECK(f.session == NULL);
	CHECK(strstr(f.msg, "refuses the program for sched_switch: R1 invalid mem access") != NULL);
	CHECK(strstr(f.msg, "bad.d, line 2, at DIF offset 4") != NULL);
	CHECK_INT(dt_session_open(&f.image, &f.attach, 0, &f.session, f.msg, sizeof(f.msg)), -EINVAL);
	fixture_init(&f, DT_HOOK_RAWTP, tick_insns, DT_COUNT(tick_insns), tick_relocs, DT_COUNT(tick_relocs));
	f.attach.target = "no_such_tracepoint";
	if (fixture_open(&f)) {
		CHECK_INT(dt_session_attach(f.session, f.msg, sizeof(f.msg)), -ENOENT);
		CHECK_STR(f.msg, "cannot attach to tracepoint no_such_tracepoint: No such file or directory");
		dt_session_close(f.session);
	}
	f.attach.target = "sched_process_free";		/* has one argument; the program reads two */
	fixture_init(&f, DT_HOOK_RAWTP, ring_insns, DT_COUNT(ring_insns),
	    &(struct dt_image_reloc){ 10, M_RINGS, 0, false }, 1);
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
		MAP(1), MOV_R(2, 10), ADD_I(2, -8), MOV_I(3, 0), STORE(10, -8, 3), MOV_I(3, 8),
		    MOV_I(4, BPF_RB_FORCE_WAKEUP),
		CALL(ringbuf_output), MOV_I(0, 0), EXIT(),
	};
	static const struct dt_image_reloc relocs[] = { { 0, 0, 0, false } };
	struct fixture f;
	int got = 0;
	double start = now_ms();

	fixture_init(&f, DT_HOOK_RUN, direct, DT_COUNT(direct), relocs, DT_COUNT(relocs));
	memmove(&f.maps[0], &f.maps[M_RING], sizeof(f.maps[0]) * (M_N - M_RING));
	f.image.nmaps = M_N - M_RING;
	f.image.layouts.naggs = 0;
	if (fixture_open(&f)) {
		CHECK_INT(dt_session_run(f.session, 0, NULL, 0), 0);
		CHECK_INT(dt_session_wait(f.session, LONG_WAIT), 1);	/* the record wakes us */
		dt_session_rings(f.session);
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
		fixture_init(&f, DT_HOOK_RUN, ring_insns, DT_COUNT(ring_insns), rings, DT_COUNT(rings));
		if (fixture_open(&f)) {
			dt_session_run(f.session, 0, NULL, 0);
			dt_session_close(f.session);
		}
		maps_ms = least(maps_ms, now_ms() - start);
	}
	printf("session_test: the same through arrays of maps, with an aggregation: %.2f ms\n", maps_ms);
}

/* Without keys, a generation is an element of a per-CPU array: always there, and zero after it was read. */
static void test_no_keys(void)
{
	static const struct bpf_insn insns[] = {
		MOV_R(6, 1),
		MAP(2),				/* 1: control.gen */
		LOAD(2, 2, 0),
		I(BPF_ALU64 | BPF_RSH | BPF_K, 2, 0, 0, 1),
		I(BPF_ALU64 | BPF_AND | BPF_K, 2, 0, 0, 7),
		STOREW(10, -4, 2),
		MAP(1),				/* 7: the cells */
		MOV_R(2, 10),
		ADD_I(2, -4),
		CALL(map_lookup_elem),
		JEQ_I(0, 0, 2),
		LOAD(1, 6, 0),
		XADD(0, 0, 1),
		MOV_I(0, 0),
		EXIT(),
	};
	static const struct dt_image_reloc relocs[] = {
		{ 1, M_CONTROL, GEN, true }, { 7, M_A, 0, false }
	};
	struct fixture f;
	struct sum sum = { 0 };

	fixture_init(&f, DT_HOOK_RUN, insns, DT_COUNT(insns), relocs, DT_COUNT(relocs));
	f.maps[M_A].type = BPF_MAP_TYPE_PERCPU_ARRAY;
	f.maps[M_A].key_size = 4;
	f.maps[M_A].max_entries = 8;
	f.maps[M_AGGS].max_entries = 1;
	f.maps[M_B].role = DT_MAP_DYN;
	if (!fixture_open(&f))
		return;
	for (uint64_t i = 1; i <= 100; i++)
		dt_session_run(f.session, 0, &i, 1);
	for (int i = 0; i < 3; i++)
		CHECK_INT(take_sum(&f, &sum), 0);
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

	fixture_init(&f, DT_HOOK_RUN, insns, DT_COUNT(insns), NULL, 0);
	f.maps[0] = (struct dt_image_map){ DT_MAP_CONST, "const", BPF_MAP_TYPE_ARRAY, 4, 16, 1,
		BPF_F_RDONLY_PROG,
	    .inner = UINT32_MAX, .data = text, .len = sizeof(text) };
	f.maps[1] = (struct dt_image_map){ DT_MAP_TLS, "self", BPF_MAP_TYPE_TASK_STORAGE, 4, 24, 0,
		BPF_F_NO_PREALLOC,
	    .inner = UINT32_MAX };
	f.maps[2] = (struct dt_image_map){ DT_MAP_DYN, "dyn", BPF_MAP_TYPE_HASH, 8, 16, 10,
		.inner = UINT32_MAX };
	f.image.layouts.naggs = 0;
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

	fixture_init(&f, DT_HOOK_RUN, insns, DT_COUNT(insns), NULL, 0);
	f.image.nmaps = f.image.layouts.naggs = 0;
	if (!fixture_open(&f))
		return;
	CHECK_INT(dt_session_wait(f.session, 1000000), 0);
	sigaction(SIGALRM, &act, &old);
	ualarm(30000, 30000);			/* again and again: the first may come before we wait */
	CHECK_INT(dt_session_wait(f.session, LONG_WAIT), -EINTR);
	ualarm(0, 0);
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
	static const struct dt_image_reloc relocs[] = {
		{ 8, M_CONTROL, GEN, true }, { 16, M_AGGS, 0, false }
	};
	struct fixture f;
	int ready[2], status;
	char byte = 0;
	pid_t pid;

	CHECK_INT(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		fixture_init(&f, DT_HOOK_SYS_ENTER, count_insns, DT_COUNT(count_insns), relocs,
		    DT_COUNT(relocs));
		snprintf(f.prog.name, sizeof(f.prog.name), "k%d", (int)getppid());
		if (!fixture_open(&f) || dt_session_attach(f.session, f.msg, sizeof(f.msg)) ||
		    dt_session_start(f.session, f.msg, sizeof(f.msg)) ||
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

/* H 16: a process that ended before its probes were there is the reason, not a file of ours. */
static void test_ended(void)
{
	struct dt_point point = { .target = "/proc/self/exe" };
	struct dt_uprobes u = { .prog = -1, .multi = true, .points = &point, .n = 1 };
	char msg[256] = "", want[64];
	pid_t pid = fork();
	int link;

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	point.pid = (uint32_t)pid;
	CHECK(dt_uprobe_attach(&u, &link, msg, sizeof(msg)) == -ESRCH);
	snprintf(want, sizeof(want), "process %d has ended", (int)pid);
	CHECK_STR(msg, want);
	point.pid = 0;
	CHECK(dt_uprobe_attach(&u, &link, msg, sizeof(msg)) < 0 && strstr(msg, "session_test") != NULL);
}

int main(void)
{
	struct dt_features feat;
	int fds;

	if (!may_trace("session_test", &feat))
		return 0;
	fds = count_fds();
	test_ended();
	test_cost();
	test_keys();
	test_rings();
	test_exact();
	test_no_keys();
	test_other_maps();
	test_signal();
	test_killed();
	test_refusal();
	test_rights();
	CHECK_INT(count_fds(), fds);
	return CHECK_DONE("session_test");
}
