/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * provider_net tcp ADDRESS PORT: 5 connections, each 6000 bytes there and 500 back, then 3 connects to PORT
 * + 2, where nobody listens. provider_net udp|udplite ADDRESS PORT: 4 datagrams of 100 to 400 bytes there,
 * 50 bytes back for each, then 2 to PORT + 2. provider_net ping ADDRESS [far]: 3 echo requests of 64 bytes,
 * answered by the kernel; from that address too, but for far; IPv4. provider_net sctp ADDRESS: 5 packets
 * that say they are of SCTP, of 40 bytes, to itself; IPv4. The kernel need not have that protocol.
 * provider_net pieces ADDRESS PORT: a network of its own whose packets have 1500 bytes; a datagram of 4000
 * in it. provider_net full ADDRESS PORT: datagrams to a socket that nobody reads until none fits.
 * provider_net again ADDRESS PORT: connects to a full queue until a segment has been sent again.
 * provider_net lost ADDRESS PORT: 5 connections, each 1000 bytes that are lost on the way at first, and 500
 * bytes that come before them. provider_net unorder ADDRESS PORT: a connection that gets 3 segments of 100
 * bytes from beyond a gap; IPv4. provider_net abort ADDRESS PORT: 2 connections that are ended by a reset.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = 5, REFUSED = 3, THERE = 6000, BACK = 500 };

struct end {
	struct sockaddr_storage address;
	socklen_t len;
	int listener, protocol;
};

static void must(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(2);
	}
}

static struct end at(const char *text, int port)
{
	struct end e = { .listener = -1 };
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&e.address;
	struct sockaddr_in *four = (struct sockaddr_in *)&e.address;

	if (inet_pton(AF_INET6, text, &six->sin6_addr) == 1) {
		six->sin6_family = AF_INET6;
		six->sin6_port = htons((uint16_t)port);
		e.len = sizeof(*six);
		return e;
	}
	must(inet_pton(AF_INET, text, &four->sin_addr) == 1, "inet_pton");
	four->sin_family = AF_INET;
	four->sin_port = htons((uint16_t)port);
	e.len = sizeof(*four);
	return e;
}

static int made(const struct end *e, int type)
{
	int fd = socket(e->address.ss_family, type, e->protocol), one = 1;

	must(fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0, "socket");
	return fd;
}

static int bound(const struct end *e, int type)
{
	int fd = made(e, type);

	must(bind(fd, (const struct sockaddr *)&e->address, e->len) == 0, "bind");
	return fd;
}

/* Until the other side ends, or len bytes. */
static void takes(int fd, size_t len)
{
	char buf[8192];

	for (ssize_t n; len > 0; len -= (size_t)n) {
		n = read(fd, buf, len < sizeof(buf) ? len : sizeof(buf));
		must(n > 0, "read");
	}
}

static void *serves(void *arg)
{
	const struct end *e = arg;
	char buf[BACK] = { 0 }, c;

	for (int i = 0; i < CONNECTIONS; i++) {
		int fd = accept(e->listener, NULL, NULL);

		must(fd >= 0, "accept");
		takes(fd, THERE);
		must(write(fd, buf, BACK) == BACK, "write");
		must(read(fd, &c, 1) == 0, "end of the stream");
		close(fd);
	}
	return NULL;
}

/* In its three pieces; it ends first, so it is this side that has to wait in the end. */
static void converses(const struct end *e)
{
	static const size_t piece[] = { 1000, 2000, 3000 };
	char buf[3000] = { 0 }, c;
	int fd = made(e, SOCK_STREAM);

	must(connect(fd, (const struct sockaddr *)&e->address, e->len) == 0, "connect");
	for (size_t i = 0; i < 3; i++)
		must(write(fd, buf, piece[i]) == (ssize_t)piece[i], "write");
	takes(fd, BACK);
	must(shutdown(fd, SHUT_WR) == 0 && read(fd, &c, 1) == 0, "shutdown");
	close(fd);
}

