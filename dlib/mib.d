/* SPDX-License-Identifier: BSD-2-Clause */
/* mib: counters of the network. args[0] is the increment. */

#pragma D depends_on library ip.d

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
	probe udpHCInDatagrams(int n);
	probe udpHCOutDatagrams(int n);
	probe udpNoPorts(int n);
	probe udpInOverflows(int n);
};

#pragma D attributes Evolving/Evolving/ISA provider mib provider
#pragma D attributes Private/Private/Unknown provider mib module
#pragma D attributes Private/Private/Unknown provider mib function
#pragma D attributes Evolving/Evolving/ISA provider mib name
#pragma D attributes Evolving/Evolving/ISA provider mib args
