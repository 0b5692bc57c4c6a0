#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench/trace.sh [BUILD [ROUNDS]]: what tracing costs a system call: untraced, with programs written by hand (the floor),
# with dtrace and with bpftrace where it is installed, in one run side by side; then what it takes to begin and end.
# Figures and ratios; nothing is judged. Status 77, with a line that says so, when bpf(2) is not permitted.
cd "$(dirname "$0")/.." || exit 2
build=${1:-build}
rounds=${2:-5}
dtrace=$build/dtrace
measure=$build/test/measure
if [ ! -x "$dtrace" ] || [ ! -x "$measure" ] || [ ! -x "$build/bench/trace" ]; then
	echo "bench/trace.sh: $build is not built: make tests" >&2
	exit 2
fi
bpftrace=$(command -v bpftrace 2>/dev/null)
[ -n "$bpftrace" ] || echo "bpftrace is not installed: nothing to compare with"
"$build/bench/trace" "$dtrace" "$rounds" "$bpftrace"
status=$?
if [ $status = 77 ]; then
	echo "skipped: bpf(2) is not permitted here"
	exit 77
fi
[ $status = 0 ] || exit $status

row() {		# row TITLE RUNS COMMAND…: prints the row, leaves the median in $ms
	title=$1 n=$2
	shift 2
	# shellcheck disable=SC2046
	set -- $("$@" "$n")
	ms=$1
	note=
	[ "$4" = 0 ] || note="(status $4)"
	printf '%-44s %10.2f ms %9.2f ms %8d KiB %s\n' "$title" "$1" "$2" "$3" "$note"
}

begin_dtrace() { "$measure" "$1" "$dtrace" -q -n 'BEGIN { exit(0); }'; }
list_dtrace() { "$measure" "$1" "$dtrace" -l; }
# It wants a tracefs: one that nobody else sees.
begin_bpftrace() {
	unshare -m sh -c '[ -d /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing
		exec "$1" "$2" "$3" -e "BEGIN { exit(); }"' sh "$measure" "$1" "$bpftrace"
}

printf '%-44s %13s %12s %12s\n' "" median fastest "peak memory"
row "dtrace, BEGIN { exit(0); }" $((rounds * 6)) begin_dtrace
one=$ms
row "dtrace -l" $((rounds * 3)) list_dtrace
if [ -n "$bpftrace" ]; then
	row "bpftrace, BEGIN { exit(); }" "$rounds" begin_bpftrace
	awk -v a="$ms" -v b="$one" 'BEGIN { printf "%-44s %10.2f\n", "bpftrace : dtrace, BEGIN", (b > 0 ? a / b : 0) }'
fi
