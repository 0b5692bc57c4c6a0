/* SPDX-License-Identifier: BSD-2-Clause */
/* tcp: segments and the state of their connection, made of struct tcp_sock and the header. */

#pragma D depends_on library types.d
#pragma D depends_on library net.d
#pragma D depends_on library ip.d

inline uint8_t TH_FIN = 0x01;
inline uint8_t TH_SYN = 0x02;
inline uint8_t TH_RST = 0x04;
inline uint8_t TH_PUSH = 0x08;
inline uint8_t TH_ACK = 0x10;
inline uint8_t TH_URG = 0x20;
inline uint8_t TH_ECE = 0x40;
inline uint8_t TH_CWR = 0x80;

/* The numbers are the kernel's; the historic names of other systems stand for the same states. */
inline int TCP_STATE_ESTABLISHED = 1;
inline int TCP_STATE_SYN_SENT = 2;
inline int TCP_STATE_SYN_RECEIVED = 3;
inline int TCP_STATE_FIN_WAIT_1 = 4;
inline int TCP_STATE_FIN_WAIT_2 = 5;
inline int TCP_STATE_TIME_WAIT = 6;
inline int TCP_STATE_CLOSED = 7;
inline int TCP_STATE_CLOSE_WAIT = 8;
inline int TCP_STATE_LAST_ACK = 9;
inline int TCP_STATE_LISTEN = 10;
inline int TCP_STATE_CLOSING = 11;
inline int TCPS_ESTABLISHED = 1;
inline int TCPS_SYN_SENT = 2;
inline int TCPS_SYN_RCVD = 3;
inline int TCPS_SYN_RECEIVED = 3;
inline int TCPS_FIN_WAIT_1 = 4;
inline int TCPS_FIN_WAIT_2 = 5;
inline int TCPS_TIME_WAIT = 6;
inline int TCPS_CLOSED = 7;
inline int TCPS_CLOSE_WAIT = 8;
inline int TCPS_LAST_ACK = 9;
inline int TCPS_LISTEN = 10;
inline int TCPS_CLOSING = 11;

inline string tcp_state_string[int32_t state] =
    state == 1 ? "state-established" :
    state == 2 ? "state-syn-sent" :
    state == 3 ? "state-syn-received" :
    state == 4 ? "state-fin-wait-1" :
    state == 5 ? "state-fin-wait-2" :
    state == 6 ? "state-time-wait" :
    state == 7 ? "state-closed" :
    state == 8 ? "state-close-wait" :
    state == 9 ? "state-last-ack" :
    state == 10 ? "state-listen" :
    state == 11 ? "state-closing" :
    "<unknown>";

typedef struct tcpinfo {
	uint16_t tcp_sport;		/* source port */
	uint16_t tcp_dport;		/* destination port */
	uint32_t tcp_seq;		/* sequence number */
	uint32_t tcp_ack;		/* acknowledged number */
	uint8_t tcp_offset;		/* length of the header in bytes */
	uint8_t tcp_flags;		/* TH_SYN, TH_ACK and others */
	uint16_t tcp_window;		/* window, as it is in the header */
	uint16_t tcp_checksum;		/* checksum */
	uint16_t tcp_urgent;		/* urgent pointer */
	struct tcphdr *tcp_hdr;		/* the header */
} tcpinfo_t;

