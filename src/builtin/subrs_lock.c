/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks, read as Linux lays them out. A struct mutex begins with its owner, whose low three bits are flags.
 * An rwlock_t begins with a counter: its low byte is 0xff while the lock is held for writing, bit 8 says that
 * a writer waits, and the bits above count readers. Nothing is locked: the answer may be old when it is used.
 */
#include "builtin/row.h"

#define MUTEX_FLAGS 7u
#define RW_WRITER 0xffu
#define RW_WAITING 0x1ffu
#define RW_READER_SHIFT 9

/* r0 becomes the 4 or 8 bytes at the first argument; an address that cannot be read faults. */
static void lock_word(struct dt_lower *l, int size)
{
	struct dt_emit *a = dt_code(l);

	dt_tuple_arg(l, 0, R3);
	dt_stx(a, B8, FP, F_T1, R3);
	dt_fpaddr(a, R1, F_T0);
	dt_imm(a, R2, (uint64_t)size);
	dt_help(l, BPF_FUNC_probe_read_kernel);
	dt_jmpi(a, BPF_JNE, R0, 0, dt_fault_label(l, DT_FLT_BADADDR, F_T1));
	dt_ldx(a, size == 4 ? B4 : B8, R0, FP, F_T0);
}

/* r0 becomes 1 if it is not 0. */
static void make_truth(struct dt_lower *l)
{
	uint32_t done = dt_label(dt_code(l));

	dt_jmpi(dt_code(l), BPF_JEQ, R0, 0, done);
	dt_imm(dt_code(l), R0, 1);
	dt_put(dt_code(l), done);
}

/* The owner without the flags; 0 after a fault as well. */
static uint64_t call_mutex_owner(struct dt_interp *ip, const struct dt_subr_call *call)
{
	uint64_t owner = 0;

	dt_interp_read(ip, call->arg[0].value, &owner, sizeof(owner), false);
	return owner & ~(uint64_t)MUTEX_FLAGS;
}

/* The flags are in the low bits of the owner's address, which is aligned. */
static void lower_mutex_owner(struct dt_lower *l)
{
	lock_word(l, 8);
	dt_alui(dt_code(l), BPF_AND, R0, ~MUTEX_FLAGS);
}

const struct dt_builtin dt_subr_mutex_owner = {
	DT_SUBR(mutex_owner, "struct task_struct *(struct mutex *)", V(1, 0), EVOLVING),
	.call = call_mutex_owner, .lower = lower_mutex_owner, .scratch = DT_SCRATCH_NONE,
	.where = DT_IN_KERNEL | DT_IN_REPLAY,
	.doc = "The thread that holds the mutex; NULL if it is free.",
};

static uint64_t call_mutex_owned(struct dt_interp *ip, const struct dt_subr_call *call)
{
	uint64_t owner = call_mutex_owner(ip, call);

	return owner && owner == dt_interp_context(ip)->curthread;
}

/* A free mutex has owner 0, which no running thread is. */
static void lower_mutex_owned(struct dt_lower *l)
{
	struct dt_emit *a = dt_code(l);
	uint32_t no = dt_label(a), done = dt_label(a);

	lower_mutex_owner(l);
	dt_mov(a, R9, R0);
	dt_help(l, BPF_FUNC_get_current_task);
	dt_jmp(a, BPF_JNE, R0, R9, no);
	dt_imm(a, R0, 1);
	dt_ja(a, done);
	dt_put(a, no);
	dt_imm(a, R0, 0);
	dt_put(a, done);
}

const struct dt_builtin dt_subr_mutex_owned = {
	DT_SUBR(mutex_owned, "int(struct mutex *)", V(1, 0), EVOLVING),
	.call = call_mutex_owned, .lower = lower_mutex_owned, .scratch = DT_SCRATCH_NONE,
	.where = DT_IN_KERNEL | DT_IN_REPLAY,
	.doc = "1 if the current thread holds the mutex, else 0.",
};

/*
 * Every struct mutex is adaptive: it spins while its owner runs, then sleeps. The lock is read all the same,
 * so that a bad address faults.
 */
static uint64_t call_mutex_type_adaptive(struct dt_interp *ip, const struct dt_subr_call *call)
{
	call_mutex_owner(ip, call);
	return 1;
}

static uint64_t call_mutex_type_spin(struct dt_interp *ip, const struct dt_subr_call *call)
{
	call_mutex_owner(ip, call);
	return 0;
}

/* The lock is read all the same, so that a bad address faults. */
static void lower_mutex_type_adaptive(struct dt_lower *l)
{
	lock_word(l, 8);
	dt_imm(dt_code(l), R0, 1);
}
static void lower_mutex_type_spin(struct dt_lower *l)
{
	lock_word(l, 8);
	dt_imm(dt_code(l), R0, 0);
}

