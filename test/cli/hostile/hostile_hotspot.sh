# SPDX-License-Identifier: BSD-2-Clause
# A program that says it is a JVM, and whose tables, heaps of code, scopes, methods and names lie or change while they
# are read: it costs its own names, and not the trace.
. test/cli/helpers.inc
may_trace "a program that lies about its frames of Java"
cp "${BUILD:-build}/test/hotspot_liar" "$tmp/libjvm.so.liar"
tick='`'
pids=
trap 'touch "$tmp/stop"; for p in $pids; do kill "$p" 2>/dev/null; done; rm -rf "$tmp"' EXIT

# lies WAY: a trace of it, in $tmp/out
lies() {
	rm -f "$tmp/stop"
	"$tmp/libjvm.so.liar" "$1" 1 "$tmp/stop" &
	pids=$!
	run -q -p "$pids" -n "syscall::getppid:entry /pid == \$target/ { ustack(40); n++; }
	    syscall::getppid:entry /pid == \$target && n > 50/ { exit(0); }"
	touch "$tmp/stop"
	wait "$pids" 2>/dev/null || status=99
	pids=
}

# no message but that a slow machine needs longer than names may take, and how code that is not understood gets names
quiet() { ! grep -v 'it takes too long to read\|has no names: "jcmd ' "$tmp/err" | grep -q .; }

# no frame of Java but those that are there; a name that would reach the terminal is made harmless
right() {
	! LC_ALL=C grep -q "$(printf '\033')" "$tmp/out" &&
		! grep Liar "$tmp/out" | grep -qvE '^ *a\.Liar\.(inner|outer|\?\[3\?r) \(Liar\.java(:[12])?\)$'
}

lies honest
tr -s ' \n' ' ' <"$tmp/out" | grep -qF " a.Liar.inner (Liar.java:2) a.Liar.outer (Liar.java:2) \
a.Liar.inner (Liar.java:1) a.Liar.outer (Liar.java:2) libjvm.so.liar${tick}main"
check $? "what it says is believed where it can be"

# the walk does not go by what lies: each stack still begins and ends with what is native
for way in length control nul constant pool holder lines words itself numbers descs behind metadata size large id; do
	lies $way
	[ "$status" -eq 0 ] && quiet && right && grep -q "liar${tick}main" "$tmp/out"
	check $? "$way: the trace goes on, and has no name that is wrong"
done
for way in blob frame odd hops free segmap bits heap heaps blocks interpreter stride strides pages offsets far \
    static nothing; do
	lies $way
	[ "$status" -eq 0 ] && quiet && right && grep -q "liar${tick}descend" "$tmp/out"
	check $? "$way: the trace goes on, and a stack begins with what is native"
done
for way in circle wild race; do
	lies $way
	[ "$status" -eq 0 ] && quiet && [ "$(grep -c . "$tmp/out")" -le $((60 * 41)) ]
	check $? "$way: a stack has no more frames than it may have"
done
