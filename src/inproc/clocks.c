/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples that the kernel takes: a clock of each thread on each CPU (perf_event_open(2)), which any user may
 * have of own processes where kernel.perf_event_paranoid is 2 or less. Threads that are started later inherit
 * them. A sample has the registers of the thread and a piece of its stack, as of the moment; all clocks of a
 * CPU write to one ring. The kernel writes the rings; the bytes of stacks in them are the process's.
 */
#include "inproc/sampler.h"

#include "base/count.h"
#include "machine/machine.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * STACK: bytes of it that a sample has. RING_MOST: what an ordinary user may have locked in memory for each
 * CPU (perf_event_mlock_kb, 516 by default), in bytes of a ring; half as much is tried while it is refused.
 */
enum { STACK = 16 << 10, RING_MOST = 512 << 10, RING_LEAST = 64 << 10, ROUNDS = 8, WAIT_MS = 100,
	WAIT_HUNG_MS = 10 };

struct clock_ring { int fd; uint32_t cpu; uint8_t *area; uint64_t tail; };
struct clock_event { int fd; uint64_t id; uint32_t tid, rate; };

struct inproc_clocks {
	struct inproc_sampler *s;
	struct clock_event *event;
	uint32_t n, cap;
	struct clock_ring *ring;
	uint32_t nrings;
	size_t size;			/* of a ring */
	uint64_t regs_mask;
	uint8_t *record;		/* a copy of one, as long as records can be */
};

/* What PERF_SAMPLE_* in open_event() make of a record; then come registers and the stack. */
struct clock_sample {
	struct perf_event_header h;
	uint32_t pid, tid;
	uint64_t time, id;
	uint32_t cpu, spare;
	uint64_t abi;			/* PERF_SAMPLE_REGS_ABI_* */
	uint64_t words[];
};
struct clock_lost { struct perf_event_header h; uint64_t id, n; };
struct clock_name { struct perf_event_header h; uint32_t pid, tid; char name[]; };

/* ---- opening ---- */

static int open_event(const struct inproc_clocks *c, uint64_t interval, uint32_t tid, uint32_t cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = interval,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU |
		    PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = c->regs_mask,
		.sample_stack_user = STACK,
		.disabled = 1, .inherit = 1, .exclude_kernel = 1, .exclude_hv = 1, .comm = 1,
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC,
		.watermark = 1, .wakeup_watermark = (uint32_t)c->size / 4,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int map_ring(struct inproc_clocks *c, struct clock_ring *r, int fd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, page + c->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return -errno;
	r->area = at;
	r->fd = fd;
	r->tail = 0;
	return 0;
}

/* A process may have many threads, and a machine many CPUs. */
static bool raise_limit(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) < 0 || l.rlim_cur >= l.rlim_max)
		return false;
	l.rlim_cur = l.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &l) == 0;
}

static int add_event(struct inproc_clocks *c, uint32_t tid, uint32_t rate, struct clock_ring *r)
{
	int fd = open_event(c, c->s->rate[rate].interval, tid, r->cpu), err = 0;
	uint64_t id = 0;

	if (fd == -EMFILE && raise_limit())
		fd = open_event(c, c->s->rate[rate].interval, tid, r->cpu);
	if (fd == -ENODEV || fd == -ESRCH)
		return 0;		/* the CPU is off; the thread has ended */
	if (fd < 0)
		return fd;
	if (c->n == c->cap) {
		struct clock_event *more = realloc(c->event, (c->cap * 2 + 64) * sizeof(*more));

		if (more == NULL) {
			close(fd);
			return -ENOMEM;
		}
		c->event = more;
		c->cap = c->cap * 2 + 64;
	}
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0)
		err = -errno;
	c->event[c->n++] = (struct clock_event){ fd, id, tid, rate };
	if (err == 0 && r->area == NULL)
		err = map_ring(c, r, fd);
	else if (err == 0 && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->fd) < 0)
		err = -errno;
	return err;
}

