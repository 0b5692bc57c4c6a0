/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the memory of a clause is laid out: its stack frame and its slot. Both are structs, so that shared
 * memory shows as a union and the compiler checks the rest; F_, S_ and W_ are the offsets of their members as
 * instructions take them. Code writes a word of the frame before it reads it: older verifiers refuse
 * anything else.
 */
#ifndef DT_BPF_LAYOUT_H
#define DT_BPF_LAYOUT_H

#include "dif/dif.h"
#include "runtime/rt_work.h"

#include <stddef.h>

#define DT_FRAME_KEY 120		/* a longer key is made in the slot */
#define DT_FRAME_CMP 72			/* a longer string is compared in the slot */
#define DT_FRAME_CONTROL 64
#define DT_NELEMS 6

/*
 * Words of the program around the clauses, at the top of its frame. When the clauses stand in the program
 * itself, their DIF registers are in the same place: the program uses its words before the first clause,
 * between two and after the last, a clause its registers only inside.
 */
struct dt_frame_hook {
	uint64_t owner;			/* what `busy` of our slot holds, when that is no constant */
	uint64_t drop;			/* key of a counter of drops */
	/* the number of what fired, when clauses are subprograms; the slot, while bpf_loop() runs */
	uint64_t number;
	/* the index of the slot that is looked at; the context, while bpf_loop() runs */
	uint64_t index;
};

/* The stack frame of a clause, from its lowest address to where r10 points: offsets from r10 are negative. */
struct dt_frame {
	uint64_t vtime;			/* as in the slot, when there is none */
	/* process and thread, where a clause without a slot uses them more than once */
	uint64_t ids;
	uint64_t number;		/* of what fired, when the clauses stand in the program itself */
	uint64_t gen, moment;		/* generation.c, without a slot; moment 0: none was closed yet */
	union {
		/* without a slot: a key of an aggregation; it ends where this ends */
		uint8_t key[DT_FRAME_KEY];
		/* with one: elements of arrays that may be stored to, or 0; the first is the last word */
		struct {
			/* not used: such clauses call functions with frames of their own */
			uint64_t deeper[DT_FRAME_KEY / 8 - DT_NELEMS];
			uint64_t elem[DT_NELEMS];
		};
	};
	union {
		uint8_t cmp[DT_FRAME_CMP];	/* a short string to compare, a short key of an array */
		uint64_t call[DT_FRAME_CMP / 8];	/* words of a call of a subroutine */
		struct {
			uint64_t before_control;
			/* a record of a fault or a speculation; it ends where this ends */
			uint8_t control[DT_FRAME_CONTROL];
		};
	};
	uint64_t incr, value;		/* arguments of an aggregating function */
	uint64_t tuple[DT_DIF_NTREGS];
	/* temporaries of one instruction; t1 and t0 together are a key of two words */
	uint64_t t2, t1, t0;
	uint64_t exited;		/* exit() was called in this clause */
	uint64_t tls;			/* where the thread's self-> variables are */
	/* the enabling's struct dt_entry in the constants, when several share the code */
	uint64_t entry;
	uint64_t time;			/* timestamp of the clause; 0 not taken */
	union {
		uint64_t reg[DT_DIF_NREGS - 1];	/* %r7 … %r1; %r0 is 0 */
		struct { uint64_t below_hook[3]; struct dt_frame_hook hook; };
	};
};

#define DT_FRAME_AT(member) ((int)offsetof(struct dt_frame, member) - (int)sizeof(struct dt_frame))
#define DT_FRAME_END(member) (DT_FRAME_AT(member) + (int)sizeof(((struct dt_frame *)0)->member))

enum {					/* offsets from r10 */
	F_VTIME = DT_FRAME_AT(vtime),
	F_IDS = DT_FRAME_AT(ids),
	F_KEY = DT_FRAME_END(key),	/* keys end here */
	F_ELEM = DT_FRAME_END(elem) - 8,	/* the first; the others are before it */
	F_CMP = DT_FRAME_AT(cmp),
	F_CONTROL = DT_FRAME_END(control),	/* records that are made in the frame end here */
	F_INCR = DT_FRAME_AT(incr),
	F_VALUE = DT_FRAME_AT(value),
	F_TUPLE = DT_FRAME_AT(tuple),
	F_T2 = DT_FRAME_AT(t2),
	F_T1 = DT_FRAME_AT(t1),
	F_T0 = DT_FRAME_AT(t0),
	F_EXITED = DT_FRAME_AT(exited),
	F_TLS = DT_FRAME_AT(tls),
	F_ENTRY = DT_FRAME_AT(entry),
	F_TIME = DT_FRAME_AT(time),
	F_NUMBER = DT_FRAME_AT(number),
	F_GEN = DT_FRAME_AT(gen),
	F_MOMENT = DT_FRAME_AT(moment),
	F_HOOK_OWNER = DT_FRAME_AT(hook.owner),
	F_HOOK_DROP = DT_FRAME_AT(hook.drop),
	F_HOOK_NUMBER = DT_FRAME_AT(hook.number),
	F_HOOK_INDEX = DT_FRAME_AT(hook.index),
};

