#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Static probes of what is started while dtrace runs (T 6, S B1, S B2, P 4.7): programs by name, by exec in the target, libraries; nothing
# before the first probe is lost, and nobody is held longer than a moment, whatever becomes of dtrace.
# alone
. test/cli/helpers.inc
may_trace "static probes that come later"
case $dtrace in /*) ;; *) dtrace=$PWD/$dtrace ;; esac
if ! command -v cc >/dev/null || ! echo 'int main(void) { return 0; }' | cc -x c -o "$tmp/a.out" - 2>/dev/null || ! "$tmp/a.out"; then
	ok "static probes that come later # SKIP no compiler that works here"
	exit 0
fi
top=$PWD

cat >"$tmp/prog.c" <<'END'
#include <stdlib.h>
#include <sys/sdt.h>
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 3;

	for (int i = 0; i < n; i++)
		DTRACE_PROBE2(laterprov, go, i, argv[0]);
	return 0;
}
END
cat >"$tmp/plug.c" <<'END'
#include <sys/sdt.h>
int fire(int n)
{
	for (int i = 0; i < n; i++)
		DTRACE_PROBE1(laterplug, fired, i);
	return n;
}
__attribute__((constructor)) static void born(void) { DTRACE_PROBE1(laterplug, fired, 100); }
END
cat >"$tmp/host.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	void *lib = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int (*fire)(int) = lib != NULL ? (int (*)(int))dlsym(lib, "fire") : NULL;
	char line[80];

	if (fire == NULL)
		return 1;
	if (argc > 2)		/* until it is told to go on */
		while (fgets(line, sizeof(line), stdin) != NULL && line[0] != 'q')
			fire(1);
	return fire(4) != 4;
}
END
cc -I"$top/include" -O2 -o "$tmp/prog" "$tmp/prog.c" && cc -I"$top/include" -O2 -fPIC -shared -o "$tmp/libplug.so" "$tmp/plug.c" &&
    cc -O2 -o "$tmp/host" "$tmp/host.c" -ldl || { bad "programs with probes"; exit 1; }
cp "$tmp/prog" "$tmp/other"

# S B1: nothing matched, and that is fine
run -q -Z -n 'nosuchprov*:::{}' -c 'echo hi'
is "-Z with nothing matched runs its command" 0 hi
run -q -Z -n 'syscall::nosuchcall:entry{}' -c 'echo hi'
is "-Z with no such probe of the kernel" 0 hi
run -q -n 'laterprov*:::{}' -c 'echo hi'
is "without -Z it is an error, which names -Z" 1 "-Z waits"

# T 6: dtrace first, then the program; a file that nobody runs yet, and a second one of the same provider
gates() {	# can programs be held here? (fanotify)
	grep -q 'dtrace-gate' /proc/[0-9]*/comm 2>/dev/null
}
start -q -Z -n 'BEGIN { printf("ready\n"); } laterprov*:::go { printf("%s %d\n", basename(copyinstr(arg1)), arg0); n++; }' \
    -n 'laterprov*:::go /n == 14/ { exit(0); }'
