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
 * Since Linux 6.12 a thread that sleeps may stay in Linux's queue for a while and be moved with it
 * (sched_delayed): it waits for no CPU.
 */
#define CPU_OF(task) TASK(task) "->thread_info.cpu"
#define WOKEN DT_ARGS("arg0", CPU_OF("arg0"), "0")
#define MOVES TASK("arg0") "->on_rq == 2"
/* the two places of a thread that moves; `...`: the arguments of the probe */
#define AT_MOVE(...) \
	DT_SITE(RAWTP, "sched_migrate_task", MOVES " && !" TASK("arg0") "->se.sched_delayed", \
	    DT_ARGS(__VA_ARGS__), DT_NEEDS(MEMBER, "sched_entity.sched_delayed")), \
	DT_SITE(RAWTP, "sched_migrate_task", MOVES, DT_ARGS(__VA_ARGS__), .otherwise = true)
#define NOT_HERE(what) "sched:::" what " is never there on Linux: "

static const struct dt_derived sched_probes[] = {
	{ "sleep", DT_AT(DT_SITE(RAWTP, "sched_switch", SLEEPS, DT_ARGS("0"))) },
	{ "preempt", DT_AT(DT_SITE(RAWTP, "sched_switch", STAYS_READY, DT_ARGS("0"))) },
	{ "dequeue",
	    DT_AT(DT_SITE(RAWTP, "sched_switch", TASK("arg2") "->pid != 0", DT_ARGS("arg2", "cpu")),
		AT_MOVE("arg0", CPU_OF("arg0"))) },
	{ "enqueue",
	    DT_AT(DT_SITE(RAWTP, "sched_wakeup", TASK("arg0") "->on_cpu == 0", WOKEN,
			   DT_NEEDS(MEMBER, "task_struct.on_cpu")),
		DT_SITE(RAWTP, "sched_wakeup", DT_ALWAYS, WOKEN, .otherwise = true),
		DT_SITE(RAWTP, "sched_wakeup_new", DT_ALWAYS, WOKEN),
		DT_SITE(RAWTP, "sched_switch", STAYS_READY, DT_ARGS("arg1", "cpu", "0")),
		AT_MOVE("arg0", "arg1", "0")) },
	{ "off-cpu", DT_AT(DT_SITE(RAWTP, "sched_switch", DT_ALWAYS, DT_ARGS("arg2"))) },
	/*
	 * The first function that a switch calls on the stack of the new thread. If functions cannot be
	 * traced, the end of schedule() in that thread (Linux 6.16): a new thread does not pass there
	 * when it first runs.
	 */
	{ "on-cpu",
	    DT_AT(DT_SITE(KFUNC, "finish_task_switch", DT_ALWAYS, DT_ARGS("0")),
		DT_SITE(KFUNC, "finish_task_switch.isra.0", DT_ALWAYS, DT_ARGS("0"), .otherwise = true),
		DT_SITE(RAWTP, "sched_exit_tp", "arg0 != 0", DT_ARGS("0"), .otherwise = true)) },
	{ "remain-cpu", DT_AT(DT_SITE(RAWTP, "sched_exit_tp", "arg0 == 0", DT_ARGS("0"))) },
	/*
	 * in the thread that wakes the other, wherever that will run; sched_wakeup may already be on
	 * that CPU
	 */
	{ "wakeup",
	    DT_AT(DT_SITE(RAWTP, "sched_waking", DT_ALWAYS, DT_ARGS("arg0")),
		DT_SITE(RAWTP, "sched_wakeup_new", DT_ALWAYS, DT_ARGS("arg0"))) },
	/* a thread gives up its CPU, or is told to */
	{ "surrender",
	    DT_AT(DT_SITE(SYS_ENTER, "sched_yield", DT_ALWAYS, DT_ARGS("(uint64_t)curthread")),
		DT_SITE(RAWTP, "sched_set_need_resched_tp", DT_ALWAYS, DT_ARGS("arg0")),
		DT_SITE(KFUNC, "resched_curr", DT_ALWAYS, DT_ARGS("(uint64_t)" RQ("arg0") "->curr"),
		    .otherwise = true)) },
	/* where the first name exists, the second is a function of another kind */
	{ "tick",
	    DT_AT(DT_SITE(RAWTP, "hrtimer_expire_entry", IS_TICK("tick_sched_timer"),
			   DT_ARGS("(uint64_t)curthread"), DT_NEEDS(SYMBOL, "tick_sched_timer")),
		DT_SITE(RAWTP, "hrtimer_expire_entry", IS_TICK("tick_nohz_handler"),
		    DT_ARGS("(uint64_t)curthread"), DT_NEEDS(SYMBOL, "tick_nohz_handler"),
		    .otherwise = true)) },
	/*
	 * nice(2) and the like; policies and real-time priorities (0 to 98, 98 for 1); what a mutex
	 * lends
	 */
	{ "change-pri",
	    DT_AT(DT_SITE(KFUNC, "set_user_nice", DT_ALWAYS, DT_ARGS("arg0", "(int)arg1 + 120"),
			   .required = true),
		DT_SITE(KFUNC, "__sched_setscheduler", DT_ALWAYS,
		    DT_ARGS("arg0",
			"((struct sched_attr *)arg1)->sched_priority != 0 ? "
			"99 - (int)((struct sched_attr *)arg1)->sched_priority : ((struct sched_attr "
			"*)arg1)->sched_policy == 6 ? -1 : "
			"((struct sched_attr *)arg1)->sched_nice + 120"),
		    .required = true),
		DT_SITE(RAWTP, "sched_pi_setprio", DT_ALWAYS,
		    DT_ARGS("arg0",
			"arg1 == 0 ? " TASK("arg0") "->normal_prio : " TASK("arg1") "->prio < " TASK(
			    "arg0") "->normal_prio ? " TASK("arg1") "->prio : " TASK("arg0") "->normal_"
											     "prio"))) },
	/* sched_pi_setprio(who gets it, who waits or NULL when it is given back) */
	{ "lend-pri",
	    DT_AT(DT_SITE(RAWTP, "sched_pi_setprio",
		"arg1 != 0 && " TASK("arg1") "->prio < " TASK("arg0") "->prio",
		DT_ARGS("arg0", TASK("arg1") "->prio", "arg1"))) },
	{ "load-change",
	    DT_AT(DT_SITE(RAWTP, "sched_update_nr_running_tp", DT_ALWAYS,
		DT_ARGS(RQ("arg0") "->cpu", RQ("arg0") "->nr_running"), DT_NEEDS(MEMBER, "rq.nr_running"))) },
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
	{ "" },
};

const struct dt_provider dt_provider_sched = {
	.name = "sched",
	.form = "sched:::NAME",
	.doc = "Who runs on which CPU, and who waits for one.",
	.attrs = { { EEI, PPU, PPU, EEI, EEI } },
	DT_DERIVED(sched_probes),
};
