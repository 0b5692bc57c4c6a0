# SPDX-License-Identifier: BSD-2-Clause
# What exit() ends and when probes begin: S A1, S A2, P 4.1, P 4.5. The interpreter's side of it is in test/d/actions/exit_*.d.
. test/cli/helpers.inc
may_trace "exit() and the gate"

# status WANTED OUTPUT PROGRAM: the output without blanks and newlines
ends() {
	run -q -n "$3"
	[ "$status" -eq "$1" ] && [ "$(tr -d ' \n' <"$tmp/out")" = "$2" ]
	check $? "status $1, \"$2\": $3"
}
ends 0 '' 'BEGIN { exit(0); } BEGIN { printf("second BEGIN ran"); }'
ends 1 '' 'BEGIN { exit(1); } BEGIN { printf("later clause ran"); exit(0); }'
ends 3 '' 'BEGIN { exit(3); } BEGIN { exit(4); }'
ends 3 '' 'BEGIN { if (1) { exit(3); } exit(4); }'
ends 3 'ab' 'BEGIN { printf("a"); if (1) { exit(3); printf("b"); } else { printf("c"); } printf("d"); exit(4); }'
ends 1 '' 'BEGIN { trace(*(int *)0); } BEGIN { exit(0); } ERROR { exit(1); }'
ends 0 '0' 'tick-10ms { exit(0); } tick-10ms { n = 7; } END { trace(n); }'
ends 0 '27' 'tick-10ms /i++ >= 27/ { exit(0); } tick-10ms { @ = count(); } END { printa("%@d", @); }'
ends 8 'endmore' 'BEGIN { exit(2); } END { printf("end"); exit(7); printf("more"); } END { exit(8); }'
ends 6 '' 'tick-1ms { exit(0); } END { exit(6); }'

# All CPUs call it at once: one of them is the first.
wrong=0
for i in 1 2 3 4 5 6 7 8 9 10; do
	run -q -n 'tick-1ms, profile-997 { printf("P%d\n", cpu); exit(0); }'
	[ "$status" -eq 0 ] && [ "$(grep -c P "$tmp/out")" -eq 1 ] || wrong=$((wrong + 1))
done
check $wrong "one clause alone calls exit()"

# Without room for its record exit() ends the trace all the same, with its status.
for policy in switch ring; do
	run -q -b 4k -x switchrate=100s -x bufpolicy=$policy -c "$calls 20000 hang" \
	    -n 'syscall::getppid:entry /pid == $target/ { n++; } syscall::getppid:entry /pid == $target/ { tracemem(curthread, 500); } syscall::getppid:entry /n == 10000/ { printf("ten thousand\n"); exit(5); }'
	[ "$status" -eq 5 ]
	check $? "exit() when the buffer is full, policy $policy"
done

# Nothing fires before everything can: what the first probe leads to is not missed by the last.
wrong=0
for i in 1 2 3 4 5; do
	"${BUILD:-build}"/test/gate >"$tmp/ready" &
	victim=$!
	waits grep -q ready "$tmp/ready"
	run -q -w -p $victim -n 'syscall::getppid:return /pid == $target && !n/ { n++; raise(10); } pid$target:a.out:go:entry { printf("go\n"); exit(0); }'
	grep -q go "$tmp/out" || wrong=$((wrong + 1))
	kill $victim 2>/dev/null
	wait $victim 2>/dev/null
done
if grep -q 'does not let tracing programs send signals' "$tmp/err"; then
	echo "ok - what a probe leads to is not missed # SKIP $(head -n 1 "$tmp/err")"
else
	check $wrong "what a probe leads to is not missed"
fi
run -q -n 'syscall::perf_event_open:entry /pid == $pid/ { @ = count(); } syscall::bpf:entry /pid == $pid && (arg0 == 17 || arg0 == 28)/ { @ = count(); } BEGIN { n = 1; } syscall:::entry /!n/ { @early = count(); } tick-20ms { exit(0); } END { printa("attaching %@d\n", @); printa("early %@d\n", @early); }'
[ "$status" -eq 0 ] && ! grep -q 'attaching\|early' "$tmp/out"
check $? "our own attaching is not seen, and nothing before BEGIN"
