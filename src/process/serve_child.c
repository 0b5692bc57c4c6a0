/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The child that answers (serve.h). Clients are untrusted: each has HEAD_SIZE bytes for its request and
 * TIMEOUT_NS for all of it, request and answer; there are MAX_CLIENTS of them at most, and one more takes the
 * place of the one that has been there longest, those first that have not asked yet. A request is GET or HEAD
 * of / or /metrics. Pages of other sites, which a browser shows beside it, get nothing: if only this machine
 * can connect, the Host has to be a name of it.
 */
#include "process/serve_impl.h"

#include "base/box.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/child.h"
#include "base/sendfd.h"
#include "machine/machine.h"
#include "wire/http.h"

#include <errno.h>
#include <linux/audit.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { HEAD_SIZE = 4096, MAX_CLIENTS = 32, MAX_FILES = 2 * MAX_CLIENTS + 32 };
#define TIMEOUT_NS 10000000000u

struct client {
	struct dt_http http;		/* fd -1: this place is free */
	int document;			/* that is being sent; -1: none */
	uint64_t until;
	char request[HEAD_SIZE], answer[512];
	size_t head, sent;		/* of the answer; 0: not known yet */
	off_t at, size;			/* in the document */
};

struct server {
	struct client client[MAX_CLIENTS];
	int document;
	const char *type;
	bool local;
};

static void drop_client(struct client *c)
{
	close(c->http.fd);
	if (c->document >= 0)
		close(c->document);
	c->http.fd = c->document = -1;
}

/* ---- a request ---- */

static int status_of(const struct server *s, const struct dt_http_request *r)
{
	if (strcmp(r->method, "GET") != 0 && strcmp(r->method, "HEAD") != 0)
		return 405;
	if (s->local && !dt_http_is_local(dt_http_field(r, "Host"), 0))
		return 403;
	if (strcmp(r->path, "/") == 0 || strcmp(r->path, "/metrics") == 0)
		return s->document >= 0 ? 200 : 503;
	return 404;
}

/* From here on the client is only written to. */
static void begin_answer(const struct server *s, struct client *c, int status)
{
	bool head = c->http.request.method != NULL && strcmp(c->http.request.method, "HEAD") == 0;
	struct stat st = { 0 };
	char fields[128];

	if (status == 200 && (c->document = dup(s->document)) >= 0)
		(void)fstat(c->document, &st);
	c->size = head ? 0 : st.st_size;
	snprintf(fields, sizeof(fields), "Content-Length: %lld\r\nConnection: close\r\n"
	    "X-Content-Type-Options: nosniff\r\n", (long long)st.st_size);
	c->head = dt_http_head(c->answer, sizeof(c->answer), status, status == 200 ? s->type : "text/plain",
	    fields);
}

static void read_request(const struct server *s, struct client *c)
{
	int status;

	switch (dt_http_receive(&c->http, &status)) {
	case DT_HTTP_REQUEST:
		begin_answer(s, c, status_of(s, &c->http.request));
		break;
	case DT_HTTP_REFUSED:
		begin_answer(s, c, status);
		break;
	case DT_HTTP_CLOSED:
		drop_client(c);
		break;
	case DT_HTTP_WAIT:
	case DT_HTTP_IDLE:
		break;
	}
}

/* ---- an answer ---- */

static void write_answer(struct client *c)
{
	ssize_t n;

	if (c->sent < c->head) {
		n = send(c->http.fd, c->answer + c->sent, c->head - c->sent, MSG_NOSIGNAL);
		if (n > 0)
			c->sent += (size_t)n;
	} else {
		n = sendfile(c->http.fd, c->document, &c->at, (size_t)(c->size - c->at));
	}
	if (n <= 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || (c->sent == c->head && c->at >= c->size)) {
		(void)shutdown(c->http.fd, SHUT_WR);
		drop_client(c);
	}
}

/* ---- all of them ---- */

/* A free place, or that of the client which goes first. */
static struct client *free_place(struct server *s)
{
	struct client *first = &s->client[0];

