# SPDX-License-Identifier: BSD-2-Clause
# proc: a life with known events (test/trigger/provider_life.c), every one with its arguments; and their order.
. test/cli/helpers.inc
may_trace "proc probes"
life=${BUILD:-build}/test/provider_life

cat >"$tmp/life.d" <<'EOF'
#pragma D option quiet
proc:::create /pid == $target/ { printf("create %d\n", args[0]->pr_pid); }
proc:::lwp-create /pid == $target/ { printf("lwp-create %d %d\n", args[1]->pr_pid, args[0]->pr_lwpid); }
proc:::exit /pid == $target || ppid == $target/ { printf("exit %d %d\n", pid, args[0]); }
proc:::lwp-exit /pid == $target || ppid == $target/ { printf("lwp-exit %d\n", pid); }
proc:::exec /ppid == $target/ { printf("exec %s\n", args[0]); }
proc:::exec-failure /ppid == $target/ { printf("exec-failure %d\n", args[0]); }
proc:::exec-success /ppid == $target/ { printf("exec-success\n"); }
proc:::fault /ppid == $target/ { printf("fault %d\n", args[0]); }
proc:::signal-send /pid == $target || ppid == $target/ { printf("signal-send %d %d\n", args[1]->pr_pid, args[2]); }
proc:::signal-discard /args[1]->pr_pid == $target/ { printf("signal-discard %d %d\n", args[1]->pr_pid, args[2]); }
proc:::signal-handle /pid == $target/ { printf("signal-handle %d %d\n", args[0], args[2] != 0); }
proc:::signal-clear /pid == $target/ { printf("signal-clear %d\n", args[0]); }
EOF
run -s "$tmp/life.d" -o "$tmp/got" -c "$life"
check "$status" "a life is traced"
for what in create lwp-create lwp-exit exit exec exec-failure exec-success fault signal-send signal-discard signal-handle signal-clear; do
	grep "^$what\( \|\$\)" "$tmp/out" | sort >"$tmp/wanted"
	grep "^$what\( \|\$\)" "$tmp/got" | sort >"$tmp/have"
	diff "$tmp/wanted" "$tmp/have" >"$tmp/err"
	check $? "proc:::$what: $(grep -c . "$tmp/wanted")"
done

# P10: arguments and environment of the program that is about to run, and of the one that runs
printf 'exec env -i A=1 LONG_NAME=two /bin/true one "t  wo" ""\n' >"$tmp/env.sh"
run -qn 'proc:::exec /pid == $target && args[0] == "/bin/true"/ { printf("exec [%s] [%s]\n", args[1], args[2]); }
	syscall::execve:entry /pid == $target && copyinstr(arg0) == "/bin/true"/ { printf("call [%s] [%s]\n", copyinargv(arg1), copyinargv(arg2)); }
	proc:::exec-success /pid == $target && execname == "true"/ { printf("runs [%s] [%s]\n", execargs, execenv); }' -c "sh $tmp/env.sh"
for what in exec call runs; do
	is "argv and envp: $what" 0 "$what [/bin/true one t  wo ] [A=1 LONG_NAME=two]"
done

# In one thread: lwp-exit, then exit, whatever the order in the program; after exec one of failure and success.
run -q -c "$life" -n '
self int gone, exec, fault; int born[int], wrong;
proc:::exit /pid == $target || ppid == $target/ { exits++; wrong += !self->gone; }
proc:::lwp-exit /pid == $target || ppid == $target/ { self->gone = 1; }
proc:::exec /ppid == $target/ { wrong += self->exec; self->exec = 1; execs++; }
proc:::exec-failure, proc:::exec-success /ppid == $target/ { wrong += !self->exec; self->exec = 0; execs--; }
proc:::signal-send /ppid == $target && args[2] == SIGSEGV/ { wrong += !self->fault; }
proc:::fault /ppid == $target/ { self->fault = args[0]; }
proc:::create /pid == $target/ { born[args[0]->pr_pid] = 1; }
proc:::exit /ppid == $target/ { wrong += !born[pid]; }
END { printf("exits %d, execs open %d, wrong %d\n", exits, execs, wrong); }'
is "the order of proc probes" 0 "exits 7, execs open 0, wrong 0"

if listed 'proc:::start'; then
	run -q -c "$life" -n '
	self int began; int made[int], wrong, starts, lwps, creates;
	proc:::create /pid == $target/ { made[args[0]->pr_pid] = 1; creates++; }
	proc:::start /ppid == $target/ { starts++; wrong += !made[pid]; self->began = 1; }
	proc:::lwp-start /ppid == $target && pid == tid/ { wrong += !self->began; self->began = 0; lwps++; }
	END { printf("%d missing, %d missing, wrong %d\n", creates - starts, creates - lwps, wrong); }'
	is "create, start, lwp-start: in this order, for every child" 0 "0 missing, 0 missing, wrong 0"
else
	run -n 'proc:::start'
	is "a probe that is not there says why" 1 "schedule_tail"
fi
# S B5, P 4.9: who was killed by what, with and without a core; a process of several threads is killed once. Stops and what is ignored are not told.
cat >"$tmp/kill.sh" <<'DONE'
ulimit -c 0
kill -WINCH $$
kill -$1 $$
DONE
for what in USR1:10 KILL:9 TERM:15 SEGV:11; do
	run -qn 'proc:::signal-handle /pid == $target && args[2] == 0/ { printf("%s handles %d by %x\n", execname, args[0], args[2]); }' -c "sh $tmp/kill.sh ${what%:*}"
	[ "$(grep -c handles "$tmp/out")" -eq 1 ] && is "proc:::signal-handle of SIG${what%:*}, by default" 0 "sh handles ${what#*:} by 0" ||
	    bad "proc:::signal-handle of SIG${what%:*}, once"
done
if [ -x /usr/bin/python3 ]; then
	cat >"$tmp/threads.py" <<'DONE'
import os, signal, threading, time
for _ in range(3):
    threading.Thread(target=time.sleep, args=(1000,)).start()
os.kill(os.getpid(), signal.SIGTERM)
DONE
	run -qn 'int n; proc:::signal-handle /pid == $target && args[2] == 0/ { n++; last = args[0]; } END { printf("%d of %d\n", n, last); }' -c "/usr/bin/python3 $tmp/threads.py"
	is "four threads are killed by one signal" 0 "1 of 15"
	sed -i s/SIGTERM/SIGSEGV/ "$tmp/threads.py"
	run -qn 'int n; proc:::signal-handle /pid == $target && args[2] == 0/ { n++; last = args[0]; } END { printf("%d of %d\n", n, last); }' -c "/usr/bin/python3 $tmp/threads.py"
	is "and by one with a core" 0 "1 of 11"
else
	ok "several threads # SKIP no python3"
fi
run -lvn 'proc:::signal-send'
is "-lv: translated arguments" 0 "args[1]: psinfo_t *"
