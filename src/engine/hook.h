/* SPDX-License-Identifier: BSD-2-Clause */
/* The places in the kernel where a program can be made to run. */
#ifndef DT_ENGINE_HOOK_H
#define DT_ENGINE_HOOK_H

enum dt_hook_kind {
	DT_HOOK_NONE,		/* dtrace:::ERROR: run by other programs */
	DT_HOOK_RUN,		/* fired by ourselves with BPF_PROG_RUN: BEGIN, END */
	DT_HOOK_TICK,		/* the same, from a timer of `interval` ns: tick-n */
	DT_HOOK_PERF,		/* perf cpu-clock event on every CPU, `interval` ns: profile-n */
	DT_HOOK_SYS_ENTER,	/* raw tracepoint sys_enter, system call `number` */
	DT_HOOK_SYS_EXIT,	/* raw tracepoint sys_exit */
	DT_HOOK_RAWTP,		/* raw tracepoint `target` */
	/*
	 * Providers name kernel functions by these two. When they are enabled, each becomes one of the
	 * kinds below, depending on the kernel and on how many there are.
	 */
	DT_HOOK_KFUNC,		/* entry of the kernel function `target` (at `offset` in it) */
	/* Its return: arg0 is 0, arg1 the value, arg2 … the arguments if the kernel has fexit */
	DT_HOOK_KRET,
	/*
	 * The same two for a kernel function that implements system calls, used if few calls are named.
	 */
	DT_HOOK_SYS_FENTRY, DT_HOOK_SYS_FEXIT,
	DT_HOOK_FENTRY, DT_HOOK_FEXIT,		/* a program for each function */
	/* One program for all of them: each function is a point, and its number is the cookie */
	DT_HOOK_KPROBE, DT_HOOK_KRETPROBE,
	DT_HOOK_UPROBE, DT_HOOK_URETPROBE,	/* the same for the byte at `offset` of a file */
	/* UPROBE at an instruction that leaves a function: arg0 is `site`, arg1 the value */
	DT_HOOK_URETSITE,
	DT_HOOK_REPLAY,		/* event of a file: its probe is number `number` there */
	DT_HOOK_COUNTER,	/* perf event `target`, every `interval` of it, on every CPU */
	DT_HOOK_WALL,		/* every `interval` ns for each thread that is not on a CPU: wall-n */
};

static inline int dt_hook_in_process(enum dt_hook_kind kind)
{
	return kind == DT_HOOK_UPROBE || kind == DT_HOOK_URETPROBE || kind == DT_HOOK_URETSITE;
}

static inline int dt_hook_is_syscall(enum dt_hook_kind kind)
{
	return kind == DT_HOOK_SYS_ENTER || kind == DT_HOOK_SYS_EXIT;
}

/* Programs of these kinds are trampolines: one for each function. */
static inline int dt_hook_is_trampoline(enum dt_hook_kind kind)
{
	return kind >= DT_HOOK_SYS_FENTRY && kind <= DT_HOOK_FEXIT;
}

/* Programs of these kinds are attached at many points; a number tells which one fired. */
static inline int dt_hook_has_points(enum dt_hook_kind kind)
{
	return kind == DT_HOOK_KPROBE || kind == DT_HOOK_KRETPROBE || dt_hook_in_process(kind);
}

#endif
