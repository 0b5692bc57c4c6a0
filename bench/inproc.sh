#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench/inproc.sh [BUILD [ROUNDS]]: what a probe in a process costs it by hit: the engine in the process, the kernel's uprobes, and
# bpftrace where that is installed, in one run. Medians of ROUNDS; each run must have counted every hit, else nothing is printed of
# it and the benchmark fails (bpftrace: a dash). Of the engine in the process also the instructions of a hit, and how long it takes
# until all functions of libc are live. Status 77, with a line that says so, when bpf(2) is not permitted.
cd "$(dirname "$0")/.." || exit 2
. bench/bench.inc
build=${1:-build}
rounds=${2:-5}
needs "$build" dtrace test/hits
dtrace=$build/dtrace
hits=$build/test/hits
may_trace "$dtrace"
bpftrace=$(peer bpftrace)
slow=200000 fast=5000000	# hits: a kernel uprobe takes a microsecond, a jump some nanoseconds
warm=1000			# test/trigger/hits.c has as many more

# Each row: TITLE | what hits does | D clauses | bpftrace's. The clauses leave all hits in @, which END shows as a sum.
rows() {
	cat <<-'END'
	entry, count() | call | pid$target:hits:hits_call:entry { @ = count(); } | uprobe:HITS:hits_call { @ = count(); }
	return, count() | call | pid$target:hits:hits_call:return { @ = count(); } | uretprobe:HITS:hits_call { @ = count(); }
	static probe, count() | site | hits$target:::site { @ = count(); } | usdt:HITS:hits:site { @ = count(); }
	entry, @[arg0] = count() | call | pid$target:hits:hits_call:entry { @[arg0] = count(); } | uprobe:HITS:hits_call { @[arg0] = count(); }
	entry, @[ustack()] = count() | call | pid$target:hits:hits_call:entry { @[ustack()] = count(); } | uprobe:HITS:hits_call { @[ustack] = count(); }
	entry to return, quantize() | call | pid$target:hits:hits_call:entry { self->t = timestamp; } pid$target:hits:hits_call:return /self->t/ { @ = quantize(timestamp - self->t); self->t = 0; } | uprobe:HITS:hits_call { @t[tid] = nsecs; } uretprobe:HITS:hits_call /@t[tid]/ { @ = hist(nsecs - @t[tid]); delete(@t[tid]); } END { clear(@t); }
	END
}
# counted FILE: the sum of the last numbers of all lines but those of the program: elements, or rows of a histogram
counted() { awk 'NF >= 1 && $NF ~ /^[0-9]+$/ && !/[.]/ { n += $NF } END { print n + 0 }' "$1"; }

untraced() { for _ in $(seq "$rounds"); do "$hits" "$1" $fast; done | median; }
with_dtrace() {	# with_dtrace ENGINE N HOW CLAUSES: nothing if a run failed or did not count all hits
	for _ in $(seq "$rounds"); do
		rm -f "$tmp/count"
		timeout 300 "$dtrace" -qx engine="$1" -o "$tmp/count" -c "$hits $3 $2" -n "$4" >"$tmp/figure" 2>"$tmp/err" || return
		[ "$(counted "$tmp/count")" -eq $(($2 + warm)) ] || { echo "$1: $(counted "$tmp/count") of $(($2 + warm)) hits" >"$tmp/err"; return; }
		cat "$tmp/figure"
	done | median
}
with_bpftrace() {	# with_bpftrace N HOW PROGRAM
	[ -z "$bpftrace" ] || for _ in $(seq "$rounds"); do
		rm -f "$tmp/go"
		"$hits" "$2" "$1" "$tmp/go" >"$tmp/figure" &
		victim=$!
		unshare -m sh -c '[ -d /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing
			exec "$@"' sh "$bpftrace" -p "$victim" -e "BEGIN { printf(\"ready\\n\"); } $3" >"$tmp/peer" 2>&1 &
		peer=$!
		n=0
		until grep -q 'ready\|rror' "$tmp/peer" || [ $n -ge 600 ]; do
			n=$((n + 1))
			sleep 0.05
		done
		sleep 0.3
		: >"$tmp/go"
		wait "$victim"
		kill -INT "$peer" 2>/dev/null
		wait "$peer" 2>/dev/null
		grep -q '^@.*: [1-9]\|^\[.*[1-9]' "$tmp/peer" && cat "$tmp/figure"
	done | median
}

