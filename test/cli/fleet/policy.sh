# SPDX-License-Identifier: BSD-2-Clause
# What agents refuse, and what the bus keeps from those without rights: users, providers, options, destructive actions, how many,
# how long; names and URLs that are none.
. test/cli/helpers.inc
if [ -n "$(nm "$dtrace" 2>/dev/null | grep -m1 __asan_init)" ]; then
	ok "policies of a fleet # SKIP a sanitizer needs more addresses than a policy allows"
	exit 0
fi
. test/trigger/fleet.sh
policy='allow bob providers=syscall,profile seconds=2 runs=1 memory=2000
allow alice'
fleet_begin "policies of agents"

refused() { ask "$2" --hosts web1 -qn "$4"; is "$1" 1 "$3"; }

ask eve --hosts '*' -qn 'BEGIN { exit(0); }'
is "a user without a line is refused" 1 "refused: the policy of this host has no line for this user"
printf 'user alice\n' >>"$tmp/eve.conf"	# eve says that she is alice: the server does not let her
ask eve --hosts '*' -qn 'BEGIN { printf("got in\n"); exit(0); }'
same "a user that says it is another gets no answer" "$status $(grep -c 'got in' "$tmp/out")" "1 0"
sed -i '/^user alice/d' "$tmp/eve.conf"

allowed='syscall::write:entry { exit(0); } tick-1s { exit(0); } BEGIN { exit(0); }'
ask bob --hosts web1 -qn "$allowed"
is "what the policy allows runs" 0 "1 of 1 host answered"
for text in 'sched:::on-cpu { }' 'io:::start { }' 'proc:::exec { }' 'lockstat::: { }' 'rawtp::: { }'; do
	refused "provider of $text" bob "does not allow this provider" "$text"
done
for text in 'sys*:::entry { }' '*:::entry { }' ':::entry { }' 'write:entry { }' '::: { }' 's?scall:::entry { }'; do
	refused "pattern $text" bob "have to be written in full" "$text"
done
for text in 'system("id")' 'stop()' 'raise(9)' 'chill(1)' 'copyout((void *)1, 0, 1)' 'copyoutstr("", 0, 1)' \
    'freopen("/tmp/x")'; do
	ask alice --hosts web1 -qn "BEGIN { $text; exit(0); }"
	[ "$status" -ne 0 ] && grep -qi 'destructive' "$tmp/err"
	check $? "destructive: $text"
done
for option in destructive libdir=/tmp cpppath=/bin/sh oformat=json hostroot=/ undumpable target=all container=x cgroup=/x replay=/etc/passwd; do
	refused "option $option in a program" alice "refused: agents do not take this option" "#pragma D option $option
BEGIN { exit(0); }"
done
ask alice --hosts web1 -x libdir=/tmp -qn 'BEGIN { exit(0); }'
is "option of the command line" 1 "agents do not take this option of askers"
ask alice --hosts web1 -w -qn 'BEGIN { exit(0); }'
is "-w" 2 "agents never run destructive actions"
ask alice --hosts web1 -p 1 -qn 'BEGIN { exit(0); }'
is "-p" 2 "does not go with --hosts"

for text in 'pid$target:::entry { }' 'pid1:::entry { }' 'fbt:::entry { }'; do	# some are not there at all, which is said first
	ask bob --hosts web1 -qn "$text"
	[ "$status" -eq 1 ] && grep -q '0 of 1 host answered' "$tmp/err"
	check $? "provider of $text"
done

# at once, and for how long
begin_ask bob 1 --hosts web1 -qn 'BEGIN { printf("ready\n"); } tick-10ms { @ = count(); }'
mv "$tmp/out" "$tmp/first"
ask bob --hosts web1 -qn 'BEGIN { exit(0); }'
is "more at once than allowed" 1 "as many programs run already"
wait "$asker"
waits grep -q 'ends: it ran as long as the policy' "$tmp/web1.log"
check $? "the time of the policy ends a run"
waits attached web1
check $? "nothing stays attached"
grep -q 'eve, .*: refused\|bob, .*: refused' "$tmp/web1.log"
check $? "refusals are in the agent's log"

# a host where the probes cannot be enabled is said to have failed, whatever it has written before
echo "allow eve cgroup=/no-such-group" >>"$tmp/db1.conf"
kill "$(agent db1)"
waits ended "$(agent db1)"
start_agent db1
ask eve --hosts db1 -qn 'syscall:::entry { @ = count(); } tick-1s { exit(0); }'
is "a control group that is not there" 1 "db1: failed: could not enable tracing"

# names, URLs
ask alice --hosts 'web1 
PUB x' -qn 'BEGIN { }'
is "a pattern with a line in it" 2 "a pattern is of letters"
ask alice --bus nats://10.77.0.1:4222 --hosts '*' -qn 'BEGIN { }'
is "a bus without TLS that is not local" 1 "a bus without TLS is used on this machine alone"
ask alice --bus "tls://10.77.0.1:4222
" --hosts '*' -qn 'BEGIN { }'
is "a URL with a line in it" 1 "a character that cannot be in it"
"$build/dtraced" --config "$tmp/web1.conf" --name 'a b' >"$tmp/out" 2>"$tmp/err"
status=$?
is "a name of a host with a blank" 2 "the name of the host has to be of letters"
printf 'allow alice wheels=4\n' >"$tmp/bad.conf"
"$build/dtraced" --config "$tmp/bad.conf" >"$tmp/out" 2>"$tmp/err"
status=$?
is "a wrong line of settings" 2 'line 1: "allow" is no setting'

# a host that lies about its name is not shown under it, and control characters do not reach the terminal
ask alice --hosts web1 -qn 'BEGIN { printf("\033[31mred\n"); exit(0); }'
is "text of a program" 0 "red"
