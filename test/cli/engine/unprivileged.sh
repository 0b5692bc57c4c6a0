# SPDX-License-Identifier: BSD-2-Clause
# What an ordinary user can do, without any capability: list, compile, ask --doctor, and trace the user's own processes with the engine
# in the process. What needs the kernel says so, and what to do.
. test/cli/helpers.inc
build=${BUILD:-build}
. test/trigger/ordinary_user.sh
ordinary_user "an ordinary user" "$build/test/hits" "$build/test/usdt_sites"
rights='DTrace requires additional privileges'

# ---- what needs no engine ----
is "-e" 0 "" -e -n 'syscall::openat:entry { trace(copyinstr(arg1)); } sched:::on-cpu { trace(curpsinfo->pr_fname); }'
is "-e finds an error" 1 "failed to resolve exename" -e -n 'BEGIN { trace(exename); }'
run -l
[ $status -eq 0 ] && grep -q ' syscall .* read entry$' "$tmp/out" && grep -q 'dtrace .* BEGIN$' "$tmp/out" && grep -q ' profile .* tick-1' "$tmp/out"
check $? "-l"
[ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q "to enable them, $rights (run it as root" "$tmp/err"
check $? "-l: one line says what enabling takes"
run -lc "$tmp/hits call 1" -n 'pid$target:hits:hits_*:entry'
[ $status -eq 0 ] && [ "$(grep -c ' hits .*entry$' "$tmp/out")" -eq 5 ] && [ ! -s "$tmp/err" ]
check $? "-l: functions of a command"
run -lc "$tmp/usdt_sites 1" -n 'usdtsites$target:::'
grep -q ' usdtsites[0-9]* .* start$' "$tmp/out" && [ ! -s "$tmp/err" ]
check $? "-l: its static probes"
: >"$tmp/own" && chmod 666 "$tmp/own"
{ as sh -c 'echo $$ >"$0"; exec sleep 1000' "$tmp/own"; } 2>/dev/null &
waits test -s "$tmp/own"
own=$(cat "$tmp/own")
waits sh -c "[ \"\$(cat /proc/$own/comm)\" = sleep ] && grep -q libc /proc/$own/maps"
trap 'kill $own 2>/dev/null; rm -rf "$tmp"' EXIT
run -lp $own -n 'pid$target:libc*:nanosleep:entry'
grep -q ' pid.* nanosleep entry$' "$tmp/out"
check $? "-l: functions of a process of the user"
run -lvn 'syscall::openat:entry'
grep -q 'args\[0\]: int' "$tmp/out"
check $? "-lv: types of arguments"
run -lp 1 -n 'pid$target:libc*:nanosleep:entry'
grep -q 'process 1 cannot be looked at: run dtrace as root\|failed to grab' "$tmp/err"
check $? "-l: a process of another user"
run --doctor
grep -q '^CAP_BPF  *no ' "$tmp/out" && grep -q '^eBPF programs  *no ' "$tmp/out" && grep -q '^ptrace_scope 0  *\(yes\|no\) ' "$tmp/out" &&
    grep -q '^perf_event_paranoid' "$tmp/out" && grep -q '^the engine process  *\(yes\|no\) ' "$tmp/out"
check $? "--doctor: rows about rights and processes"
case $status in
0) grep -q "^The user's own processes can be traced" "$tmp/out" && grep -q '^the engine process  *yes' "$tmp/out" ;;
*) grep -q '^Nothing can be traced here' "$tmp/out" && grep -q '^the engine process  *no' "$tmp/out" ;;
esac
check $? "--doctor: the last line and the status"
printf '1 syscall::read:entry pid=1 3\n' >"$tmp/events" && chmod 644 "$tmp/events"
is "--replay" 0 "engine replay: asked for" --replay "$tmp/events" -vqn 'syscall::read:entry { trace(arg0); }'

# ---- what needs the kernel ----
for probe in syscall:::entry profile-97 proc:::exec io:::start; do
	is "$probe" 1 "$rights (run it as root, or with CAP_BPF" -qn "$probe { exit(0); }"
done
is "engine=kernel" 1 "$rights" -qx engine=kernel -n 'BEGIN { exit(0); }'
is "-c with a probe of the kernel" 1 "$rights" -qc "touch $tmp/touched" -n 'proc:::exit { }'
[ ! -e "$tmp/touched" ]
check $? "-c: the command has not run"
is "engine=process with a probe of the kernel" 1 "syscall:vmlinux:read:entry fires in any process (name some with -p or -c); run as root, with -x engine=kernel" \
    -qx engine=process -n 'syscall::read:entry { exit(0); }'

# ---- the user's own processes ----
run -qn 'BEGIN { exit(0); }'
if grep -q "$rights" "$tmp/err"; then
	ok "own processes # SKIP the engine process is not in this build"
	exit 0