instructions() {	# instructions HOW CLAUSES: of a hit in the process; a dash where they cannot be stepped
	timeout 60 "$dtrace" -x aggrate=1h -x switchrate=1h -qx engine=process -o /dev/null -c "$hits $1 steps" -n "$2" 2>"$tmp/err" >"$tmp/figure" || :
	awk '$1 > 0 && $1 < 1000000 { n = $1 } END { print n ? n : "-" }' "$tmp/figure"
}
attach() {	# attach FIELD: 1, milliseconds until all functions of libc are live; 2, those in which threads stand still
	for _ in $(seq "$rounds"); do
		timeout 60 "$dtrace" -vqx engine=process -o /dev/null -c "$hits none 1" -n 'pid$target:libc*::entry { @ = count(); }' 2>"$tmp/err" >/dev/null || return
		sed -n 's/.* places were live after \([0-9.]*\) ms, threads stood still for \([0-9.]*\) ms.*/\'"$1"'/p' "$tmp/err"
	done | median
}

# The engine in the process may not be there, or may not run here: then its column is left out, and a line says why.
inside=process
"$dtrace" -qx engine=process -n 'BEGIN { exit(0); }' >/dev/null 2>"$tmp/err" || {
	inside=
	if grep -q 'not in this build' "$tmp/err"; then echo "engine process: not in this build"; else echo "engine process: $(head -n 1 "$tmp/err")"; fi
}

none=$(figure "a call" "$(untraced none)") || exit
off=$(figure "a static probe that is off" "$(untraced site)") || exit
printf '%-30s %10s %12s %10s %10s %14s %14s\n' "ns a hit, without the call" process instructions kernel bpftrace kernel/process bpftrace/process
printf '%-30s %10.1f\n' "a call (in no other row)" "$none"
awk -v a="$off" -v b="$none" 'BEGIN { printf "%-30s %10.1f\n", "a static probe that is off", a - b < 0 ? 0 : a - b }'
rows >"$tmp/rows"
while IFS='|' read -r title how clauses theirs; do
	title=$(echo "$title" | sed 's/ *$//') how=$(echo $how)
	theirs=$(echo "$theirs" | sed "s,HITS,$(realpath "$hits"),g")
	kernel=$(figure "engine kernel: $title" "$(with_dtrace kernel $slow "$how" "$clauses")" "$tmp/err") || exit
	process=- steps=-
	[ -z "$inside" ] || {
		process=$(figure "engine process: $title" "$(with_dtrace process $fast "$how" "$clauses")" "$tmp/err") || exit
		steps=$(instructions "$how" "$clauses")
	}
	peer=$(with_bpftrace $slow "$how" "$theirs")
	awk -v t="$title" -v p="$process" -v steps="$steps" -v k="$kernel" -v b="${peer:--}" -v none="$none" '
		function own(v) { return v == "-" ? v : sprintf("%.1f", v - none) }
		function by(v) { return v == "-" || p == "-" || p - none <= 0 ? "-" : sprintf("%.1f", (v - none) / (p - none)) }
		BEGIN { printf "%-30s %10s %12s %10s %10s %14s %14s\n", t, own(p), steps, own(k), own(b), by(k), by(b) }'
done <"$tmp/rows"
[ -z "$inside" ] || {
	live=$(figure "attaching to all of libc" "$(attach 1)" "$tmp/err") || exit
	still=$(figure "attaching to all of libc" "$(attach 2)" "$tmp/err") || exit
	echo "all functions of libc: live after $live ms, threads stand still for $still ms of it"
}
