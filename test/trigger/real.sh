# SPDX-License-Identifier: BSD-2-Clause
# test/trigger/real.sh: what the tests of real runtimes (Java, Python) share; sourced after helpers.inc, with `what` set to
# the name that messages begin with. Such a test has a program of its own, the victim, that measures itself: it prints
# "up", waits for a line, works, prints how often it did each thing and for how many nanoseconds ("sleep 20 NS"), prints
# "done", and ends at the next line. Among its work are 40 sleeps, 300 ms in all, and 10000 writes of 4711 bytes in four
# threads. dtrace counts the same, and so does bpftrace at the same time.
#
# Nothing here depends on how fast the machine is: what is inside of something is never longer than what is around it,
# and a sleep is never shorter than what was asked for.
# shellcheck shell=sh disable=SC2154
victim= peer=
stop() { [ -n "$1" ] && kill -INT "$1" 2>/dev/null && wait "$1" 2>/dev/null; }
trap 'stop "$peer"; stop "$victim"; rm -rf "$tmp"' EXIT

# mapped PATTERN: the path of the first such file that the victim has mapped
mapped() { awk -v name="$1" '$6 ~ "/" name "$" { print $6; exit }' "/proc/$victim/maps"; }
# has_probe FILE NAME: whether the file has a static probe of that name
has_probe() { grep -aq "$2" "$1" && grep -aq stapsdt "$1"; }

# run_victim COMMAND…: starts it and returns when it is up; fd 9 leads to its standard input, $libc is its libc
run_victim() {
	mkfifo "$tmp/go"
	"$@" <"$tmp/go" >"$tmp/said" 2>"$tmp/complaint" &
	victim=$!
	exec 9>"$tmp/go"
	if ! waits grep -q up "$tmp/said"; then
		cp "$tmp/complaint" "$tmp/err"
		bad "$what: a program of our own runs"
		exit 1
	fi
	libc=$(mapped 'libc[.-][^/]*')
}

# watch_by_peer FILE FUNCTION: bpftrace, where there is one, measures that function and counts the writes
watch_by_peer() {
	if ! command -v bpftrace >/dev/null || [ -z "$libc" ] || [ -z "$1" ]; then return 0; fi
	: >"$tmp/peer"
	bpftrace -e "BEGIN { printf(\"ready\\n\"); }
	uprobe:$1:$2 /pid == $victim/ { @s[tid] = nsecs; }
	uretprobe:$1:$2 /pid == $victim && @s[tid]/ { @t = sum(nsecs - @s[tid]); @n = count(); delete(@s[tid]); }
	uprobe:$libc:write /pid == $victim && arg2 == 4711/ { @w = count(); }
	END { clear(@s); }" >"$tmp/peer" 2>&1 9>&- &
	peer=$!
	waits grep -q 'ready\|ERROR' "$tmp/peer"
}

# trace_victim SCRIPT: traces the work of the victim from its beginning to its end, and lets it end
trace_victim() {
	start -p "$victim" -s "$1" 9>&-
	echo >&9
	waits grep -q done "$tmp/said"
	kill -INT "$tracer"
	wait "$tracer"
	check $? "$what: it is traced"
	if [ -n "$peer" ]; then kill -INT "$peer"; wait "$peer" 2>/dev/null; fi
	echo >&9
	exec 9>&-
	wait "$victim"
	check $? "$what: the program comes to its end"
	victim=
}

# what dtrace has found
got() { sed -n "s/^$1 //p" "$tmp/out"; }
# what the victim says itself: how often, and nanoseconds
said() { awk -v n="$1" '$1 == n { print $2 }' "$tmp/said"; }
spent() { awk -v n="$1" '$1 == n { print $3 }' "$tmp/said"; }
# inside LEAST…: each is there and not above the next
inside() {
	last=1
	for ns; do
		[ "${ns:-0}" -ge "$last" ] || return 1
		last=$ns
	done
}

# the writes of four threads, in libc and in the kernel
check_writes() {
	[ "$(said write)" = 10000 ] && [ "$(got writes)" = 10000 ] && [ "$(got kwrites)" = 10000 ] && [ "$(got bytes)" = 47110000 ]
	check $? "$what: four threads write 10000 times, $(got bytes) bytes"
	[ "$(got thread | sort -n | tr '\n' ' ')" = "1000 2000 3000 4000 " ]
	check $? "$what: each thread has its own number"
}

# check_peer INNER OWN: the sleeps that bpftrace has measured are between these times, and near ours
check_peer() {
	if [ -z "$peer" ]; then
		ok "$what: bpftrace's time # SKIP no bpftrace here"
		return
	fi
	peer=
	theirs=$(sed -n 's/^@t: //p' "$tmp/peer") n=$(sed -n 's/^@n: //p' "$tmp/peer") writes=$(sed -n 's/^@w: //p' "$tmp/peer")
	if [ "${n:-0}" != 40 ] || [ "${writes:-0}" != 10000 ]; then
		ok "$what: bpftrace's time # SKIP it has seen ${n:-0} sleeps of 40, ${writes:-0} writes of 10000"
		return
	fi
	inside 300000000 "$1" "$theirs" "$2" && [ "$(got slept)" -le $((theirs * 2)) ] && [ "$theirs" -le $(($(got slept) * 2)) ]
	check $? "$what: $(got slept) ns here, $theirs ns in bpftrace, which counts the same calls"
}
