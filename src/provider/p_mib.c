/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mib: the counters of the network (derived.h, p_net.h). The kernel increments them inline; what can be
 * traced is the event that each counts: a packet that leaves or comes in, a socket's change of state, a
 * function. arg0 is the increment.
 */
#include "provider/p_net.h"

#define OUT(more) LEAVES(more, "1")
#define IN(more) COMES(more, "1")
#define HERE SKB "->pkt_type == 0"

#define FRAGMENT(ip) "dt_ip_fragment[" ip "] != 0"
#define FIRST(ip) "dt_ip_later[" ip "] == 0"
#define ICMP(ip) ip "->version == 4 && " CARRIES(ip, "1")
#define ICMP_TYPE(ip, type) ICMP(ip) " && *(uint8_t *)" PAYLOAD(ip) " == " type
#define TCP_OUT LOCAL " && " CARRIES(OUT_IP, "6")
#define TCP_RST "(*(uint8_t *)(" PAYLOAD(OUT_IP) " + 13) & 4) != 0"
/* A buffer that the device will cut knows the number of segments; this is stored behind its data */
#define CUT "((struct skb_shared_info *)(" SKB "->head + " SKB "->end))->gso_segs"

/*
 * The data of a segment that leaves, and whether its socket sends them for the first time: the number
 * of the next byte grows when a segment is on its way. Flags FIN 1, SYN 2, RST 4, ACK 16, URG 32.
 */
#define TCP_FLAGS "*(uint8_t *)(" PAYLOAD(OUT_IP) " + 13)"
#define TCP_DATA "dt_tcp_data[" SKB ", " OUT_IP "]"
#define TCP_NEW TCP_OUT " && " TCP_DATA " > 0 && dt_tcp_fresh[" SKB "->sk, (struct tcphdr *)" \
	PAYLOAD(OUT_IP) "]"
/*
 * A socket of a program that sends IP packets as they are (the kernel's replies have one of their own);
 * 3 is SOCK_RAW, AF_INET 2, AF_INET6 10
 */
#define RAW SKB "->sk != 0 && " SKB "->sk->sk_kern_sock == 0 && " SKB "->sk->sk_type == 3 && (" SKB \
	"->sk->__sk_common.skc_family == 2 || " SKB "->sk->__sk_common.skc_family == 10)"

/*
 * tcp_probe(sock, segment): for an existing connection, before the segment is processed. G… belongs to
 * the segment, S… to the socket.
 */
#define SEGMENT "((struct sk_buff *)arg1)"
#define CONN "((struct tcp_sock *)arg0)"
#define GOT(when, n) DT_SITE(RAWTP, "tcp_probe", when, DT_ARGS(n))
#define G_DATA "dt_tcp_got[" SEGMENT "]"
#define G_SEQ "dt_tcp_seq[" SEGMENT "]"
#define G_ACK "dt_tcp_ack[" SEGMENT "]"
#define IN_ORDER G_DATA " > 0 && " G_SEQ " == " CONN "->rcv_nxt"
#define AFTER_GAP G_DATA " > 0 && (int)(" G_SEQ " - " CONN "->rcv_nxt) > 0"
#define OLD_BEGINNING G_DATA " > 0 && (int)(" G_SEQ " - " CONN "->rcv_nxt) < 0 && (int)(" G_SEQ " + " \
	G_DATA " - " CONN "->rcv_nxt) "
#define OLD OLD_BEGINNING "<= 0"
#define OLD_IN_PART OLD_BEGINNING "> 0"
#define ACKED "(int)(" G_ACK " - " CONN "->snd_una)"
#define ACKS ACKED " > 0 && (int)(" G_ACK " - " CONN "->snd_nxt) <= 0"
#define ACKS_AGAIN G_DATA " == 0 && (dt_tcp_got_flags[" SEGMENT "] & 7) == 0 && " ACKED " == 0 && " CONN \
	"->snd_una != " CONN "->snd_nxt"

