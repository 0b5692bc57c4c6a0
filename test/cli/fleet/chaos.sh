# SPDX-License-Identifier: BSD-2-Clause
# slow
# dtrace --hosts when parts fail: an agent killed, paused, started anew, late; the bus restarted; the asker killed. Each run ends,
# says what is missing, and what it shows is that of the hosts that are in it; nothing stays attached.
. test/cli/helpers.inc
. test/trigger/fleet.sh
fleet_begin "failures of a fleet"
probe='BEGIN { printf("ready\n"); } tick-10ms { @[hostname] = count(); } END { printa("has %s\n", @); }'
has() { grep -q "^has $1\$" "$tmp/out"; }
hasnt() { ! has "$1"; }

# an agent is killed: its worker too, and the others' result is shown without it
begin_ask alice 3 --hosts '*' -qn "$probe"
kill -9 "$(agent web2)"
waits attached web2
check $? "nothing of an agent that was killed stays attached"
waits grep -q 'web2: it does not answer' "$tmp/err"
check $? "the host is named"
end_ask INT
same "the status says that something is missing" "$status" 3
has web1 && has db1 && hasnt web2
check $? "what it had counted is not in the result"
grep -q 'web2: its counts are missing' "$tmp/err" && grep -q '2 of 3 hosts answered, the result is not complete' "$tmp/err"
check $? "and that is said"
start_agent web2

# it comes back while the others run: from then on it counts, once
begin_ask alice 3 --hosts '*' -qn "$probe"
kill -9 "$(agent web2)"
waits grep -q 'web2: it does not answer' "$tmp/err"
start_agent web2
waits eval '[ "$(grep -c ready "$tmp/out")" -eq 4 ]'
check $? "an agent that was started anew takes part again"
end_ask INT
same "a key of it is there once" "$(grep -c 'has web2' "$tmp/out")" 1
grep -q 'web2: it came back 1 time' "$tmp/err"
check $? "that is said"

# paused for longer than we wait, then on again: what it had of the old run does not count
begin_ask alice 3 --hosts '*' -qn "$probe"
kill -STOP "$(agent db1)"
waits grep -q 'db1: it does not answer' "$tmp/err"
check $? "a host that is paused is named"
end_ask INT
grep -q 'db1: its counts are missing' "$tmp/err" && hasnt db1 && has web1
check $? "the run ends without it"
kill -CONT "$(agent db1)"
waits attached db1
check $? "its worker ends when it goes on"

# a host that comes later joins
kill "$(agent web1)"
waits ended "$(agent web1)"
begin_ask alice 2 --hosts '*' -qn "$probe"
start_agent web1
waits eval '[ "$(grep -c ready "$tmp/out")" -eq 3 ]'
check $? "a host that comes later joins"
end_ask INT
has web1 && [ "$status" -eq 0 ]
check $? "and is in the result"

# the bus is killed and comes back: what was lost is sent again
begin_ask alice 3 --hosts '*' -qn "$probe tick-10ms { n++; printf(\"%s %d\\n\", hostname, n); }"
waits grep -q 'web1 20$' "$tmp/out"
kill -9 "$bus_pid"
waits ended "$bus_pid"
: >"$tmp/nats.log"
start_bus
lines() { tail -n 1 "$tmp/out"; }
before=$(wc -l <"$tmp/out")
waits eval '[ "$(wc -l <"$tmp/out")" -gt $((before + 100)) ]'
check $? "it goes on after the bus was killed"
end_ask INT
if [ "$status" -eq 0 ]; then
	for host in web1 web2 db1; do
		sed -n "s/^$host //p" "$tmp/out" | awk '$1 != NR { exit 1 }' || bad "records of $host are lost or doubled"
	done
	ok "with no record lost or doubled"
else
	grep -q 'result is not complete' "$tmp/err"
	check $? "what was lost is said"
fi

# the asker is killed: agents stop
begin_ask alice 3 --hosts '*' -qn "$probe"
kill -9 "$asker"
waits attached web1 && waits attached web2 && waits attached db1
check $? "agents stop when the asker is gone"
ask alice --hosts '*' -qn 'BEGIN { exit(0); }'
is "and serve the next one" 0 "3 of 3 hosts answered"
