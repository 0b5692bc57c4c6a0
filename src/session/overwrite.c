/* SPDX-License-Identifier: BSD-2-Clause */
/* Policy ring: reads the struct dt_over of a CPU, for record/over.c. Only after all programs have ended. */
#include "session/impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>

int dt_overwrite_drain(struct dt_session *s, uint32_t cpu, dt_ring_f *f, void *ctx)
{
	const struct dt_image_map *m = &s->image->maps[s->over];
	uint32_t key = s->image->only_cpu ? cpu + 1 - s->image->only_cpu : cpu;
	uint64_t room = s->image->layouts.room;
	struct dt_over *copy;
	int err = 0;

	if (key >= s->over_n || room < 8 || m->value_size < sizeof(*copy) + room)
		return 0;
	copy = malloc(m->value_size + 8u);
	if (!copy)
		return -ENOMEM;
	if (bpf_map_lookup_elem(s->maps[s->over], &key, copy) < 0)
		err = -errno;
	if (!err)
		err = dt_over_records(copy, m->value_size, room, &s->over_seen[cpu], f, ctx);
	free(copy);
	return err;
}
