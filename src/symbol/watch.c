/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Perf rings come in, events in time order go out. Layouts: PERF_RECORD_* in <linux/perf_event.h>; the time
 * is the last word of each. The kernel writes the rings, while processes choose what they map and under
 * which names: a record is copied out before it is looked at, and one that is too short for its kind is
 * left out.
 */
#include "symbol/watch.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RING_BYTES (128u << 10)		/* of each CPU: about a thousand mappings between two looks */

/*
 * The first page says how far the kernel has written and we have read; RING_BYTES, a power of two, follow.
 */
struct ring { int fd; struct perf_event_mmap_page *page; size_t len; };

struct dt_watch {
	struct ring *ring;
	uint32_t n;
	size_t pagesize;
};

static int open_event(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.build_id = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = RING_BYTES,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int open_ring(struct dt_watch *w, struct ring *r, int cpu)
{
	void *at;

	r->fd = open_event(cpu);
	if (r->fd < 0)
		return r->fd;
	r->len = w->pagesize + RING_BYTES;
	at = mmap(NULL, r->len, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (at == MAP_FAILED) {
		int err = -errno;

		close(r->fd);
		return err;
	}
	r->page = at;
	return 0;
}

int dt_watch_open(struct dt_watch **out)
{
	long ncpus = sysconf(_SC_NPROCESSORS_CONF);
	struct dt_watch *w = calloc(1, sizeof(*w));
	int err = 0;

	if (w == NULL || ncpus <= 0 || (w->ring = calloc((size_t)ncpus, sizeof(*w->ring))) == NULL) {
		free(w);
		return -ENOMEM;
	}
	w->pagesize = (size_t)sysconf(_SC_PAGESIZE);
	for (int cpu = 0; cpu < ncpus && err == 0; cpu++) {
		err = open_ring(w, &w->ring[w->n], cpu);
		if (err == 0)
			w->n++;
		else if (err == -ENODEV)
			err = 0;	/* a CPU that is off */
	}
	if (err != 0 || w->n == 0) {
		dt_watch_close(w);
		return err != 0 ? err : -ENODEV;
	}
	*out = w;
	return 0;
}

void dt_watch_close(struct dt_watch *w)
{
	if (w == NULL)
		return;
	for (uint32_t i = 0; i < w->n; i++) {
		munmap(w->ring[i].page, w->ring[i].len);
		close(w->ring[i].fd);
	}
	free(w->ring);
	free(w);
}

/* ---- reading ---- */

struct batch {
	uint8_t *bytes;			/* records one after the other */
	size_t len, cap;
	struct place { uint64_t time; size_t at; } *rec;
	size_t n, capn;
};

/* A record may go round the end of the ring. */
static void copy_out(const struct ring *r, size_t pagesize, uint64_t at, void *to, size_t len)
{
	const uint8_t *data = (const uint8_t *)r->page + pagesize;
	size_t off = at & (RING_BYTES - 1), first = RING_BYTES - off < len ? RING_BYTES - off : len;

	memcpy(to, data + off, first);
	memcpy((uint8_t *)to + first, data, len - first);
}

/* The place is kept as an offset, since the bytes may move while more are added. */
static int keep_event(struct batch *b, const struct dt_watch *w, const struct ring *r, uint64_t at,
    size_t len)
{
	uint64_t when = 0;

	if (b->len + len > b->cap) {
		size_t cap = b->cap * 2 > b->len + len ? b->cap * 2 : b->len + len + 4096;
		uint8_t *more = realloc(b->bytes, cap);

		if (more == NULL)
			return -ENOMEM;
		b->bytes = more;
		b->cap = cap;
	}
	if (b->n == b->capn) {
		size_t cap = b->capn != 0 ? b->capn * 2 : 64;
		struct place *more = realloc(b->rec, cap * sizeof(*more));

		if (more == NULL)
			return -ENOMEM;
		b->rec = more;
		b->capn = cap;
	}
	copy_out(r, w->pagesize, at, b->bytes + b->len, len);
	if (len >= sizeof(struct perf_event_header) + sizeof(when))
		memcpy(&when, b->bytes + b->len + len - sizeof(when), sizeof(when));
	b->rec[b->n++] = (struct place){ when, b->len };
	b->len += len;
	return 0;
}

/*
 * The head is read once, with acquire: what lies before it is written. Then the tail releases all of it to
 * the kernel, also what could not be kept, or the ring would stand still.
 */
static int drain(struct batch *b, const struct dt_watch *w, struct ring *r)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE), at = r->page->data_tail;
	int err = 0;

	while (at < head && err == 0) {
		struct perf_event_header h;

		copy_out(r, w->pagesize, at, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > head - at)
			break;
		err = keep_event(b, w, r, at, h.size);
		at += h.size;
	}
	__atomic_store_n(&r->page->data_tail, head, __ATOMIC_RELEASE);
	return err;
}

