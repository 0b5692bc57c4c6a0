# SPDX-License-Identifier: BSD-2-Clause
# For the tests of ip, tcp, udp and mib: ports that nobody else uses, addresses, and what the tracer printed.
load=${BUILD:-build}/test/provider_net
# below those the kernel gives away by itself
port=$((20000 + $$ % 3000 * 4))
addresses=127.0.0.1
"$load" udp ::1 $port 2>/dev/null && addresses="$addresses ::1" || ok "IPv6 # SKIP this machine has none"

# traced PROGRAM WORKLOAD…: the program's lines in $tmp/got; again while segments were lost on the way and sent twice: a slow machine
traced() {
	{
		echo "#pragma D option quiet"
		printf "%s\n" "$1"
		printf "%s\n" 'rawtp:::tcp_retransmit_skb { @again["again"] = count(); } END { printa("%s %@d\n", @again); }'
	} >"$tmp/net.d"
	shift
	for try in 1 2 3 4 5; do
		run -s "$tmp/net.d" -c "$load $*"
		cp "$tmp/out" "$tmp/got"
		grep -q '^again' "$tmp/got" || break
	done
	check "$status" "$* is traced"
	[ "$status" -eq 0 ] || exit 1
}
# same WHAT NUMBER: the line "WHAT NUMBER", or none for 0
same() {
	n=$(awk -v what="$1 " 'index($0, what) == 1 { n += $NF } END { print n + 0 }' "$tmp/got")
	[ "$n" -eq "$2" ]
	check $? "$1: $n of $2"
}
