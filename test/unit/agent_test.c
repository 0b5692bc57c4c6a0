/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hashes and rings that threads of a process and dtrace share: nothing is lost or doubled, a dead writer
 * stops no reader, and no byte that a process writes there leads dtrace astray.
 */
#include "check.h"
#include "agent/helpers.h"
#include "agent/agent_impl.h"
#include "agent_world.h"

#include <linux/bpf.h>
#include <pthread.h>
#include <sched.h>

enum { THREADS = 4 };

static uint64_t mix(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return *seed >> 33;
}

/* ---- hashes ---- */

struct job {
	const struct dt_agent_map *m;
	void *memory;
	uint64_t id, rounds, keys;
	uint64_t failed, done;
	pthread_t thread;
};

static void *memory(struct world *w, const struct dt_agent_map *m) { return w->code + m->at; }

static void run_jobs(struct world *w, const struct dt_agent_map *m, struct job *jobs, uint64_t rounds,
    uint64_t keys, void *(*f)(void *))
{
	for (uint64_t i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){ m, memory(w, m), i, rounds, keys, 0, 0, 0 };
		pthread_create(&jobs[i].thread, NULL, f, &jobs[i]);
	}
	for (uint64_t i = 0; i < THREADS; i++)
		pthread_join(jobs[i].thread, NULL);
}

/* As count() does: find, else add and find. */
static void *count_keys(void *arg)
{
	struct job *j = arg;
	uint64_t seed = j->id;

	for (uint64_t i = 0; i < j->rounds; i++) {
		struct { uint64_t a; uint32_t b; } key = { .a = mix(&seed) % j->keys, .b = 7 };
		uint64_t zero = 0, *value = dt_agent_hash_find(j->m, j->memory, &key);

		if (!value) {
			dt_agent_hash_update(j->m, j->memory, &key, &zero, BPF_NOEXIST, 0);
			value = dt_agent_hash_find(j->m, j->memory, &key);
		}
		if (value)
			__atomic_fetch_add(value, 1, __ATOMIC_RELAXED);
		else
			j->failed++;
	}
	return NULL;
}

struct sums { uint64_t elements, sum; uint8_t *seen; uint64_t doubles; };

static int add_up(void *ctx, const void *key, const void *values)
{
	struct sums *s = ctx;
	uint64_t k, v;

	memcpy(&k, key, sizeof(k));
	memcpy(&v, values, sizeof(v));
	s->elements++;
	s->sum += v;
	s->doubles += s->seen[k]++;
	return 0;
}

static void test_counts(void)
{
	struct job jobs[THREADS];
	struct world w;

	world_open(&w);
	/* many keys for one run of threads, and few that all of them add at the same moment, often */
	for (uint64_t round = 0; round < 40; round++) {
		uint64_t keys = round ? 16 : 20000, rounds = round ? 500 : 100000;
		const struct dt_agent_map *m = world_map(&w, DT_AGENT_HASH, 12, 8, (uint32_t)keys + THREADS);
		struct sums s = { .seen = calloc(keys, 1) };
		uint64_t failed = 0;

		run_jobs(&w, m, jobs, rounds, keys, count_keys);
		for (int i = 0; i < THREADS; i++)
			failed += jobs[i].failed;
		CHECK_INT(dt_agent_hash_walk(w.code, m, add_up, &s), 0);
		CHECK_INT(failed, 0);
		CHECK_INT(s.sum, THREADS * rounds);
		CHECK_INT(s.doubles, 0);
		CHECK_INT(((struct dt_agent_hash *)memory(&w, m))->count, s.elements);
		dt_agent_hash_clear(w.code, m);
		s.elements = 0;
		dt_agent_hash_walk(w.code, m, add_up, &s);
		CHECK_INT(s.elements, 0);
		free(s.seen);
	}
	world_close(&w);
}

/* Threads add and delete the same few keys: what deletes took away and what is left is what was added. */
static void *add_delete(void *arg)
{
	struct job *j = arg;
	uint64_t seed = j->id + 100, value = 1;

	for (uint64_t i = 0; i < j->rounds; i++) {
		uint64_t key = mix(&seed) % j->keys;
		int64_t ret;

		if (mix(&seed) % 2) {
			ret = dt_agent_hash_update(j->m, j->memory, &key, &value, BPF_NOEXIST, 0);
			j->done += ret == 0;
		} else {
			ret = dt_agent_hash_delete(j->m, j->memory, &key);
			j->done -= ret == 0;
		}
		j->failed += ret != 0 && ret != -EEXIST && ret != -ENOENT;
	}
	return NULL;
}

