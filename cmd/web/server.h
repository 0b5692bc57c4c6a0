/* SPDX-License-Identifier: BSD-2-Clause */
/* The server: one trace at a time, any number of pages that look at it. */
#ifndef DT_CMD_WEB_SERVER_H
#define DT_CMD_WEB_SERVER_H

#include "blocks.h"
#include "worker_process.h"
#include "connections.h"
#include "hosts.h"
#include "hub.h"
#include "web_args.h"
#include "wire/http.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define TOKEN_LEN 32

struct server {
	const struct args *args;
	struct hub hub;
	struct blocks blocks;		/* the recording of the trace */
	struct hosts hosts;		/* and those of its hosts */
	unsigned played;		/* number of the trace that is a recording of --play; 0 none */
	struct connections connections;
	char token[TOKEN_LEN + 1];
	struct dt_http_listener listener;
	char policy[512];		/* the page's Content-Security-Policy */
	char headers[1024];		/* of every answer */
	pthread_mutex_t control;	/* held while a trace is begun or ended */
	struct child child;
	pthread_t reader, copier, sorter;
	bool running;			/* there is a reader to be joined */
	bool copying, sorting;		/* and a copier, a sorter of hosts */
};

/* Ends the trace that runs and begins another. 0, or -1 with errno. */
int server_begin(struct server *, const char *pid, const char *text, size_t len);
void server_end(struct server *);	/* the trace */

/* GET /stream (stream.c) */
struct connection;
void stream_answer(struct server *, struct connection *);

/* Where the command line says. 0, or the status to exit with. */
int http_listen(struct server *);
/* HTTP, until a signal comes. The status to exit with. */
int http_serve(struct server *);

/* The page as it was built. */
extern const char page_begin[], page_end[];

#endif
