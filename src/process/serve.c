/* SPDX-License-Identifier: BSD-2-Clause */
/* The tracer's side of serve.h: a listening socket, a child that answers there, documents for it. */
#include "process/serve.h"
#include "process/serve_impl.h"

#include "base/sendfd.h"
#include "wire/http.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct dt_serve { pid_t child; int sock; struct dt_http_listener at; };

/* 0, or -errno; the listening socket is the child's then. */
static int start_child(struct dt_serve *s, const char *type)
{
	sigset_t all, old;
	int pair[2], parent = getpid();

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return -errno;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	s->child = fork();
	if (s->child == 0)
		dt_serve_child(parent, (int[2]){ pair[1], s->at.fd }, type, s->at.local);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(pair[1]);
	s->sock = pair[0];
	return s->child < 0 ? -errno : 0;
}

struct dt_serve *dt_serve_open(const char *where, const char *type, char *why, size_t len)
{
	struct dt_serve *s = calloc(1, sizeof(*s));
	int err;

	if (s == NULL)
		return NULL;
	s->sock = -1;
	err = dt_http_listen(where, &s->at);
	if (err == 0)
		err = start_child(s, type);
	if (s->at.fd >= 0)
		close(s->at.fd);
	if (err == 0)
		return s;
	if (err == -EINVAL)
		snprintf(why, len, "%s is no address: " DT_HTTP_WHERE, where);
	else
		snprintf(why, len, "cannot listen at %s: %s", where, strerror(-err));
	dt_serve_close(s);
	return NULL;
}

/* The child ends when its socket does; it is killed, so that the tracer need not wait for it. */
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

const char *dt_serve_address(const struct dt_serve *s) { return s->at.name; }

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
		(void)dt_sendfd_send(s->sock, "d", 1, &fd, 1);
	if (fd >= 0)
		close(fd);
}
