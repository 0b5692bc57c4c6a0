#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench/ustack.sh [BUILD [SECONDS]]: how much of user stacks is found in programs of Debian as they are, by tables (.eh_frame) and by frame pointers
# alone: profile-997 over python, perl, sort and gcc. For each: samples, frames of a stack, the share of frames with a function's name, with its object
# only, and with neither, and the share of stacks that reach the program's start. Then what a walk through 100 frames costs in a process with 1, 100
# and 2,000 shared objects, and what the tables take in the kernel and the tracer in its own memory: for those, for a program with 16 MB of .eh_frame,
# and for all processes. Nothing is judged. Status 77 when bpf(2) is not permitted.
cd "$(dirname "$0")/.." || exit 2
. bench/bench.inc
build=${1:-build}
seconds=${2:-4}
dtrace=$PWD/$build/dtrace
case $build in /*) dtrace=$build/dtrace ;; esac
needs "$(dirname "$dtrace")" dtrace
may_trace "$dtrace"

cat >"$tmp/load.py" <<'END'
import json, re
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
while True:
    fib(15)
    json.loads(json.dumps([{"a": list(range(100)), "b": "text"} for _ in range(20)]))
    re.sub("[aeiou]+", "-", "a sentence of some words " * 20)
END
cat >"$tmp/load.pl" <<'END'
sub fib { my $n = shift; return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }
while (1) { fib(14); my %h = map { $_ => $_ * 2 } 1 .. 500; my @s = sort { $h{$a} <=> $h{$b} } keys %h; my $t = join ",", @s; $t =~ s/(\d)(\d)/$2$1/g; }
END
seq 1 60000 | sort -R >"$tmp/lines" 2>/dev/null
{ echo '#include <stdio.h>'; i=0; while [ $i -lt 300 ]; do echo "int f$i(int a, int b) { int s = 0; for (int i = a; i < b; i++) s += i * $i ^ (s >> 3); printf(\"%d\", s); return s; }"; i=$((i + 1)); done; } >"$tmp/load.c"

# load NAME: runs until it is ended
load() {
	case $1 in
	python3) exec python3 "$tmp/load.py" ;;
	perl) exec perl "$tmp/load.pl" ;;
	sort) while :; do sort -n "$tmp/lines" >/dev/null; done ;;
	cc1) while :; do gcc -O2 -c -o "$tmp/load.o" "$tmp/load.c"; done ;;
	esac
}

# counted FILE: "samples frames named object nothing whole" of stacks in the output, each followed by its count
counted() {
	awk 'function flush() { samples += $1; all += n * $1; named += x * $1; object += y * $1; none += z * $1; whole += w * $1; n = x = y = z = w = 0 }
	/^ *[0-9]+$/ { flush(); next }
	/`0x/ { n++; y++; next }
	/`/ { n++; x++; w = w || /`(_start|__libc_start_main|__libc_start_call_main|start_thread|thread_start|__clone3?|_dl_start_user)/; next }
	/0x/ { n++; z++ }
	END { if (all == 0) exit 1
		printf "%7d samples %6.1f frames  named %5.1f %%  object only %5.1f %%  nothing %4.1f %%  to the start %5.1f %%\n", samples, all / samples,
		    100 * named / all, 100 * object / all, 100 * none / all, 100 * whole / samples }' "$1"
}

for name in python3 perl sort cc1; do
	command -v "$([ $name = cc1 ] && echo gcc || echo $name)" >/dev/null || { echo "$name: not installed"; continue; }
	( load $name ) >/dev/null 2>&1 &
	pid=$!
	for way in auto fp; do
		"$dtrace" -q -x unwind=$way -x aggsize=32m -x ustackframes=100 -n "profile-997 /execname == \"$name\" && arg1 != 0/ { @[ustack()] = count(); } tick-1s /++i == $seconds/ { exit(0); }" \
			>"$tmp/out" 2>"$tmp/err" || { kill $pid; fail "$name: dtrace failed" "$tmp/err"; }
		printf '%-8s %-14s' "$name" "$([ $way = fp ] && echo 'frame pointers' || echo tables)"
		counted "$tmp/out" || { echo; kill $pid; fail "$name: no samples in $seconds seconds" "$tmp/err"; }
		cat "$tmp/out" >>"$tmp/all-$way"
	done
	kill $pid
	wait $pid 2>/dev/null
done
for way in auto fp; do
	printf '%-8s %-14s' all "$([ $way = fp ] && echo 'frame pointers' || echo tables)"
	counted "$tmp/all-$way" || { echo; fail "no program to sample: python3, perl or gcc is needed"; }
done

# ---- cost and memory ----

flags="-std=gnu17 -D_GNU_SOURCE -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -funwind-tables"
# shellcheck disable=SC2086
gcc $flags -o "$tmp/many" test/trigger/unwind_many.c -ldl && gcc $flags -DLIBRARY -fPIC -shared -s -Wl,-z,noseparate-code -o "$tmp/hop.so" test/trigger/unwind_many.c &&
	gcc $flags -o "$tmp/huge" test/trigger/unwind_many.c test/trigger/unwind_huge.S -ldl || fail "the program to trace does not compile"

# least FILE: the smallest of the numbers there, which the rest of the machine disturbed least
least() { sort -n "$1" | head -n 1; }

# memory PID: kernel memory of the tables (arrays, arrays of maps), and the tracer's own
memory() {
	cat /proc/"$1"/fdinfo/* 2>/dev/null | awk '/^map_type:/ { type = $2 } /^memlock:/ && (type == 2 || type == 12) { sum += $2; type = 0 } END { printf "tables %6.1f MiB", sum / 1048576 }'
	awk '/^VmRSS:/ { printf "  tracer %6.1f MiB\n", $2 / 1024 }' /proc/"$1"/status
}

# grows FILE PID: until the program has written 100 lines
grows() {
	until [ "$(wc -l <"$1")" -ge 100 ]; do
		kill -0 "$2" 2>/dev/null || fail "the traced program has ended" "$tmp/err"
		sleep 0.05
	done
}

# traced ARGS…: dtrace, when it has begun, as $tracer
traced() {
	: >"$tmp/out"
	"$dtrace" -q "$@" >"$tmp/out" 2>"$tmp/err" &
	tracer=$!
	until grep -q ready "$tmp/out"; do
		kill -0 $tracer 2>/dev/null || fail "dtrace failed" "$tmp/err"
		sleep 0.05
	done
}

for files in 1 100 2000; do
	rm -rf "$tmp/copies"
	mkdir "$tmp/copies"
	: >"$tmp/plain"
	"$tmp/many" "$tmp/hop.so" "$tmp/copies" $files 2000 >>"$tmp/plain" &
	pid=$!
	grows "$tmp/plain" $pid
	plain=$(least "$tmp/plain")
	for what in 'n = timestamp;' '@ = max(ustackdepth);'; do
		traced -p $pid -n "BEGIN { printf(\"ready\\n\"); } syscall::getppid:entry /pid == \$target/ { $what }"
		: >"$tmp/plain"
		grows "$tmp/plain" $pid
		[ "$what" = 'n = timestamp;' ] && probe=$(least "$tmp/plain")
		walk=$(least "$tmp/plain")
		used=$(memory $tracer)
		kill -INT $tracer
		wait $tracer
	done
	[ "$(tr -dc '0-9' <"$tmp/out")" -gt 0 ] 2>/dev/null || { kill $pid; fail "no stack was walked" "$tmp/err"; }
	awk -v files=$files -v plain="$plain" -v probe="$probe" -v walk="$walk" -v depth="$(tr -dc '0-9' <"$tmp/out")" -v used="$used" \
		'BEGIN { printf "%5d files: a call %d ns, probed %d ns, with a walk of %d frames %d ns: %.0f ns a frame  %s\n", files, plain, probe, depth, walk, depth ? (walk - probe) / depth : 0, used }'
	kill $pid
	wait $pid 2>/dev/null
done

"$tmp/huge" 0 >/dev/null &
pid=$!
sleep 0.5
traced -p $$ -n 'BEGIN { printf("ready\n"); } syscall::getppid:entry /pid == $target/ { ustack(); }'
printf 'a shell:               '
memory $tracer
kill -INT $tracer
traced -p $pid -n 'BEGIN { printf("ready\n"); } syscall::getppid:entry /pid == $target && 0/ { ustack(); }'
printf '16 MB of .eh_frame:    '
memory $tracer
kill -INT $tracer
kill $pid
traced -x unwind=dwarf -n 'BEGIN { printf("ready\n"); } syscall::getppid:entry /execname == "nobody"/ { ustack(); }'
printf 'all processes (%4d):  ' "$(find /proc -maxdepth 1 -name "[0-9]*" 2>/dev/null | wc -l)"
memory $tracer
kill -INT $tracer
wait
