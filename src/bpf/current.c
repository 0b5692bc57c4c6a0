/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "The current thread" in programs that fire for a thread which is not running (DT_CTX_TASK, wall-n): a call
 * of a helper about the current one comes in, loads from the struct task_struct of the context go out, with
 * the same value in r0. So whatever is made of these helpers (variables, filters of processes, memory of the
 * process) means that thread, and nothing else has to know. dt_call() comes here for every helper.
 *
 * r7 is the context: its second word is the thread. The verifier wants it compared with NULL each time,
 * though the program has left long since if it is (hook_entry.c).
 */
#include "bpf/current.h"
#include "bpf/layout.h"
#include "engine/plan.h"

#include <errno.h>
#include <linux/bpf.h>

enum { TASK = 8 };			/* in the context: struct bpf_iter__task */

static uint32_t at(const struct dt_emit *a, const char *tag, const char *path)
{
	return dt_kmember(a->task, tag, path);
}

/*
 * r0 = the thread, as a pointer whose type the verifier knows. It may not leave the program here (a record
 * may be reserved: "BPF_EXIT instruction in main prog would lead to reference leak", 6.18), so for the NULL
 * that never comes there is another pointer of that type.
 */
static void task_pointer(struct dt_emit *a)
{
	uint32_t there = dt_label(a);

	dt_ldx(a, B8, R0, R7, TASK);
	dt_jmpi(a, BPF_JNE, R0, 0, there);
	dt_raw(a, (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_task_btf });
	dt_put(a, there);
}

static void task_number(struct dt_emit *a)
{
	dt_ldx(a, B8, R0, R7, TASK);
	dt_scalar(a, R0);
}

/* r0 = two words of 32 bits of what r0 points to, the second of them above the first. */
static void pair(struct dt_emit *a, uint32_t low, uint32_t high)
{
	dt_ldx(a, B4, R1, R0, (int)high);
	dt_alui(a, BPF_LSH, R1, 32);
	dt_ldx(a, B4, R0, R0, (int)low);
	dt_alu(a, BPF_OR, R0, R1);
}

static void ids(struct dt_emit *a)
{
	task_pointer(a);
	pair(a, at(a, "task_struct", "pid"), at(a, "task_struct", "tgid"));
}

static void users(struct dt_emit *a)
{
	task_pointer(a);
	dt_ldx(a, B8, R0, R0, (int)at(a, "task_struct", "cred"));
	pair(a, at(a, "cred", "uid"), at(a, "cred", "gid"));
}

/* r1: where to, r2: how many bytes */
static void comm(struct dt_emit *a)
{
	dt_ldx(a, B8, R3, R7, TASK);
	dt_scalar(a, R3);
	dt_alui(a, BPF_ADD, R3, (int32_t)at(a, "task_struct", "comm"));
	dt_call(a, BPF_FUNC_probe_read_kernel_str);
}

/* r0 = the control group (version 2). */
static void cgroup(struct dt_emit *a)
{
	task_pointer(a);
	dt_ldx(a, B8, R0, R0, (int)at(a, "task_struct", "cgroups"));
	dt_ldx(a, B8, R0, R0, (int)at(a, "css_set", "dfl_cgrp"));
}

static void cgroup_id(struct dt_emit *a)
{
	cgroup(a);
	dt_ldx(a, B8, R0, R0, (int)at(a, "cgroup", "kn"));
	dt_ldx(a, B8, R0, R0, (int)at(a, "kernfs_node", "id"));
}

/*
 * r0 = the word at the address in r3, 0 where nothing can be read. Only a hook asks for groups above, and its
 * frame has to be short: all that it calls share 512 bytes with it.
 */
static void load(struct dt_emit *a)
{
	dt_sti(a, B8, FP, F_HOOK_INDEX, 0);
	dt_fpaddr(a, R1, F_HOOK_INDEX);
	dt_imm(a, R2, 8);
	dt_call(a, BPF_FUNC_probe_read_kernel);
	dt_ldx(a, B8, R0, FP, F_HOOK_INDEX);
}

/* The ancestor of the level in r1; 0 if the group is not as deep. The list of them is read by number. */
static void ancestor_id(struct dt_emit *a)
{
	uint32_t none = dt_label(a), done = dt_label(a);

	dt_stx(a, B8, FP, F_HOOK_INDEX, R1);
	cgroup(a);
	dt_ldx(a, B8, R3, FP, F_HOOK_INDEX);
	dt_ldx(a, B4, R2, R0, (int)at(a, "cgroup", "level"));
	dt_jmp(a, BPF_JLT, R2, R3, none);
	dt_scalar(a, R0);
	dt_alui(a, BPF_LSH, R3, 3);
	dt_alu(a, BPF_ADD, R3, R0);
	dt_alui(a, BPF_ADD, R3, (int32_t)at(a, "cgroup", "ancestors"));
	load(a);
	dt_mov(a, R3, R0);
	dt_alui(a, BPF_ADD, R3, (int32_t)at(a, "cgroup", "kn"));
	load(a);
	dt_mov(a, R3, R0);
	dt_alui(a, BPF_ADD, R3, (int32_t)at(a, "kernfs_node", "id"));
	load(a);
	dt_ja(a, done);
	dt_put(a, none);
	dt_imm(a, R0, 0);
	dt_put(a, done);
}

