/* SPDX-License-Identifier: BSD-2-Clause */
/* The server: one trace at a time, any number of pages that look at it. */
#ifndef DT_CMD_WEB_SERVER_H
#define DT_CMD_WEB_SERVER_H

#include "child.h"
#include "guests.h"
#include "hub.h"
#include "wish.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define TOKEN_LEN 32

struct server {
	const struct wish *wish;
	struct hub hub;
	struct guests guests;
	char token[TOKEN_LEN + 1];
	char address[64];		/* as listened on, without port */
	uint16_t port;
	bool anywhere;			/* not only this machine may connect */
	char policy[512];		/* the page's Content-Security-Policy */
	pthread_mutex_t control;	/* held while a trace is begun or ended */
	struct child child;
	pthread_t reader;
	bool running;			/* there is a reader to be joined */
};

/* Ends the trace that runs and begins another. 0, or -1 with errno. */
int server_begin(struct server *, const char *pid, const char *text, size_t len);
void server_end(struct server *);	/* the trace */

/* HTTP, until a signal comes. The status to exit with. */
int http_serve(struct server *);

/* The page as it was built. */
extern const char page_begin[], page_end[];

#endif
