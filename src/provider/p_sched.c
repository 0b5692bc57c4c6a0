/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sched: who runs where (derived.h). sched_switch(preempt, prev, next, state of prev) still runs in the
 * thread that leaves: sleep or preempt, the queues, then off-cpu, in the order of the table. For a
 * thread that moves, dequeue comes before enqueue.
 */
#include "provider/derived.h"

#define TASK(arg) "((struct task_struct *)" arg ")"
#define RQ(arg) "((struct rq *)" arg ")"
#define HRTIMER "((struct hrtimer *)arg0)"

/*
 * As the kernel counts its voluntary switches: a thread that is preempted between announcing its sleep
 * and sleeping does not count.
 */
#define SLEEPS "arg0 == 0 && (uint32_t)arg3 != 0"
#define STAYS_READY "(arg0 != 0 || (uint32_t)arg3 == 0) && " TASK("arg1") "->pid != 0"

/* Function pointers are compared with kernel symbols: the tick is a timer with its own handler. */
#define IS_TICK(handler) "(uintptr_t)" HRTIMER "->function == (uintptr_t)&`" handler

/*
 * Queues in the historic meaning: a thread is in one while it is ready and not running. Linux itself
 * counts the running one as queued. So a thread enters a queue when it is woken (unless it has not left
 * its CPU yet) or when it leaves its CPU while ready, and leaves the queue when it gets a CPU.
 * sched_migrate_task(thread, CPU) moves it from queue to queue if it is in one (on_rq is 2 meanwhile).
 */
#define CPU_OF(task) TASK(task) "->thread_info.cpu"
#define WOKEN { "arg0", CPU_OF("arg0"), "0" }
#define MOVES TASK("arg0") "->on_rq == 2"
#define NOT_HERE(what) "sched:::" what " is never there on Linux: "

