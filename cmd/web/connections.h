/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All connections, and which of them have shown the token. Any process of the machine may connect: beyond
 * MAX_UNAUTHENTICATED the oldest connection that has not shown the token is closed, so clients that send
 * nothing, or a byte now and then, keep no other out. One that has shown the token stays.
 */
#ifndef DT_CMD_WEB_CONNECTIONS_H
#define DT_CMD_WEB_CONNECTIONS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	MAX_AUTHENTICATED = 64,
	MAX_UNAUTHENTICATED = 32,
	MAX_CONNECTIONS = MAX_AUTHENTICATED + 2 * MAX_UNAUTHENTICATED,
};

/* The number counts connections. */
struct place { int fd; uint64_t number; bool used, authenticated, closed; };

struct connections {
	pthread_mutex_t lock;
	pthread_cond_t removed;
	uint64_t count;
	struct place v[MAX_CONNECTIONS];
};

void connections_open(struct connections *);
void connections_close(struct connections *);
/* A new connection. NULL: there is no place for it; the descriptor stays the caller's. */
struct place *connections_add(struct connections *, int fd);
/* Called before the descriptor is closed: its number will be that of another. */
void connections_remove(struct connections *, struct place *);
/* The connection has shown the token. False: too many have. */
bool connections_authenticate(struct connections *, struct place *);
/* Shuts all of them down, and waits until they are removed. */
void connections_end(struct connections *);

#endif
