/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets: families, types, protocols, addresses, flags of messages. */
#include "decode.h"

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

static const struct name families[] = {
	{ 0, "AF_UNSPEC" }, { 1, "AF_UNIX" }, { 2, "AF_INET" }, { 10, "AF_INET6" }, { 15, "AF_KEY" },
	{ 16, "AF_NETLINK" }, { 17, "AF_PACKET" }, { 21, "AF_RDS" }, { 29, "AF_CAN" }, { 30, "AF_TIPC" },
	{ 31, "AF_BLUETOOTH" }, { 38, "AF_ALG" }, { 39, "AF_NFC" }, { 40, "AF_VSOCK" }, { 44, "AF_XDP" },
};
static const struct name types[] = {
	{ 1, "SOCK_STREAM" }, { 2, "SOCK_DGRAM" }, { 3, "SOCK_RAW" }, { 4, "SOCK_RDM" },
	{ 5, "SOCK_SEQPACKET" },
	{ 6, "SOCK_DCCP" }, { 10, "SOCK_PACKET" },
};
static const struct name type_flags[] = {
	{ SOCK_CLOEXEC, "SOCK_CLOEXEC" }, { SOCK_NONBLOCK, "SOCK_NONBLOCK" },
};
static const struct name protocols[] = {
	{ 0, "IPPROTO_IP" }, { 1, "IPPROTO_ICMP" }, { 2, "IPPROTO_IGMP" }, { 6, "IPPROTO_TCP" },
	{ 17, "IPPROTO_UDP" }, { 41, "IPPROTO_IPV6" }, { 47, "IPPROTO_GRE" }, { 58, "IPPROTO_ICMPV6" },
	{ 132, "IPPROTO_SCTP" }, { 136, "IPPROTO_UDPLITE" }, { 255, "IPPROTO_RAW" }, { 262, "IPPROTO_MPTCP" },
};
static const struct name netlink[] = {
	{ 0, "NETLINK_ROUTE" }, { 2, "NETLINK_USERSOCK" }, { 4, "NETLINK_SOCK_DIAG" }, { 6, "NETLINK_XFRM" },
	{ 7, "NETLINK_SELINUX" }, { 9, "NETLINK_AUDIT" }, { 11, "NETLINK_CONNECTOR" },
	{ 12, "NETLINK_NETFILTER" }, { 15, "NETLINK_KOBJECT_UEVENT" }, { 16, "NETLINK_GENERIC" },
};
static const struct name message_flags[] = {
	{ 1, "MSG_OOB" }, { 2, "MSG_PEEK" }, { 4, "MSG_DONTROUTE" }, { 8, "MSG_CTRUNC" },
	{ 0x10, "MSG_PROBE" },
	{ 0x20, "MSG_TRUNC" }, { 0x40, "MSG_DONTWAIT" }, { 0x80, "MSG_EOR" }, { 0x100, "MSG_WAITALL" },
	{ 0x200, "MSG_FIN" }, { 0x400, "MSG_SYN" }, { 0x800, "MSG_CONFIRM" }, { 0x1000, "MSG_RST" },
	{ 0x2000, "MSG_ERRQUEUE" }, { 0x4000, "MSG_NOSIGNAL" }, { 0x8000, "MSG_MORE" },
	{ 0x10000, "MSG_WAITFORONE" }, { 0x20000000, "MSG_FASTOPEN" }, { 0x40000000, "MSG_CMSG_CLOEXEC" },
};
static const struct name shuts[] = { { 0, "SHUT_RD" }, { 1, "SHUT_WR" }, { 2, "SHUT_RDWR" } };

/* ---- addresses ---- */

static void put_inet(struct text *t, const void *p, size_t len)
{
	struct sockaddr_in a;
	char text[INET_ADDRSTRLEN] = "";

	(void)len;
	memcpy(&a, p, sizeof(a));
	inet_ntop(AF_INET, &a.sin_addr, text, sizeof(text));
	text_format(t, ", sin_port=htons(%u), sin_addr=inet_addr(\"%s\")", ntohs(a.sin_port), text);
}

static void put_inet6(struct text *t, const void *p, size_t len)
{
	struct sockaddr_in6 a = { .sin6_scope_id = 0 };
	char text[INET6_ADDRSTRLEN] = "";

	memcpy(&a, p, len < sizeof(a) ? len : sizeof(a));
	inet_ntop(AF_INET6, &a.sin6_addr, text, sizeof(text));
	text_format(t,
	    ", sin6_port=htons(%u), sin6_flowinfo=htonl(%u), inet_pton(AF_INET6, \"%s\", &sin6_addr), "
	    "sin6_scope_id=%u", ntohs(a.sin6_port), ntohl(a.sin6_flowinfo), text, a.sin6_scope_id);
}

/* An abstract name begins with a NUL and has no end but its length. */
static void put_unix(struct text *t, const void *p, size_t len)
{
	const char *path = (const char *)p + offsetof(struct sockaddr_un, sun_path);
	size_t n = len - offsetof(struct sockaddr_un, sun_path);

	if (n == 0)
		return;
	text_put(t, path[0] == '\0' && n > 1 ? ", sun_path=@" : ", sun_path=");
	if (path[0] == '\0' && n > 1)
		text_string(t, path + 1, n - 1, false);
	else
		text_string(t, path, strnlen(path, n), false);
}