static void test_deletes(void)
{
	struct job jobs[THREADS];
	struct world w;
	const struct dt_agent_map *m;
	struct sums s = { .seen = calloc(64, 1) };
	uint64_t left = 0, failed = 0;

	world_open(&w);
	m = world_map(&w, DT_AGENT_HASH, 8, 8, 64);
	run_jobs(&w, m, jobs, 300000, 12, add_delete);
	for (int i = 0; i < THREADS; i++)
		left += jobs[i].done, failed += jobs[i].failed;
	dt_agent_hash_walk(w.code, m, add_up, &s);
	CHECK_INT(s.elements, left);
	CHECK_INT(s.doubles, 0);
	CHECK_INT(((struct dt_agent_hash *)memory(&w, m))->count, left);
	/* so much bad luck that a try is given up has not been seen */
	CHECK(failed < 100);
	free(s.seen);
	world_close(&w);
}

static void test_full(void)
{
	struct world w;
	const struct dt_agent_map *m;
	struct dt_agent_hash *h;
	uint64_t key, value = 5, big = 1 << 20;

	world_open(&w);
	m = world_map(&w, DT_AGENT_HASH, 8, 8, 1000);
	h = memory(&w, m);
	for (key = 0; key < 1000; key++)
		CHECK_INT(dt_agent_hash_update(m, h, &key, &value, BPF_ANY, 0), 0);
	CHECK_INT(dt_agent_hash_update(m, h, &key, &value, BPF_ANY, 0), -E2BIG);
	CHECK_INT(dt_agent_hash_update(m, h, &key, &value, BPF_NOEXIST, 0), -E2BIG);
	CHECK_INT(dt_agent_hash_update(m, h, &key, &value, BPF_EXIST, 0), -ENOENT);
	CHECK_INT(dt_agent_hash_update(m, h, &key, &value, 7, 0), -EINVAL);
	CHECK_INT(dt_agent_hash_delete(m, h, &key), -ENOENT);
	key = 17, value = 6;
	CHECK_INT(dt_agent_hash_update(m, h, &key, &value, BPF_NOEXIST, 0), -EEXIST);
	CHECK_INT(dt_agent_hash_update(m, h, &key, &value, BPF_EXIST, 0), 0);
	CHECK_INT(*(uint64_t *)dt_agent_hash_find(m, h, &key), 6);
	CHECK_INT(dt_agent_hash_delete(m, h, &key), 0);
	CHECK(dt_agent_hash_find(m, h, &key) == NULL);
	CHECK_INT(dt_agent_hash_update(m, h, &big, &value, BPF_ANY, 0), 0);
	/* keys that come and go for long leave no bucket empty */
	for (key = 2000; key < 200000; key++) {
		CHECK_INT(dt_agent_hash_delete(m, h, &big), 0);
		big = key * 7919;
		if (!CHECK_INT(dt_agent_hash_update(m, h, &big, &value, BPF_ANY, 0), 0))
			break;
	}
	m = world_map(&w, DT_AGENT_CPU_HASH, 4, 12, 10);
	h = memory(&w, m);
	CHECK_INT(dt_agent_hash_update(m, h, "keys", "twelve bytes", BPF_ANY, 2), 0);
	CHECK(memcmp((char *)dt_agent_hash_find(m, h, "keys") + 2 * m->stride, "twelve bytes", 12) == 0);
	CHECK_INT(*((char *)dt_agent_hash_find(m, h, "keys") + m->stride), 0);
	world_close(&w);
}

/* ---- rings ---- */

struct rec { uint64_t writer, number, fill[]; };

static void *write_records(void *arg)
{
	struct job *j = arg;
	uint64_t seed = j->id;

	while (j->done < j->rounds) {
		uint64_t extra = mix(&seed) % 9;
		struct rec *r = dt_agent_ring_reserve(j->m, j->memory, sizeof(*r) + 8 * extra);

		if (!r) {
			sched_yield();
			continue;
		}
		if (mix(&seed) % 8 == 0) {
			dt_agent_ring_end(r, DT_RING_DISCARD, 0);
			continue;
		}
		r->writer = j->id;
		r->number = j->done++;
		for (uint64_t i = 0; i < extra; i++)
			r->fill[i] = r->number;
		dt_agent_ring_end(r, 0, 0);
	}
	return NULL;
}

