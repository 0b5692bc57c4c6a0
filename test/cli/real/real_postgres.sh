#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PostgreSQL: functions of its backends, which the server forks (-x follow), beside what pg_stat_statements counts, and beside bpftrace at the same
# time. Nothing here depends on how fast the machine is: a part is never longer than the whole, a sleep never shorter than asked for.
# slow: left out of `make check`
# alone
. test/cli/helpers.inc
may_trace "PostgreSQL"
server= peer=
stop() { [ -n "$1" ] && kill -INT "$1" 2>/dev/null && wait "$1" 2>/dev/null; }
trap 'stop "$peer"; stop "$server"; rm -rf "$tmp"' EXIT
. test/trigger/postgres.sh
if ! postgres_found; then
	ok "PostgreSQL # SKIP no server here"
	exit 0
fi
postgres_serves -c shared_preload_libraries=pg_stat_statements || { bad "PostgreSQL: a server of our own"; exit 1; }
sql -c 'create extension pg_stat_statements' >"$tmp/err" 2>&1 || { ok "PostgreSQL # SKIP no pg_stat_statements here"; exit 0; }
{
	i=0
	while [ $i -lt 300 ]; do echo "select 7 + $i;"; i=$((i + 1)); done
	i=0
	while [ $i -lt 20 ]; do echo "select pg_sleep(0.01);"; i=$((i + 1)); done
} >"$tmp/script.sql"
chmod 644 "$tmp/script.sql"

exe=$(readlink -f "/proc/$server/exe")
if command -v bpftrace >/dev/null; then
	: >"$tmp/peer"
	bpftrace -e "BEGIN { printf(\"ready\\n\"); } uprobe:$exe:pg_sleep { @s[tid] = nsecs; } uretprobe:$exe:pg_sleep /@s[tid]/ { @t = sum(nsecs - @s[tid]); @n = count(); delete(@s[tid]); }" \
	    >"$tmp/peer" 2>&1 &
	peer=$!
	waits grep -q ready "$tmp/peer"
fi
start -q -x follow -p "$server" -n '
pid$target:postgres:standard_ExecutorRun:entry { @run[pid] = count(); }
pid$target:postgres:standard_ExecutorRun:return { @ran[pid] = count(); }
pid$target:postgres:pg_sleep:entry { self->t = timestamp; }
pid$target:postgres:pg_sleep:return /self->t/ { @t = sum(timestamp - self->t); @min = min(timestamp - self->t); @n = count(); self->t = 0; }
END { printa("run %d %@d\n", @run); printa("ran %d %@d\n", @ran); printa("sleeps %@d\n", @n); printa("time %@d\n", @t); printa("min %@d\n", @min); }
tick-10ms /!live_/ { live_ = 1; printf("ready\n"); }'
sql -c 'select pg_stat_statements_reset()' >/dev/null
sql -f "$tmp/script.sql" >/dev/null
sums=$(sql -c "select sum(calls) from pg_stat_statements where query in ('select \$1 + \$2', 'select pg_sleep(\$1)')")
usec=$(sql -c "select (total_exec_time * 1000)::bigint from pg_stat_statements where query = 'select pg_sleep(\$1)'")
kill -INT "$tracer"
wait "$tracer"
got() { sed -n "s/^$1 //p" "$tmp/out"; }
[ "${sums:-0}" -eq 320 ]
check $? "PostgreSQL counts 320 statements"
who=$(sed -n 's/^run \([0-9]*\) 320$/\1/p' "$tmp/out")
[ -n "$who" ] && grep -qx "ran $who 320" "$tmp/out"
check $? "PostgreSQL: the backend runs as many, and each comes back"
[ "$(got sleeps)" -eq 20 ] && [ "$(got min)" -ge 10000000 ]
check $? "PostgreSQL: pg_sleep(0.01), 20 times, takes 10 ms at least"
[ $(($(got time) / 1000)) -le $((usec + 20)) ]
check $? "PostgreSQL: time in it, $(($(got time) / 1000)) us, is in the server's own, $usec"
if [ -n "$peer" ]; then
	kill -INT "$peer"
	wait "$peer" 2>/dev/null
	peer=
	theirs=$(sed -n 's/^@t: //p' "$tmp/peer") times=$(sed -n 's/^@n: //p' "$tmp/peer")
	if [ "${times:-0}" -eq 20 ]; then
		ours=$(($(got time) / 1000)) theirs=$((theirs / 1000))
		[ "$theirs" -ge 200000 ] && [ "$ours" -le $((theirs * 2)) ] && [ "$theirs" -le $((ours * 2)) ]
		check $? "PostgreSQL: $ours us here, $theirs us in bpftrace"
	else
		ok "PostgreSQL: bpftrace's time # SKIP it has seen ${times:-0} calls of 20"
	fi
else
	ok "PostgreSQL: bpftrace's time # SKIP no bpftrace here"
fi
kill -0 "$server" && postgres_answers
check $? "PostgreSQL: the server lives"
exit 0