typedef struct tcpsinfo {
	uintptr_t tcps_addr;		/* address of the socket */
	int tcps_local;			/* 1 if both ends are on this machine */
	int tcps_active;		/* 1 in connect-*: this side asked for the connection */
	uint16_t tcps_lport;		/* local port */
	uint16_t tcps_rport;		/* remote port */
	string tcps_laddr;		/* local address as text */
	string tcps_raddr;		/* remote address as text */
	int32_t tcps_state;		/* state: TCP_STATE_*, tcp_state_string[] */
	uint32_t tcps_iss;		/* first number that was sent */
	uint32_t tcps_irs;		/* first number that was received */
	uint32_t tcps_suna;		/* number sent and not acknowledged */
	uint32_t tcps_snxt;		/* number to send next */
	uint32_t tcps_rack;		/* number that this side has acknowledged */
	uint32_t tcps_rnxt;		/* number to receive next */
	uint32_t tcps_swnd;		/* window of the peer, in bytes */
	int32_t tcps_snd_ws;		/* scale of the peer's window */
	uint32_t tcps_rwnd;		/* own window, in bytes */
	int32_t tcps_rcv_ws;		/* scale of the own window */
	uint32_t tcps_cwnd;		/* congestion window, in bytes */
	uint32_t tcps_cwnd_ssthresh;	/* threshold of slow start, in bytes */
	uint32_t tcps_sack_fack;	/* highest number that was acknowledged selectively */
	uint32_t tcps_sack_snxt;	/* number to send next */
	uint32_t tcps_rto;		/* time until a segment is sent again, in ms */
	uint32_t tcps_rtt;		/* round trip time, in us */
	uint32_t tcps_rtt_sd;		/* its deviation, in us */
	uint32_t tcps_mss;		/* largest segment */
	int tcps_retransmit;		/* 1 if something is being sent again */
} tcpsinfo_t;

typedef struct tcplsinfo {
	int32_t tcps_state;		/* state before */
} tcplsinfo_t;

/* The flags are the header's byte 13. */
#pragma D attributes Evolving/Evolving/ISA translator
translator tcpinfo_t < struct tcphdr *H > {
	tcp_sport = H == 0 ? 0 : ntohs(H->source);
	tcp_dport = H == 0 ? 0 : ntohs(H->dest);
	tcp_seq = H == 0 ? 0 : ntohl(H->seq);
	tcp_ack = H == 0 ? 0 : ntohl(H->ack_seq);
	tcp_offset = H == 0 ? 0 : 4 * H->doff;
	tcp_flags = H == 0 ? 0 : *((uint8_t *)H + 13);
	tcp_window = H == 0 ? 0 : ntohs(H->window);
	tcp_checksum = H == 0 ? 0 : ntohs(H->check);
	tcp_urgent = H == 0 ? 0 : ntohs(H->urg_ptr);
	tcp_hdr = H;
};

inline int dt_sock_same[struct sock *k] = dt_sock_ip4[k] ? k->__sk_common.skc_daddr == k->__sk_common.skc_rcv_saddr ||
    (ntohl(k->__sk_common.skc_daddr) >> 24) == 127 :
    k->__sk_common.skc_v6_daddr.in6_u.u6_addr32[0] == k->__sk_common.skc_v6_rcv_saddr.in6_u.u6_addr32[0] &&
    k->__sk_common.skc_v6_daddr.in6_u.u6_addr32[1] == k->__sk_common.skc_v6_rcv_saddr.in6_u.u6_addr32[1] &&
    k->__sk_common.skc_v6_daddr.in6_u.u6_addr32[2] == k->__sk_common.skc_v6_rcv_saddr.in6_u.u6_addr32[2] &&
    k->__sk_common.skc_v6_daddr.in6_u.u6_addr32[3] == k->__sk_common.skc_v6_rcv_saddr.in6_u.u6_addr32[3];

/* a socket that closes has given its number back, but for the one it wrote into headers */
inline uint16_t dt_tcp_port[struct tcp_sock *t] = t->inet_conn.icsk_inet.sk.__sk_common.skc_num != 0 ?
    t->inet_conn.icsk_inet.sk.__sk_common.skc_num : ntohs(t->inet_conn.icsk_inet.inet_sport);

/*
 * Initial sequence numbers are not kept: what was counted since is taken off the current ones (that of a side which accepted counts
 * from the byte after). The kernel's times are in ticks; the longest delay of an acknowledgement is 200 ms of them. 0x7fffffff: no threshold yet.
 */
