/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings of several hosts in, as they arrive; one recording out, as if one machine had made it. Firings
 * are put in the order of one clock. A printa() in BEGIN, END or a tick- probe is one firing of all hosts,
 * whose elements are merged as those of CPUs are; so are the aggregations that are left at the end. Addresses
 * are matched by their names, probes by theirs.
 *
 * Sources are untrusted: each is read by a player of its own (sink_play.c), and one that is wrong ends alone.
 */
#ifndef DT_SINK_MERGE_H
#define DT_SINK_MERGE_H

#include "sink/recording.h"

struct dt_merge;
struct dt_merge_source;

struct dt_merge_how {
	struct dt_aggorder order;
	bool passes;			/* for another merge, which cuts what trunc() cuts */
	uint64_t interval;		/* regular snapshots are merged as often (ns); 0: they are left out */
	/*
	 * Sources are pieces of the past of several hosts, each fed as a whole before the next is added.
	 * Their times become wall time; a printa() is of its host alone; what each counted is added up.
	 */
	bool past;
};

/* Writes to the descriptor, which is not closed before `dt_merge_close`; `why` has DT_SINK_WHY bytes. */
struct dt_merge *dt_merge_open(int fd, const struct dt_merge_how *, char *why);
/*
 * Times of the source less `offset` are ours. NULL: out of memory. The name is copied; it is empty if the
 * source is a merge itself, whose texts name hosts.
 */
struct dt_merge_source *dt_merge_add(struct dt_merge *, const char *name, int64_t offset);
/* 0, or -1: the source has ended by an error, which dt_merge_source_why() says. */
int dt_merge_feed(struct dt_merge *, struct dt_merge_source *, const void *, size_t n);
/* Nothing of the source is older than that (its own clock): what is older can be written. */
void dt_merge_time(struct dt_merge *, struct dt_merge_source *, uint64_t time);
/* It is gone without its end: what waits for it waits no longer, and its aggregations do not count. */
void dt_merge_leave(struct dt_merge *, struct dt_merge_source *);
const char *dt_merge_source_why(const struct dt_merge_source *);
bool dt_merge_source_ended(const struct dt_merge_source *, bool *exited);
/* Firings that came after later ones were written; printa()s that a source was missing in. */
void dt_merge_counts(const struct dt_merge *, uint64_t *late, uint64_t *missing);
/* Why the whole cannot go on: "" if nothing stands in its way. */
const char *dt_merge_why(const struct dt_merge *);
/* Writes what is left and the end. 0, or -1 if the recording could not be written. Frees everything. */
int dt_merge_close(struct dt_merge *);

#endif
