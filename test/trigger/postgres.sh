# SPDX-License-Identifier: BSD-2-Clause
# Sourced after helpers.inc: a PostgreSQL of our own, in $db, as the user $as, with its programs in $bin. postgres_found: is it
# installed? postgres_serves OPTIONS…: starts it as $server; false: $tmp/err says why not. as_user COMMAND…, sql ARGS…: as
# that user; postgres_answers: it lives.
# shellcheck shell=sh disable=SC2154
bin= as= db=$tmp/db
as_user() { setpriv --reuid "$as" --regid "$(id -g "$as")" --clear-groups "$@"; }
sql() { as_user "$bin/psql" -qAtX -h "$db" postgres "$@"; }

postgres_found() {
	for dir in /usr/lib/postgresql/*/bin; do
		[ -x "$dir/postgres" ] && [ -x "$dir/psql" ] && [ -x "$dir/pgbench" ] && bin=$dir
	done
	for user in postgres nobody; do
		id "$user" >/dev/null 2>&1 && as=$user && break
	done
	[ -n "$bin" ] && [ -n "$as" ] && command -v setpriv >/dev/null
}

postgres_answers() { as_user "$bin/pg_isready" -q -h "$db" >/dev/null 2>&1; }
postgres_settled() { postgres_answers || ended "$server"; }

postgres_serves() {
	mkdir "$db" && chmod 755 "$tmp" && chown "$as" "$db"
	as_user "$bin/initdb" -D "$db/data" -A trust -N >"$tmp/err" 2>&1 || return 1
	# the pid is the server's: setpriv becomes it, a function of the shell would not
	setpriv --reuid "$as" --regid "$(id -g "$as")" --clear-groups "$bin/postgres" -D "$db/data" -k "$db" -c listen_addresses= \
	    -c fsync=off -c autovacuum=off -c jit=off "$@" >"$tmp/postgres.log" 2>&1 &
	server=$!
	waits postgres_settled && ! ended "$server" && return
	cp "$tmp/postgres.log" "$tmp/err"
	return 1
}
