/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GET /stream: the recording of a trace (doc/RECORDING.md) as it grows, that of one of its hosts, or the file
 * of --play as it is.
 * What is sent can be saved and played.
 */
#include "connection.h"
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TYPE "application/octet-stream"

static void refuse(struct connection *c, const char *text)
{
	connection_send(c, 404, "text/plain; charset=utf-8", text, strlen(text));
}

/* The recording was named on the command line. */
static void send_file(const char *path, struct connection *c)
{
	char part[64 << 10];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t n;

	if (fd < 0) {
		refuse(c, "The recording cannot be read.\n");
		return;
	}
	connection_begin_stream(c, TYPE);
	while ((n = read(fd, part, sizeof(part))) > 0 && connection_send_part(c, part, (size_t)n))
		;
	connection_end_stream(c);
	close(fd);
}

#define NO_NUMBER UINT32_MAX		/* the request does not have it */

/* False: it is no number. */
static bool read_number(const struct dt_http_request *r, const char *name, unsigned *number)
{
	const char *word = dt_http_arg(r, name);

	*number = NO_NUMBER;
	if (word == NULL)
		return true;
	if (word[0] == '\0' || strspn(word, "0123456789") != strlen(word) || strlen(word) > 9)
		return false;
	*number = (unsigned)strtoul(word, NULL, 10);
	return true;
}

void stream_answer(struct server *s, struct connection *c)
{
	struct blocks *from = &s->blocks;
	struct blocks_reader reader;
	char part[64 << 10];
	unsigned trace, host;
	ssize_t n;

	if (!read_number(&c->http.request, "trace", &trace) || trace == 0 ||
	    !blocks_join(from, &reader, trace == NO_NUMBER ? 0 : trace)) {
		refuse(c, "There is no such trace, or it is not the current one any more.\n");
		return;
	}
	if (reader.trace == s->played) {
		send_file(s->args->play, c);
		return;
	}
	if (!read_number(&c->http.request, "host", &host) || (host != NO_NUMBER &&
	    ((from = hosts_find(&s->hosts, host)) == NULL || !blocks_join(from, &reader, 0)))) {
		refuse(c, "There is no recording of this host alone.\n");
		return;
	}
	connection_begin_stream(c, TYPE);
	while ((n = blocks_read(from, &reader, part, sizeof(part))) >= 0)
		if (!connection_send_part(c, part, (size_t)n))
			break;
	connection_end_stream(c);
	blocks_leave(&reader);
}
