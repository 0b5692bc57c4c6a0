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
	probe ipIfStatsHCInReceives(int n); /* packets that came in */
	probe ipIfStatsHCInOctets(int n); /* their bytes */
	probe ipIfStatsHCInDelivers(int n); /* packets that were for this machine */
	probe ipIfStatsHCOutRequests(int n); /* packets that this machine sends */
	probe ipIfStatsHCOutTransmits(int n); /* packets that leave, forwarded ones too */
	probe ipIfStatsHCOutOctets(int n); /* their bytes */
	probe ipIfStatsForwDatagrams(int n); /* packets that are forwarded */
	probe ipIfStatsReasmReqds(int n); /* fragments that came in */
	probe ipIfStatsReasmOKs(int n); /* packets made of fragments */
	probe ipIfStatsOutFragOKs(int n); /* packets that were cut into fragments */
	probe ipIfStatsOutFragCreates(int n); /* fragments that were made */
	probe icmpInMsgs(int n); /* ICMP messages that came in */
	probe icmpInEchos(int n); /* echo requests that came in */
	probe icmpInEchoReps(int n); /* echo replies that came in */
	probe icmpInDestUnreachs(int n); /* destination unreachable, in */
	probe icmpInRedirects(int n); /* redirects, in */
	probe icmpInTimeExcds(int n); /* time exceeded, in */
	probe icmpOutMsgs(int n); /* ICMP messages sent */
	probe icmpOutEchos(int n); /* echo requests sent */
	probe icmpOutEchoReps(int n); /* echo replies sent */
	probe icmpOutDestUnreachs(int n); /* destination unreachable, out */
	probe icmpOutRedirects(int n); /* redirects, out */
	probe icmpOutTimeExcds(int n); /* time exceeded, out */
	probe tcpActiveOpens(int n); /* connections asked for */
	probe tcpPassiveOpens(int n); /* connections accepted */
	probe tcpAttemptFails(int n); /* connections that did not come about */
	probe tcpEstabResets(int n); /* connections that were reset */
	probe tcpOutRsts(int n); /* resets sent */
	probe tcpRetransSegs(int n); /* segments sent again */
	probe tcpHCInSegs(int n); /* segments that came in */
	probe tcpHCOutSegs(int n); /* segments sent */
	probe tcpTimRetrans(int n); /* timers that ran out before an acknowledgement */
	probe tcpInUnorderSegs(int n); /* segments that came out of order */
	probe tcpOutDataSegs(int n); /* segments with data, sent */
	probe tcpOutDataBytes(int n); /* their bytes */
	probe tcpOutAck(int n); /* acknowledgements sent */
	probe tcpOutControl(int n); /* SYN, FIN and RST sent */
	probe tcpOutUrg(int n); /* urgent segments sent */
	probe tcpRetransBytes(int n); /* bytes sent again */
	probe tcpInDataInorderSegs(int n); /* segments in order */
	probe tcpInDataInorderBytes(int n); /* their bytes */
	probe tcpInDataUnorderSegs(int n); /* segments out of order */
	probe tcpInDataUnorderBytes(int n); /* their bytes */
	probe tcpInDataDupSegs(int n); /* segments that were there already */
	probe tcpInDataDupBytes(int n); /* their bytes */
	probe tcpInDataPartDupSegs(int n); /* segments of which a part was there already */
	probe tcpInDataPartDupBytes(int n); /* the bytes of that part */
	probe tcpInAckSegs(int n); /* acknowledgements of new data */
	probe tcpInAckBytes(int n); /* the bytes they acknowledge */
	probe tcpInDupAck(int n); /* acknowledgements that say nothing new */
	probe tcpInAckUnsent(int n); /* acknowledgements of what was not sent */
	probe tcpTimKeepalive(int n); /* timers of keepalive */
	probe udpHCInDatagrams(int n); /* datagrams put into a socket */
	probe udpHCOutDatagrams(int n); /* datagrams sent */
	probe udpNoPorts(int n); /* datagrams for a port without a socket */
	probe udpInOverflows(int n); /* datagrams for which a socket had no room */
	probe rawipOutDatagrams(int n); /* packets of raw sockets, sent */
	probe rawipInDatagrams(int n); /* packets for raw sockets */
};

#pragma D attributes Evolving/Evolving/ISA provider mib provider
#pragma D attributes Private/Private/Unknown provider mib module
#pragma D attributes Private/Private/Unknown provider mib function
#pragma D attributes Evolving/Evolving/ISA provider mib name
#pragma D attributes Evolving/Evolving/ISA provider mib args
