# SPDX-License-Identifier: BSD-2-Clause
# pgslower, pglocks: a server of our own, statements that sleep, and a table that one transaction keeps from another.
# slow: left out of `make check`
. test/trigger/tools.sh
may_trace "tools for PostgreSQL"
server=
trap '[ -n "$server" ] && kill -INT "$server" 2>/dev/null && wait "$server" 2>/dev/null; rm -rf "$tmp"' EXIT
. test/trigger/postgres.sh
if ! postgres_found; then
	ok "tools for PostgreSQL # SKIP no server here"
	exit 0
fi
postgres_serves || { bad "PostgreSQL: a server of our own"; exit 1; }
if ! listed 'postgresql*:::query-start'; then
	ok "tools for PostgreSQL # SKIP this server has no static probes"
	exit 0
fi
watch pgslower "" 50
sql -c 'select 1' >/dev/null
sql -c "select pg_sleep(0.06), 'mark-$$'" >/dev/null
waits grep -q "mark-$$" "$tmp/out"
finish
row "the slow statement" "^ *[0-9]+\.[0-9]{3} +[0-9]+ +[0-9]+\.[0-9]{3} select pg_sleep\(0\.06\), 'mark-$$'$"
value "its time" "$(awk -v m="mark-$$" 'index($0, m) { print int($3) }' "$tmp/out")" 60 1000000
value "the fast one is not shown, but counted" "$(awk '/all statements/ { print $6 }' "$tmp/out")" 2 100
grep -q '[0-9] select 1$' "$tmp/out"
check $((!$?)) "pgslower: a fast statement has no line"

# A transaction keeps the table until the other has waited: pg_locks tells.
sql -c 'create table fought (n int)' -c 'insert into fought values (1)' >/dev/null
oid=$(sql -c "select 'fought'::regclass::oid")
mkfifo "$tmp/in" && chmod 666 "$tmp/in"
held() { [ "$(sql -c "select count(*) from pg_locks where relation = $oid and granted")" -ge 1 ]; }
waiting() { [ "$(sql -c "select count(*) from pg_locks where not granted")" -eq 1 ]; }
fight() {	# HOLDS WAITS: two statements
	watch pglocks
	as_user "$bin/psql" -qAtX -h "$db" postgres <"$tmp/in" >/dev/null 2>"$tmp/err" &
	holder=$!
	exec 9>"$tmp/in"
	echo "begin; $1;" >&9
	waits held
	sql -c "$2" >/dev/null 9>&- &
	reader=$!
	waits waiting
	echo "commit;" >&9
	exec 9>&-
	wait $reader
	wait $holder
	finish
}
fight "update fought set n = 2" "update fought set n = 3"
row "the end of a transaction" "^transaction +Share +1 +[0-9]+ [0-9]+$"
fight "lock table fought in access exclusive mode" "select * from fought"
row "P9: the reader waited once, for a lock with a name" "^relation +AccessShare +1 +[0-9]+ $oid in database [0-9]+$"
exit 0
