/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reference executor: it defines what a program means. It runs programs over recorded contexts and
 * touches only what the context holds: no file, no clock, no system call.
 *
 * In: a program that dt_prog_check() has accepted, which may be hostile; a context for each firing, by
 * dt_interp_fire(). Out: records, faults and drops, as they happen, by the functions of struct
 * dt_interp_sink; variables and aggregations at the end, by dt_interp_vars() and dt_interp_aggs().
 *
 * Lifetimes: the program must live as long as the interpreter; options and the sink's functions are copied; a
 * context is needed during its call only, since speculations keep copies. Variables, associative arrays,
 * aggregations and speculations live from one firing to the next; scratch until the clause ends; the text of
 * strtok() until the firing ends. Several interpreters share nothing; one is used by one thread at a time.
 *
 * Errors: dt_interp_new() returns NULL when out of memory, or for a program of more than 2^24 DIFOs. Whatever
 * goes wrong in a program, lack of memory included, is a fault of its clause (enum dt_fault) or a drop.
 *
 * Bounds of a firing, for any program that is checked: branches go forward, so a DIFO takes at most as many
 * instructions as it has; a subroutine takes steps in proportion to strsize (strmatch() 2^21 at most, json()
 * and strstr() a few for each character), and the host memory of a clause is limited (DT_INTERP_TEMP_MAX). So
 * a firing ends, after a time that grows with the program's length times strsize.
 */
#ifndef DT_INTERP_INTERP_H
#define DT_INTERP_INTERP_H

#include "dif/dif.h"

/* The path that d_path() gives for a struct path in the image. */
struct dt_image_path { uint64_t addr; const char *path; };

struct dt_region {		/* part of the memory image; bytes may be NULL: nothing can be read */
	uint64_t addr;
	uint64_t len;
	uint8_t *bytes;
	bool user;
	bool writable;		/* copyout() may change it */
};

/* The value of a variable that struct dt_context has no member for. */
struct dt_given { uint16_t id; uint64_t value; };	/* enum dt_var_id */

/* What a firing sees. A member that is 0 or NULL is a value like others: no region, an empty string. */
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
	uint64_t random;		/* rand() is derived from it */
	const char *cgroup, *container, *execenv;
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

#define DT_INTERP_NSPEC_NONE UINT32_MAX

struct dt_interp_opts {		/* 0: the default */
	/*
	 * Characters in a string, 256 by default; inside the interpreter and for subroutines it
	 * includes the NUL
	 */
	uint32_t strsize;
	uint32_t scratchsize;		/* bytes of scratch a clause may use; 16 strings */
	uint64_t dynvarsize;		/* 1 MiB */
	uint32_t nspec;			/* 1; DT_INTERP_NSPEC_NONE: speculation() finds none */
	uint64_t specsize;		/* bytes of records in one speculation; 32 KiB */
};

/*
 * What happens, reported as it happens. Any pointer may be NULL. Data are valid only during the call.
 */
