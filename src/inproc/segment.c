/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code, as bytes in sealed memfds. The first segment has the agent, the descriptors of all maps, tables and
 * constants, and the programs of the first image; a later one has the constants and programs that joined
 * while tracing. Nobody can change a sealed segment, neither the processes nor we. Our own mapping of code
 * and data is laid out as that of a process: BEGIN, END and ticks run in it.
 */
#include "inproc/inproc.h"

#include "agent/agent_bytes.h"
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x10u
#endif

enum { PAGE = 64 << 10 };		/* a multiple of the page of every machine */

struct building {
	struct inproc *p;
	const struct dt_image *image;
	uint32_t first;			/* programs of earlier hooks are in earlier segments */
	uint64_t at;			/* of the segment */
	uint8_t *bytes;
	size_t len, cap;
	uint64_t constants;		/* at of the values of CONST; 0: the image has none */
	uint64_t *prog;			/* at of each program */
	uint8_t *light;			/* dt_native_code.light of each */
	int err;
};

/* ---- bytes ---- */

/* Room of n bytes at the end, all zeros; its at, or 0: there is no memory. */
static uint64_t take_room(struct building *b, size_t n, size_t align)
{
	size_t from = (b->len + align - 1) & ~(align - 1), need = from + n;

	if (need > b->cap) {
		size_t cap = need + need / 2 + PAGE;
		uint8_t *more = realloc(b->bytes, cap);

		if (more == NULL) {
			b->err = -ENOMEM;
			return 0;
		}
		memset(more + b->cap, 0, cap - b->cap);
		b->bytes = more;
		b->cap = cap;
	}
	b->len = need;
	return b->at + from;
}

static uint64_t put(struct building *b, const void *bytes, size_t n, size_t align)
{
	uint64_t at = take_room(b, n, align);

	if (b->err == 0 && n > 0)
		memcpy(b->bytes + (at - b->at), bytes, n);
	return at;
}

/* ---- descriptors and tables ---- */

static void put_descriptors(struct building *b)
{
	struct inproc *p = b->p;

	for (uint32_t i = 0; i < p->nmaps; i++)
		p->map[i].at = take_room(b, sizeof(struct dt_agent_map), 64);
}

static void put_chunks(struct building *b, const struct inproc_chunks *c, uint64_t *table)
{
	struct dt_agent_map desc = c->like;

	for (uint32_t k = 0; k < c->n; k++, desc.at += desc.size)
		table[k] = put(b, &desc, sizeof(desc), 64);
}

/* RINGS: the ring of each CPU. UNWIND_…: struct inproc_chunks. AGGS: the hash of each side of the group. */
static void put_table(struct building *b, uint32_t i)
{
	struct inproc *p = b->p;
	const struct dt_image_map *m = &b->image->maps[i];
	uint64_t *table = calloc(m->max_entries + 1u, sizeof(*table));

	if (table == NULL) {
		b->err = -ENOMEM;
		return;
	}
	for (uint32_t k = 0; m->role == DT_MAP_RINGS && k < m->max_entries && k + 1 < p->nrings; k++)
		table[k] = put(b, &p->ring[k + 1].desc, sizeof(struct dt_agent_map), 64);
	for (uint32_t k = 0; m->role == DT_MAP_AGGS && k < p->nmaps; k++) {
		const struct dt_image_map *side = &b->image->maps[k];

		if (side->group == m->group && (side->role == DT_MAP_AGG_A || side->role == DT_MAP_AGG_B) &&
		    (uint32_t)(side->role == DT_MAP_AGG_B) < m->max_entries)
			table[side->role == DT_MAP_AGG_B] = p->map[k].at;
	}
	if (m->role >= DT_MAP_UNWIND_ROWS && m->role <= DT_MAP_UNWIND_KEYS)
		put_chunks(b, &p->chunks[m->role - DT_MAP_UNWIND_ROWS], table);
	p->map[i].desc.size = (uint64_t)m->max_entries * sizeof(*table);
	p->map[i].desc.at = put(b, table, p->map[i].desc.size, 64);
	free(table);
}

static void put_maps(struct building *b)
{
	struct inproc *p = b->p;

	put_descriptors(b);
	for (uint32_t i = 0; i < p->nmaps && b->err == 0; i++)
		if (p->map[i].desc.type == DT_AGENT_OF_MAPS && b->image->maps[i].role != DT_MAP_CHAIN)
			put_table(b, i);
	for (uint32_t i = 0; i < p->nmaps && b->err == 0; i++)
		memcpy(b->bytes + (p->map[i].at - b->at), &p->map[i].desc, sizeof(struct dt_agent_map));
}

static void put_constants(struct building *b)
{
	for (uint32_t i = 0; i < b->image->nmaps; i++)
		if (b->image->maps[i].role == DT_MAP_CONST) {
			b->constants = take_room(b, b->image->maps[i].value_size + 8u, 64);
			if (b->err == 0)
				memcpy(b->bytes + (b->constants - b->at), b->image->maps[i].data,
				    b->image->maps[i].len);
		}
}

