# SPDX-License-Identifier: BSD-2-Clause
# Three hosts in namespaces of their own, one of them a router between the others: three datagrams go through it, three die on the way
# (their time to live is 1), three are sent back out of where they came in (a redirect), and a connection gets no answer.
set -e
# source (10.9.1.2) – (10.9.1.1) router (10.9.2.1) – (10.9.2.2) destination
p=r$$
gone() { for n in s r d; do ip netns del $p$n 2>/dev/null || :; done; }
trap gone EXIT
for n in s r d; do ip netns add $p$n; ip -n $p$n link set lo up; done
ip link add ${p}a type veth peer name ${p}b; ip link add ${p}c type veth peer name ${p}e
ip link set ${p}a netns ${p}s; ip link set ${p}b netns ${p}r; ip link set ${p}c netns ${p}r; ip link set ${p}e netns ${p}d
ip -n ${p}s addr add 10.9.1.2/24 dev ${p}a; ip -n ${p}r addr add 10.9.1.1/24 dev ${p}b; ip -n ${p}r addr add 10.9.2.1/24 dev ${p}c; ip -n ${p}d addr add 10.9.2.2/24 dev ${p}e
for x in s:a r:b r:c d:e; do ip -n $p${x%:*} link set $p${x#*:} up; done
ip -n ${p}s route add default via 10.9.1.1; ip -n ${p}d route add default via 10.9.2.1
ip netns exec ${p}r sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
ip netns exec ${p}s sh -c 'for f in /proc/sys/net/ipv4/conf/*/accept_redirects; do echo 1 >$f; done'
ip netns exec ${p}r sh -c 'for f in /proc/sys/net/ipv4/conf/*/send_redirects; do echo 1 >$f; done'
udp() { ip netns exec ${p}s bash -c "for i in 1 2 3; do echo x >/dev/udp/$1/9 || :; sleep 0.2; done" 2>/dev/null || :; }
udp 10.9.2.2		# forwarded
ip netns exec ${p}s sh -c 'echo 1 >/proc/sys/net/ipv4/ip_default_ttl'
udp 10.9.2.2		# dies on the way
ip netns exec ${p}s sh -c 'echo 64 >/proc/sys/net/ipv4/ip_default_ttl'
ip -n ${p}r route add 10.9.3.0/24 via 10.9.1.7	# back out of the way it came: a redirect
udp 10.9.3.1
ip -n ${p}r route add blackhole 10.9.4.0/24
ip netns exec ${p}s timeout 2 bash -c "echo x >/dev/tcp/10.9.4.1/9" 2>/dev/null || :
