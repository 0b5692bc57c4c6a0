/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each kind of address, message and waiting, for dtruss: a server in a thread of its own, a datagram, a pair
 * of sockets that hands a descriptor over, poll(), select() and epoll, and connections that fail. What it
 * does is the same in every run, but for ports.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void must(bool good, const char *what)
{
	if (!good) {
		perror(what);
		exit(1);
	}
}

static int bound(int type, struct sockaddr_in *at)
{
	socklen_t len = sizeof(*at);
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0), on = 1;

	*at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	must(fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
	    bind(fd, (struct sockaddr *)at, sizeof(*at)) == 0 &&
	    getsockname(fd, (struct sockaddr *)at, &len) == 0, "bind");
	return fd;
}

static void *serves(void *listener)
{
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	char buf[64];
	int fd = accept4(*(int *)listener, (struct sockaddr *)&from, &len, SOCK_CLOEXEC);

	must(fd >= 0, "accept");
	must(recv(fd, buf, sizeof(buf), 0) == 6 && send(fd, "world\n", 6, 0) == 6, "answer");
	must(recv(fd, buf, sizeof(buf), 0) == 0, "end");
	close(fd);
	return NULL;
}

static void converses(void)
{
	struct sockaddr_in at;
	struct epoll_event e = { .events = EPOLLIN | EPOLLET, .data.u64 = 7 };
	int listener = bound(SOCK_STREAM, &at), fd = socket(AF_INET, SOCK_STREAM, 0), on = 1,
	    ep = epoll_create1(EPOLL_CLOEXEC);
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };
	pthread_t server;
	fd_set in;
	char buf[64];

	must(listen(listener, 5) == 0 && pthread_create(&server, NULL, serves, &listener) == 0, "listen");
	must(connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0, "connect");
	must(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0, "setsockopt");
	must(ppoll(&p, 1, &(struct timespec){ .tv_sec = 100 }, NULL) == 1, "poll");
	must(send(fd, "hello\n", 6, MSG_NOSIGNAL) == 6, "send");
	must(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e) == 0 && epoll_wait(ep, &e, 1, -1) == 1, "epoll");
	FD_ZERO(&in);
	FD_SET(fd, &in);
	must(select(fd + 1, &in, NULL, NULL, &(struct timeval){ .tv_sec = 100 }) == 1, "select");
	must(recv(fd, buf, sizeof(buf), 0) == 6, "receive");
	must(shutdown(fd, SHUT_WR) == 0 && pthread_join(server, NULL) == 0, "shutdown");
	close(fd);
	close(listener);
	close(ep);
}

static void sends_messages(void)
{
	struct sockaddr_in at, from;
	socklen_t len = sizeof(from);
	int pair[2], u = bound(SOCK_DGRAM, &at), file = STDIN_FILENO;
	char buf[16], name[16], control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec v = { "fd", 2 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	must(sendto(u, "abc", 3, 0, (struct sockaddr *)&at, sizeof(at)) == 3, "sendto");
	must(recvfrom(u, buf, sizeof(buf), 0, (struct sockaddr *)&from, &len) == 3, "recvfrom");
	close(u);
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "socketpair");
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &file, sizeof(file));
	must(sendmsg(pair[0], &m, 0) == 2, "sendmsg");
	v = (struct iovec){ buf, sizeof(buf) };
	m.msg_name = name;
	m.msg_namelen = sizeof(name);
	must(recvmsg(pair[1], &m, 0) == 2, "recvmsg");
	close(pair[0]);
	close(pair[1]);
}

static void fails(void)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(9),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/nonexistent/socket" };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	socklen_t len = sizeof(un);

	must(connect(fd, (struct sockaddr *)&un, sizeof(un)) < 0, "nobody is there");
	must(getpeername(fd, (struct sockaddr *)&un, &len) < 0, "no peer");
	close(fd);
	fd = socket(AF_INET6, SOCK_DGRAM, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&six, sizeof(six)) == 0)
		close(fd);
	must(poll(&(struct pollfd){ .fd = -1 }, 1, 0) == 0, "poll");
}

int main(void)
{
	converses();
	sends_messages();
	fails();
	return 0;
}
