/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * proc: lives of processes, derived from tracepoints and system calls. The D texts below see the arguments of the place
 * where the probe fires; what they give are the native arguments that dlib/proc.d declares, in its order.
 * Probes of one place are listed in the order in which they are to fire (lwp-exit before exit).
 */
#include "provider/probe.h"
#include "provider/provider.h"
#include "provider/syscalls.h"

#define TASK(arg) "((struct task_struct *)" arg ")"
#define INFO "((struct kernel_siginfo *)arg1)"

/* CLD_EXITED, CLD_KILLED, CLD_DUMPED from the status as wait(2) has it. */
#define EXIT_REASON "(" TASK("arg0") "->exit_code & 0x7f) == 0 ? 1 : (" TASK("arg0") "->exit_code & 0x80) != 0 ? 3 : 2"

/*
 * signal_generate(sig, info, task, group, result): results 0 and 4 (only the information is lost) deliver the signal, 1 to 3
 * (ignored, pending already, no memory for it) do not.
 */
#define SENT "arg4 == 0 || arg4 == 4"
#define DISCARDED "arg4 != 0 && arg4 != 4"

/*
 * A fault is a signal the kernel sends the running thread for what it did: SIGILL 4, SIGTRAP 5, SIGBUS 7, SIGFPE 8, SIGSEGV 11
 * with a positive code. info is 0 or 1 for signals without one.
 */
#define FAULTED "(arg0 == 4 || arg0 == 5 || arg0 == 7 || arg0 == 8 || arg0 == 11) && (uint64_t)arg1 > 1 && " \
	INFO "->si_code > 0 && " TASK("arg2") " == curthread"
/* FLTILL 1, FLTPRIV 2, FLTBPT 3, FLTTRACE 4, FLTACCESS 5, FLTBOUNDS 6, FLTIOVF 7, FLTIZDIV 8, FLTFPE 9, FLTPAGE 11, FLTWATCH 12 */
#define FAULT_NUMBER \
	"arg0 == 4 ? (" INFO "->si_code == 5 || " INFO "->si_code == 6 ? 2 : 1) : " \
	"arg0 == 5 ? (" INFO "->si_code == 2 ? 4 : " INFO "->si_code == 4 ? 12 : 3) : " \
	"arg0 == 7 ? (" INFO "->si_code == 1 ? 5 : 11) : " \
	"arg0 == 8 ? (" INFO "->si_code == 1 ? 8 : " INFO "->si_code == 2 ? 7 : 9) : " \
	"(" INFO "->si_code == 1 ? 6 : 5)"

struct place {
	enum dt_hook_kind kind;
	const char *target;		/* tracepoint, or system call */
	const char *when;
	const char *args[3];
};

struct derived {
	const char *name;
	struct place place[2];		/* the second without target: one only */
};

static const struct derived probes[] = {
	{ "create", { { DT_HOOK_RAWTP, "sched_process_fork", TASK("arg1") "->pid == " TASK("arg1") "->tgid", { "arg1" } } } },
	{ "exec", { { DT_HOOK_SYS_ENTER, "execve", NULL, { "copyinstr(arg0)" } },
		{ DT_HOOK_SYS_ENTER, "execveat", NULL, { "copyinstr(arg1)" } } } },
	{ "exec-failure", { { DT_HOOK_SYS_EXIT, "execve", "arg0 < 0", { "errno" } },
		{ DT_HOOK_SYS_EXIT, "execveat", "arg0 < 0", { "errno" } } } },
	{ "exec-success", { { DT_HOOK_RAWTP, "sched_process_exec", NULL, { "0" } } } },
	{ "lwp-create", { { DT_HOOK_RAWTP, "sched_process_fork", NULL, { "arg1" } } } },
	{ "lwp-exit", { { DT_HOOK_RAWTP, "sched_process_exit", NULL, { "0" } } } },
	{ "exit", { { DT_HOOK_RAWTP, "sched_process_exit", "", { EXIT_REASON } } } },	/* when: exit_when() */
	{ "fault", { { DT_HOOK_RAWTP, "signal_generate", FAULTED, { FAULT_NUMBER, "arg1" } } } },
	{ "signal-send", { { DT_HOOK_RAWTP, "signal_generate", SENT, { "arg2", "arg0" } } } },
	{ "signal-discard", { { DT_HOOK_RAWTP, "signal_generate", DISCARDED, { "arg2", "arg0" } } } },
	/* SIG_DFL is 0 and SIG_IGN 1: no handler runs */
	{ "signal-handle", { { DT_HOOK_RAWTP, "signal_deliver", "(uint64_t)((struct k_sigaction *)arg2)->sa.sa_handler > 1",
		{ "arg0", "arg1", "(uint64_t)((struct k_sigaction *)arg2)->sa.sa_handler" } } } },
	{ "signal-clear", { { DT_HOOK_SYS_EXIT, "rt_sigtimedwait", "arg0 > 0", { "arg0", "0" } } } },
};

/*
 * The process ends with its last thread. Newer kernels (6.18 has it) tell which that is in the second argument. Before, all that is
 * sure to come exactly once is the end of the first thread: when several go at the same time, each may find itself the last.
 */
static const char *exit_when(struct dt_types *types)
{
	struct dt_hook hook = { .kind = DT_HOOK_RAWTP, .target = "sched_process_exit" };

	if (dt_hook_nargs(types, &hook) == 2)
		return "arg1 != 0";
	return TASK("arg0") "->pid == " TASK("arg0") "->tgid";
}

static bool fill(struct dt_probes *p, const struct place *place, struct dt_hook *hook)
{
	const struct dt_syscall *s = dt_syscalls;

	*hook = (struct dt_hook){ .kind = place->kind, .when = place->when };
	for (size_t i = 0; i < sizeof(place->args) / sizeof(place->args[0]); i++)
		hook->args[i] = place->args[i];
	if (place->when != NULL && place->when[0] == '\0')
		hook->when = exit_when(p->types);
	if (place->kind == DT_HOOK_RAWTP) {
		hook->target = place->target;
		return true;
	}
	while (s->name != NULL && strcmp(s->name, place->target) != 0)
		s++;
	hook->number = s->number;
	return s->name != NULL;
}

static void make(struct dt_probes *p, const struct dt_provider_row *row, const struct derived *d)
{
	struct dt_hook hook, *second = DT_NEW(p->arena, struct dt_hook);

	if (!fill(p, &d->place[0], &hook))
		return;
	if (d->place[1].target != NULL && fill(p, &d->place[1], second))
		hook.next = second;
	dt_probes_add(p, row, "vmlinux", "", d->name, &hook);
}

bool dt_proc_may_match(const struct dt_probedesc *d)
{
	if (!dt_part_matches_empty(d->func))
		return false;
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		if (!dt_part_literal(d->name) || strcmp(d->name, probes[i].name) == 0)
			return true;
	return false;
}

int dt_proc_provide(struct dt_probes *p, const struct dt_provider_row *row, const struct dt_probedesc *want, const char **why)
{
	if (want == NULL) {
		for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
			make(p, row, &probes[i]);
		return 0;
	}
	if (strcmp(want->prov, row->name) == 0 && (strcmp(want->name, "start") == 0 || strcmp(want->name, "lwp-start") == 0))
		*why = "proc:::start and proc:::lwp-start need fexit programs in the kernel (on schedule_tail), which come with a later release";
	return 0;
}
