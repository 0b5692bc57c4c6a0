#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# 50 threads (PROBE_THREADS) call a function while probes on it come and go 1,000 times (PROBE_ROUNDS): the process goes on, each value
# is right, and what is counted between attaching and detaching has no gap and nothing twice.
# slow: left out of `make check`
# alone
. test/cli/helpers.inc
may_trace "probes that come and go"
rounds=${PROBE_ROUNDS:-1000} threads=${PROBE_THREADS:-50}
mkfifo "$tmp/go"
"${BUILD:-build}/test/provider_pid_threads" $threads 2000 <"$tmp/go" >"$tmp/victim" 2>&1 &
victim=$!
exec 9>"$tmp/go"
waits grep -q up "$tmp/victim" || { bad "$threads threads"; exit 1; }

# Calls of a thread are numbered: the numbers that a probe saw are as many as from the lowest to the highest.
D='pid$target::work:entry { @n[arg0] = count(); @lo[arg0] = min(arg1); @hi[arg0] = max(arg1); }
pid$target::work:return { @r[arg1 / 1000003] = count(); @rlo[arg1 / 1000003] = min(arg1 % 1000003); @rhi[arg1 / 1000003] = max(arg1 % 1000003); }
tick-20ms { exit(0); }
END { printa("entry %d %@d %@d %@d\n", @n, @lo, @hi); printa("return %d %@d %@d %@d\n", @r, @rlo, @rhi); }'
done=0 failed=0 seen=0
while [ $done -lt "$rounds" ] && [ $failed -eq 0 ]; do
	run -q -x switchrate=5ms -p "$victim" -n "$D" 9>&-
	[ "$status" -eq 0 ] || failed=1
	awk '$5 - $4 + 1 != $3 && NF == 5 { bad = 1 } $1 == "entry" { seen += $3 } END { print seen + 0; exit bad }' "$tmp/out" >"$tmp/seen" || failed=1
	seen=$((seen + $(cat "$tmp/seen")))
	done=$((done + 1))
	kill -0 "$victim" 2>/dev/null || failed=1
done
[ $failed -eq 0 ]
check $? "$done times attached and detached, no gap in $seen calls"
exec 9>&-
wait "$victim"
check $? "the process ended by itself"
cat "$tmp/victim" >"$tmp/out"
grep -q "^joined $threads wrong 0 " "$tmp/victim"
check $? "no thread is lost and no value wrong"
[ "$seen" -gt 0 ] && [ "$(sed -n 's/.*calls //p' "$tmp/victim")" -ge "$seen" ]
check $? "no more was counted than was called"