	for (size_t i = 0; i < MAX_CLIENTS; i++) {
		struct client *c = &s->client[i];

		if (c->http.fd < 0)
			return c;
		if ((c->head == 0 && first->head > 0) ||
		    ((c->head == 0) == (first->head == 0) && c->until < first->until))
			first = c;
	}
	drop_client(first);
	return first;
}

static void add_client(struct server *s, int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct client *c = fd >= 0 ? free_place(s) : NULL;

	if (c == NULL)
		return;
	c->http = (struct dt_http){ .fd = fd, .bytes = c->request, .size = sizeof(c->request) };
	c->until = dt_clock_ns() + TIMEOUT_NS;
	c->head = c->sent = 0;
	c->at = c->size = 0;
}

/* False: the tracer is gone. */
static bool take_document(struct server *s)
{
	int fds[DT_SENDFD_MAX], n = 0;
	char byte;
	long len = dt_sendfd_receive(3, &byte, 1, fds, &n);

	if (len == 0 || (len < 0 && len != -EINTR && len != -EAGAIN))
		return false;
	for (int i = 0; i < n; i++) {
		if (s->document >= 0)
			close(s->document);
		s->document = fds[i];
	}
	return true;
}

/* One round: waits at most a second, so that clients whose time is up are noticed. */
static bool serve_once(struct server *s)
{
	struct pollfd p[MAX_CLIENTS + 2] = { { 3, POLLIN, 0 }, { 4, POLLIN, 0 } };

	for (size_t i = 0; i < MAX_CLIENTS; i++) {
		const struct client *c = &s->client[i];

		p[i + 2] = (struct pollfd){ c->http.fd, c->head > 0 ? POLLOUT : POLLIN, 0 };
	}
	(void)poll(p, MAX_CLIENTS + 2, 1000);
	for (size_t i = 0; i < MAX_CLIENTS; i++) {
		struct client *c = &s->client[i];

		if (c->http.fd >= 0 && p[i + 2].revents != 0 && c->head > 0)
			write_answer(c);
		else if (c->http.fd >= 0 && p[i + 2].revents != 0)
			read_request(s, c);
		if (c->http.fd >= 0 && dt_clock_ns() > c->until)
			drop_client(c);
	}
	if (p[1].revents != 0)
		add_client(s, 4);
	return p[0].revents == 0 || take_document(s);
}

/* As the reader of symbols (file/reader_box.c): no files, no processes, and only the calls made here. */
static void enter_box(void)
{
	static const int calls[] = {
		SYS_recvfrom, SYS_sendto, SYS_sendfile, SYS_close, SYS_fstat, SYS_newfstatat, SYS_dup,
		SYS_accept4, SYS_ppoll, SYS_recvmsg, SYS_shutdown, SYS_clock_gettime, SYS_futex,
		SYS_rt_sigreturn, SYS_exit, SYS_exit_group,
#ifdef SYS_poll
		SYS_poll,
#endif
	};
	static const int none[] = { RLIMIT_CORE, RLIMIT_FSIZE, RLIMIT_NPROC };

	for (size_t i = 0; i < DT_COUNT(none); i++)
		(void)setrlimit(none[i], &(struct rlimit){ 0, 0 });
	(void)setrlimit(RLIMIT_NOFILE, &(struct rlimit){ MAX_FILES, MAX_FILES });
	dt_box_files();
	dt_box_calls(dt_machine_here()->elf | __AUDIT_ARCH_64BIT | __AUDIT_ARCH_LE, calls, DT_COUNT(calls));
}

_Noreturn void dt_serve_child(int parent, const int socks[2], const char *type, bool local)
{
	struct server s = { .document = -1, .type = type, .local = local };

	for (size_t i = 0; i < MAX_CLIENTS; i++)
		s.client[i].http.fd = s.client[i].document = -1;
	if (!dt_child_leave(socks, 2, parent, "dtrace-serve") || !dt_child_drop_rights())
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);	/* a change of identity clears it */
	if (getppid() != parent)
		_exit(1);
	enter_box();
	while (serve_once(&s))
		;
	_exit(0);
}
