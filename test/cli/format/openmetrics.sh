# SPDX-License-Identifier: BSD-2-Clause
# -O openmetrics: what readers of the format make of it; the server, its clients good and bad, and a real Prometheus.
. test/cli/helpers.inc
tracer=
prometheus=
trap 'kill $tracer $prometheus 2>/dev/null; rm -rf "$tmp"' EXIT
if [ "$(id -u)" -ne 0 ]; then
	echo "ok - OpenMetrics # SKIP tracing needs root"
	exit 0
fi

"$dtrace" -qO openmetrics -n 'BEGIN { s = "a\"b\\\n\377"; @[s, 2] = count(); @x_total[s] = sum(-5); @q[1] = lquantize(7, 0, 10, 5); @q[1] = lquantize(-3, 0, 10, 5);
    @p = percentiles(5); @count = count(); @z = quantize(1099511627776); printa(@x_total); clear(@x_total); printa(@x_total); exit(0); }' >"$tmp/out" 2>"$tmp/err"
same "families and samples" "$(grep -v '^# HELP' "$tmp/out")$(cat "$tmp/err")" '# TYPE dtrace_x_total_2 gauge
dtrace_x_total_2{s="a\"b\\\n�"} 0
# TYPE dtrace_count counter
dtrace_count_total{s="a\"b\\\n�",key2="2"} 1
# TYPE dtrace_q histogram
dtrace_q_bucket{key1="1",le="-1.0"} 1
dtrace_q_bucket{key1="1",le="4.0"} 1
dtrace_q_bucket{key1="1",le="9.0"} 2
dtrace_q_bucket{key1="1",le="+Inf"} 2
# TYPE dtrace_p summary
dtrace_p_count 1
dtrace_p{quantile="0.0"} 5
dtrace_p{quantile="0.5"} 5
dtrace_p{quantile="0.9"} 5
dtrace_p{quantile="0.99"} 5
dtrace_p{quantile="0.999"} 5
dtrace_p{quantile="1.0"} 5
# TYPE dtrace_count_2 counter
dtrace_count_2_total 1
# TYPE dtrace_z histogram
dtrace_z_bucket{le="1.099511627775e+12"} 0
dtrace_z_bucket{le="2.199023255551e+12"} 1
dtrace_z_bucket{le="+Inf"} 1
# TYPE dtrace_tracing_drops counter
dtrace_tracing_drops_total 0
# TYPE dtrace_tracing_errors counter
dtrace_tracing_errors_total 0
# EOF'
"$dtrace" -qO openmetrics -n 'BEGIN { s = "x\377"; @[s] = count(); } BEGIN { s = "x\376"; @[s] = count(); exit(0); }' >"$tmp/alike"
same "elements that look the same are told apart" "$(grep -c 'dtrace_count_total{s="x�"} 1' "$tmp/alike") $(grep -c 'dtrace_count_total{s="x�",alike="1"} 1' "$tmp/alike")" "1 1"
"$dtrace" -qO openmetrics -n 'BEGIN { key2 = 7; xy = 1; y = 2; @[key2, 5, xy, y, 6] = count(); exit(0); }' >"$tmp/labels"
same "each label has a name of its own, and keeps it beside one that ends alike" "$(grep -o '{.*}' "$tmp/labels")" '{key2="7",key3="5",xy="1",y="2",key5="6"}'
if /usr/bin/python3 -c 'import prometheus_client.openmetrics.parser' 2>/dev/null; then
	same "the parser of OpenMetrics reads it" "$(/usr/bin/python3 -c 'import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
print(sorted({f.type for f in parse(open(sys.argv[1], newline="").read())}))' "$tmp/out" 2>&1 | tail -n 1)" "['counter', 'gauge', 'histogram', 'summary']"
else
	echo "ok - the parser of OpenMetrics reads it # SKIP no python3-prometheus-client"
fi
if command -v promtool >/dev/null; then
	promtool check metrics <"$tmp/out" >"$tmp/tool" 2>&1
	case $? in
	0 | 3) echo "ok - promtool reads it" ;;
	*) echo "not ok - promtool reads it: $(cat "$tmp/tool")" ;;
	esac
else
	echo "ok - promtool reads it # SKIP no promtool"
fi

# refused WHERE REASON
refused() {
	same "$1 is refused" "$("$dtrace" -qO "openmetrics=$1" -n 'BEGIN { exit(0); }' 2>&1 | grep -c "$2")" 1
}
refused nonsense "nonsense is no address: PORT, ADDRESS:PORT"
refused 127.0.0.1:70000 "is no address"
refused 198.51.100.7:80 "cannot listen at 198.51.100.7:80: "

if ! command -v python3 >/dev/null; then
	echo "ok - the server # SKIP no python3"
	exit 0
