/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The session's part in walking user stacks: maps the tables that src/symbol/unwind.c fills while
 * programs read them.
 */
#include "session/impl.h"
#include "base/pass.h"
#include "symbol/unwind.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/* Removing the list of a process that has ended is not an error. */
static int publish(void *ctx, const struct dt_unwind_key *key, const struct dt_unwind_value *v)
{
	const struct dt_session *s = ctx;
	int err = v != NULL ? bpf_map_update_elem(s->unwind.keys, key, v, BPF_ANY) :
			      bpf_map_delete_elem(s->unwind.keys, key);

	return err < 0 && v != NULL ? -errno : 0;
}

/* The role of a map says which area it is: the roles follow each other in that order. */
static int map_area(struct dt_session *s, uint32_t i)
{
	const struct dt_image_map *m = &s->image->maps[i];
	uint32_t area = (uint32_t)m->role - DT_MAP_UNWIND_ROWS;
	size_t page = (size_t)sysconf(_SC_PAGESIZE),
	       len = ((size_t)m->value_size * m->max_entries + page - 1) & ~(page - 1);
	void *p;

	if (m->role == DT_MAP_UNWIND_KEYS) {
		s->unwind.keys = s->maps[i];
		return 0;
	}
	p = dt_pass_map(s->maps[i], 0, len, PROT_READ | PROT_WRITE, NULL);
	if (p == MAP_FAILED)
		return -errno;
	s->unwind.area[area] = p;
	s->unwind.len[area] = len;
	s->unwind.n[area] = m->max_entries;
	return 0;
}

/* An image without these maps has no tables: no program of it walks user stacks by them. */
int dt_session_unwind(struct dt_session *s, struct dt_usyms *usyms)
{
	struct dt_unwind_areas areas = { .publish = publish, .ctx = s };
	int err = 0;

	for (uint32_t i = 0; i < s->image->nmaps && err == 0; i++)
		if (s->image->maps[i].role >= DT_MAP_UNWIND_ROWS &&
		    s->image->maps[i].role <= DT_MAP_UNWIND_KEYS)
			err = map_area(s, i);
	if (err != 0 || !s->unwind.area[0] || !s->unwind.area[1] || !s->unwind.area[2])
		return err;
	areas.row = s->unwind.area[0];
	areas.rule = s->unwind.area[1];
	areas.map = s->unwind.area[2];
	areas.nrows = s->unwind.n[0];
	areas.nrules = s->unwind.n[1];
	areas.nmaps = s->unwind.n[2];
	s->unwind.tables = dt_unwind_new(&areas, usyms);
	return s->unwind.tables ? 0 : -ENOMEM;
}

struct dt_unwind *dt_session_unwinder(struct dt_session *s)
{
	return s->unwind.tables;
}

/* The tables go first: they point into the areas. */
void dt_session_unwind_close(struct dt_session *s)
{
	dt_unwind_free(s->unwind.tables);
	s->unwind.tables = NULL;
	for (int i = 0; i < 3; i++) {
		if (s->unwind.area[i])
			munmap(s->unwind.area[i], s->unwind.len[i]);
		s->unwind.area[i] = NULL;
	}
}
