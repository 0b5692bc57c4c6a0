/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes: waiting, limits, priorities, who and what the machine is. */
#include "decode.h"

#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/wait.h>

/* ---- wait ---- */

static void put_status(struct text *t, int s)
{
	if (WIFEXITED(s)) {
		text_format(t, "{WIFEXITED(s) && WEXITSTATUS(s) == %d}", WEXITSTATUS(s));
	} else if (WIFSIGNALED(s)) {
		text_put(t, "{WIFSIGNALED(s) && WTERMSIG(s) == ");
		put_signal(t, WTERMSIG(s));
		text_put(t, WCOREDUMP(s) ? " && WCOREDUMP(s)}" : "}");
	} else if (WIFSTOPPED(s)) {
		text_put(t, "{WIFSTOPPED(s) && WSTOPSIG(s) == ");
		put_signal(t, WSTOPSIG(s));
		text_char(t, '}');
	} else if (WIFCONTINUED(s)) {
		text_put(t, "{WIFCONTINUED(s)}");
	} else {
		text_hex(t, (uint32_t)s);
	}
}

static void put_wstatus(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	int s;

	(void)k;
	if (c->ret <= 0) {
		text_addr(t, c->a[arg]);
		return;
	}
	if (!call_struct(t, c, arg, 0, &s, sizeof(s)))
		return;
	text_char(t, '[');
	put_status(t, s);
	text_char(t, ']');
}

static const struct name wait_flags[] = {
	{ 1, "WNOHANG" }, { 2, "WSTOPPED" }, { 4, "WEXITED" }, { 8, "WCONTINUED" }, { 0x1000000, "WNOWAIT" },
	{ 0x20000000, "__WNOTHREAD" }, { 0x40000000, "__WALL" }, { 0x80000000, "__WCLONE" },
};
static const struct name id_types[] = { { 0, "P_ALL" }, { 1, "P_PID" }, { 2, "P_PGID" }, { 3, "P_PIDFD" } };

/* ---- limits ---- */

static const struct name limits[] = {
	{ 0, "RLIMIT_CPU" }, { 1, "RLIMIT_FSIZE" }, { 2, "RLIMIT_DATA" }, { 3, "RLIMIT_STACK" },
	{ 4, "RLIMIT_CORE" }, { 5, "RLIMIT_RSS" }, { 6, "RLIMIT_NPROC" }, { 7, "RLIMIT_NOFILE" },
	{ 8, "RLIMIT_MEMLOCK" }, { 9, "RLIMIT_AS" }, { 10, "RLIMIT_LOCKS" }, { 11, "RLIMIT_SIGPENDING" },
	{ 12, "RLIMIT_MSGQUEUE" }, { 13, "RLIMIT_NICE" }, { 14, "RLIMIT_RTPRIO" }, { 15, "RLIMIT_RTTIME" },
};

static void put_limit(struct text *t, uint64_t v)
{
	if (v == UINT64_MAX)
		text_put(t, "RLIM64_INFINITY");
	else if (v > 1024 && v % 1024 == 0)
		text_format(t, "%llu*1024", (unsigned long long)(v / 1024));
	else
		text_uint(t, v);
}

static void put_limits(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	uint64_t v[2];

	if (!call_written(t, c, arg, k->nnames > 0, v, sizeof(v)))
		return;
	text_put(t, "{rlim_cur=");
	put_limit(t, v[0]);
	text_put(t, ", rlim_max=");
	put_limit(t, v[1]);
	text_char(t, '}');
}

static const struct name priorities[] = { { 0, "PRIO_PROCESS" }, { 1, "PRIO_PGRP" }, { 2, "PRIO_USER" } };
static const struct name usages[] = {
	{ 0, "RUSAGE_SELF" }, { (uint32_t)-1, "RUSAGE_CHILDREN" }, { 1, "RUSAGE_THREAD" },
};
static const struct name policies[] = {
	{ 0, "SCHED_OTHER" }, { 1, "SCHED_FIFO" }, { 2, "SCHED_RR" }, { 3, "SCHED_BATCH" },
	{ 5, "SCHED_IDLE" },
	{ 6, "SCHED_DEADLINE" }, { 7, "SCHED_EXT" },
};

static void put_sched_param(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	int v;

	if (k->nnames > 0 && call_failed(c))
		text_addr(t, c->a[arg]);
	else if (call_struct(t, c, arg, 0, &v, sizeof(v)))
		text_format(t, "[%d]", v);
}

