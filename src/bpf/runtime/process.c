/* SPDX-License-Identifier: BSD-2-Clause */
/* progenyof(): from the task at pos up its parents, la and lb being the offsets of the process id and of the parent. */
#include "runtime.h"

#define PROCESSES (1 << 22)		/* there are never more, so that none is too far up */

static long step_parent(u32 i, struct rt *r)
{
	struct dt_work *w = r->w;
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

/* The same by the numbers of a namespace (bpf/process.c); of a task outside of it 0. */

static u64 word_at(u64 p, u64 off, u32 size)
{
	u64 v = 0;

	bpf_probe_read_kernel(&v, size, (void *)(p + off));
	return v;
}

static u64 number_here(const struct dt_work_progeny *h, u64 task)
{
	u64 p = word_at(word_at(task, h->leader, 8), h->thread_pid, 8);

	if (word_at(p, h->level, 4) < h->our_level || word_at(word_at(p, h->ns, 8), h->inum, 4) != h->our_inum)
		return 0;
	return word_at(p, h->nr, 4);
}

static long step_here(u32 i, struct rt *r)
{
	struct dt_work *w = r->w;
	u64 task = w->pos, parent;

	if (w->n != 0 && number_here((const struct dt_work_progeny *)w, task) == (u32)w->n) {
		w->out = 1;
		return 1;
	}
	parent = word_at(task, w->lb, 8);
	w->pos = parent;
	return parent == 0 || parent == task;
}

RT(rt_progenyof_here)
{
	CONTEXT;

	w->out = 0;
	LOOP(PROCESSES, step_here);
	return w->out;
}
