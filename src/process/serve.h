/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One document over HTTP. A child without rights answers, so that nothing a client sends reaches the tracer;
 * it has the document as a descriptor, which the tracer replaces by a newer one when it likes.
 */
#ifndef DT_PROCESS_SERVE_H
#define DT_PROCESS_SERVE_H

#include <stddef.h>

struct dt_serve;

/*
 * `where` is PORT, ADDRESS:PORT or [ADDRESS]:PORT, in numbers; without an address it is 127.0.0.1, and port
 * 0 is any. NULL: `why` (len bytes) says why not.
 */
struct dt_serve *dt_serve_open(const char *where, const char *type, char *why, size_t len);
void dt_serve_close(struct dt_serve *);		/* NULL is allowed */
const char *dt_serve_address(const struct dt_serve *);	/* "127.0.0.1:9090", "[::1]:9090" */
/* Never waits. A document that cannot be handed over is lost: the one before stays. */
void dt_serve_put(struct dt_serve *, const void *text, size_t n);

#endif
