# SPDX-License-Identifier: BSD-2-Clause
# H 2: processes without rights that map as much, and as often, as the kernel lets them. The trace ends, its counts are
# right, SIGINT is answered, and one notice tells whose names are missing.
# alone
. test/trigger/bounded.sh
. test/trigger/hostile.sh
may_trace "processes with many mappings"
tick=$(printf '\140')
notice='has too many mappings, or changes them too often'

# H 2a: return addresses that are nowhere: /proc is asked for them
attack 65400 liar 2000
limited -qn 'syscall::getppid:entry /pid == $1/ { ustack(); @ = count(); n++; } tick-10hz /n >= 1000/ { exit(0); }
    END { printa("counted %@d\n", @); printf("fired %d\n", n); }' "$victim"
[ "$status" -eq 0 ] && [ "$(sed -n 's/^counted //p' "$tmp/out")" = "$(sed -n 's/^fired //p' "$tmp/out")" ]
check $? "false return addresses in a process of 65,400 mappings: the trace ends, its count is right"
grep -q 'attacker.lie' "$tmp/out"
check $? "its addresses have names"
fits "memory" 150
peaceful

# H 2b: a process that is not traced maps and unmaps: system-wide, and with -p of another one
attack 65000 churn
start -q -n 'BEGIN { printf("ready\n"); } syscall::getppid:entry /ppid == $1/ { @[ustack()] = count(); @sum = count(); }
    syscall::getpgid:entry /ppid == $1/ { printf("called\n"); }
    END { printa("counted %@d\n", @sum); }' $$
"$calls" 100 hang &		# it lives until it is named, whatever the kernel had to leave out
one=$!
"$calls" 200 hang &
two=$!
attackers="$attackers $one $two"
waits grep -q "$notice" "$tmp/err"
check $? "one that is not traced changes its mappings all the time: the notice"
both() { [ "$(grep -c called "$tmp/out")" -eq 2 ]; }
waits both
kill -INT "$tracer"
wait "$tracer"
status=$?
is "SIGINT ends the trace, the count is right" 0 "counted 300"
grep -q 'calls.main' "$tmp/out"
check $? "the traced ones have names"
start -q -n 'BEGIN { printf("ready\n"); }' -n 'syscall::getppid:entry /pid == $target/ { @[ustack()] = count(); }
    syscall::getpgid:entry /pid == $target/ { exit(0); } END { printa(@); }' -c "$calls 300"
wait "$tracer"
status=$?
is "-c of another one" 0 "calls${tick}main"
grep -q '^ *300$' "$tmp/out" && ! grep -q "$notice" "$tmp/err"
check $? "the count is right, and nobody looks at the attacker"
peaceful
