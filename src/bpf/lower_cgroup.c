/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control groups and containers in programs. Which groups are traced is in one small map (-x container, -x
 * cgroup), the names of containers in another; both are filled from outside (trace/containers.c), since only
 * the files of a container's runtime know its name.
 */
#include "bpf/build.h"
#include "bpf/image_maps.h"
#include "bpf/lower_process.h"

static uint32_t cgroups_map(struct dt_build *b)
{
	if (!b->cgroups)
		b->cgroups = 1 + dt_build_map(b, DT_MAP_CGROUPS, BPF_MAP_TYPE_ARRAY, 4,
		    DT_CGROUPS_MAX * sizeof(struct dt_cgroup), 1, 0);
	return b->cgroups - 1;
}

static uint32_t containers_map(struct dt_build *b)
{
	if (!b->containers)
		b->containers = 1 + dt_build_map(b, DT_MAP_CONTAINERS, BPF_MAP_TYPE_HASH, DT_CONTAINER_KEY,
		    sizeof(struct dt_container_name), DT_CONTAINERS_MAX, BPF_F_NO_PREALLOC);
	return b->containers - 1;
}

/*
 * A group is in another if that is its ancestor at the level where the other is. The first unused element
 * ends them, so that one container costs two comparisons.
 */
void dt_cgroup_guard(struct dt_build *b, struct dt_emit *a, uint32_t out)
{
	uint32_t in = dt_label(a);

	for (uint32_t i = 0; i < DT_CGROUPS_MAX; i++) {
		uint32_t at = i * (uint32_t)sizeof(struct dt_cgroup);

		dt_mapval(a, R1, cgroups_map(b), at);
		dt_ldx(a, B8, R2, R1, offsetof(struct dt_cgroup, id));
		dt_jmpi(a, BPF_JEQ, R2, 0, out);
		dt_ldx(a, B8, R1, R1, offsetof(struct dt_cgroup, level));
		dt_call(a, BPF_FUNC_get_current_ancestor_cgroup_id);
		dt_mapval(a, R1, cgroups_map(b), at);
		dt_ldx(a, B8, R1, R1, offsetof(struct dt_cgroup, id));
		dt_jmp(a, BPF_JEQ, R0, R1, in);
	}
	dt_ja(a, out);
	dt_put(a, in);
}

/*
 * Behind rt_container: r0 is the length of its text. An id is replaced by the name its container has, or by
 * its first twelve digits, as runtimes show it.
 */
void dt_container_name(struct dt_lower *l)
{
	uint32_t done = dt_label(l->a), none = dt_label(l->a), size = l->b->opts->strsize;
	struct dt_emit *a = l->a;

	dt_stx(a, B8, FP, F_T0, R0);
	dt_ldx(a, B8, R1, R6, W_X);
	dt_jmpi(a, BPF_JEQ, R1, 0, done);
	dt_map(a, R1, containers_map(l->b));
	dt_mov(a, R2, R6);
	dt_alui(a, BPF_ADD, R2, dt_slot_buffer(l, DT_BUF_A));
	dt_call(a, BPF_FUNC_map_lookup_elem);
	dt_jmpi(a, BPF_JEQ, R0, 0, none);
	dt_ldx(a, B8, R1, R0, offsetof(struct dt_container_name, len));
	dt_stx(a, B8, FP, F_T0, R1);
	dt_mov(a, R3, R0);
	dt_alui(a, BPF_ADD, R3, offsetof(struct dt_container_name, text));
	dt_scratch_ptr(l, R1, R9);
	dt_imm(a, R2, size < DT_CONTAINER_NAME ? size : DT_CONTAINER_NAME);
	dt_call(a, BPF_FUNC_probe_read_kernel);
	dt_ja(a, done);
	dt_put(a, none);
	dt_scratch_ptr(l, R1, R9);
	dt_sti(a, B1, R1, 12, 0);
	dt_sti(a, B8, FP, F_T0, 13);
	dt_put(a, done);
	dt_ldx(a, B8, R0, FP, F_T0);
}
