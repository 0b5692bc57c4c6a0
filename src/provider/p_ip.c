/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ip and sctp: packets of IPv4 and IPv6 that leave and come in, including forwarded ones (derived.h,
 * p_net.h). Only those that leave have a socket.
 */
#include "provider/p_net.h"

#define PACKET(ip, sock) "arg0", sock, "(uint64_t)" ip, "(uint64_t)" SKB "->dev", \
	"(uint64_t)(" ip "->version == 4 ? " ip " : 0)", \
	"(uint64_t)(" ip "->version == 6 ? " ip " : 0)"
#define SCTP "132"

static const struct dt_derived ip_probes[] = {
	{ "send", DT_AT(LEAVES("1", PACKET(OUT_IP, "(uint64_t)" SKB "->sk"))) },
	{ "receive", DT_AT(COMES("1", PACKET(IN_IP, "0"))) },
	{ "" },
};

static const struct dt_derived sctp_probes[] = {
	{ "send",
	    DT_AT(LEAVES(LOCAL " && " CARRIES(OUT_IP, SCTP), "arg0", "(uint64_t)" SKB "->sk",
	        "(uint64_t)" OUT_IP)) },
	{ "receive",
	    DT_AT(COMES(SKB "->pkt_type == 0 && " CARRIES(IN_IP, SCTP), "arg0", "0",
	        "(uint64_t)" IN_IP)) },
	{ "" },
};

const struct dt_provider dt_provider_ip = {
	.name = "ip",
	.form = "ip:::send, receive",
	.doc = "Packets of IPv4 and IPv6.",
	.attrs = { { EEI, PPU, PPU, EEI, EEI } },
	DT_DERIVED(ip_probes),
};

const struct dt_provider dt_provider_sctp = {
	.name = "sctp",
	.form = "sctp:::send, receive",
	.doc = "Packets of SCTP.",
	.attrs = { { EEI, PPU, PPU, EEI, EEI } },
	DT_DERIVED(sctp_probes),
};
