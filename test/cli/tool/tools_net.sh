# SPDX-License-Identifier: BSD-2-Clause
# tcpconnect, tcpaccept, tcplife, tcptop, tcpstate, tcpretrans, udpio, soconnect, gethostlatency, sslsnoop: the connections
# and datagrams of test/trigger/provider_net.c, whose numbers are known.
. test/trigger/tools.sh
may_trace "tools for the network"
. test/trigger/net.sh
a=127.0.0.1

tool tcpconnect -c "$load tcp $a $port"
row "5 connections" "^ *[0-9]+\.[0-9]{3} +[0-9]+ provider_net +$a [0-9]+ +$a $port +open +[0-9]+$" 5
row "3 are refused" "provider_net +$a [0-9]+ +$a $((port + 2)) +refused +[0-9]+$" 3
tool tcpconnect -c "$load tcp $a $port" $((port + 2))
row "one port alone" "provider_net" 3
tool tcpaccept -c "$load tcp $a $port"
row "5 connections" "^ *[0-9]+\.[0-9]{3} +[0-9]+ provider_net +[0-9]+ +$a $port +$a [0-9]+ *$" 5
tool tcplife -c "$load tcp $a $port"
row "those who connect: 6000 bytes there, 500 back" "provider_net +$a [0-9]+ +$a $port +6000 +500 +[0-9]+$" 5
row "those who accept, the other way" "provider_net +$a $port +$a [0-9]+ +500 +6000 +[0-9]+$" 5
tool tcptop -c "$load tcp $a $port" 1000
row "6500 bytes a connection, there" "^ *6 +5 +0 +[0-9]+ provider_net +[0-9]+ $a $port$" 5
row "and back" "^ *6 +0 +5 +[0-9]+ provider_net +$port $a [0-9]+$" 5
case $addresses in *::1*)
	tool tcplife -c "$load tcp ::1 $port"
	row "IPv6" "provider_net +::1 [0-9]+ +::1 $port +6000 +500 +[0-9]+$" 5
	tool tcpaccept -c "$load tcp ::1 $port"
	row "IPv6" " provider_net +[0-9]+ +::1 $port +::1 [0-9]+ *$" 5 ;;
esac
# all of the system, by port
watch tcpstate "" $port
"$load" tcp $a $port
waits sh -c "[ \$(grep -c ' last-ack  *closed ' '$tmp/out') -ge 5 ]"
finish
row "those who connect" " $a $port +syn-sent +established +[0-9]+$" 5
row "those who accept" " $a $port +$a [0-9]+ +last-ack +closed +[0-9]+$" 5
tool tcpretrans -c "$load lost $a $port" $port
row "5 connections that lose a segment" "^ *[0-9]+\.[0-9]{3} +$a [0-9]+ +$a $port +established +[1-9][0-9]*$" \
    "$(grep -c established "$tmp/out")"
value "each at least once" "$(awk '/established/ { print $3 }' "$tmp/out" | sort -u | wc -l)" 5 5

watch udpio "" $port
"$load" udp $a $port
finish
row "4 datagrams there: 1000 bytes and headers" "^[SR] .* 4 +1032$" 2
row "4 back: 200 bytes and headers" "^[SR] .* 4 +232$" 2

tool soconnect -c "$load tcp $a $port"
row "5 connections" "^ *[0-9]+\.[0-9]{3} +[0-9]+ provider_net +[0-9]+ +[0-9]+ +$a $port$" 5
row "3 are refused" "provider_net +[0-9]+ +[0-9]+ ECONNREFUSED +$a $((port + 2))$" 3
if [ -x /usr/bin/python3 ]; then
	cat >"$tmp/local.py" <<'DONE'
import socket, sys
for name in (sys.argv[1] + "/nobody", "\0nobody-here"):
    s = socket.socket(socket.AF_UNIX)
    s.connect_ex(name)
DONE
	tool soconnect -c "/usr/bin/python3 $tmp/local.py $tmp"
	row "a local socket" " ENOENT +$tmp/nobody$"
	row "an abstract one" " ECONNREFUSED +@nobody-here$"
else
	ok "soconnect: local sockets # SKIP no python3"
fi

if command -v getent >/dev/null && listed 'pid*:libc.so.6:getaddrinfo:entry'; then
	tool gethostlatency -c "getent ahosts localhost"
	row "a name" "^ *[0-9]+\.[0-9]{3} +[0-9]+ getent +[0-9]+\.[0-9]{3} localhost$"
	watch gethostlatency
	getent ahosts "name-$$.invalid" >/dev/null
	waits grep -q "name-$$.invalid" "$tmp/out"
	finish
	row "in all of the system" " getent +[0-9]+\.[0-9]{3} name-$$.invalid$"
	tool gethostlatency -c "sh -c 'getent ahosts localhost >/dev/null'" 1000000
	row "slow ones alone: only the heading" "." 1
else
	ok "gethostlatency # SKIP no getent, or another libc"
fi
exit 0