/* ---- programs ---- */

static uint64_t helper_at(void *ctx, uint32_t func)
{
	const struct building *b = ctx;

	return func < DT_AGENT_HELPERS ? b->p->head->helper[func] : 0;
}

static uint64_t map_at(void *ctx, uint32_t map, const struct dt_agent_map **desc)
{
	const struct building *b = ctx;

	*desc = map < b->p->nmaps ? &b->p->map[map].desc : NULL;
	return map < b->p->nmaps ? b->p->map[map].at : 0;
}

static uint64_t value_at(void *ctx, uint32_t map, uint32_t off)
{
	const struct building *b = ctx;

	if (map < b->image->nmaps && b->image->maps[map].role == DT_MAP_CONST)
		return b->constants + off;
	if (map < b->p->nmaps && b->p->map[map].desc.type == DT_AGENT_RING)
		return b->p->map[map].at;
	return map < b->p->nmaps ? b->p->map[map].desc.at + off : 0;
}

static uint64_t chain_at(void *ctx, uint32_t map, uint32_t index)
{
	const struct building *b = ctx;

	for (uint32_t i = b->image->nprogs; i < b->image->nprogs + b->image->nmore; i++)
		if (b->image->progs[i].chain == map && b->image->progs[i].link == index + 1)
			return b->prog[i];
	return 0;
}

static int translate(struct building *b, uint32_t i, struct dt_native_code *code, char *msg, size_t len)
{
	struct dt_native_place place = { .at = b->prog[i], .machine = b->p->opts.machine, .helper = helper_at,
		.map = map_at, .value = value_at, .chain = chain_at, .ctx = b };

	place.lse = (getauxval(AT_HWCAP) & place.machine->hwcap_atomics) != 0;
	return dt_native_translate(&b->image->progs[i], &place, code, msg, len);
}

/* Programs jump to each other, so all have a place before the bytes that stay are made. */
static int place_programs(struct building *b, char *msg, size_t len)
{
	uint32_t n = b->image->nprogs + b->image->nmore;
	int err = 0;

	for (uint32_t i = 0; i < n && err == 0; i++) {
		struct dt_native_code code = { 0 };

		if (b->image->progs[i].hook < b->first)
			continue;
		b->prog[i] = b->at + ((b->len + 15) & ~15ull);
		err = translate(b, i, &code, msg, len);
		if (err == 0)
			b->prog[i] = take_room(b, code.len, 16);
		free(code.bytes);
		err = err != 0 ? err : b->err;
	}
	for (uint32_t i = 0; i < n && err == 0; i++) {
		struct dt_native_code code = { 0 };
		uint64_t end = b->at + b->len;

		if (b->prog[i] == 0)
			continue;
		for (uint32_t k = i + 1; k < n; k++)
			if (b->prog[k] > b->prog[i] && b->prog[k] < end)
				end = b->prog[k];
		err = translate(b, i, &code, msg, len);
		if (err == 0 && code.len > end - b->prog[i])
			err =
			    dt_inproc_fail(msg, len, -EIO, "a program changed its size while it was placed");
		if (err == 0)
			memcpy(b->bytes + (b->prog[i] - b->at), code.bytes, code.len);
		b->light[i] = (uint8_t)code.light;
		free(code.bytes);
	}
	return err;
}

/* ---- the segment ---- */

