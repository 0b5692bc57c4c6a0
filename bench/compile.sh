#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench/compile.sh [BUILD]: what a compile costs: wall time (median) and peak memory for a one-liner, for one with kernel
# types, for long scripts (is it linear?), beside bpftrace where it is installed. Figures and ratios; nothing is judged.
cd "$(dirname "$0")/.." || exit 2
. bench/bench.inc
build=${1:-build}
dtrace=$build/dtrace
runs=${BENCH_RUNS:-50}
needs "$build" dtrace test/measure

# ours TITLE RUNS ARGS…: dtrace, which must not fail
ours() {
	title=$1 n=$2
	shift 2
	row "$title" "$measure" "$n" "$dtrace" "$@" || { "$dtrace" "$@" >/dev/null 2>"$tmp/err" </dev/null; fail "dtrace failed" "$tmp/err"; }
}

clauses() {	# clauses N: a script with N clauses that differ
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++)
		printf "dtrace:::BEGIN\n/pid != %d/\n{\n\tthis->x%d = %d + pid;\n\t@a[execname, this->x%d] = count();\n}\n", i, i % 50, i, i % 50 }'
}

row_head
ours "dtrace -e, BEGIN { exit(0); }" "$runs" -e -n 'BEGIN { exit(0); }'
one=$ms
ours "dtrace -e, curthread->mm->pgd (kernel types)" "$runs" -e -n 'BEGIN { trace((uint64_t)curthread->mm->pgd); trace(curthread->pid); }'
types=$ms
for size in 5000 10000 20000; do
	clauses $size >"$tmp/$size.d"
	ours "dtrace -e, script of $size clauses" 3 -e -s "$tmp/$size.d"
	eval "ms_$size=\$ms"
done
ratio "10000 clauses : 5000 (2 is linear)" "$ms_10000" "$ms_5000"
ratio "20000 clauses : 10000 (2 is linear)" "$ms_20000" "$ms_10000"
ratio "kernel types : one-liner" "$types" "$one"
bpftrace=$(peer bpftrace)
[ -n "$bpftrace" ] || exit 0
few=$((runs / 5 + 1))
row "bpftrace -d, BEGIN { exit(); }" "$measure" $few "$bpftrace" -d -e 'BEGIN { exit(); }'
ratio "bpftrace : dtrace, one-liner" "$ms" "$one"
row "bpftrace -d, curtask->mm->pgd (kernel types)" "$measure" $few "$bpftrace" -d -e \
    'BEGIN { print((uint64)((struct task_struct *)curtask)->mm->pgd); }'
ratio "bpftrace : dtrace, kernel types" "$ms" "$types"
exit 0
