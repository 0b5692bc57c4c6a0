# SPDX-License-Identifier: BSD-2-Clause
# Programs that run always, as Prometheus sees them: numbers of a known load, for every aggregating function; the dashboard asks for
# nothing that is not there.
. test/cli/helpers.inc
known=knownmetrics	# scripts run beside each other
. test/trigger/always.sh
always_begin "metrics of programs that run always"

mkdir "$tmp/all.d"
every_function >"$tmp/all.d/known.d"
cp package/always/*.d "$tmp/all.d/"
start_agent all "memory=4000 cpu=100000 rate=10000000 samples=1000000"
ready() { [ "$(grep -c ' runs$' "$tmp/all.log")" -ge 4 ]; }
waits ready
check $? "the programs that are installed run"
known_load
waits has_value "$port" 'dtrace_known_c_total{execname="knownmetrics"}' 160
check $? "the known load is counted"

# 30 of 1 byte, 128 of 64, 2 of 390
same "scalars" "$(value dtrace_known_s) $(value dtrace_known_mi) $(value dtrace_known_ma) $(value dtrace_known_av) $(value dtrace_known_sd)" "9002 1 390 56 44"
bucket() { value "dtrace_known_$1_bucket{$2le=\"$3\"}"; }
key='execname="knownmetrics",'
same "quantize(), bucket by bucket" "$(for le in 0.0 1.0 3.0 63.0 127.0 255.0 511.0 +Inf; do bucket q "$key" $le; done | tr '\n' ' ')" "0 30 30 30 158 158 160 160 "
same "lquantize()" "$(for le in -1.0 49.0 99.0 +Inf; do bucket l "" $le; done | tr '\n' ' ')" "0 30 158 160 "
same "llquantize()" "$(for le in 0.0 1.0 9.0 59.0 69.0 99.0 299.0 399.0 +Inf; do bucket ll "" $le; done | tr '\n' ' ')" "0 30 30 30 158 158 158 160 160 "
same "percentiles()" "$(value dtrace_known_p_count) $(value 'dtrace_known_p{quantile="0.0"}') $(value 'dtrace_known_p{quantile="1.0"}')" "160 1 390"
sed -n 's/^X([A-Z]*, 0x[0-9a-f]*, \([a-z]*\),.*/\1/p' src/dif/aggs.def | sort >"$tmp/functions"
sed -n 's/^# HELP dtrace_known_[a-z]* @[a-z]*, \([a-z]*\)()$/\1/p' "$tmp/metrics" | sort >"$tmp/mapped"
[ -s "$tmp/functions" ] && diff "$tmp/functions" "$tmp/mapped" >"$tmp/log"
check $? "every aggregating function there is has a metric"
if /usr/bin/python3 -c 'import prometheus_client.openmetrics.parser' 2>/dev/null; then
	same "the strict parser of OpenMetrics reads all of it" "$(/usr/bin/python3 -c 'import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
names = [f.name for f in parse(open(sys.argv[1], newline="").read())]
print(len(names) == len(set(names)), "dtrace_known_q" in names, "dtrace_agent_program_stops" in names)' "$tmp/metrics" 2>&1 | tail -n 1)" "True True True"
else
	echo "ok - the strict parser of OpenMetrics reads all of it # SKIP no python3-prometheus-client"
fi

# the dashboard: every metric in every expression is served
cat /nosuch/file 2>/dev/null	# something that fails
names() { python3 -c 'import json, re, sys
board = json.load(open("package/grafana.json"))
exprs = [t["expr"] for p in board["panels"] for t in p["targets"]] + [v["definition"] for v in board["templating"]["list"]]
ids = [p["id"] for p in board["panels"]]
assert board["panels"] and len(ids) == len(set(ids)) and board["schemaVersion"] >= 36
assert all(p["gridPos"]["x"] + p["gridPos"]["w"] <= 24 for p in board["panels"])
print("\n".join(sorted({n for e in exprs for n in re.findall(r"\bdtrace_\w+", e)})))'; }
names >"$tmp/names"
[ "$(wc -l <"$tmp/names")" -gt 8 ]
check $? "the dashboard asks for metrics"
served() {
	scrape "$port" || return
	for name in $(cat "$tmp/names"); do
		grep -q "^$name[{ ]" "$tmp/metrics" || { echo "$name is not served" >"$tmp/log"; return 1; }
	done
}
waits served
check $? "each of them is served: $(cat "$tmp/log")"

command -v prometheus >/dev/null || { echo "ok - Prometheus # SKIP no prometheus"; exit 0; }
printf 'global:\n  scrape_interval: 500ms\n  scrape_timeout: 500ms\nscrape_configs:\n  - job_name: d\n    static_configs:\n      - targets: ["127.0.0.1:%s"]\n' "$port" >"$tmp/p.yml"
listen=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
prometheus --config.file="$tmp/p.yml" --storage.tsdb.path="$tmp/tsdb" --web.listen-address="127.0.0.1:$listen" >"$tmp/prometheus.log" 2>&1 &
prometheus=$!
agents="$agents $prometheus"
load 1 40
cat >"$tmp/ask.py" <<'P'
import json, os, sys, time, urllib.error, urllib.parse, urllib.request
def ask(query):
    try:
        with urllib.request.urlopen('http://127.0.0.1:%s/api/v1/query?query=%s' % (sys.argv[1], urllib.parse.quote(query))) as r:
            return [x['value'][1] for x in json.load(r)['data']['result']]
    except urllib.error.HTTPError as e:
        return ['refused: ' + e.read().decode()]
    except OSError:
        return []
def wait(query, wanted):
    until = time.time() + 120
    while ask(query) != wanted:
        if time.time() > until:
            sys.exit('%s is %s, not %s' % (query, ask(query), wanted))
        os.kill(int(sys.argv[2]), 0); time.sleep(0.1)
wait('dtrace_known_c_total', ['200'])
wait('dtrace_known_s', ['9042'])
wait('dtrace_known_q_bucket{le="1.0"}', ['70'])
wait('dtrace_known_p_count', ['200'])
wait('dtrace_agent_program_running{program="known"}', ['1'])
board = json.load(open('package/grafana.json'))
for p in board['panels']:
    for t in p['targets']:
        got = ask(t['expr'].replace('$__rate_interval', '1m').replace('$instance', '.*'))
        if got and got[0].startswith('refused'):
            print(t['expr'], got)
print('equal', ask('up'))
P
same "Prometheus has the numbers of the load, and understands the dashboard" "$(timeout 200 python3 "$tmp/ask.py" "$listen" "$prometheus" 2>&1)" "equal ['1']"
