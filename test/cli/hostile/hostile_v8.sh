# SPDX-License-Identifier: BSD-2-Clause
# A program that says it is Node, and whose functions, strings, scripts and tables lie or change while they are
# read: it costs its own names, and not the trace.
. test/cli/helpers.inc
may_trace "a program that lies about its frames of JavaScript"
cp "${BUILD:-build}/test/v8_liar" "$tmp/nodeliar"
tick='`'
pids=
trap 'touch "$tmp/stop"; for p in $pids; do kill "$p" 2>/dev/null; done; rm -rf "$tmp"' EXIT

# lies WAY: a trace of it, in $tmp/out
lies() {
	rm -f "$tmp/stop"
	"$tmp/nodeliar" "$1" 1 "$tmp/stop" &
	pids=$!
	run -q -p "$pids" -n "syscall::getppid:entry /pid == \$target/ { ustack(40); n++; }
	    syscall::getppid:entry /pid == \$target && n > 50/ { exit(0); }"
	touch "$tmp/stop"
	wait "$pids" 2>/dev/null || status=99
	pids=
}

# no message but that a slow machine needs longer than names may take
quiet() { ! grep -v 'it takes too long to read' "$tmp/err" | grep -q .; }

lies honest
grep -A1 "nodeliar${tick}descend" "$tmp/out" | grep -q '^ *liar (liar.js:2)' && grep -q "nodeliar${tick}main" "$tmp/out"
check $? "what it says is believed where it can be"

# each stack still begins and ends with what is native
for way in cons sliced thin moved length control kind locals many varint size freed nowhere self smi constants offsets; do
	lies $way
	[ "$status" -eq 0 ] && quiet && grep -q "nodeliar${tick}main" "$tmp/out" &&
		! LC_ALL=C grep -q "$(printf '\033')" "$tmp/out" && ! grep -q '^ *liar (liar.js:[^2]' "$tmp/out"
	check $? "$way: the trace goes on, and has no name that is wrong"
done
for way in circle far wild race; do
	lies $way
	[ "$status" -eq 0 ] && quiet && [ "$(grep -c . "$tmp/out")" -le $((60 * 41)) ]
	check $? "$way: a stack has no more frames than it may have"
done
