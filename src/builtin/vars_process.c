/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variables about the thread that runs, its process, and the CPU it runs on. In a container the numbers of
 * processes are those of dtrace's own namespace (pidns_ino is not 0 then).
 */
#include "builtin/row.h"

#include <sys/utsname.h>

/* The name is stable, what it points to is the kernel's. */
#define STABLE_PRIVATE { DT_STAB_STABLE, DT_STAB_PRIVATE, DT_CLS_COMMON }

/* A value of 32 bits is sign-extended to the register if its D type is signed. */
static void sign32(struct dt_lower *l)
{
	dt_alui(dt_code(l), BPF_LSH, R0, 32);
	dt_alui(dt_code(l), BPF_ARSH, R0, 32);
}

GETTER(curthread, CONTEXT(ip)->curthread)

static void lower_curthread(struct dt_lower *l) { dt_help(l, BPF_FUNC_get_current_task); }

const struct dt_builtin dt_var_curthread = {
	DT_SCALAR(curthread, "struct task_struct *", V(1, 0), STABLE_PRIVATE),
	.get = get_curthread, .lower = lower_curthread, .scratch = DT_SCRATCH_NONE,
	.where = DT_IN_KERNEL,
	.doc = "The current thread, as the kernel knows it.",
};

GETTER(pid, (int64_t)(int32_t)CONTEXT(ip)->pid)

/* The upper half of bpf_get_current_pid_tgid() is the process; the shift keeps the sign. */
static void lower_pid(struct dt_lower *l)
{
	if (dt_opts(l)->pidns_ino != 0) {
		dt_help(l, BPF_FUNC_get_current_task);
		dt_task_id(l, true);
		return;
	}
	dt_ids(l);
	dt_alui(dt_code(l), BPF_ARSH, R0, 32);
}

const struct dt_builtin dt_var_pid = {
	DT_SCALAR(pid, "pid_t", V(1, 0), STABLE),
	.get = get_pid, .lower = lower_pid, .scratch = DT_SCRATCH_NONE,
	.doc = "The number of the process.",
};

GETTER(tid, (int64_t)(int32_t)CONTEXT(ip)->tid)

/* The lower half of bpf_get_current_pid_tgid() is the thread. */
static void lower_tid(struct dt_lower *l)
{
	if (dt_opts(l)->pidns_ino != 0) {
		dt_help(l, BPF_FUNC_get_current_task);
		dt_task_id(l, false);
		return;
	}
	dt_ids(l);
	sign32(l);
}

const struct dt_builtin dt_var_tid = {
	DT_SCALAR(tid, "id_t", V(1, 0), STABLE),
	.get = get_tid, .lower = lower_tid, .scratch = DT_SCRATCH_NONE,
	.doc = "The number of the thread.",
};

GETTER(ppid, (int64_t)(int32_t)CONTEXT(ip)->ppid)

/* real_parent is the parent that made or adopted it, also while a debugger is attached. */
static void lower_ppid(struct dt_lower *l)
{
	if (dt_in_process(l)) {
		dt_about(l, DT_ABOUT_PARENT);
		sign32(l);
		return;
	}
	dt_help(l, BPF_FUNC_get_current_task);
	dt_follow_member(l, "task_struct", "real_parent", 8, "the parent process");
	dt_task_id(l, true);
}

const struct dt_builtin dt_var_ppid = {
	DT_SCALAR(ppid, "pid_t", V(1, 0), STABLE),
	.get = get_ppid, .lower = lower_ppid, .scratch = DT_SCRATCH_NONE,
	.doc = "The number of the process's parent.",
};

GETTER(nspid, (int64_t)(int32_t)CONTEXT(ip)->nspid)

/* The number in the innermost namespace: numbers[level].nr of the task's struct pid. */
static void nspid_of_task(struct dt_lower *l)
{
	static const char what[] = "the namespace's process id";
	uint32_t size = dt_member(l, "upid", NULL, what);
	uint32_t nr = dt_member(l, "pid", "numbers", what) + dt_member(l, "upid", "nr", what);
	struct dt_emit *a = dt_code(l);

	dt_help(l, BPF_FUNC_get_current_task);
	dt_follow_member(l, "task_struct", "thread_pid", 8, what);
	dt_mov(a, R9, R0);
	dt_follow_member(l, "pid", "level", 4, what);
	dt_alui(a, BPF_MUL, R0, (int32_t)size);
	dt_alu(a, BPF_ADD, R0, R9);
	dt_follow(l, nr, 4, what);
}

