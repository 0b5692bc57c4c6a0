/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of all programs of an image while it is built (struct dt_build), and what is planned before
 * any code: records, variables, aggregations and their keys, the slot, in this order (image.c). Then comes
 * the code of each hook, and at last the maps get their sizes.
 */
#ifndef DT_BPF_IMAGE_PLAN_H
#define DT_BPF_IMAGE_PLAN_H

#include "base/map.h"
#include "bpf/image.h"
#include "bpf/lower.h"

#include <setjmp.h>

#define DT_NSLOTS 4			/* of each CPU */

struct dt_bvar {			/* a variable of the program */
	struct dt_difv v;
	/* in globals, task storage or the slot's locals; self-> arrays: of the word that counts elements */
	uint32_t off;
	uint32_t map;			/* arrays: their hash map + 1 */
	/* self-> arrays: the map of lists + 1; where an element has its number */
	uint32_t owned, link;
	bool used;			/* clause-locals: by the hook in hand */
	uint32_t keysize, nkeys;
	uint32_t keyoff[8], keylen[8];	/* of each tuple entry; keylen 0: a word */
	bool none;			/* dynvarsize has no room for one element */
	bool kept;			/* arrays: elements are never freed (kept.c) */
};

struct dt_bagg {			/* an aggregation */
	struct dt_agglayout *layout;
	bool planned;
};

struct dt_bgroup {			/* aggregations that share their maps (agglayout.c) */
	uint32_t keysize;		/* 0: cells */
	uint32_t words;			/* of a CPU in an element: of one aggregation, or of all in a cell */
	uint32_t members;
	uint32_t map;			/* the array of the two hashes, or the cells */
	uint32_t cells;
	bool percpu;			/* an element has values for all CPUs, not for one */
};

struct dt_build {
	struct dt_arena *arena;
	const struct dt_plan_opts *opts;
	const struct dt_prog *const *progs;
	uint32_t nprogs;
	struct dt_image *image;
	jmp_buf fail;
	int err;
	char *msg;
	size_t msglen;

	DT_VEC(struct dt_image_prog) more;	/* programs that others go on to */

	/* maps: indices + 1, 0: not made */
	DT_VEC(struct dt_image_map) maps;
	uint32_t constants, slots, globals, tls, ring, rings, control, drops, spec_used, chill, over;
	uint32_t vtime, vtime_cpu, roots, family, cgroups, containers;
	uint32_t unwind[4];		/* of user stacks, from DT_MAP_UNWIND_ROWS on */

	/* the constants */
	DT_VEC(char) pool;
	struct dt_map texts;		/* where each string in them is: offset + 1 */
	uint32_t zeros;			/* longest run of zeros asked for */
	uint32_t bits;			/* offset of dt_agg_bits()' table + 1, 0: not made */
	bool vtimed;			/* some clause reads vtimestamp: firings leave their own time out */

	/* variables and aggregations */
	DT_VEC(struct dt_bvar) vars;
	uint32_t globals_size, tls_size, locals_size;
	/*
	 * bytes after variables, so that a copy whose size is known only at run time ends inside; 0: no
	 * program makes such copies
	 */
	uint32_t tail;
	DT_VEC(struct dt_bagg) aggs;
	DT_VEC(struct dt_bgroup) groups;
	uint32_t gen_limit;		/* generations that may wait to be read */

	/* the slot after struct dt_slot: sizes, and offsets */
	uint32_t strsize, scratch;	/* rounded to 8 */
	uint32_t slot_str[2], slot_tok[2], slot_locals, slot_scratch, slot_frames, slot_stack, slot_key;
	uint32_t keymax;		/* bytes at slot_key */
	uint32_t ustack_frames;		/* room at slot_frames */
};

#define DT_TLS_MAX 65000u	/* the kernel counts a thread's storage, its header too, in 16 bits */

/* image.c: there is no image, and a sentence says why */
_Noreturn void dt_refuse(struct dt_build *, struct dt_loc, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* image_plan.c: what is known before any code */
void dt_plan_vars(struct dt_build *, const struct dt_plan_hook *, uint32_t n);
void dt_plan_aggs(struct dt_build *);
void dt_plan_slot(struct dt_build *, const struct dt_plan_hook *, uint32_t n);
/* marks the clause-locals that these use: they start as 0 */
void dt_plan_locals(struct dt_build *, const struct dt_enabling *, uint32_t n);
bool dt_dif_copies(uint32_t instruction);
void dt_plan_kept(struct dt_build *);
uint32_t dt_bvar_size(const struct dt_difv *);
struct dt_bvar *dt_bvar_find(struct dt_lower *, unsigned scope, uint32_t id);
struct dt_bagg *dt_bagg_find(struct dt_build *, uint64_t id);
void dt_plan_record(struct dt_build *, const struct dt_ecb *, struct dt_reclayout *);
/*
 * What the DIFO is, when it is one built-in variable, one number or one string and nothing else; else V_NUM.
 */
struct dt_known dt_difo_simple(const struct dt_difo *);
/* owned.c: whether it is a self-> array; the map of its lists */
bool dt_owned(const struct dt_bvar *);
void dt_owned_plan(struct dt_build *, struct dt_bvar *, uint32_t entries);
/* agglayout.c: keys and maps of aggregations; the bytes of a key, and whether it is a name of the probe */
void dt_plan_keys(struct dt_build *, const struct dt_plan_hook *, uint32_t n);
uint32_t dt_agg_key_size(struct dt_build *, const struct dt_act *, uint8_t *probe);

/* field.c */
uint32_t dt_field_size(struct dt_build *, const struct dt_act *);	/* of a record or key */

/*
 * stack.c: whether an action of these clauses has one of the facts (DT_AF_*), or an expression one of the
 * needs (DT_NEED_*); bytes of a slot for a stack that variables look at
 */
bool dt_stack_wanted(const struct dt_build *, const struct dt_plan_hook *, uint32_t n, unsigned facts,
    unsigned needs);
uint32_t dt_stack_room(const struct dt_build *, const struct dt_plan_hook *, uint32_t n);

/* ustack.c: whether user stacks are walked by tables; whether any clause takes one */
bool dt_ustack_tables(const struct dt_build *);
bool dt_ustack_wanted(const struct dt_build *, const struct dt_plan_hook *, uint32_t n);
/* frames that a slot has room for: at least those of the deepest ustack() */
uint32_t dt_ustack_frames(const struct dt_build *, const struct dt_plan_hook *, uint32_t n);

/* hook.c: the programs of one hook, into the image */
void dt_lower_hook(struct dt_build *, const struct dt_plan_hook *, uint32_t index);

#endif
