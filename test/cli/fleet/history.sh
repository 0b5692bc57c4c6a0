# SPDX-License-Identifier: BSD-2-Clause
# The history of programs that run always, kept by JetStream: exact counts of every aggregating function, windows of time, records in
# order, clear() that takes nothing away, messages that are lost and doubled, agents that are started again, programs that change.
. test/cli/helpers.inc
known=knownpast	# scripts run beside each other
. test/trigger/always.sh
may_trace "history"
for word in nats-server python3; do
	command -v $word >/dev/null || always_skip "history" "$word is not installed"
done
[ -x "$build/dtraced" ] || always_skip "history" "dtraced is not built: libnats-dev is missing"
servers=
trap 'kill $agents $servers 2>/dev/null; wait; rm -rf "$tmp"' EXIT
cp "$(command -v dd)" "$tmp/$known"
mkdir "$tmp/d"

# A bus on this machine; who may do what is what doc/FLEET.md says.
user() { printf '{ nkey: %s, permissions: { publish: { allow: [%s] }, subscribe: { allow: [%s] } } }\n' "$(tools/nkey "$tmp/$1.seed")" "$2" "$3"; }
api='$JS.API.STREAM.INFO.dtrace'
for who in web1 web2; do
	user $who "\"dt.out.*.*.$who\", \"dt.history.$who.*\", \"$api\", \"\$JS.API.STREAM.CREATE.dtrace\", \"\$JS.API.STREAM.UPDATE.dtrace\"" \
	    "\"dt.ask.*.all\", \"dt.ask.*.to.$who\", \"dt.inbox.$who.>\"" >>"$tmp/users"
done
user alice "\"dt.ask.alice.>\", \"$api\", \"\$JS.API.CONSUMER.CREATE.dtrace.>\", \"\$JS.API.CONSUMER.CREATE.dtrace\", \"\$JS.API.CONSUMER.INFO.dtrace.*\", \"\$JS.API.CONSUMER.DELETE.dtrace.*\", \"\$JS.FC.>\"" \
    '"dt.out.alice.>", "dt.inbox.alice.>"' >>"$tmp/users"
start_bus() {	# start_bus NAME LINE: its port is in $bus_port
	printf 'listen: "127.0.0.1:-1"\n%s\n' "$2" >"$tmp/$1.nats"
	: >"$tmp/$1.log"
	nats-server -c "$tmp/$1.nats" >"$tmp/$1.log" 2>&1 &
	servers="$servers $!"
	waits grep -Eq "Server is ready|nats-server:" "$tmp/$1.log"
	bus_port=$(sed -n 's/.*client connections on 127.0.0.1:\([0-9]*\)$/\1/p' "$tmp/$1.log")
}
start_bus keeps "jetstream { store_dir: \"$tmp/js\" }
accounts { FLEET { jetstream: enabled, users: [ $(cat "$tmp/users")
{ user: admin, password: x } ] }
SYS { users: [ { user: sys, password: x } ] } }
system_account: SYS"
[ -n "$bus_port" ] || { bad "a bus with JetStream: $(cat "$tmp/keeps.log")"; exit 1; }
ok "a bus with JetStream"
settings() {	# settings NAME
	printf 'bus nats://127.0.0.1:%s\nnkey %s\nseed %s/%s.seed\n' "$bus_port" "$(sed -n "s/^$1 //p" "$tmp/keys")" "$tmp" "$1"
}
sed -n 's/^{ nkey: \([A-Z0-9]*\),.*dt\.inbox\.\([a-z0-9]*\)\..*/\2 \1/p' "$tmp/users" >"$tmp/keys"
for who in web1 web2; do
	{ settings $who; printf 'name %s\nlabel role=web\nalways %s/d memory=4000 cpu=100000 rate=1000000\nhistory dtrace every=1 age=2 size=64\n' "$who" "$tmp"; } >"$tmp/$who.conf"
done
{ settings alice; echo user alice; } >"$tmp/alice.conf"

