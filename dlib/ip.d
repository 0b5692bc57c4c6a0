/* SPDX-License-Identifier: BSD-2-Clause */
/* ip: packets, connections and interfaces, made of socket buffers and headers. */

#pragma D depends_on library types.d
#pragma D depends_on library net.d

typedef struct pktinfo {
	uintptr_t pkt_addr;		/* address of the struct sk_buff */
} pktinfo_t;

typedef struct csinfo {
	uintptr_t cs_addr;		/* address of the struct sock */
	uint64_t cs_cid;		/* identifies the connection */
	pid_t cs_pid;			/* process that connected or listens, if that was while tracing; else -1 */
	zoneid_t cs_zoneid;		/* 0 */
} csinfo_t;

typedef struct conninfo {
	string ci_local;		/* local address */
	string ci_remote;		/* remote address */
	string ci_protocol;		/* protocol */
} conninfo_t;

typedef struct ipinfo {
	uint8_t ip_ver;			/* 4 or 6 */
	uint32_t ip_plength;		/* bytes after the header */
	string ip_saddr;		/* source address as text */
	string ip_daddr;		/* destination address as text */
} ipinfo_t;

typedef struct ifinfo {
	string if_name;			/* name of the interface */
	int8_t if_local;		/* 1 if it is loopback */
	netstackid_t if_ipstack;	/* 0 */
	uintptr_t if_addr;		/* address of the struct net_device */
} ifinfo_t;

typedef struct ipv4info {
	uint8_t ipv4_ver;		/* 4; 0 if the packet is IPv6 */
	uint8_t ipv4_ihl;		/* length of the header in bytes */
	uint8_t ipv4_tos;		/* type of service */
	uint16_t ipv4_length;		/* length with the header */
	uint16_t ipv4_ident;		/* number of the packet, for its fragments */
	uint8_t ipv4_flags;		/* IPH_DF, IPH_MF */
	uint16_t ipv4_offset;		/* where the fragment belongs, in 8 bytes */
	uint8_t ipv4_ttl;		/* time to live */
	uint8_t ipv4_protocol;		/* number of the protocol: IPPROTO_* */
	string ipv4_protostr;		/* its name: TCP */
	uint16_t ipv4_checksum;		/* checksum of the header */
	ipaddr_t ipv4_src;		/* source address */
	ipaddr_t ipv4_dst;		/* destination address */
	string ipv4_saddr;		/* source address as text */
	string ipv4_daddr;		/* destination address as text */
	struct iphdr *ipv4_hdr;		/* the header */
} ipv4info_t;

typedef struct ipv6info {
	uint8_t ipv6_ver;		/* 6; 0 if the packet is IPv4 */
	uint8_t ipv6_tclass;		/* traffic class */
	uint32_t ipv6_flow;		/* flow label */
	uint16_t ipv6_plen;		/* bytes after the header */
	uint8_t ipv6_nexthdr;		/* number of the next header: IPPROTO_* */
	string ipv6_nextstr;		/* its name: TCP */
	uint8_t ipv6_hlim;		/* hop limit */
	in6_addr_t *ipv6_src;		/* source address */
	in6_addr_t *ipv6_dst;		/* destination address */
	string ipv6_saddr;		/* source address as text */
	string ipv6_daddr;		/* destination address as text */
	struct ipv6hdr *ipv6_hdr;	/* the header */
} ipv6info_t;

/*
 * What the probes of ip, tcp, udp and mib look at (src/provider/p_net.h). A packet that leaves has its header at network_header, one that comes
 * in at data. One packet is not reported twice: ports of bridges (0x200), of Open vSwitch (0x400) and of
 * teams (0x2000) and the slaves of a bond (0x800 in flags) work for another device, which sees it too.
 */
inline struct iphdr *dt_skb_out[struct sk_buff *s] = (struct iphdr *)(s->head + s->network_header);
inline struct iphdr *dt_skb_in[struct sk_buff *s] = (struct iphdr *)s->data;
inline int dt_skb_ip[struct sk_buff *s] = ntohs(s->protocol) == 0x800 || ntohs(s->protocol) == 0x86dd;
inline int dt_skb_leaves[struct sk_buff *s] = dt_skb_ip[s] && (s->dev->flags & 0x800) == 0 && (s->dev->priv_flags & 0x2600) == 0;
/* PACKET_OTHERHOST is 3 */
inline int dt_skb_comes[struct sk_buff *s] = dt_skb_ip[s] && s->pkt_type != 3 && (s->dev->priv_flags & 0x600) == 0 &&
    s->len - s->data_len >= 20;

