#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every format from a real trace: PostgreSQL under pgbench, nginx under wrk, a build of this project. Each trace is
# recorded; what is played from it is opened by the readers of others (test/web/readers.mjs, go tool pprof, promtool,
# csv and json of Python), and what they find is what pgbench, the access log and the compiler's wrapper have counted.
# slow: left out of `make check`
# alone
. test/cli/helpers.inc
. test/trigger/postgres.sh
. test/trigger/nginx.sh
may_trace "formats of real traces"
server=
stop() { [ -n "$1" ] && kill -INT "$1" 2>/dev/null && wait "$1" 2>/dev/null; }
trap 'stop "$server"; rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
build=${dtrace%/*} modules=
viewer=$(find /usr/share/go-*/src/cmd -name trace_viewer_full.html 2>/dev/null | head -n 1)

readers_ready() {	# playwright-core, speedscope and ajv; the viewer of chrome://tracing is in Go's source
	modules=$build/web-test
	if [ -z "$viewer" ] || ! command -v chromium >/dev/null || ! command -v npm >/dev/null; then return 1; fi
	if ! cmp -s test/web/package-lock.json "$modules/made"; then
		mkdir -p "$modules" && cp test/web/package.json test/web/package-lock.json "$modules" || return 1
		(cd "$modules" && npm ci --silent --no-audit --no-fund) >/dev/null 2>&1 || return 1
		cp test/web/package-lock.json "$modules/made"
	fi
	modules=$(realpath "$modules")
}

# The clauses that all three have: where they are, how long things take, and what a trace viewer needs.
common='profile-997 /progenyof($target)/ { @on[execname, ustack(), stack()] = count(); }
tick-10ms /!live_/ { live_ = 1; printf("ready\n"); }'
taken() {	# taken ENTRY RETURN: a span, its time, and who did it how often, from where
	echo "$1 { self->t = timestamp; trace(pid); trace(tid); trace(execname); }
$2 /self->t/ { @ns[execname] = quantize(timestamp - self->t); @p_ns = percentiles(timestamp - self->t); self->t = 0; trace(pid); trace(tid); trace(execname); trace((int)arg1); }"
}

