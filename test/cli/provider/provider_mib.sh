# SPDX-License-Identifier: BSD-2-Clause
# mib: counters against workloads that do a known number of each thing (test/trigger/provider_net.c). What happens in the thread that asks for
# it is counted exactly; what comes in may be handled by any thread, and others use the network too: not less than known.
# alone
. test/cli/helpers.inc
may_trace "mib probes"
. test/trigger/net.sh
run -ln 'mib:::'
cp "$tmp/out" "$tmp/there"
have() { grep -q " $1\$" "$tmp/there"; }
counts() {	# WORKLOAD…, after the names of the counters in $names; "NAME all" and "NAME mine"
	list=
	for name in $names; do have "$name" && list="$list${list:+, }mib:::$name"; done
	traced "$list { @all[probename] = sum(args[0]); } $list /pid == \$target/ { @mine[probename] = sum(arg0); }
	END { printa(\"%s all %@d\\n\", @all); printa(\"%s mine %@d\\n\", @mine); }" "$@"
}
most() {	# COUNTER NUMBER
	if ! have "$1"; then
		ok "mib:::$1 # SKIP needs kernel functions"
		return
	fi
	n=$(awk -v what="$1 all " 'index($0, what) == 1 { n += $NF } END { print n + 0 }' "$tmp/got")
	[ "$n" -ge "$2" ]
	check $? "mib:::$1: $n, not under $2"
}

# T 12: 5 times 6000 bytes there and 500 back, each told once, sent and got in order; what is got may be put together
names="tcpActiveOpens tcpPassiveOpens tcpAttemptFails tcpHCInSegs tcpHCOutSegs tcpOutRsts tcpOutDataSegs tcpOutDataBytes tcpOutAck tcpOutControl
    tcpInDataInorderSegs tcpInDataInorderBytes tcpInAckSegs tcpInAckBytes tcpInAckUnsent tcpOutUrg"
counts tcp 127.0.0.1 "$port"
# where a queue was full for a moment, whoever runs then sends
mine=$(awk 'index($0, "tcpOutDataBytes mine ") == 1 { n += $NF } END { print n + 0 }' "$tmp/got")
[ "$mine" -gt 0 ] && [ "$mine" -le 32500 ]
check $? "mib:::tcpOutDataBytes of the process: $mine of 32500"
for p in tcpOutDataBytes tcpInDataInorderBytes tcpInAckBytes; do most $p 32500; done
# SYN from both, FIN from both, and RST for each that is refused with its SYN
most tcpOutControl 26
for p in tcpOutDataSegs tcpOutAck tcpInDataInorderSegs tcpInAckSegs; do most $p 10; done
for p in tcpInAckUnsent tcpOutUrg; do same "$p mine" 0; done
same "tcpActiveOpens mine" 8
most tcpPassiveOpens 5
most tcpAttemptFails 3
most tcpOutRsts 3
# of a connection: 3 to begin, 2 with data at least, 2 to end; and a question and an answer for each that is refused
most tcpHCOutSegs 41
most tcpHCInSegs 41

port=$((port + 4)) names="tcpEstabResets tcpOutRsts"
counts abort 127.0.0.1 "$port"
most tcpEstabResets 4
same "tcpOutRsts mine" 2

for a in $addresses; do
	port=$((port + 4)) names="udpHCOutDatagrams udpHCInDatagrams udpNoPorts ipIfStatsHCOutRequests ipIfStatsHCOutTransmits
	    ipIfStatsHCInReceives ipIfStatsHCInDelivers ipIfStatsHCOutOctets ipIfStatsHCInOctets"
	counts udp "$a" "$port"
	case $a in *:*) header=48 ;; *) header=28 ;; esac
	same "udpHCOutDatagrams mine" 10
	most udpHCInDatagrams 8
	most udpNoPorts 2
	most ipIfStatsHCOutRequests 10
	most ipIfStatsHCOutTransmits 10
	most ipIfStatsHCInReceives 10
	most ipIfStatsHCInDelivers 10
	most ipIfStatsHCOutOctets $((10 * header + 1000 + 200 + 20))
	most ipIfStatsHCInOctets $((10 * header + 1000 + 200 + 20))
	port=$((port + 4)) names=udpInOverflows
	# before Linux 6.10 the tracepoint is for IPv4 only
	case $a in *:*) have udpHCInDatagrams || break ;; esac
	counts full "$a" "$port"
	most udpInOverflows 1
done

names="icmpInMsgs icmpInEchos icmpInEchoReps icmpOutMsgs icmpOutEchos icmpOutEchoReps"
counts ping 127.0.0.1
same "icmpOutEchos mine" 3
for p in icmpInEchos icmpInEchoReps icmpOutEchoReps; do most $p 3; done
most icmpInMsgs 6
most icmpOutMsgs 6
port=$((port + 4)) names="icmpInDestUnreachs icmpOutDestUnreachs"
counts udp 127.0.0.1 "$port"
most icmpOutDestUnreachs 1
most icmpInDestUnreachs 1