/*
 * The protocol of what an IP header carries, 0 in a fragment but the first, and where that begins. Of the extensions of IPv6 the
 * first is looked through: hop-by-hop 0, routing 43, fragment 44 (always of eight bytes), options 60.
 */
inline uint8_t dt_ip6_next[struct ipv6hdr *i] = i->nexthdr == 44 || i->nexthdr == 0 || i->nexthdr == 43 || i->nexthdr == 60 ?
    *(uint8_t *)(i + 1) : i->nexthdr;
inline int dt_ip_fragment[struct iphdr *i] = i->version == 4 ? ntohs(i->frag_off) & 0x3fff :
    ((struct ipv6hdr *)i)->nexthdr == 44 ? ntohs(*((uint16_t *)((struct ipv6hdr *)i + 1) + 1)) & 0xfff9 : 0;
inline int dt_ip_later[struct iphdr *i] = dt_ip_fragment[i] & (i->version == 4 ? 0x1fff : 0xfff8);
inline uint8_t dt_ip_carries[struct iphdr *i] = dt_ip_later[i] != 0 ? 0 : i->version == 4 ? i->protocol : dt_ip6_next[(struct ipv6hdr *)i];
inline uintptr_t dt_ip_payload[struct iphdr *i] = (uintptr_t)i + (i->version == 4 ? 4 * i->ihl :
    ((struct ipv6hdr *)i)->nexthdr == 44 ? 48 : ((struct ipv6hdr *)i)->nexthdr == 0 || ((struct ipv6hdr *)i)->nexthdr == 43 ||
    ((struct ipv6hdr *)i)->nexthdr == 60 ? 48 + 8 * *((uint8_t *)((struct ipv6hdr *)i + 1) + 1) : 40);
/* with the header; a packet that is longer than its header can express (BIG TCP) has 0 there, and the buffer knows */
inline uint32_t dt_skb_length[struct sk_buff *s, struct iphdr *i] = i->version == 4 && i->tot_len != 0 ? ntohs(i->tot_len) :
    i->version == 6 && ((struct ipv6hdr *)i)->payload_len != 0 ? 40 + ntohs(((struct ipv6hdr *)i)->payload_len) :
    (uint32_t)(s->len - ((uintptr_t)i - (uintptr_t)s->data));

/* The addresses of a socket; one for IPv6 may have a peer with an address of IPv4. */
inline int dt_sock_ip4[struct sock *k] = k->__sk_common.skc_family == AF_INET ||
    (k->__sk_common.skc_v6_daddr.in6_u.u6_addr32[0] == 0 && k->__sk_common.skc_v6_daddr.in6_u.u6_addr32[1] == 0 &&
    ntohl(k->__sk_common.skc_v6_daddr.in6_u.u6_addr32[2]) == 0xffff);
inline string dt_sock_local[struct sock *k] = dt_sock_ip4[k] ? inet_ntoa(&k->__sk_common.skc_rcv_saddr) :
    inet_ntoa6(&k->__sk_common.skc_v6_rcv_saddr);
inline string dt_sock_remote[struct sock *k] = dt_sock_ip4[k] ? inet_ntoa(&k->__sk_common.skc_daddr) :
    inet_ntoa6(&k->__sk_common.skc_v6_daddr);
inline string dt_ip_source[struct iphdr *i] = i->version == 4 ? inet_ntoa(&i->saddr) : inet_ntoa6(&((struct ipv6hdr *)i)->saddr);
inline string dt_ip_dest[struct iphdr *i] = i->version == 4 ? inet_ntoa(&i->daddr) : inet_ntoa6(&((struct ipv6hdr *)i)->daddr);
/* both ends here, as the addresses show it */
inline int dt_ip_same[struct iphdr *i] = i->version == 4 ? i->saddr == i->daddr || (ntohl(i->daddr) >> 24) == 127 :
    *(uint64_t *)&((struct ipv6hdr *)i)->saddr == *(uint64_t *)&((struct ipv6hdr *)i)->daddr &&
    *((uint64_t *)&((struct ipv6hdr *)i)->saddr + 1) == *((uint64_t *)&((struct ipv6hdr *)i)->daddr + 1);