fi
check $status "BEGIN"
is "system calls of a command alone: a notice" 0 "syscall:vmlinux:write:entry: only the processes of -p and -c are traced, because there are no rights" -c "true" -n 'syscall::write:entry { @ = count(); }'
run -qc true -n 'syscall::write:entry { @ = count(); }'
# of x86-64 some instructions cannot be patched, which is always said
[ "$status" -eq 0 ] && ! grep -qv 'of [0-9]* probes could not be enabled' "$tmp/err"
check $? "… none with -q"
is "-v" 0 "dtrace: engine process: there are no rights to trace the kernel" -vqn 'BEGIN { exit(0); }'
is "syscall: what can be done without rights" 1 "syscall:vmlinux:read:entry fires in any process (name some with -p or -c): $rights" -qn 'syscall::read:entry { exit(0); }'
grep -q 'what needs none: probes of the user.s own processes' "$tmp/err"
check $? "syscall: the sentence says so"
is "curthread" 1 "curthread, a variable of the kernel alone" -qn 'BEGIN { trace(curthread); }'
run -qn 'BEGIN { exit(3); }'
same "the status of exit()" $status 3
is "tick" 0 "ticks 3" -qn 'tick-10ms { n++; } tick-10ms /n == 3/ { printf("ticks %d\n", n); exit(0); }'
is "variables, aggregations, strings" 0 "ab 2 3" -qn 'BEGIN { s = strjoin("a", "b"); x[s] = 2; @ = sum(3); printf("%s %d ", s, x[s]); printa("%@d\n", @); exit(0); }'
run -qc /bin/ls -n 'pid$target:libc.so.6::entry { @[probefunc] = count(); } END { trunc(@, 5); }'
[ $status -eq 0 ] && [ "$(awk 'NF == 2 && $2 ~ /^[0-9]+$/' "$tmp/out" | wc -l)" -eq 5 ]
check $? "all functions of libc, of /bin/ls"
is "every call is counted" 0 "calls 21000" -qc "$tmp/hits call 20000" -n 'pid$target:hits:hits_call:entry { @ = count(); } END { printa("calls %@d\n", @); }'
is "every return" 0 "returns 21000" -qc "$tmp/hits call 20000" -n 'pid$target:hits:hits_call:return { @ = count(); } END { printa("returns %@d\n", @); }'
is "arguments and values" 0 "same 1251" -qc "$tmp/hits call 19000" -n 'pid$target:hits:hits_call:entry { self->a = arg0; } pid$target:hits:hits_call:return /self->a == arg1 && arg1 == 7/ { @ = count(); } END { printa("same %@d\n", @); }'
run -qc "$tmp/hits call 20000" -n 'pid$target:hits:hits_call:entry { self->t = timestamp; } pid$target:hits:hits_call:return /self->t/ { @ = quantize(timestamp - self->t); self->t = 0; }'
[ $status -eq 0 ] && [ "$(awk '/\|/ { n += $NF } END { print n }' "$tmp/out")" -eq 21000 ]
check $? "a timing pair"
is "static probes" 0 "sites 10 200 9000" -qc "$tmp/usdt_sites 10" -n 'usdtsites$target:::values { n++; b = arg1; l = arg2; } END { printf("sites %d %d %d\n", n, b, l); }'
is "is-enabled" 0 "rounds 10 enabled 10" -qc "$tmp/usdt_sites 10" -n 'usdtsites$target:::costly { }'
is "its strings" 0 "odd 5" -qc "$tmp/usdt_sites 10" -n 'usdtsites$target:::values /copyinstr(arg3) == "odd"/ { @ = count(); } END { printa("odd %@d\n", @); }'
run -qc "$tmp/hits text 1000" -n 'pid$target:hits:hits_address:entry { @[copyinstr(arg0)] = count(); } ERROR { @e = count(); } END { printa("%s %@d\n", @); printa("faults %@d\n", @e); }'
[ $status -eq 0 ] && grep -q '^a text 1000$' "$tmp/out" && grep -q '^faults 1000$' "$tmp/out" && grep -q '^[0-9][0-9.]*$' "$tmp/out"
check $? "a bad address is a fault, and the program goes on"
is "ustack()" 0 'hits`hits_call' -qc "$tmp/hits call 10" -n 'pid$target:hits:hits_call:entry { ustack(); }'
case $(uname -m) in
x86_64) echo "ok - ustack(): callers # SKIP compilers leave out the frame pointers that are followed" ;;
*) grep -q 'hits`main\|libc.*start' "$tmp/out"; check $? "ustack(): callers" ;;
esac
run -qc "$tmp/hits call 10" -n 'pid$target:hits:hits_call:entry /!n++/ { printf("ppid %d progeny %d %d %d nspid %d cwd %s args %s env %d\n", ppid == $pid, progenyof($target), progenyof($pid), progenyof(4194303), nspid == tid, cwd, execargs, strlen(execenv) > 0); }'
is "ppid, progenyof(), nspid, cwd, execargs, execenv" 0 "ppid 1 progeny 1 1 0 nspid 1 cwd $(pwd) args $tmp/hits call 10 env 1"
is "progenyof() in BEGIN: dtrace itself" 0 "own 1 target 0 ppid 1" -qc "$tmp/hits call 1" -n 'BEGIN { printf("own %d target %d ppid %d\n", progenyof(pid), progenyof($target), ppid > 0); }'
run -qc "$tmp/hits call 20000" -n 'self uint64_t v, t, s; pid$target:hits:hits_call:entry { @["later"] = max(self->v > vtimestamp); this->v = vtimestamp; @["one"] = max(this->v != vtimestamp); self->v = this->v; self->t = self->t ? self->t : timestamp; self->s = self->s ? self->s : this->v; }
END { printa("%s %@d\n", @); } pid$target:hits:hits_call:return { @["less"] = max(vtimestamp - self->s > timestamp - self->t + 1000000); }'
[ $status -eq 0 ] && grep -qx 'later 0' "$tmp/out" && grep -qx 'one 0' "$tmp/out" && grep -qx 'less 0' "$tmp/out"
check $? "vtimestamp: grows, is one value in a firing, and no more than the time that passed"
run -qx childstatus -c "$tmp/hits call 1" -n 'pid$target:hits:hits_call:entry { }'
same "the status of the command" $status 5
run -qp $own -n 'pid$target:libc*:nanosleep:entry { } BEGIN { exit(4); }'
[ $status -eq 4 ] && kill -0 $own
check $? "-p: attached, ended, and the process goes on"