#pragma D attributes Evolving/Evolving/ISA translator
translator tcpsinfo_t < struct tcp_sock *T > {
	tcps_addr = (uintptr_t)T;
	tcps_local = T == 0 ? 0 : dt_sock_same[(struct sock *)T];
	tcps_active = T == 0 ? 0 : T->inet_conn.icsk_inet.sk.__sk_common.skc_state == TCP_STATE_SYN_SENT;
	tcps_lport = T == 0 ? 0 : dt_tcp_port[T];
	tcps_rport = T == 0 ? 0 : ntohs(T->inet_conn.icsk_inet.sk.__sk_common.skc_dport);
	tcps_laddr = T == 0 ? "<unknown>" : dt_sock_local[(struct sock *)T];
	tcps_raddr = T == 0 ? "<unknown>" : dt_sock_remote[(struct sock *)T];
	tcps_state = T == 0 ? TCP_STATE_CLOSED : T->inet_conn.icsk_inet.sk.__sk_common.skc_state;
	tcps_iss = T == 0 ? 0 : T->snd_una - (uint32_t)T->bytes_acked;
	tcps_irs = T == 0 ? 0 : T->rcv_nxt - (uint32_t)T->bytes_received - 1;
	tcps_suna = T == 0 ? 0 : T->snd_una;
	tcps_snxt = T == 0 ? 0 : T->snd_nxt;
	tcps_rack = T == 0 ? 0 : T->rcv_wup;
	tcps_rnxt = T == 0 ? 0 : T->rcv_nxt;
	tcps_swnd = T == 0 ? 0 : T->snd_wnd;
	tcps_snd_ws = T == 0 ? 0 : T->rx_opt.snd_wscale;
	tcps_rwnd = T == 0 ? 0 : T->rcv_wnd;
	tcps_rcv_ws = T == 0 ? 0 : T->rx_opt.rcv_wscale;
	tcps_cwnd = T == 0 ? 0 : T->snd_cwnd * T->mss_cache;
	tcps_cwnd_ssthresh = T == 0 ? 0 : T->snd_ssthresh >= 0x7fffffff ? 0x7fffffff : T->snd_ssthresh * T->mss_cache;
	tcps_sack_fack = T == 0 ? 0 : T->snd_una;
	tcps_sack_snxt = T == 0 ? 0 : T->snd_nxt;
	tcps_rto = T == 0 || T->inet_conn.icsk_delack_max == 0 ? 0 :
	    (uint32_t)((uint64_t)T->inet_conn.icsk_rto * 200 / T->inet_conn.icsk_delack_max);
	tcps_rtt = T == 0 ? 0 : T->srtt_us >> 3;
	tcps_rtt_sd = T == 0 ? 0 : T->mdev_us >> 2;
	tcps_mss = T == 0 ? 0 : T->mss_cache;
	tcps_retransmit = T == 0 ? 0 : T->retrans_out != 0;
};

/*
 * Of the probes below: arg1 the socket, arg2 and arg4 the headers, arg6 the state to report (0: the socket's), arg7 whether the segment
 * came in. Where the kernel gives no socket, addresses are those of the segment; where it gives no segment, those of the socket. Requests of a
 * connection (state 12) and what is left of one (TIME_WAIT) are sockets of which only the beginning is there.
 */
struct dt_tcp_socket {
	uint64_t none;
};
struct dt_tcp_segment {
	uint64_t none;
};

inline struct sock *dt_tcp_owner[struct sock *k] = k == 0 || k->__sk_common.skc_state == 12 || k->__sk_common.skc_state == 6 ||
    k->sk_type == SOCK_STREAM ? k : (struct sock *)0;
inline struct tcp_sock *dt_tcp_full[struct sock *k] = k == 0 || k->__sk_common.skc_state == 12 || k->__sk_common.skc_state == 6 ?
    (struct tcp_sock *)0 : (struct tcp_sock *)k;

/*
 * Where the kernel does not give the socket of an incoming segment, segments that leave do: their ends the other way round, in the same network; and the
 * socket of a new connection. One that closes is forgotten. Addresses are folded, so what is found is looked at: is it a socket with these ports?
 */
uint64_t dt_tcp_known[uint64_t, uint64_t, uint64_t, uint32_t];

inline uint64_t dt_ip_folded[uint64_t *a] = *a * 31 + *(a + 1);
inline uint64_t dt_ip_from[struct iphdr *i] = i->version == 4 ? i->saddr : dt_ip_folded[(uint64_t *)&((struct ipv6hdr *)i)->saddr];
inline uint64_t dt_ip_to[struct iphdr *i] = i->version == 4 ? i->daddr : dt_ip_folded[(uint64_t *)&((struct ipv6hdr *)i)->daddr];
inline uint32_t dt_tcp_ports[uint16_t local, uint16_t remote] = (uint32_t)local << 16 | remote;

