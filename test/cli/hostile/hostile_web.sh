# SPDX-License-Identifier: BSD-2-Clause
# The server of the live page and its enemies (issue 13, "Safe"): programs that would write, read or open what only the
# command line may name, clients that take all places, a server that dies. web.sh has who may ask at all.
dtrace=${DTRACE:-build/dtrace}
tmp=$(mktemp -d) || exit 2
server=
crowd=
trap 'kill $server $crowd 2>/dev/null; rm -rf "$tmp"' EXIT
if [ ! -x "${dtrace%/*}/dtrace-web" ] || [ "$(id -u)" -ne 0 ] || ! command -v curl >/dev/null; then
	echo "ok - enemies of the live page # SKIP dtrace-web is not built, or no root, or no curl"
	exit 0
fi

. test/trigger/web.sh

post() {	# post PATH TEXT
	curl -s -H "X-Token: $token" --data-binary "$2" "$at/$1"
}

begin --web

# ---- programs: no file and no address is theirs to name, whatever they are called
echo secret >"$tmp/secret"
: >"$tmp/events"
: >"$tmp/stream"
refused() {	# refused NAME TEXT…: none of them may come to be traced
	name=$1
	shift
	for text; do
		post run "$text" >/dev/null
		events '"t":"ended"' && grep -q '"t":"fail"' "$tmp/events" && ! grep -q '"t":"live"\|secret"' "$tmp/events" ||
		    echo "not ok - $name: $text: $(cat "$tmp/events")"
	done
	ok "$name" "$(ls "$tmp")" "$before"
}
before=$(ls "$tmp")
refused "options that name files and addresses" \
    "#pragma D option oformat=record=$tmp/made
BEGIN { exit(0); }" "#pragma D option oformat=flame=$tmp/secret
BEGIN { exit(0); }" '#pragma D option oformat=openmetrics=0
BEGIN { exit(0); }' "#pragma D option cpp
#include \"$tmp/secret\"
BEGIN { exit(0); }" "#pragma D option cpppath=$tmp/secret
BEGIN { exit(0); }" "#pragma D option libdir=$tmp
BEGIN { exit(0); }" "#pragma D option syslibdir=$tmp
BEGIN { exit(0); }" "#pragma D option setenv=A=B
BEGIN { exit(0); }" "#pragma D depends_on library $tmp/secret
BEGIN { exit(0); }" "#include \"$tmp/secret\"
BEGIN { exit(0); }" "#pragma D option undumpable
BEGIN { exit(0); }"
refused "actions that change something" "BEGIN { system(\"touch $tmp/made\"); }" "BEGIN { freopen(\"$tmp/made\"); }" \
    'BEGIN { raise(9); }' 'BEGIN { stop(); }' 'BEGIN { panic(); }' 'BEGIN { breakpoint(); }' 'BEGIN { chill(1000); }' \
    'BEGIN { copyout(alloca(8), 0, 8); }' 'BEGIN { copyoutstr("x", 0, 2); }' "#pragma D option destructive