/* The thread's clocks, unless it has them. */
static int add_thread(void *ctx, uint32_t pid, uint32_t tid)
{
	struct inproc_clocks *c = ctx;
	int err = 0;

	(void)pid;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->event[i].tid == tid)
			return 0;
	for (uint32_t rate = 0; rate < c->s->nrates && err == 0; rate++)
		for (uint32_t i = 0; i < c->nrings && err == 0; i++)
			err = add_event(c, tid, rate, &c->ring[i]);
	return err;
}

/* Threads that begin between the list and their parent's clock are found by looking again. */
static int add_threads(struct inproc_clocks *c)
{
	int err = 0;

	for (uint32_t i = 0; i < c->s->nprocesses && err == 0; i++)
		for (uint32_t n = ROUNDS, before = UINT32_MAX; n > 0 && before != c->n && err == 0; n--) {
			before = c->n;
			err = dt_sampler_threads(c->s->process[i].pid, add_thread, c);
		}
	return err;
}

static int add_rings(struct inproc_clocks *c)
{
	c->ring = calloc(c->s->p->ncpus, sizeof(*c->ring));
	c->record = malloc(UINT16_MAX + 1);
	if (c->ring == NULL || c->record == NULL)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < c->s->p->ncpus; cpu++)
		c->ring[c->nrings++] = (struct clock_ring){ .fd = -1, .cpu = cpu };
	return 0;
}

static void close_events(struct inproc_clocks *c)
{
	for (uint32_t i = 0; i < c->nrings; i++)
		if (c->ring[i].area != NULL)
			munmap(c->ring[i].area, (size_t)sysconf(_SC_PAGESIZE) + c->size);
	for (uint32_t i = 0; i < c->n; i++)
		close(c->event[i].fd);
	c->n = 0;
}

void dt_clocks_close(struct inproc_clocks *c)
{
	if (c == NULL)
		return;
	close_events(c);
	free(c->event);
	free(c->ring);
	free(c->record);
	free(c);
}

