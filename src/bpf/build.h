/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code of a clause: what the files that make it share with each other. Registers inside a clause:
 *
 *	r6	the slot: machine state and scratch of this firing, in clauses that need more than
 *		the stack
 *	r7	the program's context
 *	r8	the record in the ring buffer, in clauses that record
 *	r9	short-lived values across helper calls
 *	r0-r5	free
 *
 * DIF registers, the tuple and small keys live in the stack frame, as bpf/layout.h lays them out. A clause
 * is first lowered without a slot; when something asks for one, it is lowered again with it.
 */
#ifndef DT_BPF_BUILD_H
#define DT_BPF_BUILD_H

#include "bpf/field.h"
#include "bpf/generation.h"
#include "bpf/lower.h"
#include "bpf/image_maps.h"
#include "bpf/image_plan.h"
#include "bpf/lower_process.h"
#include "bpf/lower_record.h"

/*
 * What differs between enablings that share code; it lies in the constants. part: offsets of texts in them.
 */
struct dt_entry { uint32_t epid, probe_id, site, part[4]; };

/* An entry of the tuple. limit: its size, 0 not known; pc: the instruction that pushed it. */
struct dt_tentry { bool ref, string; uint32_t pc; uint64_t limit; struct dt_known known; };

/*
 * A fault, whose code stands out of line, after the clause. addr: where in the frame the address is, or
 * A_NONE; offset and act: what the record of the fault says.
 */
struct dt_stub { uint32_t label; int fault; int addr; int offset, act; const struct dt_difo *difo; };

/*
 * A clause while its code is made. dt_hook_lower_for() (hook_clause.c) fills it in, and it lives until the
 * code of that clause is complete. For a function that several clauses call (dt_common_call()) only a, b and
 * ctx are set.
 */
struct dt_lower {
	struct dt_build *b;
	struct dt_emit *a;

	/* ---- what the hook says; does not change ---- */
	enum dt_plan_ctx ctx;
	bool inside;			/* KPROBE: the places are inside functions */
	const struct dt_extent *between;	/* DT_BETWEEN, as struct dt_plan_hook has them */
	uint32_t nargs;			/* the hook's own arguments, at most */
	uint32_t value;			/* the word of the context that holds what a system call returned */
	/* the hook is dtrace:::END, maybe with ERROR in it: exit() does not end these clauses */
	bool end;
	/* there are very many clauses: code that others have too is called (dt_common_call()) */
	bool compact;
	struct dt_gen_use gen;
	bool fresh;			/* the clause closes a generation though an earlier one has */

	/* ---- which clause it is; does not change ---- */
	const struct dt_enabling *en;	/* one, or the first of several */
	bool shared;			/* several: F_ENTRY says which */
	bool slot;			/* r6 is there */
	bool error;			/* this is a clause of dtrace:::ERROR */
	bool derived;			/* arguments are in the slot */
	uint32_t args_off;		/* where: S_ARGS or S_ERROR_ARGS */
	uint32_t locals_off;		/* clause-locals: where in the slot */

	/* ---- what has come out so far ---- */
	bool want_slot;			/* something needed one */
	bool uses_tls;
	bool timed;			/* F_TIME is read */
	bool ids;			/* F_IDS is set */
	bool record;
	/* exit() stands before the beginning or end of an arm of an if: F_EXITED is tested */
	bool arms;
	/* the arguments of a derived probe are being computed: arg0 … are the hook's own */
	bool raw_args;
	int act;			/* the action in hand, -1: the predicate */
	uint32_t fault;			/* label of the clause's fault code */
	uint32_t quit;			/* of a predicate: where to go if it is 0; else 0 */
	/* label of the code that gives the record back and ends the clause; 0: nothing jumps there */
	uint32_t drop;
	uint32_t reserved;		/* non-zero while r8 is a record */
	uint32_t recsize;		/* its bytes in the ring */
	DT_VEC(struct dt_stub) stubs;
	size_t early;			/* the first `early` of them precede the reservation of the record */
	size_t pool;			/* where the stubs of a long clause were last put into its code */
	uint32_t late;			/* label of the fault code of those that were; 0: none were */

	/* ---- the DIFO in hand; begins anew with each ---- */
	const struct dt_difo *difo;
	uint32_t pc;
	const uint8_t *live;		/* by pc: bits of the registers read at or after it */
	const bool *target;		/* by pc: a branch goes there */
	uint32_t *label;		/* by pc: the label of such a place */
	struct dt_known reg[DT_DIF_NREGS];
	bool lazy[DT_DIF_NREGS];	/* not written to its place in the frame yet */
	/* r0 holds this register too; 0 none. Whoever changes r0 sets it to 0 */
	int cached;
	struct dt_tentry tuple[DT_DIF_NTREGS];
	uint32_t ntuple;
	bool tuple_lost;		/* two paths met while it was not empty: what is in it is not known */
	int cond;			/* DT_DIF_CMP, TST, SCMP: what the branches test; 0 nothing */
	uint32_t cond_in;		/* that instruction */
	struct dt_known ret;		/* result; V_NUM: in r0 */
	const struct dt_bvar *elem[DT_NELEMS];	/* arrays whose elements F_ELEM may hold */
	/* by pc: a load that goes to that word of F_ELEM, from 1; NULL none */
	uint8_t *elem_at;
};

