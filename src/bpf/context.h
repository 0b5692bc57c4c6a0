/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contexts that programs run in (enum dt_image_ctx), as data: what the code depends on beside the
 * arguments, which are a switch in arguments.c. A row each.
 */
#ifndef DT_BPF_CONTEXT_H
#define DT_BPF_CONTEXT_H

#include "bpf/image.h"

/*
 * What a kernel stack begins with that is ours (stack.c): nothing; the program; what called it at a
 * tracepoint or a trampoline too.
 */
enum dt_ctx_frames {
	DT_FRAMES_NONE,
	DT_FRAMES_KPROBE,
	DT_FRAMES_PROGRAM,
	DT_FRAMES_TRACEPOINT,
	DT_FRAMES_TRAMPOLINE
};

struct dt_ctxrow {
	const char *name;		/* of programs, behind dt_ */
	enum dt_ctx_frames frames;
	/* what fired is told by the number of the system call; else by the cookie */
	bool syscall;
	/* a function of the kernel is entered or left: stacks begin with its caller */
	bool function;
	bool preemptible;		/* by another program of ours on the same CPU too */
};

const struct dt_ctxrow *dt_ctx(enum dt_image_ctx);

#endif