static void tcp(struct end *e, const struct end *nobody)
{
	pthread_t server;

	e->listener = bound(e, SOCK_STREAM);
	must(listen(e->listener, 16) == 0 && pthread_create(&server, NULL, serves, e) == 0, "listen");
	for (int i = 0; i < CONNECTIONS; i++)
		converses(e);
	must(pthread_join(server, NULL) == 0, "join");
	for (int i = 0; i < REFUSED; i++) {
		int fd = made(nobody, SOCK_STREAM);

		must(connect(fd, (const struct sockaddr *)&nobody->address, nobody->len) < 0 &&
		    errno == ECONNREFUSED, "refused");
		close(fd);
	}
	close(e->listener);
}

static void udp(const struct end *e, const struct end *nobody)
{
	int server = bound(e, SOCK_DGRAM), client = made(e, SOCK_DGRAM), one = made(e, SOCK_DGRAM);
	struct sockaddr_storage from;
	char buf[400] = { 0 };
	socklen_t len;

	for (size_t size = 100; size <= 400; size += 100) {
		must(sendto(client, buf, size, 0, (const struct sockaddr *)&e->address,
		    e->len) == (ssize_t)size, "sendto");
		len = sizeof(from);
		must(recvfrom(server, buf, sizeof(buf), 0, (struct sockaddr *)&from, &len) == (ssize_t)size,
		    "recvfrom");
		must(sendto(server, buf, 50, 0, (const struct sockaddr *)&from, len) == 50 &&
		    recv(client, buf, sizeof(buf), 0) == 50, "back");
	}
	for (int i = 0; i < 2; i++)
		must(sendto(one, buf, 10, 0, (const struct sockaddr *)&nobody->address, nobody->len) == 10,
		    "sendto");
}

static uint16_t sum_of(const void *data, size_t len)
{
	const uint8_t *p = data;
	uint32_t sum = 0;

	for (size_t i = 0; i + 1 < len; i += 2)
		sum += (uint32_t)(p[i] << 8 | p[i + 1]);
	sum = (sum >> 16) + (sum & 0xffff);
	return htons((uint16_t)~(sum + (sum >> 16)));
}

static void ping(const struct end *e, bool far)
{
	int fd = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
	uint8_t packet[64] = { 0 }, got[256];
	struct icmphdr *h = (struct icmphdr *)packet;
	struct timeval patience = { 10, 0 };

	must(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0, "timeout");
	must(fd >= 0 && (far || bind(fd, (const struct sockaddr *)&e->address, e->len) == 0), "raw socket");
	for (int i = 1; i <= 3; i++) {
		*h = (struct icmphdr){ .type = ICMP_ECHO,
			.un.echo = { htons((uint16_t)getpid()), htons((uint16_t)i) } };
		h->checksum = sum_of(packet, sizeof(packet));
		must(sendto(fd, packet, sizeof(packet), 0, (const struct sockaddr *)&e->address,
		    e->len) == (ssize_t)sizeof(packet), "sendto");
		/* the requests come here too, and what others ask */
		do
			must(recv(fd, got, sizeof(got), 0) >= 28, "recv");
		while (got[20] != ICMP_ECHOREPLY || memcmp(got + 24, packet + 4, 4) != 0);
	}
	close(fd);
}

static void sctp(const struct end *e)
{
	int fd = socket(AF_INET, SOCK_RAW, IPPROTO_SCTP);
	uint8_t packet[40] = { 0 }, got[256];

	must(fd >= 0 && bind(fd, (const struct sockaddr *)&e->address, e->len) == 0, "raw socket");
	for (int i = 1; i <= 5; i++) {
		packet[0] = (uint8_t)i;
		must(sendto(fd, packet, sizeof(packet), 0, (const struct sockaddr *)&e->address,
		    e->len) == (ssize_t)sizeof(packet), "sendto");
		must(recv(fd, got, sizeof(got), 0) == 60 && got[20] == i, "recv");
	}
	close(fd);
}

