/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bus, NATS by libnats, as a queue of messages and a descriptor to wait for: no files but bus*.c know the
 * library, and none of its threads runs code of others. Subjects are checked here, because the library writes
 * any text.
 */
#ifndef DT_CMD_FLEET_BUS_H
#define DT_CMD_FLEET_BUS_H

#include "settings.h"

struct bus;
struct bus_message { struct bus_message *next; char *subject, *bytes; size_t len; };

/* NULL after a message that begins with `who`. `waits`: it is no error if the bus is not there yet. */
struct bus *bus_open(const struct settings *, const char *who, bool waits);
/* Readable when there is something to take, or the state has changed. */
int bus_fd(const struct bus *);
/* 0, or -1: the subject is wrong, or the bus refuses. The server may still refuse it (bus_trouble()). */
int bus_subscribe(struct bus *, const char *subject);
int bus_send(struct bus *, const char *subject, const void *, size_t len);
/* What was sent has reached the server. */
bool bus_flush(struct bus *);
/* The next message, which the caller frees by bus_free(). NULL: no message is waiting. */
struct bus_message *bus_take(struct bus *);
void bus_free(struct bus_message *);
/* How often the connection was lost; messages that were thrown away because too many waited. */
unsigned bus_losses(const struct bus *);
unsigned long bus_dropped(const struct bus *);
/* ---- what the bus keeps: a stream of JetStream (bus_store.c) ---- */

enum { STORE_WHY = 512 };
struct bus_store {
	struct bus *bus;
	const char *stream;		/* its name */
	long hours, mib;		/* what it keeps at most, where we make it; the oldest is discarded */
	bool made;
};

/* Waits for the server: the message was stored, or was there. False: `why` says why not, and what helps. */
bool bus_store(struct bus_store *, const char *subject, const char *id, const void *, size_t len, char *why);

struct bus_past;			/* what a stream has */
struct bus_stored { struct bus_message *message; uint64_t time; bool last; };	/* time: ns since 1970 */
struct bus_past *bus_past_open(struct bus *, const char *stream, char *why);	/* NULL: `why` says why */
/* What was stored from that time on (ns since 1970), of subjects that match. False: `why` */
bool bus_past_read(struct bus_past *, const char *subject, uint64_t since, char *why);
uint64_t bus_past_begin(const struct bus_past *);	/* when its oldest was stored; 0: it has none */
const char *bus_past_subject(const struct bus_past *, int i);	/* that there are; NULL: no i-th */
/* 1: the next one, whose message the caller frees; 0: there are no more; -1: `why` */
int bus_past_next(struct bus_past *, struct bus_stored *, char *why);
void bus_past_close(struct bus_past *);

/* What the server or the library has complained of since the last call: "" nothing. */
void bus_trouble(struct bus *, char *text, size_t len);
/* The connection is gone for good: the server refuses us. */
bool bus_closed(const struct bus *);
void bus_close(struct bus *);

#endif
