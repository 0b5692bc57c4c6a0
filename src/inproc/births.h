/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to src/inproc: programs that are executed, and children that are made, while tracing (births.c). */
#ifndef DT_INPROC_BIRTHS_H
#define DT_INPROC_BIRTHS_H

#include "inproc/target.h"

/* Lets the thread that waits go on; it may be called more than once. */
struct inproc_answer { void (*go)(void *ctx); void *ctx; };

/* said: a copy of what a process has written, of which nothing was checked */
void dt_inproc_take_exec(struct inproc *, const struct dt_agent_news *said, const struct inproc_answer *,
    dt_arrived_f *, void *ctx);
void dt_inproc_take_fork(struct inproc *, const struct dt_agent_news *said, const struct inproc_answer *);
/* Now and then: children that have ended are forgotten, programs that nothing has announced are met. */
void dt_inproc_check(struct inproc *, dt_arrived_f *, void *ctx);
/* arrivals.c: something new is mapped in a process. f NULL: only what was enabled before */
void dt_inproc_look_at(struct inproc *, uint32_t pid, dt_arrived_f *, void *ctx);

#endif
