/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread serves a connection. One that neither sends nor takes anything for TIMEOUT_S is closed. */
#include "connection.h"

#include "base.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { TIMEOUT_S = 30, DISCARD_MS = 1000 };

struct connection *connection_new(int fd, const char *headers)
{
	struct connection *c = calloc(1, sizeof(*c));
	struct timeval t = { TIMEOUT_S, 0 };
	int one = 1;

	if (c == NULL) {
		close(fd);
		return NULL;
	}
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	c->http = (struct dt_http){ .fd = fd, .bytes = c->bytes, .size = sizeof(c->bytes) };
	c->headers = headers;
	return c;
}

/* > 0: bytes of a body; 0: the end; < 0: an error, or too long a wait. */
static ssize_t receive(struct connection *c, void *to, size_t len)
{
	ssize_t n;

	do {
		n = recv(c->http.fd, to, len, 0);
	} while (n < 0 && errno == EINTR);
	c->failed |= n <= 0;
	return n;
}

/*
 * Closing a socket with unread bytes resets it, and the last answer may be lost with it: those
 * of a body that was refused are thrown away first, for a moment.
 */
void connection_finish(struct connection *c)
{
	uint64_t until = now_ns() + DISCARD_MS * 1000000ull;
	struct pollfd p = { .fd = c->http.fd, .events = POLLIN };

	shutdown(c->http.fd, SHUT_WR);
	while (!c->failed && now_ns() < until && poll(&p, 1, DISCARD_MS) == 1)
		(void)receive(c, c->bytes, sizeof(c->bytes));
}

void connection_close(struct connection *c)
{
	close(c->http.fd);
	free(c->body);
	free(c);
}

/* ---- in ---- */

static bool refuse(struct connection *c, int status)
{
	static const char text[] = "This is no request that the server understands.\n";

	c->http.request = (struct dt_http_request){ .method = "", .path = "" };
	connection_send(c, status, "text/plain; charset=utf-8", text, sizeof(text) - 1);
	return false;
}

bool connection_next(struct connection *c)
{
	enum dt_http_state state;
	int status = 0;

	free(c->body);
	c->body = NULL;
	if (c->failed || (c->http.used != 0 && !c->http.request.keep))
		return false;
	state = dt_http_next(&c->http, &status);
	while (state == DT_HTTP_WAIT)
		state = dt_http_receive(&c->http, &status);
	c->failed |= state == DT_HTTP_CLOSED || state == DT_HTTP_IDLE;
	return state == DT_HTTP_REQUEST || (state == DT_HTTP_REFUSED && refuse(c, status));
}

static bool send_all(struct connection *c, const void *bytes, size_t len)
{
	for (const char *at = bytes; len > 0 && !c->failed;) {
		ssize_t n = send(c->http.fd, at, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		c->failed |= n <= 0;
		at += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return !c->failed;
}

/* What came with the head is part of it. */
bool connection_read_body(struct connection *c)
{
	size_t length = c->http.request.length, got = c->http.have - c->http.used;

	if (length > MAX_BODY || (c->body = malloc(length + 1)) == NULL)
		return false;
	if (got > length)
		got = length;
	memcpy(c->body, c->bytes + c->http.used, got);
	c->http.used += got;
	if (got < length && c->http.request.expects && !send_all(c, "HTTP/1.1 100 Continue\r\n\r\n", 25))
		return false;
	while (got < length) {
		ssize_t n = receive(c, c->body + got, length - got);

		if (n <= 0)
			return false;
		got += (size_t)n;
	}
	c->body[length] = '\0';
	c->len = length;
	c->http.request.length = 0;
	return true;
}

/* ---- out ---- */

static void send_head(struct connection *c, int status, const char *type, const char *length)
{
	char date[64], fields[1536], head[2048];
	time_t now = time(NULL);
	struct tm tm;
	size_t n;

	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &tm));
	snprintf(fields, sizeof(fields), "Date: %s\r\n%s%s%s", date, c->headers,
	    c->http.request.keep ? "" : "Connection: close\r\n", length);
	n = dt_http_head(head, sizeof(head), status, type, fields);
	c->failed |= n == 0;
	(void)send_all(c, head, n);
}

/* A body that was not read would be taken for the next request. */
void connection_send(struct connection *c, int status, const char *type, const void *body, size_t len)
{
	char length[64];

	c->http.request.keep &= c->http.request.length == 0;
	snprintf(length, sizeof(length), "Content-Length: %zu\r\n", len);
	send_head(c, status, type, length);
	if (strcmp(c->http.request.method, "HEAD") != 0)
		(void)send_all(c, body, len);
}

void connection_begin_stream(struct connection *c, const char *type)
{
	c->http.request.keep &= c->http.request.newer && c->http.request.length == 0;
	send_head(c, 200, type, c->http.request.newer ? "Transfer-Encoding: chunked\r\n" : "");
}

bool connection_send_part(struct connection *c, const void *bytes, size_t len)
{
	char size[32];
	int n = snprintf(size, sizeof(size), "%zx\r\n", len);

	if (len == 0)			/* an empty chunk would be the last */
		return !c->failed;
	if (!c->http.request.newer)
		return send_all(c, bytes, len);
	return send_all(c, size, (size_t)n) && send_all(c, bytes, len) && send_all(c, "\r\n", 2);
}

void connection_end_stream(struct connection *c)
{
	if (c->http.request.newer)
		(void)send_all(c, "0\r\n\r\n", 5);
}