inline uint64_t dt_tcp_leaving[struct sk_buff *s, struct iphdr *i, struct tcphdr *h] =
    dt_tcp_known[(uint64_t)s->dev->nd_net.net, dt_ip_from[i], dt_ip_to[i], dt_tcp_ports[h->source, h->dest]];
inline int dt_tcp_learn[struct sk_buff *s, struct iphdr *i, struct tcphdr *h] = dt_tcp_leaving[s, i, h] == (uint64_t)s->sk ? 0 :
    (dt_tcp_known[(uint64_t)s->dev->nd_net.net, dt_ip_from[i], dt_ip_to[i], dt_tcp_ports[h->source, h->dest]] = (uint64_t)s->sk, 0);
inline uint64_t dt_tcp_own_local[struct sock *k] =
    dt_sock_ip4[k] ? k->__sk_common.skc_rcv_saddr : dt_ip_folded[(uint64_t *)&k->__sk_common.skc_v6_rcv_saddr];
inline uint64_t dt_tcp_own_remote[struct sock *k] =
    dt_sock_ip4[k] ? k->__sk_common.skc_daddr : dt_ip_folded[(uint64_t *)&k->__sk_common.skc_v6_daddr];
inline uint32_t dt_tcp_own_ports[struct sock *k] = dt_tcp_ports[htons(dt_tcp_port[(struct tcp_sock *)k]), k->__sk_common.skc_dport];
inline int dt_tcp_keep[struct sock *k] = (dt_tcp_known[(uint64_t)k->__sk_common.skc_net.net,
    dt_tcp_own_local[k], dt_tcp_own_remote[k], dt_tcp_own_ports[k]] = (uint64_t)k, 0);
/* Only its own: two CPUs may make a socket for one new connection, and the one that came second closes. */
inline int dt_tcp_forget[struct sock *k] = dt_tcp_known[(uint64_t)k->__sk_common.skc_net.net,
    dt_tcp_own_local[k], dt_tcp_own_remote[k], dt_tcp_own_ports[k]] != (uint64_t)k ? 0 :
    (dt_tcp_known[(uint64_t)k->__sk_common.skc_net.net,
    dt_tcp_own_local[k], dt_tcp_own_remote[k], dt_tcp_own_ports[k]] = 0, 0);
inline struct sock *dt_tcp_checked[struct sock *k, struct tcphdr *h] = k != 0 && k->__sk_common.skc_dport == h->source &&
    k->__sk_common.skc_num == ntohs(h->dest) ? k : (struct sock *)0;
inline struct sock *dt_tcp_coming[struct sk_buff *s, struct iphdr *i, struct tcphdr *h] = dt_tcp_checked[(struct sock *)
    dt_tcp_known[(uint64_t)s->dev->nd_net.net, dt_ip_to[i], dt_ip_from[i], dt_tcp_ports[h->dest, h->source]], h];

#pragma D attributes Evolving/Evolving/ISA translator
translator tcpinfo_t < struct dt_tcp_segment *S > {
	tcp_sport = S != 0 ? ntohs(((struct tcphdr *)S)->source) : arg7 != 0 ? ntohs(((struct sock *)arg1)->__sk_common.skc_dport) :
	    ((struct sock *)arg1)->__sk_common.skc_num;
	tcp_dport = S != 0 ? ntohs(((struct tcphdr *)S)->dest) : arg7 != 0 ? ((struct sock *)arg1)->__sk_common.skc_num :
	    ntohs(((struct sock *)arg1)->__sk_common.skc_dport);
	tcp_seq = xlate <tcpinfo_t *> ((struct tcphdr *)S)->tcp_seq;
	tcp_ack = xlate <tcpinfo_t *> ((struct tcphdr *)S)->tcp_ack;
	tcp_offset = xlate <tcpinfo_t *> ((struct tcphdr *)S)->tcp_offset;
	tcp_flags = xlate <tcpinfo_t *> ((struct tcphdr *)S)->tcp_flags;
	tcp_window = xlate <tcpinfo_t *> ((struct tcphdr *)S)->tcp_window;
	tcp_checksum = xlate <tcpinfo_t *> ((struct tcphdr *)S)->tcp_checksum;
	tcp_urgent = xlate <tcpinfo_t *> ((struct tcphdr *)S)->tcp_urgent;
	tcp_hdr = (struct tcphdr *)S;
};

