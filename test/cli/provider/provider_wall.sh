# SPDX-License-Identifier: BSD-2-Clause
# wall-n: a program whose threads wait in known functions (test/trigger/waits.c), each seen once in every pass, with its own numbers,
# state and stacks; one that never waits; filters; what can only be had of the thread that runs is refused.
. test/cli/helpers.inc
may_trace "wall probes"
mkfifo "$tmp/in"
"${BUILD:-build}/test/waits" 3 4 5 1 <"$tmp/in" >"$tmp/waits" &
waits=$!
exec 3>"$tmp/in"
trap 'kill $waits 2>/dev/null; rm -rf "$tmp"' EXIT
waits grep -q ready "$tmp/waits"

# A pass is over when the main thread is seen again: passes are counted by it.
run -qn '
profile:::wall-10ms /pid == '$waits' && tid == pid/ { passes++; }
profile:::wall-10ms /pid == '$waits'/ { @all[tid, curlwpsinfo->pr_sname] = count(); @at[ustack(12)] = count(); @k[stack(1)] = count(); }
profile:::wall-10ms /pid == '$waits' && passes == 20/ { exit(0); }
END { printf("passes %d\n", passes); printa("thread %d %c %@d\n", @all); printa("%k%@d seen\n", @at); }'
check "$status" "a trace"
# seen TEXT: how often a stack with that function
seen() { awk -v f="$1" '/`|^ *[a-z].*\+0x/ { if (index($0, "`" f "+")) on = 1 } / seen$/ { if (on) n += $1; on = 0 } END { print n + 0 }' "$tmp/out"; }
# of the last pass only a part may have been seen
near() { [ "$2" -ge $((19 * $3)) ] && [ "$2" -le $((21 * $3)) ]; check $? "$1: $2 times in 20 passes"; }
near "3 threads in pthread_mutex_lock()" "$(seen in_mutex)" 3
near "4 threads in read()" "$(seen in_read)" 4
near "5 threads in nanosleep()" "$(seen in_sleep)" 5
# on a CPU or waiting for one; a clock of its own finds it there, which is not in step with the passes
[ "$(seen in_loop)" -gt 0 ]
check $? "the thread that never waits: $(seen in_loop) times"
same "all 14 threads" "$(awk '$1 == "thread" { print $2 }' "$tmp/out" | sort -u | wc -l)" 14
for task in /proc/"$waits"/task/*; do
	awk -v tid="${task##*/}" '{ sub(/.*\) /, ""); print tid, $1 == "R" ? "R" : "S" }' "$task/stat"
done | sort >"$tmp/proc"
awk '$1 == "thread" { print $2, $3 == "S" ? "S" : "R" }' "$tmp/out" | sort -u >"$tmp/states"
cmp -s "$tmp/proc" "$tmp/states"
check $? "states are those of /proc"
# threads that wait at one place have one stack
same "stacks of threads that wait" "$(grep -c "${tick:-\`}in_[mrs][a-z]*+" "$tmp/out")" 3

run -q -p "$waits" -n '
profile:::wall-50ms { @n = count(); @who[pid, ppid, uid, gid, execname, curpsinfo->pr_psargs, cpu >= 0] = count(); }
profile:::wall-50ms /tid == pid/ { printf("pc %d\n", uregs[R_PC] != 0); self->seen++; printf("self %d\n", self->seen); }
profile:::wall-50ms /tid == pid && self->seen == 3/ { printf("passed\n"); exit(0); }
END { printa("who %d %d %d %d %s [%s] %d\n", @who); }'
is "self-> belongs to the thread" 0 "self 3"
is "-p chooses the process, and variables are about it" 0 "who $waits $$ $(id -u) $(id -g) waits [${BUILD:-build}/test/waits 3 4 5 1] 1"
same "no other process" "$(grep -c '^who' "$tmp/out")" 1
is "user registers" 0 "pc 1"

# a pass over the whole machine: every thread that sleeps all the time is there
run -qn 'profile:::wall-50ms { @[pid] = count(); } profile:::wall-50ms /progenyof('$waits') && tid == pid && n++ == 2/ { exit(0); } END { printa("%d\n", @); }'
grep -qx "$waits" "$tmp/out" && grep -qx "$$" "$tmp/out" && [ "$(wc -l <"$tmp/out")" -ge 3 ]
check $? "all processes"

is "vtimestamp is refused" 1 "se.sum_exec_runtime is its run time" -n 'profile:::wall-1s { trace(vtimestamp); }'
is "raise() is refused" 1 "signals go to the process that runs" -wn 'profile:::wall-1s { raise(9); }'
is "copyinstr() is refused" 1 "copyin( ) reads bytes" -n 'profile:::wall-1s { trace(copyinstr(uregs[R_SP])); }'
is "arrays of self-> are refused" 1 "use an array with the key tid" -n 'profile:::wall-1s { self->a[1] = 1; }'
is "goid is refused" 1 "goid reads memory of the process that runs" -n 'profile:::wall-1s { trace(goid); }'
is "the kernel's own walk is refused" 1 "walked by tables alone" -x unwind=fp -n 'profile:::wall-1s { ustack(); }'
is "rates are those of profile-n" 1 "every 200us" -n 'profile:::wall-10000 { }'
