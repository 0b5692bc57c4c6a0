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
	uint16_t tcp_sport;
	uint16_t tcp_dport;
	uint32_t tcp_seq;
	uint32_t tcp_ack;
	uint8_t tcp_offset;
	uint8_t tcp_flags;
	uint16_t tcp_window;
	uint16_t tcp_checksum;
	uint16_t tcp_urgent;
	struct tcphdr *tcp_hdr;
} tcpinfo_t;

typedef struct tcpsinfo {
	uintptr_t tcps_addr;
	int tcps_local;
	int tcps_active;
	uint16_t tcps_lport;
	uint16_t tcps_rport;
	string tcps_laddr;
	string tcps_raddr;
	int32_t tcps_state;
	uint32_t tcps_iss;
	uint32_t tcps_irs;
	uint32_t tcps_suna;
	uint32_t tcps_snxt;
	uint32_t tcps_rack;
	uint32_t tcps_rnxt;
	uint32_t tcps_swnd;
	int32_t tcps_snd_ws;
	uint32_t tcps_rwnd;
	int32_t tcps_rcv_ws;
	uint32_t tcps_cwnd;
	uint32_t tcps_cwnd_ssthresh;
	uint32_t tcps_sack_fack;
	uint32_t tcps_sack_snxt;
	uint32_t tcps_rto;
	uint32_t tcps_rtt;
	uint32_t tcps_rtt_sd;
	uint32_t tcps_mss;
	int tcps_retransmit;
} tcpsinfo_t;

