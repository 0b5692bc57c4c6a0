# SPDX-License-Identifier: BSD-2-Clause
# tcp: 5 connections of which every byte is known, and 3 that are refused (test/trigger/provider_net.c), over IPv4 and IPv6.
. test/cli/helpers.inc
may_trace "tcp probes"
. test/trigger/net.sh

# Who is who: the client's port is not known, the server's is. Lines are named "probe direction".
program() {
	cat <<DONE
tcp:::send, tcp:::receive /args[4]->tcp_dport == $2 && args[2]->ip_daddr == "$1"/ {
	@n[probename, "there"] = sum(args[2]->ip_plength - args[4]->tcp_offset);
	@n[probename, "syn"] = sum((args[4]->tcp_flags & (TH_SYN | TH_ACK)) == TH_SYN);
	@n[probename, "fin"] = sum((args[4]->tcp_flags & TH_FIN) != 0);
	@n[probename, "wrong port"] = sum((probename == "send" ? args[3]->tcps_rport : args[3]->tcps_lport) != $2);
	@n[probename, "wrong address"] = sum((probename == "send" ? args[3]->tcps_raddr : args[3]->tcps_laddr) != "$1" || args[3]->tcps_local != 1);
}
tcp:::send, tcp:::receive /args[4]->tcp_sport == $2 && args[2]->ip_saddr == "$1"/ {
	@n[probename, "back"] = sum(args[2]->ip_plength - args[4]->tcp_offset);
	@n[probename, "synack"] = sum((args[4]->tcp_flags & (TH_SYN | TH_ACK)) == (TH_SYN | TH_ACK));
	@n[probename, "wrong version"] = sum(args[2]->ip_ver != $3);
}
/* the numbers of a stream: what is sent begins where what was sent before ended */
tcp:::send /args[4]->tcp_dport == $2 && args[4]->tcp_flags & TH_SYN/ { next[args[4]->tcp_sport] = args[4]->tcp_seq + 1; }
tcp:::send /args[4]->tcp_dport == $2 && args[4]->tcp_flags == (TH_ACK | TH_PUSH)/ {
	@n["wrong", "numbers"] = sum(args[4]->tcp_seq != next[args[4]->tcp_sport] || args[3]->tcps_state != TCP_STATE_ESTABLISHED);
	@n["wrong", "figures"] = sum(args[3]->tcps_mss < 500 || args[3]->tcps_cwnd < args[3]->tcps_mss || args[3]->tcps_swnd < 1000 ||
	    args[3]->tcps_rto < 200 || args[3]->tcps_rto > 120000 || args[3]->tcps_snxt != args[4]->tcp_seq || args[4]->tcp_window == 0 ||
	    args[3]->tcps_rnxt != args[4]->tcp_ack || args[3]->tcps_addr != args[1]->cs_addr || args[0]->pkt_addr == 0);
	next[args[4]->tcp_sport] = args[4]->tcp_seq + args[2]->ip_plength - args[4]->tcp_offset;
}
tcp:::connect-request /args[4]->tcp_dport == $2/ {
	begun[args[1]->cs_cid] = timestamp;
	@n[probename, "mine"] = sum(pid == \$target && args[1]->cs_pid == \$target && args[3]->tcps_rport == $2 && args[3]->tcps_lport == args[4]->tcp_sport &&
	    args[2]->ip_daddr == "$1" && args[3]->tcps_active && args[3]->tcps_state == TCP_STATE_SYN_SENT);
}
tcp:::connect-established /args[4]->tcp_sport == $2 && begun[args[1]->cs_cid]/ {
	@n[probename, "mine"] = sum(args[3]->tcps_rport == $2 && args[3]->tcps_lport == args[4]->tcp_dport && args[2]->ip_saddr == "$1" &&
	    args[3]->tcps_raddr == "$1" && args[3]->tcps_state == TCP_STATE_ESTABLISHED && timestamp > begun[args[1]->cs_cid] &&
	    args[1]->cs_pid == \$target);	/* L11: who connected */
	begun[args[1]->cs_cid] = 0;
}
/* T 12: what comes in knows its connection: the first answer to each that began. */
tcp:::receive /args[4]->tcp_dport == $2 && args[4]->tcp_flags == (TH_ACK | TH_PUSH)/ {
	@n[probename, "unknown"] = sum(args[1]->cs_cid == 0 || args[3]->tcps_state != TCP_STATE_ESTABLISHED ||
	    args[3]->tcps_mss < 500);
}
tcp:::connect-established /args[4]->tcp_sport == $2/ { waits[args[1]->cs_cid] = 1; }
tcp:::receive /waits[args[1]->cs_cid] && args[2]->ip_plength > args[4]->tcp_offset/ {
	waits[args[1]->cs_cid] = 0;
	@n["first", "bytes"] = sum(1);
}
tcp:::accept-established /args[4]->tcp_dport == $2/ {
	@n[probename, "mine"] = sum(args[3]->tcps_lport == $2 && args[3]->tcps_rport == args[4]->tcp_sport && args[2]->ip_daddr == "$1" &&
	    args[3]->tcps_laddr == "$1" && args[3]->tcps_state == TCP_STATE_ESTABLISHED && args[2]->ip_ver == $3);
}
tcp:::connect-refused /args[4]->tcp_sport == $(($2 + 2))/ {
	@n[probename, "mine"] = sum(args[3]->tcps_rport == $(($2 + 2)) && args[2]->ip_saddr == "$1" && args[3]->tcps_raddr == "$1");
}
tcp:::accept-refused /args[4]->tcp_sport == $(($2 + 2))/ {
	@n[probename, "mine"] = sum((args[4]->tcp_flags & TH_RST) != 0 && args[2]->ip_saddr == "$1" && args[2]->ip_daddr == "$1");
}
tcp:::state-change /args[3]->tcps_rport == $2 || args[3]->tcps_lport == $2/ {
	@n[tcp_state_string[args[5]->tcps_state], tcp_state_string[args[3]->tcps_state]] = sum(1);
}
END { printa("%s %s %@d\n", @n); }
DONE
}
# a socket of IPv6 that talks IPv4 does what IPv4 does
case $addresses in *:*) addresses="$addresses ::ffff:127.0.0.1" ;; esac
for a in $addresses; do
	case $a in ::1) version=6 ;; *) version=4 ;; esac
	traced "$(program "${a#::ffff:}" "$port" $version)" tcp "$a" "$port"
	for p in send receive; do
		same "$p there" 30000
		same "$p back" 2500
		same "$p syn" 5
		same "$p synack" 5
		same "$p fin" 5
		same "$p wrong port" 0
		same "$p wrong address" 0
		same "$p wrong version" 0
	done
	same "receive unknown" 0
	same "first bytes" 5
	same "wrong numbers" 0
	same "wrong figures" 0
	same "connect-request mine" 5
	same "connect-established mine" 5
	same "accept-established mine" 5
	same "connect-refused mine" 3
	same "accept-refused mine" 3
	same "state-closed state-listen" 1
	same "state-closed state-syn-sent" 5
	same "state-syn-sent state-established" 5
	same "state-listen state-syn-received" 5
	same "state-syn-received state-established" 5
	same "state-established state-fin-wait-1" 5
	same "state-fin-wait-1 state-fin-wait-2" 5
	same "state-fin-wait-2 state-time-wait" 5
	same "state-established state-close-wait" 5
	same "state-close-wait state-last-ack" 5
	same "state-last-ack state-closed" 5
	same "state-listen state-closed" 1
	port=$((port + 4))
done

# A reset is no refusal, and no state but closed comes after it.
traced "tcp:::connect-refused, tcp:::accept-refused /args[4]->tcp_sport == $port || args[4]->tcp_dport == $port/ { @n[probename] = count(); }
tcp:::state-change /args[3]->tcps_lport == $port && args[3]->tcps_state == TCP_STATE_CLOSED/
	{ @n[tcp_state_string[args[5]->tcps_state]] = count(); } END { printa(\"%s %@d\\n\", @n); }" abort 127.0.0.1 "$port"
same connect-refused 0
same accept-refused 0
same state-established 2
