/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages that a thread of its own sends one after the other: requests of OTLP, pieces of a history. The
 * queue is bounded, in bytes and messages; when it is full the oldest is dropped and counted. What cannot be
 * taken now is sent again, after a back-off.
 */
#ifndef DT_CMD_FLEET_QUEUE_H
#define DT_CMD_FLEET_QUEUE_H

#include <stddef.h>
#include <stdint.h>

enum outcome { SENT, REFUSED, AGAIN };

struct queue;
struct queue_counts { uint64_t sent, retried, dropped, refused, waiting; };
struct queue_kind {
	const char *who, *what;		/* messages begin with them: "dtraced", "otlp" */
	const char *where;		/* "the collector at …" */
	size_t most, bytes;		/* that may wait */
	/* Called by the thread. *after: seconds to wait at least before the next try. */
	enum outcome (*send)(void *ctx, const char *to, const char *bytes, size_t len, int *after);
	void *ctx;
};

/* NULL after a message. */
struct queue *queue_open(const struct queue_kind *);
/* Both are copied. */
void queue_put(struct queue *, const char *to, const void *bytes, size_t len);
struct queue_counts queue_count(struct queue *);
/* Waits for at most `seconds` until all is sent. */
void queue_close(struct queue *, int seconds);

#endif