holds=
if gates; then
	holds=1
	"$tmp/prog" 5
	"$tmp/prog" 2
	"$tmp/other" 7
	waits ended $tracer
	wait $tracer
	status=$?
	{ echo ready; for i in 0 1 2 3 4; do echo prog $i; done; echo prog 0; echo prog 1; for i in 0 1 2 3 4 5 6; do echo other $i; done; echo; } >"$tmp/want"
	cmp -s "$tmp/want" "$tmp/out"
	check $? "every probe of programs that are started later, from their first"

	# S B2: the target becomes another program
	run -q -Z -c "env A=1 $tmp/prog 4" -n 'laterprov$target:::go { @ = count(); @s = sum(arg0); } END { printa("go %@d", @); printa(" sum %@d\n", @s); }'
	is "exec in the target" 0 "go 4 sum 6"
	run -q -Z -c "sh -c '$tmp/prog 3; exec $tmp/other 2'" -n 'laterprov$target:::go { @ = count(); } END { printa("go %@d\n", @); }'
	is "and of its children not" 0 "go 2"
	run -q -Z -c "$tmp/host $tmp/libplug.so" -n 'laterplug$target:::fired { @[arg0] = count(); } END { printa("%d:%@d ", @); }'
	is "a library that the target loads, its constructor too" 0 "0:1 1:1 2:1 3:1 100:1"
	# N8: the same by a pattern, and in what the target starts
	cp "$tmp/libplug.so" "$tmp/libplug2.so"
	run -q -Z -c "$tmp/host $tmp/libplug2.so" -n 'laterplug*:::fired { @[arg0] = count(); } END { printa("%d:%@d ", @); }'
	is "by a pattern" 0 "0:1 1:1 2:1 3:1 100:1"
	cp "$tmp/libplug.so" "$tmp/libplug3.so"
	run -q -Z -c "sh -c '$tmp/host $tmp/libplug3.so; true'" -n 'laterplug*:::fired { @[arg0] = count(); } END { printa("%d:%@d ", @); }'
	is "by a pattern, in a child of the target" 0 "0:1 1:1 2:1 3:1 100:1"
	cp "$tmp/libplug.so" "$tmp/libplug4.so"
	run -q -Z -x follow -c "sh -c '$tmp/host $tmp/libplug4.so; true'" -n 'laterplug$target:::fired { @[arg0] = count(); } END { printa("%d:%@d ", @); }'
	is "-x follow: in a child as in the target" 0 "0:1 1:1 2:1 3:1 100:1"
	# N6: a program that system() starts, whose output stands in its place
	cp "$tmp/prog" "$tmp/sys"
	run -qwZ -x switchrate=20ms -n 'BEGIN { printf("before\n"); system("'"$tmp"'/sys 3; echo within"); printf("after\n"); }' \
	    -n 'laterprov*:::go { printf("%s %d\n", basename(copyinstr(arg1)), arg0); } laterprov*:::go /arg0 == 2/ { exit(0); }'
	{ echo before; echo within; echo after; for i in 0 1 2; do echo sys $i; done; echo; } >"$tmp/want"
	[ "$status" -eq 0 ] && cmp -s "$tmp/want" "$tmp/out"
	check $? "a program that system() starts, from its first probe"
	# clauses that keep something, and the probes of END see it
	run -q -Z -c "sh -c '$tmp/prog 100; $tmp/other 50'" -n 'BEGIN { total = (uint64_t)0; } laterprov*:::go { x[arg0]++; total += arg0; self->n++; @q = quantize(arg0); }
	laterprov*:::go /self->n == 100/ { last = arg0; } END { printf("%d %d %d %d\n", x[1], x[99], total, last); }'
	is "variables are those of the whole program" 0 "2 1 6175 99"
else
	kill $tracer
	wait $tracer
	ok "programs that are started later # SKIP this kernel holds none at exec (fanotify)"
fi

# A library that some process loads: a few milliseconds late, then all of it.
mkfifo "$tmp/in"
start -q -Z -n 'BEGIN { printf("ready\n"); } laterplug*:::fired { printf("fired %d\n", arg0); }' -n 'laterplug*:::fired /arg0 == 3/ { exit(0); }'
"$tmp/host" "$tmp/libplug.so" wait <"$tmp/in" &
host=$!
exec 9>"$tmp/in"
more() { echo go >&9; grep -q 'fired 0' "$tmp/out"; }
waits more
check $? "a library that some process loads"
echo q >&9
exec 9>&-
waits ended $tracer
wait $tracer
status=$?
is "and all that it fires from then on" 0 "fired 2"
wait $host

# P 4.7: lists have each process, by its own name and number; a firing too
mkfifo "$tmp/in1" "$tmp/in2"
"$tmp/host" "$tmp/libplug.so" wait <"$tmp/in1" &
one=$!
exec 7>"$tmp/in1"
"$tmp/host" "$tmp/libplug.so" wait <"$tmp/in2" &
two=$!
exec 8>"$tmp/in2"
listed() { run "$@"; grep -q "laterplug$one " "$tmp/out" && grep -q "laterplug$two " "$tmp/out"; }
waits listed -ln 'laterplug*:::fired'
check $? "dtrace -ln"
awk '$1 == "ID" { next } $1 < 100 || seen[$1]++ { bad = 1 } END { exit bad }' "$tmp/out"
check $? "numbers are theirs alone"
listed -l
check $? "dtrace -l"
listed -l -m libplug.so
check $? "dtrace -l -m"
listed -l -f fire
check $? "dtrace -l -f"
start -qn 'BEGIN { printf("ready\n"); } laterplug*:::fired { printf("%s %s\n", probeprov, probename); } laterplug*'$two':::fired { printf("alone %s\n", probeprov); }'
echo go >&7
waits grep -qx "laterplug$one fired" "$tmp/out"
check $? "probeprov has the process"
echo go >&8
waits grep -qx "laterplug$two fired" "$tmp/out" && waits grep -qx "alone laterplug$two" "$tmp/out"
check $? "and a pattern may have it behind (S B3)"
kill $tracer
wait $tracer
! grep -qx "alone laterplug$one" "$tmp/out"
check $? "which means that one alone"
echo q >&7
echo q >&8
exec 7>&- 8>&-
wait $one $two

