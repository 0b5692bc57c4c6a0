# SPDX-License-Identifier: BSD-2-Clause
# A program that says it is Ruby, and whose frames, strings and tables lie or change while they are read: it costs its own names,
# and not the trace.
. test/cli/helpers.inc
may_trace "a program that lies about its frames of Ruby"
cp "${BUILD:-build}/test/ruby_liar" "$tmp/rubyliar"
tick='`'
pids=
trap 'touch "$tmp/stop"; for p in $pids; do kill "$p" 2>/dev/null; done; rm -rf "$tmp"' EXIT

# lies WAY: a trace of it, in $tmp/out
lies() {
	rm -f "$tmp/stop"
	"$tmp/rubyliar" "$1" 1 "$tmp/stop" &
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
grep -A2 "rubyliar${tick}rb_vm_exec" "$tmp/out" | tr -s ' \n' ' ' | grep -q 'in_c liar (liar.rb:7) ' && grep -q "rubyliar${tick}main" "$tmp/out"
check $? "what it says is believed where it can be"

# each stack still begins and ends with what is native
for way in length kind control lines size ranks freed nowhere method ids version; do
	lies $way
	[ "$status" -eq 0 ] && quiet && grep -q "rubyliar${tick}main" "$tmp/out" &&
		! LC_ALL=C grep -q "$(printf '\033')" "$tmp/out" && ! grep -q '^ *liar (liar.rb:[^7]' "$tmp/out"
	check $? "$way: the trace goes on, and has no name that is wrong"
done
for way in endless wild race; do
	lies $way
	[ "$status" -eq 0 ] && quiet && [ "$(grep -c . "$tmp/out")" -le $((60 * 41)) ]
	check $? "$way: a stack has no more frames than it may have"
done
