/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for descriptors: poll(), select(), epoll. */
#include "decode.h"

#include <poll.h>
#include <string.h>
#include <sys/epoll.h>

#define MAX_POLLFDS 32			/* descriptors of one call that are shown */
#define POLLFDS_SIZE "256"		/* MAX_POLLFDS times struct pollfd */
#define MAX_EVENTS 16
#define EVENTS "16"			/* MAX_EVENTS */
#define MAX_SET 64			/* descriptors of select() that are shown */

static const struct name poll_bits[] = {
	{ 1, "POLLIN" }, { 2, "POLLPRI" }, { 4, "POLLOUT" }, { 8, "POLLERR" }, { 16, "POLLHUP" },
	{ 32, "POLLNVAL" }, { 0x40, "POLLRDNORM" }, { 0x80, "POLLRDBAND" }, { 0x100, "POLLWRNORM" },
	{ 0x200, "POLLWRBAND" }, { 0x400, "POLLMSG" }, { 0x2000, "POLLRDHUP" },
};

static size_t poll_count(const struct call *c)
{
	size_t n = (size_t)(uint32_t)c->a[1];

	return n < MAX_POLLFDS ? n : MAX_POLLFDS;
}

static void put_pollfds(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	struct pollfd v[MAX_POLLFDS];
	size_t n = poll_count(c);

	(void)k;
	if (!call_struct(t, c, arg, 0, v, n * sizeof(v[0])))
		return;
	text_char(t, '[');
	for (size_t i = 0; i < n; i++) {
		text_put(t, i > 0 ? ", {fd=" : "{fd=");
		put_fd(t, c, v[i].fd);
		if (v[i].fd >= 0) {
			text_put(t, ", events=");
			put_flags(t, (uint16_t)v[i].events, poll_bits, COUNT(poll_bits), NULL);
		}
		text_char(t, '}');
	}
	text_put(t, n < (uint32_t)c->a[1] ? ", ...]" : "]");
}

/* "1 ([{fd=3, revents=POLLIN}])" */
static void put_ret_poll(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	struct pollfd v[MAX_POLLFDS];
	size_t n = poll_count(c), size = 0;
	const void *p = c->ret > 0 ? call_bytes(c, 0, 0, &size) : NULL;
	const char *between = " ([";

	(void)arg;
	(void)k;
	text_int(t, c->ret);
	if (c->ret == 0)
		text_put(t, " (Timeout)");
	if (c->ret <= 0 || p == NULL || size < n * sizeof(v[0]))
		return;
	memcpy(v, p, n * sizeof(v[0]));
	for (size_t i = 0; i < n; i++) {
		if (v[i].revents == 0)
			continue;
		text_format(t, "%s{fd=%d, revents=", between, v[i].fd);
		put_flags(t, (uint16_t)v[i].revents, poll_bits, COUNT(poll_bits), NULL);
		text_char(t, '}');
		between = ", ";
	}
	text_put(t, n < (uint32_t)c->a[1] ? ", ...]" : "]");
	put_left(t, c);
	text_char(t, ')');
}

/* ---- select() ---- */

/* A set as the call was given it: its first word is kept at the entry, as the call writes over it. */
static void put_words(struct text *t, const struct call *c, uint64_t bits, bool names)
{
	const char *between = "";

	text_char(t, '[');
	for (int fd = 0; fd < MAX_SET && fd < (int)c->a[0]; fd++) {
		if (!(bits >> fd & 1))
			continue;
		text_put(t, between);
		if (names)
			put_fd(t, c, fd);
		else
			text_int(t, fd);
		between = " ";
	}
	text_put(t, (int)c->a[0] > MAX_SET ? " ...]" : "]");
}

static void put_fdset(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)k;
	if (c->a[arg] == 0 || c->data == NULL)
		text_addr(t, c->a[arg]);
	else
		put_words(t, c, (uint64_t)call_number(c, arg, 0), true);
}

