/* SPDX-License-Identifier: BSD-2-Clause */
/* The places in the kernel where a program can be made to run. */
#ifndef DT_HOOK_H
#define DT_HOOK_H

enum dt_hook_kind {
	DT_HOOK_NONE,		/* dtrace:::ERROR: run by other programs */
	DT_HOOK_RUN,		/* fired by ourselves with BPF_PROG_RUN: BEGIN, END */
	DT_HOOK_TICK,		/* the same, from a timer of `interval` ns: tick-n */
	DT_HOOK_PERF,		/* perf cpu-clock event on every CPU, `interval` ns: profile-n */
	DT_HOOK_SYS_ENTER,	/* raw tracepoint sys_enter, system call `number` */
	DT_HOOK_SYS_EXIT,	/* raw tracepoint sys_exit */
	DT_HOOK_RAWTP,		/* raw tracepoint `target` */
};

#endif
