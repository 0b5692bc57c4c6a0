/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The child that answers (serve.h). Clients may be enemies: each has ROOM bytes for its request and
 * PATIENCE for all of it, request and answer; there are MANY of them at most, and one more takes the place
 * of the one that has been there longest, those first that have not asked yet. A request is GET or HEAD of
 * / or /metrics. Pages of other places, which a browser shows beside it, get nothing: if we listen on this
 * machine alone, the Host has to be a name of it.
 */
#include "process/serve_impl.h"

#include "base/box.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/pass.h"
#include "machine/machine.h"

#include <errno.h>
#include <linux/audit.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROOM = 4096, MANY = 32, FILES = 2 * MANY + 32 };
#define PATIENCE 10000000000u	/* ns */

struct client {
	int fd, document;		/* -1: none */
	uint64_t until;
	size_t got;			/* of the request */
	char text[ROOM + 1];		/* the request, then the head of the answer */
	size_t head, sent;		/* of the answer; 0: not known yet */
	off_t at, size;			/* in the document */
};

struct server {
	struct client client[MANY];
	int document;
	const char *type;
	bool local;
};

static void drop_client(struct client *c)
{
	close(c->fd);
	if (c->document >= 0)
		close(c->document);
	c->fd = c->document = -1;
}

/* ---- a request ---- */

/* The value of Host, or NULL; n: its length. */
static const char *host_of(const char *request, size_t *n)
{
	for (const char *line = strstr(request, "\r\n"); line != NULL; line = strstr(line + 2, "\r\n"))
		if (strncasecmp(line + 2, "host:", 5) == 0) {
			line += 7 + strspn(line + 7, " \t");
			*n = strcspn(line, " \t\r\n");
			return line;
		}
	return NULL;
}

static bool is_our_name(const char *host, size_t n)
{
	static const char *const names[] = { "localhost", "127.", "[::1]" };

	for (size_t i = 0; host != NULL && i < DT_COUNT(names); i++) {
		size_t len = strlen(names[i]);

		if (n < len || strncasecmp(host, names[i], len) != 0)
			continue;
		if (names[i][len - 1] == '.')
			return strspn(host, "0123456789.:") == n;
		return n == len || host[len] == ':';
	}
	return false;
}

static const char *status_of(const struct server *s, const char *request)
{
	size_t n = 0, verb = strncmp(request, "HEAD ", 5) == 0 ? 5 : 4;
	const char *host = host_of(request, &n);

	if (verb == 4 && strncmp(request, "GET ", 4) != 0)
		return "405 Method Not Allowed";
	if (s->local && !is_our_name(host, n))
		return "403 Forbidden";
	request += verb;
	n = strcspn(request, " ?\r\n");
	if ((n == 1 && request[0] == '/') || (n == 8 && strncmp(request, "/metrics", 8) == 0))
		return s->document >= 0 ? "200 OK" : "503 Service Unavailable";
	return "404 Not Found";
}

/* From here on the client is only written to. */
static void begin_answer(const struct server *s, struct client *c, const char *status)
{
	bool good = strncmp(status, "200", 3) == 0, head = strncmp(c->text, "HEAD ", 5) == 0;
	struct stat st = { 0 };

	if (good && (c->document = dup(s->document)) >= 0)
		(void)fstat(c->document, &st);
	c->size = head ? 0 : st.st_size;
	c->head = (size_t)snprintf(c->text, sizeof(c->text), "HTTP/1.1 %s\r\nContent-Type: %s\r\n"
	    "Content-Length: %lld\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n\r\n", status,
	    good ? s->type : "text/plain", (long long)st.st_size);
}

static void read_request(const struct server *s, struct client *c)
{
	ssize_t n = read(c->fd, c->text + c->got, ROOM - c->got);

	if (n <= 0) {
		if (n == 0 || (errno != EAGAIN && errno != EINTR))
			drop_client(c);
		return;
	}
	c->got += (size_t)n;
	c->text[c->got] = '\0';
	if (memchr(c->text, '\0', c->got) != NULL)
		begin_answer(s, c, "400 Bad Request");
	else if (strstr(c->text, "\r\n\r\n") != NULL)
		begin_answer(s, c, status_of(s, c->text));
	else if (c->got == ROOM)
		begin_answer(s, c, "431 Request Header Fields Too Large");
}