static void put_ret_sched(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	const char *name = name_of(policies, COUNT(policies), (uint32_t)c->ret);

	(void)arg;
	(void)k;
	text_int(t, c->ret);
	if (name != NULL)
		text_format(t, " (%s)", name);
}

/* CPUs of a set, [0 2 3]; nnames: as many bytes as the call wrote */
static void put_cpus(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	size_t size = 0, n = k->nnames > 0 ? (size_t)c->ret : (size_t)c->a[1];
	const unsigned char *p = c->a[arg] != 0 && !call_failed(c) ? call_bytes(c, arg, 0, &size) : NULL;
	const char *between = "";

	if (p == NULL) {
		text_addr(t, c->a[arg]);
		return;
	}
	text_char(t, '[');
	for (unsigned cpu = 0; cpu / 8 < n && cpu / 8 < size; cpu++) {
		if (!(p[cpu / 8] >> cpu % 8 & 1))
			continue;
		text_format(t, "%s%u", between, cpu);
		between = " ";
	}
	text_char(t, ']');
}

static void put_groups(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	size_t size = 0, n = k->nnames > 0 ? (size_t)c->ret : (size_t)c->a[0];
	const char *p = c->a[arg] != 0 && !call_failed(c) && !(k->nnames > 0 && c->a[0] == 0) ?
	    call_bytes(c, arg, 0, &size) : NULL;
	uint32_t id;

	if (p == NULL) {
		text_addr(t, c->a[arg]);
		return;
	}
	text_char(t, '[');
	for (size_t i = 0; i < n && (i + 1) * sizeof(id) <= size; i++) {
		memcpy(&id, p + i * sizeof(id), sizeof(id));
		text_format(t, "%s%u", i > 0 ? ", " : "", id);
	}
	text_put(t, n * sizeof(id) > size ? ", ...]" : "]");
}

/* ---- the machine ---- */

static void put_uname(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	struct utsname u;

	(void)k;
	if (!call_struct(t, c, arg, 0, &u, sizeof(u)))
		return;
	text_put(t, "{sysname=");
	text_string(t, u.sysname, strnlen(u.sysname, sizeof(u.sysname)), false);
	text_put(t, ", nodename=");
	text_string(t, u.nodename, strnlen(u.nodename, sizeof(u.nodename)), false);
	text_put(t, ", ...}");
}

static void put_sysinfo(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	struct sysinfo s;

	(void)k;
	if (call_struct(t, c, arg, 0, &s, sizeof(s)))
		text_format(t,
		    "{uptime=%ld, loads=[%lu, %lu, %lu], totalram=%lu, freeram=%lu, sharedram=%lu, "
		    "bufferram=%lu, totalswap=%lu, freeswap=%lu, procs=%u, totalhigh=%lu, freehigh=%lu, "
		    "mem_unit=%u}",
		    s.uptime, s.loads[0], s.loads[1], s.loads[2], s.totalram, s.freeram, s.sharedram,
		    s.bufferram,
		    s.totalswap, s.freeswap, s.procs, s.totalhigh, s.freehigh, s.mem_unit);
}

static const struct name random_flags[] = { { 1, "GRND_NONBLOCK" }, { 2, "GRND_RANDOM" }, { 4, "GRND_INSECURE"
    } };
/* All of them begin with MEMBARRIER_CMD_. */
static const struct name barriers[] = {
	{ 0, "QUERY" }, { 1, "GLOBAL" }, { 2, "GLOBAL_EXPEDITED" }, { 4, "REGISTER_GLOBAL_EXPEDITED" },
	{ 8, "PRIVATE_EXPEDITED" }, { 16, "REGISTER_PRIVATE_EXPEDITED" },
};

static void put_barrier(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	const char *name = name_of(k->names, k->nnames, (uint32_t)c->a[arg]);

	if (name != NULL)
		text_format(t, "MEMBARRIER_CMD_%s", name);
	else
		text_hex(t, (uint32_t)c->a[arg]);
}

