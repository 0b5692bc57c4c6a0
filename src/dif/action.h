/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an action and an aggregating function are made of: one struct of functions for each kind, for
 * every stage between the compiler and the text a user reads. They are rows of acts.def and aggs.def; each
 * is filled in by one file of src/builtin, which lies above all the stages and may call any. The stages
 * find the struct by the kind: dt_action_of(), dt_aggfunc_of(). A row without its struct does not link, and
 * test/unit/builtin_acts_test.c fails when a function is missing.
 */
#ifndef DT_DIF_ACTION_H
#define DT_DIF_ACTION_H

#include "dif/builtin.h"

struct dt_actfield;		/* bpf/build.h: where the code has to leave what is recorded */
struct dt_agglayout;		/* bpf/image.h */
struct dt_bucketing;		/* output/buckets.h */
struct dt_build;		/* bpf/build.h */
struct dt_bytes;		/* interp/run.h */
struct dt_json;			/* output/json.h */
struct dt_json_firing;
struct dt_lower;		/* bpf/build.h */
struct dt_out;			/* output/out.h */
struct dt_rec;			/* output/statement.h */
struct dt_run;			/* interp/run.h */
struct dt_statements;		/* output/statement.h */
struct dt_value;		/* value/value.h */

/* ---- what a program has to have, of acts.def and aggs.def ---- */

enum {
	DT_AR_DIFO = 1, DT_AR_VALUE = 2, DT_AR_LIST = 4, DT_AR_TYPE = 8, DT_AR_KEY = 16, DT_AR_AGG = 32,
};

struct dt_actrule {
	uint16_t kind;			/* enum dt_actkind, or DT_LIB_KIND() */
	uint16_t flags;			/* DT_AR_* */
	const char *name;
	/* aggregating functions: values after the keys; the second an increment */
	uint8_t least, most;
};

/* Library actions have kinds of their own among the others: class 8. */
#define DT_LIB_KIND(lib) (0x800 | (lib))
#define DT_ACT_INDEX(kind) (((kind) >> 4 & 0xf0) | ((kind) & 0xf))
enum { DT_ACT_INDICES = 0x90 };

static inline unsigned dt_act_kind(const struct dt_act *a)
{
	return a->kind == DT_ACT_LIBACT ? DT_LIB_KIND((unsigned)(a->arg & 0xf)) : a->kind;
}

const struct dt_actrule *dt_actrule_of(unsigned kind);		/* NULL: no such rule */
static inline const struct dt_actrule *dt_act_rule(const struct dt_act *a)
{
	return dt_actrule_of(dt_act_kind(a));
}

/* ---- actions ---- */

enum {				/* facts of an action that stages ask for */
	DT_AF_UNRECORDED = 1,	/* has no field in the record */
	DT_AF_SILENT = 2,	/* leaves nothing for the consumer */
	DT_AF_IFVALUE = 4,	/* is recorded only when its expression has a value */
	DT_AF_OURS = 8,		/* changes the trace: the caller of dtrace_work() is not asked */
	DT_AF_ALSO = 16,	/* done even when the caller takes the record */
	DT_AF_SHOWS_AGGS = 32,	/* shows or empties an aggregation */
	DT_AF_KSTACK = 64, DT_AF_USTACK = 128,	/* takes a stack of the kernel, of the process */
	DT_AF_USER = 256,	/* names addresses in processes, which has to be prepared */
	DT_AF_FORMAT = 512,	/* the same where its format has %A */
	DT_AF_FOLDS = 1024,	/* as a key: all addresses of one name are one element */
	DT_AF_ALONE = 2048,	/* shown by its records and the print options alone: any thread may */
	/* any of these: shown by names, which may be those of another key too */
	DT_AF_NAMED = DT_AF_KSTACK | DT_AF_USTACK | DT_AF_USER | DT_AF_FOLDS,
};

enum dt_actshape {		/* what a statement of it leaves, for formats that are no text */
	DT_SHAPE_UNSAID,
	DT_SHAPE_EFFECT,	/* something done */
	DT_SHAPE_AGGREGATION,	/* elements of the aggregations whose numbers are recorded */
	DT_SHAPE_VALUES,	/* a value for each record; this and all below: something to be shown */
	DT_SHAPE_OBJECT,	/* a value and its type, maybe what it points to: print() */
	DT_SHAPE_MEMORY,	/* bytes: dt_rec_memory() */
};

struct dt_action {
	/* What D calls it; a row without name ends. NULL: the compiler makes it of something else. */
	const struct dt_builtin *names;
	uint16_t facts;			/* DT_AF_* */
	uint8_t where;			/* DT_IN_*, as in a row; 0: everywhere */
	uint8_t shape;			/* enum dt_actshape */
	uint8_t keytype;		/* of one that may be a key: the type of the call, DT_T_* */

