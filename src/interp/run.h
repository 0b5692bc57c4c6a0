/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A clause while the interpreter runs it, for the rows of actions (dif/action.h): what they read,
 * record and steer. A function that cannot go on says so by a fault of the interpreter and returns
 * whatever it has.
 */
#ifndef DT_INTERP_RUN_H
#define DT_INTERP_RUN_H

#include "dif/action.h"
#include "interp/state.h"

struct dt_run {				/* a clause while it runs */
	struct dt_interp *ip;
	const struct dt_ecb *ecb;
	struct dt_clause *clause;
	struct dt_tuplekey *tuple;	/* evaluated tuple actions, the newest last */
	uint32_t ntuple;
	uint32_t act;			/* the running action */
	uint64_t skip;			/* actions that a SKIPZ left out */
	uint32_t spec;			/* speculating into it, 0 no */
	/*
	 * speculate() had nowhere to go, exit() came too late: nothing is recorded, nothing else runs
	 */
	bool dropped;
	bool exited;			/* by this clause: no further arm of an if runs */
};

struct dt_bytes { const uint8_t *p; uint32_t len; };	/* until the clause ends */

uint8_t *dt_run_room(struct dt_run *, uint64_t len);	/* zeros; NULL: a fault */
struct dt_bytes dt_run_words(struct dt_run *, const uint64_t *, uint32_t n);
/* The object at an address, by its type; a null string is an empty one. */
struct dt_bytes dt_run_object(struct dt_run *, const struct dt_diftype *, uint64_t addr);
void dt_run_record(struct dt_run *, struct dt_bytes);
/* bytes of the rows that record the value of the expression as its type says */
struct dt_bytes dt_bytes_by_type(struct dt_run *, const struct dt_act *, uint64_t value);

#endif
