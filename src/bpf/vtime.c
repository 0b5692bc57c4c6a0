/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vtimestamp: how long the thread has run on a CPU, exact to the clock, without the time that it spent in our
 * programs. The scheduler's own sum moves with its tick, and its clock is not one that a program can read. So
 * a program at sched_switch, which is there only when vtimestamp is used, notes for each CPU when it last
 * switched, and adds up the time of the threads that have asked: those have a struct vtime in task storage,
 * made at their first look and started with the scheduler's sum. The value only grows. A thread that never
 * asks costs two lookups a switch, and one a firing.
 *
 * A firing has one value: it is read before the first clause, and after the last one the sum is reduced by
 * what the value has grown meanwhile. Interrupts that fire inside have then reduced it by their own part.
 *
 * Inside a process the agent asks the kernel, at the first look of a firing. There the time of our programs
 * is part of it.
 */
#include "bpf/hook.h"

/*
 * sum: the time up to the last switch, 0: the thread has not asked yet. since: when it first asked; counting
 * begins there when that is later than the CPU's last switch.
 */
struct vtime { uint64_t sum, since; };
#define AT(member) ((int)offsetof(struct vtime, member))

static uint32_t threads_map(struct dt_build *b)
{
	if (!b->vtime)
		b->vtime = 1 + dt_build_map(b, DT_MAP_VTIME, BPF_MAP_TYPE_TASK_STORAGE, 4,
		    sizeof(struct vtime), 0, BPF_F_NO_PREALLOC);
	return b->vtime - 1;
}

static uint32_t switches_map(struct dt_build *b)
{
	if (!b->vtime_cpu)
		b->vtime_cpu = 1 + dt_build_map(b, DT_MAP_VTIME_CPU, BPF_MAP_TYPE_ARRAY, 4, 8, b->opts->ncpus,
		    0);
	return b->vtime_cpu - 1;
}