/*
 * inet_sock_set_state(sock, old, new): ESTABLISHED 1, SYN_SENT 2, SYN_RECV 3, CLOSE 7, CLOSE_WAIT 8,
 * LISTEN 10
 */
#define TURNS(when) DT_SITE(RAWTP, "inet_sock_set_state", \
	"((struct sock *)arg0)->sk_protocol == 6 && " when, DT_ARGS("1"))
#define CALLED(f) DT_SITE(KFUNC, f, DT_ALWAYS, DT_ARGS("1"))
#define RETURNS(f, when) DT_SITE(KRET, f, when, DT_ARGS("1"))
#define AGAIN "((struct tcp_skb_cb *)((struct sk_buff *)arg1)->cb)->tcp_gso_segs"

/*
 * kfree_skb(skb, location, reason): the number of SKB_DROP_REASON_NO_SOCKET changed when reasons became
 * lists
 */
#define NO_PORT(number, ...) DT_SITE(RAWTP, "kfree_skb", "(int)arg2 == " number " && dt_skb_ip[" SKB \
	"] && " CARRIES(OUT_IP, "17"), DT_ARGS("1"), \
	.nargs = 3, __VA_ARGS__)

#define INLINE "Linux counts this in line and has neither a tracepoint nor a function for it: see nstat(8) " \
	"and /proc/net/netstat"
#define DROPPED "Linux counts this in line: sdt:skb::kfree_skb reports each packet that is dropped, and why"