/* ---- an answer ---- */

static void write_answer(struct client *c)
{
	ssize_t n;

	if (c->sent < c->head) {
		n = send(c->fd, c->text + c->sent, c->head - c->sent, MSG_NOSIGNAL);
		if (n > 0)
			c->sent += (size_t)n;
	} else {
		n = sendfile(c->fd, c->document, &c->at, (size_t)(c->size - c->at));
	}
	if (n <= 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || (c->sent == c->head && c->at >= c->size)) {
		(void)shutdown(c->fd, SHUT_WR);
		drop_client(c);
	}
}

/* ---- all of them ---- */

/* A free place, or that of the client which goes first. */
static struct client *make_room(struct server *s)
{
	struct client *first = &s->client[0];

	for (size_t i = 0; i < MANY; i++) {
		struct client *c = &s->client[i];

		if (c->fd < 0)
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
	struct client *c = fd >= 0 ? make_room(s) : NULL;

	if (c == NULL)
		return;
	c->fd = fd;
	c->until = dt_clock_ns() + PATIENCE;
	c->got = c->head = c->sent = 0;
	c->at = c->size = 0;
}

/* False: the tracer is gone. */
static bool take_document(struct server *s)
{
	int fds[DT_PASS_FDS], n = 0;
	char byte;
	long len = dt_pass_receive(3, &byte, 1, fds, &n);

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
	struct pollfd p[MANY + 2] = { { 3, POLLIN, 0 }, { 4, POLLIN, 0 } };

	for (size_t i = 0; i < MANY; i++) {
		const struct client *c = &s->client[i];

		p[i + 2] = (struct pollfd){ c->fd, c->head > 0 ? POLLOUT : POLLIN, 0 };
	}
	(void)poll(p, MANY + 2, 1000);
	for (size_t i = 0; i < MANY; i++) {
		struct client *c = &s->client[i];

		if (c->fd >= 0 && p[i + 2].revents != 0 && c->head > 0)
			write_answer(c);
		else if (c->fd >= 0 && p[i + 2].revents != 0)
			read_request(s, c);
		if (c->fd >= 0 && dt_clock_ns() > c->until)
			drop_client(c);
	}
	if (p[1].revents != 0)
		add_client(s, 4);
	return p[0].revents == 0 || take_document(s);
}

/* As the reader of symbols (symbol/reader_box.c): no files, no processes, and only the calls made here. */
static void enter_box(void)
{
	static const int calls[] = {
		SYS_read, SYS_sendto, SYS_sendfile, SYS_close, SYS_fstat, SYS_newfstatat, SYS_dup,
		SYS_accept4, SYS_ppoll, SYS_recvmsg, SYS_shutdown, SYS_clock_gettime, SYS_futex,
		SYS_rt_sigreturn, SYS_exit, SYS_exit_group,
#ifdef SYS_poll
		SYS_poll,
#endif
	};
	static const int none[] = { RLIMIT_CORE, RLIMIT_FSIZE, RLIMIT_NPROC };

	for (size_t i = 0; i < DT_COUNT(none); i++)
		(void)setrlimit(none[i], &(struct rlimit){ 0, 0 });
	(void)setrlimit(RLIMIT_NOFILE, &(struct rlimit){ FILES, FILES });
	dt_box_files();
	dt_box_calls(dt_machine_here()->elf | __AUDIT_ARCH_64BIT | __AUDIT_ARCH_LE, calls, DT_COUNT(calls));
}

_Noreturn void dt_serve_child(int parent, const int socks[2], const char *type, bool local)
{
	struct server s = { .document = -1, .type = type, .local = local };

	for (size_t i = 0; i < MANY; i++)
		s.client[i].fd = s.client[i].document = -1;
	if (!dt_pass_leave(socks, 2, parent, "dtrace-serve") || !dt_pass_drop_rights())
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);	/* a change of identity clears it */
	if (getppid() != parent)
		_exit(1);
	enter_box();
	while (serve_once(&s))
		;
	_exit(0);
}
