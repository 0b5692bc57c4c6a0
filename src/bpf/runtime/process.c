/* SPDX-License-Identifier: BSD-2-Clause */
/* progenyof(): from the task at pos up its parents, la and lb being the offsets of the process id and of the parent. */
#include "runtime.h"

#define PROCESSES (1 << 22)		/* there are never more, so that none is too far up */

static long step_parent(u32 i, struct rt *r)
{
	struct work *w = r->w;
	u64 task = w->pos, parent = 0;
	u32 pid = 0;

	bpf_probe_read_kernel(&pid, sizeof(pid), (void *)(task + w->la));
	if (pid == (u32)w->n) {
		w->out = 1;
		return 1;
	}
	bpf_probe_read_kernel(&parent, sizeof(parent), (void *)(task + w->lb));
	w->pos = parent;
	return parent == 0 || parent == task;
}

RT(rt_progenyof)
{
	CONTEXT;

	w->out = 0;
	LOOP(PROCESSES, step_parent);
	return w->out;
}