#pragma D attributes Evolving/Evolving/ISA translator
translator tcpsinfo_t < struct dt_tcp_socket *T > {
	tcps_addr = (uintptr_t)T;
	tcps_local = T != 0 ? dt_sock_same[(struct sock *)T] : arg2 == 0 ? 0 : dt_ip_same[(struct iphdr *)arg2];
	tcps_active = xlate <tcpsinfo_t *> (dt_tcp_full[(struct sock *)T])->tcps_active;
	tcps_lport = dt_tcp_full[(struct sock *)T] != 0 ? dt_tcp_port[dt_tcp_full[(struct sock *)T]] :
	    T != 0 ? ((struct sock *)T)->__sk_common.skc_num : arg4 == 0 ? 0 :
	    ntohs(arg7 != 0 ? ((struct tcphdr *)arg4)->dest : ((struct tcphdr *)arg4)->source);
	tcps_rport = T != 0 ? ntohs(((struct sock *)T)->__sk_common.skc_dport) : arg4 == 0 ? 0 :
	    ntohs(arg7 != 0 ? ((struct tcphdr *)arg4)->source : ((struct tcphdr *)arg4)->dest);
	tcps_laddr = T != 0 ? dt_sock_local[(struct sock *)T] : arg2 == 0 ? "<unknown>" :
	    arg7 != 0 ? dt_ip_dest[(struct iphdr *)arg2] : dt_ip_source[(struct iphdr *)arg2];
	tcps_raddr = T != 0 ? dt_sock_remote[(struct sock *)T] : arg2 == 0 ? "<unknown>" :
	    arg7 != 0 ? dt_ip_source[(struct iphdr *)arg2] : dt_ip_dest[(struct iphdr *)arg2];
	tcps_state = arg6 != 0 ? (int32_t)arg6 : T == 0 ? 0 : ((struct sock *)T)->__sk_common.skc_state == 12 ? TCP_STATE_SYN_RECEIVED :
	    ((struct sock *)T)->__sk_common.skc_state;
	tcps_iss = xlate <tcpsinfo_t *> (dt_tcp_full[(struct sock *)T])->tcps_iss;
	tcps_irs = xlate <tcpsinfo_t *> (dt_tcp_full[(struct sock *)T])->tcps_irs;
	tcps_suna = xlate <tcpsinfo_t *> (dt_tcp_full[(struct sock *)T])->tcps_suna;
	tcps_snxt = xlate <tcpsinfo_t *> (dt_tcp_full[(struct sock *)T])->tcps_snxt;
	tcps_rack = xlate <tcpsinfo_t *> (dt_tcp_full[(struct sock *)T])->tcps_rack;
	tcps_rnxt = xlate <tcpsinfo_t *> (dt_tcp_full[(struct sock *)T])->tcps_rnxt;
	tcps_swnd = xlate <tcpsinfo_t *> (dt_tcp_full[(struct sock *)T])->tcps_swnd;
	tcps_snd_ws = xlate <tcpsinfo_t *> (dt_tcp_full[(struct sock *)T])->tcps_snd_ws;
	tcps_rwnd = xlate <tcpsinfo_t *> (dt_tcp_full[(struct sock *)T])->tcps_rwnd;
	tcps_rcv_ws = xlate <tcpsinfo_t *> (dt_tcp_full[(struct sock *)T])->tcps_rcv_ws;
	tcps_cwnd = xlate <tcpsinfo_t *> (dt_tcp_full[(struct sock *)T])->tcps_cwnd;
	tcps_cwnd_ssthresh = xlate <tcpsinfo_t *> (dt_tcp_full[(struct sock *)T])->tcps_cwnd_ssthresh;
	tcps_sack_fack = xlate <tcpsinfo_t *> (dt_tcp_full[(struct sock *)T])->tcps_sack_fack;
	tcps_sack_snxt = xlate <tcpsinfo_t *> (dt_tcp_full[(struct sock *)T])->tcps_sack_snxt;
	tcps_rto = xlate <tcpsinfo_t *> (dt_tcp_full[(struct sock *)T])->tcps_rto;
	tcps_rtt = xlate <tcpsinfo_t *> (dt_tcp_full[(struct sock *)T])->tcps_rtt;
	tcps_rtt_sd = xlate <tcpsinfo_t *> (dt_tcp_full[(struct sock *)T])->tcps_rtt_sd;
	tcps_mss = xlate <tcpsinfo_t *> (dt_tcp_full[(struct sock *)T])->tcps_mss;
	tcps_retransmit = xlate <tcpsinfo_t *> (dt_tcp_full[(struct sock *)T])->tcps_retransmit;
};

