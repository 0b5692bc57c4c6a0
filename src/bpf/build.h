/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the lowering share with each other and with the rows of src/builtin. Registers inside a clause:
 *
 *	r6	the slot: machine state and scratch of this firing, in clauses that need memory beyond the stack
 *	r7	the program's context
 *	r8	the record in the ring buffer, in clauses that record
 *	r9	short-lived values across helper calls
 *	r0-r5	free
 *
 * DIF registers, the tuple and small keys live in the stack frame, as bpf/layout.h lays them out. A clause is first lowered without
 * a slot; when something asks for one, it is lowered again with it.
 */
#ifndef DT_BPF_BUILD_H
#define DT_BPF_BUILD_H

#include "base/map.h"
#include "bpf/field.h"
#include "bpf/lower.h"
#include "dif/dif.h"

#include <setjmp.h>

#define DT_NSLOTS 4
#define DT_RINGS_FEW 16		/* CPUs up to which a program names the rings itself */

struct dt_entry { uint32_t epid, probe_id, site, part[4]; };	/* constants of one enabling; parts are offsets in the constants */

struct dt_bvar {			/* a variable of the program */
	struct dt_difv v;
	uint32_t off;			/* in globals, task storage or the slot's locals */
	uint32_t map;			/* arrays: their hash map + 1 */
	bool used;			/* clause-locals: by the hook in hand */
	uint32_t keysize, nkeys;
	uint32_t keyoff[8], keylen[8];	/* of each tuple entry; keylen 0: a word */
	bool none;			/* dynvarsize has no room for one element */
};

struct dt_bagg {			/* an aggregation */
	struct dt_agglayout *layout;
	uint32_t outer;			/* map */
	bool planned;
};

struct dt_build {
	struct dt_arena *arena;
	const struct dt_image_opts *opts;
	const struct dt_prog *const *progs;
	uint32_t nprogs;
	struct dt_image *image;
	jmp_buf fail;
	int err;
	char *msg;
	size_t msglen;

	DT_VEC(struct dt_image_prog) more;	/* programs that others go on to */
	DT_VEC(struct dt_image_map) maps;
	uint32_t constants, slots, globals, tls, ring, rings, control, drops, spec_used, over, vtime, vtime_cpu, roots, family;	/* map indices + 1, 0: not made */
	DT_VEC(char) pool;		/* the constants */
	struct dt_map texts;		/* where each string in them is: offset + 1 */
	uint32_t zeros;			/* longest run of zeros asked for */
	uint32_t log2;			/* offset of quantize()'s table + 1, 0: not made */

	DT_VEC(struct dt_bvar) vars;
	uint32_t globals_size, tls_size, locals_size;
	uint32_t tail;			/* bytes behind variables, so that copies of a size known only when they run are inside; 0: there are none */
	DT_VEC(struct dt_bagg) aggs;
	uint32_t strsize, scratch;	/* rounded to 8 */
	uint32_t slot_str[2], slot_tok, slot_locals, slot_scratch, slot_frames, slot_key;	/* offsets */
	uint32_t unwind[4];		/* maps of user stacks, from DT_MAP_UNWIND_ROWS on, + 1 */
	uint32_t keymax;		/* bytes at slot_key */
};

struct dt_tentry { bool ref, string; uint32_t pc; uint64_t limit; struct dt_known known; };	/* of the tuple; limit: size, 0 unknown; pc: who pushed it */

struct dt_stub { uint32_t label; int fault; int addr; int offset, act; const struct dt_difo *difo; };	/* out of line: a fault */

struct dt_lower {			/* one clause */
	struct dt_build *b;
	struct dt_emit *a;
	enum dt_image_ctx ctx;
	const struct dt_enabling *en;	/* one, or the first of several */
	bool shared;			/* several: F_ENTRY tells which */
	bool slot;			/* r6 is there */
	bool want_slot;			/* something needed it */
	bool compact;			/* one of very many: what others have too is called, dt_common_call() */
	bool inside;			/* KPROBE: the places are inside functions */
	uint64_t iter, iter_len;	/* as struct dt_image_hook has them */
	bool error;			/* this is a clause of dtrace:::ERROR */
	bool end;			/* dtrace:::END fires, maybe ERROR in it: exit() has been called already, or will not be */
	bool derived;			/* arguments are in the slot */
	bool raw_args;			/* computing those arguments: the hook's own count */
	uint32_t nargs;			/* the hook's own arguments, at most */
	uint32_t value;			/* the word of the context that has what a system call returned */
	bool uses_tls;
	bool timed;			/* F_TIME is looked at */
	bool ids;			/* F_IDS is there */
	bool record;
	uint32_t args_off;		/* S_ARGS or S_ERROR_ARGS */
	uint32_t locals_off;
	int act;			/* in hand, -1 predicate */
	uint32_t fault;			/* label of the clause's fault code */
	uint32_t drop;			/* label of the code that gives the record back and ends the clause; 0: nothing goes there */
	bool arms;			/* exit() stands before the beginning or end of an arm: F_EXITED is looked at */
	uint32_t reserved;		/* non-zero while r8 is a record */
	uint32_t recsize;		/* its bytes in the ring */
	DT_VEC(struct dt_stub) stubs;

