/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Room for records, by need. A session begins with one ring that all CPUs share, so its start takes as long
 * on 64 CPUs as on one. A CPU that fills it quickly gets a ring of its own, and a larger one as often as the
 * reader does not keep up, as long as the machine has memory to spare. A program looks for the ring of its
 * CPU in RINGS[cpu]. If that element is empty, the program writes to the shared ring and sets the byte of its
 * CPU in the control block (image->wants), which asks for a ring.
 * One thread does this, the keeper, since the reader may be busy with what it has read. A ring that was
 * replaced is read to its end and closed when no program can still be writing to it. Policy fill has a ring
 * of fixed size for each CPU instead.
 */
#include "session/impl.h"
#include "base/file.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#define RING_MAX (1ull << 30)		/* the kernel takes no larger one */
#define RING_LARGE (64ull << 20)
enum { PLACING_MS = 5, KEEPER_NICE = -15 };

/* A ring that is being put where programs find it. */
struct dt_placing {
	struct dt_map_update job;
	struct dt_ring *old;		/* the one it replaces; NULL: the shared one */
	struct dt_placing *next;
};

/* ---- the list ---- */

/* Adds a new ring to what is read, and waited for. NULL with *err: it cannot be made. */
static struct dt_ring *add_ring(struct dt_session *s, int cpu, uint64_t size, int *err)
{
	struct dt_rings *k = &s->rings;
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET, .data.fd = -1 };
	struct dt_ring *r = calloc(1, sizeof(*r)), **more;

	*err = r != NULL ? dt_ring_open(r, size, "dt_ring") : -ENOMEM;
	if (*err == 0 && ((s->epoll >= 0 && epoll_ctl(s->epoll, EPOLL_CTL_ADD, r->fd, &ev) < 0) ||
	    (k->epoll >= 0 && epoll_ctl(k->epoll, EPOLL_CTL_ADD, r->fd, &ev) < 0)))
		*err = -errno;
	pthread_mutex_lock(&k->lock);
	more = *err == 0 ? realloc(k->ring, (k->n + 1) * sizeof(*more)) : NULL;
	if (more != NULL) {
		r->cpu = cpu;
		k->ring = more;
		k->ring[k->n++] = r;
		k->total += size;
	} else if (*err == 0) {
		*err = -ENOMEM;
	}
	pthread_mutex_unlock(&k->lock);
	if (*err == 0)
		return r;
	if (r != NULL)
		dt_ring_close(r);
	free(r);
	return NULL;
}

static uint64_t unread(const struct dt_ring *r)
{
	return __atomic_load_n(r->producer, __ATOMIC_ACQUIRE) -
	    __atomic_load_n(r->consumer, __ATOMIC_RELAXED);
}

static bool is_over(const struct dt_ring *r)
{
	return __atomic_load_n(&r->replaced, __ATOMIC_ACQUIRE) && unread(r) == 0;
}

/* Those that were replaced and read to their end go. */
uint32_t dt_session_rings(struct dt_session *s)
{
	struct dt_rings *k = &s->rings;
	struct dt_ring **copy;
	uint32_t n = 0;

	if (s->over >= 0)
		return s->ncpus;
	pthread_mutex_lock(&k->lock);
	for (uint32_t i = 0; i < k->n; i++) {
		if (is_over(k->ring[i])) {
			k->total -= k->ring[i]->mask + 1;
			dt_ring_close(k->ring[i]);
			free(k->ring[i]);
		} else {
			k->ring[n++] = k->ring[i];
		}
	}
	k->n = n;
	copy = k->nreading < n ? realloc(k->reading, n * sizeof(*copy)) : k->reading;
	if (copy != NULL)
		k->reading = copy;
	else
		n = k->nreading < n ? k->nreading : n;		/* the others wait until there is memory */
	for (uint32_t i = 0; i < n; i++)
		k->reading[i] = k->ring[i];
	k->nreading = n;
	pthread_mutex_unlock(&k->lock);
	return n;
}

int dt_session_ring_cpu(const struct dt_session *s, uint32_t i)
{
	return s->over >= 0 ? (int)i : s->rings.reading[i]->cpu;
}