# all_formats NAME: what was recorded, in each format, in $tmp/NAME/
all_formats() {
	folder=$tmp/$1
	"$dtrace" --play "$folder/rec" >"$folder/text" 2>"$folder/text.err"
	cmp -s "$folder/text" "$tmp/out"
	check $? "$1: the text of $(wc -c <"$folder/rec") bytes of recording is what was shown, $(wc -c <"$folder/text") bytes"
	for format in json csv folded flame trace-event pprof heatmap openmetrics; do
		"$dtrace" --play "$folder/rec" -qO $format -o "$folder/$format" 2>"$folder/$format.err" || bad "$1: $format"
	done
	mv "$folder/flame" "$folder/flame.html"
	mv "$folder/heatmap" "$folder/heatmap.html"
	! grep -hv 'is left out\|are left out' "$folder"/*.err
	check $? "$1: nothing fails, and what a format leaves out is told"
}

# look_at NAME KEY N SPAN PROCESSES: what readers find; KEY did it N times; PROCESSES "" or "cc1": as many have that name
look_at() {
	/usr/bin/python3 - "$@" "$tmp/$1" >"$tmp/found" 2>"$tmp/err" <<'P'
import collections, csv, io, json, os, sys
name, key, n, span, process, folder = sys.argv[1:7]
n = int(n)
def at(f): return os.path.join(folder, f)
def told(good, what): print('ok -' if good else 'not ok -', name + ': ' + what)
# JSON: a line is an object; spans are returns that had an entry
lines = [json.loads(l) for l in open(at('json'), encoding='utf-8')]
back = [l for l in lines if l['type'] == 'probe' and l['function'] == span and l['name'] == 'return']
aggs = {l['aggregations'][0]: l['elements'] for l in lines if l['type'] == 'aggregation'}
total = lambda a: sum(e['values'][0] for e in aggs[a])
of_key = {e['keys'][0]: e['values'][0] for e in aggs['n']}
told(of_key.get(key) == n, 'json: @n[%s] is %s, and was %d' % (key, of_key.get(key), n))
timed = sum(b['count'] for e in aggs['ns'] for b in e['values'][0])
told(timed == len(back) == aggs['p_ns'][0]['values'][0]['count'], 'json: %d spans, as many times' % timed)
# CSV: tables with an empty line between them
csv.field_size_limit(1 << 30)
text = open(at('csv'), encoding='utf-8', newline='').read()
tables, rows = [], []
for row in csv.reader(io.StringIO(text, newline='')):
    if row: rows.append(row)
    else: tables.append(rows); rows = []
tables.append(rows)
told(all(len(r) == len(t[0]) for t in tables for r in t), 'csv: every row of %d tables has its columns' % len(tables))
firings = [dict(zip(t[0], r)) for t in tables if t[0][0] == 'time' for r in t[1:]]
ends = [r for r in firings if r['function'] == span and r['name'] == 'return']
told(len(ends) == timed, 'csv: %d returns of %s' % (len(ends), span))
counts = {r[0]: int(r[1]) for t in tables if t[0] == ['execname', 'n'] for r in t[1:]}
told(counts.get(key) == n, 'csv: %s has %s' % (key, counts.get(key)))
# folded
stacks = collections.Counter()
for line in open(at('folded'), encoding='utf-8'):
    path, count = line.rstrip('\n').rsplit(' ', 1)
    stacks[tuple(path.split(';')[:2])] += int(count)
told(stacks[('@calls', key)] == n, 'folded: %d of %s' % (stacks[('@calls', key)], key))
# OpenMetrics
try:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
    samples = [s for f in parse(open(at('openmetrics'), encoding='utf-8', newline='').read()) for s in f.samples]
    got = [s.value for s in samples if s.name == 'dtrace_n_total' and s.labels == {'execname': key}]
    told(got == [n], 'openmetrics: %s' % got)
    got = sum(s.value for s in samples if s.name == 'dtrace_ns_bucket' and s.labels['le'] == '+Inf')
    told(got == timed, 'openmetrics: a histogram of %d' % got)
except ImportError:
    print('ok - %s: openmetrics # SKIP no python3-prometheus-client' % name)
json.dump({'name': name, 'key': key, 'n': n, 'timed': span, 'spans': {span: timed}, 'processes': {process: n} if process else {},
    'calls': total('calls'), 'on': total('on')}, open(at('want.json'), 'w'))
P
	check $? "$1: Python reads json, csv, folded and openmetrics"
	cat "$tmp/found"
	if command -v go >/dev/null; then
		got=$(PPROF_TMPDIR=$tmp go tool pprof -top -nodecount=1000000 -nodefraction=0 -sample_index=calls "$tmp/$1/pprof" 2>"$tmp/err" | awk -v key="$2" '$6 == key && NF == 6 { print $4 }')
		[ "$got" = "$3" ]
		check $? "$1: go tool pprof has $got of $2 in @calls, of $3"
	else
		ok "$1: go tool pprof # SKIP no go here"
	fi
	if command -v promtool >/dev/null; then
		promtool check metrics <"$tmp/$1/openmetrics" >"$tmp/out" 2>"$tmp/err"
		case $? in 0 | 3) ok "$1: promtool reads openmetrics" ;; *) bad "$1: promtool reads openmetrics" ;; esac
	fi
	if [ -n "$readers" ]; then
		node test/web/readers.mjs "$modules" "${viewer%/*}" "$tmp/$1" "$SHOTS"
	else
		ok "$1: speedscope, chrome://tracing and Chromium # SKIP no chromium, npm, or source of Go here"
	fi
}
readers=
readers_ready && readers=1

# ---- PostgreSQL under pgbench ----
postgres() {
	mkdir "$tmp/postgres"
	postgres_serves || { bad "postgres: a server of our own"; return; }
	as_user "$bin/pgbench" -i -q -h "$db" postgres >"$tmp/out" 2>"$tmp/err" || { bad "postgres: tables of pgbench"; return; }
	printf '%s\n' '\set aid random(1, 100000)' 'UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :aid;' >"$tmp/update.sql"
	chmod 644 "$tmp/update.sql"
	start -x bufsize=16m -x aggrate=100ms -qO "record=$tmp/postgres/rec" -x follow -p "$server" -n "$(taken 'pid$target:postgres:PortalRun:entry' 'pid$target:postgres:PortalRun:return')
pid\$target:postgres:PortalRun:entry { @calls[execname, ustack()] = count(); @n[execname] = count(); } $common"
	as_user "$bin/pgbench" -n -h "$db" -c 4 -j 2 -t 250 -f "$tmp/update.sql" postgres >"$tmp/pgbench" 2>&1
	kill -INT "$tracer"
	wait "$tracer"
	check $? "postgres: it is recorded"
	stop "$server"
	server=
	all_formats postgres
	look_at postgres postgres "$(sed -n 's|^number of transactions actually processed: \([0-9]*\)/.*|\1|p' "$tmp/pgbench")" PortalRun ""
}
if postgres_found; then postgres; else ok "postgres # SKIP no server here"; fi

# ---- nginx under wrk ----
web_server() {
	mkdir "$tmp/nginx"
	nginx_serves || { bad "nginx: a server of our own"; return; }
	start -x bufsize=16m -x aggrate=100ms -qO "record=$tmp/nginx/rec" -x follow -p "$server" -n "$(taken 'pid$target:a.out:ngx_http_process_request:entry' 'pid$target:a.out:ngx_http_process_request:return')
pid\$target:a.out:ngx_http_process_request:entry { @calls[execname, ustack()] = count(); @n[execname] = count(); } $common"
	wrk -t 1 -c 8 -d 1s "$page/page" >"$tmp/wrk" 2>&1
	kill -QUIT "$server"
	wait "$server" 2>/dev/null
	server=
	wait "$tracer"
	check $? "nginx: it is recorded"
	requests=$(wc -l <"$tmp/access") said=$(sed -n 's/^ *\([0-9]*\) requests in .*/\1/p' "$tmp/wrk")
	[ "${said:-0}" -gt 0 ] && [ "$requests" -ge "$said" ]
	check $? "nginx: the log has $requests requests, wrk $said"
	all_formats nginx
	look_at nginx nginx "$requests" ngx_http_process_request ""
}
nginx=$(command -v nginx || echo /usr/sbin/nginx)
if [ -x "$nginx" ] && command -v wrk >/dev/null; then web_server; else ok "nginx # SKIP no nginx, or no wrk, here"; fi