#pragma D attributes Evolving/Evolving/ISA translator
translator tcplsinfo_t < int S > {
	tcps_state = S;
};

provider tcp {
	probe send(struct sk_buff *s, struct sock *k, struct dt_net_packet *i, struct dt_tcp_socket *t,
	    struct dt_tcp_segment *h, int was, int now, int in) :
	    (pktinfo_t *s, csinfo_t *k, ipinfo_t *i, tcpsinfo_t *t, tcpinfo_t *h); /* a segment leaves */
	probe receive(struct sk_buff *s, struct sock *k, struct dt_net_packet *i, struct dt_tcp_socket *t,
	    struct dt_tcp_segment *h, int was, int now, int in) :
	    (pktinfo_t *s, csinfo_t *k, ipinfo_t *i, tcpsinfo_t *t, tcpinfo_t *h); /* a segment comes in */
	probe connect__request(struct sk_buff *s, struct sock *k, struct dt_net_packet *i, struct dt_tcp_socket *t,
	    struct dt_tcp_segment *h, int was, int now, int in) :
	    (pktinfo_t *s, csinfo_t *k, ipinfo_t *i, tcpsinfo_t *t, tcpinfo_t *h); /* a connection is asked for */
	probe connect__established(struct sk_buff *s, struct sock *k, struct dt_net_packet *i, struct dt_tcp_socket *t,
	    struct dt_tcp_segment *h, int was, int now, int in) :
	    (pktinfo_t *s, csinfo_t *k, ipinfo_t *i, tcpsinfo_t *t, tcpinfo_t *h); /* a connection that was asked for exists */
	probe connect__refused(struct sk_buff *s, struct sock *k, struct dt_net_packet *i, struct dt_tcp_socket *t,
	    struct dt_tcp_segment *h, int was, int now, int in) :
	    (pktinfo_t *s, csinfo_t *k, ipinfo_t *i, tcpsinfo_t *t, tcpinfo_t *h); /* it was refused */
	probe accept__established(struct sk_buff *s, struct sock *k, struct dt_net_packet *i, struct dt_tcp_socket *t,
	    struct dt_tcp_segment *h, int was, int now, int in) :
	    (pktinfo_t *s, csinfo_t *k, ipinfo_t *i, tcpsinfo_t *t, tcpinfo_t *h); /* a connection was accepted */
	probe accept__refused(struct sk_buff *s, struct sock *k, struct dt_net_packet *i, struct dt_tcp_socket *t,
	    struct dt_tcp_segment *h, int was, int now, int in) :
	    (pktinfo_t *s, csinfo_t *k, ipinfo_t *i, tcpsinfo_t *t, tcpinfo_t *h); /* no socket accepts it */
	probe state__change(void *s, struct sock *k, void *i, struct dt_tcp_socket *t, void *h, int was, int now, int in) :
	    (void *s, csinfo_t *k, void *i, tcpsinfo_t *t, void *h, tcplsinfo_t *was); /* a connection changes its state; args[5] is the one before */
};

#pragma D attributes Evolving/Evolving/ISA provider tcp provider
#pragma D attributes Private/Private/Unknown provider tcp module
#pragma D attributes Private/Private/Unknown provider tcp function
#pragma D attributes Evolving/Evolving/ISA provider tcp name
#pragma D attributes Evolving/Evolving/ISA provider tcp args
