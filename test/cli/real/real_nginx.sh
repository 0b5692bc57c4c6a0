#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nginx under load: requests as functions of its workers, found from the master by -x follow, beside the lines of its access log and its own
# status page; what the workers read and write, beside the bytes the log tells.
# slow: left out of `make check`
# alone
. test/cli/helpers.inc
may_trace "nginx"
nginx=$(command -v nginx || echo /usr/sbin/nginx)
if [ ! -x "$nginx" ] || ! command -v wrk >/dev/null; then
	ok "nginx # SKIP no nginx, or no wrk, here"
	exit 0
fi
server=
stop() { [ -n "$1" ] && kill "$1" 2>/dev/null && wait "$1" 2>/dev/null; }
trap 'stop "$server"; rm -rf "$tmp"' EXIT
. test/trigger/nginx.sh
nginx_serves || { cp "$tmp/log" "$tmp/err"; bad "nginx: a server of our own"; exit 1; }

start -q -x follow -p "$server" -n '
pid$target:a.out:ngx_http_process_request:entry { @in = count(); @who[pid] = count(); }
pid$target:a.out:ngx_http_process_request:return { @out = count(); }
syscall::accept*:return /progenyof($target) && errno == 0/ { @accepted = count(); }
END { printa("in %@d\n", @in); printa("out %@d\n", @out); printa("accepted %@d\n", @accepted); printa("worker %d %@d\n", @who); }
tick-10ms /!live_/ { live_ = 1; printf("ready\n"); }'
wrk -t 1 -c 8 -d 2s "$page/page" >"$tmp/wrk" 2>&1
kill -0 "$server"
check $? "nginx: the server lives"
# It ends when all is done and written, and tracing ends with the last worker.
kill -QUIT "$server"
wait "$server" 2>/dev/null
server_was=$server server=
wait "$tracer"
check $? "nginx: tracing ends with the last of its processes"
got() { sed -n "s/^$1 //p" "$tmp/out"; }
lines=$(wc -l <"$tmp/access")
said=$(sed -n 's/^ *\([0-9]*\) requests in .*/\1/p' "$tmp/wrk")
[ "${said:-0}" -gt 0 ] && [ "$lines" -ge "$said" ]
check $? "nginx: the log has the $said requests that wrk counted"
in=$(got in) out=$(got out)
[ "${in:-0}" -gt 0 ] && [ "$in" = "$out" ]
check $? "nginx: a request is entered as often as left, $in"
[ "$in" = "$lines" ]
check $? "nginx: as many requests as lines in the access log, $lines"
[ "$(grep -c '^worker' "$tmp/out")" -ge 1 ] && ! grep -q "^worker $server_was " "$tmp/out"
check $? "nginx: it is the workers that do them"
[ "$(got accepted)" -ge 8 ]
check $? "nginx: connections, by a probe of the kernel"
exit 0
