/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recording of the current trace (doc/RECORDING.md) for any number of pages. Blocks in, the bytes of a
 * stream out. Definitions are kept as long as the trace, of the other blocks the newest BLOCKS_MOMENTS bytes.
 * A page that reads slowly misses blocks, and the stream says so; it never makes the tracer or others wait.
 */
#ifndef DT_CMD_WEB_BLOCKS_H
#define DT_CMD_WEB_BLOCKS_H

#include "items.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

#define BLOCKS_MOMENTS (32u << 20)
#define BLOCKS_KEPT (64u << 20)

struct blocks {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned trace;			/* counts traces; 0: there was none */
	struct items kept, moments;
	size_t most_kept, most_moments;	/* bytes of them */
	uint64_t lost;			/* definitions that were too many */
	bool over, closing;		/* no more blocks come; readers come to an end */
};

struct blocks_reader {
	unsigned trace;
	bool begun;			/* the mark was read */
	size_t kept, moment;		/* how far it has read */
	uint64_t lost;			/* the trace's `lost` when the reader last got an M block */
	char *bytes;
	size_t len, at;
};

/* A stream that is cut into blocks: what of the next one is here. */
struct blocks_input {
	char *bytes;
	size_t len, cap;
	bool begun, bad;		/* its mark was read; it is no recording */
};

void blocks_open(struct blocks *);
/* Other bounds than BLOCKS_MOMENTS and BLOCKS_KEPT. */
void blocks_limit(struct blocks *, size_t moments, size_t kept);
void blocks_close(struct blocks *);	/* no reader may be left */
/* A trace begins: blocks of the one before are forgotten. */
void blocks_begin(struct blocks *, unsigned trace);
/* One block, with its letter and length. */
void blocks_add(struct blocks *, const char *, size_t len);
void blocks_end(struct blocks *);	/* of the trace */
void blocks_stop(struct blocks *);	/* of all readers */
/* A reader of this trace; false: it is not the current one. 0 means the current one, if there is one. */
bool blocks_join(struct blocks *, struct blocks_reader *, unsigned trace);
/* Bytes for the reader, at most `max`; waits some seconds for them. -1: the end. */
ssize_t blocks_read(struct blocks *, struct blocks_reader *, char *, size_t max);
void blocks_leave(struct blocks_reader *);
/*
 * Bytes of a stream, in pieces of any size. False: it is not a recording, or a block is larger than all that
 * may be kept; the rest is ignored.
 */
bool blocks_feed(struct blocks *, struct blocks_input *, const char *, size_t len);
void blocks_input_free(struct blocks_input *);
/*
 * Copies a stream from a descriptor, block by block, until the stream ends or is not a recording; closes the
 * descriptor.
 */
void blocks_copy(struct blocks *, int fd);

#endif
