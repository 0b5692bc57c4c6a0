/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of processes and threads in the tracer's pid namespace: pid, tid, ppid, the numbers recorded beside
 * addresses, and those compared with the processes that are to be traced. In a container they are the numbers
 * used there, for processes of containers inside of it too; a process outside is 0, which no process has. The
 * kernel keeps a number for each namespace that a task is in, from the outermost on: numbers[level] of its
 * struct pid.
 */
#include "bpf/lower_process.h"

/* r0 = the `size` bytes at r0 + off, 0 where nothing can be read; the 8 bytes at FP + room change. */
static void load_kernel(struct dt_emit *a, int room, uint32_t off, uint32_t size)
{
	dt_mov(a, R3, R0);
	dt_alui(a, BPF_ADD, R3, (int32_t)off);
	dt_sti(a, B8, FP, room, 0);
	dt_fpaddr(a, R1, room);
	dt_imm(a, R2, size);
	dt_call(a, BPF_FUNC_probe_read_kernel);
	dt_ldx(a, B8, R0, FP, room);
}

/*
 * In a namespace: a task that is not as deep as ours is, or whose number at our level belongs to another
 * namespace, is outside.
 */
void dt_task_number(struct dt_emit *a, const struct dt_plan_opts *o, int room, bool process)
{
	uint32_t none = dt_label(a), done = dt_label(a), at;

	if (o->pidns_ino == 0) {
		load_kernel(a, room,
		    process ? dt_kmember(o, "task_struct", "tgid") : dt_kmember(o, "task_struct", "pid"), 4);
		return;
	}
	at = dt_kmember(o, "pid", "numbers") + o->pidns_level * dt_kmember(o, "upid", NULL);
	if (process)
		load_kernel(a, room, dt_kmember(o, "task_struct", "group_leader"), 8);
	load_kernel(a, room, dt_kmember(o, "task_struct", "thread_pid"), 8);
	dt_stx(a, B8, FP, room - 8, R0);
	load_kernel(a, room, dt_kmember(o, "pid", "level"), 4);
	dt_jmpi(a, BPF_JLT, R0, (int32_t)o->pidns_level, none);
	dt_ldx(a, B8, R0, FP, room - 8);
	load_kernel(a, room, at + dt_kmember(o, "upid", "ns"), 8);
	load_kernel(a, room, dt_kmember(o, "pid_namespace", "ns.inum"), 4);
	dt_imm(a, R1, o->pidns_ino);
	dt_jmp(a, BPF_JNE, R0, R1, none);
	dt_ldx(a, B8, R0, FP, room - 8);
	load_kernel(a, room, at + dt_kmember(o, "upid", "nr"), 4);
	dt_ja(a, done);
	dt_put(a, none);
	dt_imm(a, R0, 0);
	dt_put(a, done);
}

void dt_process_number(struct dt_emit *a, const struct dt_plan_opts *o, int room)
{
	if (o->pidns_ino == 0) {
		dt_call(a, BPF_FUNC_get_current_pid_tgid);
		dt_alui(a, BPF_RSH, R0, 32);
		return;
	}
	dt_call(a, BPF_FUNC_get_current_task);
	dt_task_number(a, o, room, true);
}