uint64_t dt_session_room(struct dt_session *s)
{
	struct dt_rings *k = &s->rings;
	uint64_t room = s->image->layouts.room;

	pthread_mutex_lock(&k->lock);
	for (uint32_t i = 0; i < k->n; i++)
		room = k->ring[i]->mask + 1 > room ? k->ring[i]->mask + 1 : room;
	pthread_mutex_unlock(&k->lock);
	return room;
}

/* ---- the keeper ---- */

/* What all rings together may take: an eighth of the memory that is free. */
static uint64_t memory_to_spare(void)
{
	unsigned long long kib = 0;
	const char *line;
	char *text;
	size_t len;

	if (dt_file_read("/proc/meminfo", 1 << 16, &text, &len) != 0)
		return 0;
	line = strstr(text, "\nMemAvailable:");
	if (line != NULL)
		kib = strtoull(line + sizeof("\nMemAvailable:") - 1, NULL, 10);
	free(text);
	return kib * 1024 / 8;
}

/*
 * The new ring is read before any program finds it. A CPU keeps what it has where there is no memory for
 * more: it is not asked for again.
 */
static void give_ring(struct dt_session *s, uint32_t cpu, uint64_t size)
{
	struct dt_rings *k = &s->rings;
	struct dt_placing *p = calloc(1, sizeof(*p));
	struct dt_ring *r = NULL;
	int err;

	if (p != NULL && k->total + size <= k->limit)
		r = add_ring(s, (int)cpu, size, &err);
	if (r == NULL) {
		k->most = 0;
		free(p);
		return;
	}
	p->old = k->of[cpu];
	p->job = (struct dt_map_update){ .map = k->outer, .slot = cpu, .inner = r->fd };
	p->next = k->placing;
	k->placing = p;
	k->of[cpu] = r;
	dt_map_update_start(&p->job, 1);
	dt_map_update_visible(&p->job, 1);	/* the next one for this CPU must not overtake it */
}

/* Rings whose successors are placed have had their last record. `wait`: for all of them. */
static void note_placed(struct dt_rings *k, bool wait)
{
	for (struct dt_placing **at = &k->placing, *p; (p = *at) != NULL;) {
		if (!wait && !dt_map_update_done(&p->job)) {
			at = &p->next;
			continue;
		}
		dt_map_update_join(&p->job, 1);
		if (p->old != NULL)
			__atomic_store_n(&p->old->replaced, true, __ATOMIC_RELEASE);
		*at = p->next;
		free(p);
	}
}

/*
 * What a ring is to become that is too full; its own size: it is not. Small ones have little time left and
 * grow in long steps.
 */
static uint64_t size_needed(const struct dt_ring *r)
{
	uint64_t size = r->mask + 1;

	if (size < RING_LARGE)
		return unread(r) >= size / 4 ? 4 * size : size;
	return unread(r) >= size / 2 ? 2 * size : size;
}

static void look_at_rings(struct dt_session *s)
{
	struct dt_rings *k = &s->rings;
	bool crowded = unread(k->shared) >= (k->shared->mask + 1) / 8;

	note_placed(k, false);
	for (uint32_t cpu = 0; cpu < s->ncpus && k->most > 0; cpu++) {
		const struct dt_ring *r = k->of[cpu];
		uint64_t size = r != NULL ? size_needed(r) : k->size;

		if (r == NULL && (!crowded || !__atomic_exchange_n(&k->wants[cpu], 0, __ATOMIC_RELAXED)))
			continue;
		if (r == NULL || (size > r->mask + 1 && size <= k->most))
			give_ring(s, cpu, size);
	}
}

/* It runs for moments only, but then at once: a machine that is busy is why it is needed. */
static void *keep_rings(void *arg)
{
	struct dt_session *s = arg;
	struct dt_rings *k = &s->rings;
	struct epoll_event ev[16];
	uint64_t stop;

	(void)setpriority(PRIO_PROCESS, (id_t)gettid(), KEEPER_NICE);
	while (read(k->stop, &stop, sizeof(stop)) < 0) {
		look_at_rings(s);
		(void)epoll_wait(k->epoll, ev, 16, k->placing != NULL ? PLACING_MS : -1);
	}
	note_placed(k, true);
	return NULL;
}

