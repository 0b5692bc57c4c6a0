# SPDX-License-Identifier: BSD-2-Clause
# ip: packets of a known kind, number and size (test/trigger/provider_net.c).
. test/cli/helpers.inc
may_trace "ip probes"
. test/trigger/net.sh

# 3 requests and 3 answers of 64 bytes; both ends have the same address, so each is told twice: as it leaves and as it comes in.
traced 'ip:::send, ip:::receive /args[2]->ip_daddr == "127.0.71.5"/ {
	@n[probename, "packets"] = sum(1);
	@n[probename, "plength"] = sum(args[2]->ip_plength);
	@n[probename, "length"] = sum(args[4]->ipv4_length);
	@n[probename, "right"] = sum(args[2]->ip_ver == 4 && args[4]->ipv4_ver == 4 && args[4]->ipv4_ihl == 20 && args[4]->ipv4_protocol == IPPROTO_ICMP &&
	    args[4]->ipv4_protostr == "ICMP" && args[4]->ipv4_ttl == 64 && args[4]->ipv4_offset == 0 && args[4]->ipv4_checksum != 0 &&
	    args[4]->ipv4_daddr == "127.0.71.5" && args[4]->ipv4_dst == htonl(0x7f004705) && args[4]->ipv4_hdr->ihl == 5);
	@n[probename, "device"] = sum(args[3]->if_name == "lo" && args[3]->if_local == 1 && args[3]->if_addr != 0);
	@n[probename, "no IPv6"] = sum(args[5]->ipv6_ver == 0 && args[5]->ipv6_hdr == 0);
	@n[probename, "socket"] = sum(args[1]->cs_addr != 0 && args[1]->cs_cid != 0);
}
END { printa("%s %s %@d\n", @n); }' ping 127.0.71.5
for p in send receive; do
	same "$p packets" 6
	same "$p plength" 384
	same "$p length" 504
	same "$p right" 6
	same "$p device" 6
	same "$p no IPv6" 6
done
same "send socket" 6

for a in $addresses; do
	case $a in *:*) version=6 protocol=17 header=40 ;; *) version=4 protocol=17 header=20 ;; esac
	traced "ip:::send, ip:::receive /args[2]->ip_ver == $version && args[2]->ip_daddr == \"$a\" && args[2]->ip_saddr == \"$a\" &&
		(args[4]->ipv4_protocol == $protocol || args[5]->ipv6_nexthdr == $protocol) &&
		*(uint16_t *)(arg2 + $header + 2) == htons($port)/ {
		@n[probename, \"packets\"] = sum(1);
		@n[probename, \"plength\"] = sum(args[2]->ip_plength);
	}
	ip:::send, ip:::receive /args[5]->ipv6_nexthdr == $protocol && *(uint16_t *)(arg2 + $header + 2) == htons($port)/ {
		@n[probename, \"six\"] = sum(args[5]->ipv6_ver == 6 && args[5]->ipv6_plen == args[2]->ip_plength && args[5]->ipv6_nextstr == \"UDP\" &&
		    args[5]->ipv6_hlim == 64 && args[5]->ipv6_saddr == \"::1\" && args[5]->ipv6_daddr == \"::1\" && args[4]->ipv4_ver == 0 &&
		    args[5]->ipv6_src->in6_u.u6_addr8[15] == 1 && args[5]->ipv6_tclass == 0);
	}
	END { printa(\"%s %s %@d\\n\", @n); }" udp "$a" "$port"
	for p in send receive; do
		same "$p packets" 4
		same "$p plength" 1032
		[ $version -eq 4 ] || same "$p six" 4
	done
	port=$((port + 4))
done

# Through a router to a machine behind a bridge: every machine tells a packet once, the bridge's port does not.
if machines; then
	load="ip netns exec $near $load"
	traced 'ip:::send, ip:::receive /args[2]->ip_saddr == "10.71.1.2" && args[2]->ip_daddr == "10.71.2.2"/
		{ @n[probename, stringof(args[3]->if_name)] = sum(1); @n[probename, "there"] = sum(args[2]->ip_plength); }
	ip:::send, ip:::receive /args[2]->ip_saddr == "10.71.2.2" && args[2]->ip_daddr == "10.71.1.2"/
		{ @n[probename, "back"] = sum(args[2]->ip_plength); }
	mib:::ipIfStatsForwDatagrams { @n[probename, "all"] = sum(arg0); }
	END { printa("%s %s %@d\n", @n); }' ping 10.71.2.2 far
	same "send n1" 3
	same "receive r1" 3
	same "send r2" 3
	same "receive f1" 0
	same "receive bridge" 3
	for p in send receive; do
		same "$p there" 384
		same "$p back" 384
	done
	n=$(awk '$1 == "ipIfStatsForwDatagrams" { print $NF }' "$tmp/got")
	[ "${n:-0}" -ge 6 ]
	check $? "mib:::ipIfStatsForwDatagrams: $n, not under 6"
else
	ok "a router and a bridge # SKIP $(tail -n 1 "$tmp/err")"
fi
