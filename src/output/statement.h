/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recorded actions of a clause, as a person sees them: printf, trace, printa, print … Records are
 * split into statements. Each statement is printed here, or done (clear, trunc, normalize, setopt …) by
 * the owner of the aggregations.
 */
#ifndef DT_OUTPUT_STATEMENT_H
#define DT_OUTPUT_STATEMENT_H

#include "dif/action.h"
#include "output/format.h"
#include "output/print.h"

#include "base/map.h"

/* What one action recorded. A len of 0 means nothing. The data stays the caller's. */
struct dt_rec {
	const struct dt_act *act;
	const void *data;
	size_t len;
};

/* Things to do that are not text. Any of them may be NULL, and then nothing happens. */
struct dt_statement_ops {
	void *ctx;
	/*
	 * The elements of one aggregation, or of several joined by key, sorted. They are valid until
	 * the next call, and count as printed.
	 */
	struct dt_aggrow *(*rows)(void *ctx, const int64_t *ids, uint32_t nids, size_t *n);
	/* the current elements, without printing them; NULL: unknown */
	struct dt_aggrow *(*elements)(void *ctx, int64_t id, size_t *n);
	void (*clear)(void *ctx, int64_t id);
	void (*trunc)(void *ctx, int64_t id, int64_t n);
	void (*normalize)(void *ctx, int64_t id, int64_t normal);	/* a normal of 1: denormalize */
	void (*setopt)(void *ctx, const char *name, const char *value);
	void (*system)(void *ctx, const char *command);
	void (*freopen)(void *ctx, const char *name);
	void (*ftruncate)(void *ctx);
	void (*exit)(void *ctx, int status);
	const struct dt_type *(*type)(void *ctx, const char *name);	/* for print() */
	/* stop, raise, chill: the kernel has done them already. A tool may want to report them. */
	void (*other)(void *ctx, const struct dt_rec *);
};

struct dt_statements {
	struct dt_out *out;
	struct dt_statement_ops ops;
	struct dt_arena *arena;		/* parsed formats live in it */
	struct dt_map formats;		/* by text */
	/*
	 * The format used last: usually the next one's too, which saves a lookup. It is compared by address,
	 * as a program keeps its texts.
	 */
	const char *last_text;
	struct dt_format *last;
	DT_VEC(int64_t) ids;		/* of the printa() in hand */
	bool played;			/* of a recording: cat() opens no file */
};

void dt_statements_init(struct dt_statements *, struct dt_arena *, struct dt_out *,
    const struct dt_statement_ops *);
/*
 * Whether anything was recorded. A clause whose recording actions are all in branches that were not
 * taken shows nothing.
 */
bool dt_statements_any(const struct dt_rec *, size_t n);
/*
 * Prints all records of one firing of a clause: one for each action, in order. Branches that were not
 * taken are skipped here.
 */
void dt_statements_print(struct dt_statements *, const struct dt_rec *, size_t n);
/*
 * The same records cut into statements, for another sink. Returns how many records the next statement
 * has, and sets *at to the first of them; 0: there is none.
 */
size_t dt_statement_next(const struct dt_rec *, size_t n, size_t *at);
/*
 * Whether all that a firing of the clause shows is made of its records and the print options: no names are
 * looked up, nothing is done. Its formats are parsed then, and printing changes `last` alone, so that a copy
 * of the statements with another `out` prints such firings in another thread.
 */
bool dt_statements_alone(struct dt_statements *, const struct dt_ecb *);
/* Whether the action leaves something for a consumer. */
bool dt_statement_visible(const struct dt_act *);
/* Prints or does one statement. */
void dt_statement_do(struct dt_statements *, const struct dt_rec *, size_t n);
/*
 * The text of a printf() or a similar action; its parsed format (NULL: a bad one); whether the first
 * record holds no argument.
 */
void dt_statement_text(struct dt_statements *, struct dt_out *, const struct dt_rec *, size_t n);
struct dt_format *dt_statement_format(struct dt_statements *, const char *text);
bool dt_statement_bare(const struct dt_rec *);
/* The integer that an action recorded; 0 when it recorded something else. */
int64_t dt_rec_int(const struct dt_rec *);
/* The aggregations a printa() names, valid until the next call. */
const int64_t *dt_statement_ids(struct dt_statements *, const struct dt_rec *, size_t n);
/* The bytes of tracemem() or printm(). False: the record does not hold what it says. */
bool dt_rec_memory(const struct dt_rec *, size_t n, const void **bytes, size_t *len);
/*
 * For `text` of the rows: actions whose values are shown one after the other; actions that have been
 * done in the kernel.
 */
void dt_statement_values(struct dt_statements *, const struct dt_rec *, size_t n);
void dt_statement_other(struct dt_statements *, const struct dt_rec *, size_t n);

#endif