	/* the DIFO in hand */
	const struct dt_difo *difo;
	uint32_t pc;
	const uint8_t *live;		/* by pc: registers read at or after it */
	const bool *target;		/* by pc: a branch goes there */
	uint32_t *label;
	struct dt_known reg[DT_DIF_NREGS];
	bool lazy[DT_DIF_NREGS];	/* not in its stack slot yet */
	int cached;			/* this register is in r0 too, 0 none */
	struct dt_tentry tuple[DT_DIF_NTREGS];
	uint32_t ntuple;
	bool tuple_lost;		/* a branch came in while it was not empty */
	int cond;			/* DT_DIF_CMP, TST, SCMP: what the branches test; 0 nothing */
	uint32_t cond_in;
	struct dt_known ret;		/* result; V_NUM: in r0 */
	const struct dt_bvar *elem[DT_NELEMS];	/* arrays whose elements F_ELEM may hold */
	uint8_t *elem_at;		/* by pc: a load that goes to that word of F_ELEM, from 1; NULL none */
};

/* image.c */
_Noreturn void dt_refuse(struct dt_build *, struct dt_loc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
struct dt_loc dt_lower_loc(const struct dt_lower *);	/* D place of the instruction or action in hand */

/* maps.c */
uint32_t dt_build_map(struct dt_build *, enum dt_map_role, uint32_t type, uint32_t key, uint32_t value, uint32_t n, uint32_t flags);
uint32_t dt_constants(struct dt_build *);
uint32_t dt_globals(struct dt_build *);
uint32_t dt_slots(struct dt_build *);
uint32_t dt_tls(struct dt_build *);
uint32_t dt_ring_map(struct dt_build *);
uint32_t dt_rings(struct dt_build *);
uint32_t dt_over_map(struct dt_build *);
uint32_t dt_over_size(const struct dt_build *);			/* of a CPU's part, without what the longest record needs */
uint32_t dt_control_map(struct dt_build *);
uint32_t dt_drops_map(struct dt_build *);
uint32_t dt_spec_used_map(struct dt_build *);
uint32_t dt_pool_text(struct dt_build *, const char *);		/* offset of the string in the constants */
uint32_t dt_pool_bytes(struct dt_build *, const void *, size_t);	/* 8-aligned */
void dt_maps_finish(struct dt_build *);
void dt_btf_finish(struct dt_build *);				/* btf.c */

/* plan.c: what is known before any code */
void dt_plan_vars(struct dt_build *, const struct dt_image_hook *, uint32_t n);
void dt_plan_aggs(struct dt_build *);
void dt_plan_slot(struct dt_build *, const struct dt_image_hook *, uint32_t n);
void dt_plan_locals(struct dt_build *, const struct dt_enabling *, uint32_t n);	/* which are used by these and so start as 0 */
bool dt_dif_copies(uint32_t instruction);
uint32_t dt_bvar_size(const struct dt_difv *);
struct dt_bvar *dt_bvar_find(struct dt_lower *, unsigned scope, uint32_t id);
struct dt_bagg *dt_bagg_find(struct dt_build *, uint64_t id);
void dt_plan_record(struct dt_build *, const struct dt_ecb *, struct dt_reclayout *);
/* A DIFO that is one built-in variable or one string and nothing else; V_NUM: it is not. */
struct dt_known dt_difo_simple(const struct dt_difo *);

/* lower.c */
void dt_lower_difo(struct dt_lower *, const struct dt_difo *);	/* the value: l->ret */
void dt_set(struct dt_lower *, unsigned rd);			/* r0 into a DIF register */
void dt_set_known(struct dt_lower *, unsigned rd, struct dt_known);
void dt_known_address(struct dt_lower *, struct dt_known);	/* a string that is not in memory yet gets its address: r0 */
void dt_tuple_check(struct dt_lower *);

/* memory.c */
void dt_lower_load(struct dt_lower *, uint32_t in);
void dt_lower_store(struct dt_lower *, uint32_t in);
void dt_lower_allocs(struct dt_lower *, uint32_t in);
void dt_lower_copys(struct dt_lower *, uint32_t in);
void dt_lower_scmp(struct dt_lower *, uint32_t in);
/* addr in F_T1 unless 0 …: memory at a BPF register + off; size is a constant */
void dt_zero(struct dt_lower *, int base, int off, uint32_t size);
void dt_copy_string(struct dt_lower *, struct dt_known, int base, int off, uint32_t size, bool pad, bool user);
void dt_copy_bytes(struct dt_lower *, int base, int off, uint32_t size, bool user);	/* from the address in r0 */

/* variables.c, builtins.c, calls.c, arguments.c, stack.c */
void dt_lower_ldv(struct dt_lower *, unsigned scope, uint32_t id, unsigned rd);
void dt_lower_stv(struct dt_lower *, unsigned scope, uint32_t id, unsigned rs);
void dt_lower_ldaa(struct dt_lower *, unsigned scope, uint32_t id, unsigned rd);
void dt_lower_staa(struct dt_lower *, unsigned scope, uint32_t id, unsigned rs);
void dt_elems_start(struct dt_lower *);				/* of the DIFO in hand */
void dt_tls_open(struct dt_lower *, bool create);
void dt_locals_zero(struct dt_lower *);
void dt_lower_builtin(struct dt_lower *, uint32_t id, unsigned rd);
void dt_lower_ldga(struct dt_lower *, uint32_t in);
void dt_lower_call(struct dt_lower *, uint32_t in);
void dt_syscall_number(struct dt_emit *, const struct dt_image_opts *, enum dt_image_ctx);	/* r0 */
void dt_syscall_native(struct dt_build *, struct dt_emit *);	/* r0: the number as this machine has it, of 32-bit programs too */

void dt_stack_take(struct dt_lower *, int base, int off, uint32_t size, bool user);	/* to base + off, without our own frames; r0 = bytes, or negative */

/* Calls the function that make(what) makes: there l->a and l->b are all of the clause, the frame is its own, r1 what the caller left. */
void dt_common_call(struct dt_lower *, void (*make)(struct dt_lower *, uint64_t), uint64_t what);	/* hook_clause.c */

/* ustack.c: user stacks into the slot; only where there are tables */
bool dt_ustack_tables(const struct dt_build *);
bool dt_ustack_wanted(const struct dt_build *, const struct dt_image_hook *, uint32_t n);
uint32_t dt_ustack_room(void);					/* bytes in a slot */
void dt_ustack_take(struct dt_lower *, uint32_t frames);	/* at slot_frames; r0 = bytes, or negative: none */
void dt_ustack_store(struct dt_lower *, int base, int off, uint32_t frames);	/* and from there to base + off */

/* runtime.c */
uint32_t dt_rt_label(struct dt_lower *, const char *name);	/* of a function of src/bpf/runtime, as a subprogram */
void dt_rt_link(struct dt_emit *);				/* those that are used, behind the program */

/* clause.c, aggregate.c */
void dt_lower_clause(struct dt_lower *, uint32_t done);		/* falls out or goes to `done` with r0 = 1 after a fault, else 0 */
void dt_lower_step(struct dt_lower *);				/* S_ITEM becomes the next one, 0 at the end; falls out */
void dt_plan_keys(struct dt_build *, const struct dt_image_hook *, uint32_t n);
void dt_aggregate(struct dt_lower *, const struct dt_ecb *, uint32_t act);

/* field.c: what an action leaves in a record or key */
uint32_t dt_field_size(struct dt_build *, const struct dt_act *);	/* of a record or key */
bool dt_field_recorded(const struct dt_act *);			/* leaves a field or at least the fact */
/* the expression, then the action's own code */
void dt_field_value(struct dt_lower *, const struct dt_act *, const struct dt_actfield *);

/* record.c */
/* family.c: r0 = the root, from 1, that the current process is or came of; none: to `out`. room: as of dt_process_number() */
void dt_family_root(struct dt_build *, struct dt_emit *, int room, uint32_t out);
int32_t dt_family_place(const struct dt_build *, uint32_t pid);	/* of a root, from 1; 0: it is none */
void dt_family_keep(struct dt_build *, struct dt_emit *, enum dt_keep);	/* a whole program */
/* process.c: the current process's to r0; of the task at r0. room: 8 free bytes of the frame, and 8 before them */
void dt_process_number(struct dt_emit *, const struct dt_image_opts *, int room);
void dt_task_number(struct dt_emit *, const struct dt_image_opts *, int room, bool process);
void dt_record_header(struct dt_lower *, int base, int off, uint32_t news);	/* at base + off; F_T0 is the CPU; news 0: the clause's own */
void dt_record_reserve(struct dt_lower *, uint32_t size, uint32_t quit);	/* r8 = the record; none: counted, and on to `quit` */
void dt_record_submit(struct dt_lower *, bool wake);
void dt_record_discard(struct dt_lower *);
void dt_record_send(struct dt_lower *, uint32_t size, uint32_t none);	/* one made in the frame, which ends at F_NEWS, or on to `none`; r9 changes */
void dt_record_lost(struct dt_lower *);			/* there was no room */
void dt_drop(struct dt_lower *, size_t off);			/* counts; off in struct dt_drops */
void dt_drop_at(struct dt_build *, struct dt_emit *, int frame, size_t off);	/* the same, with that word of the frame */

/* vtime.c */
void dt_vtime_program(struct dt_build *, struct dt_emit *);	/* that of a hook without enablings, at sched_switch */

/* hook.c */
void dt_lower_hook(struct dt_build *, const struct dt_image_hook *, uint32_t index);

#endif
