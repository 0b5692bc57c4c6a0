/* SPDX-License-Identifier: BSD-2-Clause */
/* See post.h. Answers of the collector are untrusted: 64 KiB of them are read, and three numbers taken. */
#include "post.h"

#include "base.h"

#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { WAITING_MAX = 256, BYTES_MAX = 32 << 20, TIMEOUT = 10, ANSWER_MAX = 64 << 10 };

struct post {
	char host[256], port[8], prefix[256], where[300], agent[64];
	const char *who;
	struct queue *queue;
};

/* ---- the address ---- */

/* Printable, and nothing that ends a line or a field of the request. */
static bool copy_part(char *to, size_t size, const char *from, size_t n)
{
	if (n >= size)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isgraph((unsigned char)from[i]))
			return false;
	memcpy(to, from, n);
	to[n] = '\0';
	return true;
}

static bool read_url(struct post *p, const char *url)
{
	const char *host, *end, *path, *port;
	size_t npath, nport;

	if (strncmp(url, "http://", 7) != 0)
		return false;
	host = url + 7;
	path = host + strcspn(host, "/");
	if (*host == '[') {
		end = memchr(host, ']', (size_t)(path - host));
		if (end == NULL)
			return false;
		host++;
		port = end + 1;
	} else {
		end = port = host + strcspn(host, ":/");
	}
	if (end == host || (*port != ':' && port != path))
		return false;
	nport = (size_t)(path - port);
	if (nport == 1 || strspn(port + (nport > 0), "0123456789") + (nport > 0) < nport)
		return false;
	npath = strlen(path);
	npath -= npath > 0 && path[npath - 1] == '/';
	return copy_part(p->host, sizeof(p->host), host, (size_t)(end - host)) &&
	    copy_part(p->port, sizeof(p->port), nport > 0 ? port + 1 : "4318", nport > 0 ? nport - 1 : 4) &&
	    copy_part(p->prefix, sizeof(p->prefix), path, npath);
}

/* ---- one request ---- */

static int connect_to(const struct post *p)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV }, *list = NULL;
	struct timeval timeout = { .tv_sec = TIMEOUT };
	int fd = -1;

	if (getaddrinfo(p->host, p->port, &hints, &list) != 0)
		return -1;
	for (struct addrinfo *a = list; a != NULL && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
		if (fd < 0)
			continue;
		(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
		if (connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
			close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(list);
	return fd;
}

static bool send_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		bytes += n;
		len -= (size_t)n;
	}
	return true;
}

static bool send_request(const struct post *p, int fd, const char *path, const char *bytes, size_t len)
{
	char head[1024];
	bool six = strchr(p->host, ':') != NULL;
	int n = snprintf(head, sizeof(head), "POST %s%s HTTP/1.1\r\nHost: %s%s%s:%s\r\n"
	    "Content-Type: application/x-protobuf\r\nContent-Length: %zu\r\nUser-Agent: %s\r\n"
	    "Connection: close\r\n\r\n", p->prefix, path, six ? "[" : "", p->host, six ? "]" : "",
	    p->port, len, p->agent);

	return n > 0 && (size_t)n < sizeof(head) && send_all(fd, head, (size_t)n) &&
	    send_all(fd, bytes, len);
}

/* The whole answer, as far as it has room; the time for all of it is limited. */
static size_t receive(int fd, char *to, size_t size)
{
	uint64_t until = now_ns() + TIMEOUT * 1000000000ull;
	size_t have = 0;
	ssize_t n = 1;

	while (n > 0 && have + 1 < size && now_ns() < until)
		if ((n = recv(fd, to + have, size - 1 - have, 0)) > 0)
			have += (size_t)n;
	to[have] = '\0';
	return have;
}

/*
 * partial_success (field 1) has as its first field how many the collector has not taken; such a request is
 * never sent again.
 */
static uint64_t rejected(const char *body, size_t len)
{
	const unsigned char *b = (const unsigned char *)body;
	uint64_t v = 0;

	if (len < 4 || b[0] != (1 << 3 | 2) || b[1] > 127 || b[2] != 1 << 3)
		return 0;
	for (size_t i = 3, shift = 0; i < len && shift < 63; i++, shift += 7) {
		v |= (uint64_t)(b[i] & 0x7f) << shift;
		if (b[i] < 0x80)
			break;
	}
	return v;
}

static enum outcome judge(const struct post *p, const char *path, const char *answer, size_t len, int *after)
{
	int status = 0;
	const char *end = strstr(answer, "\r\n\r\n"), *field = strcasestr(answer, "\r\nRetry-After:");
	uint64_t n;

	if (sscanf(answer, "HTTP/1.%*1[01] %3d", &status) != 1)
		return AGAIN;
	if (field != NULL && (end == NULL || field < end))
		*after = atoi(field + strlen("\r\nRetry-After:"));
	if (status >= 200 && status < 300) {
		n = end != NULL ? rejected(end + 4, len - (size_t)(end + 4 - answer)) : 0;
		if (n > 0)
			fprintf(stderr, "%s: otlp: the collector has not taken %llu items of a request\n",
			    p->who, (unsigned long long)n);
		return n > 0 ? REFUSED : SENT;
	}
	if (status == 429 || status == 502 || status == 503 || status == 504)
		return AGAIN;
	fprintf(stderr, "%s: otlp: the collector refuses a request with status %d (%s)\n", p->who, status,
	    path);
	return REFUSED;
}

static enum outcome try_once(void *ctx, const char *path, const char *bytes, size_t len, int *after)
{
	struct post *p = ctx;
	char *answer = malloc(ANSWER_MAX);
	int fd = answer != NULL ? connect_to(p) : -1;
	enum outcome what = AGAIN;

	if (fd >= 0 && send_request(p, fd, path, bytes, len))
		what = judge(p, path, answer, receive(fd, answer, ANSWER_MAX), after);
	if (fd >= 0)
		close(fd);
	free(answer);
	return what;
}

/* ---- its life ---- */

void post_put(struct post *p, const char *path, const void *bytes, size_t len)
{
	queue_put(p->queue, path, bytes, len);
}

struct queue_counts post_count(struct post *p) { return queue_count(p->queue); }

struct post *post_open(const char *url, const char *who, const char *profiles)
{
	struct post *p = calloc(1, sizeof(*p));
	struct queue_kind kind = { .who = who, .what = "otlp", .most = WAITING_MAX, .bytes = BYTES_MAX,
		.send = try_once, .ctx = p };

	if (p == NULL)
		return NULL;
	p->who = who;
	snprintf(p->agent, sizeof(p->agent), "dtraced/" DT_VERSION "%s%s",
	    profiles != NULL ? " otlp-profiles/" : "", profiles != NULL ? profiles : "");
	if (!read_url(p, url)) {
		fprintf(stderr, "%s: otlp: %s has to be http://HOST[:PORT][/PATH]; "
		    "for https:// run a collector or a proxy on this machine\n", who, url);
		free(p);
		return NULL;
	}
	snprintf(p->where, sizeof(p->where), "the collector at %s:%s", p->host, p->port);
	kind.where = p->where;
	if ((p->queue = queue_open(&kind)) != NULL)
		return p;
	free(p);
	return NULL;
}

void post_close(struct post *p, int seconds)
{
	queue_close(p->queue, seconds);
	free(p);
}
