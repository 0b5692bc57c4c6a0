/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of sockets, by level. */
#include "decode.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

static const struct name levels[] = {
	{ SOL_SOCKET, "SOL_SOCKET" }, { 0, "SOL_IP" }, { 6, "SOL_TCP" }, { 17, "SOL_UDP" },
	{ 41, "SOL_IPV6" },
	{ 58, "SOL_ICMPV6" }, { 132, "SOL_SCTP" }, { 255, "SOL_RAW" }, { 263, "SOL_PACKET" },
	{ 270, "SOL_NETLINK" }, { 279, "SOL_ALG" },
};
static const struct name of_socket[] = {
	{ SO_DEBUG, "SO_DEBUG" }, { SO_REUSEADDR, "SO_REUSEADDR" }, { SO_TYPE, "SO_TYPE" },
	{ SO_ERROR, "SO_ERROR" },
	{ SO_DONTROUTE, "SO_DONTROUTE" }, { SO_BROADCAST, "SO_BROADCAST" }, { SO_SNDBUF, "SO_SNDBUF" },
	{ SO_RCVBUF, "SO_RCVBUF" }, { SO_KEEPALIVE, "SO_KEEPALIVE" }, { SO_OOBINLINE, "SO_OOBINLINE" },
	{ SO_PRIORITY, "SO_PRIORITY" }, { SO_LINGER, "SO_LINGER" }, { SO_REUSEPORT, "SO_REUSEPORT" },
	{ SO_PASSCRED, "SO_PASSCRED" }, { SO_PEERCRED, "SO_PEERCRED" }, { SO_RCVLOWAT, "SO_RCVLOWAT" },
	{ SO_SNDLOWAT, "SO_SNDLOWAT" }, { SO_RCVTIMEO, "SO_RCVTIMEO_OLD" },
	{ SO_SNDTIMEO, "SO_SNDTIMEO_OLD" },
	{ SO_BINDTODEVICE, "SO_BINDTODEVICE" }, { SO_ATTACH_FILTER, "SO_ATTACH_FILTER" },
	{ SO_TIMESTAMP, "SO_TIMESTAMP_OLD" }, { SO_ACCEPTCONN, "SO_ACCEPTCONN" },
	{ SO_PEERSEC, "SO_PEERSEC" },
	{ SO_SNDBUFFORCE, "SO_SNDBUFFORCE" }, { SO_RCVBUFFORCE, "SO_RCVBUFFORCE" }, { SO_MARK, "SO_MARK" },
	{ SO_PROTOCOL, "SO_PROTOCOL" }, { SO_DOMAIN, "SO_DOMAIN" }, { SO_PEEK_OFF, "SO_PEEK_OFF" },
	{ SO_BUSY_POLL, "SO_BUSY_POLL" }, { SO_INCOMING_CPU, "SO_INCOMING_CPU" }, { SO_COOKIE, "SO_COOKIE" },
	{ SO_ZEROCOPY, "SO_ZEROCOPY" },
};
static const struct name of_ip[] = {
	{ 1, "IP_TOS" }, { 2, "IP_TTL" }, { 3, "IP_HDRINCL" }, { 4, "IP_OPTIONS" }, { 8, "IP_PKTINFO" },
	{ 10, "IP_MTU_DISCOVER" }, { 11, "IP_RECVERR" }, { 12, "IP_RECVTTL" }, { 13, "IP_RECVTOS" },
	{ 14, "IP_MTU" }, { 15, "IP_FREEBIND" }, { 19, "IP_TRANSPARENT" }, { 24, "IP_BIND_ADDRESS_NO_PORT" },
	{ 32, "IP_MULTICAST_IF" }, { 33, "IP_MULTICAST_TTL" }, { 34, "IP_MULTICAST_LOOP" },
	{ 35, "IP_ADD_MEMBERSHIP" }, { 36, "IP_DROP_MEMBERSHIP" }, { 51, "IP_LOCAL_PORT_RANGE" },
};
static const struct name of_ipv6[] = {
	{ 16, "IPV6_UNICAST_HOPS" }, { 17, "IPV6_MULTICAST_IF" }, { 18, "IPV6_MULTICAST_HOPS" },
	{ 19, "IPV6_MULTICAST_LOOP" }, { 20, "IPV6_ADD_MEMBERSHIP" }, { 23, "IPV6_MTU_DISCOVER" },
	{ 24, "IPV6_MTU" }, { 25, "IPV6_RECVERR" }, { 26, "IPV6_V6ONLY" }, { 49, "IPV6_RECVPKTINFO" },
	{ 51, "IPV6_RECVHOPLIMIT" }, { 66, "IPV6_RECVTCLASS" }, { 67, "IPV6_TCLASS" },
	{ 78, "IPV6_FREEBIND" },
};
static const struct name of_tcp[] = {
	{ 1, "TCP_NODELAY" }, { 2, "TCP_MAXSEG" }, { 3, "TCP_CORK" }, { 4, "TCP_KEEPIDLE" },
	{ 5, "TCP_KEEPINTVL" }, { 6, "TCP_KEEPCNT" }, { 7, "TCP_SYNCNT" }, { 8, "TCP_LINGER2" },
	{ 9, "TCP_DEFER_ACCEPT" }, { 10, "TCP_WINDOW_CLAMP" }, { 11, "TCP_INFO" }, { 12, "TCP_QUICKACK" },
	{ 13, "TCP_CONGESTION" }, { 18, "TCP_USER_TIMEOUT" }, { 23, "TCP_FASTOPEN" },
	{ 25, "TCP_NOTSENT_LOWAT" },
	{ 30, "TCP_FASTOPEN_CONNECT" }, { 31, "TCP_ULP" },
};
static const struct name of_netlink[] = {
	{ 1, "NETLINK_ADD_MEMBERSHIP" }, { 2, "NETLINK_DROP_MEMBERSHIP" }, { 3, "NETLINK_PKTINFO" },
	{ 10, "NETLINK_CAP_ACK" }, { 11, "NETLINK_EXT_ACK" }, { 12, "NETLINK_GET_STRICT_CHK" },
};