struct seen { uint64_t next[THREADS], records, wrong; };

static void look_at(struct seen *s, const void *data, size_t len)
{
	struct rec r;

	memcpy(&r, data, sizeof(r));
	s->wrong += r.writer >= THREADS || r.number != s->next[r.writer % THREADS] || len % 8 != 0;
	for (size_t i = sizeof(r); i < len; i += 8)
		s->wrong += memcmp((const char *)data + i, &r.number, 8) != 0;
	s->next[r.writer % THREADS]++;
	s->records++;
}

static bool read_once(struct dt_agent_reader *r, uint8_t *copy, struct seen *s)
{
	uint64_t n = dt_agent_ring_range(r), at = 0;
	const void *data;
	size_t len;

	dt_agent_ring_copy(r, copy, n);
	while (dt_agent_ring_next(copy, n, &at, &data, &len))
		look_at(s, data, len);
	CHECK_INT(at, n);
	dt_agent_ring_release(r, n);
	return n > 0;
}

static void test_ring(uint32_t size, uint64_t rounds)
{
	struct job jobs[THREADS];
	struct world w;
	const struct dt_agent_map *m;
	struct dt_agent_reader r;
	struct seen s = { 0 };
	uint8_t *copy = malloc(size);

	world_open(&w);
	m = world_map(&w, DT_AGENT_RING, 0, 0, size);
	dt_agent_reader_init(&r, w.code, m);
	for (uint64_t i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){ m, memory(&w, m), i, rounds, 0, 0, 0, 0 };
		pthread_create(&jobs[i].thread, NULL, write_records, &jobs[i]);
	}
	while (s.records < THREADS * rounds && s.wrong == 0) {
		if (!read_once(&r, copy, &s))
			sched_yield();
	}
	for (uint64_t i = 0; i < THREADS; i++)
		pthread_join(jobs[i].thread, NULL);
	while (read_once(&r, copy, &s))
		;
	CHECK_INT(s.wrong, 0);
	CHECK_INT(s.records, THREADS * rounds);
	CHECK_INT(dt_agent_ring_used(&r), 0);
	free(copy);
	world_close(&w);
}

static void write_one(const struct dt_agent_map *m, struct dt_agent_ring *ring, uint64_t number)
{
	struct rec *r = dt_agent_ring_reserve(m, ring, sizeof(*r));

	if (CHECK(r != NULL)) {
		*r = (struct rec){ 0, number };
		dt_agent_ring_end(r, 0, 0);
	}
}

/* Threads that died before they wrote a header, or before they ended a record; also one with a filler. */
static void test_dead_writers(void)
{
	struct world w;
	const struct dt_agent_map *m;
	struct dt_agent_ring *ring;
	struct dt_agent_reader r;
	struct seen s = { 0 };
	uint8_t copy[256];
	uint64_t used;

	world_open(&w);
	m = world_map(&w, DT_AGENT_RING, 0, 0, 256);
	ring = memory(&w, m);
	dt_agent_reader_init(&r, w.code, m);
	write_one(m, ring, 0);
	CHECK(dt_agent_ring_reserve(m, ring, 40) != NULL);
	write_one(m, ring, 1);
	CHECK(read_once(&r, copy, &s) && !read_once(&r, copy, &s));
	used = dt_agent_ring_used(&r);
	CHECK_INT(used, 48 + 24);
	CHECK_INT(dt_agent_ring_skip(&r, used), 48);
	CHECK(read_once(&r, copy, &s));
	CHECK_INT(dt_agent_ring_used(&r), 0);
	/* no header; and behind it, claimed after we looked, a place whose thread lives */
	ring->producer += 32;
	used = dt_agent_ring_used(&r);
	ring->producer += 24;
	CHECK_INT(dt_agent_ring_skip(&r, used), 32);
	CHECK_INT(dt_agent_ring_used(&r), 24);
	CHECK_INT(dt_agent_ring_skip(&r, 24), 24);
	/* no filler's header at the end of the ring */
	ring->producer += 256 - (ring->producer & 255);
	CHECK(dt_agent_ring_skip(&r, 256) > 0);
	CHECK_INT(r.consumer % 256, 0);
	write_one(m, ring, 2);
	CHECK(read_once(&r, copy, &s));
	CHECK_INT(s.records, 3);
	CHECK_INT(s.wrong, 0);
	CHECK(dt_agent_ring_reserve(m, ring, 250) == NULL && dt_agent_ring_reserve(m, ring, 0) == NULL);
	CHECK(dt_agent_ring_reserve(m, ring, 1ull << 40) == NULL);
	world_close(&w);
}

