# SPDX-License-Identifier: BSD-2-Clause
# The engine inside the process and threads that stand still or end: a process that is stopped inside a firing loses nothing, a thread
# with the number of a dead one has no variables of it, and threads that another one ends by exec() in the middle of a firing are not waited for.
. test/cli/helpers.inc
lives=${BUILD:-build}/test/inproc_lives
"$dtrace" -x engine=process -qn 'BEGIN { exit(0); }' >"$tmp/out" 2>"$tmp/err" </dev/null || { echo "ok - threads # SKIP $(head -n 1 "$tmp/err")"; exit 0; }
victim=
trap '[ -z "$victim" ] || kill -KILL $victim 2>/dev/null; rm -rf "$tmp"' EXIT
begins() { # WHAT OPTIONS…
	rm -f "$tmp/go" && mkfifo "$tmp/go"
	: >"$tmp/said"
	"$lives" "$1" <"$tmp/go" >"$tmp/said" 2>&1 &
	victim=$!
	shift
	exec 5>"$tmp/go"
	waits grep -q up "$tmp/said"
	start -x engine=process -q "$@" $victim 5>&-
}
next() { echo >&5; }
ends() {
	next
	exec 5>&-
	wait $victim
	victim_status=$?
	victim=
	kill -INT $tracer 2>/dev/null
	wait $tracer
	status=$?
}
# looks N: dtrace has printed as many more lines that it prints every second
looks() {
	seen=$(grep -c '^tick' "$tmp/out")
	more() { [ "$(grep -c '^tick' "$tmp/out")" -ge $((seen + $1)) ]; }
	waits more "$1"
}

begins once -wx aggrate=50ms -n 'BEGIN { printf("ready\n"); } pid$1::work:entry { chill(450000000); @ = count(); @k[arg0] = count(); }
tick-300ms { printa("now %@d\n", @); } tick-1s { printf("tick\n"); } END { printa("all %@d\n", @); printa("key %d %@d\n", @k); }'
next
sleep 0.1
kill -STOP $victim
sleep 3	# aggregations are read meanwhile; records of the CPU where it stands may wait for it, so nothing is printed to wait for
kill -CONT $victim
waits grep -q worked "$tmp/said"
ends
[ "$victim_status" -eq 7 ] && [ $status -eq 0 ] && grep -qx 'all 1' "$tmp/out" && grep -qx 'key 1 1' "$tmp/out"
check $? "what a firing adds after its process stood still is there"

begins reuse -n 'BEGIN { printf("ready\n"); } tick-1s { printf("tick\n"); }
pid$1::first:entry { self->x = 5; self->a[1] = 6; printf("first %d\n", self->x); } pid$1::second:entry { printf("second %d\n", self->x); }'
next
waits grep -q first "$tmp/said"
looks 4
next
waits grep -q 'same\|other' "$tmp/said"
ends
if grep -q other "$tmp/said"; then
	ok "a thread with the number of another # SKIP the kernel does not give it"
else
	[ "$victim_status" -eq 7 ] && grep -qx 'first 5' "$tmp/out" && grep -qx 'second 0' "$tmp/out"
	check $? "a thread with the number of another has no variables of it"
fi

begins exec -x aggrate=50ms -n 'BEGIN { printf("ready\n"); } pid$1::work:entry { @ = count(); @k[arg0 % 64] = quantize(arg0); } tick-1s { printf("tick\n"); }
tick-200ms { printa("now %@d\n", @); } END { printf("end\n"); }'
next
waits grep -q busy "$tmp/said"
waits grep -q '^now' "$tmp/out"
next
waits grep -q again "$tmp/said"
looks 3
ends
same "exec() of a thread among others that fire" "$victim_status $(tail -n 1 "$tmp/said")" "7 again"
[ $status -eq 0 ] && grep -q '^end' "$tmp/out" && ! grep -q drop "$tmp/err"
check $? "exec(): the trace goes on and ends, and nothing is lost"
