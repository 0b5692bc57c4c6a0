# SPDX-License-Identifier: BSD-2-Clause
# udp: datagrams whose number and sizes are known (test/trigger/provider_net.c), over IPv4 and IPv6, also in fragments.
. test/cli/helpers.inc
may_trace "udp probes"
. test/trigger/net.sh

program() {	# ADDRESS PORT VERSION
	cat <<DONE
udp:::send, udp:::receive /args[4]->udp_dport == $2 && args[2]->ip_daddr == "$1"/ {
	@n[probename, "there"] = sum(1);
	@n[probename, "bytes"] = sum(args[4]->udp_length);
	@n[probename, "payload"] = sum(args[2]->ip_plength);
	@n[probename, "right"] = sum(args[2]->ip_ver == $3 && args[0]->pkt_addr != 0 && args[4]->udp_hdr->dest == htons($2) &&
	    args[3]->udps_addr == args[1]->cs_addr && (probename == "send" ?
	    args[3]->udps_rport == $2 && args[3]->udps_lport == args[4]->udp_sport && args[3]->udps_raddr == "$1" && args[1]->cs_addr != 0 :
	    args[3]->udps_lport == $2 && args[3]->udps_rport == args[4]->udp_sport && args[3]->udps_laddr == "$1"));
}
udp:::send /args[4]->udp_dport == $2/ { @n[probename, "by us"] = sum(pid == \$target); }
udp:::send, udp:::receive /args[4]->udp_sport == $2 && args[2]->ip_saddr == "$1"/ { @n[probename, "back"] = sum(args[4]->udp_length - 8); }
udp:::send, udp:::receive /args[4]->udp_dport == $(($2 + 2))/ { @n[probename, "nobody"] = sum(1); }
END { printa("%s %s %@d\n", @n); }
DONE
}
for a in $addresses; do
	case $a in *:*) version=6 ;; *) version=4 ;; esac
	traced "$(program "$a" "$port" $version)" udp "$a" "$port"
	for p in send receive; do
		same "$p there" 4
		same "$p bytes" 1032
		same "$p payload" 1032
		same "$p right" 4
		same "$p back" 200
		same "$p nobody" 2
	done
	same "send by us" 4
	port=$((port + 4))
done

if "$load" udplite 127.0.0.1 $port 2>/dev/null; then
	traced "$(program 127.0.0.1 "$port" 4 | sed 's/udp:::/udplite:::/g')" udplite 127.0.0.1 "$port"
	for p in send receive; do
		same "$p there" 4
		same "$p payload" 1032
		same "$p right" 4
		same "$p back" 200
	done
	port=$((port + 4))
else
	ok "udplite # SKIP this kernel has none"
fi

traced 'sctp:::send, sctp:::receive /args[2]->ip_daddr == "127.0.71.6"/
	{ @n[probename, "sctp packets"] = sum(1); @n[probename, "sctp bytes"] = sum(args[2]->ip_plength); @n[probename, "sctp right"] = sum(args[0]->pkt_addr != 0); }
END { printa("%s %s %@d\n", @n); }' sctp 127.0.71.6
for p in send receive; do
	same "$p sctp packets" 5
	same "$p sctp bytes" 200
	same "$p sctp right" 5
done

# 4000 bytes in packets of 1500: one datagram, three packets.
if unshare -n true 2>/dev/null; then
	traced "udp:::send, udp:::receive /args[4]->udp_dport == $port/
		{ @n[probename, \"datagrams\"] = sum(1); @n[probename, \"bytes\"] = sum(args[4]->udp_length); }
	ip:::send, ip:::receive /args[2]->ip_daddr == \"127.0.71.9\"/ {
		@n[probename, \"packets\"] = sum(1);
		@n[probename, \"plength\"] = sum(args[2]->ip_plength);
		@n[probename, \"more\"] = sum((args[4]->ipv4_flags & IPH_MF) != 0);
		@n[probename, \"offsets\"] = sum(args[4]->ipv4_offset);
	}
	END { printa(\"%s %s %@d\\n\", @n); }" pieces 127.0.71.9 "$port"
	same "send datagrams" 1
	same "send bytes" 4008
	same "receive datagrams" 1
	same "receive bytes" 4008
	for p in send receive; do
		same "$p packets" 3
		same "$p plength" 4008
		same "$p more" 2
		same "$p offsets" $(((1480 + 2960) / 8))
	done
	case $addresses in
	*:*)
		port=$((port + 4))
		traced "udp:::send, udp:::receive /args[4]->udp_dport == $port && args[3]->udps_raddr == \"::1\"/
			{ @n[probename, \"datagrams\"] = sum(1); @n[probename, \"bytes\"] = sum(args[4]->udp_length); }
		mib:::ipIfStatsOutFragCreates /pid == \$target/ { @n[probename, \"mine\"] = sum(arg0); }
		END { printa(\"%s %s %@d\\n\", @n); }" pieces ::1 "$port"
		for p in send receive; do
			same "$p datagrams" 1
			same "$p bytes" 4008
		done
		same "ipIfStatsOutFragCreates mine" 3
		;;
	esac
else
	ok "fragments # SKIP no network of its own for a process"
fi