inline int IPH_DF = 2;
inline int IPH_MF = 1;

#pragma D attributes Evolving/Evolving/ISA translator
translator pktinfo_t < struct sk_buff *S > {
	pkt_addr = (uintptr_t)S;
};

/* The kernel does not keep who uses a socket: the probes of tcp note who connects or listens, until it closes. */
uint32_t dt_cs_owner[uint64_t];
inline int dt_cs_own[struct sock *k] = (dt_cs_owner[(uint64_t)k] = pid, 0);
inline int dt_cs_disown[struct sock *k] = dt_cs_owner[(uint64_t)k] == 0 ? 0 : (dt_cs_owner[(uint64_t)k] = 0, 0);

/* The kernel numbers a socket only on request; the address identifies it. */
#pragma D attributes Evolving/Evolving/ISA translator
translator csinfo_t < struct sock *K > {
	cs_addr = (uintptr_t)K;
	cs_cid = (uint64_t)K;
	cs_pid = K == 0 || dt_cs_owner[(uint64_t)K] == 0 ? -1 : (pid_t)dt_cs_owner[(uint64_t)K];
	cs_zoneid = 0;
};

/* The version stands in the same place in both headers. */
#pragma D attributes Evolving/Evolving/ISA translator
translator ipinfo_t < struct iphdr *I > {
	ip_ver = I == 0 ? 0 : I->version;
	ip_plength = I == 0 ? 0 : I->version == 4 ? (I->tot_len == 0 ? 0 : ntohs(I->tot_len) - 4 * I->ihl) :
	    ntohs(((struct ipv6hdr *)I)->payload_len);
	ip_saddr = I == 0 ? "<unknown>" : dt_ip_source[I];
	ip_daddr = I == 0 ? "<unknown>" : dt_ip_dest[I];
};

/*
 * Of the probes: arg0 the buffer, arg1 the socket, arg7 whether the packet came in. Where tcp knows no packet the socket says who talks to whom.
 */
struct dt_net_packet {
	uint64_t none;
};

#pragma D attributes Evolving/Evolving/ISA translator
translator ipinfo_t < struct dt_net_packet *I > {
	ip_ver = I != 0 ? ((struct iphdr *)I)->version : dt_sock_ip4[(struct sock *)arg1] ? 4 : 6;
	ip_plength = I == 0 ? 0 : dt_skb_length[(struct sk_buff *)arg0, (struct iphdr *)I] -
	    (((struct iphdr *)I)->version == 4 ? 4 * ((struct iphdr *)I)->ihl : 40);
	ip_saddr = I != 0 ? dt_ip_source[(struct iphdr *)I] : arg7 != 0 ? dt_sock_remote[(struct sock *)arg1] : dt_sock_local[(struct sock *)arg1];
	ip_daddr = I != 0 ? dt_ip_dest[(struct iphdr *)I] : arg7 != 0 ? dt_sock_local[(struct sock *)arg1] : dt_sock_remote[(struct sock *)arg1];
};

/* IFF_LOOPBACK is 8. */
#pragma D attributes Evolving/Evolving/ISA translator
translator ifinfo_t < struct net_device *N > {
	if_name = N == 0 ? "<null>" : stringof(N->name);
	if_local = N == 0 ? 0 : (N->flags & 8) != 0;
	if_ipstack = 0;
	if_addr = (uintptr_t)N;
};

