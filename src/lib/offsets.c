/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where members of kernel structs lie: asked while programs are made, answered from type data and
 * remembered. The type data costs milliseconds: only a trace whose programs ask for a member pays.
 */
#include "lib/build.h"

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