/* Any bit above the writer's is a reader. */
static void lower_rw_read_held(struct dt_lower *l)
{
	lock_word(l, 4);
	dt_alui(dt_code(l), BPF_RSH, R0, RW_READER_SHIFT);
	make_truth(l);
}

/* Only 0xff is a writer: 0xff + 1 is the one value whose bit 8 is set. */
static void lower_rw_write_held(struct dt_lower *l)
{
	lock_word(l, 4);
	dt_alui(dt_code(l), BPF_AND, R0, RW_WRITER);
	dt_alui(dt_code(l), BPF_ADD, R0, 1);
	dt_alui(dt_code(l), BPF_RSH, R0, 8);
}

/* A writer that waits counts too: bit 8. */
static void lower_rw_iswriter(struct dt_lower *l)
{
	lock_word(l, 4);
	dt_alui(dt_code(l), BPF_AND, R0, RW_WAITING);
	make_truth(l);
}

const struct dt_builtin dt_subr_mutex_type_adaptive = {
	DT_SUBR(mutex_type_adaptive, "int(struct mutex *)", V(1, 0), EVOLVING),
	.call = call_mutex_type_adaptive, .lower = lower_mutex_type_adaptive, .scratch = DT_SCRATCH_NONE,
	.where = DT_IN_KERNEL | DT_IN_REPLAY,
	.doc = "1: every mutex of Linux spins while its owner runs, and then sleeps.",
};

const struct dt_builtin dt_subr_mutex_type_spin = {
	DT_SUBR(mutex_type_spin, "int(struct mutex *)", V(1, 0), EVOLVING),
	.call = call_mutex_type_spin, .lower = lower_mutex_type_spin, .scratch = DT_SCRATCH_NONE,
	.where = DT_IN_KERNEL | DT_IN_REPLAY,
	.doc = "0: no mutex of Linux only spins.",
};

/* The counter; 0 after a fault. */
static uint32_t rw_count(struct dt_interp *ip, const struct dt_subr_call *call)
{
	uint32_t count = 0;

	dt_interp_read(ip, call->arg[0].value, &count, sizeof(count), false);
	return count;
}

static uint64_t call_rw_read_held(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return rw_count(ip, call) >> RW_READER_SHIFT != 0;
}
static uint64_t call_rw_write_held(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return (rw_count(ip, call) & RW_WRITER) == RW_WRITER;
}

/* A writer holds it or waits for it. */
static uint64_t call_rw_iswriter(struct dt_interp *ip, const struct dt_subr_call *call)
{
	return (rw_count(ip, call) & RW_WAITING) != 0;
}

const struct dt_builtin dt_subr_rw_read_held = {
	DT_SUBR(rw_read_held, "int(rwlock_t *)", V(1, 0), EVOLVING),
	.call = call_rw_read_held, .lower = lower_rw_read_held, .scratch = DT_SCRATCH_NONE,
	.where = DT_IN_KERNEL | DT_IN_REPLAY,
	.doc = "1 if readers hold the lock, else 0.",
};

const struct dt_builtin dt_subr_rw_write_held = {
	DT_SUBR(rw_write_held, "int(rwlock_t *)", V(1, 0), EVOLVING),
	.call = call_rw_write_held, .lower = lower_rw_write_held, .scratch = DT_SCRATCH_NONE,
	.where = DT_IN_KERNEL | DT_IN_REPLAY,
	.doc = "1 if a writer holds the lock, else 0.",
};

const struct dt_builtin dt_subr_rw_iswriter = {
	DT_SUBR(rw_iswriter, "int(rwlock_t *)", V(1, 0), EVOLVING),
	.call = call_rw_iswriter, .lower = lower_rw_iswriter, .scratch = DT_SCRATCH_NONE,
	.where = DT_IN_KERNEL | DT_IN_REPLAY,
	.doc = "1 if a writer holds the lock or waits for it, else 0.",
};

#define SX "it asks about FreeBSD's sx locks, which Linux does not have; see mutex_owned() and rw_read_held()"

const struct dt_builtin dt_subr_sx_shared_held = { DT_SUBR(sx_shared_held, "int(void *)", V(1, 0), EVOLVING),
	.unsupported = SX };

const struct dt_builtin dt_subr_sx_exclusive_held = {
	DT_SUBR(sx_exclusive_held, "int(void *)", V(1, 0), EVOLVING),
	.unsupported = SX };

const struct dt_builtin dt_subr_sx_isexclusive = { DT_SUBR(sx_isexclusive, "int(void *)", V(1, 0), EVOLVING),
	.unsupported = SX };
