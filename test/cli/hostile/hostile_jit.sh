# SPDX-License-Identifier: BSD-2-Clause
# H 1d, H 3c: perf maps of many megabytes, touched all the time, of several processes. Their memory is that of
# -x namesize, the trace ends, its counts are right.
# alone
. test/trigger/bounded.sh
. test/trigger/hostile.sh
may_trace "large perf maps"
tick=$(printf '\140')

for n in 1 2 3 4; do
	attack 0 jit 32000
	pids="$pids $victim"
done
set -- $pids
limited -x namesize=64m -qn 'syscall::getppid:entry /pid == $1 || pid == $2 || pid == $3 || pid == $4/
    { @[ustack(1)] = count(); @sum = count(); @by[pid] = count(); n++; } tick-1s /n >= 200/ { exit(0); }
    syscall::getppid:entry /pid == $1 && n % 10 == 0/ { ustack(1); }
    END { printa("counted %@d\n", @sum); printa("process %d %@d\n", @by); }' "$@"
[ "$status" -eq 0 ] && awk '$1 == "counted" { sum = $2 } $1 == "process" { n++; all += $3 }
    END { exit(!(n == 4 && sum >= 200 && sum == all)) }' "$tmp/out"
check $? "four maps of 32 MB, touched all the time: the trace ends, its count is right"
fits "memory stays below 64 MB and as much again" 128
grep -q "perf-$1.map${tick}jit_made" "$tmp/out"
check $? "names at the beginning of a map are there"
grep -q 'perf map of process [0-9]* is too large for -x namesize' "$tmp/err"
check $? "and the notice"
peaceful
