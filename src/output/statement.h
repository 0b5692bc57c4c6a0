/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recorded actions of a clause as what a person sees: printf, trace, printa, print … The records
 * are split into statements; each statement is printed, or done (clear, trunc, normalize, setopt …) by
 * whoever holds the aggregations.
 */
#ifndef DT_OUTPUT_STATEMENT_H
#define DT_OUTPUT_STATEMENT_H

#include "dif/action.h"
#include "output/format.h"
#include "output/print.h"

#include "base/map.h"

struct dt_rec {				/* what one action recorded; len 0: nothing */
	const struct dt_act *act;
	const void *data;
	size_t len;
};

/* Things to do that are not text. Any may be NULL: nothing happens then. */
struct dt_statement_ops {
	void *ctx;
	/*
	 * The elements of one aggregation, or of several joined by key, sorted; valid until the next
	 * call. They count as printed.
	 */
	struct dt_aggrow *(*rows)(void *ctx, const int64_t *ids, uint32_t nids, size_t *n);
	void (*clear)(void *ctx, int64_t id);
	void (*trunc)(void *ctx, int64_t id, int64_t n);
	void (*normalize)(void *ctx, int64_t id, int64_t normal);	/* 1: denormalize */
	void (*setopt)(void *ctx, const char *name, const char *value);
	void (*system)(void *ctx, const char *command);
	void (*freopen)(void *ctx, const char *name);
	void (*ftruncate)(void *ctx);
	void (*exit)(void *ctx, int status);
	const struct dt_type *(*type)(void *ctx, const char *name);	/* for print() */
	/* stop, raise, chill: done already in the kernel; a tool may want to tell */
	void (*other)(void *ctx, const struct dt_rec *);
};

struct dt_statements {
	struct dt_out *out;
	struct dt_statement_ops ops;
	struct dt_arena *arena;		/* parsed formats live in it */
	struct dt_map formats;		/* by text */
	const char *last_text;		/* the format used last, which as a rule is the next one's too */
	struct dt_format *last;
	DT_VEC(int64_t) ids;		/* of the printa() in hand */
};

void dt_statements_init(struct dt_statements *, struct dt_arena *, struct dt_out *,
    const struct dt_statement_ops *);
/*
 * Whether anything was recorded: a clause whose recording actions all stand in branches not taken shows
 * nothing.
 */
bool dt_statements_any(const struct dt_rec *, size_t n);
/*
 * All records of one firing of a clause, one for each action, in order; skipped branches are left out
 * here.
 */
void dt_statements_print(struct dt_statements *, const struct dt_rec *, size_t n);
/*
 * The same cut into statements, for another sink: how many records the next one has, the first of which
 * is then *at; 0: there is none.
 */
size_t dt_statement_next(const struct dt_rec *, size_t n, size_t *at);
bool dt_statement_tells(const struct dt_act *);	/* the action leaves something for a consumer */
void dt_statement_do(struct dt_statements *, const struct dt_rec *, size_t n);	/* prints or does one */
/*
 * The text of a printf() or its kin; its parsed format (NULL: a bad one); whether the first record
 * holds no argument.
 */
void dt_statement_text(struct dt_statements *, struct dt_out *, const struct dt_rec *, size_t n);
struct dt_format *dt_statement_format(struct dt_statements *, const char *text);
bool dt_statement_bare(const struct dt_rec *);
/* The integer an action recorded; the bytes of tracemem() or printm(), false: none. */
int64_t dt_rec_int(const struct dt_rec *);
/* The aggregations a printa() names, valid until the next call. */
const int64_t *dt_statement_ids(struct dt_statements *, const struct dt_rec *, size_t n);
bool dt_rec_memory(const struct dt_rec *, size_t n, const void **bytes, size_t *len);
/*
 * text of the rows whose values are shown one after the other; of those that did what they do in the
 * kernel
 */
void dt_statement_values(struct dt_statements *, const struct dt_rec *, size_t n);
void dt_statement_other(struct dt_statements *, const struct dt_rec *, size_t n);

#endif
