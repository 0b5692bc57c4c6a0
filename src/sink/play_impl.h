/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of a player share: play.c reads blocks, play_aggs.c has aggregations, names and the life. */
#ifndef DT_SINK_PLAY_IMPL_H
#define DT_SINK_PLAY_IMPL_H

#include "base/map.h"
#include "sink/recording.h"

#include <setjmp.h>

struct dt_play_in { const uint8_t *p; size_t left; bool bad; };	/* bad: it was shorter than it said */

struct dt_play_probe { dtrace_probedesc_t desc; };

struct dt_play_agg {
	int64_t id;
	const char *name;
	uint16_t kind;
	uint64_t arg;
	uint32_t nkeys;
	struct dt_loc *keys;
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
	uint64_t now;
	bool text, ended;
	uint8_t last;			/* byte of text that a terminal got */
};

int dt_play_bad(struct dt_player *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const uint8_t *dt_play_take(struct dt_play_in *, size_t n);
uint32_t dt_play_u32(struct dt_play_in *);
uint64_t dt_play_u64(struct dt_play_in *);
uint32_t dt_play_count(struct dt_play_in *, size_t least);
const char *dt_play_text(struct dt_play_in *, struct dt_arena *);
const char *dt_play_name(struct dt_play_in *, struct dt_arena *);
const void *dt_play_aligned(struct dt_play_in *, struct dt_arena *, size_t *n);
struct dt_loc dt_play_place(struct dt_player *, const char *text);
int dt_play_blocks(struct dt_player *);

int dt_play_symbol(struct dt_player *, struct dt_play_in *);
int dt_play_aggname(struct dt_player *, struct dt_play_in *);
int dt_play_shown(struct dt_player *, struct dt_play_in *);
int dt_play_aggregation(struct dt_player *, struct dt_play_in *);
int dt_play_snapshot(struct dt_player *, struct dt_play_in *);

#endif