static const struct dt_derived mib_probes[] = {
	{ "ipIfStatsHCInReceives", DT_AT(IN("1")) },
	{ "ipIfStatsHCInOctets", DT_AT(COMES("1", "dt_skb_length[" SKB ", " IN_IP "]")) },
	{ "ipIfStatsHCInDelivers",
	    DT_AT(DT_SITE(KFUNC, "ip_protocol_deliver_rcu", DT_ALWAYS, DT_ARGS("1"), .required = true),
		CALLED("ip6_protocol_deliver_rcu")) },
	{ "ipIfStatsHCOutRequests", DT_AT(OUT(LOCAL " && " FIRST(OUT_IP))) },
	{ "ipIfStatsHCOutTransmits", DT_AT(OUT("1")) },
	{ "ipIfStatsHCOutOctets", DT_AT(LEAVES("1", "dt_skb_length[" SKB ", " OUT_IP "]")) },
	{ "ipIfStatsForwDatagrams", DT_AT(OUT(SKB "->skb_iif != 0 && " FIRST(OUT_IP))) },
	{ "ipIfStatsReasmReqds", DT_AT(IN(HERE " && " FRAGMENT(IN_IP))) },
	{ "ipIfStatsReasmOKs",
	    DT_AT(RETURNS("ip_defrag", "(int)arg1 == 0"), RETURNS("ipv6_frag_rcv", "(int)arg1 == 1")) },
	{ "ipIfStatsOutFragOKs", DT_AT(OUT(FRAGMENT(OUT_IP) " && " FIRST(OUT_IP))) },
	{ "ipIfStatsOutFragCreates", DT_AT(OUT(FRAGMENT(OUT_IP))) },
	{ "ipIfStatsInHdrErrors", .never = DROPPED },
	{ "ipIfStatsInDiscards", .never = DROPPED },
	{ "ipIfStatsOutDiscards", .never = DROPPED },
	{ "ipIfStatsReasmFails", .never = DROPPED },
	{ "icmpInMsgs", DT_AT(IN(HERE " && " ICMP(IN_IP))) },
	{ "icmpInEchos", DT_AT(IN(HERE " && " ICMP_TYPE(IN_IP, "8"))) },
	{ "icmpInEchoReps", DT_AT(IN(HERE " && " ICMP_TYPE(IN_IP, "0"))) },
	{ "icmpInDestUnreachs", DT_AT(IN(HERE " && " ICMP_TYPE(IN_IP, "3"))) },
	{ "icmpInRedirects", DT_AT(IN(HERE " && " ICMP_TYPE(IN_IP, "5"))) },
	{ "icmpInTimeExcds", DT_AT(IN(HERE " && " ICMP_TYPE(IN_IP, "11"))) },
	{ "icmpOutMsgs", DT_AT(OUT(LOCAL " && " ICMP(OUT_IP))) },
	{ "icmpOutEchos", DT_AT(OUT(LOCAL " && " ICMP_TYPE(OUT_IP, "8"))) },
	{ "icmpOutEchoReps", DT_AT(OUT(LOCAL " && " ICMP_TYPE(OUT_IP, "0"))) },
	{ "icmpOutDestUnreachs", DT_AT(OUT(LOCAL " && " ICMP_TYPE(OUT_IP, "3"))) },
	{ "icmpOutRedirects", DT_AT(OUT(LOCAL " && " ICMP_TYPE(OUT_IP, "5"))) },
	{ "icmpOutTimeExcds", DT_AT(OUT(LOCAL " && " ICMP_TYPE(OUT_IP, "11"))) },
	{ "icmpInErrors", .never = DROPPED },
	{ "tcpActiveOpens", DT_AT(TURNS("arg1 == 7 && arg2 == 2")) },
	{ "tcpPassiveOpens", DT_AT(TURNS("arg1 == 10 && arg2 == 3")) },
	{ "tcpAttemptFails", DT_AT(TURNS("(arg1 == 2 || arg1 == 3) && arg2 == 7")) },
	{ "tcpEstabResets", DT_AT(TURNS("(arg1 == 1 || arg1 == 8) && arg2 == 7")) },
	{ "tcpOutRsts", DT_AT(OUT(TCP_OUT " && " TCP_RST)) },
	{ "tcpRetransSegs",
	    DT_AT(DT_SITE(RAWTP, "tcp_retransmit_skb", DT_ALWAYS, DT_ARGS(AGAIN " > 1 ? " AGAIN " : 1")),
		DT_SITE(RAWTP, "tcp_retransmit_synack", DT_ALWAYS, DT_ARGS("1"))) },
	{ "tcpHCInSegs", DT_AT(HANDLED("tcp_v4_rcv", "tcp_v6_rcv", "6", "1", "1")) },
	{ "tcpHCOutSegs", DT_AT(LEAVES(TCP_OUT, CUT " > 1 ? " CUT " : 1")) },
	{ "tcpTimRetrans", DT_AT(CALLED("tcp_retransmit_timer")) },
	{ "tcpInUnorderSegs", DT_AT(GOT(AFTER_GAP, "1")) },
	{ "tcpOutDataSegs", DT_AT(LEAVES(TCP_NEW, CUT " > 1 ? " CUT " : 1")) },
	{ "tcpOutDataBytes", DT_AT(LEAVES(TCP_NEW, TCP_DATA)) },
	{ "tcpOutAck", DT_AT(OUT(TCP_OUT " && " TCP_DATA " == 0 && (" TCP_FLAGS " & 0x17) == 0x10")) },
	{ "tcpOutControl", DT_AT(OUT(TCP_OUT " && (" TCP_FLAGS " & 7) != 0")) },
	{ "tcpOutUrg", DT_AT(OUT(TCP_OUT " && (" TCP_FLAGS " & 0x20) != 0")) },
	{ "tcpRetransBytes",
	    DT_AT(DT_SITE(RAWTP, "tcp_retransmit_skb", DT_ALWAYS, DT_ARGS(SEGMENT "->len"))) },
	{ "tcpInDataInorderSegs", DT_AT(GOT(IN_ORDER, "1")) },
	{ "tcpInDataInorderBytes", DT_AT(GOT(IN_ORDER, G_DATA)) },
	{ "tcpInDataUnorderSegs", DT_AT(GOT(AFTER_GAP, "1")) },
	{ "tcpInDataUnorderBytes", DT_AT(GOT(AFTER_GAP, G_DATA)) },
	{ "tcpInDataDupSegs", DT_AT(GOT(OLD, "1")) },
	{ "tcpInDataDupBytes", DT_AT(GOT(OLD, G_DATA)) },
	{ "tcpInDataPartDupSegs", DT_AT(GOT(OLD_IN_PART, "1")) },
	{ "tcpInDataPartDupBytes", DT_AT(GOT(OLD_IN_PART, CONN "->rcv_nxt - " G_SEQ)) },
	{ "tcpInAckSegs", DT_AT(GOT(ACKS, "1")) },
	{ "tcpInAckBytes", DT_AT(GOT(ACKS, ACKED)) },
	{ "tcpInDupAck", DT_AT(GOT(ACKS_AGAIN, "1")) },
	{ "tcpInAckUnsent", DT_AT(GOT("(int)(" G_ACK " - " CONN "->snd_nxt) > 0", "1")) },
	{ "tcpOutAckDelayed", .never = INLINE },
	{ "tcpOutWinUpdate", .never = INLINE },
	{ "tcpOutWinProbe", .never = INLINE },
	{ "tcpOutFastRetrans", .never = INLINE },
	{ "tcpOutSackRetransSegs", .never = INLINE },
	{ "tcpInDataPastWinSegs", .never = DROPPED },
	{ "tcpInDataPastWinBytes", .never = DROPPED },
	{ "tcpInWinProbe", .never = INLINE },
	{ "tcpInWinUpdate", .never = INLINE },
	{ "tcpInClosed", .never = DROPPED },
	{ "tcpInErrs", .never = DROPPED },
	{ "tcpRttNoUpdate", .never = INLINE },
	{ "tcpTimRetransDrop", .never = INLINE },
	{ "tcpTimKeepalive", DT_AT(CALLED("tcp_keepalive_timer")) },
	{ "tcpTimKeepaliveProbe", .never = INLINE },
	{ "tcpTimKeepaliveDrop", .never = INLINE },
	{ "tcpHalfOpenDrop", .never = DROPPED },
	{ "tcpRttUpdate", .never = INLINE },
	{ "tcpListenDrop", .never = DROPPED },
	{ "tcpListenDropQ0", .never = DROPPED },
	{ "udpHCInDatagrams", DT_AT(RETURNS("__udp_enqueue_schedule_skb", "(int)arg1 == 0")) },
	{ "udpHCOutDatagrams", DT_AT(OUT(LOCAL " && " CARRIES(OUT_IP, "17"))) },
	{ "udpNoPorts",
	    DT_AT(NO_PORT("3", DT_NEEDS(MEMBER, "drop_reason_list.reasons")),
		NO_PORT("2", .otherwise = true)) },
	/* -ENOMEM: the socket's buffer is full */
	{ "udpInOverflows",
	    DT_AT(RETURNS("__udp_enqueue_schedule_skb", "(int)arg1 == -12"),
		DT_SITE(RAWTP, "udp_fail_queue_rcv_skb", "(int)arg0 == -12", DT_ARGS("1"),
		    .otherwise = true)) },
	{ "udpInErrors", .never = DROPPED },
	{ "udpInCksumErrs", .never = DROPPED },
	{ "rawipOutDatagrams", DT_AT(OUT(LOCAL " && " RAW)) },
	{ "rawipInDatagrams", DT_AT(CALLED("raw_rcv"), CALLED("rawv6_rcv")) },
	{ "rawipInCksumErrs", .never = DROPPED },
	{ "rawipInOverflows", .never = DROPPED },
	{ "rawipOutErrors", .never = INLINE },
	{ "" },
};

const struct dt_provider dt_provider_mib = {
	.name = "mib",
	.form = "mib:::COUNTER",
	.doc = "Counters of the network, where they are counted.",
	.attrs = { { EEI, PPU, PPU, EEI, EEI } },
	DT_DERIVED(mib_probes),
};