BEGIN { system(\"touch $tmp/made\"); }" "#pragma D option destructive=yes
END { freopen(\"$tmp/made\"); }"
post run "BEGIN { setopt(\"oformat\", \"record=$tmp/made\"); setopt(\"libdir\", \"$tmp\"); exit(0); }" >/dev/null
ok "setopt() neither" "$(played | grep -c "couldn't set option") $(ls "$tmp")" "2 $before"

# ---- a trace lives as long as its server, not as long as the connection that began it
post run 'tick-50ms { @n = count(); }' >/dev/null
events '"t":"cost".*"runs":[1-9]' && ! grep -q '"t":"ended"' "$tmp/events" && echo "ok - a trace goes on when whoever began it has gone" ||
    echo "not ok - a trace goes on when whoever began it has gone: $(tail -n 4 "$tmp/events")"
worker=$(cat /proc/"$server"/task/*/children 2>/dev/null | tr ' ' '\n' | head -n 1)
kill -KILL "$server"
wait "$server" 2>/dev/null
server=
while [ -n "$worker" ] && grep -qs dtrace-web "/proc/$worker/comm"; do sleep 0.05; done
echo "ok - a server that is killed takes its trace with it"

# ---- clients: anybody on the machine may connect, and nobody who has no token keeps out who has
begin --web
if command -v python3 >/dev/null; then
	curl -sN "$at/events?token=$token" >"$tmp/stream" &
	reader=$!
	until [ -s "$tmp/stream" ] || ! kill -0 $reader 2>/dev/null; do sleep 0.05; done
	python3 - "$port" >"$tmp/crowd" 2>&1 <<'P' &
import socket, sys, time
def come():
    try:
        s = socket.create_connection(('127.0.0.1', int(sys.argv[1])), timeout=60)
        s.sendall(b'GET / HTTP/1.1\r\nX-Slow: ')
        return s
    except OSError:
        return None
crowd = [come() for i in range(300)]
print('there', flush=True)
while True:			# a byte now and then, and another place for each that was lost
    for i, s in enumerate(crowd):
        try:
            s.sendall(b'a')
        except (OSError, AttributeError):
            crowd[i] = come()
    time.sleep(0.2)
P
	crowd=$!
	until [ -s "$tmp/crowd" ] || ! kill -0 $crowd 2>/dev/null; do sleep 0.05; done
	ok "300 clients that keep their places by a byte now and then" "$(curl -s -o "$tmp/body" -w '%{http_code}' --retry 20 \
	    --retry-all-errors --retry-delay 1 --max-time 60 "$url")" 200
	kill -0 $reader 2>/dev/null && echo "ok - who has shown the token keeps its place" || echo "not ok - who has shown the token keeps its place"
	kill $crowd $reader
	wait $crowd $reader 2>/dev/null
	crowd=
	ok "requests that mean two things, or too much" "$(python3 - "$port" "$token" <<'P' 2>&1
import socket, sys
port, token = int(sys.argv[1]), sys.argv[2].encode()
def raw(data):
    s = socket.create_connection(('127.0.0.1', port), timeout=60)
    try:
        s.sendall(data)
        s.shutdown(socket.SHUT_WR)
        got = b''
        while len(got) < 1 << 20 and (piece := s.recv(65536)):
            got += piece
    except (ConnectionResetError, BrokenPipeError):
        pass
    return [int(line.split()[1]) for line in got.split(b'\n') if line.startswith(b'HTTP/1.')]
host = b'Host: 127.0.0.1:%d\r\n' % port
# who knows no token gets no answer but refusals, whatever is hidden behind the first request
inner = b'GET /?token=0 HTTP/1.1\r\n' + host + b'\r\n'
bad = [b'POST /run HTTP/1.1\r\n' + host + b'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n' + inner,
    b'POST /run HTTP/1.1\r\n' + host + b'Content-Length: 4\r\nContent-Length: 90\r\n\r\nabcd' + inner,
    b'POST /run HTTP/1.1\r\n' + host + b'Content-Length: -1\r\n\r\n', b'POST /run HTTP/1.1\r\n' + host + b'Content-Length: 99999999999999999999\r\n\r\n',
    b'GET /?token=' + token + b' HTTP/1.1\r\nHost: evil.example\r\n' + host + b'\r\n',
    b'GET http://evil.example/?token=' + token + b' HTTP/1.1\r\nHost: evil.example\r\n\r\n',
    b'GET /?token=' + token + b' HTTP/1.0\r\n\r\n',
    b'GET / HTTP/1.1\r\n' + host + b'X: ' + b'a' * (1 << 20) + b'\r\n\r\n', b'GET /' + b'a' * (1 << 20) + b' HTTP/1.1\r\n\r\n',
    b'GET / HTTP/1.1\r\n' + host + b'X: 1\r\n' * 100000 + b'\r\n', b'\0' * 4096, b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    b'GET /../../etc/passwd HTTP/1.1\r\n' + host + b'\r\n']
print([r for r in map(raw, bad) if any(s < 400 for s in r)], raw(b'GET /?token=' + token + b' HTTP/1.1\r\n' + host + b'Connection: close\r\n\r\n'))
P
)" "[] [200]"
else
	echo "ok - clients # SKIP no python3"
fi
kill "$server"
wait "$server"
ok "the end" "$? $(cat "$tmp/err")" "0 "
server=
