#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench/ustack.sh [BUILD [SECONDS]]: how much of user stacks is found in programs of Debian as they are, by tables (.eh_frame) and by frame pointers
# alone: profile-997 over python, perl, sort and gcc. For each: samples, frames of a stack, the share of frames with a function's name, with its object
# only, and with neither, and the share of stacks that reach the program's start. Nothing is judged. Status 77 when bpf(2) is not permitted.
cd "$(dirname "$0")/.." || exit 2
build=${1:-build}
seconds=${2:-4}
dtrace=$PWD/$build/dtrace
case $build in /*) dtrace=$build/dtrace ;; esac
[ -x "$dtrace" ] || { echo "bench/ustack.sh: $build is not built: make" >&2; exit 2; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
if ! "$dtrace" -qn 'BEGIN { exit(0); }' >/dev/null 2>"$tmp/err"; then
	echo "skipped: bpf(2) is not permitted here"
	exit 77
fi

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

# counted: "samples frames named object nothing whole" of stacks in the output, each with its count behind it
counted() {
	awk 'function flush() { samples += $1; all += n * $1; named += x * $1; object += y * $1; none += z * $1; whole += w * $1; n = x = y = z = w = 0 }
	/^ *[0-9]+$/ { flush(); next }
	/`0x/ { n++; y++; next }
	/`/ { n++; x++; w = w || /`(_start|__libc_start_main|__libc_start_call_main|start_thread|thread_start|__clone3?|_dl_start_user)/; next }
	/0x/ { n++; z++ }
	END { if (all == 0) { print "no samples"; exit }
		printf "%7d samples %6.1f frames  named %5.1f %%  object only %5.1f %%  nothing %4.1f %%  to the start %5.1f %%\n", samples, all / samples,
		    100 * named / all, 100 * object / all, 100 * none / all, 100 * whole / samples }' "$1"
}

for name in python3 perl sort cc1; do
	command -v "$([ $name = cc1 ] && echo gcc || echo $name)" >/dev/null || { echo "$name: not installed"; continue; }
	( load $name ) >/dev/null 2>&1 &
	pid=$!
	for way in auto fp; do
		"$dtrace" -q -x unwind=$way -x aggsize=32m -x ustackframes=100 -n "profile-997 /execname == \"$name\" && arg1 != 0/ { @[ustack()] = count(); } tick-1s /++i == $seconds/ { exit(0); }" \
			>"$tmp/out" 2>"$tmp/err"
		printf '%-8s %-14s' "$name" "$([ $way = fp ] && echo 'frame pointers' || echo tables)"
		counted "$tmp/out"
		cat "$tmp/out" >>"$tmp/all-$way"
	done
	kill $pid
	wait $pid 2>/dev/null
done
for way in auto fp; do
	printf '%-8s %-14s' all "$([ $way = fp ] && echo 'frame pointers' || echo tables)"
	counted "$tmp/all-$way"
done
