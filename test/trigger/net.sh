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
# same WHAT NUMBER: the line "WHAT NUMBER", or none for 0. Without other processes, which are slow in an emulated machine.
same() {
	n=0
	while IFS= read -r line; do
		case $line in "$1 "*) n=$((n + ${line##* })) ;; esac
	done <"$tmp/got"
	[ "$n" -eq "$2" ]
	check $? "$1: $n of $2"
}

# A network of three machines: near (10.71.1.2), a router, far (10.71.2.2, on a bridge). False: this kernel cannot, and why is in $tmp/err.
machines() {
	near=dtrace-near-$$ router=dtrace-router-$$ far=dtrace-far-$$
	trap 'for ns in $near $router $far; do ip netns del $ns 2>/dev/null; done; rm -rf "$tmp"' EXIT
	{
		ip netns add $near && ip netns add $router && ip netns add $far &&
		ip -n $router link add r1 type veth peer name n1 netns $near &&
		ip -n $router link add r2 type veth peer name f1 netns $far &&
		ip -n $far link add bridge type bridge && ip -n $far link set f1 master bridge &&
		ip -n $near addr add 10.71.1.2/24 dev n1 && ip -n $far addr add 10.71.2.2/24 dev bridge &&
		ip -n $router addr add 10.71.1.1/24 dev r1 && ip -n $router addr add 10.71.2.1/24 dev r2 &&
		for at in "$near n1" "$router r1" "$router r2" "$far f1" "$far bridge"; do ip -n ${at% *} link set ${at#* } up || return 1; done &&
		ip -n $near route add default via 10.71.1.1 && ip -n $far route add default via 10.71.2.1 &&
		ip netns exec $router sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward' &&
		waits ip netns exec $near "$load" ping 10.71.2.2 far
	} >"$tmp/err" 2>&1
}