every_function >"$tmp/d/calls.d"
cat >>"$tmp/d/calls.d" <<'D'
syscall::write:entry /execname == "knownpast"/ { @cleared = count(); @key[hostname] = sum(arg2); @gone[hostname] = count(); }
syscall::write:entry /execname == "knownpast" && arg2 == 390/ { printf("%s %d\n", hostname, arg2); }
tick-100ms { clear(@cleared); trunc(@gone); }
D
agent() {	# agent NAME: starts it
	"$build/dtraced" --config "$tmp/$1.conf" 2>>"$tmp/$1.log" >/dev/null </dev/null &
	echo $! >"$tmp/$1.pid"
	agents="$agents $!"
}
play() {	# play ARGS…: $status, $tmp/out, $tmp/err
	timeout 120 "$dtrace" --bus-config "$tmp/alice.conf" --play "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}
runs() { [ "$(grep -c 'program calls runs' "$tmp/$1.log")" -ge "$2" ]; }
: >"$tmp/web1.log"; : >"$tmp/web2.log"
agent web1; agent web2
waits runs web1 1 && waits runs web2 1
check $? "two agents run a program"

known_load
has() { play --hosts 'web*' --since "${3:--1h}" -q && grep -Eq "^ +web1 +$1\$" "$tmp/out" && grep -Eq "^ +web2 +$2\$" "$tmp/out"; }
waits has 9002 9002
[ $? -eq 0 ] || { bad "what each counted comes back: $(cat "$tmp/err" "$tmp/web1.log" "$tmp/web2.log")"; exit 1; }
ok "what each counted comes back"
same "of how many hosts, and from when to when, is said" "$(grep -Ec '^dtrace: history of 2 of 2 hosts, from [-0-9]+ [:0-9]+ to [-0-9]+ [:0-9]+$' "$tmp/err")" 1
same "from when on the bus has any is said" "$(grep -c '^dtrace: the bus has a history from ' "$tmp/err")" 1
same "records of both, in the order of time" "$(grep -Ec '^web[12] 390$' "$tmp/out")" 4
play --hosts role=web --since -1h -O json
python3 - "$tmp/out" >"$tmp/log" 2>&1 <<'P'
import json, sys
found, times = {}, []
for line in open(sys.argv[1]):
    r = json.loads(line)
    if r['type'] == 'probe':
        times.append(r['time'])
    if r['type'] == 'aggregation' and 'epid' not in r:
        for e in r['elements']:
            found[r['aggregations'][0]] = found.get(r['aggregations'][0], []) + [e]
def value(name): return found[name][0]['values'][0]
def buckets(name): return [(b['min'], b['count']) for b in value(name) if b['count']]
got = [value(n) for n in ('c', 's', 'mi', 'ma', 'av', 'sd', 'cleared')] + [buckets(n) for n in ('q', 'l', 'll')] + [value('p')['p99'], value('p')['count']]
print(got)
assert times == sorted(times), times
assert got == [320, 18004, 1, 390, 56, 44, 320, [(1, 60), (64, 256), (256, 4)], [(0, 60), (50, 256), (100, 4)], [(1, 60), (60, 256), (300, 4)], 390, 320]
assert [(e['keys'][0], e['values'][0]) for e in found['gone']] == [('web1', 160), ('web2', 160)]
P
check $? "every aggregating function is exact, whatever clear() and trunc() did: $(tail -n 3 "$tmp/log")"

# windows of time: a second load after a moment that no recording with the first one reaches
sleep 1.1
moment=$(date +%FT%T)
later() { play --hosts 'web*' --since "$moment" -q && grep -q 'history of 2 of 2' "$tmp/err"; }
waits later
load 10 50
waits has 500 500 "$moment"
check $? "--since leaves out what was before"
play --hosts 'web*' --until "$moment" -q
same "--until what came after" "$(grep -Ec '^ +web[12] +9002$' "$tmp/out")" 2
play --hosts web1 -q
same "one host of them, all of the time" "$(grep -Ec '^ +web1 +9502$' "$tmp/out") $(grep -c web2 "$tmp/out")" "1 0"
play --hosts 'web*' -O heatmap
same "as a page" "$status $(grep -c '<!DOCTYPE html>' "$tmp/out")" "0 1"

# what is lost, and what comes twice: the server's own API removes a message and publishes another again
port=$(sed -n 's/.*client connections on 127.0.0.1:\([0-9]*\)$/\1/p' "$tmp/keeps.log")
cat >"$tmp/api.py" <<'P'
import base64, json, socket, sys
s = socket.create_connection(('127.0.0.1', int(sys.argv[1])), timeout=60)
f = s.makefile('rb')
f.readline()
s.sendall(b'CONNECT {"user":"admin","pass":"x","verbose":false}\r\nSUB back 1\r\n')
def ask(what, text):
    s.sendall(b'PUB $JS.API.STREAM.MSG.%s.dtrace back %d\r\n%s\r\n' % (what, len(text), text))
    while True:
        line = f.readline()
        if line.startswith(b'MSG'):
            return json.loads(f.read(int(line.split()[-1]) + 2))
of = lambda n: ask(b'GET', b'{"seq":%d}' % n).get('message')
web1, n = [], 1
while len(web1) < 3:
    message = of(n)
    if message is None:
        continue                # not stored yet
    web1 += [n] if message['subject'] == 'dt.history.web1.calls' else []
    n += 1
message = of(web1[0])
bytes = base64.b64decode(message['data'])
s.sendall(b'PUB dt.history.web1.calls %d\r\n%s\r\n' % (len(bytes), bytes))
s.sendall(b'PUB dt.history.web1.calls 4\r\nlies\r\n')
print(ask(b'DELETE', b'{"seq":%d}' % web1[2])['success'])
P
same "a message is removed, one comes again" "$(python3 "$tmp/api.py" "$port")" True
missed() { play --hosts 'web*' -q; grep -q '^dtrace: web1: 1 message of its history' "$tmp/err"; }
waits missed	# the number of the next message shows it
same "both are said, by host" "$status $(grep -c '^dtrace: web1: 1 message of its history are lost: what they recorded is missing$' "$tmp/err") $(grep -c '^dtrace: web1: 1 messages came twice and count once$' "$tmp/err") $(grep -c 'web2: .*lost' "$tmp/err")" "3 1 1 0"
same "and that the result is not complete" "$(tail -n 1 "$tmp/err" | grep -c 'the result is not complete$')" 1

# an agent is killed and started again; then the program changes
kill -9 "$(cat "$tmp/web2.pid")"
sleep 2
agent web2
waits runs web2 2
gap() { play --hosts web2 -q; grep -q '^dtrace: web2: nothing was recorded from .* to .*: the program was started again$' "$tmp/err"; }
waits gap
check $? "an agent that was killed: from when to when nothing was recorded"
same "what it had recorded before is there" "$(grep -Ec '^ +web2 +9502$' "$tmp/out")" 1
echo 'syscall::write:entry /execname == "knownpast"/ { @other[hostname] = count(); }' >"$tmp/new" && mv "$tmp/new" "$tmp/d/calls.d"
changed() { play --hosts 'web*' -q; grep -q "^dtrace: web1: the program has changed: what it recorded after that is left out; --since '.*' shows it" "$tmp/err"; }
waits changed
same "a program that has changed is said, with the time" "$status" 3
same "what it was is shown" "$(grep -Ec '^ +web2 +9502$' "$tmp/out")" 1

# errors name the fix
refused() {	# refused TEXT STATUS ARGS…
	text=$1 wanted=$2
	shift 2
	play "$@"
	same "refused: $*" "$status $(grep -cF -e "$text" "$tmp/err")" "$wanted 1"
}
refused '"yesterday" is no moment: -90s, -5m, -1h' 1 --hosts web1 --since yesterday
refused '--since is not before --until' 1 --hosts web1 --since -1h --until -2h
refused 'the history has no program nosuch: it has calls: give --play NAME' 1 nosuch --hosts web1
refused 'db9: missing: no host of that name has a history of that time' 3 --hosts db9,web1 --until now
refused 'there is no history of that time' 1 --hosts web1 --until -2d
refused 'a history is that of programs of the hosts' 2 --hosts web1 -n BEGIN
refused '--web does not go with --play --hosts: -O heatmap' 2 --hosts web1 --web
refused '--since and --until go with --play --hosts' 2 /dev/null --since -1h
sed 's/^user alice/&\nhistory elsewhere/' "$tmp/alice.conf" >"$tmp/new" && mv "$tmp/new" "$tmp/alice.conf"
refused 'stream elsewhere: ' 1 --hosts web1
start_bus plain ''
printf 'bus nats://127.0.0.1:%s\nuser alice\n' "$bus_port" >"$tmp/alice.conf"
refused 'the bus has no JetStream, or not for this account: start nats-server with jetstream' 1 --hosts web1
printf 'always %s/d\nhistory dtrace\n' "$tmp" >"$tmp/alone.conf"
"$build/dtraced" --config "$tmp/alone.conf" --name alone 2>"$tmp/err"
same "a history needs a bus" "$? $(grep -c 'history: it is kept by a bus: --bus URL' "$tmp/err")" "1 1"
for line in 'history' 'history a.b' 'history dtrace every=0' 'history dtrace size=x'; do
	echo "$line" >"$tmp/bad.conf"
	"$build/dtraced" --config "$tmp/bad.conf" 2>"$tmp/err"
	same "refused: $line" "$? $(grep -c 'is no setting, or has a wrong value' "$tmp/err")" "2 1"
done
