/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * progenyof(n): from the task at pos up its parents, until one of them has the number n. la and lb are the
 * offsets of the process id and of the parent in struct task_struct. Tasks may end while we walk; then what
 * is read is 0 or stale, and the walk ends or misses, but it never faults.
 */
#include "runtime/rt.h"

#define PROCESSES (1 << 22)		/* there are never more, so that none is too far up */

/* out becomes 1 when the task is the one. The first process is its own parent, or has none. */
STEP(step_parent)
{
	struct dt_work *w = r->w;
	u64 task = w->pos, parent = 0;
	u32 pid = 0;

	read_kernel(r, &pid, sizeof(pid), task + w->la);
	if (pid == (u32)w->n) {
		w->out = 1;
		return 1;
	}
	read_kernel(r, &parent, sizeof(parent), task + w->lb);
	w->pos = parent;
	return parent == 0 || parent == task;
}

RT(rt_progenyof)
{
	CONTEXT;

	w->out = 0;
	LOOP(&r, PROCESSES, step_parent);
	return w->out;
}

/* ---- the same by the numbers of a namespace (bpf/lower_process.c) ---- */

/* `size` bytes at p + off, 0 where nothing can be read */
static u64 word_at(struct rt *r, u64 p, u64 off, u32 size)
{
	u64 v = 0;

	read_kernel(r, &v, size, p + off);
	return v;
}

/* The process's number in our namespace; 0 (no process has it) if the process is outside of the namespace. */
static u64 number_here(struct rt *r, const struct dt_work_progeny *h, u64 task)
{
	u64 p = word_at(r, word_at(r, task, h->leader, 8), h->thread_pid, 8);

	if (word_at(r, p, h->level, 4) < h->our_level ||
	    word_at(r, word_at(r, p, h->ns, 8), h->inum, 4) != h->our_inum)
		return 0;
	return word_at(r, p, h->nr, 4);
}

STEP(step_here)
{
	struct dt_work *w = r->w;
	u64 task = w->pos, parent;

	if (w->n != 0 && number_here(r, (const struct dt_work_progeny *)w, task) == (u32)w->n) {
		w->out = 1;
		return 1;
	}
	parent = word_at(r, task, w->lb, 8);
	w->pos = parent;
	return parent == 0 || parent == task;
}

RT(rt_progenyof_here)
{
	CONTEXT;

	w->out = 0;
	LOOP(&r, PROCESSES, step_here);
	return w->out;
}
