/* SPDX-License-Identifier: BSD-2-Clause */
/* mib: counters of the network. args[0] is the increment. */

provider mib {
	probe ipIfStatsHCInReceives(int n);
	probe ipIfStatsHCInDelivers(int n);
	probe ipIfStatsHCOutRequests(int n);
	probe ipIfStatsForwDatagrams(int n);
	probe ipIfStatsReasmReqds(int n);
	probe ipIfStatsOutFragOKs(int n);
	probe ipIfStatsOutFragCreates(int n);
	probe icmpInMsgs(int n);
	probe icmpOutMsgs(int n);
	probe tcpActiveOpens(int n);
	probe tcpPassiveOpens(int n);
	probe tcpAttemptFails(int n);
	probe tcpEstabResets(int n);
	probe tcpOutRsts(int n);
	probe tcpRetransSegs(int n);
	probe tcpHCInSegs(int n);
	probe tcpHCOutSegs(int n);
	probe tcpListenDrop(int n);
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