typedef struct tcplsinfo {
	int32_t tcps_state;
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

/* Initial sequence numbers are not kept: what was counted since is taken off the current ones. */
#pragma D attributes Evolving/Evolving/ISA translator
translator tcpsinfo_t < struct tcp_sock *T > {
	tcps_addr = (uintptr_t)T;
	tcps_local = T == 0 ? 0 : T->inet_conn.icsk_inet.sk.__sk_common.skc_family == AF_INET ? T->inet_conn.icsk_inet.sk.__sk_common.skc_daddr == T->inet_conn.icsk_inet.sk.__sk_common.skc_rcv_saddr : 0;
	tcps_active = T == 0 ? 0 : T->inet_conn.icsk_inet.sk.__sk_common.skc_state == TCP_STATE_SYN_SENT;
	tcps_lport = T == 0 ? 0 : T->inet_conn.icsk_inet.sk.__sk_common.skc_num;
	tcps_rport = T == 0 ? 0 : ntohs(T->inet_conn.icsk_inet.sk.__sk_common.skc_dport);
	tcps_laddr = T == 0 ? "<unknown>" : T->inet_conn.icsk_inet.sk.__sk_common.skc_family == AF_INET ? inet_ntoa(&T->inet_conn.icsk_inet.sk.__sk_common.skc_rcv_saddr) :
	    inet_ntoa6(&T->inet_conn.icsk_inet.sk.__sk_common.skc_v6_rcv_saddr);
	tcps_raddr = T == 0 ? "<unknown>" : T->inet_conn.icsk_inet.sk.__sk_common.skc_family == AF_INET ? inet_ntoa(&T->inet_conn.icsk_inet.sk.__sk_common.skc_daddr) :
	    inet_ntoa6(&T->inet_conn.icsk_inet.sk.__sk_common.skc_v6_daddr);
	tcps_state = T == 0 ? TCP_STATE_CLOSED : T->inet_conn.icsk_inet.sk.__sk_common.skc_state;
	tcps_iss = T == 0 ? 0 : T->snd_una - (uint32_t)T->bytes_acked;
	tcps_irs = T == 0 ? 0 : T->rcv_nxt - (uint32_t)T->bytes_received;
	tcps_suna = T == 0 ? 0 : T->snd_una;
	tcps_snxt = T == 0 ? 0 : T->snd_nxt;
	tcps_rack = T == 0 ? 0 : T->rcv_wup;
	tcps_rnxt = T == 0 ? 0 : T->rcv_nxt;
	tcps_swnd = T == 0 ? 0 : T->snd_wnd;
	tcps_snd_ws = T == 0 ? 0 : T->rx_opt.snd_wscale;
	tcps_rwnd = T == 0 ? 0 : T->rcv_wnd;
	tcps_rcv_ws = T == 0 ? 0 : T->rx_opt.rcv_wscale;
	tcps_cwnd = T == 0 ? 0 : T->snd_cwnd * T->mss_cache;
	tcps_cwnd_ssthresh = T == 0 ? 0 : T->snd_ssthresh;
	tcps_sack_fack = T == 0 ? 0 : T->snd_una;
	tcps_sack_snxt = T == 0 ? 0 : T->snd_nxt;
	tcps_rto = T == 0 ? 0 : T->inet_conn.icsk_rto;
	tcps_rtt = T == 0 ? 0 : T->srtt_us >> 3;
	tcps_rtt_sd = T == 0 ? 0 : T->mdev_us >> 2;
	tcps_mss = T == 0 ? 0 : T->mss_cache;
	tcps_retransmit = T == 0 ? 0 : T->retrans_out != 0;
};

#pragma D attributes Evolving/Evolving/ISA translator
translator tcplsinfo_t < int S > {
	tcps_state = S;
};

provider tcp {
	probe send(struct sk_buff *s, struct sock *k, struct iphdr *i, struct tcp_sock *t, struct tcphdr *h) :
	    (pktinfo_t *s, csinfo_t *k, ipinfo_t *i, tcpsinfo_t *t, tcpinfo_t *h);
	probe receive(struct sk_buff *s, struct sock *k, struct iphdr *i, struct tcp_sock *t, struct tcphdr *h) :
	    (pktinfo_t *s, csinfo_t *k, ipinfo_t *i, tcpsinfo_t *t, tcpinfo_t *h);
	probe connect__request(struct sk_buff *s, struct sock *k, struct iphdr *i, struct tcp_sock *t, struct tcphdr *h) :
	    (pktinfo_t *s, csinfo_t *k, ipinfo_t *i, tcpsinfo_t *t, tcpinfo_t *h);
	probe connect__established(struct sk_buff *s, struct sock *k, struct iphdr *i, struct tcp_sock *t, struct tcphdr *h) :
	    (pktinfo_t *s, csinfo_t *k, ipinfo_t *i, tcpsinfo_t *t, tcpinfo_t *h);
	probe connect__refused(struct sk_buff *s, struct sock *k, struct iphdr *i, struct tcp_sock *t, struct tcphdr *h) :
	    (pktinfo_t *s, csinfo_t *k, ipinfo_t *i, tcpsinfo_t *t, tcpinfo_t *h);
	probe accept__established(struct sk_buff *s, struct sock *k, struct iphdr *i, struct tcp_sock *t, struct tcphdr *h) :
	    (pktinfo_t *s, csinfo_t *k, ipinfo_t *i, tcpsinfo_t *t, tcpinfo_t *h);
	probe accept__refused(struct sk_buff *s, struct sock *k, struct iphdr *i, struct tcp_sock *t, struct tcphdr *h) :
	    (pktinfo_t *s, csinfo_t *k, ipinfo_t *i, tcpsinfo_t *t, tcpinfo_t *h);
	probe state__change(void *n, struct sock *k, struct tcp_sock *t, int was) :
	    (void *n, csinfo_t *k, void *n, tcpsinfo_t *t, void *n, tcplsinfo_t *was);
};

#pragma D attributes Evolving/Evolving/ISA provider tcp provider
#pragma D attributes Private/Private/Unknown provider tcp module
#pragma D attributes Private/Private/Unknown provider tcp function
#pragma D attributes Evolving/Evolving/ISA provider tcp name
#pragma D attributes Evolving/Evolving/ISA provider tcp args