/* Where DIF register %rN is, from 1 on. */
static inline int dt_frame_reg(unsigned r) { return DT_FRAME_END(reg) - 8 * (int)r; }
static inline int dt_frame_tuple(unsigned i) { return F_TUPLE + 8 * (int)i; }
static inline int dt_frame_elem(unsigned i) { return F_ELEM - 8 * (int)i; }

_Static_assert(
    sizeof(struct dt_frame) <= 512, "the kernel gives a program and all it calls 512 bytes of stack");
_Static_assert(F_T0 == F_T1 + 8, "t1 and t0 are a key of two words");
_Static_assert(F_HOOK_NUMBER == F_HOOK_INDEX - 8, "a callback gets the slot and after it the context");
_Static_assert(DT_FRAME_END(reg) == 0 && DT_FRAME_END(hook) == 0, "both end where r10 points");
_Static_assert(DT_FRAME_END(key) == DT_FRAME_END(elem) && DT_FRAME_END(cmp) == DT_FRAME_END(control),
    "these share their ends");

/*
 * The beginning of a slot. String buffers, clause-locals and scratch follow; struct dt_build has their
 * offsets (image_plan.c). A slot keeps what the firing before left in it: each word is set before it is read.
 */
struct dt_slot {
	uint64_t busy;			/* 0: free; else what its owner put there: hook_slot.c */
	uint64_t args[10];		/* of a derived probe */
	uint64_t error_args[10];	/* of dtrace:::ERROR */
	uint64_t scratch_used;
	/* of a probe that fires for each of several things: the one it fires for now */
	uint64_t item;
	uint64_t gen, moment;		/* generation.c; moment 0: the firing has closed none yet */
	uint64_t vtime;			/* vtimestamp of the firing; 0: the thread has not asked for it yet */
	uint64_t spare[1];
	char comm[16];
	uint64_t spare2;
	uint64_t tok_pos;		/* where strtok() goes on; -1: it has no text yet */
	uint64_t error_tok_pos;		/* the same for clauses of dtrace:::ERROR, a firing of their own */
	union {				/* words of the runtime */
		struct dt_work work;
		struct dt_work_progeny progeny;
		struct dt_work_walk walk;
		uint8_t words[DT_WORK_SIZE];
	};
};

#define DT_SLOT_AT(member) ((int)offsetof(struct dt_slot, member))

enum {
	S_BUSY = DT_SLOT_AT(busy),
	S_ARGS = DT_SLOT_AT(args),
	S_ERROR_ARGS = DT_SLOT_AT(error_args),
	S_SCRATCH_USED = DT_SLOT_AT(scratch_used),
	S_ITEM = DT_SLOT_AT(item),
	S_GEN = DT_SLOT_AT(gen),
	S_MOMENT = DT_SLOT_AT(moment),
	S_VTIME = DT_SLOT_AT(vtime),
	S_COMM = DT_SLOT_AT(comm),
	S_TOK_POS = DT_SLOT_AT(tok_pos),
	S_ERROR_TOK_POS = DT_SLOT_AT(error_tok_pos),
	S_WORK = DT_SLOT_AT(work),
	S_FIXED = sizeof(struct dt_slot),
	W_LA = DT_SLOT_AT(work.la),
	W_LB = DT_SLOT_AT(work.lb),
	W_N = DT_SLOT_AT(work.n),
	W_M = DT_SLOT_AT(work.m),
	W_POS = DT_SLOT_AT(work.pos),
	W_OUT = DT_SLOT_AT(work.out),
	W_X = DT_SLOT_AT(work.x),
	W_Y = DT_SLOT_AT(work.y),
};

_Static_assert(
    S_FIXED == S_WORK + DT_WORK_SIZE, "the frames of a user stack are after the words of the runtime");
_Static_assert(S_WORK % 8 == 0 && S_FIXED % 8 == 0, "words are aligned");

#endif
