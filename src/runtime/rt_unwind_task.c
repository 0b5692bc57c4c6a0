/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk of rt_unwind.c for a thread that is not the current one (wall-n), compiled a second time: the
 * same rules, and its memory is read by a helper that takes the thread, and may wait for a page. A function
 * here has a struct rt_task of its caller's in place of the five arguments, since six are needed. It is for
 * the kernel alone: no other executor fires for threads of others.
 */
#ifdef __bpf__

#define RT_OTHER_TASK
#include "runtime/rt_unwind.c"

#define TASK_WALK(name, step) \
RT(name) \
{ \
	struct rt *r = (struct rt *)a; \
	struct dt_work_walk *k = (struct dt_work_walk *)r->w; \
\
	if (!begin_walk(k)) \
		return 0; \
	LOOP(r, DT_UNWIND_FRAMES_MOST, step); \
	return k->out; \
}

TASK_WALK(rt_unwind_task, step_unwind)
TASK_WALK(rt_unwind_more_task, step_unwind_more)
TASK_WALK(rt_unwind_most_task, step_unwind_most)

#else

typedef int dt_rt_unwind_task;		/* an empty file is no C */

#endif
