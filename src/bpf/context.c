/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of contexts: what each row says is in context.h. Tracepoints, kprobes and perf events run with
 * preemption off; trampolines and uprobes may be preempted.
 */
#include "bpf/context.h"

static const struct dt_ctxrow rows[] = {
	[DT_CTX_RAWTP] = { "rawtp", DT_FRAMES_TRACEPOINT, .syscall = false },
	[DT_CTX_SYS_ENTER] = { "sys_enter", DT_FRAMES_TRACEPOINT, .syscall = true },
	[DT_CTX_SYS_EXIT] = { "sys_exit", DT_FRAMES_TRACEPOINT, .syscall = true },
	[DT_CTX_PERF] = { "perf", DT_FRAMES_NONE, .syscall = false },
	/* threads that do not run have no frame of ours */
	[DT_CTX_TASK] = { "task", DT_FRAMES_NONE, .syscall = false, .preemptible = true },
	[DT_CTX_RUN] = { "run", DT_FRAMES_PROGRAM, .syscall = false },
	[DT_CTX_SYS_FENTRY] = { "sys_fentry", DT_FRAMES_TRAMPOLINE, .syscall = true, .preemptible = true },
	[DT_CTX_SYS_FEXIT] = { "sys_fexit", DT_FRAMES_TRAMPOLINE, .syscall = true, .preemptible = true },
	[DT_CTX_FENTRY] = { "fentry", DT_FRAMES_TRAMPOLINE, .function = true, .preemptible = true },
	[DT_CTX_FEXIT] = { "fexit", DT_FRAMES_TRAMPOLINE, .function = true, .preemptible = true },
	/* `inside` of the hook (struct dt_plan_hook) overrides frames and function: stack.c */
	[DT_CTX_KPROBE] = { "kprobe", DT_FRAMES_KPROBE, .function = true },
	[DT_CTX_KRETPROBE] = { "kretprobe", DT_FRAMES_NONE, .function = true },
	[DT_CTX_UPROBE] = { "uprobe", DT_FRAMES_NONE, .preemptible = true },
	[DT_CTX_URETPROBE] = { "uretprobe", DT_FRAMES_NONE, .preemptible = true },
	/* the context of a clause, never of a program */
	[DT_CTX_URETSITE] = { "uretsite", DT_FRAMES_NONE, .preemptible = true },
	[DT_CTX_SYS_UENTER] = { "sys_uenter", DT_FRAMES_NONE, .syscall = true, .preemptible = true },
	[DT_CTX_SYS_UEXIT] = { "sys_uexit", DT_FRAMES_NONE, .syscall = true, .preemptible = true },
};

const struct dt_ctxrow *dt_ctx(enum dt_plan_ctx ctx) { return &rows[ctx]; }