# ---- a build of this project ----
project() {
	mkdir "$tmp/build" "$tmp/b"
	: >"$tmp/compiled"
	# make also runs the compiler to ask for the machine and to test a linker option
	printf '#!/bin/sh\ncase " $* " in *" -c "* | *" -x c "*) echo >>%s/compiled ;; esac\nexec %s "$@"\n' "$tmp" "$(command -v gcc)" >"$tmp/cc"
	chmod 755 "$tmp/cc"
	objects=
	for source in src/base/[a-m]*.c src/sink/[a-j]*.c; do
		objects="$objects $tmp/b/obj/${source%.c}.o"
	done
	"$dtrace" -x bufsize=16m -x aggrate=100ms -qO "record=$tmp/build/rec" -n "$(taken 'syscall::execve:entry /progenyof($target)/' 'syscall::execve:return')
syscall::execve:return /progenyof(\$target) && errno == 0/ { @calls[execname, ustack()] = count(); @n[execname] = count(); } $common" \
	    -c "make -s -j2 B=$tmp/b CC=$tmp/cc $objects" >"$tmp/out" 2>"$tmp/err"
	check $? "build: it is recorded"
	! grep -q 'drops\|error on' "$tmp/err"
	check $? "build: nothing is lost"
	all_formats build
	look_at build cc1 "$(wc -l <"$tmp/compiled")" execve cc1
}
if command -v make >/dev/null && command -v gcc >/dev/null; then CCACHE_DISABLE=1 project; else ok "build # SKIP no gcc here"; fi
exit 0
