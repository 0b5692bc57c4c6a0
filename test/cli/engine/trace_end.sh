# SPDX-License-Identifier: BSD-2-Clause
# How a trace ends: by signals, by SIGKILL, and without rights. Nothing may stay behind.
# alone
. test/cli/helpers.inc

# Not root: the copy is for a user who may not look into our folder.
chmod 755 "$tmp"
cp "$dtrace" "$tmp/dtrace"
if [ "$(id -u)" -ne 0 ]; then
	echo "ok - without rights # SKIP not run as root: nothing to give up"
elif ! setpriv --reuid 65534 --regid 65534 --clear-groups "$tmp/dtrace" -V >/dev/null 2>&1; then
	echo "ok - without rights # SKIP setpriv cannot run a program as another user here"
else
	for args in "-qn syscall:::entry" "-qn profile-97" "-c true -qn sched:::on-cpu"; do
		timeout 120 setpriv --reuid 65534 --regid 65534 --clear-groups "$tmp/dtrace" $args >"$tmp/out" 2>"$tmp/err"
		status=$?
		is "without rights: $args" 1 "DTrace requires additional privileges"
		[ "$(wc -l <"$tmp/err")" -eq 1 ]
		check $? "in one sentence"
	done
	setpriv --reuid 65534 --regid 65534 --clear-groups "$tmp/dtrace" -e -n 'BEGIN { trace(1); }' >"$tmp/out" 2>"$tmp/err"
	check $? "compiling needs no rights"
fi
may_trace "ends of a trace"

READY='BEGIN { @n[1] = count(); printf("ready\n"); }'
for signal in INT TERM HUP QUIT; do	# QUIT: N B14
	start -q -n "$READY END { printf(\"the end\n\"); }"
	kill -$signal "$tracer"
	wait "$tracer"
	status=$?
	is "SIG$signal: END fires" 0 "the end"
	grep -q '^ *1  *1$' "$tmp/out"
	check $? "SIG$signal: aggregations are printed"
done
# SIGUSR1: aggregations as they are, and the trace goes on (N B14)
start -q -n "$READY END { printf(\"the end\n\"); }"
kill -USR1 "$tracer"
shown() { grep -q '^ *1  *1$' "$tmp/out"; }
waits shown && ! grep -q 'the end' "$tmp/out"
check $? "SIGUSR1: aggregations are printed"
kill -INT "$tracer"
wait "$tracer"
status=$?
is "SIGUSR1: the trace has gone on" 0 "the end"
[ "$(grep -c '^ *1  *1$' "$tmp/out")" -eq 2 ]
check $? "and at its end they are printed again"
# in the middle of starting: whenever it comes, the end is clean
for delay in 0.01 0.05; do
	(trap - INT; exec "$dtrace" -qn 'tick-10s { } BEGIN { @ = count(); }' >"$tmp/out" 2>"$tmp/err") &
	tracer=$!
	sleep $delay
	kill -TERM "$tracer"
	wait "$tracer" 2>/dev/null
	status=$?
	# 143: before it could catch anything; 1: starting takes longer here than a signal waits for it
	[ $status -eq 0 ] || [ $status -eq 143 ] || { [ $status -eq 1 ] && grep -q ': interrupted$' "$tmp/err"; }
	check $? "a signal after $delay s"
done

# bpf_of PID: how many descriptors of programs and links the process has
bpf_of() { ls -l "/proc/$1/fd" 2>/dev/null | grep -c 'bpf-prog\|bpf_link\|bpf-map'; }
# programs of ours in the whole system, by their names
programs() { bpftool prog show 2>/dev/null | grep -c "$1" ; }

start -q -c "$calls 1 hang" -n "$READY"' syscall::getpgid:entry /pid == $target/ { printf("pid %d\n", pid); }'
waits grep -q '^pid' "$tmp/out"
child=$(sed -n 's/^pid //p' "$tmp/out")
[ "$(bpf_of "$tracer")" -gt 0 ] && kill -0 "$child"
check $? "a trace holds programs and its child"
id=$(sed -n 's/^prog_id:[[:space:]]*//p' /proc/"$tracer"/fdinfo/* 2>/dev/null | head -n 1)
kill -9 "$tracer"
wait "$tracer" 2>/dev/null
waits ended "$child"
check $? "SIGKILL: the child of -c is gone"
no_program() { ! bpftool prog show id "$id" >/dev/null 2>&1; }
if command -v bpftool >/dev/null 2>&1 && [ -n "$id" ]; then
	waits no_program
	check $? "SIGKILL: its programs are gone"
else
	echo "ok - SIGKILL: its programs are gone # SKIP no bpftool"
fi

# before the child was let run: held in the middle of compiling, by a pipe that is read as the script
mkfifo "$tmp/script"
"$dtrace" -c "$calls 1 hang" -s "$tmp/script" >"$tmp/out" 2>"$tmp/err" &
tracer=$!
child_of() { child=$(ps -o pid= --ppid "$1" 2>/dev/null | head -n 1 | tr -d ' '); [ -n "$child" ]; }
if command -v ps >/dev/null 2>&1 && waits child_of "$tracer"; then
	kill -9 "$tracer"
	wait "$tracer" 2>/dev/null
	waits ended "$child"
	check $? "SIGKILL while the child is held: it is gone"
else
	kill -9 "$tracer"
	echo "ok - SIGKILL while the child is held # SKIP no ps"
fi

"$calls" 5 hang &
worker=$!
start -q -p $worker -n 'BEGIN { printf("ready\n"); }'
kill -9 "$tracer"
wait "$tracer" 2>/dev/null
state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' /proc/$worker/status)
[ "$state" = S ] || [ "$state" = R ]
check $? "SIGKILL: a process of -p runs on"
start -q -p $worker -n 'BEGIN { printf("ready\n"); }'
kill -INT "$tracer"
wait "$tracer"
kill -0 $worker
check $? "SIGINT: a process of -p runs on"
start -n 'BEGIN { printf("ready\n"); }' -p $worker
kill -9 $worker
wait "$tracer"
status=$?
is "a process of -p that ends, ends the trace" 0 "dtrace: pid $worker has exited"
wait $worker 2>/dev/null
exit 0