	/*
	 * In the kernel: the bytes of its field in a record or key, and the code. The value of its
	 * expression is in l->ret, 0 where it has none.
	 */
	uint32_t (*size)(struct dt_build *, const struct dt_act *);
	void (*lower)(struct dt_lower *, const struct dt_act *, const struct dt_actfield *);

	/*
	 * In the interpreter: the bytes that are recorded of a value; or, where there is more to do than to
	 * record them, all of it.
	 */
	struct dt_bytes (*bytes)(struct dt_run *, const struct dt_act *, uint64_t value);
	void (*run)(struct dt_run *, const struct dt_act *, uint64_t value);

	/*
	 * For the consumer: what the recorded bytes are; the records of a statement as text, or what is to
	 * be done; the same as JSON.
	 */
	void (*value)(const struct dt_act *, const void *data, size_t len, struct dt_value *);
	void (*text)(struct dt_statements *, const struct dt_rec *, size_t n);
	void (*json)(struct dt_json_firing *, const char *name, const struct dt_rec *, size_t n);
};

extern const struct dt_action *const dt_actions[DT_ACT_INDICES];	/* by DT_ACT_INDEX(); NULL: no kind */

/* Of an action that dt_prog_check() has passed. */
static inline const struct dt_action *dt_action_of(const struct dt_act *a)
{
	return dt_actions[DT_ACT_INDEX(dt_act_kind(a))];
}

static inline bool dt_act_is(const struct dt_act *a, unsigned facts)
{
	return !DT_ACT_IS_AGG(a->kind) && dt_action_of(a)->facts & facts;
}

/* Its record shows or empties an aggregation: its reader needs a snapshot taken after it. */
static inline bool dt_ecb_shows_aggs(const struct dt_ecb *e)
{
	for (uint32_t i = 0; i < e->nacts; i++) {
		if (dt_act_is(&e->acts[i], DT_AF_SHOWS_AGGS))
			return true;
	}
	return false;
}

/* ---- aggregating functions ---- */

/*
 * One of several numbers that a function makes of its data; the names are those of columns and of
 * JSON's members.
 */
struct dt_aggpart { const char *name; int64_t value; };
enum { DT_AGGPARTS = 16 };	/* at most */

/* How a CPU's words tell that it has updated the element. */
/* the first is not 0; another word after the data is not 0 */
enum dt_aggseen { DT_SEEN_UNSAID, DT_SEEN_FIRST, DT_SEEN_EXTRA };

/*
 * The data of an element are n 64-bit words; `arg` is the encoded parameter word. Merging in any order
 * gives the same.
 */
struct dt_aggfunc {
	const struct dt_builtin *names;

	bool (*good)(uint64_t arg);					/* NULL: it has no parameters */
	uint32_t (*nwords)(uint64_t arg);				/* size of the data */
	uint32_t optional;	/* how many words at the end an old recording may not have */
	/* of an element that has seen nothing */
	void (*init)(int64_t *data, uint64_t arg);
	void (*add)(int64_t *data, uint64_t arg, int64_t value, int64_t incr);
	void (*merge)(int64_t *data, uint64_t arg, const int64_t *other);

	/*
	 * In the kernel: adds the value at F_VALUE (the increment at F_INCR) to the words at r0, which
	 * stays. Words begin as zeros there; where the data begin as something else, decode makes them what
	 * the other functions know.
	 */
	void (*lower)(struct dt_lower *, const struct dt_agglayout *, uint32_t drop);
	enum dt_aggseen seen;
	void (*decode)(int64_t *data, uint64_t arg);			/* NULL: they are that already */

	/*
	 * For those who print, one of these: the one number, normalised; several that have names, and how
	 * many; buckets. And whether -x agghist draws a bar for it.
	 */
	void (*number)(const struct dt_value *, struct dt_value *number);
	uint32_t (*parts)(const struct dt_value *, struct dt_aggpart part[DT_AGGPARTS]);
	const struct dt_bucketing *buckets;
	bool tally;
	int (*compare)(const struct dt_value *, const struct dt_value *);
	void (*text)(struct dt_out *, const struct dt_value *);
	void (*json)(struct dt_json *, const struct dt_value *);
};

extern const struct dt_aggfunc *const dt_aggfuncs[16];	/* by the low bits of the kind */

static inline const struct dt_aggfunc *dt_aggfunc_of(uint16_t kind) { return dt_aggfuncs[kind & 0xf]; }

#define X(kind, number, ...) extern const struct dt_action dt_action_##kind;
#define L(kind, number, ...) extern const struct dt_action dt_action_LIB_##kind;
#include "dif/acts.def"
#undef X
#undef L
#define X(kind, number, name, ...) extern const struct dt_aggfunc dt_aggfunc_##name;
#include "dif/aggs.def"
#undef X

#endif