/* r0 = the thread's struct vtime, or 0. */
static void find_thread(struct dt_build *b, struct dt_emit *a, bool create)
{
	dt_call(a, BPF_FUNC_get_current_task_btf);
	dt_mov(a, R2, R0);
	dt_map(a, R1, threads_map(b));
	dt_imm(a, R3, 0);
	dt_imm(a, R4, create ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	dt_call(a, BPF_FUNC_task_storage_get);
}

/* r0 = this CPU's word, or on to `none`; room: 8 free bytes of the frame. */
static void find_cpu_word(struct dt_build *b, struct dt_emit *a, int room, uint32_t none)
{
	dt_call(a, BPF_FUNC_get_smp_processor_id);
	dt_stx(a, B8, FP, room, R0);
	dt_map(a, R1, switches_map(b));
	dt_fpaddr(a, R2, room);
	dt_call(a, BPF_FUNC_map_lookup_elem);
	dt_jmpi(a, BPF_JEQ, R0, 0, none);
}

/* r1 = since when the thread runs; `thread` points to its struct vtime, r0 to the CPU's word. r2 changes. */
static void load_since(struct dt_emit *a, int thread)
{
	uint32_t later = dt_label(a);

	dt_ldx(a, B8, R1, thread, AT(since));
	dt_ldx(a, B8, R2, R0, 0);
	dt_jmp(a, BPF_JGE, R1, R2, later);
	dt_mov(a, R1, R2);
	dt_put(a, later);
}

/* At sched_switch the thread that leaves is still the current one. */
void dt_vtime_program(struct dt_build *b, struct dt_emit *a)
{
	uint32_t none = dt_label(a), out = dt_label(a);

	find_thread(b, a, false);
	dt_mov(a, R6, R0);
	dt_call(a, BPF_FUNC_ktime_get_ns);
	dt_mov(a, R8, R0);
	find_cpu_word(b, a, -8, out);
	dt_jmpi(a, BPF_JEQ, R6, 0, none);
	load_since(a, R6);
	dt_mov(a, R3, R8);
	dt_alu(a, BPF_SUB, R3, R1);
	dt_atomic(a, BPF_ADD, R6, AT(sum), R3);
	dt_put(a, none);
	dt_stx(a, B8, R0, 0, R8);
	dt_put(a, out);
	dt_imm(a, R0, 0);
	dt_exit(a);
}

/* ---- a firing ---- */

/*
 * r0 = the time of the thread whose struct vtime is in r9, or on to `none`. Where the program may be
 * preempted, the thread may be switched away between the reads of sum and clock: a sum that has changed tells
 * so, and all is read a second time. r8 and two words of the frame change.
 */
static void read_time(struct dt_build *b, struct dt_emit *a, uint32_t none)
{
	uint32_t done = dt_label(a);

	for (int i = 0; i < 2; i++) {
		dt_ldx(a, B8, R8, R9, AT(sum));
		find_cpu_word(b, a, F_HOOK_INDEX, none);
		load_since(a, R9);
		dt_stx(a, B8, FP, F_HOOK_DROP, R1);
		dt_call(a, BPF_FUNC_ktime_get_ns);
		dt_ldx(a, B8, R1, FP, F_HOOK_DROP);
		dt_alu(a, BPF_SUB, R0, R1);
		dt_alu(a, BPF_ADD, R0, R8);
		dt_ldx(a, B8, R2, R9, AT(sum));
		dt_jmp(a, BPF_JEQ, R8, R2, done);
	}
	dt_put(a, done);
}

/* Where the value of the firing is kept: in the slot, or in the frame that all clauses share. */
static int value_base(bool slot) { return slot ? R6 : FP; }
static int value_at(bool slot) { return slot ? S_VTIME : F_VTIME; }

/* A thread that has not asked yet has the value 0: the first clause that reads it starts the counting. */
void dt_vtime_begin(struct dt_hookcode *k)
{
	struct dt_emit *a = k->a;
	uint32_t none = dt_label(a), have = dt_label(a);

	if (!k->b->vtimed || k->a->task != NULL)
		return;
	if (k->b->opts->slots == 0) {
		find_thread(k->b, a, false);
		dt_jmpi(a, BPF_JEQ, R0, 0, none);
		dt_mov(a, R9, R0);
		dt_ldx(a, B8, R1, R9, AT(sum));
		dt_jmpi(a, BPF_JEQ, R1, 0, none);
		read_time(k->b, a, none);
		dt_ja(a, have);
	}
	dt_put(a, none);
	dt_imm(a, R0, 0);
	dt_put(a, have);
	dt_stx(a, B8, value_base(k->slot), value_at(k->slot), R0);
}

void dt_vtime_end(struct dt_hookcode *k)
{
	struct dt_emit *a = k->a;
	uint32_t out = dt_label(a);

	if (!k->b->vtimed || k->b->opts->slots != 0 || k->a->task != NULL)
		return;
	dt_ldx(a, B8, R1, value_base(k->slot), value_at(k->slot));
	dt_jmpi(a, BPF_JEQ, R1, 0, out);
	find_thread(k->b, a, false);
	dt_jmpi(a, BPF_JEQ, R0, 0, out);
	dt_mov(a, R9, R0);
	read_time(k->b, a, out);
	dt_ldx(a, B8, R1, value_base(k->slot), value_at(k->slot));
	dt_alu(a, BPF_SUB, R1, R0);
	dt_atomic(a, BPF_ADD, R9, AT(sum), R1);
	dt_put(a, out);
}

/* ---- in a clause ---- */

/* The first look, r9 the struct vtime: it starts with what the scheduler knew at its last tick. */
static void start_counting(struct dt_lower *l)
{
	dt_help(l, BPF_FUNC_get_current_task);
	dt_follow(l, dt_kmember(l->b->opts, "task_struct", "se.sum_exec_runtime"), 8, "a thread's run time");
	dt_alui(l->a, BPF_ADD, R0, 1);		/* never 0 */
	dt_stx(l->a, B8, R9, AT(sum), R0);
	dt_help(l, BPF_FUNC_ktime_get_ns);
	dt_stx(l->a, B8, R9, AT(since), R0);
}

/* r0 = the time that is counted, or on to `none` when there is no memory for a struct vtime */
static void first_look(struct dt_lower *l, uint32_t none)
{
	struct dt_emit *a = l->a;
	uint32_t started = dt_label(a);

	find_thread(l->b, a, true);
	dt_jmpi(a, BPF_JEQ, R0, 0, none);
	dt_mov(a, R9, R0);
	dt_ldx(a, B8, R0, R9, AT(sum));
	dt_jmpi(a, BPF_JNE, R0, 0, started);
	start_counting(l);
	dt_ldx(a, B8, R0, R9, AT(sum));
	dt_put(a, started);
}

/* r0 = the time; 0 when it cannot be counted. */
void dt_get_vtimestamp(struct dt_lower *l)
{
	struct dt_emit *a = l->a;
	uint32_t done = dt_label(a);

	if (a->task != NULL)
		REFUSE(l, "vtimestamp is the time of the thread that runs, which at wall-n is not the one "
		    "the probe fires for: curthread->se.sum_exec_runtime is its run time");
	dt_ldx(a, B8, R0, value_base(l->slot), value_at(l->slot));
	dt_jmpi(a, BPF_JNE, R0, 0, done);
	if (dt_in_process(l))
		dt_about(l, DT_ABOUT_RUNTIME);
	else
		first_look(l, done);
	dt_stx(a, B8, value_base(l->slot), value_at(l->slot), R0);
	dt_put(a, done);
	l->cached = 0;
}