static const struct name ptraces[] = {
	{ 0, "PTRACE_TRACEME" }, { 1, "PTRACE_PEEKTEXT" }, { 2, "PTRACE_PEEKDATA" }, { 3, "PTRACE_PEEKUSER" },
	{ 4, "PTRACE_POKETEXT" }, { 5, "PTRACE_POKEDATA" }, { 7, "PTRACE_CONT" }, { 8, "PTRACE_KILL" },
	{ 9, "PTRACE_SINGLESTEP" }, { 12, "PTRACE_GETREGS" }, { 13, "PTRACE_SETREGS" },
	{ 16, "PTRACE_ATTACH" },
	{ 17, "PTRACE_DETACH" }, { 24, "PTRACE_SYSCALL" }, { 0x4200, "PTRACE_SETOPTIONS" },
	{ 0x4201, "PTRACE_GETEVENTMSG" }, { 0x4202, "PTRACE_GETSIGINFO" }, { 0x4204, "PTRACE_GETREGSET" },
	{ 0x4206, "PTRACE_SEIZE" }, { 0x4207, "PTRACE_INTERRUPT" }, { 0x4208, "PTRACE_LISTEN" },
	{ 0x420e, "PTRACE_GET_SYSCALL_INFO" },
};
static const struct name arch_prctls[] = {
	{ 0x1001, "ARCH_SET_GS" }, { 0x1002, "ARCH_SET_FS" }, { 0x1003, "ARCH_GET_FS" },
	{ 0x1004, "ARCH_GET_GS" },
	{ 0x1011, "ARCH_GET_CPUID" }, { 0x1012, "ARCH_SET_CPUID" }, { 0x3001, "ARCH_CET_STATUS" },
};
static const struct name ipc_flags[] = { { 01000, "IPC_CREAT" }, { 02000, "IPC_EXCL" }, { 04000, "IPC_NOWAIT"
    } };
static const struct name ipc_cmds[] = { { 0, "IPC_RMID" }, { 1, "IPC_SET" }, { 2, "IPC_STAT" }, { 3,
    "IPC_INFO" } };

static void put_ipc_get(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	uint32_t v = (uint32_t)c->a[arg];

	if (v & ~0777u) {
		put_flags(t, v & ~0777u, k->names, k->nnames, NULL);
		text_char(t, '|');
	}
	text_format(t, "%03o", v & 0777);
}

static void put_ipc_key(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	if ((uint32_t)c->a[arg] == 0)
		text_put(t, "IPC_PRIVATE");
	else
		text_hex(t, (uint32_t)c->a[arg]);
}

static const struct kind list[] = {
	{ .name = "wstatus", .put = put_wstatus, .fetch = OUT("4"), .nrecs = 1 },
	{ .name = "wait", .put = put_kind_flags, NAMES(wait_flags) },
	{ .name = "idtype", .put = put_kind_name, NAMES(id_types) },
	{ .name = "rlimit", .put = put_kind_name, NAMES(limits) },
	{ .name = "rlimits", .put = put_limits, .fetch = IN("16"), .nrecs = 1 },
	{ .name = "orlimits", .put = put_limits, .fetch = OUT("16"), .nrecs = 1, .nnames = 1 },
	{ .name = "prio", .put = put_kind_name, NAMES(priorities) },
	{ .name = "ruwho", .put = put_kind_name, NAMES(usages) },
	{ .name = "sched", .put = put_kind_name, NAMES(policies) },
	{ .name = "=sched", .put = put_ret_sched },
	{ .name = "schedparam", .put = put_sched_param, .fetch = IN("4"), .nrecs = 1 },
	{ .name = "oschedparam", .put = put_sched_param, .fetch = OUT("4"), .nrecs = 1, .nnames = 1 },
	{ .name = "cpuset", .put = put_cpus, .fetch = MEM("arg0", "128"), .nrecs = 1, .nnames = 1 },
	{ .name = "icpuset", .put = put_cpus, .fetch = MEM("self->a1", "128"), .nrecs = 1 },
	{ .name = "groups", .put = put_groups, .fetch = MEM("arg0 * 4 & " NOT_NULL("self->a0"), "128"), .nrecs
	    = 1,
	    .nnames = 1 },
	{ .name = "igroups", .put = put_groups, .fetch = MEM("%n * 4", "128"), .nrecs = 1 },
	{ .name = "uname", .put = put_uname, .fetch = OUT("390"), .nrecs = 1 },
	{ .name = "sysinfo", .put = put_sysinfo, .fetch = OUT("112"), .nrecs = 1 },
	{ .name = "grnd", .put = put_kind_flags, NAMES(random_flags) },
	{ .name = "membarrier", .put = put_barrier, NAMES(barriers) },
	{ .name = "ptrace", .put = put_kind_name, NAMES(ptraces) },
	{ .name = "archprctl", .put = put_kind_name, NAMES(arch_prctls) },
	{ .name = "ipcget", .put = put_ipc_get, NAMES(ipc_flags) },
	{ .name = "ipccmd", .put = put_kind_name, NAMES(ipc_cmds) },
	{ .name = "ipckey", .put = put_ipc_key },
};
KINDS(kinds_process);