struct dt_interp_sink {
	void *ctx;
	/*
	 * A clause whose predicate held begins; then come its records; then the end (committed, or lost
	 * by a fault). All three are called when the clause is over, so a faulted clause shows no
	 * records. A clause that speculates is reported when it is committed; its context then has only
	 * probe, ids, cpu and time.
	 */
	void (*begin)(void *ctx, const struct dt_ecb *, uint32_t epid, const struct dt_context *);
	/*
	 * The value of one action: data has strsize bytes or the size of the value (rtype of its DIFO);
	 * stacks are u64 pcs
	 */
	void (*record)(void *ctx, const struct dt_ecb *, uint32_t act, const void *data, size_t len);
	void (*end)(void *ctx, const struct dt_ecb *, bool faulted);
	/*
	 * act: index from 0, -1 for the predicate. offset: 4 * pc, -1 while a value is recorded. addr:
	 * for BADADDR, BADALIGN, BADSTACK
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
 * Fires a probe: every clause whose description matches (dt_probe_match()) runs in program order, and
 * faults fire the dtrace:::ERROR clauses. After exit() only the rest of its clause, ERROR and END run,
 * also in later firings. Returns the status of the first exit(), or of the last one in END; -1 if no
 * exit() has run.
 */
int dt_interp_fire(struct dt_interp *, const struct dt_context *);
/*
 * Runs one DIFO alone (tests, fuzzing) as a firing of its own. Returns the value; *fault, *offset and
 * *addr describe a fault. Until the next call, and while context and DIFO live, dt_interp_read() and
 * dt_interp_string() can read what a value points to.
 */
uint64_t dt_interp_run(struct dt_interp *, const struct dt_context *, const struct dt_difo *,
    enum dt_fault *fault, int *offset, uint64_t *addr);

/*
 * Walks what is left: variables (by reference: their bytes) and aggregation elements with their keys.
 */
struct dt_interp_var {
	const struct dt_difv *var;
	uint64_t value;
	const void *bytes;		/* by-reference variables */
	size_t len;
	bool null;
	uint32_t tid;			/* thread-local ones */
	/* Elements of arrays: for each key its length (u64), then its bytes */
	const void *key;
	size_t keylen;
};
void dt_interp_vars(struct dt_interp *, void (*f)(void *, const struct dt_interp_var *), void *ctx);
/* One key: its action and the recorded bytes */
struct dt_interp_key { const struct dt_act *act; const void *data; size_t len; };
typedef void dt_interp_agg_f(void *ctx, const struct dt_aggvar *, const struct dt_interp_key *keys,
    uint32_t nkeys, const int64_t *data, uint32_t nwords);
void dt_interp_aggs(struct dt_interp *, dt_interp_agg_f *, void *ctx);
void dt_interp_aggs_clear(struct dt_interp *);		/* removes all elements */

/* ---- for the rows of src/builtin ---- */

struct dt_subr_arg { uint64_t value; uint64_t size; bool ref; };	/* size: of a by-reference argument */
/* arg has 8 entries; those from nargs on are 0 */
struct dt_subr_call { uint32_t nargs; const struct dt_subr_arg *arg; };
/*
 * The state of strtok(): its own copy of the text, in a buffer of strsize and DT_RT_AFTER bytes, which is
 * malloc'ed and freed with the firing; and where the next token is looked for
 */
struct dt_strtok { unsigned char *text; uint64_t pos; };

const struct dt_context *dt_interp_context(const struct dt_interp *);
const struct dt_interp_opts *dt_interp_options(const struct dt_interp *);
uint32_t dt_interp_epid(const struct dt_interp *);
/*
 * Sets the fault, unless one is set already; the result of the instruction is then ignored. Returns 0
 * for convenience.
 */
uint64_t dt_interp_fault(struct dt_interp *, enum dt_fault, uint64_t addr);
bool dt_interp_faulted(const struct dt_interp *);
/*
 * Allocates scratch memory: 8-aligned and zeroed. Returns its interpreter address, or 0 after a
 * NOSCRATCH fault.
 */
uint64_t dt_interp_scratch(struct dt_interp *, uint64_t size);
/*
 * Reads memory that the kernel side sees: scratch, string tables, variables, image regions. False after
 * a BADADDR fault.
 */
bool dt_interp_read(struct dt_interp *, uint64_t addr, void *to, size_t len, bool user);
/* The same, but memory that cannot be read is no fault: then the bytes at `to` may have changed in part. */
bool dt_interp_peek(struct dt_interp *, uint64_t addr, void *to, size_t len, bool user);
/*
 * Writes scratch and by-reference variables only; with `user`, writable regions of the image, for
 * copyout().
 */
bool dt_interp_write(struct dt_interp *, uint64_t addr, const void *from, size_t len, bool user);
/* Do all len bytes lie in scratch or in a by-reference variable? */
bool dt_interp_storable(struct dt_interp *, uint64_t addr, uint64_t len);
/* The length of the string at addr, at most max; false after a fault. */
bool dt_interp_strlen(struct dt_interp *, uint64_t addr, uint64_t max, bool user, uint64_t *len);
/*
 * A host copy of the string at addr, cut to strsize and valid until the clause ends. NULL after a
 * fault; addr 0 gives "" and sets *null, which may be NULL.
 */
const char *dt_interp_string(struct dt_interp *, uint64_t addr, bool *null);
/* Copies a host string into scratch, cut to what a string holds; returns its address. */
uint64_t dt_interp_put(struct dt_interp *, const char *text, size_t len);
/*
 * The address of a built-in variable's text, which costs no scratch. Each variable has its own slot
 * below DT_INTERP_TEXTS.
 */
#define DT_INTERP_TEXTS 16
uint64_t dt_interp_text(struct dt_interp *, unsigned slot, const char *text);
/*
 * Host memory that lasts until the clause ends; NULL after a NOSCRATCH fault, which also comes when the
 * clause has taken DT_INTERP_TEMP_MAX bytes.
 */
#define DT_INTERP_TEMP_MAX (256u << 20)
void *dt_interp_temp(struct dt_interp *, size_t size);
/* Host memory that lasts until the next call of this, not zeroed; NULL after a NOSCRATCH fault. */
void *dt_interp_buffer(struct dt_interp *, size_t size);
struct dt_strtok *dt_interp_strtok(struct dt_interp *);
int dt_interp_speculation(struct dt_interp *);			/* a new speculation's number or 0 */
bool dt_interp_ureg(struct dt_interp *, uint64_t index, uint64_t *value);	/* false: no such register */

#endif
