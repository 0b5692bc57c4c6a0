/* SPDX-License-Identifier: BSD-2-Clause */
/* The head of an HTTP request, as RFC 9112 has it: request line, fields, and the arguments of the target. */
#ifndef DT_WIRE_HTTP_REQUEST_H
#define DT_WIRE_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

enum { DT_HTTP_FIELDS = 64, DT_HTTP_ARGS = 8 };

struct dt_http_pair { const char *name, *value; };

struct dt_http_request {
	const char *method, *path;	/* path: without the arguments, as it was sent */
	struct dt_http_pair field[DT_HTTP_FIELDS], arg[DT_HTTP_ARGS];
	int nfields, nargs;
	bool newer;			/* HTTP/1.1: answers may be in chunks */
	bool keep;			/* the connection serves another request after this one */
	bool expects;			/* the client waits for 100 before it sends the body */
	size_t length;			/* of the body that follows */
};

/*
 * Takes the len bytes of head apart, up to and with the empty line; the strings are in them. 0, or the status
 * of the answer: 400, 431 (too many fields), 501 (a transfer encoding), 505.
 */
int dt_http_parse(char *head, size_t len, struct dt_http_request *);
/* NULL: it has none. Names of fields are the same in capitals. */
const char *dt_http_field(const struct dt_http_request *, const char *name);
const char *dt_http_arg(const struct dt_http_request *, const char *name);

#endif
