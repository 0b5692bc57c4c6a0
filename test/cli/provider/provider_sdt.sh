# SPDX-License-Identifier: BSD-2-Clause
# sdt and rawtp: tracepoints with typed arguments; those a tracepoint does not have read 0.
. test/cli/helpers.inc
may_trace "tracepoints"
life=${BUILD:-build}/test/provider_life

run -q -c "$life" -n '
sdt:sched::sched_process_exit /args[0]->tgid == $target && args[0]->pid == $target/ { printf("exit of %s\n", stringof(args[0]->comm)); }
rawtp:::sched_process_fork /args[0]->tgid == $target && args[1]->pid == args[1]->tgid/ { forks++; }
END { printf("forks %d\n", forks); }'
is "typed arguments" 0 "exit of provider_life"
is "known number of forks" 0 "forks 6"
run -q -c true -n 'rawtp:::sched_process_exit /execname == "true"/ { printf("%d %d %d %d\n", arg0 != 0, arg5, arg8, arg9); }'
is "arguments that a tracepoint does not have" 0 "1 0 0 0"
run -e -n 'rawtp:::sched_process_free { trace(args[1]); }'
is "typed ones are refused" 1 "it has 1"
run -n 'rawtp:::sched_process_exitt'
is "a name that is not there" 1 "did you mean sched_process_exit?"
run -n 'sdt:block::sched_process_exit'
is "another group" 1 "another group"
# a program can be attached to every one of them, however few arguments it has
run -q -n 'tick-100ms { exit(0); } rawtp:::sched_*, rawtp:::signal_*, rawtp:::task_* { @[probename, arg0 ^ arg9] = count(); } END { trunc(@); }'
check "$status" "all of the scheduler, signals and tasks at once"
for kind in 'tracepoint:syscalls:sys_enter_openat tracepoints are sdt:GROUP::NAME' 'kprobe:vfs_read fbt::FUNCTION:entry' 'interval:s:1 tick-1s'; do
	run -n "${kind%% *}"
	is "another tracer's ${kind%%:*}" 1 "${kind#* }"
done
