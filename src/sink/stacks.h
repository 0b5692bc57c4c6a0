/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks with what was counted for them, for the formats that show them all at the end: folded, flame, pprof.
 * They come from aggregations with stack() or ustack() among their keys, and from firings that record a
 * stack, which count one each.
 */
#ifndef DT_SINK_STACKS_H
#define DT_SINK_STACKS_H

#include "base/map.h"
#include "sink/messages.h"

#define DT_STACK_KERNEL "_[k]"	/* ends frames of the kernel */

struct dt_stack {
	/*
	 * Root first, joined by semicolons: the other keys, frames of the process, frames of the kernel
	 * (DT_STACK_KERNEL). No frame holds a semicolon, a control character or bytes that are not UTF-8.
	 */
	const char *path;
	uint32_t source;		/* of dt_stacks.sources */
	int64_t before, now;		/* up to the last clear(), and since */
	int64_t last;			/* what it showed the time before */
	uint64_t print;			/* the last print it was in */
	int64_t kept;			/* the part of `now` that the current trunc() has left */
	uint32_t line;			/* of what dt_stacks_fold() has written, from 0 */
};

struct dt_stack_sample { uint64_t time; struct dt_stack *stack; uint32_t cpu; };	/* of a firing */

enum { DT_STACK_SAMPLES = 1 << 20 };	/* that are kept: further ones only count */

/* id -1: firings; print: the last one that contained it */
struct dt_stack_source { int64_t id; const char *name; uint16_t aggkind; uint64_t print; };

struct dt_stacks {
	struct dt_sink sink;
	DT_VEC(struct dt_stack_source) sources;
	DT_VEC(struct dt_stack *) list;	/* in the order they came */
	bool times;			/* the format wants `samples` */
	bool quiet;			/* no message about elements without a stack */
	DT_VEC(struct dt_stack_sample) samples;	/* in the order they came */
	struct dt_map by_path;		/* "source path" → struct dt_stack */
	/* of the firing in hand, and of an element that it prints */
	struct dt_stack_path { struct dt_out keys, user, kernel; bool has_stack; } firing, element;
	struct dt_out one;		/* the frame or the key of the map in hand */
	uint64_t print;			/* counts them */
};

static inline int64_t dt_stack_count(const struct dt_stack *s) { return s->before + s->now; }

/* Members of struct dt_sink_type for such a format; it adds `end`. */
int dt_stacks_open(struct dt_sink *);
void dt_stacks_close(struct dt_sink *);
int dt_stacks_event(struct dt_sink *, const struct dt_sink_event *);
int dt_stacks_aggregation(struct dt_sink *, const struct dt_sink_aggs *);

/* The parts of dt_stacks_event(), for callers that feed several formats from one firing. */
void dt_stacks_begin(struct dt_stacks *);
void dt_stacks_value(struct dt_stacks *, const struct dt_act *, const struct dt_value *);
void dt_stacks_end(struct dt_stacks *, const struct dt_sink_event *);
void dt_stacks_cleared(struct dt_stacks *, int64_t id);
void dt_stacks_truncated(struct dt_stacks *, const struct dt_sink_aggs *left);
/*
 * Set all counts to 0. Stacks that are no longer in an aggregation are removed; the others move to the new
 * arena, so that the old one can be freed.
 */
void dt_stacks_renew(struct dt_stacks *, struct dt_arena *);

/* By path, then by source: files of the same stacks are the same. */
void dt_stacks_sort(struct dt_stacks *);
/* All of them as lines of "path count"; with several sources the first frame is "@name" (folded.c). */
void dt_stacks_fold(struct dt_stacks *, struct dt_out *);

#endif
