#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench/dtruss.sh [CALLS [BUILD]]: what a system call costs under dtruss, strace and perf trace: ns for each call, in one run.
cd "$(dirname "$0")/.." || exit 2
. bench/bench.inc
n=${1:-200000}
[ "$n" -gt 0 ] 2>/dev/null || stop 2 "$n is not a number of calls"
build=${2:-${BUILD:-build}}
calls=$build/test/calls
needs "$build" dtrace test/calls
may_trace "$build/dtrace"
ln -s "$(realpath "$build/dtrace")" "$tmp/dtruss"

# The process itself takes the time: the beginning and the end of a tracer are not counted. Its status is 7 (test/trigger/calls.c).
cat >"$tmp/timed" <<'END'
a=$(date +%s%N)
"$1" "$2"
[ $? -eq 7 ] || exit 1
b=$(date +%s%N)
echo $((b - a)) >"$3"
END

# took NAME TRACER…: the best of five, as others may use the machine. Status 1: the tracer failed, or did not run the program.
took() {
	name=$1
	shift
	least=
	for _ in 1 2 3 4 5; do
		rm -f "$tmp/ns"
		"$@" sh "$tmp/timed" "$calls" "$n" "$tmp/ns" >/dev/null 2>"$tmp/err" && [ -s "$tmp/ns" ] || return 1
		ns=$(cat "$tmp/ns")
		[ -n "$least" ] && [ "$least" -le "$ns" ] || least=$ns
	done
	echo "$name: $((least / n)) ns a call $(grep -o '[0-9]* drops.*' "$tmp/err" | head -n 1)"
}
# against NAME TRACER…: a peer
against() { took "$@" || echo "$name: failed, not compared: $(head -n 1 "$tmp/err")"; }

took "untraced" env || fail "$calls $n failed" "$tmp/err"
took "dtruss -f -c" "$tmp/dtruss" -f -c -o "$tmp/out" || fail "dtruss -c failed" "$tmp/err"
took "dtruss -f -o FILE" "$tmp/dtruss" -f -o "$tmp/out" || fail "dtruss failed" "$tmp/err"
# of the process that makes most of them: the shell calls getppid() too
lines=$(awk '/getppid\(/ && ++n[$1] > most { most = n[$1] } END { print most + 0 }' "$tmp/out")
[ "$lines" -eq "$n" ] || grep -q drop "$tmp/err" || fail "dtruss showed $lines of $n calls and reported no drops"
echo "   lines: $lines of $n"
if [ -n "$(peer strace)" ]; then
	against "strace -f -c" strace -f -c -o "$tmp/out"
	against "strace -f -o FILE" strace -f -y -o "$tmp/out"
fi
if [ -n "$(peer perf)" ]; then
	against "perf trace -o FILE" perf trace -o "$tmp/out"
fi
exit 0