# A9: dtrace says that it holds programs, unless -q is given; -x exechold=no holds none.
if [ -n "$holds" ]; then
	holding="are held at exec until the probes are live, for at most"
	run -Z -n 'laterprov*:::go { } tick-1ms { exit(0); }'
	is "holding is announced" 0 "$holding 1000 ms (-x exechold)"
	run -Z -x exechold=50ms -n 'laterprov*:::go { } tick-1ms { exit(0); }'
	is "and for how long" 0 "$holding 50 ms"
	run -qZ -n 'laterprov*:::go { } tick-1ms { exit(0); }'
	[ "$status" -eq 0 ] && [ ! -s "$tmp/err" ]
	check $? "not under -q"
	start -Z -x exechold=no -n 'BEGIN { printf("ready\n"); } laterprov*:::go { }'
	! grep -q "$holding" "$tmp/err" && [ -z "$(pgrep -P $tracer -x dtrace-gate)" ]
	check $? "-x exechold=no: nothing is held"
	kill $tracer
	wait $tracer

	# No program waits for a dtrace that waits itself, here for somebody who reads its output.
	mkfifo "$tmp/full"
	exec 9<>"$tmp/full"
	"$dtrace" -q -Z -x exechold=60s -x strsize=64k -x switchrate=10ms -n 'laterprov*:::go { } tick-50ms { printf("%60000s\n", "x"); }' \
	    >"$tmp/full" 2>"$tmp/err" &
	tracer=$!
	blocked() { grep -q pipe_write "/proc/$tracer/wchan"; }
	waits blocked
	cp "$tmp/prog" "$tmp/fifth"
	timeout 30 "$tmp/fifth" 1
	check $? "a program starts while dtrace waits to write"
	kill -KILL $tracer
	wait $tracer 2>/dev/null
	exec 9>&-

	# the helper is killed: tracing goes on, and says so
	start -q -Z -n 'BEGIN { printf("ready\n"); } tick-20ms { n++; } END { printf("end\n"); }' -n 'laterprov*:::go { }'
	kill -KILL "$(pgrep -P $tracer -x dtrace-gate)"
	waits grep -q 'has ended: the first firings' "$tmp/err"
	check $? "who holds is killed: dtrace says so"
	kill -INT $tracer
	wait $tracer
	status=$?
	is "and goes on" 0 end
fi

# Nobody is held by a dtrace that does not answer, or is gone; nothing of it stays.
start -q -Z -x exechold=60s -n 'BEGIN { printf("ready\n"); } laterprov*:::go { n++; }'
reader=
gate=$(pgrep -P $tracer -x dtrace-gate)
kill -STOP $tracer
cp "$tmp/prog" "$tmp/third"
timeout 30 "$tmp/third" 1
check $? "a program starts while dtrace is stopped"
if [ -n "$gate" ]; then		# that program was read by somebody without rights
	reader=$(pgrep -P "$gate" -x dtrace-reader)
	[ -n "$reader" ] && grep -q '^CapEff:[	 ]*0000000000000000$' "/proc/$reader/status"
	check $? "who holds programs does not read them itself"
fi
kill -KILL $tracer
wait $tracer 2>/dev/null
gone() { [ -z "$1" ] || ! kill -0 "$1" 2>/dev/null; }
gate_gone() { gone "$gate" && gone "$reader"; }
waits gate_gone
check $? "who holds ends with dtrace"
cp "$tmp/prog" "$tmp/fourth"
"$tmp/fourth" 1
check $? "and programs start"
