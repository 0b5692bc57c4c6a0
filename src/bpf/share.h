/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many of a hook's clauses go into one program. In: what the code of each clause costs, counted in the
 * code itself. Out: where each program ends. This knows what the kernel allows one program to be, and nothing
 * of clauses.
 */
#ifndef DT_BPF_SHARE_H
#define DT_BPF_SHARE_H

#include "bpf/image_plan.h"

#define DT_CHAIN_MAX 34			/* a program and the 33 tail calls the kernel allows after it */
#define DT_FUNCS_MAX 256		/* the kernel's BPF_MAX_SUBPROGS */
#define DT_COMMON_MAX 80 /* kinds of struct dt_common in a program: one a map, and one a counter of drops */

struct dt_cost {
	uint32_t insns;			/* code of its own, without the functions it calls */
	uint32_t main;			/* those of them in the program itself, which branches jump over */
	/* instructions and conditional jumps that the verifier walks, with all that is called */
	uint32_t walked, jumps;
	const uint32_t *maps;		/* each once; a ring buffer stands for those of all CPUs */
	uint32_t nmaps;
	const uint32_t *rt;		/* functions of the runtime that it calls itself */
	uint32_t nrt;
};

/* The cost of what was emitted after the mark. */
struct dt_cost dt_cost_since(struct dt_build *, const struct dt_emit *, struct dt_emit_mark);
/* x may call y: its maps and functions are x's too, and the verifier walks it each time. */
void dt_cost_add(struct dt_build *, struct dt_cost *x, const struct dt_cost *y);

struct dt_shares {
	uint32_t n;			/* programs; 0: they do not fit into DT_CHAIN_MAX */
	uint32_t end[DT_CHAIN_MAX];	/* cost number where each ends */
	uint32_t funcs[DT_CHAIN_MAX];	/* of the runtime, in each */
	/* 1 + the first cost that alone has more maps than a program may have; 0: there is none */
	uint32_t crowded;
	uint32_t maps;			/* how many that one has */
};
/* every: the cost of what each program has anyway. */
struct dt_shares dt_shares_of(
    struct dt_build *, const struct dt_cost *, uint32_t n, const struct dt_cost *every);

#endif
