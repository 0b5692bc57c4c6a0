/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where packets are seen, for the tables of ip, tcp, udp and mib. A packet leaves at net_dev_queue,
 * with all its headers and not yet cut into segments, and comes in at netif_receive_skb, put together
 * by GRO. This covers loopback, IPv4 and IPv6 alike on every kernel. The D in dlib/ip.d reads the
 * headers. A packet with a VLAN tag was already seen at the device of that VLAN.
 */
#ifndef DT_PROVIDER_P_NET_H
#define DT_PROVIDER_P_NET_H

#include "provider/derived.h"

#define SKB "((struct sk_buff *)arg0)"
#define OUT_IP "dt_skb_out[" SKB "]"
#define IN_IP "dt_skb_in[" SKB "]"

/* forwarded packets have come in by a device */
#define LOCAL SKB "->skb_iif == 0"
#define CARRIES(ip, protocol) "dt_ip_carries[" ip "] == " protocol
#define PAYLOAD(ip) "dt_ip_payload[" ip "]"

/* two places of a table, one of which exists; `more` is D, the rest are the arguments */
#define LEAVES(more, ...) \
	DT_SITE(RAWTP, "net_dev_queue", "dt_skb_leaves[" SKB "] && " SKB "->vlan_all == 0 && " more, \
	    DT_ARGS(__VA_ARGS__), \
		DT_NEEDS(MEMBER, "sk_buff.vlan_all")), \
	DT_SITE(RAWTP, "net_dev_queue", "dt_skb_leaves[" SKB "] && " SKB "->vlan_present == 0 && " \
	    more, DT_ARGS(__VA_ARGS__), \
		DT_NEEDS(MEMBER, "sk_buff.vlan_present"), .otherwise = true)
#define COMES(more, ...) DT_SITE(RAWTP, "netif_receive_skb", "dt_skb_comes[" SKB "] && " more, \
	DT_ARGS(__VA_ARGS__))

/*
 * What reaches a protocol on this machine: its functions, which know the socket if one has that peer;
 * if functions cannot be traced, or not both, what comes in. `known` and `raw` are the arguments in the
 * two cases.
 */
#define HANDLED(v4, v6, protocol, known, raw) \
	DT_SITE(KFUNC, v4, DT_ALWAYS, DT_ARGS(known), DT_NEEDS(SYMBOL, v6)), \
	DT_SITE(RAWTP, "netif_receive_skb", "dt_skb_comes[" SKB "] && " SKB "->pkt_type == 0 && " \
	    CARRIES(IN_IP, protocol), DT_ARGS(raw), \
		.otherwise = true), \
	DT_SITE(KFUNC, v6, DT_ALWAYS, DT_ARGS(known), DT_NEEDS(SYMBOL, v4))
/* of those functions */
#define HANDLED_IP OUT_IP
#define HANDLED_PAYLOAD "(uint64_t)(" SKB "->head + " SKB "->transport_header)"

#endif
