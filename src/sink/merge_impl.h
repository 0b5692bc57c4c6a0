/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of a merge share: merge.c has sources and order, merge_aggs.c rows of elements and names. */
#ifndef DT_SINK_MERGE_IMPL_H
#define DT_SINK_MERGE_IMPL_H

#include "base/map.h"
#include "sink/keys.h"
#include "sink/merge.h"

#include <setjmp.h>

enum { MERGE_NAME = 64, MERGE_TABLES = 32, MERGE_DROPS = DTRACEDROP_DBLERROR + 1 };

/* Elements of one printa(), or of one aggregation at the end, merged so far. */
struct merge_table {
	int64_t ids[8];
	uint32_t nids;
	struct dt_keys keys;
	DT_VEC(struct dt_aggrow) rows;
};

struct merge_snapshot { struct dt_arena *arena; struct merge_table table; };

struct merge_event {			/* a firing that waits for its turn */
	struct dt_arena *arena;
	uint64_t time, number;		/* number: of arrival, for equal times */
	const struct dt_ecb *ecb;
	dtrace_probedesc_t probe;
	dtrace_probedata_t data;
	dtrace_eprobedesc_t edesc;
	struct dt_rec *recs;
	size_t n;
	bool flow;
	struct merge_table *table;	/* of its printa()s, in order */
	uint32_t ntables, given;
	const char *message;		/* an error instead of a firing */
	dtrace_errdata_t error;
	bool has_addr;
};

struct merge_round {			/* a firing of all hosts that is not complete yet */
	struct merge_event *event;
	size_t sources;			/* how many there were when it began */
	size_t first;			/* of them: those before it are in it or gone */
	DT_VEC(bool) from;		/* by number of the source: it is in it */
};

struct dt_merge_source {
	struct dt_merge *m;
	char name[MERGE_NAME];		/* empty: it is made of several, which its texts name */
	size_t number;			/* among the sources */
	int64_t offset;
	struct dt_play play;
	struct dt_print_opts opts;
	struct dt_out out;
	struct dt_player *player;
	const struct dt_prog *const *programs;
	uint32_t nprograms;
	struct dt_map probes;		/* its ids, as text -> ours */
	uint64_t seen;			/* our time; nothing older comes */
	bool started, ended, exited, gone;
	int status;
	DT_VEC(struct merge_table *) last;	/* what it shows at its end */
	DT_VEC(struct merge_snapshot *) snapshots;	/* the last, of each aggregation */
	char why[DT_SINK_WHY];
};

struct dt_merge {
	struct dt_arena *arena, *spare;
	struct dt_print_opts opts;	/* of what is written: names of `names` */
	struct dt_out out;
	struct dt_statements statements;
	struct dt_sink_env env;
	struct dt_sink_caller caller;
	struct dt_sink *sink;		/* the recorder */
	struct dt_aggorder order;
	struct dt_merge_source *first;	/* whose programs and clauses are written */
	DT_VEC(struct dt_merge_source *) sources;
	DT_VEC(struct merge_event *) heap;
	DT_VEC(struct merge_round *) rounds;
	struct dt_map probes, ids;	/* name -> id, id -> name */
	struct dt_map names, places;	/* kind, address -> name; kind, name -> address */
	struct dt_map aggs;		/* id -> struct merge_agg */
	uint64_t interval;		/* of regular snapshots; 0: there are none */
	uint64_t snapped;		/* when the last was written */
	bool fresh;			/* a source has given one since */
	bool passes;			/* it will be merged with others: nothing is cut off */
	uint64_t passed;		/* what was last said of the order */
	struct merge_event *doing;	/* the firing that is written */
	uint64_t now, next, late, missing;
	uint64_t dropped[MERGE_DROPS];	/* of each kind, so far */
	uint64_t written;		/* time of the last firing */
	char why[DT_SINK_WHY];
	jmp_buf oom;
};

struct merge_agg { const char *name; struct dt_loc *keys; uint32_t nkeys; int64_t keep; bool cut; };

/* merge.c */
void merge_push(struct dt_merge *, struct merge_event *);
void merge_free_event(struct merge_event *);

/* merge_source.c */
extern const struct dt_sink_type merge_source_sink;
extern const struct dt_sink_type merge_snapshot_sink;	/* with regular snapshots */
uint64_t merge_our_time(const struct dt_merge_source *, uint64_t);
bool merge_took_part(const struct merge_round *, const struct dt_merge_source *);
/* Rounds that are complete become events. */
void merge_end_rounds(struct dt_merge *);

/* merge_snaps.c */
/* The table of a new snapshot of the source, empty, and where its rows go. */
struct merge_table *merge_new_snapshot(struct dt_merge_source *, int64_t id, struct dt_arena **);
void merge_free_snapshots(struct dt_merge_source *);
/* The tables of a source as it is known last; NULL: it has no i-th. */
struct merge_table *merge_table_of(struct dt_merge_source *, size_t i);
/* The sum of all, if it is time. */
void merge_write_snapshots(struct dt_merge *);

/* merge_aggs.c */
bool merge_symbolize(void *merge, enum dt_symkind, uint32_t pid, uint64_t addr, char *buf, size_t len);
/* The value with addresses of ours, copied to the arena; `from` names its addresses. */
void merge_value(struct dt_merge_source *from, struct dt_arena *, struct dt_value *);
void merge_record(struct dt_merge_source *from, struct dt_rec *);
/* Adds rows of a source to the table, as the aggregating functions merge. False: they do not fit. */
bool merge_rows(struct dt_merge_source *from, struct dt_arena *, struct merge_table *,
    const struct dt_aggrow *, size_t n);
bool merge_tables(struct dt_merge *, struct dt_arena *, struct merge_table *to, const struct merge_table *);
/* Sorted, and cut as trunc() has asked for. */
struct dt_aggrow *merge_sorted(struct dt_merge *, struct merge_table *, size_t *n);
struct merge_agg *merge_agg_of(struct dt_merge *, int64_t id);

#endif
