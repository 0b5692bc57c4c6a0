# SPDX-License-Identifier: BSD-2-Clause
# A host and a relay that lie: what they send about another host changes nothing of that, what they send as a recording is refused
# with the reason, and no character that a terminal obeys is shown.
. test/cli/helpers.inc
build=${BUILD:-build}
what="hosts that lie"
may_trace "$what"
for word in nats-server python3; do
	command -v $word >/dev/null || { echo "ok - $what # SKIP $word is not installed"; exit 0; }
done
[ -x "$build/dtraced" ] || { echo "ok - $what # SKIP dtraced is not built: libnats-dev is missing"; exit 0; }
pids=
trap 'kill $pids 2>/dev/null; rm -rf "$tmp"' EXIT
port=$((20000 + $$ % 20000))
bus=nats://127.0.0.1:$port
nats-server -a 127.0.0.1 -p $port >"$tmp/nats" 2>&1 &
pids="$pids $!"
waits grep -q 'Server is ready' "$tmp/nats"
echo 'allow *' >"$tmp/conf"
"$build/dtraced" --bus $bus --config "$tmp/conf" --name good 2>"$tmp/good" &
pids="$pids $!"
waits grep -q 'is on the bus' "$tmp/good"

cat >"$tmp/liar.py" <<'DONE'
import socket, sys
relay = sys.argv[2] == "relay"
name = sys.argv[3]
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
f = s.makefile("rb")
s.sendall(b'CONNECT {"verbose":false}\r\nSUB dt.ask.> 1\r\nPING\r\n')
def say(user, run, kind, words, body=b"", host=name):
    m = ("dtrace fleet 1 %s\n" % kind).encode() + words.encode("latin-1") + b"\n" + body
    s.sendall(b"PUB dt.out.%s.%s.%s %d\r\n" % (user, run, host.encode(), len(m)) + m + b"\r\n")
LOG = b"""host lost good it is mine
host ended good
back good
host live \x1b[31mred
host live extra\x1b]0;title\x07 x
host live extra
host failed other \x1b[2Jgone\\n\x1b[1m
found 99
found -1
counts 18446744073709551616 x
counts 1 1 0
"""
while True:
    line = f.readline()
    if not line:
        break
    if line.startswith(b"PONG"):
        print("ready", flush=True)
    if line.startswith(b"PING"):
        s.sendall(b"PONG\r\n")
    if not line.startswith(b"MSG"):
        continue
    part = line.split()
    body = f.read(int(part[-1]) + 2)
    user = part[1].split(b".")[2]
    words = dict(l.split(b" ", 1) for l in body.split(b"\n\n")[0].split(b"\n")[1:] if b" " in l)
    run, kind = words.get(b"run", b"x"), body.split(b"\n")[0].split()[-1]
    t1 = words.get(b"t1", b"0").decode()
    times = "t1 %s\nt2 18446744073709551615\nt3 1\n" % t1
    here = "name %s\ninstance 1\n%st1 %s\nt2 5\nt3 6\n"
    if kind == b"hello":
        say(user, run, "here", here % ("good", "", t1))            # under its own subject, with another's name
        say(user, run, "here", here % (name, "relay g\n" if relay else "", t1))
    elif kind == b"run" and b".to." + name.encode() in part[1]:
        say(user, run, "live", "")
        say(user, run, "hosts", "instance 1\nfrom 0\n", LOG)
        say(user, run, "data", "instance 1\nnumber 18446744073709551615\n", b"x" * 1000)
        say(user, run, "data", "instance 2\nnumber 1\n", b"x" * 1000)
        say(user, run, "data", "instance 1\nnumber 1\n", b"dtrace recording 2\nH\xff\xff\xff\xff" + b"\x1b[31m" * 100)
        say(user, run, "fail", "why refused\n", b"\x1b[31mno\x1b[0m")
    elif kind == b"beat":
        say(user, run, "beat", "instance 1\nknown 1\nlive 1\nsent 18446744073709551615\n" + times)
DONE
python3 "$tmp/liar.py" $port host liar >"$tmp/liar" &
pids="$pids $!"
python3 "$tmp/liar.py" $port relay liars >"$tmp/liars" &
pids="$pids $!"
waits grep -q ready "$tmp/liar" && waits grep -q ready "$tmp/liars"
check $? "a host and a relay that lie"

timeout 100 "$dtrace" --bus $bus --hosts '*' -qn 'BEGIN { @[hostname] = count(); @s = sum(7); } tick-10ms { n++; }
    tick-10ms /n == 300/ { exit(0); }' >"$tmp/out" 2>"$tmp/err" </dev/null
status=$?
is "who asks says what is missing" 3 "the result is not complete"
same "the host that does not lie has counted" "$(grep -cE '^  good +1$' "$tmp/out") $(grep -cE '^ +7$' "$tmp/out")" "1 1"
grep -E '(^|[ ,])good[,:]' "$tmp/err" >"$tmp/log"
[ ! -s "$tmp/log" ]
check $? "and nothing that others say of it holds"
grep -q "liar: failed: " "$tmp/err"
check $? "a recording that is none is refused"
grep -q 'extra: its counts are missing' "$tmp/err"
check $? "hosts of a relay that lies are missing"
LC_ALL=C tr -d '\n\t -~' <"$tmp/err" >"$tmp/log"
[ ! -s "$tmp/log" ]
check $? "a terminal gets printable text alone"
