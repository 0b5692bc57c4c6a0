/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * proc: lives of processes (derived.h). lwp-exit comes before exit, start before lwp-start: this is the
 * order of the table.
 */
#include "provider/derived.h"

#define TASK(arg) "((struct task_struct *)" arg ")"
#define INFO "((struct kernel_siginfo *)arg1)"

/* CLD_EXITED, CLD_KILLED, CLD_DUMPED, from the status as in wait(2). */
#define EXIT_REASON "(" TASK("arg0") "->exit_code & 0x7f) == 0 ? 1 : (" TASK("arg0") \
	"->exit_code & 0x80) != 0 ? 3 : 2"

/*
 * signal_generate(sig, info, task, group, result): with results 0 and 4 (only the information is lost)
 * the signal is delivered; with 1 to 3 (ignored, already pending, no memory) it is not.
 */
#define SENT "arg4 == 0 || arg4 == 4"
#define DISCARDED "arg4 != 0 && arg4 != 4"

/*
 * A fault is a signal that the kernel sends to the running thread for what it did: SIGILL 4, SIGTRAP 5,
 * SIGBUS 7, SIGFPE 8, SIGSEGV 11 with a positive code. info is 0 or 1 for signals without information.
 */
#define FAULTED "(arg0 == 4 || arg0 == 5 || arg0 == 7 || arg0 == 8 || arg0 == 11) && (uint64_t)arg1 > 1 && " \
	INFO "->si_code > 0 && " TASK("arg2") " == curthread"
/*
 * FLTILL 1, FLTPRIV 2, FLTBPT 3, FLTTRACE 4, FLTACCESS 5, FLTBOUNDS 6, FLTIOVF 7, FLTIZDIV 8, FLTFPE 9,
 * FLTPAGE 11, FLTWATCH 12
 */
#define FAULT_NUMBER \
	"arg0 == 4 ? (" INFO "->si_code == 5 || " INFO "->si_code == 6 ? 2 : 1) : " \
	"arg0 == 5 ? (" INFO "->si_code == 2 ? 4 : " INFO "->si_code == 4 ? 12 : 3) : " \
	"arg0 == 7 ? (" INFO "->si_code == 1 ? 5 : 11) : " \
	"arg0 == 8 ? (" INFO "->si_code == 1 ? 8 : " INFO "->si_code == 2 ? 7 : 9) : " \
	"(" INFO "->si_code == 1 ? 6 : 5)"

/*
 * signal_deliver(sig, info, action): SIG_DFL is 0, SIG_IGN 1. Default actions count too, except for
 * what is ignored (SIGCHLD 17, SIGCONT 18, SIGURG 23, SIGWINCH 28) and what stops (19 to 22), which
 * history does not report here. A signal that ends a process without a core dump is not taken from the
 * queue: the process is marked as ending (SIGNAL_GROUP_EXIT 4), and each of its threads gets SIGKILL.
 * The number is in what wait(2) will report, and the first thread, or each if that one had ended
 * before, reports it for all. With a core dump, the thread that was hit has reported it before.
 */
#define HANDLER "(uint64_t)((struct k_sigaction *)arg2)->sa.sa_handler"
#define ENDING "(arg0 == 9 && (curthread->signal->flags & 4) != 0)"
#define ENDED_BY "(curthread->signal->group_exit_code & 0x7f)"
#define ACTS "(arg0 < 17 || (arg0 > 23 && arg0 != 28))"
#define FIRST "curthread->group_leader"
#define STANDS_FOR_ALL "curthread->signal->core_state == 0 && (" FIRST " == curthread || " \
	"(" FIRST "->exit_state != 0 && (" FIRST "->exit_code & 0x7f) == 0))"
#define HANDLED HANDLER " > 1 || (" HANDLER " == 0 && (" ENDING " ? " ENDED_BY " != 0 && " \
	STANDS_FOR_ALL " : " ACTS "))"

static const struct dt_derived proc_probes[] = {
	{ "create",
	    DT_AT(DT_SITE(RAWTP, "sched_process_fork", TASK("arg1") "->pid == " TASK("arg1") "->tgid",
		DT_ARGS("arg1"))) },
	{ "exec",
	    DT_AT(DT_SITE(SYS_ENTER, "execve", DT_ALWAYS,
		DT_ARGS("copyinstr(arg0)", "copyinargv(arg1)", "copyinargv(arg2)")),
		DT_SITE(SYS_ENTER, "execveat", DT_ALWAYS,
		    DT_ARGS("copyinstr(arg1)", "copyinargv(arg2)", "copyinargv(arg3)"))) },
	{ "exec-failure",
	    DT_AT(DT_SITE(SYS_EXIT, "execve", "arg0 < 0", DT_ARGS("errno")),
		DT_SITE(SYS_EXIT, "execveat", "arg0 < 0", DT_ARGS("errno"))) },
	{ "exec-success", DT_AT(DT_SITE(RAWTP, "sched_process_exec", DT_ALWAYS, DT_ARGS("0"))) },
	{ "lwp-create", DT_AT(DT_SITE(RAWTP, "sched_process_fork", DT_ALWAYS, DT_ARGS("arg1"))) },
	{ "lwp-exit", DT_AT(DT_SITE(RAWTP, "sched_process_exit", DT_ALWAYS, DT_ARGS("0"))) },
	/*
	 * The process ends with its last thread. Newer kernels (6.18 does) tell in the second argument
	 * which that is. Before, the only event that occurs exactly once is the end of the first
	 * thread: if several end at the same time, each may find itself the last.
	 */
	{ "exit",
	    DT_AT(DT_SITE(RAWTP, "sched_process_exit", "arg1 != 0", DT_ARGS(EXIT_REASON), .nargs = 2),
		DT_SITE(RAWTP, "sched_process_exit", TASK("arg0") "->pid == " TASK("arg0") "->tgid",
		    DT_ARGS(EXIT_REASON), .otherwise = true)) },
	/* the first thing a new thread does is the end of schedule_tail() */
	{ "start",
	    DT_AT(DT_SITE(KRET, "schedule_tail", "curthread->pid == curthread->tgid", DT_ARGS("0"))) },
	{ "lwp-start", DT_AT(DT_SITE(KRET, "schedule_tail", DT_ALWAYS, DT_ARGS("0"))) },
	{ "fault", DT_AT(DT_SITE(RAWTP, "signal_generate", FAULTED, DT_ARGS(FAULT_NUMBER, "arg1"))) },
	{ "signal-send", DT_AT(DT_SITE(RAWTP, "signal_generate", SENT, DT_ARGS("arg2", "arg0"))) },
	{ "signal-discard",
	    DT_AT(DT_SITE(RAWTP, "signal_generate", DISCARDED, DT_ARGS("arg2", "arg0"))) },
	{ "signal-handle",
	    DT_AT(DT_SITE(RAWTP, "signal_deliver", HANDLED,
		DT_ARGS(ENDING " ? " ENDED_BY " : arg0", "arg1", HANDLER))) },
	{ "signal-clear", DT_AT(DT_SITE(SYS_EXIT, "rt_sigtimedwait", "arg0 > 0", DT_ARGS("arg0", "0"))) },
	{ "" },
};

const struct dt_provider dt_provider_proc = {
	.name = "proc",
	.form = "proc:::NAME",
	.doc = "Lives of processes and threads, and signals.",
	.attrs = { { EEI, PPU, PPU, EEI, EEI } },
	DT_DERIVED(proc_probes),
};
