/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tcp: segments and connections (derived.h, p_net.h). Every probe has the same native arguments:
 * buffer, socket, IP header, socket, TCP header, state before, state now (0: the socket's), whether it
 * came in. dlib/tcp.d derives what is missing.
 */
#include "provider/p_net.h"

#define STATE(sock) sock "->__sk_common.skc_state"
#define OWNER "dt_tcp_owner[" SKB "->sk]"
#define TCP "6"

#define OUT_HEADER "((struct tcphdr *)" PAYLOAD(OUT_IP) ")"
#define OUT_FLAGS "*(uint8_t *)(" PAYLOAD(OUT_IP) " + 13)"
#define OUT(now) "arg0", "(uint64_t)" OWNER, "(uint64_t)" OUT_IP, "(uint64_t)" OWNER, PAYLOAD(OUT_IP), \
	"0", now, "0"
/*
 * Its socket is found from what it sends (dlib/tcp.d): the kernel looks it up before its TCP functions
 * run only if the segment comes from another machine.
 */
#define MET "(uint64_t)(" SKB "->sk != 0 ? " OWNER " : dt_tcp_coming[" SKB ", " HANDLED_IP \
	", (struct tcphdr *)" HANDLED_PAYLOAD "])"
#define IN_KNOWN "arg0", MET, "(uint64_t)" HANDLED_IP, MET, HANDLED_PAYLOAD, "0", "0", "1"
#define COMING "(uint64_t)dt_tcp_coming[" SKB ", " IN_IP ", (struct tcphdr *)" PAYLOAD(IN_IP) "]"
#define IN_RAW "arg0", COMING, "(uint64_t)" IN_IP, COMING, PAYLOAD(IN_IP), "0", "0", "1"
#define LEARNS "dt_tcp_full[" OWNER "] != 0 && dt_tcp_learn[" SKB ", " OUT_IP ", " OUT_HEADER "]"

/*
 * Functions that have the socket and the segment it received (none when a connection is restored) as
 * arg0 and `skb`; the segment is after GRO.
 */
#define IN_HEADER(skb, which) "(" skb " == 0 ? 0 : (uint64_t)(((struct sk_buff *)" skb \
	")->head + ((struct sk_buff *)" skb ")->" which "))"
#define GOT(skb, now) skb, "arg0", IN_HEADER(skb, "network_header"), "arg0", IN_HEADER(skb, \
	"transport_header"), "0", now, "1"
/* tracepoints that have the socket */
#define SOCK "((struct sock *)arg0)"
#define TELLS(was, now, in) "0", "arg0", "0", "arg0", "0", was, now, in

/*
 * Who connects (2) or listens (10) is noted for cs_pid (dlib/ip.d): the state is set in the call. It comes
 * before the firing at the same tracepoint; one that closes is forgotten after it.
 */
#define OWNS DT_SITE(RAWTP, "inet_sock_set_state", SOCK "->sk_protocol == " TCP \
	" && (arg2 == 2 || arg2 == 10) && dt_cs_own[" SOCK "]", DT_ARGS("0"))
#define DISOWNS DT_SITE(RAWTP, "inet_sock_set_state", SOCK "->sk_protocol == " TCP \
	" && arg2 == 7 && dt_cs_disown[" SOCK "]", DT_ARGS("0"))

/*
 * A socket that enters TIME_WAIT is replaced by a smaller one and closed: its peer has ended too (bit 1
 * of the flags) and there was no error. inet_sock_set_state(sock, old, new) comes before the state is
 * set.
 */
#define AFTER "((arg1 == 5 || arg1 == 11) && arg2 == 7 && " SOCK "->sk_err == 0 && (" SOCK \
	"->__sk_common.skc_flags & 2) != 0 ? 6 : arg2)"

static const struct dt_derived tcp_probes[] = {
	{ "send", DT_AT(LEAVES(LOCAL " && " CARRIES(OUT_IP, TCP), OUT("0")), OWNS, DISOWNS) },
	{ "receive",
	    DT_AT(HANDLED("tcp_v4_rcv", "tcp_v6_rcv", TCP, IN_KNOWN, IN_RAW), OWNS, DISOWNS,
		DT_SITE(RAWTP, "net_dev_queue",
		    "dt_skb_leaves[" SKB "] && " LOCAL " && " CARRIES(OUT_IP, TCP) " && " LEARNS,
		    DT_ARGS("0")),
		DT_SITE(RAWTP, "inet_sock_set_state",
		    SOCK "->sk_protocol == " TCP " && (arg2 == 1 ? dt_tcp_keep[" SOCK "] : arg2 == 7 ? "
			 "dt_tcp_forget[" SOCK "] : 0)",
		    DT_ARGS("0"))) },
	/* the first SYN, not a retransmitted one */
	{ "connect-request",
	    DT_AT(LEAVES(LOCAL
		" && " CARRIES(OUT_IP, TCP) " && (" OUT_FLAGS " & 0x12) == 2 && " SKB "->sk != 0 && " STATE(
		    SKB "->sk") " == 2 && ((struct tcp_sock *)" SKB "->sk)->total_retrans == 0",
		OUT("0")), OWNS, DISOWNS) },
	{ "connect-established",
	    DT_AT(DT_SITE(KFUNC, "tcp_finish_connect", DT_ALWAYS, DT_ARGS(GOT("arg1", "1"))),
		DT_SITE(RAWTP, "inet_sock_set_state",
		    SOCK "->sk_protocol == " TCP " && arg1 == 2 && arg2 == 1", DT_ARGS(TELLS("0", "1", "1")),
		    .otherwise = true), OWNS, DISOWNS) },
	{ "connect-refused",
	    DT_AT(DT_SITE(KFUNC, "tcp_reset", STATE(SOCK) " == 2", DT_ARGS(GOT("arg1", "7"))),
		DT_SITE(RAWTP, "tcp_receive_reset", STATE(SOCK) " == 2", DT_ARGS(TELLS("0", "7", "1")),
		    .otherwise = true), OWNS, DISOWNS) },
	/* BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB is 5 */
	{ "accept-established",
	    DT_AT(DT_SITE(KFUNC, "tcp_init_transfer", "(int)arg1 == 5", DT_ARGS(GOT("arg2", "1"))),
		DT_SITE(RAWTP, "inet_sock_set_state",
		    SOCK "->sk_protocol == " TCP " && arg1 == 3 && arg2 == 1", DT_ARGS(TELLS("0", "1", "1")),
		    .otherwise = true)) },
	/* RST and ACK with number 0 answer a SYN; with any other number they end a connection */
	{ "accept-refused",
	    DT_AT(LEAVES(LOCAL
		" && " CARRIES(OUT_IP, TCP) " && (" OUT_FLAGS " & 0x14) == 0x14 && " OUT_HEADER "->seq == 0",
		OUT("7"))) },
	{ "state-change",
	    DT_AT(OWNS, DT_SITE(RAWTP, "inet_sock_set_state", SOCK "->sk_protocol == " TCP,
		DT_ARGS(TELLS("arg1", AFTER, "0"))), DISOWNS) },
	{ "" },
};

const struct dt_provider dt_provider_tcp = {
	.name = "tcp",
	.form = "tcp:::NAME",
	.doc = "Connections and segments of TCP.",
	.attrs = { { EEI, PPU, PPU, EEI, EEI } },
	DT_DERIVED(tcp_probes),
};
