#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench/trace.sh [BUILD [ROUNDS]]: what tracing costs a system call: untraced, with programs written by hand (the floor),
# with dtrace and with bpftrace where it is installed, in one run side by side; then what it takes to begin and end.
# Figures and ratios; nothing is judged. Status 77, with a line that says so, when bpf(2) is not permitted.
cd "$(dirname "$0")/.." || exit 2
. bench/bench.inc
build=${1:-build}
rounds=${2:-5}
dtrace=$build/dtrace
needs "$build" dtrace test/measure bench/trace
bpftrace=$(peer bpftrace)
"$build/bench/trace" "$dtrace" "$rounds" "$bpftrace"
status=$?
if [ $status = 77 ]; then
	echo "skipped: bpf(2) is not permitted here"
	exit 77
fi
[ $status = 0 ] || fail "what a call costs was not measured (status $status)"

begin_dtrace() { "$measure" "$1" "$dtrace" -q -n 'BEGIN { exit(0); }'; }
list_dtrace() { "$measure" "$1" "$dtrace" -l; }
# bpftrace needs a tracefs: mount one in a namespace of its own.
begin_bpftrace() {
	unshare -m sh -c '[ -d /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing
		exec "$1" "$2" "$3" -e "BEGIN { exit(); }"' sh "$measure" "$1" "$bpftrace"
}

row_head
row "dtrace, BEGIN { exit(0); }" begin_dtrace $((rounds * 6)) || fail "dtrace -n failed"
one=$ms
row "dtrace -l" list_dtrace $((rounds * 3)) || fail "dtrace -l failed"
if [ -n "$bpftrace" ] && row "bpftrace, BEGIN { exit(); }" begin_bpftrace "$rounds"; then
	ratio "bpftrace : dtrace, BEGIN" "$ms" "$one"
fi
exit 0
