#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench/servers.sh [BUILD [SECONDS [FOLDER]]]: servers of the languages that are installed, each under load for SECONDS (8): how many samples
# of them at 499 a second reach the start of their thread, how many show a function of the language, and what the tracer's own CPU share
# is; requests a second with and without it. FOLDER: there a flame graph of each is left. Status 77 where no load can be made.
cd "$(dirname "$0")/.." || exit 2
. bench/bench.inc
build=${1:-build} seconds=${2:-8} folder=$3
needs "$build" dtrace
dtrace=$build/dtrace
may_trace "$dtrace"
needs_command wrk
[ -z "$folder" ] || mkdir -p "$folder" || fail "$folder cannot be made"
started=
stopped() {
	for pid in $started; do pkill -KILL -s "$pid"; done 2>/dev/null
	wait $started 2>/dev/null
	started=
}
trap 'stopped; rm -rf "$tmp"' EXIT
port=18080

# begins COMMAND…: a server, in a session of its own
begins() {
	setsid -w "$@" >"$tmp/server" 2>&1 </dev/null &
	started="$started $!"
}
answers() {
	for _ in $(seq 600); do
		wrk -t1 -c1 -d0.1 "http://127.0.0.1:$port/" 2>/dev/null | grep -q 'Requests/sec: *[1-9]' && return
		sleep 0.1
	done
	return 1
}
requests() { wrk -t1 -c8 "-d${seconds}s" "http://127.0.0.1:$port/" 2>/dev/null | awk '/Requests\/sec/ { print int($2) }'; }
processes() { for s in $started; do pgrep -s "$(pgrep -P "$s" 2>/dev/null | head -n 1)" 2>/dev/null || pgrep -s "$s"; done | sort -u; }

