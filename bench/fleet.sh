#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# usage: bench/fleet.sh [BUILD [HOSTS [SECONDS [RELAYS]]]]
# What one question to many hosts costs who asks: the time to the first answer and to each refresh, processor time, memory. The
# hosts are simulated (bench/fleet/sim.c) and send what one real worker has recorded; the bus is a nats-server of this machine. With
# RELAYS the hosts are divided among so many relays, and the cost of those is shown too.
cd "$(dirname "$0")/.." || exit 2
. bench/bench.inc
build=${1:-build} hosts=${2:-1000} seconds=${3:-20} relays=${4:-0}
needs "$build" dtrace dtraced bench/fleetsim
needs_command nats-server python3
may_trace "$build/dtrace"
pids=
trap 'kill $pids 2>/dev/null; rm -rf "$tmp"' EXIT

text='profile-97 { @[hostname, execname] = count(); @t = quantize(timestamp & 0xfffff); @all = count(); }
tick-1s { printf("refresh\n"); printa("%@d\n", @all); printa(@t); }'
printf 'dtrace fleet 1 work\nname h00000\nrun r\nmode trace\noption quiet\nprogram 3 %d\n\n%s' "${#text}" "$text" >"$tmp/request"
timeout -s TERM $((seconds + 3)) "$build/dtraced" --worker <"$tmp/request" 3>"$tmp/recording" >"$tmp/said"
grep -q live "$tmp/said" || fail "the worker has not recorded" "$tmp/said"

port=$((20000 + $$ % 20000))
nats-server -a 127.0.0.1 -p $port >"$tmp/nats" 2>&1 &
pids="$pids $!"
n=0
until grep -q 'Server is ready' "$tmp/nats" || [ $n -gt 200 ]; do sleep 0.1; n=$((n + 1)); done
has_line() {	# has_line TEXT FILE: within 20 s
	n=0
	until grep -q "$1" "$2" || [ $n -gt 200 ]; do sleep 0.1; n=$((n + 1)); done
	grep -q "$1" "$2"
}
i=0
: >"$tmp/relays"
while [ $i -lt "$relays" ]; do
	: >"$tmp/relay.$i"
	echo 'allow *' >"$tmp/conf"
	"$build/dtraced" --bus nats://127.0.0.1:$port --config "$tmp/conf" --name "relay$i" --relay "g$i" 2>"$tmp/relay.$i" &
	pids="$pids $!"
	echo $! >>"$tmp/relays"
	has_line 'is on the bus' "$tmp/relay.$i" || fail "a relay" "$tmp/relay.$i"
	"$build/bench/fleetsim" nats://127.0.0.1:$port $((hosts / relays)) "$tmp/recording" g$i $((hosts / relays * i)) >"$tmp/sent.$i" 2>"$tmp/sim.err" &
	pids="$pids $!"
	has_line ready "$tmp/sent.$i" || fail "the simulated hosts" "$tmp/sim.err"
	ln -sf "sent.$i" "$tmp/sent"		# one of them for the times: all are of the same recording
	i=$((i + 1))
done
[ "$relays" -eq 0 ] || hosts=$((hosts / relays * relays))
if [ "$relays" -eq 0 ]; then
	"$build/bench/fleetsim" nats://127.0.0.1:$port "$hosts" "$tmp/recording" >"$tmp/sent" 2>"$tmp/sim.err" &
	pids="$pids $!"
	has_line ready "$tmp/sent" || fail "the simulated hosts" "$tmp/sim.err"
fi

cat >"$tmp/ask.py" <<'DONE'
import os, resource, signal, subprocess, sys, time
def workers():		# processor time and memory of what the relays run
    cpu = memory = 0
    for relay in open(sys.argv[2][:-4] + "relays").read().split():
        for pid in os.popen("pgrep -P " + relay).read().split():
            try:
                f = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
                cpu += (int(f[11]) + int(f[12])) / os.sysconf("SC_CLK_TCK")
                memory = max(memory, int(f[21]) * os.sysconf("SC_PAGE_SIZE") / 1048576)
            except OSError:
                pass
    return cpu, memory
command, seconds, sent = sys.argv[3:], float(sys.argv[1]), sys.argv[2]
begun = time.monotonic()
asker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=open(sent + ".err", "w"), text=True)
seen = []
for line in asker.stdout:
    if line == "refresh\n":
        seen.append(time.monotonic())
        if len(seen) >= seconds:
            relays = workers()
            asker.send_signal(signal.SIGINT)
            break
asking = time.monotonic() - begun
stopping = time.monotonic()
rest = asker.stdout.read()
asker.wait()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
times = {int(w[1]): int(w[2]) / 1e9 for w in (l.split() for l in open(sent)) if w[0] == "sent"}
delays = sorted(at - times[i + 1] for i, at in enumerate(seen) if i + 1 in times)
print(f"first {seen[0] - begun:.3f}" if seen else "first none")
print(f"refresh {delays[len(delays) // 2]:.3f} {delays[-1]:.3f}" if delays else "refresh none")
print(f"end {time.monotonic() - stopping:.3f}")
print(f"cpu {used.ru_utime + used.ru_stime:.3f} {asking:.3f}")
print(f"memory {used.ru_maxrss / 1024:.1f}")
print("relays %.3f %.1f" % relays)
print(f"lines {rest.count(chr(10))}")
DONE
python3 "$tmp/ask.py" "$seconds" "$tmp/sent" "$build/dtrace" --bus nats://127.0.0.1:$port --hosts '*' -qn "$text" >"$tmp/figures" ||
	fail "dtrace --hosts" "$tmp/sent.err"
grep -q "$hosts of $hosts hosts answered$" "$tmp/sent.err" || fail "not all hosts are in the answer: $(tail -n 1 "$tmp/sent.err")"
part() { awk -v w="$1" -v n="$2" '$1 == w { print $n }' "$tmp/figures"; }

first=$(figure "the first refresh" "$(part first 2)" "$tmp/sent.err") || exit
refresh=$(figure "refreshes" "$(part refresh 2)" "$tmp/sent.err") || exit
worst=$(figure "refreshes" "$(part refresh 3)") || exit
cpu=$(figure "processor time" "$(part cpu 2)") || exit
over=$(figure "the time" "$(part cpu 3)") || exit
memory=$(figure "memory" "$(part memory 2)") || exit
end=$(figure "the end" "$(part end 2)") || exit
size=$(wc -c <"$tmp/recording")
printf '%-58s %s\n' "hosts" "$hosts" "bytes that a host sends a second" $((size / (seconds + 3))) \
	"s from the command to the first refresh" "$first" \
	"s from the last host's message to what is shown: median" "$refresh" "the same, at worst" "$worst" \
	"s from Ctrl-C to the end" "$end" "MB, the larger of dtrace and dtrace-fleet" "$memory" \
	"s of processor time of both" "$cpu" \
	"us of processor time of a host a second" "$(awk "BEGIN { printf \"%.0f\", $cpu * 1e6 / $hosts / $over }")"
[ "$relays" -eq 0 ] || printf '%-58s %s\n' "relays" "$relays" "us of processor time of a host a second, in a relay" \
	"$(awk "BEGIN { printf \"%.0f\", $(part relays 2) * 1e6 / $hosts / $over }")" "MB of the largest worker of a relay" "$(part relays 3)"
