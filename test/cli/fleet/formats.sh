# SPDX-License-Identifier: BSD-2-Clause
# slow
# Formats that follow aggregations over time, over several hosts: what they show is the sum of what each host has counted, also
# when one is lost, whose part stays and is not counted again.
. test/cli/helpers.inc
. test/trigger/fleet.sh
fleet_begin "formats of a fleet"
for host in web1 web2 db1; do cp "$(command -v dd)" "$tmp/$ld$host"; done
load() { "$tmp/$ld$1" if=/dev/zero of=/dev/null "bs=$2" "count=$3" status=none; }
cells() { awk '$1 == "at" { for (i = 4; i <= NF; i++) { split($i, c, ":"); n += c[2] } } END { print n + 0 }' "$tmp/out"; }
count="syscall::write:entry /execname == strjoin(\"$ld\", hostname)/"

sent() { [ "$(cells)" -ge "$1" ]; }

# a heat map: the cells are what was counted, in order of time
begin_counts() {	# begin_counts FORMAT: three hosts count, which a line of each says
	: >"$tmp/out"
	ip netns exec "$fleet-bus" "$dtrace" --bus-config "$tmp/alice.conf" --hosts '*' -O "$1" \
	    -n "$count { @n = quantize(arg2); }" >"$tmp/out" 2>"$tmp/err" </dev/null &
	asker=$!
	fleet_pids="$fleet_pids $asker"
	waits tracing
}
tracing() {	# a worker is live when its probes are attached: then it has a perf or link descriptor
	for tracing_host in web1 web2 db1; do
		tracing_pid=$(pgrep -P "$(agent $tracing_host)") || return 1
		[ "$(ls -l "/proc/$tracing_pid/fd" 2>/dev/null | grep -c 'bpf_link\|perf_event')" -gt 0 ] || return 1
	done
}
begin_counts heatmap
check $? "three hosts count"
load web1 1 100; load web2 5 50; load db1 9 25
waits sent 175
same "cells are the sum of all hosts" "$(cells)" 175
kill -9 "$(agent web2)"
waits grep -q 'web2: it does not answer' "$tmp/err"
load web1 1 10
waits sent 185
kill -INT "$asker"
wait "$asker"
same "a lost host: status" "$?" 3
same "what it had counted stays, once" "$(cells)" 185
grep -q 'web2: what it counted after its last snapshot is missing' "$tmp/err"
check $? "and what is missing is said"
awk '$1 == "at" { if ($2 < last) exit 1; last = $2 }' "$tmp/out"
check $? "times do not go back"
start_agent web2

# OpenMetrics, served while they run
scrape() { in_host bus python3 -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:9099/metrics').read().decode())" >"$tmp/scrape" 2>&1; }
scraped() { scrape; grep -qF "dtrace_n_bucket{le=\"+Inf\"} $1" "$tmp/scrape"; }
in_host bus ip link set lo up
begin_counts openmetrics=127.0.0.1:9099
load web1 1 100; load web2 5 50; load db1 9 25
waits scraped 175
check $? "OpenMetrics has the sum of all hosts"
kill -INT "$asker"
wait "$asker"
same "and ends with them" "$?" 0

# what would show aggregations a second time
ask alice --hosts '*' -O heatmap -n 'tick-100ms { @ = quantize(1); printa(@); }'
is "printa() in such a format" 1 "a format that follows aggregations over time shows them itself"
ask alice --hosts '*' -O openmetrics -n 'BEGIN { @a[hostname] = count(); exit(0); }'
is "OpenMetrics at the end" 0 'hostname="web2"} 1'