/* Of events of one time the one that was drained first comes first, as qsort() itself promises no order. */
static int by_time(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* ---- records ---- */

static uint32_t u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* pid tid addr len pgoff, 24 bytes of the file, prot flags, the name, the time */
static bool read_map(const uint8_t *p, size_t len, uint16_t misc, struct dt_watch_event *e)
{
	enum { ADDR = 8, FILE_AT = 32, NAME = 64 };

	if (len < NAME + 1 + 8)
		return false;
	e->kind = DT_WATCH_MAP;
	e->start = u64(p + ADDR);
	e->len = u64(p + ADDR + 8);
	e->offset = u64(p + ADDR + 16);
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		e->idlen = p[FILE_AT] <= sizeof(e->id) ? p[FILE_AT] : 0;
		memcpy(e->id, p + FILE_AT + 4, e->idlen);
	} else {
		e->major = u32(p + FILE_AT);
		e->minor = u32(p + FILE_AT + 4);
		e->inode = u64(p + FILE_AT + 8);
	}
	e->path = (const char *)p + NAME;
	return memchr(e->path, '\0', len - NAME - 8) != NULL && e->len != 0 && e->start + e->len > e->start &&
	    e->offset + e->len >= e->offset;
}

/*
 * e->path points into the record and lives until the listener returns. Threads are not reported: a view is
 * of a process.
 */
static bool read_record(const uint8_t *rec, struct dt_watch_event *e)
{
	struct perf_event_header h;
	const uint8_t *p = rec + sizeof(h);
	size_t len;

	memcpy(&h, rec, sizeof(h));
	len = h.size - sizeof(h);
	if (h.type == PERF_RECORD_LOST) {
		e->kind = DT_WATCH_LOST;
		return true;
	}
	if (len < 16)
		return false;
	e->pid = u32(p);
	switch (h.type) {
	case PERF_RECORD_MMAP2: return read_map(p, len, h.misc, e);
	case PERF_RECORD_FORK:
		e->kind = DT_WATCH_FORK;
		e->ppid = u32(p + 4);
		return e->pid != e->ppid;	/* else a thread */
	case PERF_RECORD_EXIT:
		e->kind = DT_WATCH_EXIT;
		return e->pid == u32(p + 8);	/* the first thread */
	case PERF_RECORD_COMM:
		e->kind = DT_WATCH_EXEC;
		return h.misc & PERF_RECORD_MISC_COMM_EXEC;
	default: return false;
	}
}

int dt_watch_read(struct dt_watch *w, dt_watch_f *f, void *ctx)
{
	struct batch b = { 0 };
	int err = 0;

	for (uint32_t i = 0; i < w->n && err == 0; i++)
		err = drain(&b, w, &w->ring[i]);
	if (err != 0)
		f(ctx, &(struct dt_watch_event){ .kind = DT_WATCH_LOST, .memory = true });
	if (b.n > 1)
		qsort(b.rec, b.n, sizeof(*b.rec), by_time);
	for (size_t i = 0; i < b.n; i++) {
		struct dt_watch_event e = { .time = b.rec[i].time };

		if (read_record(b.bytes + b.rec[i].at, &e))
			f(ctx, &e);
	}
	free(b.bytes);
	free(b.rec);
	return err;
}