static void lower_nspid(struct dt_lower *l)
{
	if (dt_in_process(l))
		dt_about(l, DT_ABOUT_THREAD);
	else
		nspid_of_task(l);
	sign32(l);
}

const struct dt_builtin dt_var_nspid = {
	DT_SCALAR(nspid, "pid_t", V(1, 0), EVOLVING),
	.get = get_nspid, .lower = lower_nspid, .scratch = DT_SCRATCH_NONE,
	.doc = "The number of the thread in its own namespace: that of its container.",
};

GIVEN(goid)

/* See runtime/rt_go.c. */
static void lower_goid(struct dt_lower *l)
{
	const struct dt_machine *m = dt_opts(l)->machine;
	static const char what[] = "a thread's own memory";
	struct dt_emit *a = dt_code(l);

	dt_help(l, BPF_FUNC_get_current_task_btf);
	dt_mov(a, R1, R0);
	dt_help(l, BPF_FUNC_task_pt_regs);
	dt_scalar(a, R0);
	dt_follow(l, (uint32_t)m->regs.go_g, 8, "a register");
	dt_work(l, W_POS, R0);
	dt_imm(a, R0, 0);
	if (m->go_tls != 0) {
		dt_help(l, BPF_FUNC_get_current_task);
		dt_follow_member(l, "task_struct", m->thread_pointer, 8, what);
		dt_alui(a, BPF_ADD, R0, m->go_tls);
	}
	dt_work(l, W_X, R0);
	dt_runtime(l, "rt_goid");
}

const struct dt_builtin dt_var_goid = {
	DT_SCALAR(goid, "uint64_t", V(1, 0), EVOLVING),
	.get = get_goid, .lower = lower_goid, .scratch = DT_SCRATCH_STRING,
	.where = DT_IN_KERNEL | DT_IN_REPLAY,
	.doc = "The goroutine that the thread runs, as Go numbers it; 0 if it runs none, and outside of Go. "
	    "Goroutines move between threads: start[pid, goid] stays with one where self->start does not.",
};

GETTER(uid, CONTEXT(ip)->uid)

/* bpf_get_current_uid_gid(): the user is the lower half, the group the upper. */
static void lower_uid(struct dt_lower *l)
{
	dt_help(l, BPF_FUNC_get_current_uid_gid);
	dt_alui(dt_code(l), BPF_LSH, R0, 32);
	dt_alui(dt_code(l), BPF_RSH, R0, 32);
}

const struct dt_builtin dt_var_uid = {
	DT_SCALAR(uid, "uint32_t", V(1, 0), STABLE),
	.get = get_uid, .lower = lower_uid, .scratch = DT_SCRATCH_NONE,
	.doc = "The real user of the process.",
};

GETTER(gid, CONTEXT(ip)->gid)

static void lower_gid(struct dt_lower *l)
{
	dt_help(l, BPF_FUNC_get_current_uid_gid);
	dt_alui(dt_code(l), BPF_RSH, R0, 32);
}

const struct dt_builtin dt_var_gid = {
	DT_SCALAR(gid, "uint32_t", V(1, 0), STABLE),
	.get = get_gid, .lower = lower_gid, .scratch = DT_SCRATCH_NONE,
	.doc = "The real group of the process.",
};

GIVEN(starttime)

/*
 * That of the first thread, because the process is as old as that. The kernel keeps it by the clock of
 * `timestamp`.
 */
static void lower_starttime(struct dt_lower *l)
{
	static const char what[] = "when a process started";

	dt_help(l, BPF_FUNC_get_current_task);
	dt_follow_member(l, "task_struct", "group_leader", 8, what);
	dt_follow_member(l, "task_struct", "start_time", 8, what);
}

const struct dt_builtin dt_var_starttime = {
	DT_SCALAR(starttime, "uint64_t", V(1, 0), EVOLVING),
	.get = get_starttime, .lower = lower_starttime, .scratch = DT_SCRATCH_NONE,
	.where = DT_IN_KERNEL | DT_IN_REPLAY,
	.doc = "The timestamp at which the process was made (forked): timestamp - starttime is its age in "
	    "nanoseconds.",
};

