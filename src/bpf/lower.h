/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the lowering offers to the rows of src/builtin: a row's `lower` makes the code of one variable or one
 * call and leaves the value in r0. Registers inside a clause:
 *
 *	r6	the slot: machine state and scratch of this firing; ask dt_slot_reg() for it
 *	r7	the program's context
 *	r8	the record in the ring buffer: not to be touched
 *	r9	short-lived values across helper calls
 *	r0-r5	free; a helper call and most functions here change them
 *
 * F_T0, F_T1, F_T2 (bpf/layout.h) are temporaries in the frame; functions here that use some say so.
 */
#ifndef DT_BPF_LOWER_H
#define DT_BPF_LOWER_H

#include "bpf/emit.h"
#include "bpf/layout.h"

struct dt_lower;			/* the clause in hand */

/*
 * A value as far as the compiler knows it: V_NUM, nothing, it is in r0; V_CONST, a number; V_STR, a text;
 * V_COMM, the thread's name; V_PART, a part of the probe's name. V_HOST stands in rows alone: the name of
 * the machine, which becomes a V_STR.
 */
enum dt_vkind_known { V_NUM, V_CONST, V_STR, V_COMM, V_PART, V_HOST };
struct dt_known { enum dt_vkind_known kind; uint64_t v; const char *text; };	/* V_STR: text; V_PART: v */

/* ---- the clause (lower_calls.c) ---- */