# of LANGUAGE FILE: a line of figures of the stacks in dtrace's JSON
row='%-34s %8s %8s %9s %9s %9s\n'
# shellcheck disable=SC2059
show() { printf "$row" "$@"; }
# measured TITLE FUNCTION: the server that runs now; FUNCTION is one of the program that it serves
measured() {
	answers || { show "$1" - - - - -; sed 's/^/# /' "$tmp/server" | head -n 3; stopped; return; }
	requests >/dev/null		# its compilers have done their work
	alone=$(requests)
	where=$(processes | sed 's/^/pid == /' | paste -sd'|' | sed 's/|/ || /g')
	"$dtrace" -q -x ustackframes=200 -x aggsize=64m -o "$tmp/stacks" -n "
	BEGIN { printf(\"\\n\"); }
	profile-499 /($where) && arg1 != 0/ { @[ustack()] = count(); }" 2>"$tmp/err" &
	tracer=$!
	for _ in $(seq 600); do [ ! -s "$tmp/stacks" ] || break; sleep 0.1; done
	traced=$(requests)
	used=$(awk '{ print $14 + $15 }' "/proc/$tracer/stat")
	kill -INT $tracer
	wait $tracer
	awk -v f="$2" 'BEGIN { RS = ""; FS = "\n" }
	    { n = $NF + 0; all += n; if ($0 ~ /_start|start_thread|thread_start|clone/) root += n; if (index($0, f)) own += n }
	    END { printf "%d %.1f%% %.1f%%\n", all, 100 * root / (all ? all : 1), 100 * own / (all ? all : 1) }' "$tmp/stacks" >"$tmp/figures"
	read -r all root own <"$tmp/figures"
	show "$1" "$all" "$root" "$own" "$(awk -v a="$used" -v s="$seconds" 'BEGIN { printf "%.1f%%", a / s }')" \
	    "$(awk -v a="$alone" -v t="$traced" 'BEGIN { printf "%d:%d", a, t }')"
	[ -z "$folder" ] || { cp "$tmp/stacks" "$folder/$1.txt"; "$dtrace" -O flame -o "$folder/$1.html" -q -x ustackframes=200 -n "
	    profile-499 /($where) && arg1 != 0/ { @[ustack()] = count(); } tick-3s { exit(0); }" 2>>"$tmp/err" & wrk -t1 -c8 -d4s "http://127.0.0.1:$port/" >/dev/null; wait $!; }
	grep '^dtrace:' "$tmp/err" | sed 's/^/# /' | head -n 4
	stopped
}

show "server" samples start own tracer "req/s off:on"

cat >"$tmp/app_flask.py" <<'END'
import json, re
from flask import Flask
app = Flask(__name__)
words = re.compile(r"\w+")
def rank(n):
    return sorted((len(w), w) for w in words.findall("the quick brown fox " * n))
def page():
    return json.dumps([r for r in rank(20)])
@app.route("/")
def root():
    return page()
app.run(port=18080, threaded=True)
END
for python in /usr/bin/python3 $(command -v python3); do
	"$python" -c 'import flask' 2>/dev/null || continue
	begins "$python" "$tmp/app_flask.py"
	measured "Flask, $("$python" -V)" rank
done

if command -v javac >/dev/null; then
	cat >"$tmp/Served.java" <<'END'
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

public class Served {
	static String rank(int n) {
		TreeMap<String, Integer> m = new TreeMap<>();
		IntStream.range(0, n).forEach(i -> m.merge("key" + i * 7919 % 97, i, Integer::sum));
		return m.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).collect(Collectors.joining(","));
	}
	public static void main(String[] a) throws Exception {
		HttpServer s = HttpServer.create(new InetSocketAddress("127.0.0.1", 18080), 0);
		s.createContext("/", x -> {
			byte[] b = rank(400).getBytes();
			x.sendResponseHeaders(200, b.length);
			x.getResponseBody().write(b);
			x.close();
		});
		s.setExecutor(Executors.newFixedThreadPool(4));
		s.start();
	}
}
END
	for java in $(for j in "$(command -v java)" /usr/lib/jvm/*/bin/java; do readlink -f "$j"; done | sort -u); do
		[ -x "$(dirname "$java")/javac" ] && "$(dirname "$java")/javac" -d "$tmp" "$tmp/Served.java" || continue
		begins "$java" -cp "$tmp" Served
		measured "Java $("$java" -version 2>&1 | sed -n '1s/.*"\(.*\)".*/\1/p')" Served.rank
	done
fi

if command -v node >/dev/null && NODE_PATH=/usr/share/nodejs node -e 'require("express")' 2>/dev/null; then
	cat >"$tmp/app.js" <<'END'
const express = require('express'), app = express()
function rank(n) { return Array.from({ length: n }, (_, i) => i * 7919 % 97).sort((a, b) => a - b).map(k => 'key' + k) }
app.get('/', (request, response) => response.send(JSON.stringify(rank(400))))
app.listen(18080, '127.0.0.1')
END
	begins env NODE_PATH=/usr/share/nodejs node "$tmp/app.js"
	measured "Express, Node $(node --version)" rank
fi

if command -v puma >/dev/null; then
	cat >"$tmp/config.ru" <<'END'
def rank(n)
  Array.new(n) { |i| "key#{i * 7919 % 97}" }.sort.uniq.map { |k| k.upcase }
end
run ->(env) { [200, { 'content-type' => 'text/plain' }, [rank(400).join(',')]] }
END
	begins puma -q -t 4:4 -b tcp://127.0.0.1:18080 "$tmp/config.ru"
	measured "rack on puma, $(ruby -v | cut -d' ' -f1-2)" rank
fi

fpm=$(ls /usr/sbin/php-fpm* 2>/dev/null | head -n 1)
if [ -n "$fpm" ] && command -v nginx >/dev/null; then
	chmod 755 "$tmp"
	cat >"$tmp/index.php" <<'END'
<?php
function rank($n) { $m = []; for ($i = 0; $i < $n; $i++) $m["key" . $i * 7919 % 97] = $i; ksort($m); return $m; }
function page() { return json_encode(array_map(fn($v) => rank(10)["key0"] + $v, rank(60))); }
echo page();
END
	printf '[global]\nerror_log = %s/fpm.log\n[www]\nuser = nobody\nlisten = %s/fpm.sock\nlisten.mode = 0666\npm = static\npm.max_children = 2\n' "$tmp" "$tmp" >"$tmp/fpm.conf"
	printf 'daemon off; worker_processes 1; pid %s/pid; error_log %s/log; user nobody;\nevents {}\nhttp { access_log off; server { listen 127.0.0.1:18080; location / { fastcgi_pass unix:%s/fpm.sock; fastcgi_param SCRIPT_FILENAME %s/index.php; fastcgi_param REQUEST_METHOD GET; } } }\n' \
	    "$tmp" "$tmp" "$tmp" "$tmp" >"$tmp/nginx.conf"
	begins "$fpm" -n -F -R -y "$tmp/fpm.conf"
	begins nginx -c "$tmp/nginx.conf"
	measured "PHP behind nginx, $(php -r 'echo PHP_VERSION;' 2>/dev/null)" rank
fi
exit 0
