# SPDX-License-Identifier: BSD-2-Clause
# Sourced after helpers.inc, with `nginx` set: nginx_serves starts one of our own, with a master and two workers, as $server;
# $page is its address, $tmp/access its log. False: there is no port for it; $tmp/log says why.
# shellcheck shell=sh disable=SC2154
nginx_at() {	# nginx_at PORT: false: the port is somebody else's
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
	waits nginx_workers && ! ended "$server"
}
nginx_workers() { [ "$(wc -w <"/proc/$server/task/$server/children")" -eq 2 ] || ended "$server"; }

nginx_serves() {
	mkdir "$tmp/www" "$tmp/body"
	chmod 755 "$tmp" "$tmp/www"
	head -c 5000 /dev/zero | tr '\0' x >"$tmp/www/page"
	port=$((20000 + $$ % 20000)) n=0
	until nginx_at $port; do
		kill "$server" 2>/dev/null
		wait "$server" 2>/dev/null
		port=$((port + 7)) n=$((n + 1))
		[ $n -lt 20 ] || return 1
	done
}