const struct dt_derived dt_sched_probes[] = {
	{ "sleep", DT_AT({ DT_HOOK_RAWTP, "sched_switch", SLEEPS, { "0" } }) },
	{ "preempt", DT_AT({ DT_HOOK_RAWTP, "sched_switch", STAYS_READY, { "0" } }) },
	{ "dequeue",
	    DT_AT({ DT_HOOK_RAWTP, "sched_switch", TASK("arg2") "->pid != 0", { "arg2", "cpu" } },
		{ DT_HOOK_RAWTP, "sched_migrate_task", MOVES, { "arg0", CPU_OF("arg0") } }) },
	{ "enqueue",
	    DT_AT({ DT_HOOK_RAWTP, "sched_wakeup", TASK("arg0") "->on_cpu == 0", WOKEN,
			   .member = "task_struct.on_cpu" },
		{ DT_HOOK_RAWTP, "sched_wakeup", NULL, WOKEN, .otherwise = true },
		{ DT_HOOK_RAWTP, "sched_wakeup_new", NULL, WOKEN },
		{ DT_HOOK_RAWTP, "sched_switch", STAYS_READY, { "arg1", "cpu", "0" } },
		{ DT_HOOK_RAWTP, "sched_migrate_task", MOVES, { "arg0", "arg1", "0" } }) },
	{ "off-cpu", DT_AT({ DT_HOOK_RAWTP, "sched_switch", NULL, { "arg2" } }) },
	/*
	 * The first function that a switch calls on the stack of the new thread. If functions cannot be
	 * traced, the end of schedule() in that thread (Linux 6.16): a new thread does not pass there
	 * when it first runs.
	 */
	{ "on-cpu",
	    DT_AT({ DT_HOOK_KFUNC, "finish_task_switch", NULL, { "0" } },
		{ DT_HOOK_KFUNC, "finish_task_switch.isra.0", NULL, { "0" }, .otherwise = true },
		{ DT_HOOK_RAWTP, "sched_exit_tp", "arg0 != 0", { "0" }, .otherwise = true }) },
	{ "remain-cpu", DT_AT({ DT_HOOK_RAWTP, "sched_exit_tp", "arg0 == 0", { "0" } }) },
	/*
	 * in the thread that wakes the other, wherever that will run; sched_wakeup may already be on
	 * that CPU
	 */
	{ "wakeup",
	    DT_AT({ DT_HOOK_RAWTP, "sched_waking", NULL, { "arg0" } },
		{ DT_HOOK_RAWTP, "sched_wakeup_new", NULL, { "arg0" } }) },
	/* a thread gives up its CPU, or is told to */
	{ "surrender",
	    DT_AT({ DT_HOOK_SYS_ENTER, "sched_yield", NULL, { "(uint64_t)curthread" } },
		{ DT_HOOK_RAWTP, "sched_set_need_resched_tp", NULL, { "arg0" } },
		{ DT_HOOK_KFUNC, "resched_curr", NULL, { "(uint64_t)" RQ("arg0") "->curr" },
		    .otherwise = true }) },
	/* where the first name exists, the second is a function of another kind */
	{ "tick",
	    DT_AT({ DT_HOOK_RAWTP, "hrtimer_expire_entry", IS_TICK("tick_sched_timer"),
			   { "(uint64_t)curthread" }, .symbol = "tick_sched_timer" },
		{ DT_HOOK_RAWTP, "hrtimer_expire_entry", IS_TICK("tick_nohz_handler"),
		    { "(uint64_t)curthread" }, .symbol = "tick_nohz_handler", .otherwise = true }) },
	/*
	 * nice(2) and the like; policies and real-time priorities (0 to 98, 98 for 1); what a mutex
	 * lends
	 */
	{ "change-pri",
	    DT_AT({ DT_HOOK_KFUNC, "set_user_nice", NULL, { "arg0", "(int)arg1 + 120" },
			   .required = true },
		{ DT_HOOK_KFUNC, "__sched_setscheduler", NULL,
		    { "arg0",
			"((struct sched_attr *)arg1)->sched_priority != 0 ? "
			"99 - (int)((struct sched_attr *)arg1)->sched_priority : ((struct sched_attr "
			"*)arg1)->sched_policy == 6 ? -1 : "
			"((struct sched_attr *)arg1)->sched_nice + 120" },
		    .required = true },
		{ DT_HOOK_RAWTP, "sched_pi_setprio", NULL,
		    { "arg0",
			"arg1 == 0 ? " TASK("arg0") "->normal_prio : " TASK("arg1") "->prio < " TASK(
			    "arg0") "->normal_prio ? " TASK("arg1") "->prio : " TASK("arg0") "->normal_"
											     "prio" } }) },
	/* sched_pi_setprio(who gets it, who waits or NULL when it is given back) */
	{ "lend-pri",
	    DT_AT({ DT_HOOK_RAWTP, "sched_pi_setprio",
		"arg1 != 0 && " TASK("arg1") "->prio < " TASK("arg0") "->prio",
		{ "arg0", TASK("arg1") "->prio", "arg1" } }) },
	{ "load-change",
	    DT_AT({ DT_HOOK_RAWTP, "sched_update_nr_running_tp", NULL,
		{ RQ("arg0") "->cpu", RQ("arg0") "->nr_running" }, .member = "rq.nr_running" }) },
	{ "cpucaps-sleep",
	    .never = NOT_HERE("cpucaps-sleep") "limits of CPU time stop queues of threads, not a thread" },
	{ "cpucaps-wakeup",
	    .never = NOT_HERE("cpucaps-wakeup") "limits of CPU time stop queues of threads, not a thread" },
	{ "schedctl-nopreempt",
	    .never = NOT_HERE("schedctl-nopreempt") "threads cannot ask not to be preempted" },
	{ "schedctl-preempt",
	    .never = NOT_HERE("schedctl-preempt") "threads cannot ask not to be preempted" },
	{ "schedctl-yield", .never = NOT_HERE("schedctl-yield") "sched_yield(2) is sched:::surrender" },
	{ "schedctl-failsafe",
	    .never = NOT_HERE("schedctl-failsafe") "threads cannot ask not to be preempted" },
	{ "swapin-lwp",
	    .never = NOT_HERE("swapin-lwp") "pages are swapped (vminfo:::anonpgin), not threads" },
	{ "swapout-lwp",
	    .never = NOT_HERE("swapout-lwp") "pages are swapped (vminfo:::anonpgout), not threads" },
	{ "swapout-process",
	    .never = NOT_HERE("swapout-process") "pages are swapped (vminfo:::anonpgout), not processes" },
	{ 0 },
};
