/* SPDX-License-Identifier: BSD-2-Clause */
/* The places in the kernel where a program can be made to run. */
#ifndef DT_SESSION_HOOK_H
#define DT_SESSION_HOOK_H

enum dt_hook_kind {
	DT_HOOK_NONE,		/* dtrace:::ERROR: run by other programs */
	DT_HOOK_RUN,		/* fired by ourselves with BPF_PROG_RUN: BEGIN, END */
	DT_HOOK_TICK,		/* the same, from a timer of `interval` ns: tick-n */
	DT_HOOK_PERF,		/* perf cpu-clock event on every CPU, `interval` ns: profile-n */
	DT_HOOK_SYS_ENTER,	/* raw tracepoint sys_enter, system call `number` */
	DT_HOOK_SYS_EXIT,	/* raw tracepoint sys_exit */
	DT_HOOK_RAWTP,		/* raw tracepoint `target` */
	/*
	 * What providers say of kernel functions; at enabling it becomes one of those below, as the
	 * kernel and their number allow.
	 */
	DT_HOOK_KFUNC,		/* entry of the kernel function `target` (at `offset` in it) */
	/* its return: arg0 is 0, arg1 the value, arg2 … its arguments where the kernel has fexit */
	DT_HOOK_KRET,
	/*
	 * The same two for a kernel function that system calls are made of: at enabling, where few
	 * calls are named.
	 */
	DT_HOOK_SYS_FENTRY, DT_HOOK_SYS_FEXIT,
	DT_HOOK_FENTRY, DT_HOOK_FEXIT,		/* a program for each function */
	/* one program for all of them: each is a point with its number as cookie */
	DT_HOOK_KPROBE, DT_HOOK_KRETPROBE,
	DT_HOOK_UPROBE, DT_HOOK_URETPROBE,	/* the same for the byte at `offset` of a file */
	/* UPROBE at an instruction that leaves a function: arg0 is `site`, arg1 the value */
	DT_HOOK_URETSITE,
	DT_HOOK_COUNTER,	/* perf event `target`, every `interval` of it, on every CPU */
};

static inline int dt_hook_in_process(enum dt_hook_kind kind)
{
	return kind == DT_HOOK_UPROBE || kind == DT_HOOK_URETPROBE || kind == DT_HOOK_URETSITE;
}

static inline int dt_hook_is_syscall(enum dt_hook_kind kind)
{
	return kind == DT_HOOK_SYS_ENTER || kind == DT_HOOK_SYS_EXIT;
}

/* Programs of these are trampolines: one for each function. */
static inline int dt_hook_is_trampoline(enum dt_hook_kind kind)
{
	return kind >= DT_HOOK_SYS_FENTRY && kind <= DT_HOOK_FEXIT;
}

/* Programs of these are attached at many points; which one fired is told by a number. */
static inline int dt_hook_has_points(enum dt_hook_kind kind)
{
	return kind == DT_HOOK_KPROBE || kind == DT_HOOK_KRETPROBE || dt_hook_in_process(kind);
}

#endif