static void put_netlink(struct text *t, const void *p, size_t len)
{
	struct sockaddr_nl a;

	(void)len;
	memcpy(&a, p, sizeof(a));
	text_format(t, ", nl_pid=%d, nl_groups=%08x", (int)a.nl_pid, a.nl_groups);
}

void put_sockaddr(struct text *t, const void *p, size_t len)
{
	static const struct {
		sa_family_t family;
		size_t least;
		void (*put)(struct text *, const void *, size_t);
	} known[] = {
		{ AF_INET, sizeof(struct sockaddr_in), put_inet }, { AF_INET6, 24, put_inet6 },
		{ AF_UNIX, 2, put_unix }, { AF_NETLINK, sizeof(struct sockaddr_nl), put_netlink },
	};
	sa_family_t family;

	if (len < sizeof(family)) {
		text_put(t, "{}");
		return;
	}
	memcpy(&family, p, sizeof(family));
	text_put(t, "{sa_family=");
	put_name(t, family, families, COUNT(families), "AF_???");
	for (size_t i = 0; i < COUNT(known); i++) {
		if (known[i].family == family && len >= known[i].least) {
			known[i].put(t, p, len);
			text_char(t, '}');
			return;
		}
	}
	text_put(t, ", sa_data=");
	text_string(t, (const char *)p + sizeof(family), len - sizeof(family), false);
	text_char(t, '}');
}

/* The length is an argument. */
static void put_addr_in(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	size_t size = 0, n = (size_t)(uint32_t)c->a[c->row->lenarg[arg]];
	const void *p = c->a[arg] != 0 ? call_bytes(c, arg, 0, &size) : NULL;

	(void)k;
	if (p == NULL)
		text_addr(t, c->a[arg]);
	else
		put_sockaddr(t, p, n < size ? n : size);
}

/* The length is where an argument says, as the call left it. */
static void put_addr_out(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	unsigned len_arg = c->row->lenarg[arg];
	size_t size = 0;
	const void *p = c->a[arg] != 0 && !call_failed(c) ? call_bytes(c, arg, 0, &size) : NULL;
	int64_t before = call_number(c, len_arg, 0), n = call_number(c, len_arg, 1);

	(void)k;
	n = n < before ? n : before;
	if (p == NULL || n < 0)
		text_addr(t, c->a[arg]);
	else if (n == 0)
		text_addr(t, c->a[arg]);
	else
		put_sockaddr(t, p, (size_t)n < size ? (size_t)n : size);
}

/* "[128 => 16]": what it was, and what it became. */
static void put_socklen(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	int64_t before, after;

	(void)k;
	if (c->a[arg] == 0 || c->data == NULL) {
		text_addr(t, c->a[arg]);
		return;
	}
	before = call_number(c, arg, 0);
	after = call_number(c, arg, 1);
	if (call_failed(c) || before == after)
		text_format(t, "[%lld]", (long long)before);
	else
		text_format(t, "[%lld => %lld]", (long long)before, (long long)after);
}

/* ---- socket() ---- */

static void put_type(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	uint32_t v = (uint32_t)c->a[arg], flags = v & ~0xfu;

	(void)k;
	put_name(t, v & 0xf, types, COUNT(types), "SOCK_???");
	if (flags != 0) {
		text_char(t, '|');
		put_flags(t, flags, type_flags, COUNT(type_flags), NULL);
	}
}

static void put_protocol(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	uint32_t family = (uint32_t)c->a[0];

	(void)k;
	if (family == AF_INET || family == AF_INET6)
		put_name(t, (uint32_t)c->a[arg], protocols, COUNT(protocols), NULL);
	else if (family == AF_NETLINK)
		put_name(t, (uint32_t)c->a[arg], netlink, COUNT(netlink), NULL);
	else
		text_int(t, (int32_t)c->a[arg]);
}

#define SOCKADDR "128"			/* struct sockaddr_storage */

static const struct kind list[] = {
	{ .name = "family", .put = put_kind_name, NAMES(families) },
	{ .name = "socktype", .put = put_type },
	{ .name = "proto", .put = put_protocol },
	{ .name = "sockflags", .put = put_kind_flags, NAMES(type_flags) },
	{ .name = "msgflags", .put = put_kind_flags, NAMES(message_flags) },
	{ .name = "shut", .put = put_kind_name, NAMES(shuts) },
	{ .name = "sockin", .put = put_addr_in, .fetch = MEM("(int)%n", SOCKADDR), .nrecs = 1 },
	{ .name = "sockout", .put = put_addr_out, .nrecs = 1,
	    .fetch = MEM(INT_AT("%n") " & " DONE, SOCKADDR) },
	{ .name = "socklen", .put = put_socklen, .nrecs = 2,
	    .entry = "self->l = " INT_AT("%a") ";",
	    .fetch = "trace(self->l); trace(" INT_AT("%a") ");" },
};
KINDS(kinds_socket);