static int by_id(const void *a, const void *b)
{
	const struct clock_event *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

int dt_clocks_open(struct inproc_sampler *s)
{
	const struct dt_machine *m = s->p->opts.machine;
	struct inproc_clocks *c = calloc(1, sizeof(*c));
	int err;

	if (c == NULL)
		return -ENOMEM;
	c->s = s;
	for (uint32_t i = 0; i < m->regs.nperf; i++)
		if (m->regs.perf[i] != DT_MACHINE_NOWHERE)
			c->regs_mask |= 1ull << i;
	err = c->regs_mask != 0 ? add_rings(c) : -ENOTSUP;
	for (c->size = RING_MOST; err == 0; c->size /= 2) {
		err = add_threads(c);
		if ((err != -EPERM && err != -ENOMEM && err != -EAGAIN) || c->size == RING_LEAST)
			break;
		close_events(c);
		for (uint32_t i = 0; i < c->nrings; i++)
			c->ring[i].area = NULL;
		err = 0;
	}
	if (err == 0 && c->n == 0)
		err = -ESRCH;
	if (err != 0) {
		dt_clocks_close(c);
		return err;
	}
	qsort(c->event, c->n, sizeof(*c->event), by_id);
	s->clocks = c;
	return 0;
}

/* ---- reading ---- */

/* Registers and stack of a record of n bytes; false: the thread has none that we know. */
static bool read_sample(struct inproc_clocks *c, const struct clock_sample *r, size_t n,
    struct dt_agent_sample *to, uint64_t *regs)
{
	const struct dt_machine *m = c->s->p->opts.machine;
	size_t have = n >= sizeof(*r) ? (n - sizeof(*r)) / 8 : 0, at = 0, len;

	if (n < sizeof(*r) || r->abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (uint32_t i = 0; i < m->regs.nperf && at < have; i++)
		if (m->regs.perf[i] != DT_MACHINE_NOWHERE)
			regs[m->regs.perf[i] / 8] = r->words[at++];
	to->time = r->time;
	to->cpu = r->cpu;
	if (at >= have || (len = r->words[at++]) == 0)
		return true;
	if (len / 8 >= have - at)
		return false;
	/* after the bytes: how many of them were there */
	to->stack = (const uint8_t *)&r->words[at];
	to->stack_at = regs[m->regs.sp / 8];
	to->stack_len = r->words[at + len / 8] < len ? r->words[at + len / 8] : len;
	return true;
}

static void take_sample(struct inproc_clocks *c, const struct clock_sample *r, size_t n)
{
	struct clock_event key = { .id = n >= sizeof(*r) ? r->id : 0 }, *e;
	uint64_t regs[DT_AGENT_REGS] = { 0 };
	struct dt_agent_sample *to;

	e = bsearch(&key, c->event, c->n, sizeof(*c->event), by_id);
	if (e == NULL)
		return;
	to = dt_sampler_begin(c->s, r->pid, r->tid);
	if (to == NULL)
		return;			/* a child inherits the clocks of its parent */
	if (read_sample(c, r, n, to, regs))
		dt_sampler_fire(c->s, &c->s->rate[e->rate], regs);
	else
		dt_sampler_lose(c->s, 1);
}

static void take_record(struct inproc_clocks *c, size_t n)
{
	const struct perf_event_header *h = (const void *)c->record;
	const struct clock_name *name = (const void *)c->record;

	c->record[n] = '\0';
	if (h->type == PERF_RECORD_SAMPLE)
		take_sample(c, (const void *)c->record, n);
	else if (h->type == PERF_RECORD_LOST && n >= sizeof(struct clock_lost))
		dt_sampler_lose(c->s, ((const struct clock_lost *)(const void *)c->record)->n);
	else if (h->type == PERF_RECORD_COMM && n > sizeof(*name))
		dt_sampler_rename(c->s, name->tid, name->name);
}

static void copy_from(const struct inproc_clocks *c, const struct clock_ring *r, uint64_t pos, void *to,
    size_t n)
{
	const uint8_t *data = r->area + sysconf(_SC_PAGESIZE);
	size_t at = pos & (c->size - 1), first = n < c->size - at ? n : c->size - at;

	memcpy(to, data + at, first);
	memcpy((uint8_t *)to + first, data, n - first);
}

static void drain(struct inproc_clocks *c, struct clock_ring *r)
{
	struct perf_event_mmap_page *page = (void *)r->area;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);

	while (head - r->tail >= sizeof(struct perf_event_header)) {
		struct perf_event_header h;

		copy_from(c, r, r->tail, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > head - r->tail)
			break;
		copy_from(c, r, r->tail, c->record, h.size);
		r->tail += h.size;
		__atomic_store_n(&page->data_tail, r->tail, __ATOMIC_RELEASE);
		take_record(c, h.size);
	}
}

static void set_all(struct inproc_clocks *c, unsigned long request)
{
	for (uint32_t i = 0; i < c->n; i++)
		(void)ioctl(c->event[i].fd, request, 0);
}

/* A ring wakes us when it is filled to a quarter. */
void dt_clocks_run(struct inproc_sampler *s)
{
	struct inproc_clocks *c = s->clocks;
	struct pollfd *fds = calloc(c->nrings + 1u, sizeof(*fds));
	int wait = WAIT_MS;
	uint32_t n = 0;

	for (uint32_t i = 0; fds != NULL && i < c->nrings; i++)
		if (c->ring[i].area != NULL)
			fds[n++] = (struct pollfd){ .fd = c->ring[i].fd, .events = POLLIN };
	if (fds != NULL)
		fds[n] = (struct pollfd){ .fd = s->stop, .events = POLLIN };
	set_all(c, PERF_EVENT_IOC_ENABLE);
	for (bool stop = false; !stop;) {
		struct pollfd one = { .fd = s->stop, .events = POLLIN };

		(void)(fds != NULL ? poll(fds, n + 1, wait) : poll(&one, 1, WAIT_HUNG_MS));
		/* the thread that a ring was made for has ended: others write to it, and nothing wakes us */
		for (uint32_t i = 0; fds != NULL && i < n; i++)
			if (fds[i].revents & (POLLHUP | POLLERR)) {
				fds[i].fd = -1;
				wait = WAIT_HUNG_MS;
			}
		stop = fds != NULL ? fds[n].revents != 0 : one.revents != 0;
		if (stop)
			set_all(c, PERF_EVENT_IOC_DISABLE);
		for (uint32_t i = 0; i < c->nrings; i++)
			if (c->ring[i].area != NULL)
				drain(c, &c->ring[i]);
	}
	free(fds);
}
