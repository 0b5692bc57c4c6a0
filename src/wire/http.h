/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HTTP/1.1 for servers of ours, without TLS: where to listen, requests as they arrive, heads of answers. The
 * metrics of -O openmetrics are served by it (src/process/serve_child.c: one process that never waits for a
 * client) and the live page (cmd/web/connection.c: a thread for each connection). Clients are untrusted; who
 * may ask, for how long, and how many at a time is decided by the server.
 */
#ifndef DT_WIRE_HTTP_H
#define DT_WIRE_HTTP_H

#include "wire/http_request.h"

#include <stdint.h>

/* ---- listening ---- */

#define DT_HTTP_WHERE "PORT, ADDRESS:PORT or [ADDRESS]:PORT, in numbers"

struct dt_http_listener {
	int fd;				/* never waits */
	uint16_t port;
	bool local;			/* only this machine can connect */
	char name[64];			/* "127.0.0.1:9090", "[::1]:9090" */
};

/*
 * `where` is DT_HTTP_WHERE, an address alone, or empty; without an address it is 127.0.0.1, and port 0 is
 * any. 0; -EINVAL: it is no such address; or another -errno.
 */
int dt_http_listen(const char *where, struct dt_http_listener *);

/*
 * Whether a Host is a name of this machine: localhost, 127.x.x.x, [::1]. A page of another site reaches us by
 * a name that its DNS points to this machine, never by these. `port`: which it must name; 0: any or none.
 */
bool dt_http_is_local(const char *host, uint16_t port);
/* Whether it is an address in numbers, which no DNS can point elsewhere. */
bool dt_http_is_number(const char *host);

/* ---- a connection ---- */

struct dt_http {
	int fd;
	char *bytes;			/* of the caller; the size limits the head of a request */
	size_t size;
	size_t have;			/* bytes received, perhaps more than the head */
	size_t used;			/* of the request in hand: its head, and what was taken of its body */
	struct dt_http_request request;	/* its strings are in `bytes` */
};

enum dt_http_state {
	DT_HTTP_WAIT,			/* the head is not complete yet */
	DT_HTTP_REQUEST,		/* there is one */
	DT_HTTP_REFUSED,		/* *status is that of the answer; nothing more can be read */
	DT_HTTP_IDLE,			/* nothing came, and the socket does not wait any longer */
	DT_HTTP_CLOSED,			/* by the client, or by an error */
};

/* Ends the request in hand and looks for the next one in what has been received. */
enum dt_http_state dt_http_next(struct dt_http *, int *status);
/* The same after one recv(), which waits if the socket does. */
enum dt_http_state dt_http_receive(struct dt_http *, int *status);

/*
 * The head of an answer. `fields`: further ones, each with its end of line. How many bytes it has; 0: more
 * than `size`.
 */
size_t dt_http_head(char *to, size_t size, int status, const char *type, const char *fields);

#endif
