/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GET /stream: the recording of a trace (doc/RECORDING.md) as it grows, or the file of --play as it is.
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

/* The number of the trace; 0: the current one. False: it is no number. */
static bool read_trace(const struct dt_http_request *r, unsigned *trace)
{
	const char *word = dt_http_arg(r, "trace");

	*trace = 0;
	if (word == NULL)
		return true;
	if (word[0] == '\0' || strspn(word, "0123456789") != strlen(word) || strlen(word) > 9)
		return false;
	*trace = (unsigned)strtoul(word, NULL, 10);
	return *trace != 0;
}

void stream_answer(struct server *s, struct connection *c)
{
	struct blocks_reader reader;
	char part[64 << 10];
	unsigned trace;
	ssize_t n;

	if (!read_trace(&c->http.request, &trace) || !blocks_join(&s->blocks, &reader, trace)) {
		refuse(c, "There is no such trace, or it is not the current one any more.\n");
		return;
	}
	if (reader.trace == s->played) {
		send_file(s->args->play, c);
		return;
	}
	connection_begin_stream(c, TYPE);
	while ((n = blocks_read(&s->blocks, &reader, part, sizeof(part))) >= 0)
		if (!connection_send_part(c, part, (size_t)n))
			break;
	connection_end_stream(c);
	blocks_leave(&reader);
}