if unshare -n true 2>/dev/null; then
	names="ipIfStatsOutFragCreates ipIfStatsOutFragOKs ipIfStatsReasmReqds ipIfStatsReasmOKs"
	counts pieces 127.0.0.1 "$port"
	same "ipIfStatsOutFragCreates mine" 3
	same "ipIfStatsOutFragOKs mine" 1
	most ipIfStatsReasmReqds 3
	most ipIfStatsReasmOKs 1
else
	ok "fragments # SKIP no network of its own for a process"
fi

# here segments are sent again on purpose
run -qn 'mib:::tcpRetransSegs { @n = sum(arg0); } END { printa("again %@d\n", @n); }' -c "$load again 127.0.0.1 $((port + 4))"
[ "$status" -eq 0 ] && awk '$1 == "again" && $2 >= 1 { found = 1 } END { exit !found }' "$tmp/out"
check $? "mib:::tcpRetransSegs: $(tr -d '\n' <"$tmp/out")"
# T 12: 5 times 1000 bytes are lost, and 500 come before them; on a slow machine the lost ones may have been sent again before the others, so not all 5
run -qn 'mib:::tcpRetransBytes, mib:::tcpInDataUnorderSegs, mib:::tcpInDataUnorderBytes, mib:::tcpInDupAck, mib:::tcpInDataDupSegs, mib:::tcpInDataDupBytes,
mib:::tcpInDataPartDupSegs, mib:::tcpInDataPartDupBytes { @[probename] = sum(args[0]); } mib:::tcpOutDataBytes /pid == $target/ { @["first"] = sum(args[0]); }
END { printa("%s %@d\n", @); }' -c "$load lost 127.0.0.1 $((port + 8))"
cp "$tmp/out" "$tmp/got"
same first 7500
for p in "tcpRetransBytes 5000" "tcpInDataUnorderSegs 1" "tcpInDataUnorderBytes 500" "tcpInDupAck 1"; do
	awk -v n="${p% *}" -v least="${p#* }" '$1 == n && $2 >= least { found = 1 } END { exit !found }' "$tmp/got"
	check $? "mib:::${p% *}: $(sed -n "s/^${p% *} //p" "$tmp/got"), not under ${p#* }"
done

# a router between two hosts
names="ipIfStatsForwDatagrams icmpOutTimeExcds icmpInTimeExcds icmpOutRedirects icmpInRedirects tcpTimRetrans"
if ip netns add "r$$" 2>/dev/null && ip netns del "r$$" && command -v bash >/dev/null; then
	list=
	for name in $names; do have "$name" && list="$list${list:+, }mib:::$name"; done
	run -qn "$list { @[probename] = sum(arg0); } END { printa(\"%s %@d\n\", @); }" -c "bash test/trigger/router.sh"
	for name in $names; do
		case $name in *Redirects|tcp*) least=1 ;; *) least=3 ;; esac
		if have "$name"; then
			awk -v n="$name" -v least=$least '$1 == n && $2 >= least { found = 1 } END { exit !found }' "$tmp/out"
			check $? "mib:::$name: at least $least"
		else
			ok "mib:::$name # SKIP needs kernel functions"
		fi
	done
else
	ok "mib: a router # SKIP no networks of our own can be made here"
fi
run -qn 'mib:::tcpInUnorderSegs /pid == $target/ { @n = sum(arg0); } END { printa("beyond %@d\n", @n); }' -c "$load unorder 127.0.0.1 $((port + 8))"
is "mib:::tcpInUnorderSegs" 0 "beyond 3"
have rawipInDatagrams && list=", mib:::rawipInDatagrams" || { list=; ok "mib:::rawipInDatagrams, tcpTimKeepalive # SKIP needs kernel functions"; }
run -qn "mib:::rawipOutDatagrams$list { @[probename] = sum(args[0]); } END { printa(\"%s %@d\n\", @); }" -c "$load ping 127.0.0.1"
is "mib:::rawipOutDatagrams" 0 "rawipOutDatagrams 3"
# names that are known say why they are not there, patterns too
run -n 'mib:::tcpInWin*'
is "a pattern says why" 1 "in line"
# S G: typed arguments of a probe that is not there
run -n 'mib:::tcpListenDrop { x = args[0]; }'
is "args[] of a counter that is not there: the reason, not its types" 1 "does not match any probes"
run -n 'mib:::tcpListenDrop'
is "a counter that cannot be traced says why" 1 "kfree_skb"
