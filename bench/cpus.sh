#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench/cpus.sh [BUILD [CPUS…]]: what starting takes on machines of 2, 16 and 64 CPUs, emulated, where the clock goes by
# instructions: CPU time from start to end, system calls, and kernel memory of all maps. Figures; nothing is judged.
# Status 77 when no machine can be made here.
cd "$(dirname "$0")/.." || exit 2
. bench/bench.inc
build=${1:-build}
[ $# -gt 0 ] && shift
if [ "$build" != inside ]; then
	needs "$build" dtrace test/measure
	[ $# -gt 0 ] || set -- 2 16 64
	printf '%-34s %5s %12s %8s %12s\n' "" CPUs "ms of CPU" calls "KiB of maps"
	for cpus in "$@"; do
		BUILD=$build test/vm/run -i -c "$cpus" -t 900 bench/cpus.sh inside || { [ $? = 123 ] && exit 77; exit 1; }
	done
	exit 0
fi

dtrace=${BUILD:-build}/dtrace
needs "${BUILD:-build}" dtrace test/measure
may_trace "$dtrace"
calls() {	# calls D: how many system calls a dtrace with this program makes
	printf '%s\n' "$1" >"$tmp/one.d"
	"$dtrace" -qn 'syscall:::entry /pid == $target/ { @ = count(); } END { printa("%@d\n", @); }' -c "$dtrace -qs $tmp/one.d" | grep '[0-9]'
}
memory() {	# memory D: what its maps take, as the kernel counts it
	: >"$tmp/out"
	"$dtrace" -qn "$1" >"$tmp/out" 2>&1 &
	pid=$!
	until grep -q ready "$tmp/out" || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
	cat /proc/$pid/fdinfo/* 2>/dev/null | awk '$1 == "map_type:" { map = 1 } $1 == "memlock:" && map { n += $2; map = 0 } END { printf "%d\n", n / 1024 }'
	kill -INT $pid 2>/dev/null
	wait $pid
}
starts() {	# starts WHAT D
	# shellcheck disable=SC2046
	set -- "$1" "$2" $("$measure" 5 "$dtrace" -qn "$2 BEGIN { exit(0); }")
	[ $# -eq 7 ] && [ "$6" = 0 ] || fail "$1: dtrace failed (status ${6:-unknown})"
	made=$(figure "$1: system calls" "$(calls "$2 BEGIN { exit(0); }")") || exit
	used=$(figure "$1: memory of maps" "$(memory "$2 BEGIN { printf(\"ready\n\"); }")") || exit
	printf '%-34s %5s %12s %8s %12s\n' "$1" "$(nproc)" "$7" "$made" "$used"
}
starts "BEGIN" ""
starts "printf of three fields" 'syscall::getppid:entry { printf("%s %d %d\n", execname, pid, tid); }'
starts "count() by name" 'syscall:::entry { @[execname] = count(); }'
starts "ustack()" 'syscall::getppid:entry { ustack(); }'
starts "self->t, quantize()" 'syscall::read:entry { self->t = timestamp; } syscall::read:return /self->t/ { @ = quantize(timestamp - self->t); self->t = 0; }'