/* Kernels may forbid memfds that can be executed (vm.memfd_noexec) unless that is asked for. */
static int executable_memfd(void)
{
	int fd = memfd_create("dtrace-code", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("dtrace-code", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd < 0 ? -errno : fd;
}

static int seal_bytes(struct building *b, struct inproc_segment *s)
{
	size_t done = 0;

	s->len = (b->len + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	s->fd = executable_memfd();
	if (s->fd < 0)
		return s->fd;
	if (ftruncate(s->fd, (off_t)s->len) < 0)
		return -errno;
	while (done < b->len) {
		ssize_t n = write(s->fd, b->bytes + done, b->len - done);

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	if (fcntl(s->fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		return -errno;
	/* private: before Linux 6.7 a sealed file cannot be mapped shared */
	if (mmap(b->p->base + s->at, s->len, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, s->fd, 0) ==
	    MAP_FAILED)
		return -errno;
	return 0;
}

static int build(struct building *b, char *msg, size_t len)
{
	int err = 0;

	if (b->at == 0) {
		put(b, dt_agent_bytes, dt_agent_bytes_len, 16);
		put_maps(b);
	}
	put_constants(b);
	err = b->err;
	if (err == 0)
		err = place_programs(b, msg, len);
	if (err == 0 && b->at + b->len + PAGE > DT_AGENT_SPAN)
		err = dt_inproc_fail(
		    msg, len, -E2BIG, "the programs have more than %d MB of code", DT_AGENT_SPAN >> 20);
	return err;
}

int dt_inproc_add_segment(struct inproc *p, uint32_t first, char *msg, size_t len)
{
	const struct dt_image *image = inproc_newest(p);
	struct building b = { .p = p, .image = image, .first = first, .at = p->code_end };
	struct inproc_segment *more = realloc(p->segment, (p->nsegments + 1) * sizeof(*more)), *s;
	int err;

	if (more == NULL)
		return dt_inproc_fail(msg, len, -ENOMEM, "cannot make code");
	p->segment = more;
	s = &more[p->nsegments];
	*s = (struct inproc_segment){ .fd = -1, .at = b.at, .image = image };
	b.prog = calloc(image->nprogs + image->nmore + 1u, sizeof(*b.prog));
	b.light = calloc(image->nprogs + image->nmore + 1u, sizeof(*b.light));
	err = b.prog != NULL && b.light != NULL ? build(&b, msg, len) : -ENOMEM;
	if (err == 0 && (err = seal_bytes(&b, s)) != 0)
		dt_inproc_fail(msg, len, err, "cannot make memory for code");
	free(b.bytes);
	if (err != 0) {
		if (s->fd >= 0)
			close(s->fd);
		free(b.prog);
		free(b.light);
		return err;
	}
	s->prog = b.prog;
	s->light = b.light;
	p->code_end = p->self.code_size = s->at + s->len;
	p->nsegments++;
	return 0;
}

uint64_t dt_inproc_program(const struct inproc *p, uint32_t hook)
{
	for (uint32_t i = p->nsegments; i-- > 0;)
		if (hook < p->segment[i].image->nprogs && p->segment[i].prog[hook] != 0)
			return p->segment[i].prog[hook];
	return 0;
}

enum dt_native_light dt_inproc_light(const struct inproc *p, uint64_t at)
{
	for (uint32_t i = p->nsegments; i-- > 0;) {
		const struct inproc_segment *s = &p->segment[i];

		for (uint32_t k = 0; at - s->at < s->len && k < s->image->nprogs; k++)
			if (s->prog[k] == at)
				return (enum dt_native_light)s->light[k];
	}
	return DT_NATIVE_FULL;
}

/* ---- data ---- */

static void fill_values(struct inproc *p)
{
	for (uint32_t i = 0; i < p->nmaps; i++) {
		const struct dt_image_map *m = &p->image[0]->maps[i];

		if (m->role == DT_MAP_CONTROL)
			p->control = inproc_at(p, p->map[i].desc.at);
		if (m->data != NULL && m->role != DT_MAP_CONST)
			memcpy(inproc_at(p, p->map[i].desc.at), m->data, m->len);
	}
	p->agent->magic = DT_AGENT_MAGIC;
	p->agent->ncpus = p->ncpus;
	p->gen = DT_GEN_FIRST;
}

int dt_inproc_open_memory(struct inproc *p, char *msg, size_t len)
{
	uint64_t stacks = (uint64_t)DT_AGENT_THREADS * DT_AGENT_STACK;
	void *at;

	p->data_fd = memfd_create("dtrace-data", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (p->data_fd < 0 || ftruncate(p->data_fd, (off_t)p->data_len) < 0 ||
	    fcntl(p->data_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		return dt_inproc_fail(msg, len, -errno, "cannot make %llu bytes of shared memory",
		    (unsigned long long)p->data_len);
	at = mmap(
	    NULL, DT_AGENT_SPAN + p->data_len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return dt_inproc_fail(msg, len, -errno, "cannot map shared memory");
	p->base = at;
	at = dt_map_nofork(p->data_fd, 0, p->data_len, PROT_READ | PROT_WRITE, p->base + DT_AGENT_SPAN);
	if (at == MAP_FAILED)
		return dt_inproc_fail(msg, len, -errno, "cannot map shared memory");
	p->agent = at;
	at = mmap(NULL, stacks, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return dt_inproc_fail(msg, len, -errno, "cannot make memory for stacks");
	p->stacks = at;
	p->self = (struct dt_agent_process){.enabled = 1,
	    .pid = (uint32_t)getpid(),
	    .self = (uint32_t)getpid(),
	    .code = (uintptr_t)p->base,
	    .data_size = p->data_len,
	    .data = (uintptr_t)p->agent,
	    .stacks = (uintptr_t)p->stacks};
	dt_inproc_about(p->self.pid, &p->self.about);
	p->head = (const struct dt_agent_head *)(const void *)dt_agent_bytes;
	fill_values(p);
	return 0;
}

void dt_inproc_close_memory(struct inproc *p)
{
	if (p->base != NULL)
		munmap(p->base, DT_AGENT_SPAN + p->data_len);
	if (p->stacks != NULL)
		munmap(p->stacks, (size_t)DT_AGENT_THREADS * DT_AGENT_STACK);
	if (p->data_fd >= 0)
		close(p->data_fd);
	for (uint32_t i = 0; i < p->nsegments; i++) {
		close(p->segment[i].fd);
		free(p->segment[i].prog);
		free(p->segment[i].light);
	}
	free(p->segment);
	free(p->map);
}
