/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests of OTLP over HTTP, by a queue (queue.h). There is no TLS: a collector elsewhere is reached through
 * one, or a proxy, on this machine.
 */
#ifndef DT_CMD_FLEET_POST_H
#define DT_CMD_FLEET_POST_H

#include "queue.h"

struct post;

/* NULL after a message that begins with `who`. url: http://HOST[:PORT][/PATH], to which /v1/… is added. */
/* profiles: version of the OTLP profiles, which only User-Agent tells the collector; NULL: none. */
struct post *post_open(const char *url, const char *who, const char *profiles);
/* path: "/v1/metrics" and the like, a constant. The bytes are copied. */
void post_put(struct post *, const char *path, const void *, size_t len);
struct queue_counts post_count(struct post *);
/* Waits for at most `seconds` until all is sent. */
void post_close(struct post *, int seconds);

#endif