/* lower.c */
struct dt_loc dt_lower_loc(const struct dt_lower *);	/* D place of the instruction or action in hand */
void dt_lower_difo(struct dt_lower *, const struct dt_difo *);	/* the value: l->ret */
void dt_set(struct dt_lower *, unsigned rd);			/* r0 into a DIF register */
void dt_set_known(struct dt_lower *, unsigned rd, struct dt_known);
/* r0 = the value; a string that is not in memory yet is put there and r0 is its address */
void dt_known_address(struct dt_lower *, struct dt_known);
void dt_tuple_check(struct dt_lower *);

/* As an immediate operand, which is 32 bits and signed. */
static inline bool dt_fits32(uint64_t v) { return v == (uint64_t)(int64_t)(int32_t)v; }

/* lower_live.c */
void dt_live_analyse(struct dt_lower *);	/* live, target and label of the DIFO in hand */
uint8_t dt_live_writes(uint32_t in);		/* the register an instruction writes, as a bit */
bool dt_dif_is_branch(uint32_t in);

/* arith.c */
void dt_lower_arith(struct dt_lower *, uint32_t in);
void dt_lower_divide(struct dt_lower *, uint32_t in);
void dt_lower_not(struct dt_lower *, uint32_t in);

/* lower_memory.c */
void dt_lower_load(struct dt_lower *, uint32_t in);
void dt_lower_store(struct dt_lower *, uint32_t in);
void dt_lower_allocs(struct dt_lower *, uint32_t in);
void dt_lower_copys(struct dt_lower *, uint32_t in);
/* The widest access that is aligned at off and not longer than n: 1, 2, 4 or 8. */
uint32_t dt_access_width(int off, uint32_t n);
/*
 * To the memory at a BPF register + off, of a size that is known now. A string: `pad` fills all of it with
 * zeros after the NUL, `user`: it is read from the process. A null string becomes the empty one; an address
 * that cannot be read faults. F_T1 changes.
 */
void dt_zero(struct dt_lower *, int base, int off, uint32_t size);
void dt_copy_string(
    struct dt_lower *, struct dt_known, int base, int off, uint32_t size, bool pad, bool user);
/* from the address in r0 */
void dt_copy_bytes(struct dt_lower *, int base, int off, uint32_t size, bool user);

/* compare.c */
void dt_lower_scmp(struct dt_lower *, uint32_t in);

/* variables.c, builtins.c, lower_calls.c, lower_arguments.c, stack.c */
void dt_lower_ldv(struct dt_lower *, unsigned scope, uint32_t id, unsigned rd);
void dt_lower_stv(struct dt_lower *, unsigned scope, uint32_t id, unsigned rs);
void dt_lower_ldaa(struct dt_lower *, unsigned scope, uint32_t id, unsigned rd);
void dt_lower_staa(struct dt_lower *, unsigned scope, uint32_t id, unsigned rs);
/* owned.c: r1 the key, r2 the thread's variables; r3 the value to store, r0 = 0: it is */
void dt_owned_store(struct dt_lower *, const struct dt_bvar *);
void dt_owned_delete(struct dt_lower *, const struct dt_bvar *);
void dt_elems_start(struct dt_lower *);				/* of the DIFO in hand */
void dt_tls_open(struct dt_lower *, bool create);
void dt_locals_zero(struct dt_lower *);
void dt_lower_builtin(struct dt_lower *, uint32_t id, unsigned rd);
void dt_lower_ldga(struct dt_lower *, uint32_t in);
void dt_lower_call(struct dt_lower *, uint32_t in);
void dt_syscall_number(struct dt_emit *, const struct dt_plan_opts *, enum dt_plan_ctx);	/* r0 */
/* r0: the number as this machine has it, of 32-bit programs too */
void dt_syscall_native(struct dt_build *, struct dt_emit *, enum dt_plan_ctx);
/* A stack to base + off, without our own frames; r0 = its bytes, or a negative number. */
void dt_stack_take(struct dt_lower *, int base, int off, uint32_t size, bool user);

/*
 * hook_clause.c: calls a function whose code is make(what). There the clause has nothing but l->a, l->b and
 * l->ctx, the frame is the function's own, and r1 is what the caller left in it. r0 comes back.
 */
void dt_common_call(struct dt_lower *, void (*make)(struct dt_lower *, uint64_t), uint64_t what);

/* ustack.c: user stacks into the slot; only where there are tables */
/* to slot_frames; r0 = bytes, or negative: none */
/* only_managed: no native frames of a process that has a runtime of a language (runtime/lang.h) */
void dt_ustack_take(struct dt_lower *, uint32_t frames, bool only_managed);
/* the same, and from there to base + off */
void dt_ustack_store(struct dt_lower *, int base, int off, uint32_t frames, bool only_managed);

/* image_runtime.c */
/* the label of a function of src/runtime; the program will have it as a subprogram */
uint32_t dt_rt_label(struct dt_lower *, const char *name);
void dt_rt_link(struct dt_emit *);				/* adds those after the program */

/* lower_clause.c, aggregate.c */
/* Falls out of the code or jumps to `done`, with r0 = 1 after a fault, else 0. */
void dt_lower_clause(struct dt_lower *, uint32_t done);
bool dt_act_in_arm(const struct dt_ecb *, uint32_t act);	/* of an if: it may not run */
/* S_ITEM becomes the next thing the probe fires for, 0 at the end; falls out. */
void dt_lower_step(struct dt_lower *);
void dt_aggregate(struct dt_lower *, const struct dt_ecb *, uint32_t act);

/* field.c: what an action leaves in a record or key: the expression, then the action's own code */
void dt_field_value(struct dt_lower *, const struct dt_act *, const struct dt_actfield *);

#endif
