/* SPDX-License-Identifier: BSD-2-Clause */
/* udp, udplite, sctp: datagrams and their socket. */

#pragma D depends_on library types.d
#pragma D depends_on library net.d
#pragma D depends_on library ip.d

typedef struct udpinfo {
	uint16_t udp_sport;		/* source port */
	uint16_t udp_dport;		/* destination port */
	uint16_t udp_length;		/* length with the header */
	uint16_t udp_checksum;		/* checksum */
	struct udphdr *udp_hdr;		/* the header */
} udpinfo_t;

typedef struct udpsinfo {
	uintptr_t udps_addr;		/* address of the socket */
	uint16_t udps_lport;		/* local port */
	uint16_t udps_rport;		/* remote port */
	string udps_laddr;		/* local address as text */
	string udps_raddr;		/* remote address as text */
} udpsinfo_t;

#pragma D attributes Evolving/Evolving/ISA translator
translator udpinfo_t < struct udphdr *H > {
	udp_sport = H == 0 ? 0 : ntohs(H->source);
	udp_dport = H == 0 ? 0 : ntohs(H->dest);
	udp_length = H == 0 ? 0 : ntohs(H->len);
	udp_checksum = H == 0 ? 0 : ntohs(H->check);
	udp_hdr = H;
};

#pragma D attributes Evolving/Evolving/ISA translator
translator udpsinfo_t < struct sock *K > {
	udps_addr = (uintptr_t)K;
	udps_lport = K == 0 ? 0 : K->__sk_common.skc_num;
	udps_rport = K == 0 ? 0 : ntohs(K->__sk_common.skc_dport);
	udps_laddr = K == 0 ? "<unknown>" : K->__sk_common.skc_family == AF_INET ? inet_ntoa(&K->__sk_common.skc_rcv_saddr) :
	    inet_ntoa6(&K->__sk_common.skc_v6_rcv_saddr);
	udps_raddr = K == 0 ? "<unknown>" : K->__sk_common.skc_family == AF_INET ? inet_ntoa(&K->__sk_common.skc_daddr) :
	    inet_ntoa6(&K->__sk_common.skc_v6_daddr);
};

/* Of the probes below: arg2 and arg4 the headers, arg5 whether it came in. The datagram says who talks to whom: few sockets have a peer. */
struct dt_udp_socket {
	uint64_t none;
};

#pragma D attributes Evolving/Evolving/ISA translator
translator udpsinfo_t < struct dt_udp_socket *K > {
	udps_addr = (uintptr_t)K;
	udps_lport = ntohs(arg5 != 0 ? ((struct udphdr *)arg4)->dest : ((struct udphdr *)arg4)->source);
	udps_rport = ntohs(arg5 != 0 ? ((struct udphdr *)arg4)->source : ((struct udphdr *)arg4)->dest);
	udps_laddr = arg5 != 0 ? dt_ip_dest[(struct iphdr *)arg2] : dt_ip_source[(struct iphdr *)arg2];
	udps_raddr = arg5 != 0 ? dt_ip_source[(struct iphdr *)arg2] : dt_ip_dest[(struct iphdr *)arg2];
};

provider udp {
	probe send(struct sk_buff *s, struct sock *k, struct dt_net_packet *i, struct dt_udp_socket *u, struct udphdr *h, int in) :
	    (pktinfo_t *s, csinfo_t *k, ipinfo_t *i, udpsinfo_t *u, udpinfo_t *h); /* a datagram leaves */
	probe receive(struct sk_buff *s, struct sock *k, struct dt_net_packet *i, struct dt_udp_socket *u, struct udphdr *h, int in) :
	    (pktinfo_t *s, csinfo_t *k, ipinfo_t *i, udpsinfo_t *u, udpinfo_t *h); /* a datagram comes in */
};

#pragma D attributes Evolving/Evolving/ISA provider udp provider
#pragma D attributes Private/Private/Unknown provider udp module
#pragma D attributes Private/Private/Unknown provider udp function
#pragma D attributes Evolving/Evolving/ISA provider udp name
#pragma D attributes Evolving/Evolving/ISA provider udp args

provider udplite {
	probe send(struct sk_buff *s, struct sock *k, struct dt_net_packet *i, struct dt_udp_socket *u, struct udphdr *h, int in) :
	    (pktinfo_t *s, csinfo_t *k, ipinfo_t *i, udpsinfo_t *u, udpinfo_t *h); /* a datagram leaves */
	probe receive(struct sk_buff *s, struct sock *k, struct dt_net_packet *i, struct dt_udp_socket *u, struct udphdr *h, int in) :
	    (pktinfo_t *s, csinfo_t *k, ipinfo_t *i, udpsinfo_t *u, udpinfo_t *h); /* a datagram comes in */
};

#pragma D attributes Evolving/Evolving/ISA provider udplite provider
#pragma D attributes Private/Private/Unknown provider udplite module
#pragma D attributes Private/Private/Unknown provider udplite function
#pragma D attributes Evolving/Evolving/ISA provider udplite name
#pragma D attributes Evolving/Evolving/ISA provider udplite args

provider sctp {
	probe send(struct sk_buff *s, struct sock *k, struct dt_net_packet *i) : (pktinfo_t *s, csinfo_t *k, ipinfo_t *i); /* a packet leaves */
	probe receive(struct sk_buff *s, struct sock *k, struct dt_net_packet *i) : (pktinfo_t *s, csinfo_t *k, ipinfo_t *i); /* a packet comes in */
};

#pragma D attributes Evolving/Evolving/ISA provider sctp provider
#pragma D attributes Private/Private/Unknown provider sctp module
#pragma D attributes Private/Private/Unknown provider sctp function
#pragma D attributes Evolving/Evolving/ISA provider sctp name
#pragma D attributes Evolving/Evolving/ISA provider sctp args
