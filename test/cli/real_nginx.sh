#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nginx under load: requests as functions of its workers, found from the master by -x follow, beside the lines of its access log and its own
# status page; what the workers read and write, beside the bytes the log tells.
# slow: left out of `make check`
. test/trigger/trace.sh
may_trace "nginx"
nginx=$(command -v nginx || echo /usr/sbin/nginx)
if [ ! -x "$nginx" ] || ! command -v wrk >/dev/null; then
	ok "nginx # SKIP no nginx, or no wrk, here"
	exit 0
fi
server=
stop() { [ -n "$1" ] && kill "$1" 2>/dev/null && wait "$1" 2>/dev/null; }
trap 'stop "$server"; rm -rf "$tmp"' EXIT
mkdir "$tmp/www" "$tmp/body"
chmod 755 "$tmp" "$tmp/www"
head -c 5000 /dev/zero | tr '\0' x >"$tmp/www/page"

# serves PORT: as $server; false: the port is somebody else's
serves() {
	cat >"$tmp/conf" <<END
daemon off; master_process on; worker_processes 2; pid $tmp/pid; error_log $tmp/log; user $(id -un);
events { worker_connections 64; }
http {
	access_log $tmp/access; sendfile off;
	client_body_temp_path $tmp/body; proxy_temp_path $tmp/body; fastcgi_temp_path $tmp/body; uwsgi_temp_path $tmp/body; scgi_temp_path $tmp/body;
	server { listen 127.0.0.1:$1; root $tmp/www; location = /status { stub_status; access_log off; } }
}
END
	"$nginx" -c "$tmp/conf" -e "$tmp/log" >>"$tmp/log" 2>&1 &
	server=$!
	page="http://127.0.0.1:$1"
	workers() { [ "$(wc -w <"/proc/$server/task/$server/children")" -eq 2 ] || ended "$server"; }
	waits workers && ! ended "$server"
}
port=$((20000 + $$ % 20000))
n=0
until serves $port; do
	stop "$server"
	port=$((port + 7)) n=$((n + 1))
	[ $n -lt 20 ] || { cat "$tmp/log" >"$tmp/err"; bad "nginx: a server of our own"; exit 1; }
done

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
