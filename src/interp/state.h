/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the interpreter share with no one else, except for the rows of actions: memory,
 * variables, aggregations and speculations of one interpreter. The addresses that the program sees are made
 * up here, in ranges that no kernel or user image uses:
 *     0xd700…  scratch of the running clause        0xd703…  storage of by-reference variables
 *     0xd701…  string tables of the program         0xd704…  texts of built-in variables
 *     0xd702…  string table of a DIFO run alone
 */
#ifndef DT_INTERP_STATE_H
#define DT_INTERP_STATE_H

#include "interp/interp.h"

#define DT_IA_TAG(addr) ((addr) >> 48)
enum {
	DT_IA_SCRATCH = 0xd700,
	DT_IA_STRS = 0xd701,
	DT_IA_RUN = 0xd702,
	DT_IA_VAR = 0xd703,
	DT_IA_TEXT = 0xd704
};
#define DT_IA_BLOCK_BITS 20		/* a by-reference variable has at most this many bits of size */
#define DT_IA_BLOCK_MAX (1u << DT_IA_BLOCK_BITS)
#define DT_INTERP_RECMAX (16u << 20)	/* bytes of one record or key */
#define DT_INTERP_UREGS 64		/* more than the registers of any machine */

/* Hash table of byte keys, in order of insertion. */
struct dt_tab_entry {
	struct dt_tab_entry *chain, *next, *prev;
	uint32_t hash;
	uint32_t keylen;
	uint8_t *key;			/* after the data, in the same allocation */
	uint64_t data[];		/* of the table's data size */
};
struct dt_tab {
	struct dt_tab_entry **bucket;
	uint32_t nbucket, n;
	struct dt_tab_entry *first, *last;
};
struct dt_tab_entry *dt_tab_find(const struct dt_tab *, const void *key, uint32_t len);
/* A new entry with zeroed data; the key must be new. NULL: out of memory. */
struct dt_tab_entry *dt_tab_add(struct dt_tab *, const void *key, uint32_t len, size_t datasize);
void dt_tab_remove(struct dt_tab *, struct dt_tab_entry *);
void dt_tab_clear(struct dt_tab *);

struct dt_block {			/* storage of a by-reference variable */
	uint8_t *bytes;			/* NULL: free */
	uint32_t len;
};

struct dt_islot {			/* a value: by value, or by reference in a block */
	uint64_t value;
	uint32_t block;			/* index + 1; 0 none */
	uint8_t null;
};

struct dt_ivar {			/* a declared variable */
	struct dt_difv difv;		/* with its own copy of the name */
	struct dt_islot slot;		/* global and local scalars */
};

/* The data of an entry in dyn: thread-local scalars and all array elements */
struct dt_dynvar {
	struct dt_islot slot;
	uint64_t cost;
};

struct dt_irec {				/* one record of a clause */
	struct dt_irec *next;
	uint32_t act;
	uint32_t len;
	uint8_t data[];
};
struct dt_clause {			/* the records of one clause of one firing */
	struct dt_clause *next;
	const struct dt_ecb *ecb;
	uint32_t epid;
	struct dt_context *context;	/* a copy of its own, speculated clauses only */
	struct dt_irec *first, **last;
	uint64_t size;
};
struct dt_spec {
	bool active;
	struct dt_clause *first, **last;
	uint64_t size;
};

struct dt_tuplekey {			/* an action of an aggregation's tuple, evaluated */
	const struct dt_act *act;
	uint64_t value;
	const uint8_t *bytes;
	uint32_t len;
};

struct dt_temp {			/* host memory until the clause ends */
	struct dt_temp *next;
	_Alignas(16) uint8_t bytes[];
};

struct dt_interp {
	const struct dt_prog *prog;
	struct dt_interp_opts opts;
	struct dt_interp_sink sink;
	const struct dt_context *context;
	uint32_t epid;
	int exit_status;
	bool exited;
	bool in_end;			/* dtrace:::END is firing */
	bool in_error;			/* dtrace:::ERROR is firing */

