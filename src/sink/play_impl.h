/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of a player share: sink_play.c reads blocks, play_aggs.c aggregations, player.c
 * has names and the life of a player.
 */
#ifndef DT_SINK_PLAY_IMPL_H
#define DT_SINK_PLAY_IMPL_H

#include "base/map.h"
#include "sink/recording.h"

#include <setjmp.h>

struct dt_play_in { const uint8_t *p; size_t left; bool bad; };	/* bad: it was shorter than it said */

struct dt_play_probe { dtrace_probedesc_t desc; };

struct dt_play_key {			/* of snapshots */
	uint32_t number;
	bool present;
	const struct dt_value *keys;
	struct dt_value val;
	int64_t *words;			/* of val */
};

struct dt_play_agg {
	int64_t id;
	const char *name;
	uint16_t kind;
	uint64_t arg;
	uint32_t nkeys, nnumbers;
	struct dt_loc *keys;
	DT_VEC(struct dt_play_key *) elems;	/* by number, ascending; only for sinks that want snapshots */
};

struct dt_player {
	struct dt_play *play;
	char *why;
	struct dt_arena *arena;		/* of the whole play */
	struct dt_arena *once, *spare;	/* of a block; of blocks while elements wait for their firing */
	struct dt_sink_env env;
	struct dt_sink *sink;		/* from the start on */
	struct dt_statements statements;
	DT_VEC(struct dt_prog *) programs;
	struct dt_map probes, aggs, symbols;
	DT_VEC(struct dt_sink_aggs) rows;	/* that the next firing shows */
	size_t nextrows;
	const char *host;		/* its name */
	DT_VEC(const char *) sources;	/* of programs */
	uint64_t now, skew;		/* monotonic time of the block in hand; wall - monotonic */
	uint64_t nwords;		/* of the block in hand, expanded */
	uint64_t nkept;			/* words of the state of snapshots */
	bool text, failed;
	bool begun, hosted;		/* the mark, the host were read */
	uint8_t last;			/* byte of text that a terminal got */
	/* a piece of the stream that is not complete */
	uint8_t *pending;
	size_t npending, room;
};

int dt_play_bad(struct dt_player *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
uint32_t dt_play_u32(struct dt_play_in *);
uint64_t dt_play_u64(struct dt_play_in *);
uint32_t dt_play_count(struct dt_play_in *, size_t least);
const char *dt_play_text(struct dt_play_in *, struct dt_arena *);
const char *dt_play_name(struct dt_play_in *, struct dt_arena *);
const void *dt_play_aligned(struct dt_play_in *, struct dt_arena *, size_t *n);
struct dt_loc dt_play_place(struct dt_player *, const char *text);
/* The bytes of the mark; those of a block. */
int dt_play_mark(struct dt_player *, const uint8_t *, size_t n);
int dt_play_block(struct dt_player *, const uint8_t *, size_t n);

int dt_play_symbol(struct dt_player *, struct dt_play_in *);
int dt_play_aggname(struct dt_player *, struct dt_play_in *);
int dt_play_shown(struct dt_player *, struct dt_play_in *);
int dt_play_aggregation(struct dt_player *, struct dt_play_in *);
int dt_play_key(struct dt_player *, struct dt_play_in *);
int dt_play_snapshot(struct dt_player *, struct dt_play_in *);

/* player.c: for sinks and printa() */
const char *dt_play_aggtitle(void *player, int64_t id);
struct dt_loc dt_play_aggkey(void *player, int64_t id, uint32_t k);
struct dt_aggrow *dt_play_rows(void *player, const int64_t *ids, uint32_t nids, size_t *n);

#endif
