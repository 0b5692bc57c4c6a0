# SPDX-License-Identifier: BSD-2-Clause
# N23, N24: everything one firing adds is in one snapshot, and a printa(), clear() or trunc() in a probe sees the
# aggregations as they were when the probe fired: random programs under load, every row checked (test/trigger/snapshots.c).
# SNAPSHOT_RUNS programs, from SNAPSHOT_SEED on.
# slow: left out of `make check`
# alone
. test/trigger/exact_run.sh
may_trace "rows that add up"
runs=${SNAPSHOT_RUNS:-40} seed=${SNAPSHOT_SEED:-$(date +%s)} i=0 failed=0
while [ $i -lt "$runs" ]; do
	i=$((i + 1))
	if ! "${BUILD:-build}/test/snapshots" "$dtrace" $((seed + i)) >"$tmp/run" 2>"$tmp/err"; then
		failed=$((failed + 1))
		head -n 8 "$tmp/run"
	fi
done
if [ $failed -eq 0 ]; then ok "$runs programs from seed $seed: every row adds up and belongs to its tick"; else bad "$failed of $runs programs have wrong rows"; fi

# N23: what a steady writer did is in the table of its own tick, also when ticks are faster than records are read.
"$dtrace" -qn 'tick-10ms { @ = count(); } tick-200ms { printa("%@d\n", @); clear(@); } tick-1100ms { exit(0); }' >"$tmp/out" 2>"$tmp/err"
if [ "$(awk 'NF && $1 < 1' "$tmp/out" | wc -l)" -eq 0 ] && [ "$(wc -l <"$tmp/out")" -ge 5 ]; then
	ok "tick-200ms shows what came since the tick before"
else
	bad "tick-200ms: $(tr '\n' ' ' <"$tmp/out")"
fi

# A clause sees what its own firing has added, in earlier clauses too; a clear() empties what was there at its moment.
got=$("$dtrace" -qn 'BEGIN { @ = sum(7); printa("%@d ", @); clear(@); } BEGIN { @ = sum(5); printa("%@d ", @); }
    BEGIN { printa("%@d ", @); trunc(@); @ = sum(2); } BEGIN { @ = sum(1); printa("%@d ", @); exit(0); }' 2>"$tmp/err")
if [ "$got" = "7 5 5 3 " ]; then ok "clauses of one firing in their order"; else bad "clauses of one firing in their order: $got"; fi
