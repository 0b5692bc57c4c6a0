/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of a recorder share: sink_record.c has the sink, the others its parts. */
#ifndef DT_SINK_RECORD_IMPL_H
#define DT_SINK_RECORD_IMPL_H

#include "base/map.h"
#include "sink/block.h"
#include "sink/keys.h"
#include "sink/recording.h"

struct dt_record_agg {
	int64_t id;
	struct dt_keys keys;
	uint32_t round;			/* snapshots so far */
};

struct dt_record {
	struct dt_sink sink;
	struct dt_blocks blocks;
	struct dt_out block, inner, one;	/* the block in hand, one that must precede it, and a text */
	/* what the stream has: names of addresses, aggregations, probes, by numbers as text */
	struct dt_map symbols, aggs, probes;
	const struct dt_prog *const *programs;
	uint32_t nprograms;
	int64_t skew;			/* wall - monotonic, as it was written last */
	/* a limit for firings; the second that is counted in */
	uint64_t second, firings, bytes, errors;
	uint64_t left_firings, left_errors;	/* that no M block has counted yet */
	bool leaving;			/* the firing in hand is over the limit */
	struct dt_out text;		/* that the firing in hand has printed */
};

/* Asks for the names of a value's addresses, so that the stream has them. */
void dt_record_name(struct dt_record *, const struct dt_value *);
/* What the program calls a value. */
void dt_record_source(struct dt_record *, struct dt_out *to, struct dt_loc);

/* record_programs.c; dt_record_clause() puts the numbers of a program and of a clause in it. */
void dt_record_start(struct dt_sink *, const struct dt_sink_start *);
void dt_record_enabled(struct dt_sink *, const struct dt_sink_clause *);
void dt_record_clause(struct dt_record *, struct dt_out *, const struct dt_ecb *);

/* A firing without the text that it shows. */
void dt_record_firing(struct dt_sink *, const struct dt_sink_event *);

/* record_aggs.c */
void dt_record_shown(struct dt_sink *, const struct dt_sink_aggs *);
void dt_record_snapshot(struct dt_sink *, const struct dt_sink_aggs *);
void dt_record_aggregation(struct dt_record *, const struct dt_sink_aggs *);
void dt_record_aggs_free(struct dt_record *);

#endif
