#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Processes with probes in them that are killed, become another program, fork, load and unload libraries: what is counted stays right,
# dtrace says what happened and ends, and nothing of ours ends the process.
. test/trigger/trace.sh
may_trace "processes that change"
prog=${BUILD:-build}/test/provider_pid_ends

# victim ARGS…: as $victim, waiting for a line on descriptor 9
victim() {
	rm -f "$tmp/go"
	mkfifo "$tmp/go"
	"$prog" "$@" <"$tmp/go" >"$tmp/victim" 2>&1 &
	victim=$!
	exec 9>"$tmp/go"
	waits grep -q up "$tmp/victim" || { bad "a process to trace"; exit 1; }
}
go() { echo go >&9; }
# ends: the tracer has ended by itself; $status
ends() {
	exec 9>&-
	wait "$victim" 2>/dev/null
	died=$?
	waits ended "$tracer"
	wait "$tracer"
	status=$?
}

victim spin
start -x switchrate=10ms -p "$victim" -n 'BEGIN { printf("ready\n"); } pid$target::work:entry { @ = count(); } pid$target::work:return { @r = count(); n++; }
tick-20ms /n > 20 && !told/ { told = 1; printf("running\n"); } END { printf("the end\n"); }'
go
waits grep -q running "$tmp/out"
kill -KILL "$victim"
ends
is "a process that is killed ends the trace" 0 "the end"
is "and it is told" 0 "pid $victim"

victim exec "$prog" fork
start -q -p "$victim" -n 'BEGIN { printf("ready\n"); } pid$target:a.out:work:entry { @ = count(); } END { printa("work %@d\n", @); }'
go
go
ends
is "a process that runs the same program anew keeps its probes" 0 "work 20"
victim exec /bin/echo changed
start -q -p "$victim" -n 'BEGIN { printf("ready\n"); } pid$target:a.out:work:entry { @ = count(); } pid$target:libc.so.6:exit:entry { @x = count(); }
END { printa("work %@d", @); printa(" exits %@d\n", @x); }'
go
ends
is "a process that runs another program keeps those in libraries of both" 0 "work 10 exits 1"
grep -q changed "$tmp/victim" && [ "$died" -eq 0 ]
check $? "and that program is not harmed"

victim fork
start -q -p "$victim" -n 'BEGIN { printf("ready\n"); } pid$target:a.out:work:entry { @ = count(); } END { printa("work %@d\n", @); }'
go
ends
is "a child is not the process" 0 "work 10"
[ "$died" -eq 0 ]
check $? "and lives with what it inherits"
