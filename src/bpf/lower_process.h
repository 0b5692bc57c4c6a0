/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which process runs: its number in the namespace we are in, and the family it belongs to (-x follow). Both
 * programs and clauses use this, so it takes an emitter and no clause.
 */
#ifndef DT_BPF_LOWER_PROCESS_H
#define DT_BPF_LOWER_PROCESS_H

#include "bpf/emit.h"

struct dt_build;

/*
 * lower_family.c: r0 = the number, from 1, of the root that the current process is or descends from; to
 * `out` when there is none. room: as for dt_process_number().
 */
void dt_family_root(struct dt_build *, struct dt_emit *, int room, uint32_t out);
int32_t dt_family_place(const struct dt_build *, uint32_t pid);	/* that number of a root; 0: not a root */
void dt_family_keep(struct dt_build *, struct dt_emit *, enum dt_keep);	/* a whole program */
/* lower_cgroup.c: to `out` unless the current thread is in one of the control groups that are traced */
void dt_cgroup_guard(struct dt_build *, struct dt_emit *, uint32_t out);
/*
 * lower_process.c: r0 = the number of the current process; that of the task whose address is in r0. room: the
 * frame has 8 free bytes there, and 8 before them.
 */
void dt_process_number(struct dt_emit *, const struct dt_plan_opts *, int room);
void dt_task_number(struct dt_emit *, const struct dt_plan_opts *, int room, bool process);

#endif
