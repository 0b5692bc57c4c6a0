/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One BPF ring buffer, read by hand. The kernel's layout is two pages of positions and the
 * data, mapped twice in a row. The consumer position only grows and is written after the record was
 * passed on, so no record is lost or seen twice. A record that is still being written (busy) ends the
 * reading.
 * Mapped pages count as our memory whether or not they are read. So the addresses are reserved from the
 * start, but pages are mapped piece by piece, in the order in which a ring is written, when a record is
 * first read there. Of the second copy only the pages that records across the end need are mapped.
 */
#include "session/impl.h"
#include "base/child.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIECES = 32 };		/* of each copy: a trade of memory for calls of mmap() */

int dt_ring_open(struct dt_ring *r, uint64_t size, const char *name)
{
	void *at;

	r->page = (size_t)sysconf(_SC_PAGESIZE);
	r->mask = size - 1;
	r->piece = size / PIECES > r->page ? size / PIECES : r->page;
	r->fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, name, 0, 0, (uint32_t)size, NULL);
	if (r->fd < 0)
		return r->fd = -1, -errno;
	at = dt_map_nofork(r->fd, 0, r->page, PROT_READ | PROT_WRITE, NULL);
	if (at == MAP_FAILED)
		return -errno;
	r->consumer = at;
	at = dt_map_nofork(r->fd, (off_t)r->page, r->page, PROT_READ, NULL);
	if (at == MAP_FAILED)
		return -errno;
	r->producer = at;
	at = mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return -errno;
	r->data = at;
	return 0;
}

void dt_ring_close(struct dt_ring *r)
{
	if (r->data)
		munmap(r->data, 2 * (r->mask + 1));
	if (r->producer)
		munmap((void *)(uintptr_t)r->producer, r->page);
	if (r->consumer)
		munmap(r->consumer, r->page);
	if (r->fd >= 0)
		close(r->fd);
	*r = (struct dt_ring){ .fd = -1 };
}

/* Maps the data up to an offset; 0 or -errno. */
static int map_pieces(struct dt_ring *r, uint64_t end)
{
	uint64_t to = (end + r->piece - 1) / r->piece * r->piece;

	if (to > 2 * (r->mask + 1))
		return -EIO;	/* a length that the kernel did not write */
	if (dt_map_nofork(r->fd, (off_t)(2 * r->page + r->shown), to - r->shown, PROT_READ,
	    r->data + r->shown) == MAP_FAILED)
		return -errno;
	r->shown = to;
	return 0;
}

uint64_t dt_ring_range(const struct dt_ring *r, uint64_t *end)
{
	*end = __atomic_load_n(r->producer, __ATOMIC_ACQUIRE);
	return *r->consumer;
}

int dt_ring_next(struct dt_ring *r, uint64_t *pos, uint64_t end, const void **data, size_t *len)
{
	while (*pos < end) {
		uint64_t off = *pos & r->mask, body = off + BPF_RINGBUF_HDR_SZ;
		const unsigned char *rec = r->data + off;
		uint32_t head, size;
		int err = body > r->shown ? map_pieces(r, body) : 0;

		if (err)
			return err;
		head = __atomic_load_n((const uint32_t *)(const void *)rec, __ATOMIC_ACQUIRE);
		size = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		if (head & BPF_RINGBUF_BUSY_BIT)
			return 0;
		err = body + size > r->shown ? map_pieces(r, body + size) : 0;
		if (err)
			return err;
		*pos += ((uint64_t)size + BPF_RINGBUF_HDR_SZ + 7) & ~7ull;
		if (head & BPF_RINGBUF_DISCARD_BIT)
			continue;
		*data = rec + BPF_RINGBUF_HDR_SZ;
		*len = size;
		return 1;
	}
	return 0;
}

void dt_ring_release(struct dt_ring *r, uint64_t pos)
{
	__atomic_store_n(r->consumer, pos, __ATOMIC_RELEASE);
}

int dt_ring_drain(struct dt_ring *r, dt_ring_f *f, void *ctx)
{
	uint64_t end, pos = dt_ring_range(r, &end);
	const void *data;
	size_t len;
	int ret;

	while ((ret = dt_ring_next(r, &pos, end, &data, &len)) > 0) {
		ret = f(ctx, data, len);
		if (ret >= 0)
			dt_ring_release(r, pos);
		if (ret)
			return ret;
	}
	if (!ret)
		dt_ring_release(r, pos);
	return ret;
}
