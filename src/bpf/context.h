/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contexts that programs run in (enum dt_plan_ctx), as data: a row for each with all that the code
 * depends on, except for the arguments, which are a switch in lower_arguments.c.
 */
#ifndef DT_BPF_CONTEXT_H
#define DT_BPF_CONTEXT_H

#include "bpf/image.h"

/* Which frames of a kernel stack are ours and are left out (stack.c). */
enum dt_ctx_frames {
	DT_FRAMES_NONE,
	DT_FRAMES_KPROBE,
	DT_FRAMES_PROGRAM,
	DT_FRAMES_TRACEPOINT,
	DT_FRAMES_TRAMPOLINE
};

struct dt_ctxrow {
	const char *name;		/* programs are called dt_ and this */
	enum dt_ctx_frames frames;
	/* the number of the system call says which probe fired; else the cookie does */
	bool syscall;
	/* a function of the kernel is entered or left: stacks begin with its caller */
	bool function;
	/* the program may be preempted, even by another of ours on the same CPU: slots need atomics */
	bool preemptible;
};

const struct dt_ctxrow *dt_ctx(enum dt_plan_ctx);

#endif