GETTER(cpu, (int64_t)(int32_t)CONTEXT(ip)->cpu)

/* Of a thread that is not on a CPU: the one where it was last. */
static void lower_cpu(struct dt_lower *l)
{
	if (dt_code(l)->task == NULL) {
		dt_help(l, BPF_FUNC_get_smp_processor_id);
		return;
	}
	dt_help(l, BPF_FUNC_get_current_task);
	dt_follow_member(l, "task_struct", "thread_info.cpu", 4, "the CPU of a thread");
}

const struct dt_builtin dt_var_cpu = {
	DT_SCALAR(cpu, "int", V(1, 0), STABLE),
	.get = get_cpu, .lower = lower_cpu, .scratch = DT_SCRATCH_NONE,
	.doc = "The number of the CPU.",
};

GETTER(ipl, CONTEXT(ip)->ipl)

/* Linux has no interrupt priority levels. */
static void lower_ipl(struct dt_lower *l) { dt_imm(dt_code(l), R0, 0); }

const struct dt_builtin dt_var_ipl = {
	DT_SCALAR(ipl, "uint_t", V(1, 0), STABLE),
	.get = get_ipl, .lower = lower_ipl, .scratch = DT_SCRATCH_NONE,
	.doc = "0: Linux has no interrupt priority level.",
};

/* ---- names ---- */

/* The kernel's name may fill all its bytes without a NUL. */
static uint64_t comm_text(struct dt_interp *ip, unsigned slot)
{
	char name[sizeof(CONTEXT(ip)->execname) + 1] = "";

	memcpy(name, CONTEXT(ip)->execname, sizeof(CONTEXT(ip)->execname));
	return dt_interp_text(ip, slot, name);
}

static uint64_t get_execname(struct dt_interp *ip, uint64_t index)
{
	(void)index;
	return comm_text(ip, TEXT_EXECNAME);
}

const struct dt_builtin dt_var_execname = {
	DT_SCALAR(execname, "string", V(1, 0), STABLE),
	.get = get_execname, .known = &(const struct dt_known){ .kind = V_COMM }, .scratch = DT_SCRATCH_NONE,
	.doc = "The name of the thread: that of the program that was executed, unless the thread has been "
	    "given another.",
};

/* Without a name of its own the thread has that of the program. */
static uint64_t get_threadname(struct dt_interp *ip, uint64_t index)
{
	const char *name = CONTEXT(ip)->threadname;

	(void)index;
	return name ? dt_interp_text(ip, TEXT_THREADNAME, name) : comm_text(ip, TEXT_THREADNAME);
}

const struct dt_builtin dt_var_threadname = {
	DT_SCALAR(threadname, "string", V(1, 14), STABLE),
	.get = get_threadname, .known = &(const struct dt_known){ .kind = V_COMM },
	.scratch = DT_SCRATCH_NONE,
	.doc = "The name of the thread.",
};

/* Linux has one zone, the whole machine. */
static uint64_t get_zonename(struct dt_interp *ip, uint64_t index)
{
	const char *name = CONTEXT(ip)->zonename;

	(void)index;
	return dt_interp_text(ip, TEXT_ZONENAME, name ? name : "global");
}

const struct dt_builtin dt_var_zonename = {
	DT_SCALAR(zonename, "string", V(1, 0), STABLE),
	.get = get_zonename, .known = &(const struct dt_known){ .kind = V_STR, .text = "global" },
	.scratch = DT_SCRATCH_NONE,
	.doc = "\"global\": Linux has one zone.",
};

/* The interpreter runs on the machine it is asked about. */
static uint64_t get_hostname(struct dt_interp *ip, uint64_t index)
{
	struct utsname host;

	(void)index;
	return dt_interp_text(ip, TEXT_HOSTNAME, uname(&host) == 0 ? host.nodename : "");
}

const struct dt_builtin dt_var_hostname = {
	DT_SCALAR(hostname, "string", V(1, 0), STABLE),
	.get = get_hostname,
	.known = &(const struct dt_known){ .kind = V_HOST },
	.scratch = DT_SCRATCH_NONE,
	.doc =
	    "The name of the machine, as uname -n prints it. With --hosts it tells the hosts apart as a key.",
};

