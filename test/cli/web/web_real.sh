#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The live page on live traces of real servers: PostgreSQL under pgbench, nginx under wrk. Chromium starts a tool from the
# gallery, sees as many as the servers count themselves, looks closer twice, gets an error at its place, pauses, saves,
# and opens what was saved (test/web/real.mjs).
# slow: left out of `make check`
# alone
. test/cli/helpers.inc
. test/web/modules.sh
web_modules "the live page on real servers"
case $build in *asan*|*clang*) ok "the live page on real servers # SKIP once is enough"; exit 0 ;; esac
may_trace "the live page on real servers"
server=
stop() { [ -n "$1" ] && kill -"$2" "$1" 2>/dev/null && wait "$1" 2>/dev/null; }
trap 'stop "$server" QUIT; rm -rf "$tmp"' EXIT
chmod 755 "$tmp"

. test/trigger/postgres.sh
if ! postgres_found; then
	ok "the live page on PostgreSQL # SKIP no server here"
else
	postgres_serves && as_user "$bin/pgbench" -q -i -h "$db" postgres >"$tmp/out" 2>&1 || { bad "PostgreSQL: tables of pgbench"; exit 1; }
	# pgbench asks for no more than its transactions do: no vacuum before them
	cat >"$tmp/load" <<END
#!/bin/sh
setpriv --reuid "$as" --regid "$(id -g "$as")" --clear-groups "$bin/pgbench" -n -c 2 -t 150 -h "$db" postgres 2>&1 |
    sed -n 's/^number of transactions actually processed: \([0-9]*\).*/\1/p'
END
	chmod 755 "$tmp/load"
	node test/web/real.mjs "$modules" "$dtrace" postgres "$server" "$tmp/load"
	stop "$server" INT
	server=
fi

nginx=$(command -v nginx || echo /usr/sbin/nginx)
if [ ! -x "$nginx" ] || ! command -v wrk >/dev/null; then
	ok "the live page on nginx # SKIP no nginx, or no wrk, here"
	exit 0
fi
. test/trigger/nginx.sh
nginx_serves || { cp "$tmp/log" "$tmp/err"; bad "nginx: a server of our own"; exit 1; }
# When wrk ends, requests are under way: nginx is done when its port has no connection but those it has closed itself.
cat >"$tmp/load" <<END
#!/bin/sh
before=\$(wc -l <"$tmp/access")
wrk -t 1 -c 8 -d 1s "$page/page" >/dev/null || exit 1
while awk -v port=":$(printf %04X "$port")\$" '\$2 ~ port && \$4 != "0A" && \$4 != "06" { open = 1 } END { exit !open }' /proc/net/tcp; do sleep 0.05; done
echo \$((\$(wc -l <"$tmp/access") - before))
END
chmod 755 "$tmp/load"
node test/web/real.mjs "$modules" "$dtrace" nginx "$server" "$tmp/load"
exit 0
