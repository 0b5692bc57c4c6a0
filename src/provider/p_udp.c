/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * udp and udplite: datagrams (derived.h, p_net.h), each reported once even if it travels in fragments,
 * and even if no one waits for it.
 */
#include "provider/p_net.h"

#define SOCK "(uint64_t)" SKB "->sk"
#define DATAGRAM(ip, sock, header, in) "arg0", sock, "(uint64_t)" ip, sock, header, in

#define PROBES(protocol, v4, v6) \
	{ "send", DT_AT(LEAVES(LOCAL " && " CARRIES(OUT_IP, protocol), DATAGRAM(OUT_IP, SOCK, \
	    PAYLOAD(OUT_IP), "0"))) }, \
	{ "receive", DT_AT(HANDLED(v4, v6, protocol, DATAGRAM(HANDLED_IP, SOCK, HANDLED_PAYLOAD, "1"), \
		DATAGRAM(IN_IP, "0", PAYLOAD(IN_IP), "1"))) }

static const struct dt_derived udp_probes[] = { PROBES("17", "udp_rcv", "udpv6_rcv"), { "" } };
static const struct dt_derived udplite_probes[] = { PROBES("136", "udplite_rcv", "udplitev6_rcv"), { "" } };

const struct dt_provider dt_provider_udp = {
	.name = "udp",
	.form = "udp:::send, receive",
	.doc = "Datagrams of UDP.",
	.attrs = { { EEI, PPU, PPU, EEI, EEI } },
	DT_DERIVED(udp_probes),
};

const struct dt_provider dt_provider_udplite = {
	.name = "udplite",
	.form = "udplite:::send, receive",
	.doc = "Datagrams of UDP-Lite.",
	.attrs = { { EEI, PPU, PPU, EEI, EEI } },
	DT_DERIVED(udplite_probes),
};
