#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench/compile.sh [BUILD]: what a compile costs: wall time (median) and peak memory for a one-liner, for one with kernel
# types, for long scripts (is it linear?), beside bpftrace where it is installed. Figures and ratios; nothing is judged.
cd "$(dirname "$0")/.." || exit 2
build=${1:-build}
dtrace=$build/dtrace
measure=$build/test/measure
runs=${BENCH_RUNS:-50}
if [ ! -x "$dtrace" ] || [ ! -x "$measure" ]; then
	echo "bench/compile.sh: $build is not built: make tests" >&2
	exit 2
fi
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

row() {		# row TITLE RUNS COMMAND…: prints the row, leaves the median in $ms
	title=$1 n=$2
	shift 2
	# shellcheck disable=SC2046
	set -- $("$measure" "$n" "$@")
	ms=$1
	note=
	[ "$4" = 0 ] || note="(status $4)"
	printf '%-44s %10.2f ms %9.2f ms %8d KiB %s\n' "$title" "$1" "$2" "$3" "$note"
}

ratio() { awk -v t="$1" -v a="$2" -v b="$3" 'BEGIN { printf "%-44s %10.2f\n", t, (b > 0 ? a / b : 0) }'; }

clauses() {	# clauses N: a script with N clauses that differ
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++)
		printf "dtrace:::BEGIN\n/pid != %d/\n{\n\tthis->x%d = %d + pid;\n\t@a[execname, this->x%d] = count();\n}\n", i, i % 50, i, i % 50 }'
}

printf '%-44s %13s %12s %12s\n' "" median fastest "peak memory"
row "dtrace -e, BEGIN { exit(0); }" "$runs" "$dtrace" -e -n 'BEGIN { exit(0); }'
one=$ms
row "dtrace -e, curthread->mm->pgd (kernel types)" "$runs" "$dtrace" -e -n 'BEGIN { trace((uint64_t)curthread->mm->pgd); trace(curthread->pid); }'
types=$ms
for size in 5000 10000 20000; do
	clauses $size >"$tmp/$size.d"
	row "dtrace -e, script of $size clauses" 3 "$dtrace" -e -s "$tmp/$size.d"
	eval "ms_$size=\$ms"
done
ratio "10000 clauses : 5000 (2 is linear)" "$ms_10000" "$ms_5000"
ratio "20000 clauses : 10000 (2 is linear)" "$ms_20000" "$ms_10000"
ratio "kernel types : one-liner" "$types" "$one"
if command -v bpftrace >/dev/null 2>&1; then
	few=$((runs / 5 + 1))
	row "bpftrace -d, BEGIN { exit(); }" $few bpftrace -d -e 'BEGIN { exit(); }'
	ratio "bpftrace : dtrace, one-liner" "$ms" "$one"
	row "bpftrace -d, curtask->mm->pgd (kernel types)" $few bpftrace -d -e 'BEGIN { print((uint64)((struct task_struct *)curtask)->mm->pgd); }'
	ratio "bpftrace : dtrace, kernel types" "$ms" "$types"
else
	echo "bpftrace is not installed: nothing to compare with"
fi
