/* SPDX-License-Identifier: BSD-2-Clause */
/* See http.h. Addresses and bytes of clients in; listening sockets, checked requests and heads out. */
#include "wire/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- listening ---- */

union address { struct sockaddr any; struct sockaddr_in v4; struct sockaddr_in6 v6; };

/* Digits of a port and nothing else; "": port 0. */
static bool read_port(const char *text, in_port_t *port)
{
	size_t n = strlen(text);
	unsigned long number = strtoul(text, NULL, 10);

	*port = htons((in_port_t)number);
	return n <= 5 && strspn(text, "0123456789") == n && number <= UINT16_MAX;
}

/* The address goes to host, without brackets; the port is returned. NULL: it is no such text. */
static const char *split_where(const char *where, char *host, size_t size, bool *six)
{
	const char *from = where, *rest;
	size_t n;

	*six = where[0] == '[';
	if (*six)
		n = strcspn(++from, "]");
	else if (strspn(where, "0123456789") == strlen(where))
		n = 0;
	else
		n = strcspn(where, ":");
	rest = from + n;
	if (*six && *rest++ != ']')
		return NULL;
	if (n >= size || (*rest != '\0' && *rest != ':' && n != 0))
		return NULL;
	snprintf(host, size, "%.*s", (int)n, from);
	return *rest == ':' ? rest + 1 : rest;
}

static bool read_address(const char *where, union address *a, socklen_t *len)
{
	char host[INET6_ADDRSTRLEN + 1];
	bool six;
	const char *port = split_where(where, host, sizeof(host), &six);

	memset(a, 0, sizeof(*a));
	if (port == NULL)
		return false;
	if (six) {
		a->v6.sin6_family = AF_INET6;
		*len = sizeof(a->v6);
		return read_port(port, &a->v6.sin6_port) && inet_pton(AF_INET6, host, &a->v6.sin6_addr) == 1;
	}
	a->v4.sin_family = AF_INET;
	*len = sizeof(a->v4);
	return read_port(port, &a->v4.sin_port) &&
	    inet_pton(AF_INET, host[0] != '\0' ? host : "127.0.0.1", &a->v4.sin_addr) == 1;
}

static void describe(struct dt_http_listener *l, const union address *a)
{
	char host[INET6_ADDRSTRLEN] = "";
	bool v4 = a->any.sa_family == AF_INET;

	inet_ntop(a->any.sa_family, v4 ? (const void *)&a->v4.sin_addr : &a->v6.sin6_addr, host,
	    sizeof(host));
	l->port = ntohs(v4 ? a->v4.sin_port : a->v6.sin6_port);
	l->local = v4 ? ntohl(a->v4.sin_addr.s_addr) >> 24 == 127 : IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr);
	snprintf(l->name, sizeof(l->name), v4 ? "%s:%u" : "[%s]:%u", host, l->port);
}

int dt_http_listen(const char *where, struct dt_http_listener *l)
{
	union address a;
	socklen_t len;
	int on = 1, err;

	*l = (struct dt_http_listener){ .fd = -1 };
	if (!read_address(where, &a, &len))
		return -EINVAL;
	l->fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->fd < 0)
		return -errno;
	if (setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
	    (a.any.sa_family == AF_INET ||
	    setsockopt(l->fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) == 0) &&
	    bind(l->fd, &a.any, len) == 0 && listen(l->fd, 64) == 0 &&
	    getsockname(l->fd, &a.any, &len) == 0) {
		describe(l, &a);
		return 0;
	}
	err = errno;
	close(l->fd);
	l->fd = -1;
	return -err;
}

/* Splits a Host into its name, with brackets if it has them, and its port ("": it has none). */
static bool split_host(const char *host, char *name, size_t size, const char **port)
{
	size_t n = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");

	if (n >= size || n > strlen(host) || (host[n] != '\0' && host[n] != ':'))
		return false;
	snprintf(name, size, "%.*s", (int)n, host);
	*port = host[n] == ':' ? host + n + 1 : "";
	return true;
}

bool dt_http_is_local(const char *host, uint16_t port)
{
	char name[64], want[8];
	const char *given;
	struct in_addr v4;

	if (host == NULL || !split_host(host, name, sizeof(name), &given))
		return false;
	snprintf(want, sizeof(want), "%u", port);
	if (port != 0 ? strcmp(given, want) != 0 : strspn(given, "0123456789") != strlen(given))
		return false;
	return strcasecmp(name, "localhost") == 0 || strcmp(name, "[::1]") == 0 ||
	    (inet_pton(AF_INET, name, &v4) == 1 && ntohl(v4.s_addr) >> 24 == 127);
}

bool dt_http_is_number(const char *host)
{
	char name[64];
	const char *port;
	unsigned char any[16];

	if (host == NULL || !split_host(host, name, sizeof(name), &port))
		return false;
	if (name[0] != '[')
		return inet_pton(AF_INET, name, any) == 1;
	name[strlen(name) - 1] = '\0';
	return inet_pton(AF_INET6, name + 1, any) == 1;
}

/* ---- a connection ---- */

static enum dt_http_state look(struct dt_http *c, int *status)
{
	const char *end = memmem(c->bytes, c->have, "\r\n\r\n", 4);

	*status = 431;
	if (end == NULL)
		return c->have == c->size ? DT_HTTP_REFUSED : DT_HTTP_WAIT;
	c->used = (size_t)(end - c->bytes) + 4;
	*status = dt_http_parse(c->bytes, c->used, &c->request);
	return *status == 0 ? DT_HTTP_REQUEST : DT_HTTP_REFUSED;
}

enum dt_http_state dt_http_next(struct dt_http *c, int *status)
{
	memmove(c->bytes, c->bytes + c->used, c->have - c->used);
	c->have -= c->used;
	c->used = 0;
	return look(c, status);
}

enum dt_http_state dt_http_receive(struct dt_http *c, int *status)
{
	ssize_t n;

	do {
		n = recv(c->fd, c->bytes + c->have, c->size - c->have, 0);
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? DT_HTTP_IDLE : DT_HTTP_CLOSED;
	c->have += (size_t)n;
	return look(c, status);
}

static const char *reason(int status)
{
	switch (status) {
	case 200: return "OK";
	case 400: return "Bad Request";
	case 403: return "Forbidden";
	case 404: return "Not Found";
	case 405: return "Method Not Allowed";
	case 413: return "Content Too Large";
	case 431: return "Request Header Fields Too Large";
	case 501: return "Not Implemented";
	case 503: return "Service Unavailable";
	case 505: return "HTTP Version Not Supported";
	default: return "Internal Server Error";
	}
}

size_t dt_http_head(char *to, size_t size, int status, const char *type, const char *fields)
{
	int n = snprintf(to, size, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\n%s\r\n", status, reason(status),
	    type, fields);

	return n > 0 && (size_t)n < size ? (size_t)n : 0;
}
