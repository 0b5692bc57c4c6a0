/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connections, and who of them has shown the token. Anybody on the machine may connect: of more than
 * MOST_STRANGERS the one that has been there longest is shut, so that those who wait for nothing, or send a
 * byte now and then, keep nobody out. Whoever has shown the token stays.
 */
#ifndef DT_CMD_WEB_GUESTS_H
#define DT_CMD_WEB_GUESTS_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { MOST_KNOWN = 64, MOST_STRANGERS = 32, MOST_GUESTS = MOST_KNOWN + 2 * MOST_STRANGERS };

struct guest { int fd; uint64_t number; bool here, known, shut; };	/* number: counts those that came */

struct guests {
	pthread_mutex_t lock;
	uint64_t came;
	struct guest v[MOST_GUESTS];
};

void guests_open(struct guests *);
void guests_close(struct guests *);
/* For MHD_OPTION_NOTIFY_CONNECTION. */
void guests_notify(void *guests, struct MHD_Connection *, void **guest, enum MHD_ConnectionNotificationCode);
/* The connection has shown the token. False: too many have. */
bool guests_know(struct guests *, struct MHD_Connection *);

#endif
