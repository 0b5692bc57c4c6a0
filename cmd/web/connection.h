/* SPDX-License-Identifier: BSD-2-Clause */
/* A connection: requests in, answers out, one after the other. */
#ifndef DT_CMD_WEB_CONNECTION_H
#define DT_CMD_WEB_CONNECTION_H

#include "wire/http.h"

enum { MAX_HEAD = 32 << 10, MAX_BODY = 256 << 10 };

struct connection {
	struct dt_http http;
	const char *headers;		/* of every answer, each with its end of line */
	char *body;			/* NULL: it is not read; followed by a NUL */
	size_t len;
	bool failed;			/* nothing can be sent any more */
	char bytes[MAX_HEAD];
};

/* Idle connections end by themselves. Takes over the descriptor; NULL: out of memory. */
struct connection *connection_new(int fd, const char *headers);
/* Nothing more is sent; then the descriptor is closed and c freed. */
void connection_finish(struct connection *);
void connection_close(struct connection *c);

/* Reads the next request up to its body. False: the client sent no more, or its request was refused. */
bool connection_next(struct connection *);
/* False: it is longer than MAX_BODY, or it does not come. */
bool connection_read_body(struct connection *);

void connection_send(struct connection *, int status, const char *type, const void *body, size_t len);
/* An answer without a known end: chunks, as long as they can be sent. */
void connection_begin_stream(struct connection *, const char *type);
bool connection_send_part(struct connection *, const void *bytes, size_t len);
void connection_end_stream(struct connection *);

#endif
