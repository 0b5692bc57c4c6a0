#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench/pgbench.sh [BUILD [ROUNDS [TRANSACTIONS]]]: the throughput of PostgreSQL under pgbench, without a trace and with one of its servers
# by each engine: heap_update() entry and return, which must be as many as pgbench's transactions, and all functions that allocate. Medians
# of ROUNDS, of 2 clients with TRANSACTIONS each. Status 77 where there is no server here, not root, or tracing is not permitted.
cd "$(dirname "$0")/.." || exit 2
. bench/bench.inc
. test/trigger/postgres.sh
build=${1:-build} rounds=${2:-3} transactions=${3:-3000}
needs "$build" dtrace
dtrace=$build/dtrace
may_trace "$dtrace"
[ "$(id -u)" -eq 0 ] && postgres_found || stop 77 "skipped: no PostgreSQL with pgbench here, or not root"
waits() { for _ in $(seq 2400); do ! "$@" || return 0; sleep 0.05; done; return 1; }
ended() { ! kill -0 "$1" 2>/dev/null; }
server=
trap '[ -z "$server" ] || { kill -INT $server; wait $server; }; rm -rf "$tmp"' EXIT
postgres_serves || fail "a server of our own" "$tmp/err"
as_user "$bin/pgbench" -h "$db" -i -q -n postgres >"$tmp/err" 2>&1 || fail "pgbench -i" "$tmp/err"

# The clients wait for a lock in their first statement, until their servers are traced.
printf '%s\n' 'select pg_advisory_lock_shared(1);' 'select pg_advisory_unlock_shared(1);' '\set aid random(1, 100000)' \
    'update pgbench_accounts set abalance = abalance + 1 where aid = :aid;' >"$tmp/bench.sql"
chmod 644 "$tmp/bench.sql"
waiting() { sql -c "select pid from pg_stat_activity where query like 'select pg_advisory_lock_shared%' and wait_event_type = 'Lock'"; }
both_wait() { [ "$(waiting | wc -l)" -eq 2 ]; }
clauses() {
	printf 'BEGIN { printf("ready\\n"); }\n'
	for pid in $(waiting); do
		echo "pid$pid:postgres:heap_update:entry { @e = count(); } pid$pid:postgres:heap_update:return { @r = count(); } pid$pid:postgres:*Alloc*:entry { @a = count(); }"
	done
	printf 'END { printa("entry %%@d\\n", @e); printa("return %%@d\\n", @r); printa("alloc %%@d\\n", @a); }\n'
}
ready() { grep -q ready "$tmp/trace" || ended "$tracer"; }
exact() { grep -qx "entry $((2 * transactions))" "$tmp/trace" && grep -qx "return $((2 * transactions))" "$tmp/trace"; }
# once ENGINE: transactions a second; "none": without a trace
once() {
	rm -f "$tmp/lock" && mkfifo "$tmp/lock"
	sql <"$tmp/lock" >"$tmp/locked" 2>&1 &
	holder=$!
	exec 6>"$tmp/lock"
	echo "select pg_advisory_lock(1); select 'held';" >&6
	waits grep -q held "$tmp/locked"
	as_user "$bin/pgbench" -h "$db" -n -c 2 -j 1 -t "$transactions" -f "$tmp/bench.sql" postgres >"$tmp/bench" 2>&1 6>&- &
	clients=$!
	waits both_wait
	tracer=
	if [ "$1" != none ]; then
		clauses >"$tmp/trace.d"
		: >"$tmp/trace"
		"$dtrace" -x engine="$1" -x switchrate=20ms -qs "$tmp/trace.d" >"$tmp/trace" 2>"$tmp/err" 6>&- &
		tracer=$!
		waits ready
	fi
	began=$(date +%s%N)
	echo "select pg_advisory_unlock(1);" >&6
	wait $clients
	took=$(($(date +%s%N) - began))
	exec 6>&-
	wait $holder
	if [ -n "$tracer" ]; then
		kill -INT "$tracer" 2>/dev/null
		wait "$tracer"
		exact || { head -n 4 "$tmp/trace" "$tmp/err" >"$tmp/$1.err"; return; }
		sed -n 's/^alloc //p' "$tmp/trace" >"$tmp/allocs"
	fi
	awk -v n=$((2 * transactions)) -v ns="$took" 'BEGIN { printf "%.0f\n", n * 1e9 / ns }'
}
once none >/dev/null	# the server has read its tables
# rounds of each in turn, so that what else runs here disturbs all of them
for _ in $(seq "$rounds"); do
	for engine in none process kernel; do
		once $engine >>"$tmp/$engine.tps"
	done
done
none=$(figure "pgbench" "$(median <"$tmp/none.tps")" "$tmp/bench") || exit
echo "probes that fire in a transaction: $(awk -v n=$((2 * transactions)) '{ printf "%.1f", $1 / n + 2 }' "$tmp/allocs")"
printf '%-12s %8s transactions/s\n' untraced "$none"
for engine in process kernel; do
	tps=$(figure "engine $engine (all transactions counted)" "$(median <"$tmp/$engine.tps")" "$tmp/$engine.err") || exit
	awk -v e="$engine" -v a="$tps" -v b="$none" 'BEGIN { printf "%-12s %8s transactions/s, %.0f%% of untraced\n", e, a, a * 100 / b }'
done
