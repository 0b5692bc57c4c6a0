# SPDX-License-Identifier: BSD-2-Clause
# Programs that the agent runs always: files that are added, changed, removed and broken, budgets, workers that die, and what the
# metrics say of all of it. Without a bus.
. test/cli/helpers.inc
known=knownalways	# scripts run beside each other
. test/trigger/always.sh
always_begin "programs that run always"

mkdir "$tmp/one.d" "$tmp/memory.d" "$tmp/cpu.d"
cat >"$tmp/one.d/calls.d" <<'D'
#pragma D option aggrate=100ms
syscall::write:entry /execname == "knownalways"/ { @[execname] = count(); @bytes = sum(arg2); }
D
echo 'BEGIN { nosuch(); }' >"$tmp/one.d/broken.d"
echo 'tick-1ms { printf("x"); }' >"$tmp/one.d/fast.d"
echo 'BEGIN { @ = count(); exit(0); }' >"$tmp/one.d/once.d"
echo 'BEGIN { }' >"$tmp/one.d/agent.d"
echo 'BEGIN { }' >"$tmp/one.d/a_b.d"
echo 'BEGIN { }' >"$tmp/one.d/open.d"
chmod go+w "$tmp/one.d/open.d"
echo 'BEGIN { system("touch %s", "/nosuch/file"); }' >"$tmp/one.d/destroys.d"
printf '#pragma D option destructive\nBEGIN { }\n' >"$tmp/one.d/wants.d"
echo 'BEGIN { nothing to see' >"$tmp/one.d/notes.txt"
printf '#pragma D option aggrate=100ms\ntick-1ms { n++; @[n] = quantize(n); }\n' >"$tmp/memory.d/fat.d"
printf '#pragma D option aggrate=1ms\nprofile-4999 { @[stack()] = count(); }\n' >"$tmp/cpu.d/busy.d"
start_agent memory "memory=1 cpu=100000 samples=10000000"
start_agent cpu "memory=4000 cpu=1 samples=1000000"
start_agent one "memory=4000 cpu=100000 rate=100"
one=$port

waits logged one "program calls runs"
check $? "a program of the folder runs"
waits logged one "program broken is not run: failed to compile the script: line 1: undefined function name: nosuch"
check $? "a wrong one is logged with the message of the compiler"
waits logged one '| BEGIN { nosuch(); }'
check $? "and the place"
waits logged one "program once has ended by itself"
check $? "exit() ends one"
waits has_value "$one" dtrace_once_count_total 1
check $? "what it counted stays there"
waits logged one "program agent.d is not run: the name is that of metrics of the agent"
check $? "a name of ours is refused"
waits logged one "program a_b.d is not run: its name has to be of letters and digits"
check $? "so is one that could be mistaken for another's metrics"
waits logged one "program open is not run: others may write it: chmod go-w"
check $? "a file that others may write is refused"
waits logged one "program destroys is not run: "
check $? "destructive actions are refused"
waits logged one "program wants is not run: agents do not take this option of programs: destructive"
check $? "so are options that give rights"
logged one notes
[ $? -ne 0 ]
check $? "other files are left alone"

load 100 50
waits has_value "$one" 'dtrace_calls_count_total{execname="knownalways"}' 50
check $? "counts are exact"
same "sums too" "$(value dtrace_calls_bytes)" 5000
same "the agent's own metrics: running" "$(value 'dtrace_agent_program_running{program="calls"}') $(value 'dtrace_agent_program_running{program="broken"}')" "1 0"

echo 'BEGIN { @fixed = count(); }' >"$tmp/new" && mv "$tmp/new" "$tmp/one.d/broken.d"
waits has_value "$one" dtrace_broken_fixed_total 1
check $? "a changed file is run anew"
echo 'BEGIN { @later = count(); }' >"$tmp/new" && mv "$tmp/new" "$tmp/one.d/added.d"
waits has_value "$one" dtrace_added_later_total 1
check $? "an added one is run"
rm "$tmp/one.d/added.d"
gone() { scrape "$one" && ! grep -q dtrace_added "$tmp/metrics" && ! grep -q 'program="added"' "$tmp/metrics"; }
waits gone
check $? "a removed one is gone, and its metrics"

workers() { pgrep -P "$1" -f -- --worker; }
first=$agent
kill -9 $(workers "$first")
waits logged one "program calls has failed and is started again: it was killed by signal 9"
check $? "a worker that is killed is started again"
waits has_value "$one" 'dtrace_agent_program_restarts_total{program="calls"}' 1
check $? "restarts are counted"
again() { [ "$(grep -c 'program calls runs' "$tmp/one.log")" -ge 2 ]; }
waits again
load 100 7
waits has_value "$one" 'dtrace_calls_count_total{execname="knownalways"}' 7
check $? "and it counts"

waits logged one "records a second, its budget is 100 (rate=)"
check $? "too many records: stopped, with the reason"
waits has_value "$one" 'dtrace_agent_program_stops_total{program="fast",budget="rate"}' 1
check $? "and a metric"
waits has_value "$one" 'dtrace_agent_program_running{program="fast"}' 0
same "the others run" "$? $(value 'dtrace_agent_program_running{program="calls"}')" "0 1"
waits logged memory "MiB of memory, its budget is 1 (memory=)"
check $? "too much memory: stopped"
waits logged cpu "of a CPU, its budget is 1 (cpu=)"
check $? "too much of a CPU: stopped"

# samples: one key more than there may be
mkdir "$tmp/keys.d"
printf '#pragma D option aggrate=100ms\ntick-1ms { n++; @[n] = count(); }\n' >"$tmp/keys.d/keys.d"
start_agent keys "samples=5 memory=4000 cpu=100000 rate=1000000"
waits logged keys "samples, its budget is 5 (samples=)"
check $? "too many samples: stopped"

# nothing stays
lived=$(workers "$first")
[ -n "$lived" ]
check $? "there are workers"
kill -9 "$first"
none() { for w in $lived; do ! kill -0 "$w" 2>/dev/null || return 1; done; }
waits none
check $? "an agent that is killed leaves none of them"
kill -TERM "$agent"
wait "$agent"
same "SIGTERM ends an agent properly" $? 0

# settings
"$build/dtraced" --config /dev/null --name x 2>"$tmp/err"
status=$?
if [ ! -d /etc/dtrace/always.d ]; then
	same "an agent without bus and folder has nothing to do" "$status $(grep -c 'nothing to do: neither a bus' "$tmp/err")" "2 1"
fi
refused() {	# refused LINE WHAT
	echo "$1" >"$tmp/bad.conf"
	"$build/dtraced" --config "$tmp/bad.conf" 2>"$tmp/err"
	same "$2 is refused" "$? $(grep -c 'is no setting, or has a wrong value' "$tmp/err")" "2 1"
}
refused "always /tmp cpu=0" "a budget of nothing"
refused "always /tmp speed=1" "a budget that does not exist"
refused "otlp http://x every=0" "OTLP without a pause"