static void small_packets(void)
{
	struct ifreq r = { .ifr_name = "lo" };
	int fd;

	must(unshare(CLONE_NEWNET) == 0, "unshare");
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	r.ifr_flags = IFF_UP;
	must(fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &r) == 0, "lo");
	r.ifr_mtu = 1500;
	must(ioctl(fd, SIOCSIFMTU, &r) == 0, "mtu");
	close(fd);
}

static void pieces(const struct end *e)
{
	char buf[4000] = { 0 };
	int server, client;

	small_packets();
	server = bound(e, SOCK_DGRAM);
	client = made(e, SOCK_DGRAM);
	must(sendto(client, buf, sizeof(buf), 0, (const struct sockaddr *)&e->address,
	    e->len) == (ssize_t)sizeof(buf), "sendto");
	must(recv(server, buf, sizeof(buf), 0) == (ssize_t)sizeof(buf), "recv");
}

static void full(const struct end *e)
{
	int server = bound(e, SOCK_DGRAM), client = made(e, SOCK_DGRAM), room = 4096;
	char buf[2000] = { 0 };

	must(setsockopt(server, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)) == 0, "rcvbuf");
	for (int i = 0; i < 20; i++)
		must(sendto(client, buf, sizeof(buf), 0, (const struct sockaddr *)&e->address, e->len) > 0,
		    "sendto");
}

static void ends_hard(struct end *e)
{
	struct linger now = { 1, 0 };

	e->listener = bound(e, SOCK_STREAM);
	must(listen(e->listener, 16) == 0, "listen");
	for (int i = 0; i < 2; i++) {
		int fd = made(e, SOCK_STREAM), other;

		must(connect(fd, (const struct sockaddr *)&e->address, e->len) == 0, "connect");
		other = accept(e->listener, NULL, NULL);
		must(other >= 0 && setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now)) == 0, "linger");
		close(fd);
		close(other);
	}
}

/* The next byte of a queue of the connection (1 what comes, 2 what goes). */
static uint32_t next_byte(int fd, int queue)
{
	int on = 1, off = -1;
	socklen_t len = sizeof(uint32_t);
	uint32_t seq = 0;

	must(setsockopt(fd, IPPROTO_TCP, TCP_REPAIR, &on, sizeof(on)) == 0 &&
	    setsockopt(fd, IPPROTO_TCP, TCP_REPAIR_QUEUE, &queue, sizeof(queue)) == 0 &&
	    getsockopt(fd, IPPROTO_TCP, TCP_QUEUE_SEQ, &seq, &len) == 0 &&
	    setsockopt(fd, IPPROTO_TCP, TCP_REPAIR, &off, sizeof(off)) == 0, "TCP_REPAIR");
	return seq;
}

/* Segments made by hand, as if the ones before them had been lost. */
static void unorder(struct end *e)
{
	struct { uint32_t from, to; uint16_t protocol, len; struct tcphdr h; char data[100]; } s;
	int fd = made(e, SOCK_STREAM), raw = socket(AF_INET, SOCK_RAW, IPPROTO_TCP), other;
	struct sockaddr_in from;
	socklen_t len = sizeof(from);

	e->listener = bound(e, SOCK_STREAM);
	must(listen(e->listener, 1) == 0 && connect(fd, (const struct sockaddr *)&e->address, e->len) == 0,
	    "connect");
	other = accept(e->listener, NULL, NULL);
	must(raw >= 0 && other >= 0 && getsockname(fd, (struct sockaddr *)&from, &len) == 0, "raw socket");
	for (uint32_t i = 1; i <= 3; i++) {
		memset(&s, 0, sizeof(s));
		s.from = s.to = from.sin_addr.s_addr;
		s.protocol = htons(IPPROTO_TCP);
		s.len = htons(sizeof(s.h) + sizeof(s.data));
		s.h = (struct tcphdr){ .source = from.sin_port,
			.dest = ((struct sockaddr_in *)&e->address)->sin_port, .doff = 5, .ack = 1,
			.seq = htonl(next_byte(fd, 2) + 1000 * i), .ack_seq = htonl(next_byte(fd, 1)),
			.window = htons(1000) };
		s.h.check = sum_of(&s, sizeof(s));
		must(sendto(raw, &s.h, sizeof(s.h) + sizeof(s.data), 0, (const struct sockaddr *)&e->address,
		    e->len) > 0, "sendto");
	}
	close(other);
}

