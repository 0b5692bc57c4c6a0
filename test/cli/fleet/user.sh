# SPDX-License-Identifier: BSD-2-Clause
# An agent that is not root: a user of its own with four capabilities, as doc/FLEET.md says for systemd. It counts exactly what others
# do; without the capabilities it says what is missing.
. test/cli/helpers.inc
known=knownuser	# scripts run beside each other
. test/trigger/always.sh
always_begin "an agent with a user of its own"
command -v setpriv >/dev/null || always_skip "an agent with a user of its own" "setpriv is not installed"
chmod 755 "$tmp"
cp "$build/dtraced" "$tmp/dtraced"
mkdir "$tmp/d"
printf '#pragma D option aggrate=100ms\nsyscall::write:entry /execname == "%s"/ { @[execname] = count(); }\n' "$known" >"$tmp/d/calls.d"
printf 'always %s/d memory=4000 cpu=100000\nmetrics 127.0.0.1:0\n' "$tmp" >"$tmp/agent.conf"
chmod -R go+rX "$tmp/d" "$tmp/agent.conf" "$tmp/dtraced"
as_user() {	# as_user NAME CAPABILITIES: its log is $tmp/NAME.log
	caps=$2
	: >"$tmp/$1.log"
	(cd "$tmp" && exec setpriv --reuid 65534 --regid 65534 --clear-groups "--bounding-set=$caps" "--inh-caps=$caps" "--ambient-caps=$caps" \
	    "$tmp/dtraced" --config "$tmp/agent.conf" --name own) 2>"$tmp/$1.log" >/dev/null </dev/null &
	agent=$!
	agents="$agents $agent"
	waits grep -q 'metrics are at\|setpriv:' "$tmp/$1.log"
	! grep -q 'setpriv:' "$tmp/$1.log" || always_skip "an agent with a user of its own" "$(cat "$tmp/$1.log")"
	port=$(sed -n 's|.*http://127.0.0.1:\([0-9]*\)/metrics$|\1|p' "$tmp/$1.log")
}
as_user some -all,+bpf,+perfmon,+sys_ptrace,+syslog
waits logged some "program calls runs"
check $? "a program runs with CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE and CAP_SYSLOG"
same "not as root" "$(awk '$1 == "Uid:" { print $3 }' "/proc/$agent/status")" 65534
load 100 50
waits has_value "$port" 'dtrace_calls_count_total{execname="knownuser"}' 50
check $? "it counts what root does, exactly"
as_user none -all
waits logged none "program calls has failed and is started again: "
check $? "without them the reason is logged"
grep -qi 'privilege\|CAP_BPF' "$tmp/none.log"
check $? "and names what is missing: $(grep failed "$tmp/none.log" | head -n 1)"
