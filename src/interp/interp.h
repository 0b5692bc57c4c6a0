/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reference executor: what a program means. It runs checked programs (dt_prog_check) over recorded
 * contexts and touches nothing but what the context holds. Its variables, associative arrays and
 * aggregations live from one firing to the next.
 */
#ifndef DT_INTERP_INTERP_H
#define DT_INTERP_INTERP_H

#include "dif/dif.h"

/* The path of a struct path in the image, for d_path(). */
struct dt_image_path { uint64_t addr; const char *path; };

struct dt_region {		/* part of the memory image */
	uint64_t addr;
	uint64_t len;
	uint8_t *bytes;
	bool user;
	bool writable;		/* copyout() may change it */
};

/* One firing of a probe, as recorded or made up. */
/* The value of a variable that struct dt_context has no member for. */
struct dt_given { uint16_t id; uint64_t value; };	/* enum dt_var_id */

struct dt_context {
	struct dt_probedesc probe;
	uint32_t probe_id;
	uint64_t arg[10];
	uint64_t timestamp, vtimestamp;
	int64_t walltimestamp;
	uint32_t pid, tid, ppid, uid, gid, cpu, ipl;
	int32_t err;			/* errno */
	char execname[16];
	const char *cwd, *root, *zonename;
	uint64_t curthread;		/* address in the image */
	uint64_t caller, ucaller;
	const uint64_t *stack, *ustack;	/* program counters, innermost first */
	uint32_t nstack, nustack;
	const uint64_t *uregs;
	uint32_t nuregs;
	const uint32_t *ancestors;	/* pids of parent, its parent …, for progenyof() */
	uint32_t nancestors;
	uint64_t random;		/* what rand() is derived from */
	uint64_t cgroup;		/* id of the cgroup */
	uint32_t nspid;			/* pid in its own namespace */
	const char *threadname, *execargs;	/* NULL: as execname, empty */
	const uint64_t *files;		/* address of the open file by descriptor, 0 none, for getf() */
	uint32_t nfiles;
	const struct dt_image_path *paths;
	uint32_t npaths;
	const struct dt_given *given;	/* those that are not among them are 0 */
	uint32_t ngiven;
	struct dt_region *regions;
	uint32_t nregions;
};

struct dt_interp_opts {		/* 0: the default */
	/* characters a string holds, 256; inside the interpreter and for subroutines with the NUL */
	uint32_t strsize;
	uint32_t scratchsize;		/* bytes of scratch a clause may use; 16 strings */
	uint64_t dynvarsize;		/* 1 MiB */
	uint32_t nspec;			/* 1 */
	uint64_t specsize;		/* bytes of records in one speculation; 32 KiB */
};

/* What happened, told as it happens. Any pointer may be NULL. Data is valid during the call only. */
struct dt_interp_sink {
	void *ctx;
	/*
	 * A clause whose predicate held begins; then its records; then the end (committed, or lost by a
	 * fault). All three are called when the clause is over, so that what a fault loses is never
	 * shown: a faulted clause has no records. A clause that speculates is told when it is
	 * committed; its context then has probe, ids, cpu and time only.
	 */
	void (*begin)(void *ctx, const struct dt_ecb *, uint32_t epid, const struct dt_context *);
	/*
	 * one action's value: rtype of its DIFO; data is strsize bytes or the value's own size; stacks:
	 * u64 pcs
	 */
	void (*record)(void *ctx, const struct dt_ecb *, uint32_t act, const void *data, size_t len);
	void (*end)(void *ctx, const struct dt_ecb *, bool faulted);
	/*
	 * act: index from 0, -1 predicate; offset: 4 * pc, -1 while recording a value; addr for
	 * BADADDR, BADALIGN, BADSTACK
	 */
	void (*fault)(void *ctx, const struct dt_ecb *, uint32_t epid, int act, int offset, enum dt_fault,
	    uint64_t addr);
	/*
	 * "dynamic variable", "speculative", "failed speculation", "aggregation", "error in ERROR probe
	 * enabling"
	 */
	void (*drop)(void *ctx, const char *kind);
};

struct dt_interp;
struct dt_interp *dt_interp_new(const struct dt_prog *, const struct dt_interp_opts *,
    const struct dt_interp_sink *);
void dt_interp_free(struct dt_interp *);

/*
 * Fires: every clause whose description matches the context's probe (by dt_probe_match()) runs in
 * program order; faults fire dtrace:::ERROR clauses. After exit() nothing runs but the rest of its
 * clause, ERROR and END, in later firings too. Returns the status of the first exit(), or of the last
 * one in END; -1 when no exit() ran yet.
 */
