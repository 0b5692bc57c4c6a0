/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting by epoll and an eventfd (wakeup.h). */
#include "base/wakeup.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 16 };

int dt_wakeup_open(int *epoll, int *event)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = -1 };

	*epoll = epoll_create1(EPOLL_CLOEXEC);
	*event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return *epoll < 0 || *event < 0 || epoll_ctl(*epoll, EPOLL_CTL_ADD, *event, &ev) < 0 ? -errno : 0;
}

int dt_wakeup_add(int epoll, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET, .data.fd = -1 };

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &ev) < 0 ? -errno : 0;
}

int dt_wakeup_wait(int epoll, int event, uint64_t timeout_ns)
{
	struct timespec t = { .tv_sec = (time_t)(timeout_ns / 1000000000),
		.tv_nsec = (long)(timeout_ns % 1000000000) };
	struct pollfd fd = { .fd = epoll, .events = POLLIN };
	struct epoll_event ev[EVENTS];
	uint64_t n;
	int got = ppoll(&fd, 1, &t, NULL);

	if (got < 0)
		return -errno;
	if (got == 0)
		return 0;
	while (epoll_wait(epoll, ev, EVENTS, 0) == EVENTS)
		;
	(void)!read(event, &n, sizeof(n));
	return 1;
}
