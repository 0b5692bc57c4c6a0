# SPDX-License-Identifier: BSD-2-Clause
# slow
# dtraced --relay: the answer through relays is the answer of the hosts, each named and counted once, whatever the way to it; a relay
# that is killed is said to be missing with its hosts, which answer for themselves then.
. test/cli/helpers.inc
. test/trigger/fleet.sh
fleet_relays='rack1 rack2 top' fleet_agents=
fleet_begin "relays"
in_all() { grep -q "^has $1\$" "$tmp/out"; }
probe='BEGIN { printf("ready\n"); } tick-10ms { @[hostname] = count(); } END { printa("has %s\n", @); }'

start_agent rack1 --relay r1 && start_agent web1 --group r1 && start_agent web2 --group r1 && start_agent db1
check $? "a relay, two hosts of its group, one of none"

# each host once, in the order of a merge of merges; actions that hosts leave to who merges last
ask alice --hosts '*' -qn 'BEGIN { @[hostname] = count(); @all = count(); @q = quantize(1); exit(0); }'
is "each host is counted once" 0 "3 of 3 hosts answered"
same "with its own name" "$(grep -cE '^  (web1|web2|db1) +1$' "$tmp/out")" 3
same "sums are those of all" "$(grep -cE '^ +3$' "$tmp/out") $(grep -cE '^ +1 \|@+ 3' "$tmp/out")" "1 1"
ask alice --hosts 'web2,db1' -qn 'BEGIN { @[hostname] = count(); exit(3); }'
is "hosts behind a relay are chosen by name" 3 "2 of 2 hosts answered"
same "only they answer" "$(sed -n 's/^ *\([a-z0-9]*\) .*/\1/p' "$tmp/out" | sort | tr '\n' ' ')" "db1 web2 "
ask alice --hosts role=web -qn 'BEGIN { exit(0); }'
is "and by label" 0 "2 of 2 hosts answered"
ask alice --hosts 'web1,web9' -qn 'BEGIN { exit(0); }'
is "a name that nobody has is missing" 3 "web9: missing: no host of that name has answered"
ask alice --hosts '*' -qn 'BEGIN { @[1] = sum(5); @[2] = sum(2); @[3] = sum(1); @[4] = count(); }
    tick-50ms { n++; } tick-50ms /n == 4/ { exit(0); } END { trunc(@, 1); printa("%d %@d\n", @); }'
is "the same function twice is an error of the program" 1 "aggregation"
ask alice --hosts '*' -qn 'BEGIN { @[1] = sum(5); @[2] = sum(2); @[3] = sum(1); }
    tick-50ms { n++; } tick-50ms /n == 4/ { exit(0); } END { trunc(@, 1); printa("%d %@d\n", @); }'
same "trunc() cuts after the last merge" "$(grep -v '^$' "$tmp/out")" "1 15"
ask alice --hosts '*' -qn 'BEGIN { @[hostname] = sum(hostname == "web1" ? 1 : hostname == "web2" ? 3 : 2); }
    tick-50ms { n++; } tick-50ms /n == 4/ { exit(0); } END { trunc(@, 1); printa("%s %@d\n", @); }'
same "also where a relay would cut another" "$(grep -v '^$' "$tmp/out")" "web2 3"
ask alice --hosts 'web*' -qn 'tick-10ms { @ = count(); n++; } tick-10ms /n == 20/ { printa("sum %@d\n", @); clear(@); }
    tick-10ms /n == 40/ { printa("sum %@d\n", @); clear(@); } tick-10ms /n == 80/ { exit(0); }'
same "printa() of a tick probe is one of all hosts" "$(grep -c '^sum 40$' "$tmp/out")" 2
ask alice --hosts 'web*' -qn 'tick-20ms { printf("%d\n", walltimestamp / 1000000); n++; } tick-20ms /n == 20/ { exit(0); }'
grep . "$tmp/out" | sort -n -c 2>"$tmp/log"
check $? "records are in the order of time"
[ "$(grep -c . "$tmp/out")" -gt 25 ]
check $? "of both hosts"
ask alice --hosts '*' -qn 'BEGIN { trace(*(int *)8); }  tick-10ms { exit(0); }'
grep -q 'dtrace: error.*web1: ' "$tmp/err" || grep -q 'web1: .*error' "$tmp/err"
check $? "errors have the name of their host"
ask alice --hosts '*' -ln 'syscall::write:entry'
grep -q '^    3 *syscall .*write entry$' "$tmp/out"
check $? "-l counts hosts behind relays"
ask alice --hosts '*' -qn 'BEGIN { nosuch; }'
is "a mistake in the program" 1 "failed: invalid probe specifier"
same "is said once, for all hosts" "$(grep -c 'failed: invalid' "$tmp/err") $(grep -c 'db1.*web.*web.*: failed' "$tmp/err")" "1 1"
ask bob --hosts '*' -qn 'BEGIN { exit(0); }'
grep -q 'web1.*web2.*: refused: the policy\|web2.*web1.*: refused: the policy' "$tmp/err"
check $? "hosts refuse users that the relay lets through"

# a host behind it is killed
begin_ask alice 3 --hosts '*' -qn "$probe"
kill -9 "$(agent web2)"
waits grep -q 'web2: it does not answer' "$tmp/err"
check $? "a host that is lost behind a relay is named at once"
end_ask INT
same "the status says that something is missing" "$status" 3
in_all web1 && in_all db1 && ! in_all web2
check $? "its counts are not in the result"
grep -q 'web2: its counts are missing' "$tmp/err" && grep -q '2 of 3 hosts answered, the result is not complete' "$tmp/err"
check $? "and the end says so"

# a second relay of the same group: hosts take part once
start_agent web2 --group r1
start_agent rack2 --relay r1
ask alice --hosts '*' -qn 'BEGIN { @[hostname] = count(); exit(0); }'
is "two relays of a group" 0 "3 of 3 hosts answered"
same "count each host once" "$(grep -cE '^  (web1|web2|db1) +1$' "$tmp/out")" 3

# relays of relays
kill "$(agent rack2)"
waits ended "$(agent rack2)"
kill "$(agent rack1)"
waits ended "$(agent rack1)"
start_agent rack1 --relay r1 --group dc && start_agent top --relay dc
waits eval 'ask alice --hosts "*" -qn "BEGIN { @[hostname] = count(); exit(0); }"; [ $status -eq 0 ] && grep -q "3 of 3 hosts answered\$" "$tmp/err"'
check $? "a relay of relays: each host answers"
same "and is counted once" "$(grep -cE '^  (web1|web2|db1) +1$' "$tmp/out")" 3

# a relay is killed: its hosts are named, stop, and answer for themselves from then on
kill "$(agent top)"
waits ended "$(agent top)"
begin_ask alice 3 --hosts '*' -qn "$probe"
kill -9 "$(agent rack1)"
waits grep -q 'web1: it does not answer' "$tmp/err" && waits grep -q 'web2: it does not answer' "$tmp/err"
check $? "hosts of a relay that was killed are named"
waits eval '[ "$(grep -c ready "$tmp/out")" -eq 5 ]'
check $? "they join again without it"
end_ask INT
in_all web1 && in_all db1 && in_all web2 && same "each is a key once" "$(grep -c '^has' "$tmp/out")" 3
grep -q 'web1: it came back 1 time' "$tmp/err"
check $? "what was lost is said"
for host in web1 web2 db1; do waits attached $host || bad "$host still traces"; done