/* ---- a hostile process ---- */

struct vandal { struct world *w; uint64_t stop, rounds; };

static void *scribble(void *arg)
{
	struct vandal *v = arg;
	uint64_t seed = 1;
	uint64_t *words = (uint64_t *)(void *)v->w->agent;
	uint64_t n = v->w->data_used / 8, first = sizeof(struct dt_agent) / 8;

	while (!__atomic_load_n(&v->stop, __ATOMIC_RELAXED)) {
		/*
		 * all of it now and then; else words that mean something, with plausible and with wild
		 * values
		 */
		for (int i = 0; i < 4000; i++) {
			uint64_t value = mix(&seed) << 32 | mix(&seed);

			if (mix(&seed) % 3 == 0)
				value = mix(&seed) % 3 ? mix(&seed) % 512 : value & 0xffffffff00000007ull;
			__atomic_store_n(&words[mix(&seed) % n], value, __ATOMIC_RELAXED);
		}
		for (uint64_t i = first; i < n && i < first + 4096; i++)
			__atomic_store_n(&words[i], mix(&seed) % (mix(&seed) % 8 ? 40 : UINT64_MAX),
			    __ATOMIC_RELAXED);
		__atomic_fetch_add(&v->rounds, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static int look_at_element(void *ctx, const void *key, const void *values)
{
	uint64_t *sum = ctx;

	*sum += *(const uint8_t *)key + *(const uint8_t *)values;
	return 0;
}

static void test_hostile(void)
{
	struct world w;
	struct vandal v = { .w = &w };
	const struct dt_agent_map *hash, *ring;
	struct dt_agent_reader r;
	pthread_t thread;
	uint64_t sum = 0, records = 0;
	uint8_t *copy = malloc(4096);

	world_open(&w);
	ring = world_map(&w, DT_AGENT_RING, 0, 0, 4096);
	hash = world_map(&w, DT_AGENT_HASH, 24, 40, 1000);
	dt_agent_reader_init(&r, w.code, ring);
	pthread_create(&thread, NULL, scribble, &v);
	for (int i = 0; i < 3000 || records <= 100 || __atomic_load_n(&v.rounds, __ATOMIC_RELAXED) < 300;
	    i++) {
		uint64_t n = dt_agent_ring_range(&r), used = dt_agent_ring_used(&r), at = 0;
		const void *data;
		size_t len;

		CHECK(n <= 4096 && used <= 4096);
		dt_agent_ring_copy(&r, copy, n);
		while (dt_agent_ring_next(copy, n, &at, &data, &len)) {
			CHECK((const uint8_t *)data >= copy && (const uint8_t *)data + len <= copy + n);
			records++;
		}
		dt_agent_ring_release(&r, n);
		if (n == 0)
			dt_agent_ring_skip(&r, used);
		if (i % 10 == 0) {
			dt_agent_hash_walk(w.code, hash, look_at_element, &sum);
			dt_agent_missed(w.agent);
			dt_agent_forget(w.agent, (uint32_t)i);
		}
		if (i % 100 == 0)
			dt_agent_hash_clear(w.code, hash);
		if (i % 1000 == 0)
			dt_agent_grace(w.agent, false, 0);
	}
	__atomic_store_n(&v.stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	CHECK(records > 100);
	free(copy);
	world_close(&w);
}

/* ---- grace periods ---- */

static void *end_firing(void *arg)
{
	struct dt_agent_thread *t = arg;

	usleep(20000);
	__atomic_store_n(&t->n, t->n + 1, __ATOMIC_RELEASE);	/* another one is under way at once */
	return NULL;
}

static void test_grace(void)
{
	struct world w;
	pthread_t thread;

	world_open(&w);
	CHECK_INT(dt_agent_grace(w.agent, false, 0), 0);
	w.agent->thread[77] = (struct dt_agent_thread){ .owner = 5ull << 32 | 6, .firing = 1, .missed = 4 };
	w.agent->crowded = 3;
	CHECK_INT(dt_agent_missed(w.agent), 7);
	CHECK_INT(dt_agent_grace(w.agent, false, 1000000), -ETIMEDOUT);
	pthread_create(&thread, NULL, end_firing, &w.agent->thread[77]);
	CHECK_INT(dt_agent_grace(w.agent, false, 60000000000ull), 0);
	pthread_join(thread, NULL);
	CHECK_INT(dt_agent_grace(w.agent, false, 1000000), -ETIMEDOUT);
	dt_agent_forget(w.agent, 6);
	CHECK_INT(dt_agent_grace(w.agent, false, 1000000), -ETIMEDOUT);
	dt_agent_forget(w.agent, 5);
	CHECK_INT(dt_agent_grace(w.agent, false, 0), 0);
	CHECK_INT(w.agent->thread[77].owner, 0);
	world_close(&w);
}

static void test_sizes(void)
{
	struct dt_agent_map m = { .type = DT_AGENT_ARRAY, .value_size = 12, .max_entries = 10 };

	CHECK_INT(dt_agent_map_size(&m), 160);
	m = (struct dt_agent_map){ .type = DT_AGENT_CPU_ARRAY, .value_size = 8, .max_entries = 3,
		.ncpus = 4 };
	CHECK_INT(dt_agent_map_size(&m), 96);
	m = (struct dt_agent_map){ .type = DT_AGENT_THREAD, .value_size = 8 };
	CHECK_INT(dt_agent_map_size(&m), 16 * DT_AGENT_THREADS);
	m = (struct dt_agent_map){ .type = 99, .value_size = 8, .max_entries = 3 };
	CHECK_INT(dt_agent_map_size(&m), 0);
	m = (struct dt_agent_map){ .type = DT_AGENT_RING, .max_entries = UINT32_MAX };
	CHECK_INT(dt_agent_map_size(&m), 0);
}

/* ---- reads in a loop ---- */

#define READ(to, n, from) dt_agent_probe_read_user((uint64_t)(to), n, (uint64_t)(from), 0, 0, f)

static uint64_t nothing(uint64_t i, uint64_t ctx, uint64_t c, uint64_t d, uint64_t e, struct dt_firing *f)
{
	(void)i, (void)ctx, (void)c, (void)d, (void)e, (void)f;
	return 0;
}

/* Small reads are made from one piece: a hole is a fault there too, and what was written is seen. */
static uint64_t read_in_loop(uint64_t i, uint64_t ctx, uint64_t c, uint64_t d, uint64_t e,
    struct dt_firing *f)
{
	char *end = (char *)ctx;
	uint64_t word = 1, pair[2];

	(void)c, (void)d, (void)e;
	CHECK_INT(READ(&word, 8, end - 8), 0);
	CHECK_INT(word, 7 + i);
	CHECK_INT(READ(pair, 16, end - 16), 0);
	CHECK_INT(pair[1], 7 + i);
	CHECK_INT(READ(pair, 16, end - 8), -EFAULT);
	CHECK_INT(pair[0], 0);
	CHECK_INT(READ(&word, 8, end), -EFAULT);
	CHECK_INT(READ(&word, 8, UINT64_MAX - 7), -EFAULT);
	CHECK_INT(READ(&word, 8, end - 8), 0);
	word = 8 + i;
	CHECK_INT(dt_agent_probe_write_user((uint64_t)end - 8, (uint64_t)&word, 8, 0, 0, f), 0);
	CHECK_INT(dt_agent_loop(1, (uint64_t)nothing, 0, 0, 0, f), 1);
	return 0;
}

static void test_loop_reads(void)
{
	struct dt_agent_process own = { .self = (uint32_t)getpid() };
	struct dt_firing f = { .process = &own };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(two + page, page);
	memcpy(two + page - 8, &(uint64_t){ 7 }, 8);
	CHECK_INT(dt_agent_loop(3, (uint64_t)read_in_loop, (uint64_t)(two + page), 0, 0, &f), 3);
	CHECK(f.window == NULL);
	munmap(two, page);
}

int main(void)
{
	test_loop_reads();
	test_sizes();
	test_full();
	test_counts();
	test_deletes();
	test_ring(1 << 16, 50000);
	test_ring(256, 3000);
	test_dead_writers();
	test_hostile();
	test_grace();
	return check_report("agent");
}