#pragma D attributes Evolving/Evolving/ISA translator
translator ipv4info_t < struct iphdr *I > {
	ipv4_ver = I == 0 ? 0 : I->version;
	ipv4_ihl = I == 0 ? 0 : 4 * I->ihl;
	ipv4_tos = I == 0 ? 0 : I->tos;
	ipv4_length = I == 0 ? 0 : ntohs(I->tot_len);
	ipv4_ident = I == 0 ? 0 : ntohs(I->id);
	ipv4_flags = I == 0 ? 0 : ntohs(I->frag_off) >> 13;
	ipv4_offset = I == 0 ? 0 : ntohs(I->frag_off) & 0x1fff;
	ipv4_ttl = I == 0 ? 0 : I->ttl;
	ipv4_protocol = I == 0 ? 0 : I->protocol;
	ipv4_protostr = I == 0 ? "<null>" : I->protocol == IPPROTO_TCP ? "TCP" :
	    I->protocol == IPPROTO_UDP ? "UDP" :
	    I->protocol == IPPROTO_ICMP ? "ICMP" :
	    I->protocol == IPPROTO_ICMPV6 ? "ICMPV6" :
	    I->protocol == IPPROTO_IGMP ? "IGMP" :
	    I->protocol == IPPROTO_IPV6 ? "IPV6" :
	    I->protocol == IPPROTO_GRE ? "GRE" :
	    I->protocol == IPPROTO_ESP ? "ESP" :
	    I->protocol == IPPROTO_AH ? "AH" :
	    I->protocol == IPPROTO_SCTP ? "SCTP" :
	    I->protocol == IPPROTO_UDPLITE ? "UDPLITE" :
	    lltostr((uint64_t)I->protocol);
	ipv4_checksum = I == 0 ? 0 : ntohs(I->check);
	ipv4_src = I == 0 ? 0 : I->saddr;
	ipv4_dst = I == 0 ? 0 : I->daddr;
	ipv4_saddr = I == 0 ? "<null>" : inet_ntoa(&I->saddr);
	ipv4_daddr = I == 0 ? "<null>" : inet_ntoa(&I->daddr);
	ipv4_hdr = I;
};

#pragma D attributes Evolving/Evolving/ISA translator
translator ipv6info_t < struct ipv6hdr *I > {
	ipv6_ver = I == 0 ? 0 : I->version;
	ipv6_tclass = I == 0 ? 0 : (I->priority << 4) | (I->flow_lbl[0] >> 4);
	ipv6_flow = I == 0 ? 0 : ((I->flow_lbl[0] & 0xf) << 16) | (I->flow_lbl[1] << 8) | I->flow_lbl[2];
	ipv6_plen = I == 0 ? 0 : ntohs(I->payload_len);
	ipv6_nexthdr = I == 0 ? 0 : I->nexthdr;
	ipv6_nextstr = I == 0 ? "<null>" : I->nexthdr == IPPROTO_TCP ? "TCP" :
	    I->nexthdr == IPPROTO_UDP ? "UDP" :
	    I->nexthdr == IPPROTO_ICMP ? "ICMP" :
	    I->nexthdr == IPPROTO_ICMPV6 ? "ICMPV6" :
	    I->nexthdr == IPPROTO_IGMP ? "IGMP" :
	    I->nexthdr == IPPROTO_IPV6 ? "IPV6" :
	    I->nexthdr == IPPROTO_GRE ? "GRE" :
	    I->nexthdr == IPPROTO_ESP ? "ESP" :
	    I->nexthdr == IPPROTO_AH ? "AH" :
	    I->nexthdr == IPPROTO_SCTP ? "SCTP" :
	    I->nexthdr == IPPROTO_UDPLITE ? "UDPLITE" :
	    lltostr((uint64_t)I->nexthdr);
	ipv6_hlim = I == 0 ? 0 : I->hop_limit;
	ipv6_src = I == 0 ? (in6_addr_t *)0 : (in6_addr_t *)&I->saddr;
	ipv6_dst = I == 0 ? (in6_addr_t *)0 : (in6_addr_t *)&I->daddr;
	ipv6_saddr = I == 0 ? "<null>" : inet_ntoa6(&I->saddr);
	ipv6_daddr = I == 0 ? "<null>" : inet_ntoa6(&I->daddr);
	ipv6_hdr = I;
};

provider ip {
	probe send(struct sk_buff *s, struct sock *k, struct dt_net_packet *i, struct net_device *n, struct iphdr *v4,
	    struct ipv6hdr *v6) :
	    (pktinfo_t *s, csinfo_t *k, ipinfo_t *i, ifinfo_t *n, ipv4info_t *v4, ipv6info_t *v6); /* a packet leaves */
	probe receive(struct sk_buff *s, struct sock *k, struct dt_net_packet *i, struct net_device *n, struct iphdr *v4,
	    struct ipv6hdr *v6) :
	    (pktinfo_t *s, csinfo_t *k, ipinfo_t *i, ifinfo_t *n, ipv4info_t *v4, ipv6info_t *v6); /* a packet comes in */
};

#pragma D attributes Evolving/Evolving/ISA provider ip provider
#pragma D attributes Private/Private/Unknown provider ip module
#pragma D attributes Private/Private/Unknown provider ip function
#pragma D attributes Evolving/Evolving/ISA provider ip name
#pragma D attributes Evolving/Evolving/ISA provider ip args
