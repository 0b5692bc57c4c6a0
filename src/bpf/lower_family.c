/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -x follow: the processes named (roots) and all their descendants. Two maps know them: ROOTS has the numbers
 * of the roots in the tracer's pid namespace, FAMILY has the others by the kernel's number. Three small
 * programs in the kernel keep the maps, so that no child is missed. A fork makes a member before the child
 * runs. The end of a process is counted once, when its last thread ends. Its number is forgotten when the
 * kernel frees it, since threads may still be on their way out. A root that ends becomes a member too, for
 * that time: its number may be given to another process.
 */
#include "bpf/image_maps.h"
#include "bpf/lower_process.h"
#include "bpf/lower_record.h"

#define MEMBERS_MAX 65536		/* at a time */

/* The frame of these programs, from its lowest address to where r10 points. */
struct keeper_frame {
	uint64_t drop;			/* key of a counter of drops */
	uint64_t live, signal;
	struct dt_descendant value;
	uint64_t pid;			/* and, with the key, the words that dt_family_root() asks for */
	uint64_t key;
};
#define KEEPER_AT(member) ((int)offsetof(struct keeper_frame, member) - (int)sizeof(struct keeper_frame))
enum {
	M_DROP = KEEPER_AT(drop),
	M_LIVE = KEEPER_AT(live),
	M_SIGNAL = KEEPER_AT(signal),
	M_VALUE = KEEPER_AT(value),
	M_PID = KEEPER_AT(pid),
	M_KEY = KEEPER_AT(key),
};
_Static_assert(M_PID == M_KEY - 8, "dt_family_root() has the word before its key too");

static uint32_t family_map(struct dt_build *b)
{
	if (!b->family)
		b->family = 1 + dt_build_map(b, DT_MAP_FAMILY, BPF_MAP_TYPE_HASH, 4,
		    sizeof(struct dt_descendant), MEMBERS_MAX, BPF_F_NO_PREALLOC);
	return b->family - 1;
}

static uint32_t roots_map(struct dt_build *b)
{
	uint32_t n = b->opts->nroots;

	if (!b->roots) {
		uint64_t *words = DT_NEWN(b->arena, uint64_t, n + 1);

		for (uint32_t i = 0; i < n; i++)
			words[i] = b->opts->roots[i];
		b->roots = dt_build_map(b, DT_MAP_ROOTS, BPF_MAP_TYPE_ARRAY, 4, 8 * n, 1, 0) + 1;
		b->maps.v[b->roots - 1].data = words;
		b->maps.v[b->roots - 1].len = 8 * n;
	}
	return b->roots - 1;
}

/*
 * When the current process is a root: to `found`, with r0 = its place, from 1. Else the code falls through. A
 * process outside of our container has the number 0, which is no root's.
 */
static void match_root(struct dt_build *b, struct dt_emit *a, int room, uint32_t found)
{
	uint32_t none = dt_label(a);

	dt_process_number(a, b->opts, room);
	dt_jmpi(a, BPF_JEQ, R0, 0, none);
	for (uint32_t i = 0; i < b->opts->nroots; i++) {
		uint32_t next = dt_label(a);

		dt_mapval(a, R1, roots_map(b), 8 * i);
		dt_ldx(a, B8, R1, R1, 0);
		dt_jmp(a, BPF_JNE, R1, R0, next);
		dt_imm(a, R0, i + 1);
		dt_ja(a, found);
		dt_put(a, next);
	}
	dt_put(a, none);
}

/* r0 = the current process's element; without one to `out`. Its number is left at FP + room. */
static void find_member(struct dt_build *b, struct dt_emit *a, int room, uint32_t out)
{
	dt_call(a, BPF_FUNC_get_current_pid_tgid);
	dt_alui(a, BPF_RSH, R0, 32);
	dt_stx(a, B4, FP, room, R0);
	dt_map(a, R1, family_map(b));
	dt_fpaddr(a, R2, room);
	dt_call(a, BPF_FUNC_map_lookup_elem);
	dt_jmpi(a, BPF_JEQ, R0, 0, out);
}

void dt_family_root(struct dt_build *b, struct dt_emit *a, int room, uint32_t out)
{
	uint32_t found = dt_label(a);

	match_root(b, a, room, found);
	find_member(b, a, room, out);
	dt_ldx(a, B8, R0, R0, offsetof(struct dt_descendant, root));
	dt_put(a, found);
}

int32_t dt_family_place(const struct dt_build *b, uint32_t pid)
{
	for (uint32_t i = 0; i < b->opts->nroots; i++)
		if (b->opts->roots[i] == pid)
			return (int32_t)i + 1;
	return 0;
}

/* ---- the programs that keep the maps: r7 the context, r8 the task ---- */

/* Reads `size` bytes at the register + off to the frame; 0 when they cannot be read. */
static void read_to(struct dt_emit *a, int frame, uint32_t size, int base, uint32_t off)
{
	dt_sti(a, B8, FP, frame, 0);
	dt_mov(a, R3, base);
	dt_alui(a, BPF_ADD, R3, (int32_t)off);
	dt_fpaddr(a, R1, frame);
	dt_imm(a, R2, size);
	dt_call(a, BPF_FUNC_probe_read_kernel);
}

