# SPDX-License-Identifier: BSD-2-Clause
# Hosts whose clocks are an hour apart: their records come out in the order of time, and all of them. The hosts replay what a real
# worker has recorded (bench/fleet/sim.c), one with its times and clock an hour ahead.
. test/cli/helpers.inc
build=${BUILD:-build}
what="clocks of hosts"
may_trace "$what"
command -v nats-server >/dev/null || { echo "ok - $what # SKIP nats-server is not installed"; exit 0; }
[ -x "$build/bench/fleetsim" ] || { echo "ok - $what # SKIP fleetsim is not built: libnats-dev is missing"; exit 0; }
pids=
trap 'kill $pids 2>/dev/null; rm -rf "$tmp"' EXIT

text='tick-50ms { printf("%s %d\n", hostname, ++n); @[hostname] = count(); } tick-50ms /n == 60/ { exit(0); }'
printf 'dtrace fleet 1 work\nname h00000\nrun r\nmode trace\noption quiet\nprogram 3 %d\n\n%s' "${#text}" "$text" >"$tmp/request"
"$build/dtraced" --worker <"$tmp/request" 3>"$tmp/recording" >"$tmp/said"
grep -q live "$tmp/said"
check $? "a worker records"

port=$((20000 + $$ % 20000))
bus=nats://127.0.0.1:$port
nats-server -a 127.0.0.1 -p $port >"$tmp/nats" 2>&1 &
pids="$pids $!"
waits grep -q 'Server is ready' "$tmp/nats"
"$build/bench/fleetsim" $bus 1 "$tmp/recording" >"$tmp/now" &
pids="$pids $!"
"$build/bench/fleetsim" $bus 1 "$tmp/recording" "" 1 3600 >"$tmp/ahead" &
pids="$pids $!"
waits grep -q ready "$tmp/now" && waits grep -q ready "$tmp/ahead"
check $? "two hosts"

: >"$tmp/out"
"$dtrace" --bus $bus --hosts '*' -v -qn "$text" >"$tmp/out" 2>"$tmp/err" </dev/null &
asker=$!
pids="$pids $asker"
both() { grep -q 'sent 6[0-9]' "$tmp/now" && grep -q 'sent 6[0-9]' "$tmp/ahead"; }
waits both
kill -INT $asker
wait $asker
same "both have answered" "$? $(grep -c '2 of 2 hosts answered$' "$tmp/err")" "0 1"
awk '/h00001: its clock is \+3[56][0-9][0-9]\./ { found = 1 } END { exit !found }' "$tmp/err"
check $? "-v says that a clock is an hour off"
same "all records are there" "$(grep -c '^h00000 [0-9]' "$tmp/out") $(grep -c '^h00001 [0-9]' "$tmp/out")" "60 60"
awk '/^h0000[01] [0-9]/ { n[$1] = $2; d = n["h00000"] - n["h00001"]; if (d > 20 || d < -20) exit 1 }' "$tmp/out"
check $? "in the order of time"
grep -q 'firings came after later ones' "$tmp/err"
[ $? -ne 0 ]
check $? "none of them late"
same "counts are those of both" "$(grep -cE '^  h0000[01] +60$' "$tmp/out")" 2