/* r1, r2 and r3 are as for the helper that reads the current process. It may wait for a page. */
static void read_user(struct dt_emit *a)
{
	uint32_t none = dt_label(a);

	dt_imm(a, R0, (uint64_t)-EFAULT);
	dt_ldx(a, B8, R4, R7, TASK);
	dt_jmpi(a, BPF_JEQ, R4, 0, none);
	dt_imm(a, R5, 0);
	dt_call(a, BPF_FUNC_copy_from_user_task);
	dt_put(a, none);
}

static const struct { int helper; void (*make)(struct dt_emit *); } others[] = {
	{ BPF_FUNC_get_current_task, task_number },
	{ BPF_FUNC_get_current_task_btf, task_pointer },
	{ BPF_FUNC_get_current_pid_tgid, ids },
	{ BPF_FUNC_get_current_uid_gid, users },
	{ BPF_FUNC_get_current_comm, comm },
	{ BPF_FUNC_get_current_cgroup_id, cgroup_id },
	{ BPF_FUNC_get_current_ancestor_cgroup_id, ancestor_id },
	{ BPF_FUNC_probe_read_user, read_user },
};

bool dt_current_call(struct dt_emit *a, int helper)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (others[i].helper != helper)
			continue;
		others[i].make(a);
		return true;
	}
	return false;
}

/* What the loads above and the guard need of the kernel's type data. */
const char *dt_current_missing(const struct dt_plan_opts *o)
{
	static const struct { const char *tag, *path; } members[] = {
		{ "task_struct", "pid" }, { "task_struct", "tgid" }, { "task_struct", "comm" },
		{ "task_struct", "cred" }, { "cred", "uid" }, { "cred", "gid" }, { "task_struct", "mm" },
		{ "task_struct", "nvcsw" }, { "task_struct", "nivcsw" },
	};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (dt_kmember(o, members[i].tag, members[i].path) == DT_KOFF_NONE)
			return members[i].path;
	return NULL;
}

/*
 * To `out` at the end of a pass, where there is no thread, and for threads that are on a CPU: those fire
 * there (p_profile.c), where their registers are. Without on_cpu in the kernel there is one CPU, ours.
 */
void dt_current_guard(struct dt_emit *a, uint32_t only_cpu, uint32_t out)
{
	uint32_t on_cpu = at(a, "task_struct", "on_cpu"), cpu = at(a, "task_struct", "thread_info.cpu");

	dt_ldx(a, B8, R0, R7, TASK);
	dt_jmpi(a, BPF_JEQ, R0, 0, out);
	if (on_cpu != DT_KOFF_NONE) {
		dt_ldx(a, B4, R1, R0, (int)on_cpu);
		dt_jmpi(a, BPF_JNE, R1, 0, out);
	}
	if (only_cpu != 0 && cpu != DT_KOFF_NONE) {
		dt_ldx(a, B4, R1, R0, (int)cpu);
		dt_jmpi(a, BPF_JNE, R1, (int32_t)only_cpu - 1, out);
	}
}

/*
 * r0 = how often the thread has left a CPU, or an odd answer of its own while it is on one: equal before and
 * after a look at its stack if it has not run in between. To `none` if it has no memory of its own.
 */
void dt_current_switches(struct dt_emit *a, uint32_t none)
{
	uint32_t on_cpu = at(a, "task_struct", "on_cpu");

	task_pointer(a);
	dt_mov(a, R1, R0);
	dt_ldx(a, B8, R0, R1, (int)at(a, "task_struct", "mm"));
	dt_scalar(a, R0);
	dt_jmpi(a, BPF_JEQ, R0, 0, none);
	if (on_cpu != DT_KOFF_NONE) {
		dt_ldx(a, B4, R0, R1, (int)on_cpu);
		dt_jmpi(a, BPF_JNE, R0, 0, none);
	}
	dt_ldx(a, B8, R0, R1, (int)at(a, "task_struct", "nvcsw"));
	dt_ldx(a, B8, R1, R1, (int)at(a, "task_struct", "nivcsw"));
	dt_alu(a, BPF_ADD, R0, R1);
}