fi
"$dtrace" -qO openmetrics=0 -x aggrate=10ms -n 'BEGIN { @a["x"] = count(); @h = quantize(5); } tick-10ms { @t = count(); }' >"$tmp/out" 2>"$tmp/err" &
tracer=$!
until grep -q metrics "$tmp/err" || ! kill -0 $tracer 2>/dev/null; do sleep 0.1; done
port=$(sed -n 's|^.*http://127.0.0.1:\([0-9]*\)/metrics$|\1|p' "$tmp/err")
cat >"$tmp/client.py" <<'P'
import http.client, re, socket, sys, time
port = int(sys.argv[1])
def ask(path, method='GET', host='127.0.0.1:%d' % port):
    c = http.client.HTTPConnection('127.0.0.1', port, timeout=60)
    c.request(method, path, headers={'Host': host}); r = c.getresponse()
    return r.status, r.getheader('Content-Type'), r.read().decode()
def raw(data, read=True):
    s = socket.create_connection(('127.0.0.1', port), timeout=60)
    try:
        s.sendall(data)
        return s.recv(64).split(b'\r\n')[0].decode() if read else s
    except (ConnectionResetError, BrokenPipeError):
        return 'reset'
while 'dtrace_a_total{key1="x"} 1' not in ask('/metrics')[2]: time.sleep(0.05)
status, kind, text = ask('/metrics')
print(status, kind, text.endswith('# EOF\n'), 'dtrace_h_bucket{le="7.0"} 1' in text)
first = int(re.search(r'dtrace_t_total (\d+)', text + 'dtrace_t_total 0').group(1))
while int(re.search(r'dtrace_t_total (\d+)', ask('/')[2] + 'dtrace_t_total 0').group(1)) <= first: time.sleep(0.05)
print(ask('/metrics', 'HEAD')[2] == '', ask('/other')[0], ask('/metrics', 'POST')[0], ask('/metrics', host='evil.example')[0],
    ask('/metrics', host='127.evil.example')[0], ask('/metrics', host='localhost:1')[0])
print(raw(b'GET /' + b'a' * 5000 + b' HTTP/1.1\r\n'), raw(b'\0\r\n\r\n'), raw(b'GET / HTTP/1.0\r\n\r\n'))
slow = [raw(b'GET / HT', False) for i in range(40)]
print(ask('/metrics')[0])
P
same "the server, and clients that want no good" "$(python3 "$tmp/client.py" "$port" 2>&1)" \
"200 application/openmetrics-text; version=1.0.0; charset=utf-8 True True
True 404 405 403 403 200
HTTP/1.1 431 Request Header Fields Too Large HTTP/1.1 400 Bad Request HTTP/1.1 403 Forbidden
200"
child=
for pid in $(cat /proc/$tracer/task/$tracer/children 2>/dev/null); do
	[ "$(cat /proc/"$pid"/comm)" = dtrace-serve ] && child=$pid
done
if [ -n "$child" ]; then
	same "who answers has no rights" "$(sed -n 's/^CapEff:[	 ]*/ /p; s/^Seccomp:[	 ]*/ /p' "/proc/$child/status" | tr -d '\n')" " 0000000000000000 2"
	user=$(sed -n 's/^Uid:[	 ]*\([0-9]*\).*/\1/p' "/proc/$child/status")
	same "A7: and a user of its own" "$([ "$user" -ge 2142240768 ] || echo "$user")" ""
else
	echo "ok - who answers has no rights # SKIP its process is not seen"
fi

if command -v prometheus >/dev/null; then
	printf 'global:\n  scrape_interval: 200ms\n  scrape_timeout: 200ms\nscrape_configs:\n  - job_name: d\n    static_configs:\n      - targets: ["127.0.0.1:%s"]\n' "$port" >"$tmp/p.yml"
	listen=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	prometheus --config.file="$tmp/p.yml" --storage.tsdb.path="$tmp/tsdb" --web.listen-address="127.0.0.1:$listen" >"$tmp/prometheus.log" 2>&1 &
	prometheus=$!
	same "Prometheus scrapes it" "$(python3 - "$listen" $prometheus <<'P'
import json, os, sys, time, urllib.request
def ask(query):
    try:
        with urllib.request.urlopen('http://127.0.0.1:%s/api/v1/query?query=%s' % (sys.argv[1], query)) as r:
            return [x['value'][1] for x in json.load(r)['data']['result']]
    except OSError:
        return []
while ask('dtrace_a_total') == []:
    os.kill(int(sys.argv[2]), 0); time.sleep(0.1)
while not float((ask('dtrace_t_total') or ['0'])[0]) > 1:
    os.kill(int(sys.argv[2]), 0); time.sleep(0.1)
print(ask('dtrace_a_total{key1="x"}'), ask('up'), ask('dtrace_h_bucket{le="7.0"}'))
P
)" "['1'] ['1'] ['1']"
else
	echo "ok - Prometheus scrapes it # SKIP no prometheus"
fi
kill -INT $tracer
wait $tracer
same "the end" "$? $(wc -c <"$tmp/out")" "0 0"
tracer=