/* Without a thread all goes on with the rings there are. */
void dt_rings_keep(struct dt_session *s)
{
	struct dt_rings *k = &s->rings;
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = -1 };
	sigset_t all, old;

	if (k->running || k->shared == NULL || k->wants == NULL || k->outer < 0)
		return;
	k->epoll = epoll_create1(EPOLL_CLOEXEC);
	k->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (k->epoll < 0 || k->stop < 0 || epoll_ctl(k->epoll, EPOLL_CTL_ADD, k->stop, &ev) < 0)
		return;
	ev.events |= EPOLLET;
	if (epoll_ctl(k->epoll, EPOLL_CTL_ADD, k->shared->fd, &ev) < 0)
		return;
	/* read here, before probes go live: what the tracer opens would be traced */
	k->limit = s->image->grows ? k->total + memory_to_spare() : UINT64_MAX;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	k->running = pthread_create(&k->thread, NULL, keep_rings, s) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void dt_rings_look(struct dt_session *s)
{
	const struct dt_rings *k = &s->rings;

	if (!k->running && k->shared != NULL && unread(k->shared) >= (k->shared->mask + 1) / 8)
		dt_rings_keep(s);
}

void dt_rings_stop(struct dt_session *s)
{
	struct dt_rings *k = &s->rings;

	if (k->running) {
		(void)!write(k->stop, &(uint64_t){ 1 }, 8);
		pthread_join(k->thread, NULL);
	}
	k->running = false;
}

/* ---- all of it ---- */

/* The kernel wants a power of two of at least one page. */
static uint64_t ring_size(uint32_t want)
{
	uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);

	while (size < want)
		size *= 2;
	return size;
}

/* The shared one: where a CPU's is small, it has room for all of them. */
static uint64_t shared_size(const struct dt_session *s, uint64_t each)
{
	uint64_t size = each;

	while (size < each * s->ncpus && size < 1u << 20)
		size *= 2;
	return size;
}

/* Policy fill: one for each CPU that is online, put into RINGS by the caller. */
static int fixed_rings(struct dt_session *s, uint64_t size, char *msg, size_t len)
{
	int err = 0;

	for (uint32_t cpu = 0; cpu < s->ncpus; cpu++) {
		if (!dt_cpu_wanted(s, cpu))
			continue;
		if (add_ring(s, (int)cpu, size, &err) == NULL)
			return dt_session_fail(msg, len, err, "cannot make a buffer of %llu bytes for CPU %u",
			    (unsigned long long)size, cpu);
	}
	return s->rings.n > 0 ? 0 : dt_session_fail(msg, len, -ENODEV, "no CPU is online");
}

int dt_rings_open(struct dt_session *s, const struct dt_image_map *m, int *template, char *msg, size_t len)
{
	struct dt_rings *k = &s->rings;
	uint64_t size = ring_size(m->max_entries), shared;
	int err;

	if (k->n > 0 || size > 1u << 31)
		return dt_session_fail(msg, len, -EINVAL,
		    "the kernel cannot have a buffer of %u bytes for each CPU", m->max_entries);
	k->size = size;
	k->most = s->image->grows ? RING_MAX : size;
	if (s->image->layouts.policy == DT_POLICY_FILL) {
		err = fixed_rings(s, size, msg, len);
	} else {
		shared = shared_size(s, size);
		k->shared = add_ring(s, -1, shared, &err);
		err = err == 0 ? 0 : dt_session_fail(msg, len, err, "cannot make a buffer of %llu bytes",
		    (unsigned long long)shared);
	}
	if (err == 0)
		*template = k->ring[0]->fd;
	return err;
}

bool dt_rings_init(struct dt_session *s)
{
	struct dt_rings *k = &s->rings;

	k->epoll = k->stop = k->outer = -1;
	pthread_mutex_init(&k->lock, NULL);
	k->of = calloc(s->ncpus, sizeof(*k->of));
	return k->of != NULL;
}

void dt_rings_close(struct dt_session *s)
{
	struct dt_rings *k = &s->rings;

	dt_rings_stop(s);
	note_placed(k, true);
	for (uint32_t i = 0; i < k->n; i++) {
		dt_ring_close(k->ring[i]);
		free(k->ring[i]);
	}
	if (k->epoll >= 0)
		close(k->epoll);
	if (k->stop >= 0)
		close(k->stop);
	free(k->ring);
	free(k->reading);
	free(k->of);
	pthread_mutex_destroy(&k->lock);
}
