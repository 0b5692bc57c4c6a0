/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that fire for a thread which is not the current one (wall-n): see current.c. */
#ifndef DT_BPF_CURRENT_H
#define DT_BPF_CURRENT_H

#include "bpf/emit.h"

struct dt_plan_opts;

/* False: the helper is not about the current thread, no code is made. F_HOOK_INDEX may change. */
bool dt_current_call(struct dt_emit *, int helper);
/* A member of task_struct or cred that the type data does not show; NULL: all are there. */
const char *dt_current_missing(const struct dt_plan_opts *);
/* To `out` unless the program is to fire for the thread of the context; only_cpu: as in the image. */
void dt_current_guard(struct dt_emit *, uint32_t only_cpu, uint32_t out);
/* r0 = a number that changes when the thread runs; to `none` if it runs, or has no memory. */
void dt_current_switches(struct dt_emit *, uint32_t none);

#endif
