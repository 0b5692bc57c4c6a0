/* SPDX-License-Identifier: BSD-2-Clause */
/* The tracer's side of serve.h: an address, a child that listens there, documents for it. */
#include "process/serve.h"
#include "process/serve_impl.h"

#include "base/pass.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct dt_serve { pid_t child; int sock; char address[INET6_ADDRSTRLEN + 16]; };

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* Digits of a port and nothing else. */
static bool read_port(const char *text, in_port_t *port)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	*port = htons((in_port_t)n);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && n <= 65535;
}

static bool read_address(const char *where, union address *a, socklen_t *len)
{
	const char *colon = strrchr(where, ':'), *port = colon != NULL ? colon + 1 : where;
	char host[INET6_ADDRSTRLEN + 2] = "127.0.0.1";
	size_t n = colon != NULL ? (size_t)(colon - where) : 0;

	memset(a, 0, sizeof(*a));
	if (n >= sizeof(host))
		return false;
	if (n > 0)
		snprintf(host, sizeof(host), "%.*s", (int)n, where);
	if (host[0] == '[' && n > 2 && host[n - 1] == ']') {
		host[n - 1] = '\0';
		a->v6.sin6_family = AF_INET6;
		*len = sizeof(a->v6);
		return read_port(port, &a->v6.sin6_port) && inet_pton(AF_INET6, host + 1,
		    &a->v6.sin6_addr) == 1;
	}
	a->v4.sin_family = AF_INET;
	*len = sizeof(a->v4);
	return read_port(port, &a->v4.sin_port) && inet_pton(AF_INET, host, &a->v4.sin_addr) == 1;
}

static bool is_local(const union address *a)
{
	return a->any.sa_family == AF_INET ? ntohl(a->v4.sin_addr.s_addr) >> 24 == 127 :
	    IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr);
}

static void name_address(struct dt_serve *s, const union address *a)
{
	char host[INET6_ADDRSTRLEN] = "";
	bool v4 = a->any.sa_family == AF_INET;

	inet_ntop(a->any.sa_family, v4 ? (const void *)&a->v4.sin_addr : &a->v6.sin6_addr, host,
	    sizeof(host));
	snprintf(s->address, sizeof(s->address), v4 ? "%s:%u" : "[%s]:%u", host,
	    ntohs(v4 ? a->v4.sin_port : a->v6.sin6_port));
}

/* A socket that listens, or -errno. */
static int listen_at(union address *a, socklen_t len)
{
	int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1, err;

	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
	    bind(fd, &a->any, len) == 0 && listen(fd, 16) == 0 && getsockname(fd, &a->any, &len) == 0)
		return fd;
	err = errno;
	if (fd >= 0)
		close(fd);
	return -err;
}

/* 0, or -errno; the listening socket is the child's then. */
static int start_child(struct dt_serve *s, int listener, const char *type, bool local)
{
	sigset_t all, old;
	int pair[2], parent = getpid();

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return -errno;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	s->child = fork();
	if (s->child == 0)
		dt_serve_child(parent, (int[2]){ pair[1], listener }, type, local);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(pair[1]);
	s->sock = pair[0];
	return s->child < 0 ? -errno : 0;
}

struct dt_serve *dt_serve_open(const char *where, const char *type, char *why, size_t len)
{
	struct dt_serve *s = calloc(1, sizeof(*s));
	union address a;
	socklen_t alen;
	int fd, err;

	if (s == NULL)
		return NULL;
	s->sock = -1;
	if (!read_address(where, &a, &alen)) {
		snprintf(why, len, "%s is no address: PORT, ADDRESS:PORT or [ADDRESS]:PORT, in numbers",
		    where);
		free(s);
		return NULL;
	}
	fd = listen_at(&a, alen);
	err = fd < 0 ? fd : start_child(s, fd, type, is_local(&a));
	if (fd >= 0)
		close(fd);
	if (err != 0) {
		snprintf(why, len, "cannot listen at %s: %s", where, strerror(-err));
		dt_serve_close(s);
		return NULL;
	}
	name_address(s, &a);
	return s;
}

/* The child ends when its socket does; it is killed, so that nobody has to wait for it. */
void dt_serve_close(struct dt_serve *s)
{
	if (s == NULL)
		return;
	if (s->sock >= 0)
		close(s->sock);
	if (s->child > 0) {
		kill(s->child, SIGKILL);
		while (waitpid(s->child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	free(s);
}

const char *dt_serve_address(const struct dt_serve *s) { return s->address; }

static bool write_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, p, n);

		if (done <= 0)
			return false;
		p += done;
		n -= (size_t)done;
	}
	return true;
}

void dt_serve_put(struct dt_serve *s, const void *text, size_t n)
{
	int fd = memfd_create("dtrace-document", MFD_CLOEXEC);
	struct timeval never = { 0, 1 };

	(void)setsockopt(s->sock, SOL_SOCKET, SO_SNDTIMEO, &never, sizeof(never));
	if (fd >= 0 && write_all(fd, text, n))
		(void)dt_pass_send(s->sock, "d", 1, &fd, 1);
	if (fd >= 0)
		close(fd);
}
