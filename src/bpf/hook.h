/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programs of one hook while they are made: what the files hook*.c share with each other and with no file
 * else. Registers in the program around the clauses:
 *
 *	r6	the slot, where there is one, once it is claimed
 *	r7	the context, from the first instruction on
 *	r0-r5	free between two steps; r0 holds the number of what fired when only one step needs it
 *
 * The words it keeps in its frame are struct dt_frame_hook (layout.h). All code of a hook is in one of
 * these modes; which one is found by making the code and throwing it away (hook_share.c):
 *
 *	inline		no clause needs memory beyond the stack: each stands in the program itself,
 *			in one frame
 *	slot		some clause does: a slot is claimed, and each clause is a subprogram (r1 context,
 *			r2 slot, r3 entry, r4 which of several in it); it returns r0 = 1 after a fault,
 *			else 0
 *	compact		one program does not hold all clauses: code that several of them have becomes
 *			functions which they call
 *	chained		one program does not hold them even then: each goes on to the next by tail call,
 *			with nothing but the context
 */
#ifndef DT_BPF_HOOK_H
#define DT_BPF_HOOK_H

#include "bpf/build.h"
#include "bpf/context.h"
#include "bpf/share.h"

#define DT_COMPARE_MAX 4		/* numbers found by comparing; more have a table */

/* Enablings that share code: the same clause, with conditions and arguments that are the same. */
struct dt_hookgroup {
	DT_VEC(const struct dt_enabling *) en;	/* at least one; each has a number of its own */
	uint32_t label;			/* of the subprogram, in mode slot: that of the program in hand */
	int32_t pick;			/* which of the clauses in there it is: r4 */
	/*
	 * offset of their entries in the constants + 1; 0: none yet. Code is made more than once, these once
	 */
	uint32_t entries;
	uint32_t again;			/* the next group that may have the number of this one */
	bool fresh;			/* it closes a generation of aggregations of its own */
	uint32_t begin;			/* label of its code in the program in hand */
};

/* Groups [from, to) whose probe fires for each of several things: they run in a callback of bpf_loop(). */
struct dt_hookloop {
	uint32_t from, to;
	uint32_t label;			/* of the callback */
	uint32_t step;			/* of the function that finds the next thing */
};

struct dt_hookcode {
	struct dt_build *b;
	const struct dt_plan_hook *h;
	uint32_t index;			/* of the hook in the image */

	/* found once, before any code that stays */
	DT_VEC(struct dt_hookgroup) groups;	/* in program order */
	/* a number says what fired: that of the system call, or the cookie of the place */
	bool numbered;
	/* the first group that may call exit(), itself or by a fault; none: their number */
	uint32_t first_exit;
	struct dt_gen_use gen;
	bool slot, compact;		/* the modes */
	struct dt_shares shares;	/* programs, and the groups of each */
	uint32_t chain;			/* map of the programs after the first; UINT32_MAX: there are none */

	/* of the program in hand */
	struct dt_emit *a;
	uint32_t *errors;		/* labels of the subprograms of dtrace:::ERROR's clauses */
	uint32_t part;			/* its place in the chain, from 0 */
	uint32_t from, to;		/* its groups */
	uint32_t bunch;			/* clauses in one subprogram: more than 1 where functions run out */
	DT_VEC(struct dt_hookloop) loops;
};

static inline bool dt_hook_chained(const struct dt_hookcode *k) { return k->shares.n > 1; }
static inline bool dt_hook_is_head(const struct dt_hookcode *k) { return k->part == 0; }
static inline bool dt_hook_is_last(const struct dt_hookcode *k) { return k->part + 1 == k->shares.n; }

static inline bool dt_hook_fires(const struct dt_hookcode *k, uint32_t probe)
{
	return k->h->ctx == DT_CTX_RUN && k->h->en[0].probe_id == probe;
}

static inline bool dt_hook_is_end(const struct dt_hookcode *k) { return dt_hook_fires(k, DT_PROBE_END); }
static inline bool dt_hook_is_begin(const struct dt_hookcode *k) { return dt_hook_fires(k, DT_PROBE_BEGIN); }