	/* the machine */
	const struct dt_difo *difo;
	uint64_t strs_base;		/* address of the running DIFO's strings */
	uint64_t reg[DT_DIF_NREGS];
	uint32_t pc, next_pc;
	bool done;
	bool less, zero, below;		/* condition codes: signed less, equal, unsigned less */
	struct dt_subr_arg tuple[DT_DIF_NTREGS];
	bool tuple_string[DT_DIF_NTREGS];
	uint32_t ntuple;
	enum dt_fault fault;
	uint64_t fault_addr;
	int fault_offset;		/* 4 * pc, or -1: not in a DIFO but in what its action records */

	/* memory: scratch is one piece for the whole life, of which scratch_used bytes are this clause's */
	uint8_t *scratch;
	uint64_t scratch_used;
	/* All DIFOs of the program, sorted by pointer; the index is part of string addresses */
	const struct dt_difo **difos;
	uint32_t ndifos;
	char *texts[DT_INTERP_TEXTS];	/* strsize each, of this firing */
	struct dt_temp *temps;
	uint64_t temps_used;		/* bytes of them */
	void *buffer;			/* of dt_interp_buffer(), for the whole life */
	size_t buffer_size;
	struct dt_strtok tok;
	uint64_t uregs[DT_INTERP_UREGS];
	bool uregs_changed;

	/* variables */
	struct dt_ivar *vars;		/* sorted by scope and id */
	uint32_t nvars, varcap;
	/*
	 * nblocks of them were ever used; those below freeblock are all taken. They may move when one is
	 * added: an address of the program holds the number, not a pointer
	 */
	struct dt_block *blocks;
	uint32_t nblocks, blockcap, freeblock;
	struct dt_tab dyn;
	uint64_t dynused;
	uint8_t *keybuf;		/* the key being looked up */
	uint32_t keycap;

	/* elements of all aggregations; data is private to interp_agg.c */
	struct dt_tab aggs;
	struct dt_spec *specs;		/* nspec of them */
};

/* interp_exec.c: runs one DIFO; a fault is left in ip->fault, its place in ip->fault_offset. */
uint64_t dt_interp_exec(struct dt_interp *, const struct dt_difo *);

/* interp/mem.c */
/* A clause begins: frees scratch and host copies */
void dt_interp_mem_reset(struct dt_interp *);
/* A firing begins or ends: frees texts, the state of strtok() and changed registers */
void dt_interp_mem_fire(struct dt_interp *);
int dt_interp_difo_index(const struct dt_interp *, const struct dt_difo *);	/* -1: not the program's */
int dt_interp_strcmp(struct dt_interp *, uint64_t a, uint64_t b);

/* interp/interp_var.c */
bool dt_interp_declare(struct dt_interp *, const struct dt_difo *);	/* false: out of memory */
void dt_interp_locals_zero(struct dt_interp *);
void *dt_interp_locals_save(struct dt_interp *);	/* NULL: none, or out of memory */
void dt_interp_locals_restore(struct dt_interp *, void *saved);	/* frees it; NULL is fine */
uint64_t dt_interp_load(struct dt_interp *, unsigned scope, uint32_t id);
void dt_interp_store(struct dt_interp *, unsigned scope, uint32_t id, uint64_t value);
uint64_t dt_interp_load_elem(struct dt_interp *, unsigned scope, uint32_t id);
void dt_interp_store_elem(struct dt_interp *, unsigned scope, uint32_t id, uint64_t value);
void dt_interp_vars_free(struct dt_interp *);

/* interp/interp_act.c */
/* Runs one clause. ip->fault tells of a fault and *act where it was: index from 0, -1 the predicate. */
void dt_interp_clause(struct dt_interp *, const struct dt_ecb *, uint32_t epid, int *act);
void dt_interp_clause_free(struct dt_clause *);

/* interp/interp_agg.c */
void dt_interp_aggregate(struct dt_interp *, const struct dt_act *, const struct dt_tuplekey *, uint32_t n);

/* interp/interp_spec.c */
void dt_interp_spec_keep(struct dt_interp *, uint32_t id, struct dt_clause *);	/* takes the clause */
bool dt_interp_spec_active(struct dt_interp *, uint32_t id);
void dt_interp_spec_commit(struct dt_interp *, uint32_t id);
void dt_interp_spec_discard(struct dt_interp *, uint32_t id);
void dt_interp_clause_tell(struct dt_interp *, const struct dt_clause *, const struct dt_context *,
    bool faulted);
void dt_interp_drop(struct dt_interp *, const char *kind);

#endif
