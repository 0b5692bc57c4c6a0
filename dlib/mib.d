/* SPDX-License-Identifier: BSD-2-Clause */
/* mib: counters of the network. args[0] is the increment. */

#pragma D depends_on library ip.d
#pragma D depends_on library tcp.d

/* Of a segment that leaves, by its buffer and IP header: bytes of data; has its socket not sent them before? */
inline int dt_tcp_data[struct sk_buff *s, struct iphdr *i] = (int)(dt_skb_length[s, i] - (uint32_t)(dt_ip_payload[i] - (uintptr_t)i) -
    4 * ((struct tcphdr *)dt_ip_payload[i])->doff);
inline int dt_tcp_fresh[struct sock *k, struct tcphdr *h] = k == 0 || dt_tcp_full[k] == 0 || (int)(ntohl(h->seq) - dt_tcp_full[k]->snd_nxt) >= 0;
/* Of one that came, which begins with its header. */
inline int dt_tcp_got[struct sk_buff *s] = (int)(s->len - 4 * ((struct tcphdr *)s->data)->doff);
inline uint32_t dt_tcp_seq[struct sk_buff *s] = ntohl(((struct tcphdr *)s->data)->seq);
inline uint32_t dt_tcp_ack[struct sk_buff *s] = ntohl(((struct tcphdr *)s->data)->ack_seq);
inline int dt_tcp_got_flags[struct sk_buff *s] = *(uint8_t *)(s->data + 13);

provider mib {
	probe ipIfStatsHCInReceives(int n);
	probe ipIfStatsHCInOctets(int n);
	probe ipIfStatsHCInDelivers(int n);
	probe ipIfStatsHCOutRequests(int n);
	probe ipIfStatsHCOutTransmits(int n);
	probe ipIfStatsHCOutOctets(int n);
	probe ipIfStatsForwDatagrams(int n);
	probe ipIfStatsReasmReqds(int n);
	probe ipIfStatsReasmOKs(int n);
	probe ipIfStatsOutFragOKs(int n);
	probe ipIfStatsOutFragCreates(int n);
	probe icmpInMsgs(int n);
	probe icmpInEchos(int n);
	probe icmpInEchoReps(int n);
	probe icmpInDestUnreachs(int n);
	probe icmpInRedirects(int n);
	probe icmpInTimeExcds(int n);
	probe icmpOutMsgs(int n);
	probe icmpOutEchos(int n);
	probe icmpOutEchoReps(int n);
	probe icmpOutDestUnreachs(int n);
	probe icmpOutRedirects(int n);
	probe icmpOutTimeExcds(int n);
	probe tcpActiveOpens(int n);
	probe tcpPassiveOpens(int n);
	probe tcpAttemptFails(int n);
	probe tcpEstabResets(int n);
	probe tcpOutRsts(int n);
	probe tcpRetransSegs(int n);
	probe tcpHCInSegs(int n);
	probe tcpHCOutSegs(int n);
	probe tcpTimRetrans(int n);
	probe tcpInUnorderSegs(int n);
	probe tcpOutDataSegs(int n);
	probe tcpOutDataBytes(int n);
	probe tcpOutAck(int n);
	probe tcpOutControl(int n);
	probe tcpOutUrg(int n);
	probe tcpRetransBytes(int n);
	probe tcpInDataInorderSegs(int n);
	probe tcpInDataInorderBytes(int n);
	probe tcpInDataUnorderSegs(int n);
	probe tcpInDataUnorderBytes(int n);
	probe tcpInDataDupSegs(int n);
	probe tcpInDataDupBytes(int n);
	probe tcpInDataPartDupSegs(int n);
	probe tcpInDataPartDupBytes(int n);
	probe tcpInAckSegs(int n);
	probe tcpInAckBytes(int n);
	probe tcpInDupAck(int n);
	probe tcpInAckUnsent(int n);
	probe tcpTimKeepalive(int n);
	probe udpHCInDatagrams(int n);
	probe udpHCOutDatagrams(int n);
	probe udpNoPorts(int n);
	probe udpInOverflows(int n);
	probe rawipOutDatagrams(int n);
	probe rawipInDatagrams(int n);
};

#pragma D attributes Evolving/Evolving/ISA provider mib provider
#pragma D attributes Private/Private/Unknown provider mib module
#pragma D attributes Private/Private/Unknown provider mib function
#pragma D attributes Evolving/Evolving/ISA provider mib name
#pragma D attributes Evolving/Evolving/ISA provider mib args
