/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything D knows by name: variables, subroutines, actions, aggregating functions. One row each, with
 * its functions beside it in the same file; the layers see only these rows. To add one: doc/HOWTO-ADD.md.
 */
#ifndef DT_DIF_BUILTIN_H
#define DT_DIF_BUILTIN_H

#include "dif/dif.h"

struct dt_interp;
struct dt_known;
struct dt_lower;
struct dt_subr_call;
struct dt_sema;
struct dt_node;

enum dt_bkind {
	DT_BI_SCALAR,	/* variable: proto is its type */
	DT_BI_ARRAY,	/* built-in array: proto is the element type */
	DT_BI_SUBR,	/* subroutine, callable in expressions */
	DT_BI_ACTION,	/* action, a statement */
	DT_BI_AGGFUNC,	/* aggregating function, right side of @a[…] = */
};

enum {			/* row flags */
	DT_BF_DESTRUCTIVE = 1,	/* needs -w */
	DT_BF_RECORDS = 2,	/* action: records data (order rules: doc/DIF.md, Actions) */
	DT_BF_ALLOCA = 4,	/* subroutine: result points into scratch */
	DT_BF_COPIES = 16,	/* subroutine: writes an amount that is known only when it runs */
	DT_BF_KEY = 8,		/* action that may stand as an aggregation key: stack() sym() … */
};

/* What a variable or subroutine must have when it is traced. */
enum {
	DT_NEED_WRITE_USER = 1,		/* a kernel that lets programs write to processes */
	DT_NEED_KSTACK = 2,		/* the kernel's stack is walked */
	DT_NEED_USTACK = 4,		/* the stack of the process is walked */
	DT_NEED_VTIME = 8,		/* how long threads run is counted */
	DT_NEED_ENDS = 16,		/* elements of self-> arrays go with their threads */
	DT_NEED_CGROUPS = 32,		/* control groups of version 2 */
};

/* Where a row can be used: each engine (engine/engine.h) has one of these bits. */
enum { DT_IN_KERNEL = 1, DT_IN_PROCESS = 2, DT_IN_REPLAY = 4, DT_IN_ALL = 7 };

/* How much scratch one use may take: none, no more than one string, any amount. Each row has to say. */
enum dt_bscratch { DT_SCRATCH_UNSAID, DT_SCRATCH_NONE, DT_SCRATCH_STRING, DT_SCRATCH_ANY };

#define DT_VERS(major, minor, micro) ((major) << 16 | (minor) << 8 | (micro))

/* Stability (doc/DIF.md, Stability). */
enum {
	DT_STAB_INTERNAL,
	DT_STAB_PRIVATE,
	DT_STAB_OBSOLETE,
	DT_STAB_EXTERNAL,
	DT_STAB_UNSTABLE,
	DT_STAB_EVOLVING,
	DT_STAB_STABLE,
	DT_STAB_STANDARD
};
enum { DT_CLS_UNKNOWN, DT_CLS_CPU, DT_CLS_PLATFORM, DT_CLS_GROUP, DT_CLS_ISA, DT_CLS_COMMON };
#define DT_ATTR_STABLE_COMMON { DT_STAB_STABLE, DT_STAB_STABLE, DT_CLS_COMMON }
#define DT_ATTR_EVOLVING_COMMON { DT_STAB_EVOLVING, DT_STAB_EVOLVING, DT_CLS_COMMON }
#define DT_ATTR_PRIVATE { DT_STAB_PRIVATE, DT_STAB_PRIVATE, DT_CLS_UNKNOWN }

struct dt_builtin {
	const char *name;
	uint8_t kind;			/* enum dt_bkind */
	uint8_t flags;			/* DT_BF_* */
	uint16_t id;			/* DIF variable id, subroutine number, or enum dt_actkind */
	/*
	 * D prototype. Variables: the type, "int64_t". Functions: "string(uintptr_t, [size_t])":
	 * result, then parameter types; [x] is optional, ... takes any number, @ is an aggregation, *
	 * is any value at all.
	 */
	const char *proto;
	struct dt_attr attr;
	uint32_t version;		/* first D version that has it, DT_VERS() */
	/* non-NULL: refused with this sentence (why it has no meaning on Linux) */
	const char *unsupported;
	const char *doc;		/* what it is, in one line, for the reference: d(7) */

	/* What it means, for the interpreter. Faults through dt_interp_fault(). */
	uint64_t (*get)(struct dt_interp *, uint64_t index);			/* SCALAR (index 0), ARRAY */
	uint64_t (*call)(struct dt_interp *, const struct dt_subr_call *);	/* SUBR */
	/*
	 * Checks the arguments and adds the actions to the clause. `call` is the DT_N_CALL, its
	 * arguments typed already unless DT_BF_… says else.
	 */
	void (*compile)(struct dt_sema *, const struct dt_builtin *, struct dt_node *call);	/* ACTION */
	/* AGGFUNC */
	void (*aggregate)(struct dt_sema *, const struct dt_builtin *, struct dt_node *agg,
	    struct dt_node *call);

	/*
	 * Makes the code the kernel runs, with what bpf/lower.h has; the value is in r0. `known` in its
	 * place: a text that needs no code, as it is known or at hand.
	 */
	void (*lower)(struct dt_lower *);				/* SCALAR, SUBR */
	/* ARRAY: the index is in a DIF register */
	void (*lower_at)(struct dt_lower *, unsigned reg);
	const struct dt_known *known;					/* SCALAR */
	uint8_t needs;			/* DT_NEED_* */
	uint8_t where;			/* DT_IN_*; 0: everywhere */
	uint8_t scratch;		/* enum dt_bscratch */
};

/*
 * Subroutines: dt_subr_strlen is the row of strlen(). One that is in the list and has no row does not link.
 */
#define X(name, number) extern const struct dt_builtin dt_subr_##name;
#include "dif/subrs.def"
#undef X

/* Variables: dt_var_pid. */
#define X(name, id) extern const struct dt_builtin dt_var_##name;
#include "dif/vars.def"
#undef X

/*
 * All rows, one after the other, those of actions and aggregating functions too (dif/action.h): *at begins as
 * 0; NULL ends. In the order that a name is looked for.
 */
const struct dt_builtin *dt_builtin_next(size_t *at);

const struct dt_builtin *dt_builtin_var(uint32_t id);		/* variable row by DIF id; NULL */
const struct dt_builtin *dt_builtin_subr(uint32_t number);	/* subroutine row by number; NULL */
const struct dt_builtin *dt_builtin_find(const char *name);	/* by name, any kind */
/* Whether a DIFO, which may be NULL, uses a variable or subroutine that needs one of these (DT_NEED_*). */
bool dt_difo_needs(const struct dt_difo *, unsigned needs);
/* The first row that a program uses and the engine with this bit (DT_IN_*) does not have; NULL: none. */
const struct dt_builtin *dt_prog_outside(const struct dt_prog *, unsigned where);
/* The same for a DIFO, which may be NULL. */
const struct dt_builtin *dt_difo_outside(const struct dt_difo *, unsigned where);
/* The same for all clauses of a program. */
bool dt_prog_needs(const struct dt_prog *, unsigned needs);
/* confine.c: whether a checked predicate, which may be NULL, is true in one process at most, and in which. */
bool dt_difo_one_process(const struct dt_difo *, uint32_t *pid);

#endif
