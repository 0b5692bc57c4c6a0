/* SPDX-License-Identifier: BSD-2-Clause */
/* The maps of containers and control groups (bpf/lower_cgroup.c), which are filled while tracing. */
#include "session/impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

static int map_of(const struct dt_session *s, enum dt_map_role role)
{
	for (uint32_t i = 0; i < s->image->nmaps; i++)
		if (s->image->maps[i].role == role)
			return s->maps[i];
	return -1;
}

bool dt_session_names_containers(const struct dt_session *s)
{
	return map_of(s, DT_MAP_CONTAINERS) >= 0;
}

int dt_session_name_container(struct dt_session *s, const char *id, const char *name, size_t most)
{
	struct dt_container_name value = { .len = 0 };
	size_t n = strlen(name);
	int fd = map_of(s, DT_MAP_CONTAINERS);

	most = most < sizeof(value.text) ? most : sizeof(value.text);
	if (fd < 0 || most == 0)
		return -ENOENT;
	n = n < most ? n : most - 1;
	memcpy(value.text, name, n);
	value.len = n + 1;
	return bpf_map_update_elem(fd, id, &value, BPF_ANY) == 0 ? 0 : -errno;
}

/* A program may see the new id with the old level: it then does not fire once. */
int dt_session_cgroups(struct dt_session *s, const struct dt_cgroup *v, uint32_t n)
{
	struct dt_cgroup all[DT_CGROUPS_MAX] = { { 0 } };
	uint32_t zero = 0;
	int fd = map_of(s, DT_MAP_CGROUPS);

	if (fd < 0)
		return 0;		/* nothing fires but BEGIN, END and ticks */
	memcpy(all, v, (n < DT_CGROUPS_MAX ? n : DT_CGROUPS_MAX) * sizeof(*v));
	return bpf_map_update_elem(fd, &zero, all, BPF_ANY) == 0 ? 0 : -errno;
}