/* "1 (in [3])" */
static void put_ret_select(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	static const char *const names[] = { "in ", "out ", "except " };
	const char *between = " (";

	(void)arg;
	(void)k;
	text_int(t, c->ret);
	if (c->ret == 0)
		text_put(t, " (Timeout)");
	if (c->ret <= 0 || c->data == NULL)
		return;
	for (unsigned i = 0; i < 3; i++) {
		uint64_t bits = (uint64_t)call_number(c, 1 + i, 1);

		if (c->a[1 + i] == 0 || bits == 0)
			continue;
		text_put(t, between);
		text_put(t, names[i]);
		put_words(t, c, bits, false);
		between = ", ";
	}
	if (between[0] == ',') {
		put_left(t, c);
		text_char(t, ')');
	}
}

/* ---- epoll ---- */

static const struct name epoll_bits[] = {
	{ EPOLLIN, "EPOLLIN" }, { EPOLLPRI, "EPOLLPRI" }, { EPOLLOUT, "EPOLLOUT" }, { EPOLLERR, "EPOLLERR" },
	{ EPOLLHUP, "EPOLLHUP" }, { EPOLLRDNORM, "EPOLLRDNORM" }, { EPOLLRDBAND, "EPOLLRDBAND" },
	{ EPOLLWRNORM, "EPOLLWRNORM" }, { EPOLLWRBAND, "EPOLLWRBAND" }, { EPOLLMSG, "EPOLLMSG" },
	{ EPOLLRDHUP, "EPOLLRDHUP" }, { EPOLLEXCLUSIVE, "EPOLLEXCLUSIVE" }, { EPOLLWAKEUP, "EPOLLWAKEUP" },
	{ EPOLLONESHOT, "EPOLLONESHOT" }, { EPOLLET, "EPOLLET" },
};
static const struct name epoll_ops[] = {
	{ 1, "EPOLL_CTL_ADD" }, { 2, "EPOLL_CTL_DEL" }, { 3, "EPOLL_CTL_MOD" },
};

static void put_event(struct text *t, const struct epoll_event *e)
{
	uint64_t v = e->data.u64;

	text_put(t, "{events=");
	put_flags(t, e->events, epoll_bits, COUNT(epoll_bits), NULL);
	text_put(t, ", data=");
	text_format(t, "{u32=%u, u64=%llu}}", (uint32_t)v, (unsigned long long)v);
}

static void put_epoll_event(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	struct epoll_event e;

	(void)k;
	if (call_struct(t, c, arg, 0, &e, sizeof(e)))
		put_event(t, &e);
}

static void put_epoll_events(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	struct epoll_event v[MAX_EVENTS];
	size_t n = c->ret > 0 && c->ret < MAX_EVENTS ? (size_t)c->ret : c->ret > 0 ? MAX_EVENTS : 0;

	(void)k;
	if (!call_written(t, c, arg, true, v, n * sizeof(v[0])))
		return;
	text_char(t, '[');
	for (size_t i = 0; i < n; i++) {
		text_put(t, i > 0 ? ", " : "");
		put_event(t, &v[i]);
	}
	text_put(t, (int64_t)n < c->ret ? ", ...]" : "]");
}

static const struct kind list[] = {
	{ .name = "pollfds", .put = put_pollfds, .fetch = MEM("%n * 8", POLLFDS_SIZE), .nrecs = 1 },
	{ .name = "=poll", .put = put_ret_poll },
	{ .name = "fdset", .put = put_fdset, .nrecs = 2, .entry = "self->w%k = " LONG_AT("%a") ";",
	    .fetch = "trace(self->w%k); trace(" LONG_AT("%a") ");" },
	{ .name = "=select", .put = put_ret_select },
	{ .name = "epollop", .put = put_kind_name, NAMES(epoll_ops) },
	{ .name = "epollev", .put = put_epoll_event, .fetch = IN("%z"), .nrecs = 1,
	    .size = sizeof(struct epoll_event) },
	{ .name = "epollevs", .put = put_epoll_events, .nrecs = 1,
	    .fetch = MEM("arg0 * %z", "(" EVENTS " * %z)"), .size = sizeof(struct epoll_event) },
};
KINDS(kinds_poll);