struct dt_emit *dt_code(struct dt_lower *);
const struct dt_plan_opts *dt_opts(const struct dt_lower *);
/* Calls a helper of the kernel: r0 is its value, what was in r1 … r5 is lost. */
void dt_help(struct dt_lower *, int helper);
/* The program cannot be made: a sentence that says why. */
#define REFUSE(l, ...) dt_lower_refuse(l, __VA_ARGS__)
_Noreturn void dt_lower_refuse(struct dt_lower *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * A label that ends the clause with a fault; addr: where in the frame the bad address is, A_NONE: there is
 * none. Each call makes a label of its own, so that the fault names the instruction in hand.
 */
enum { A_NONE = 1 };
uint32_t dt_fault_label(struct dt_lower *, int fault, int addr);
void dt_always_fault(struct dt_lower *, int fault, int addr);	/* leaves r0 = 0 for the code after it */

/* ---- arguments of a call (lower_calls.c) ---- */

uint32_t dt_tuple_nargs(const struct dt_lower *);
void dt_tuple_arg(struct dt_lower *, uint32_t i, int dst);	/* 0 for one that was left out */
/* the same as an `int`: the upper half is the sign */
void dt_tuple_int(struct dt_lower *, uint32_t i, int dst);
bool dt_tuple_known(const struct dt_lower *, uint32_t i, uint64_t *v);	/* it is a constant */
/* Words of the frame, by number, that no function here touches. */
#define DT_CALL_WORD(i) DT_FRAME_AT(call[i])

/*
 * Reads the string argument to the pointer in r1: r0 = its length with the NUL. A null string faults at the
 * call; a bad address faults at the instruction that pushed the argument, as it always did. F_T0 and F_T1
 * change.
 */
void dt_tuple_string_at(struct dt_lower *, uint32_t i);
/* Buffers of strsize bytes and eight more in the slot. */
enum dt_buffer { DT_BUF_A, DT_BUF_B, DT_BUF_TOKENS };		/* the last one is strtok()'s, and stays */
int32_t dt_slot_buffer(const struct dt_lower *, enum dt_buffer);	/* its offset */
int dt_slot_tok_pos(const struct dt_lower *);			/* of the word: where strtok() goes on */
void dt_tuple_string(struct dt_lower *, uint32_t i, enum dt_buffer);	/* the argument, there; r0 as above */
/* the first one or two, and their lengths to W_LA, W_LB */
void dt_tuple_strings(struct dt_lower *, uint32_t n);

/* ---- functions of src/runtime (lower_calls.c): W_… are their words in the slot ---- */

void dt_work(struct dt_lower *, int at, int reg);
void dt_work_imm(struct dt_lower *, int at, int32_t v);
/*
 * Calls one with the slot's buffers A and B, or with the given one in place of A: r0 = its value. r9 = the
 * offset in scratch where it may have made a string.
 */
void dt_runtime(struct dt_lower *, const char *name);
void dt_runtime_on(struct dt_lower *, const char *name, enum dt_buffer);
/* its result is a string of r0 bytes: r0 = its address */
void dt_runtime_take(struct dt_lower *);

/* ---- memory (lower_memory.c) ---- */

int dt_slot_reg(struct dt_lower *);				/* r6; notes that a slot is needed */
uint32_t dt_scratch_size(const struct dt_lower *);
/* size in r2, which stays; r9 = offset in scratch; not zeroed; faults */
void dt_scratch_alloc(struct dt_lower *);
void dt_scratch_zero(struct dt_lower *);			/* r2 bytes at r9 become 0 */
/* r9 = where the next allocation will begin; a string may be written there */
void dt_scratch_open(struct dt_lower *);
/* r0 bytes of it are taken; r0 = their address */
void dt_scratch_close(struct dt_lower *);
/* dst = a pointer to unused scratch; any allocation fits there */
void dt_scratch_free(struct dt_lower *, int dst, int tmp);
void dt_scratch_ptr(struct dt_lower *, int dst, int off);	/* dst = pointer to scratch + register off */
/* dst = number: address of scratch + register off */
void dt_scratch_addr(struct dt_lower *, int dst, int off);
/*
 * r3 is an address, which the frame has at `at`: r2 = a pointer to `size` writable bytes there, or a fault.
 */
void dt_writable(struct dt_lower *, uint32_t size, int at);
/* The same for a size known only at run time, which the frame has at `size`; r5 = it, bounded. */
void dt_writable_some(struct dt_lower *, int size, int at);
/* dst = a pointer to a copy in the constants */
void dt_constant_bytes(struct dt_lower *, int dst, const void *, uint32_t size);
/*
 * The offset of a member of a kernel struct (struct dt_plan_opts), or a refusal which says that the type
 * data does not show where `what` is kept.
 */
uint32_t dt_member(struct dt_lower *, const char *tag, const char *path, const char *what);
/*
 * r0 = the 4 or 8 bytes at r0 + off, 0 where nothing can be read. `what` is for the refusal when off is
 * DT_KOFF_NONE. F_T0 changes.
 */
void dt_follow(struct dt_lower *, uint32_t off, int size, const char *what);
void dt_follow_member(struct dt_lower *, const char *tag, const char *path, int size, const char *what);

/* ---- what several rows share ---- */

void dt_speculation(struct dt_lower *);				/* speculation.c: a new one to r0, or 0 */

/* lower_cgroup.c: after rt_container: r0 = the length of the text that is shown; F_T0 changes */
void dt_container_name(struct dt_lower *);

/* builtins.c */
void dt_time(struct dt_lower *);				/* r0 = timestamp of the clause */
void dt_get_vtimestamp(struct dt_lower *);			/* vtime.c: r0 */
/*
 * Whether the program will run in the process itself, where there are no structs of the kernel: then
 * dt_about() asks the agent. r0 = its answer.
 */
static inline bool dt_in_process(const struct dt_lower *l) { return dt_opts(l)->slots != 0; }
void dt_about(struct dt_lower *, enum dt_about what);		/* r2 and r3 are its arguments */
/* r0 = process << 32 | thread, as the whole system counts them */
void dt_ids(struct dt_lower *);
/* r0 = the number, in our namespace, of the task at r0 or of its process (lower_process.c) */
void dt_task_id(struct dt_lower *, bool process);
/* DIF registers, for rows of arrays. */
bool dt_reg_known(const struct dt_lower *, unsigned r, uint64_t *v);	/* whether it is a constant */
void dt_settle(struct dt_lower *, unsigned mask);		/* these are in the frame from here on */
void dt_get(struct dt_lower *, unsigned r, int dst);		/* into dst; r0-r5 may change */

/* lower_arguments.c */
void dt_arg(struct dt_lower *, unsigned i);			/* r0 = arg<i> */
/* dst = what the system call returned; false: the clause is not at the end of one, no code is made */
bool dt_sys_value(struct dt_lower *, int dst);
void dt_compat(struct dt_lower *);	/* r0 = not 0 in a system call of a 32-bit program; F_T0 changes */
void dt_probe_id(struct dt_lower *, int dst);
void dt_epid(struct dt_lower *, int dst);

/* stack.c */
uint32_t dt_stack_most(const struct dt_lower *, bool user);	/* frames that can be got */
/* to the offset in the slot that is returned; r0 = bytes, or negative */
uint32_t dt_stack_slot(struct dt_lower *, bool user, uint32_t frames);
/* a stack begins with the caller of a function, not with where we are */
bool dt_stack_of_function(const struct dt_lower *);

#endif
