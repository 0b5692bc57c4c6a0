/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where everything lies: the maps of an image become descriptors of the agent, with memory in the data memfd
 * or, for what programs only read, in code. The data has pages only where something was written, so maps may
 * be generous.
 */
#include "inproc/inproc.h"

#include "process/proc.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RING_MOST = 64 << 20, RINGS_MOST = 512 << 20 };
/*
 * Of tables of user stacks: processes and files that are known, and chunks with lists of mappings. They are
 * those of processes that were named; what does not fit is reported (trace/unwind_tables.c).
 */
enum { UNWIND_KEYS = 16384, UNWIND_LISTS = 64 };

int dt_inproc_fail(char *msg, size_t len, int err, const char *fmt, ...)
{
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	vsnprintf(msg, len, fmt, ap);
	va_end(ap);
	n = strlen(msg);
	if (n < len)
		snprintf(msg + n, len - n, ": %s", strerror(-err));
	return err;
}

void dt_inproc_about(uint32_t pid, struct dt_agent_about *a)
{
	*a = (struct dt_agent_about){ 0 };
	(void)dt_proc_ancestors(pid, a->ancestor, DT_AGENT_ANCESTORS);
	(void)dt_proc_texts(pid, a->texts);
}

static int agent_type(const struct dt_image_map *m, enum dt_agent_maptype *type)
{
	switch (m->type) {
	case BPF_MAP_TYPE_ARRAY: *type = DT_AGENT_ARRAY; return 0;
	case BPF_MAP_TYPE_PERCPU_ARRAY: *type = DT_AGENT_CPU_ARRAY; return 0;
	case BPF_MAP_TYPE_HASH: case BPF_MAP_TYPE_LRU_HASH: *type = DT_AGENT_HASH; return 0;
	case BPF_MAP_TYPE_PERCPU_HASH: *type = DT_AGENT_CPU_HASH; return 0;
	case BPF_MAP_TYPE_RINGBUF: *type = DT_AGENT_RING; return 0;
	case BPF_MAP_TYPE_ARRAY_OF_MAPS: *type = DT_AGENT_OF_MAPS; return 0;
	case BPF_MAP_TYPE_TASK_STORAGE: *type = DT_AGENT_THREAD; return 0;
	default: return -ENOTSUP;
	}
}

/* A ring does not grow here: where it may grow in the kernel, it has the room from the start. */
static uint64_t ring_bytes(const struct inproc *p, const struct dt_image_map *m)
{
	uint64_t size = 4096;

	while (size < m->max_entries)
		size *= 2;
	while (inproc_newest(p)->grows && size < RING_MOST && 2 * size * (p->ncpus + 1) <= RINGS_MOST)
		size *= 2;
	return size;
}

static uint64_t place(uint64_t *end, uint64_t size, uint64_t align)
{
	uint64_t at = (*end + align - 1) & ~(align - 1);

	*end = at + size;
	return at;
}

/* One ring for each CPU, besides the one of the image, which is for firings that no CPU is known of. */
static int lay_out_rings(struct inproc *p, const struct dt_agent_map *like, uint64_t *end)
{
	p->nrings = p->ncpus + 1;
	p->ring = calloc(p->nrings, sizeof(*p->ring));
	if (p->ring == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->nrings; i++) {
		p->ring[i].desc = *like;
		p->ring[i].cpu = (int)i - 1;
		p->ring[i].desc.at = i == 0 ? like->at : place(end, like->size, 4096);
	}
	return 0;
}

static bool is_of_chunks(const struct dt_image_map *m)
{
	return m->role >= DT_MAP_UNWIND_ROWS && m->role <= DT_MAP_UNWIND_KEYS;
}

/*
 * An array of maps that is filled while tracing. All its elements have their descriptors and their memory
 * from the start: a process could change those that were made later.
 */
static void lay_out_chunks(struct inproc *p, const struct dt_image_map *m, uint64_t *end)
{
	struct inproc_chunks *c = &p->chunks[m->role - DT_MAP_UNWIND_ROWS];

	c->like = p->map[m->inner].desc;
	c->n = m->role == DT_MAP_UNWIND_MAPS && m->max_entries > UNWIND_LISTS ? UNWIND_LISTS : m->max_entries;
	c->like.at = place(end, c->n * c->like.size, 4096);
}

static int lay_out(struct inproc *p, uint32_t i, uint64_t *end, char *msg, size_t len)
{
	const struct dt_image_map *m = &p->image[0]->maps[i];
	struct dt_agent_map *d = &p->map[i].desc;
	enum dt_agent_maptype type;

	if (m->role == DT_MAP_CHAIN)
		return 0;
	if (agent_type(m, &type) != 0)
		return dt_inproc_fail(
		    msg, len, -ENOTSUP, "the map %s (type %u) is the kernel's alone", m->name, m->type);
	*d = (struct dt_agent_map){ .type = type, .key_size = m->key_size, .value_size = m->value_size,
		.max_entries = m->max_entries, .ncpus = p->ncpus };
	if (type == DT_AGENT_RING)
		d->max_entries = (uint32_t)(p->ring_size = ring_bytes(p, m));
	if (m->role == DT_MAP_UNWIND_CHUNK && type == DT_AGENT_HASH)
		d->max_entries = UNWIND_KEYS;
	if (is_of_chunks(m))
		lay_out_chunks(p, m, end);
	if (m->role == DT_MAP_CONST || type == DT_AGENT_OF_MAPS)
		return 0;		/* in code: segment.c places it */
	if (dt_agent_map_size(d) == 0)
		return dt_inproc_fail(msg, len, -ENOTSUP, "the map %s cannot be made", m->name);
	if (m->role == DT_MAP_UNWIND_CHUNK)
		return 0;		/* the array of maps places all of its elements */
	d->at = place(end, d->size, type == DT_AGENT_RING ? 4096 : 64);
	return type == DT_AGENT_RING ? lay_out_rings(p, d, end) : 0;
}

int dt_inproc_layout(struct inproc *p, char *msg, size_t len)
{
	uint64_t end = DT_AGENT_SPAN + sizeof(struct dt_agent);
	int err = 0;

	p->nmaps = p->image[0]->nmaps;
	p->map = calloc(p->nmaps + 1u, sizeof(*p->map));
	if (p->map == NULL)
		return dt_inproc_fail(msg, len, -ENOMEM, "cannot lay out the maps");
	for (uint32_t i = 0; i < p->nmaps && err == 0; i++)
		err = lay_out(p, i, &end, msg, len);
	p->data_len = (end - DT_AGENT_SPAN + 0xffff) & ~0xffffull;	/* whole pages of every machine */
	return err;
}