/* W_Y = where the texts begin, r0 = where they end. */
static void texts_of_task(struct dt_lower *l, const char *start, const char *end)
{
	static const char what[] = "a process's arguments and environment";
	struct dt_emit *a = dt_code(l);

	dt_help(l, BPF_FUNC_get_current_task);
	dt_follow_member(l, "task_struct", "mm", 8, "a process's memory");
	dt_stx(a, B8, R6, W_X, R0);
	dt_follow_member(l, "mm_struct", start, 8, what);
	dt_stx(a, B8, R6, W_Y, R0);
	dt_ldx(a, B8, R0, R6, W_X);
	dt_follow_member(l, "mm_struct", end, 8, what);
}

/* The same, as the agent knows it: number `first` and the next one. */
static void texts_inside(struct dt_lower *l, uint64_t first)
{
	dt_imm(dt_code(l), R2, first);
	dt_about(l, DT_ABOUT_TEXT);
	dt_stx(dt_code(l), B8, R6, W_Y, R0);
	dt_imm(dt_code(l), R2, first + 1);
	dt_about(l, DT_ABOUT_TEXT);
}

/*
 * Arguments and environment lie one after the other in the process's memory, from one member of struct
 * mm_struct to another, each ended by a NUL; blanks replace all but the last. Kernel threads have none.
 */
static void texts_of_process(struct dt_lower *l, const char *start, const char *end, uint64_t first)
{
	struct dt_emit *a = dt_code(l);
	uint32_t fits = dt_label(a), some = dt_label(a);
	int32_t max = (int32_t)dt_opts(l)->strsize - 1;

	dt_slot_reg(l);
	if (dt_in_process(l))
		texts_inside(l, first);
	else
		texts_of_task(l, start, end);
	dt_mov(a, R2, R0);
	dt_ldx(a, B8, R3, R6, W_Y);
	dt_alu(a, BPF_SUB, R2, R3);
	dt_jmpi(a, BPF_JEQ, R2, 0, some);
	dt_alui(a, BPF_SUB, R2, 1);
	dt_put(a, some);
	dt_jmpi(a, BPF_JLE, R2, max, fits);
	dt_imm(a, R2, (uint64_t)max);
	dt_put(a, fits);
	dt_stx(a, B8, R6, W_LA, R2);
	dt_scratch_open(l);
	dt_scratch_ptr(l, R1, R9);
	dt_help(l, BPF_FUNC_probe_read_user);	/* not there: zeros, which become blanks */
	dt_sti(a, B8, R6, W_N, ' ');
	dt_runtime(l, "rt_memstr");
	dt_runtime_take(l);
}

GETTER(execargs, dt_interp_text(ip, TEXT_EXECARGS, CONTEXT(ip)->execargs))

static void lower_execargs(struct dt_lower *l) { texts_of_process(l, "arg_start", "arg_end", 0); }

const struct dt_builtin dt_var_execargs = {
	DT_SCALAR(execargs, "string", V(1, 0), EVOLVING),
	.get = get_execargs, .lower = lower_execargs, .scratch = DT_SCRATCH_STRING,
	.doc = "The arguments the program was executed with, with blanks between them.",
};

GETTER(execenv, dt_interp_text(ip, TEXT_EXECENV, CONTEXT(ip)->execenv))

static void lower_execenv(struct dt_lower *l) { texts_of_process(l, "env_start", "env_end", 2); }

const struct dt_builtin dt_var_execenv = {
	DT_SCALAR(execenv, "string", V(1, 0), EVOLVING),
	.get = get_execenv, .lower = lower_execenv, .scratch = DT_SCRATCH_STRING,
	.where = DT_IN_KERNEL | DT_IN_PROCESS,
	.doc = "The environment the program was executed with, with blanks between its strings.",
};

/* ---- what other systems have ---- */

const struct dt_builtin dt_var_jid = { DT_SCALAR(jid, "int", V(1, 0), EVOLVING),
	.unsupported = "Linux has no jails; use container to distinguish containers" };

const struct dt_builtin dt_var_jailname = { DT_SCALAR(jailname, "string", V(1, 0), EVOLVING),
	.unsupported = "Linux has no jails; use container to distinguish containers" };
