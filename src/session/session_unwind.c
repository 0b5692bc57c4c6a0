/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The session's part in walking user stacks: gives src/unwind/unwind.c the memory of the tables that it fills
 * while programs read them (chunk.c).
 */
#include "session/impl.h"
#include "unwind/unwind.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

/* Removing the list of a process that has ended is not an error. */
static int publish(void *ctx, const struct dt_unwind_key *key, const struct dt_unwind_value *v)
{
	struct dt_session *s = ctx;
	int err;

	if (v == NULL) {
		(void)bpf_map_delete_elem(s->unwind.keys.first, key);
		return 0;
	}
	err = bpf_map_update_elem(s->unwind.keys.first, key, v, BPF_ANY) < 0 ? -errno : 0;
	if (err == -E2BIG && (err = dt_chunk_grow_keys(s)) == 0)
		err = bpf_map_update_elem(s->unwind.keys.first, key, v, BPF_ANY) < 0 ? -errno : 0;
	return err;
}

static void *chunk(void *ctx, enum dt_unwind_table table, uint32_t i)
{
	struct dt_session *s = ctx;

	return dt_chunk_area(s, &s->unwind.chunks[table], i);
}

/* The role of a map says which table it is: the roles follow each other in that order. */
static int open_table(struct dt_session *s, uint32_t i)
{
	const struct dt_image_map *m = &s->image->maps[i], *like = &s->image->maps[m->inner];
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct dt_chunks c = { .like = like, .outer = s->maps[i], .first = s->maps[m->inner],
		.len = ((size_t)like->value_size * like->max_entries + page - 1) & ~(page - 1) };

	if (m->role == DT_MAP_UNWIND_KEYS) {
		c.n = like->max_entries;
		s->unwind.keys = c;
	} else {
		s->unwind.chunks[m->role - DT_MAP_UNWIND_ROWS] = c;
	}
	return dt_chunk_place(s, c.outer, 0, c.first);
}

/* An image without these maps has no tables: no program of it walks user stacks by them. */
int dt_session_unwind_open(struct dt_session *s)
{
	int err = 0;

	for (uint32_t i = 0; i < s->image->nmaps && err == 0; i++)
		if (s->image->maps[i].role >= DT_MAP_UNWIND_ROWS &&
		    s->image->maps[i].role <= DT_MAP_UNWIND_KEYS && s->image->maps[i].inner != UINT32_MAX)
			err = open_table(s, i);
	return err;
}

int dt_session_unwind(struct dt_session *s, struct dt_usyms *usyms, uint64_t most)
{
	struct dt_unwind_areas areas = { .chunk = chunk, .publish = publish, .ctx = s, .most = most,
		.langs = true };
	int err;

	if (!s->unwind.keys.like)
		return 0;
	err = dt_chunk_seen(s, s->unwind.keys.outer, 0, s->unwind.keys.first);
	if (err != 0)
		return err;
	s->unwind.tables = dt_unwind_new(&areas, usyms);
	return s->unwind.tables ? 0 : -ENOMEM;
}

struct dt_unwind *dt_session_unwinder(const struct dt_session *s)
{
	return s->unwind.tables;
}

/* The tables go first: they point into the chunks. */
void dt_session_unwind_close(struct dt_session *s)
{
	dt_unwind_free(s->unwind.tables);
	s->unwind.tables = NULL;
	dt_chunks_close(s);
}
