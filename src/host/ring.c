/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A BPF ring buffer of one CPU, read by hand: the kernel's layout is two pages of positions and the data, mapped
 * twice in a row. The consumer's position only grows and is written after the record was handed on, so no record
 * is lost or seen twice. A record that is still being written (busy) ends the reading.
 */
#include "host/session_impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

int dt_ring_open(struct dt_ring *r, uint64_t size, const char *name)
{
	void *consumer, *producer;

	r->page = (size_t)sysconf(_SC_PAGESIZE);
	r->mask = size - 1;
	r->fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, name, 0, 0, (uint32_t)size, NULL);
	if (r->fd < 0)
		return r->fd = -1, -errno;
	consumer = mmap(NULL, r->page, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (consumer == MAP_FAILED)
		return -errno;
	r->consumer = consumer;
	producer = mmap(NULL, r->page + 2 * size, PROT_READ, MAP_SHARED, r->fd, (off_t)r->page);
	if (producer == MAP_FAILED)
		return -errno;
	r->producer = producer;
	r->data = (const unsigned char *)producer + r->page;
	return 0;
}

void dt_ring_close(struct dt_ring *r)
{
	if (r->producer)
		munmap((void *)(uintptr_t)r->producer, r->page + 2 * (r->mask + 1));
	if (r->consumer)
		munmap(r->consumer, r->page);
	if (r->fd >= 0)
		close(r->fd);
	*r = (struct dt_ring){ .fd = -1 };
}

int dt_ring_drain(struct dt_ring *r, dt_ring_f *f, void *ctx)
{
	uint64_t at, end;
	int ret = 0;

	if (r->fd < 0)
		return 0;
	at = *r->consumer;
	end = __atomic_load_n(r->producer, __ATOMIC_ACQUIRE);
	while (at < end && !ret) {
		const unsigned char *rec = r->data + (at & r->mask);
		uint32_t head = __atomic_load_n((const uint32_t *)(const void *)rec, __ATOMIC_ACQUIRE);
		uint32_t len = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (head & BPF_RINGBUF_BUSY_BIT)
			break;
		if (!(head & BPF_RINGBUF_DISCARD_BIT))
			ret = f(ctx, rec + BPF_RINGBUF_HDR_SZ, len);
		at += ((uint64_t)len + BPF_RINGBUF_HDR_SZ + 7) & ~7ull;
		__atomic_store_n(r->consumer, at, __ATOMIC_RELEASE);
	}
	return ret;
}
