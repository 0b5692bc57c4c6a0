/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to src/replay: the engine, and what it holds until a consumer takes it (store.c). */
#ifndef DT_REPLAY_REPLAY_IMPL_H
#define DT_REPLAY_REPLAY_IMPL_H

#include "bpf/image.h"
#include "engine/engine.h"
#include "interp/interp.h"
#include "replay/events.h"

struct replay_part;

struct replay {
	struct dt_engine engine;	/* first: pointers to it are cast back */
	const struct dt_plan *plan;
	struct dt_image *image;		/* for its layouts */
	struct dt_interp *interp;	/* NULL: there is no program */
	uint32_t *ids;			/* by probe of the file: its number here, 0: not enabled */
	struct dt_control *control;	/* with the words of speculations after it */
	struct dt_drops drops;
	int fd;				/* always readable: there is always something to do */
	size_t next;			/* event */
	uint64_t began, now;		/* times of events */
	int failed;			/* -errno of what could not be stored */

	const struct dt_context *context;	/* being fired; NULL none */
	/* the record of the clause that is being reported: a header, and the layout's bytes */
	uint8_t *rec;
	size_t rec_size, rec_room;
	uint32_t epid;			/* 0: the clause records nothing */
	/* records: a word with the length, then the record, 8-aligned; positions count all bytes ever */
	uint8_t *ring;
	size_t ring_len, ring_room;
	uint64_t ring_base;		/* position of ring[0] */
	uint64_t released;		/* up to here */
	uint64_t gen;			/* of aggregations: the number of the one that firings add to */
	bool moments;			/* a clause has closed one since the last take */
	struct replay_part *parts;	/* of closed ones */
};

void dt_replay_forget(struct replay *);		/* frees the parts */

/* What the interpreter reports (struct dt_interp_sink); ctx is the engine. */
void dt_replay_begin(void *ctx, const struct dt_ecb *, uint32_t epid, const struct dt_context *);
void dt_replay_record(void *ctx, const struct dt_ecb *, uint32_t act, const void *data, size_t len);
void dt_replay_end(void *ctx, const struct dt_ecb *, bool faulted);
void dt_replay_fault(void *ctx, const struct dt_ecb *, uint32_t epid, int act, int offset, enum dt_fault,
    uint64_t addr);
void dt_replay_drop(void *ctx, const char *kind);

/* Functions of the engine. */
uint32_t dt_replay_rings(struct dt_engine *);
int dt_replay_ring_cpu(const struct dt_engine *, uint32_t ring);
uint64_t dt_replay_room(struct dt_engine *);
uint64_t dt_replay_range(struct dt_engine *, uint32_t ring, uint64_t *end);
int dt_replay_next(struct dt_engine *, uint32_t ring, uint64_t *pos, uint64_t end, const void **rec,
    size_t *len);
void dt_replay_release(struct dt_engine *, uint32_t ring, uint64_t pos);
int dt_replay_drain(struct dt_engine *, uint32_t ring, dt_ring_f *, void *ctx);
int dt_replay_take(struct dt_engine *, struct dt_taken *, dt_aggcell_f *, void *ctx);
bool dt_replay_moments(const struct dt_engine *);

#endif