/* To `out` unless the task in r8 is the first of its process, whose number is left at M_KEY. */
static void skip_unless_leader(struct dt_build *b, struct dt_emit *a, uint32_t out)
{
	read_to(a, M_KEY, 4, R8, dt_kmember(b->opts, "task_struct", "tgid"));
	read_to(a, M_PID, 4, R8, dt_kmember(b->opts, "task_struct", "pid"));
	dt_ldx(a, B4, R1, FP, M_KEY);
	dt_ldx(a, B4, R2, FP, M_PID);
	dt_jmp(a, BPF_JNE, R1, R2, out);
}

static void count_living(struct dt_build *b, struct dt_emit *a, int by)
{
	dt_mapval(a, R1, dt_control_map(b), (uint32_t)offsetof(struct dt_control, followed));
	dt_imm(a, R2, (uint64_t)(int64_t)by);
	dt_atomic(a, BPF_ADD, R1, 0, R2);
}

/* r0 is the number of its root; the process is at M_KEY. Without room that is counted, and on to `out`. */
static void add_member(struct dt_build *b, struct dt_emit *a, bool alive, uint32_t out)
{
	uint32_t fine = dt_label(a);

	dt_stx(a, B8, FP, M_VALUE + (int)offsetof(struct dt_descendant, root), R0);
	dt_sti(a, B8, FP, M_VALUE + (int)offsetof(struct dt_descendant, alive), alive);
	dt_map(a, R1, family_map(b));
	dt_fpaddr(a, R2, M_KEY);
	dt_fpaddr(a, R3, M_VALUE);
	dt_imm(a, R4, BPF_ANY);
	dt_call(a, BPF_FUNC_map_update_elem);
	dt_jmpi(a, BPF_JEQ, R0, 0, fine);
	dt_drop_at(b, a, M_DROP, offsetof(struct dt_drops, dynamic));
	dt_ja(a, out);
	dt_put(a, fine);
}

/* sched_process_fork(parent, child), in the parent; a new thread is no child */
static void keep_fork(struct dt_build *b, struct dt_emit *a, uint32_t out)
{
	dt_ldx(a, B8, R8, R7, 8);
	dt_family_root(b, a, M_KEY, out);
	dt_mov(a, R9, R0);
	skip_unless_leader(b, a, out);
	dt_mov(a, R0, R9);
	add_member(b, a, true, out);
	count_living(b, a, 1);
}

/* Clears the element of ROOTS whose index, counted from 1, is in r9. */
static void forget_root(struct dt_build *b, struct dt_emit *a)
{
	for (uint32_t i = 0; i < b->opts->nroots; i++) {
		uint32_t next = dt_label(a);

		dt_jmpi(a, BPF_JNE, R9, (int32_t)i + 1, next);
		dt_mapval(a, R1, roots_map(b), 8 * i);
		dt_sti(a, B8, R1, 0, 0);
		dt_put(a, next);
	}
}

/* sched_process_exit(task), in each thread: signal->live is 0 in the last one */
static void keep_exit(struct dt_build *b, struct dt_emit *a, uint32_t out)
{
	uint32_t root = dt_label(a);

	dt_ldx(a, B8, R8, R7, 0);
	read_to(a, M_SIGNAL, 8, R8, dt_kmember(b->opts, "task_struct", "signal"));
	dt_ldx(a, B8, R8, FP, M_SIGNAL);
	read_to(a, M_LIVE, 4, R8, dt_kmember(b->opts, "signal_struct", "live"));
	dt_ldx(a, B4, R1, FP, M_LIVE);
	dt_jmpi(a, BPF_JNE, R1, 0, out);
	match_root(b, a, M_KEY, root);
	find_member(b, a, M_KEY, out);
	dt_mov(a, R3, R0);
	dt_imm(a, R0, 1);
	dt_imm(a, R1, 0);
	dt_atomic(a, BPF_CMPXCHG, R3, (int)offsetof(struct dt_descendant, alive), R1);
	dt_jmpi(a, BPF_JNE, R0, 1, out);
	count_living(b, a, -1);
	dt_ja(a, out);
	dt_put(a, root);
	dt_mov(a, R9, R0);
	dt_call(a, BPF_FUNC_get_current_pid_tgid);
	dt_alui(a, BPF_RSH, R0, 32);
	dt_stx(a, B4, FP, M_KEY, R0);
	dt_mov(a, R0, R9);
	add_member(b, a, false, out);
	forget_root(b, a);
}

/* sched_process_free(task), in any process */
static void keep_free(struct dt_build *b, struct dt_emit *a, uint32_t out)
{
	dt_ldx(a, B8, R8, R7, 0);
	skip_unless_leader(b, a, out);
	dt_map(a, R1, family_map(b));
	dt_fpaddr(a, R2, M_KEY);
	dt_call(a, BPF_FUNC_map_delete_elem);
}

void dt_family_keep(struct dt_build *b, struct dt_emit *a, enum dt_keep keep)
{
	uint32_t out = dt_label(a);

	if (dt_kmember(b->opts, "task_struct", "tgid") == DT_KOFF_NONE ||
	    dt_kmember(b->opts, "task_struct", "signal") == DT_KOFF_NONE ||
	    dt_kmember(b->opts, "signal_struct", "live") == DT_KOFF_NONE)
		dt_refuse(b, (struct dt_loc){ 0 },
		    "this kernel's type data does not show how processes end, which -x follow needs");
	dt_mov(a, R7, R1);
	switch (keep) {
	case DT_KEEP_FORK: keep_fork(b, a, out); break;
	case DT_KEEP_EXIT: keep_exit(b, a, out); break;
	case DT_KEEP_FREE: keep_free(b, a, out); break;
	default: break;
	}
	dt_put(a, out);
	dt_imm(a, R0, 0);
	dt_exit(a);
}
