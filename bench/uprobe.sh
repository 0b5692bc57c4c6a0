#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench/uprobe.sh [BUILD [ROUNDS]]: what probes in a process cost it, beside bpftrace's where that is installed, in one run: a call that is
# counted at its entry, at its return, a static probe that is counted, and one that is not enabled; then what attaching takes by number
# of probes. Medians and ratios; nothing is judged. Status 77, with a line that says so, when bpf(2) is not permitted.
cd "$(dirname "$0")/.." || exit 2
. bench/bench.inc
build=${1:-build}
rounds=${2:-5}
dtrace=$PWD/$build/dtrace
case $build in /*) dtrace=$build/dtrace ;; esac
needs "$(dirname "$dtrace")" dtrace
may_trace "$dtrace"
bpftrace=$(peer bpftrace)

# The program measures itself: ns a call, printed at the end. It waits for a file, so that the tracer is there.
cat >"$tmp/bench.d" <<'END'
provider bench { probe site(int n); };
END
cat >"$tmp/victim.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "bench.h"
__attribute__((noinline, noclone)) int call(int n) { __asm__ volatile("" ::: "memory"); return n; }
__attribute__((noinline, noclone)) int site(int n) { BENCH_SITE(n); __asm__ volatile("" ::: "memory"); return n; }
int main(int argc, char **argv)
{
	int (*f)(int) = argc > 1 && strcmp(argv[1], "site") == 0 ? site : call;
	long n = argc > 2 ? atol(argv[2]) : 200000;
	struct timespec a, b;

	if (argc > 3)
		while (access(argv[3], F_OK) != 0)
			usleep(10000);
	for (int i = 0; i < 1000; i++)
		f(i);
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (int i = 0; i < n; i++)
		f(i);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%.1f\n", ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / (double)n);
	return 0;
}
END
(cd "$tmp" && "$dtrace" -h -s bench.d && cc -O2 -c victim.c && "$dtrace" -G -s bench.d victim.o && cc -o bench victim.o bench.o) >"$tmp/err" 2>&1 ||
    fail "the program to trace does not compile" "$tmp/err"

ready() {	# ready FILE TEXT: until it is there
	n=0
	until grep -q "$2" "$1" 2>/dev/null || [ $n -ge 600 ]; do
		n=$((n + 1))
		sleep 0.05
	done
}
untraced() { for _ in $(seq "$rounds"); do "$tmp/bench" "$1" 5000000; done | median; }
with_dtrace() {	# with_dtrace WHAT PROBE
	for _ in $(seq "$rounds"); do
		"$dtrace" -qc "$tmp/bench $1 200000" -n "$2 { @ = count(); } END { trunc(@); }" 2>"$tmp/err" | grep .
	done | median
}
with_bpftrace() {	# with_bpftrace WHAT PROBE
	for _ in $(seq "$rounds"); do
		rm -f "$tmp/go"
		"$tmp/bench" "$1" 200000 "$tmp/go" >"$tmp/figure" &
		victim=$!
		unshare -m sh -c '[ -d /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing
			exec "$@"' sh "$bpftrace" -p "$victim" -e "BEGIN { printf(\"ready\\n\"); } $2 { @ = count(); }" >"$tmp/peer" 2>&1 &
		peer=$!
		ready "$tmp/peer" "ready\|ERROR\|rror"
		sleep 0.3
		: >"$tmp/go"
		wait "$victim"
		kill -INT "$peer" 2>/dev/null
		wait "$peer" 2>/dev/null
		grep -q '^@: [1-9]' "$tmp/peer" && cat "$tmp/figure"
	done | median
}
calls() {	# calls TITLE OURS [THEIRS]: ours must be there; bpftrace's is - where it failed or counted nothing
	figure "$1" "$2" "$tmp/err" >/dev/null || exit
	if [ -n "$3" ]; then
		awk -v t="$1" -v a="$2" -v b="$3" 'BEGIN { printf "%-36s %9.1f ns %12.1f ns %8.2f\n", t, a, b, a / b }'
	else
		awk -v t="$1" -v a="$2" 'BEGIN { printf "%-36s %9.1f ns %15s\n", t, a, "-" }'
	fi
}

printf '%-36s %12s %15s %8s\n' "a call" dtrace bpftrace ratio
calls "untraced" "$(untraced call)"
calls "static probe, not enabled" "$(untraced site)"
theirs() { [ -z "$bpftrace" ] || with_bpftrace "$@"; }
calls "pid entry, count()" "$(with_dtrace call 'pid$target:a.out:call:entry')" "$(theirs call "uprobe:$tmp/bench:call")"
calls "pid return, count()" "$(with_dtrace call 'pid$target:a.out:call:return')" "$(theirs call "uretprobe:$tmp/bench:call")"
calls "static probe, count()" "$(with_dtrace site 'bench$target:::site')" "$(theirs site "usdt:$tmp/bench:bench:site")"

# Attaching: a program with 4000 functions; from the start of dtrace to the end, minus the same without probes.
awk 'BEGIN { for (i = 0; i < 4000; i++) printf "int f%04d(int n); int f%04d(int n) { return n + %d; }\n", i, i, i; print "int main(void) { return 0; }" }' >"$tmp/many.c"
cc -O1 -o "$tmp/many" "$tmp/many.c" || fail "a program with 4000 functions does not compile"
took() {	# took COMMAND…: ms, the median
	for _ in $(seq "$rounds"); do
		from=$(date +%s%N)
		"$@" >/dev/null 2>"$tmp/err" || return 1
		to=$(date +%s%N)
		echo $(((to - from) / 1000))
	done >"$tmp/times" && median <"$tmp/times"
}
none=$(figure "dtrace without probes" "$(took "$dtrace" -qc "$tmp/many" -n BEGIN)" "$tmp/err") || exit
printf '\n%-36s %12s\n' "begin, attach, detach, end" dtrace
for row in '100 f00??' '1000 f0???' '3000 f[0-2]???'; do
	ms=$(took "$dtrace" -qc "$tmp/many" -n "pid\$target:a.out:${row#* }:entry { @[probefunc] = count(); }")
	ms=$(figure "${row%% *} probes" "$ms" "$tmp/err") || exit
	awk -v n="${row%% *}" -v a="$ms" -v b="$none" 'BEGIN { printf "%-36s %9.1f ms (%.1f ms more than none)\n", n " probes", a / 1000, (a - b) / 1000 }'
done
