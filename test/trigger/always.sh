# SPDX-License-Identifier: BSD-2-Clause
# For scripts of test/cli/fleet: an agent without a bus that runs the programs of a folder. Sourced after helpers.inc.
# $known is the name of its load, which no script beside it may have.
build=${BUILD:-build}
agents= collector=

always_skip() { echo "ok - $1 # SKIP $2"; exit 0; }

# always_begin WHAT: skips the script where that cannot be
always_begin() {
	may_trace "$1"
	command -v python3 >/dev/null || always_skip "$1" "python3 is not installed"
	[ -x "$build/dtraced" ] || always_skip "$1" "dtraced is not built: libnats-dev is missing"
	trap 'kill $agents $collector 2>/dev/null; wait; rm -rf "$tmp"' EXIT
	cp "$(command -v dd)" "$tmp/$known"
}

# start_agent NAME BUDGET [LINE…]: settings of an agent with the folder $tmp/NAME.d; its log is $tmp/NAME.log, its number in $agent,
# the port of its metrics in $port
start_agent() {
	agent_name=$1
	mkdir -p "$tmp/$1.d"
	printf 'always %s/%s.d %s\nmetrics 127.0.0.1:0\n' "$tmp" "$1" "$2" >"$tmp/$1.conf"
	shift 2
	for line; do echo "$line" >>"$tmp/$agent_name.conf"; done
	: >"$tmp/$agent_name.log"
	"$build/dtraced" --config "$tmp/$agent_name.conf" --name here 2>"$tmp/$agent_name.log" >/dev/null </dev/null &
	agent=$!
	agents="$agents $agent"
	waits grep -q 'metrics are at' "$tmp/$agent_name.log" || { bad "an agent: $(cat "$tmp/$agent_name.log")"; exit 1; }
	port=$(sed -n 's|.*http://127.0.0.1:\([0-9]*\)/metrics$|\1|p' "$tmp/$agent_name.log")
}

scrape() {	# scrape PORT: into $tmp/metrics
	python3 -c 'import sys, urllib.request
sys.stdout.write(urllib.request.urlopen("http://127.0.0.1:%s/metrics" % sys.argv[1], timeout=60).read().decode())' "$1" >"$tmp/metrics" 2>"$tmp/log"
}
# value SAMPLE: of the last scrape
value() { awk -v name="$1" 'substr($0, 1, length(name) + 1) == name " " { print substr($0, length(name) + 2) }' "$tmp/metrics"; }
has_value() { scrape "$1" && [ "$(value "$2")" = "$3" ]; }	# has_value PORT SAMPLE VALUE
logged() { grep -qF -e "$2" "$tmp/$1.log"; }		# logged NAME TEXT

# load SIZE COUNT: that many calls of write() of that size, and no other
load() { "$tmp/$known" if=/dev/zero of=/dev/null "bs=$1" "count=$2" status=none; }

# Every aggregating function, of the calls of `load`; the numbers of it after `known_load`
every_function() {
	cat <<-DONE
		#pragma D option aggrate=100ms
		syscall::write:entry /execname == "$known"/
		{
			@c[execname] = count(); @s = sum(arg2); @mi = min(arg2); @ma = max(arg2); @av = avg(arg2); @sd = stddev(arg2);
			@q[execname] = quantize(arg2); @l = lquantize(arg2, 0, 100, 50); @ll = llquantize(arg2, 10, 0, 2, 10); @p = percentiles(arg2);
		}
	DONE
}
known_load() { load 1 30; load 64 128; load 390 2; }

# start_collector PORT: start an OTLP collector (collector.py), 0 for any port; `answer` sets its response
start_collector() {
	mkdir -p "$tmp/got" "$tmp/not"
	rm -f "$tmp/port"
	python3 test/trigger/collector.py "$tmp" "$1" 2>"$tmp/collector.log" &
	collector=$!
	waits [ -s "$tmp/port" ]
}
answer() { echo "$*" >"$tmp/answer.new" && mv "$tmp/answer.new" "$tmp/answer"; }

# need_decoder: OpenTelemetry's decoder and protobufjs, in $modules; $node is empty if they cannot be installed. Scripts that run
# concurrently share them: the first one installs them, and the folder gets its name when it is complete.
need_decoder() {
	modules=$build/otlp node=
	command -v npm >/dev/null && node=$(command -v node) || return 0
	(
		flock 9
		[ -d "$modules/node_modules" ] && exit
		rm -rf "$modules" "$modules.new"
		npm install --prefix "$modules.new" --no-save --ignore-scripts --no-audit --no-fund @opentelemetry/otlp-transformer@0.208.0 >"$tmp/npm" 2>&1 &&
			mv "$modules.new" "$modules"
	) 9>"$build/otlp.lock" || node=
}
