#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench/records.sh [BUILD [ROUNDS [CALLS [THREADS]]]]: a flood of records with a printf() of three fields from one thread or several: how many are kept, what a call costs the program that is
# traced, what a record costs the tracer, and how many a second that is; dtrace with default options, and bpftrace where it is installed, in one run.
# Medians and ratios; nothing is judged. Status 77, with a line that says so, when bpf(2) is not permitted.
cd "$(dirname "$0")/.." || exit 2
. bench/bench.inc
build=${1:-build} rounds=${2:-5} calls=${3:-3000000} threads=${4:-1}
dtrace=$build/dtrace
needs "$build" dtrace
may_trace "$dtrace"
bpftrace=$(peer bpftrace)

cat >"$tmp/flood.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static long each;
static void *work(void *arg)
{
	for (long i = 0; i < each; i++)
		syscall(SYS_getppid);
	return arg;
}
int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 0, threads = argc > 2 ? atol(argv[2]) : 1;
	pthread_t t[256];
	struct timespec a, b;

	if (threads < 1 || threads > 256)
		return 2;
	each = n / threads;
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (long i = 1; i < threads; i++)
		pthread_create(&t[i], NULL, work, NULL);
	work(NULL);
	for (long i = 1; i < threads; i++)
		pthread_join(t[i], NULL);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%.0f\n", ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / (double)n);
	return 0;
}
END
name=flood$$
cc -O2 -pthread -o "$tmp/$name" "$tmp/flood.c" || fail "the program to trace does not compile"

in_dtrace() {
	exec "$dtrace" -qn "syscall::getppid:entry /execname == \"$name\"/ { printf(\"%s %d %d\\n\", execname, pid, tid); } tick-50ms /!r/ { r = 1; printf(\"ready\\n\"); }"
}
# bpftrace needs a tracefs: mount one in a namespace of its own.
in_bpftrace() {
	exec unshare -m sh -c '[ -d /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing
		exec "$1" -e "$2"' sh "$bpftrace" \
	    "tracepoint:syscalls:sys_enter_getppid /comm == \"$name\"/ { printf(\"%s %d %d\\n\", comm, pid, tid); } interval:ms:50 { printf(\"ready\\n\"); }"
}
cpu() { cat /proc/"$1"/task/*/schedstat 2>/dev/null | awk '{ n += $1 } END { printf "%.0f\n", n }'; }

# flood WHO: one line, "kept ns-a-call cpu-ns-a-record"; status 1 if the tracer did not begin or has no record
flood() {
	: >"$tmp/out"
	in_"$1" >"$tmp/out" 2>"$tmp/err" &
	tracer=$!
	n=0
	until grep -q ready "$tmp/out"; do
		n=$((n + 1))
		if [ $n -gt 600 ] || ! kill -0 $tracer 2>/dev/null; then
			kill $tracer 2>/dev/null
			wait $tracer
			return 1
		fi
		sleep 0.1
	done
	before=$(cpu $tracer)
	each=$("$tmp/$name" "$calls" "$threads")
	last=-1 now=$(grep -c "^$name" "$tmp/out")
	while [ "$now" != "$last" ]; do		# what is left comes within a second
		sleep 1.5
		last=$now now=$(grep -c "^$name" "$tmp/out")
	done
	after=$(cpu $tracer)
	kill -INT $tracer
	wait $tracer
	[ "$now" -gt 0 ] && [ -n "$each" ] && echo "$now $each $(((after - before) / now))"
}

i=0
while [ $i -lt "$rounds" ]; do
	flood dtrace >>"$tmp/dtrace" || fail "dtrace recorded nothing" "$tmp/err"
	if [ -n "$bpftrace" ] && ! flood bpftrace >>"$tmp/bpftrace"; then
		echo "bpftrace recorded nothing: not compared: $(head -n 1 "$tmp/err")"
		bpftrace=
		rm -f "$tmp/bpftrace"
	fi
	i=$((i + 1))
done
echo "$calls getppid() of $threads thread(s) as fast as they can, one record each; medians of $rounds"
printf '%-12s %10s %14s %22s %16s\n' "" kept "ns a call" "tracer's ns a record" "records a second"
for who in dtrace bpftrace; do
	[ -s "$tmp/$who" ] || continue
	kept=$(awk '{ print $1 }' "$tmp/$who" | median) each=$(awk '{ print $2 }' "$tmp/$who" | median) took=$(awk '{ print $3 }' "$tmp/$who" | median)
	awk -v w=$who -v k="$kept" -v n="$calls" -v e="$each" -v c="$took" 'BEGIN {
		printf "%-12s %9.2f%% %14d %22d %16d\n", w, 100 * k / n, e, c, 1e9 / e * k / n }'
	eval "each_$who=$each took_$who=$took"
done
[ -s "$tmp/bpftrace" ] && awk -v a="$each_bpftrace" -v b="$each_dtrace" -v c="$took_bpftrace" -v d="$took_dtrace" 'BEGIN {
	printf "%-12s %10s %14.2f %22.2f\n", "bpftrace : dtrace", "", (b > 0 ? a / b : 0), (d > 0 ? c / d : 0) }'
exit 0