/* How to find the things that a probe of the group fires for, one after the other; NULL: it fires once. */
static inline const struct dt_difo *dt_hook_each_of(const struct dt_hookcode *k, uint32_t group)
{
	return k->groups.v[group].en.v[0]->each;
}

/* hook.c */
/* a place in the D text to name in a refusal */
struct dt_loc dt_hook_loc(const struct dt_hookcode *);
void dt_hook_new_code(struct dt_hookcode *);			/* a new program begins */
void dt_hook_program(struct dt_hookcode *);			/* the program itself: groups [from, to) */

/* hook_share.c: the modes, and how many programs there will be */
void dt_hook_plan_shares(struct dt_hookcode *);

/* hook_entry.c: what comes before any clause */
void dt_hook_guards(struct dt_hookcode *, uint32_t out);	/* to `out` when nothing is to run */
void dt_hook_read_number(struct dt_hookcode *);			/* to r0, or into the frame */
/*
 * To `next` when the group's clause is not enabled for what fired; r3 = its entry, in groups with several
 * enablings. r1 changes.
 */
void dt_hook_find_entry(struct dt_hookcode *, struct dt_hookgroup *, uint32_t next);

/* hook_slot.c: r6, or to `out` */
void dt_hook_claim_slot(struct dt_hookcode *, uint32_t out);
/* the one the first program of the chain has claimed */
void dt_hook_find_our_slot(struct dt_hookcode *, uint32_t out);
void dt_hook_release_slot(struct dt_hookcode *);

/* hook_clause.c */
struct dt_lower dt_hook_lower_for(struct dt_hookcode *, const struct dt_enabling *, bool shared, bool slot);
/* a subprogram begins, with r1 the context and r2 the slot; returns what dt_frame_end() needs */
size_t dt_hook_begin_function(struct dt_hookcode *, uint32_t label);
/* the clause in the program itself; true: it needs a slot, and this code is not to be used */
bool dt_hook_inline_clause(struct dt_hookcode *, const struct dt_hookgroup *);
/* one subprogram for the clauses of these groups */
void dt_hook_clause_function(struct dt_hookcode *, uint32_t from, uint32_t to);
void dt_hook_error_functions(struct dt_hookcode *);
/* the functions that dt_common_call() was asked for, after all code that asks */
void dt_hook_common_functions(struct dt_hookcode *);
uint32_t dt_hook_first_exit(const struct dt_hookcode *);
/* to `out` when that word of the control block is set; r1 changes */
void dt_hook_skip_if(struct dt_hookcode *, uint32_t word, uint32_t out);
void dt_hook_skip_if_exited(struct dt_hookcode *, uint32_t out);
void dt_hook_skip_if_exited_before(struct dt_hookcode *, uint32_t group, bool again, uint32_t out);
void dt_hook_call_errors(struct dt_hookcode *);			/* when r0 is 1 */
void dt_hook_call_clause(struct dt_hookcode *, const struct dt_hookgroup *);
/* when it is enabled for what fired */
/* goes to `after` once the clause has run, in mode slot */
void dt_hook_run_group(struct dt_hookcode *, struct dt_hookgroup *, uint32_t after);

/* owned.c */
void dt_owned_free(struct dt_build *, struct dt_emit *, bool at_switch);

/*
 * vtime.c: the program of a hook without enablings, at sched_switch; and what stands before and after the
 * clauses of all others while vtimestamp is used. All registers but r6 and r7 change.
 */
void dt_vtime_program(struct dt_build *, struct dt_emit *);
void dt_vtime_begin(struct dt_hookcode *);
void dt_vtime_end(struct dt_hookcode *);

/* hook_each.c: emits the groups from `from` on that iterate over the same items; returns the next group */
uint32_t dt_hook_run_each(struct dt_hookcode *, uint32_t from);
/* whether the group's clause stands in the callback itself and is no subprogram */
bool dt_hook_in_callback(const struct dt_hookcode *, uint32_t group);
void dt_hook_loop_functions(struct dt_hookcode *);

#endif
