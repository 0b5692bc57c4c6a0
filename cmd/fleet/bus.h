/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bus, NATS by libnats, as a queue of messages and a descriptor to wait for: no other file knows the
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
/* What the server or the library has complained of since the last call: "" nothing. */
void bus_trouble(struct bus *, char *text, size_t len);
/* The connection is gone for good: the server refuses us. */
bool bus_closed(const struct bus *);
void bus_close(struct bus *);

#endif