static void put_option(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	static const struct { uint32_t level; const struct name *v; size_t n; } tables[] = {
		{ SOL_SOCKET, of_socket, COUNT(of_socket) }, { 0, of_ip, COUNT(of_ip) },
		{ 41, of_ipv6, COUNT(of_ipv6) }, { 6, of_tcp, COUNT(of_tcp) },
		{ 270, of_netlink, COUNT(of_netlink) },
	};

	(void)k;
	for (size_t i = 0; i < COUNT(tables); i++) {
		if (tables[i].level == (uint32_t)c->a[arg - 1]) {
			put_name(t, (uint32_t)c->a[arg], tables[i].v, tables[i].n, NULL);
			return;
		}
	}
	text_hex(t, (uint32_t)c->a[arg]);
}

static void put_bytes_by_option(struct text *t, const struct call *c, const char *p, size_t n)
{
	bool socket = (uint32_t)c->a[1] == SOL_SOCKET;
	int32_t v[4] = { 0 };

	memcpy(v, p, n < sizeof(v) ? n : sizeof(v));
	if (socket && c->a[2] == SO_LINGER && n >= 8)
		text_format(t, "{l_onoff=%d, l_linger=%d}", v[0], v[1]);
	else if (socket && c->a[2] == SO_PEERCRED && n >= 12)
		text_format(t, "{pid=%d, uid=%d, gid=%d}", v[0], v[1], v[2]);
	else if (n == sizeof(int))
		text_format(t, "[%d]", v[0]);
	else
		put_limited(t, c, p, n, n);
}

static void put_value(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	bool out = k->nnames > 0;
	size_t size = 0;
	const char *p = c->a[arg] != 0 && !(out && call_failed(c)) ? call_bytes(c, arg, 0, &size) : NULL;
	int64_t n = out ? call_number(c, c->row->lenarg[arg], 1) : (int32_t)c->a[c->row->lenarg[arg]];

	if (p == NULL || n < 0)
		text_addr(t, c->a[arg]);
	else
		put_bytes_by_option(t, c, p, (size_t)n < size ? (size_t)n : size);
}

static const struct kind list[] = {
	{ .name = "sollevel", .put = put_kind_name, NAMES(levels) },
	{ .name = "soopt", .put = put_option },
	{ .name = "soval", .put = put_value, .fetch = MEM("(int)%n", "128"), .nrecs = 1 },
	{ .name = "osoval", .put = put_value, .nrecs = 1, .nnames = 1,
	    .fetch = MEM(INT_AT("%n") " & " DONE, "128") },
};
KINDS(kinds_sockopt);