/* A queue of one is full with two; what comes then is not answered. */
static void again(struct end *e)
{
	struct tcp_info info = { 0 };
	int fd[4];

	e->listener = bound(e, SOCK_STREAM);
	must(listen(e->listener, 1) == 0, "listen");
	for (int i = 0; i < 4; i++) {
		fd[i] = made(e, SOCK_STREAM | SOCK_NONBLOCK);
		must(connect(fd[i], (const struct sockaddr *)&e->address, e->len) == 0 ||
		    errno == EINPROGRESS, "connect");
	}
	for (int i = 0; i < 6000 && info.tcpi_total_retrans == 0; i++) {
		socklen_t len = sizeof(info);

		must(getsockopt(fd[3], IPPROTO_TCP, TCP_INFO, &info, &len) == 0, "TCP_INFO");
		usleep(10000);
	}
	must(info.tcpi_total_retrans != 0, "nothing was sent again");
}

/* A filter takes nothing: what is sent meanwhile is lost, and sent again. */
static void loses(const struct end *e)
{
	struct sock_filter none = { .code = BPF_RET | BPF_K };
	struct sock_fprog drop = { .len = 1, .filter = &none };
	char buf[1000] = { 0 };
	int fd = made(e, SOCK_STREAM), one = 1, other;

	must(connect(fd, (const struct sockaddr *)&e->address, e->len) == 0, "connect");
	other = accept(e->listener, NULL, NULL);
	must(other >= 0 && setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) == 0, "accept");
	must(setsockopt(other, SOL_SOCKET, SO_ATTACH_FILTER, &drop, sizeof(drop)) == 0, "SO_ATTACH_FILTER");
	must(write(fd, buf, 1000) == 1000, "write");
	must(setsockopt(other, SOL_SOCKET, SO_DETACH_FILTER, &one, sizeof(one)) == 0, "SO_DETACH_FILTER");
	must(write(fd, buf, 500) == 500, "write");
	takes(other, 1500);
	close(fd);
	close(other);
}

static void lost(struct end *e)
{
	e->listener = bound(e, SOCK_STREAM);
	must(listen(e->listener, 16) == 0, "listen");
	for (int i = 0; i < CONNECTIONS; i++)
		loses(e);
}

/*
 * Loopback hands a packet over on the CPU that sent it: on one CPU nothing overtakes, so data cannot come
 * before the handshake has ended and each number is known.
 */
static void stays(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)sched_getcpu(), &set);
	must(sched_setaffinity(0, sizeof(set), &set) == 0, "one CPU");
}

int main(int argc, char **argv)
{
	int port = argc > 3 ? atoi(argv[3]) : 0;
	struct end e, nobody;

	if (argc < 3)
		return 2;
	stays();
	e = at(argv[2], port);
	nobody = at(argv[2], port + 2);
	if (strcmp(argv[1], "udplite") == 0)
		e.protocol = nobody.protocol = IPPROTO_UDPLITE;
	if (strcmp(argv[1], "tcp") == 0)
		tcp(&e, &nobody);
	else if (strcmp(argv[1], "udp") == 0 || strcmp(argv[1], "udplite") == 0)
		udp(&e, &nobody);
	else if (strcmp(argv[1], "ping") == 0)
		ping(&e, argc > 3);
	else if (strcmp(argv[1], "sctp") == 0)
		sctp(&e);
	else if (strcmp(argv[1], "pieces") == 0)
		pieces(&e);
	else if (strcmp(argv[1], "full") == 0)
		full(&e);
	else if (strcmp(argv[1], "abort") == 0)
		ends_hard(&e);
	else if (strcmp(argv[1], "unorder") == 0)
		unorder(&e);
	else if (strcmp(argv[1], "again") == 0)
		again(&e);
	else if (strcmp(argv[1], "lost") == 0)
		lost(&e);
	else
		return 2;
	return 0;
}
