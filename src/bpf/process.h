/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who runs: numbers of processes in the namespace we are in, and families of them (-x follow). For programs
 * and clauses.
 */
#ifndef DT_BPF_PROCESS_H
#define DT_BPF_PROCESS_H

#include "bpf/emit.h"

struct dt_build;

/*
 * family.c: r0 = the root, from 1, that the current process is or came of; none: to `out`. room: as of
 * dt_process_number()
 */
void dt_family_root(struct dt_build *, struct dt_emit *, int room, uint32_t out);
int32_t dt_family_place(const struct dt_build *, uint32_t pid);	/* of a root, from 1; 0: it is none */
void dt_family_keep(struct dt_build *, struct dt_emit *, enum dt_keep);	/* a whole program */
/*
 * process.c: the current process's to r0; of the task at r0. room: 8 free bytes of the frame, and 8 before
 * them
 */
void dt_process_number(struct dt_emit *, const struct dt_image_opts *, int room);
void dt_task_number(struct dt_emit *, const struct dt_image_opts *, int room, bool process);

#endif
