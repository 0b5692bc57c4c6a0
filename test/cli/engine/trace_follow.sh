#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# -x follow: what the processes of -c and -p make, and what those make, counts as they do, for every probe (N B3): forks, threads, other programs,
# orphans. Tracing ends with the last of them. test/trigger/family.c says how much its 40 processes do.
. test/cli/helpers.inc
may_trace "processes that are followed"
family=${BUILD:-build}/test/family

D='syscall::getpgid:entry { @ = count(); } proc:::exit { @x = count(); } END { printa("made %@d", @); printa(" ended %@d\n", @x); }'
run -q -x follow -c "$family 3 3" -n "$D"
is "-c: all calls of all processes, and no other's" 0 "made 789 ended 40"
is "and that is told" 0 "and what it makes"
run -q -x follow -x target=only -c "$family 2 5" -n "$D"
is "-x target=only" 0 "made 640 ended 31"
run -q -x target=only -c "$family 2 5" -n "$D"
is "without -x follow the process alone" 0 "made 15 ended 1"
run -q -x follow -x target=all -c "$family 2 5" -n 'syscall::getpgid:entry /execname == "family"/ { @ = count(); } END { printa("made %@d\n", @); }'
is "-x target=all limits nothing, and the end is that of the last" 0 "made 640"
run -q -x follow -c "$family 3 3" -n 'pid$target:a.out:work:entry { @ = count(); } pid$target:a.out:work:return { @r = count(); } END { printa("made %@d", @); printa(" left %@d\n", @r); }'
is "functions of the program" 0 "made 789 left 789"
run -q -x follow -c "$family 2 3" -n 'proc:::lwp-exit { @ = count(); } END { printa("threads %@d\n", @); }'
is "every thread to its end" 0 "threads 26"
run -q -x follow -c "$family 1 2" -n 'syscall::getpgid:entry /pid != $target/ { @[ustack()] = count(); }' -x target=only
grep -q 'family`' "$tmp/out"
check $? "stacks of what is followed have names"

# as strace -f: which programs a shell runs
run -q -x follow -c 'sh -c "ls / | wc -l; date"' -n 'proc:::exec-success { printf("runs %s\n", execname); }'
is "programs that a shell runs: ls" 0 "runs ls"
is "programs that a shell runs: wc" 0 "runs wc"
is "programs that a shell runs: date" 0 "runs date"

# -p: one that waits; one whose child is there already
mkfifo "$tmp/go"
"$family" 2 4 wait <"$tmp/go" >/dev/null &
worker=$!
exec 3>"$tmp/go"
start -q -x follow -p $worker -n 'BEGIN { printf("ready\n"); }' -n "$D" -n 'tick-10ms /!live_/ { live_ = 1; printf("live\n"); }'
waits grep -q live "$tmp/out"
"$family" 1 2 >/dev/null
echo go >&3
exec 3>&-
wait "$worker"
wait "$tracer"
status=$?
is "-p: what it makes from then on" 0 "made 427 ended 21"
sh -c '"$0" 2 4 wait <"$1" >/dev/null & wait' "$family" "$tmp/go" &
worker=$!
exec 3>"$tmp/go"
child() { kid=$(cat "/proc/$worker/task/$worker/children" 2>/dev/null) && [ -n "$kid" ] && grep -q family "/proc/${kid% }/comm" 2>/dev/null; }
if waits child; then
	start -q -x follow -p $worker -n "$D" -n 'tick-10ms /!live_/ { live_ = 1; printf("ready\n"); }'
	echo go >&3
	exec 3>&-
	wait "$worker"
	wait "$tracer"
	status=$?
	is "-p: what it had made before" 0 "made 427 ended 22"
else
	exec 3>&-
	ok "-p: what it had made before # SKIP this kernel does not tell children"
fi

if unshare -pf --mount-proc true 2>/dev/null; then
	timeout 240 unshare -pf --mount-proc "$dtrace" -q -x follow -c "$family 3 3" -n "$D" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	is "in a container" 0 "made 789 ended 40"
	timeout 240 unshare -pf --mount-proc "$dtrace" -q -x follow -c "$family 3 3" -n 'pid$target:a.out:work:entry { @ = count(); } END { printa("made %@d\n", @); }' \
	    >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	is "in a container: functions" 0 "made 789"
else
	ok "in a container # SKIP no process ids of our own here"
fi
exit 0
