/* SPDX-License-Identifier: BSD-2-Clause */
/* One run of a program in one executor: what the files of this tool share. */
#ifndef DIFRUN_RUN_H
#define DIFRUN_RUN_H

#include "dtrace.h"

#include "dif/builtin.h"
#include "handle/handle.h"
#include "output/format.h"
#include "output/print.h"
#include "value/value_record.h"
#include "output/statement.h"

#include "firing.h"
#include "kernel.h"

#define MAX_WORDS 256

struct aggstate {			/* what printa(), clear() … did to an aggregation */
	int64_t normal;
	bool printed;
};

struct elem {				/* one element of a snapshot */
	const struct dt_aggvar *var;
	struct dt_aggrow row;
	int64_t *live;			/* the interpreter's own words */
	const void *key;
	size_t keylen;
};

struct run {
	struct dt_arena *arena;
	dtrace_hdl_t *hdl;
	const struct dt_prog *prog;
	struct dt_interp *interp;
	struct kernel *kernel;			/* in place of it */
	struct places *places;			/* what is told is made real; NULL: all is as told */
	FILE *to;
	long shown;				/* how much of it dtrace would print */
	/* drops and variables, to be sorted: executors have no order for them */
	DT_VEC(char *) lines;
	struct dt_interp_opts iopts;
	struct dt_print_opts popts;
	struct dt_out out;
	struct firings in;
	DT_VEC(struct dt_rec) recs;		/* of the clause in hand */
	struct dt_statements statements;
	DT_VEC(struct elem) snap;
	DT_VEC(struct elem) removed;		/* by trunc(): hidden until they count again */
	struct aggstate *aggs;			/* by aggregation id */
	const struct dt_context *firing, *clause;
	int status;
	bool show_vars;
	int argc;
	char *argv[MAX_WORDS];
};

/* aggs.c: the operations of statements on aggregations */
bool run_option_on(struct run *, const char *name);
struct dt_aggrow *run_rows(void *ctx, const int64_t *ids, uint32_t nids, size_t *n);
void run_clear(void *ctx, int64_t id);
void run_trunc(void *ctx, int64_t id, int64_t n);
void run_normalize(void *ctx, int64_t id, int64_t normal);
void run_print_rest(struct run *);		/* what no printa() showed */

/* tell.c: what to call for records, faults and drops, and for statements */
struct dt_interp_sink run_sink(struct run *);
struct dt_statement_ops run_statement_ops(struct run *);

/* vars.c: the variables at the end; and r->lines, sorted, which are then empty */
void run_put_vars(struct run *);
void run_put_lines(struct run *);

#endif