int dt_interp_fire(struct dt_interp *, const struct dt_context *);
/*
 * Runs one DIFO alone (tests, fuzzing), as a firing of its own. Returns the value; *fault and *offset,
 * *addr tell of a fault. Until the next call, and while context and DIFO live, dt_interp_read() and
 * dt_interp_string() can look at what a value points to.
 */
uint64_t dt_interp_run(struct dt_interp *, const struct dt_context *, const struct dt_difo *,
    enum dt_fault *fault, int *offset, uint64_t *addr);

/* Walks what is left: variables (by-ref: bytes) and aggregation elements with their keys. */
struct dt_interp_var {
	const struct dt_difv *var;
	uint64_t value;
	const void *bytes;		/* by-reference variables */
	size_t len;
	bool null;
	uint32_t tid;			/* thread-local ones */
	/* elements of arrays: for each key its length (u64), then its bytes */
	const void *key;
	size_t keylen;
};
void dt_interp_vars(struct dt_interp *, void (*f)(void *, const struct dt_interp_var *), void *ctx);
/* one key: its action and recorded bytes */
struct dt_interp_key { const struct dt_act *act; const void *data; size_t len; };
typedef void dt_interp_agg_f(void *ctx, const struct dt_aggvar *, const struct dt_interp_key *keys,
    uint32_t nkeys, const int64_t *data, uint32_t nwords);
void dt_interp_aggs(struct dt_interp *, dt_interp_agg_f *, void *ctx);

/* ---- for the rows of src/builtin ---- */

struct dt_subr_arg { uint64_t value; uint64_t size; bool ref; };	/* size: of a by-reference argument */
/* arg has 8 entries; those from nargs on are 0 */
struct dt_subr_call { uint32_t nargs; const struct dt_subr_arg *arg; };
/* what strtok() works on; text is malloc'ed, freed with the firing */
struct dt_strtok { char *text; size_t pos; };

const struct dt_context *dt_interp_context(const struct dt_interp *);
const struct dt_interp_opts *dt_interp_options(const struct dt_interp *);
uint32_t dt_interp_epid(const struct dt_interp *);
/*
 * Sets the fault (the first one stays); the instruction's result is then ignored. Returns 0 for
 * convenience.
 */
uint64_t dt_interp_fault(struct dt_interp *, enum dt_fault, uint64_t addr);
bool dt_interp_faulted(const struct dt_interp *);
/* Scratch: 8-aligned, zeroed; faults NOSCRATCH. Returns its interpreter address, 0 on fault. */
uint64_t dt_interp_scratch(struct dt_interp *, uint64_t size);
/* Reads kernel-side memory: scratch, string tables, variables, image regions. False after a BADADDR fault. */
bool dt_interp_read(struct dt_interp *, uint64_t addr, void *to, size_t len, bool user);
/* To scratch and by-reference variables only; user: to writable regions of the image, for copyout(). */
bool dt_interp_write(struct dt_interp *, uint64_t addr, const void *from, size_t len, bool user);
/* scratch or a by-reference variable, all of it */
bool dt_interp_storable(struct dt_interp *, uint64_t addr, uint64_t len);
/* Length of the string at addr, at most max; false after a fault. */
bool dt_interp_strlen(struct dt_interp *, uint64_t addr, uint64_t max, bool user, uint64_t *len);
/*
 * The string at addr, cut to strsize, as a host copy valid until the clause ends; NULL on fault; addr 0
 * gives "" and *null.
 */
const char *dt_interp_string(struct dt_interp *, uint64_t addr, bool *null);
/* Copies a host string into scratch (cut to what a string holds); returns its address. */
uint64_t dt_interp_put(struct dt_interp *, const char *text, size_t len);
/*
 * Address of a built-in variable's text, which costs no scratch; each variable has its slot below
 * DT_INTERP_TEXTS.
 */
#define DT_INTERP_TEXTS 16
uint64_t dt_interp_text(struct dt_interp *, unsigned slot, const char *text);
/* Host memory until the clause ends; NULL, after a NOSCRATCH fault, when there is none. */
void *dt_interp_temp(struct dt_interp *, size_t size);
struct dt_strtok *dt_interp_strtok(struct dt_interp *);
int dt_interp_speculation(struct dt_interp *);			/* a new speculation's number or 0 */
bool dt_interp_ureg(struct dt_interp *, uint64_t index, uint64_t *value);	/* false: no such register */

#endif
