/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where members of kernel structs lie: asked while programs are made, answered from the type data (BTF), and
 * remembered. Reading the type data costs milliseconds, so only a trace whose programs ask for a member pays.
 */
#include "trace/build.h"

/*
 * The offset of `path` in struct `tag`, or the size of the struct if `path` is NULL, as dt_types_offset()
 * gives it. The same few members are asked for by many programs, so a short list is enough.
 */
uint32_t dt_gobuild_member(void *build, const char *tag, const char *path)
{
	struct dt_gobuild *b = build;
	struct dt_kmember m = { .tag = tag, .path = path };

	for (size_t i = 0; i < b->members.n; i++) {
		const struct dt_kmember *known = &b->members.v[i];

		if (strcmp(known->tag, tag) == 0 && (known->path == NULL) == (path == NULL) &&
		    (path == NULL || strcmp(known->path, path) == 0))
			return known->offset;
	}
	m.offset = dt_types_offset(b->h->types, tag, path);
	dt_vec_push(b->t->arena, &b->members, m);
	return m.offset;
}
