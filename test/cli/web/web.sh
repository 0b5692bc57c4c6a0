# SPDX-License-Identifier: BSD-2-Clause
# dtrace -O web: who gets an answer from the server of the live page and who does not, and what a trace tells. Chromium
# looks at the page itself in web_page.sh.
dtrace=${DTRACE:-build/dtrace}
tmp=$(mktemp -d) || exit 2
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$tmp"' EXIT
if [ ! -x "${dtrace%/*}/dtrace-web" ]; then
	cp "$dtrace" "$tmp/dtrace"
	case $("$tmp/dtrace" --web 2>&1) in
	*"dtrace-web, which is not here"*) echo "ok - without the page dtrace says so" ;;
	*) echo "not ok - without the page dtrace says so" ;;
	esac
	echo "ok - the live page # SKIP dtrace-web is not built"
	exit 0
fi
if [ "$(id -u)" -ne 0 ] || ! command -v curl >/dev/null || ! command -v python3 >/dev/null; then
	echo "ok - the live page # SKIP tracing needs root, the test needs curl and python3"
	exit 0
fi

. test/trigger/web.sh

finish() {
	kill "$server"
	wait "$server"
	status=$?
	server=
}

code() {	# code CURL-ARGS…: the status of the answer
	curl -s -o "$tmp/body" -w '%{http_code}' --max-time 60 "$@"
}

begin -O web -n 'syscall::getppid:entry /pid == $target/ { @n[probefunc] = count(); }' \
    -c "${dtrace%/*}/test/calls 1234 hang"
case $url in "http://127.0.0.1:"*"/?token="????????????????????????????????) echo "ok - the address has a token" ;; *)
	echo "not ok - the address has a token: $url" ;; esac
port=${at##*:}

# ---- who may ask
ok "the page" "$(code "$url")" 200
ok "no token" "$(code "$at/")" 403
ok "another token" "$(code "$at/?token=00000000000000000000000000000000")" 403
ok "a token that is too short" "$(code "$at/?token=$(echo "$token" | cut -c1-31)")" 403
ok "no token for events" "$(code "$at/events")" 403
ok "another host" "$(code -H "Host: evil.example:$port" "$url")" 403
ok "another port in Host" "$(code -H "Host: 127.0.0.1:1" "$url")" 403
ok "localhost" "$(code -H "Host: localhost:$port" "$url")" 200
ok "another origin" "$(code -H "Origin: http://evil.example" "$url")" 403
ok "an origin that is null" "$(code -H "Origin: null" "$url")" 403
ok "our origin" "$(code -H "Origin: $at" "$url")" 200
ok "another site" "$(code -H "Sec-Fetch-Site: cross-site" "$url")" 403
ok "a POST with the token in the address only" "$(code -d 'BEGIN' "$at/run?token=$token")" 403
ok "a POST without a token stops nothing" "$(code -X POST "$at/stop")" 403
ok "another path" "$(code "$at/etc/passwd?token=$token")" 404
ok "another method" "$(code -X DELETE "$at/?token=$token")" 404
head -c 300000 /dev/zero | tr '\0' ' ' >"$tmp/huge"
ok "a body that is too long" "$(code -H "X-Token: $token" --data-binary "@$tmp/huge" "$at/check")" 413
ok "a pid that is none" "$(code -H "X-Token: $token" -d BEGIN "$at/run?pid=1%3Brm")" 400
# what curl never sends: E1, the server's own HTTP
raw() {		# raw TEXT: first lines of the answers to it, as printf reads it
	bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$1" && printf "$2" >&3 && timeout 20 cat <&3' raw "$port" "$1" 2>/dev/null | grep -ao 'HTTP/1.1 [0-9]*' | cut -d' ' -f2 | tr '\n' ' '
}
good="GET /words?token=$token HTTP/1.1\\r\\nHost: 127.0.0.1:$port\\r\\n"
close="Connection: close\\r\\n\\r\\n"
ok "two requests of one connection" "$(raw "$good\\r\\n$good$close")" "200 200 "
ok "a body, and a request behind it" "$(raw "POST /stop HTTP/1.1\\r\\nHost: 127.0.0.1:$port\\r\\nX-Token: 0\\r\\nContent-Length: 3\\r\\n\\r\\n{}x$good$close")" "403 "
ok "a line without a carriage return" "$(raw "GET / HTTP/1.1\\nHost: 127.0.0.1:$port\\n\\r\\n\\r\\n")" "400 "
ok "two hosts" "$(raw "GET / HTTP/1.1\\r\\nHost: 127.0.0.1:$port\\r\\n$good$close")" "400 "
ok "a body in chunks" "$(raw "POST /check HTTP/1.1\\r\\nHost: 127.0.0.1:$port\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n")" "501 "
ok "a head without end" "$(raw "GET / HTTP/1.1\\r\\nA: $(head -c 40000 /dev/zero | tr '\0' a)\\r\\n")" "431 "
ok "HEAD has no body" "$(raw "HEAD /?token=$token HTTP/1.1\\r\\nHost: 127.0.0.1:$port\\r\\n\\r\\n$good$close")" "404 200 "
policy=$(curl -s -D - -o /dev/null "$url" | tr -d '\r' | sed -n 's/^Content-Security-Policy: //p')
case $policy in
*unsafe* | *"*"* | *http*) echo "not ok - a strict policy: $policy" ;;
"default-src 'none'; script-src 'sha256-"*"frame-ancestors 'none'") echo "ok - a strict policy" ;;
*) echo "not ok - a strict policy: $policy" ;;
esac
curl -s "$url" | grep -q 'src=\|url(\|@import' && echo "not ok - the page loads nothing" || echo "ok - the page loads nothing"

# ---- a client that is slow or says nothing makes nobody wait
if command -v python3 >/dev/null; then
	python3 -c 'import socket, sys, time
quiet = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for i in range(20)]
for s in quiet[:10]: s.sendall(b"GET / HTTP/1.1\r\nHos")
for s in quiet[10:]: s.sendall(b"GET /events?token=" + sys.argv[2].encode() + b" HTTP/1.1\r\nHost: 127.0.0.1:" + sys.argv[1].encode() + b"\r\n\r\n")
print("there", flush=True)
time.sleep(60)' "$port" "$token" >"$tmp/quiet" &
	quiet=$!
	until [ -s "$tmp/quiet" ] || ! kill -0 $quiet 2>/dev/null; do sleep 0.05; done
	ok "twenty silent clients" "$(code "$url")" 200
	kill $quiet
	wait $quiet 2>/dev/null
fi

# ---- what is told
ok "an error at its place" "$(curl -s -H "X-Token: $token" -d 'BEGIN
{ trace(exename); }' "$at/check" | sed 's/.*"line"/"line"/')" '"line":2,"column":9,"length":7}'
ok "no error" "$(curl -s -H "X-Token: $token" -d 'BEGIN { trace(execname); }' "$at/check")" '{}'
ok "what can follow" "$(curl -s -H "X-Token: $token" --data-binary 'utf16 0 19
-
syscall::getppid:en' "$at/complete" | grep -o '"label":"[^"]*"')" '"label":"syscall:vmlinux:getppid:entry"'
curl -s -H "X-Token: $token" --data-binary 'utf16 0 16
-
BEGIN { trace(execname); }' "$at/hover" | grep -q 'string execname.*The name of the thread' && echo "ok - what a word is" || echo "not ok - what a word is"
ok "a program that can run" "$(curl -s -H "X-Token: $token" -d 'BEGIN { trace(1); }' "$at/refusal")" '{"why":"","lacks":""}'
curl -s -H "X-Token: $token" -d 'nothing*:::here { trace(1); }' "$at/refusal" | grep -q '"why":"","lacks":".*does not match any probes' && echo "ok - one that the machine has no probes for" || echo "not ok - one that the machine has no probes for"
curl -s "$at/machine?token=$token" | python3 -c 'import json, sys
rows = json.load(sys.stdin)
assert len(rows) > 20 and rows[0]["name"] == "eBPF programs" and all(r["found"] in ("yes", "no", "unknown") and (r["found"] != "no" or r["change"]) for r in rows)' &&
    echo "ok - what the machine allows" || echo "not ok - what the machine allows"
curl -s "$at/gallery?token=$token" | grep -q '"name":"execsnoop"' && echo "ok - the gallery" || echo "not ok - the gallery"

events '"t":"cost"' && echo "ok - what it costs" || echo "not ok - what it costs: $(cat "$tmp/events")"
ok "the stream of another trace" "$(code "$at/stream?trace=77&token=$token")" 404
ok "no token for the stream" "$(code "$at/stream")" 403
curl -sN --max-time 60 "$at/stream?trace=1&token=$token" >"$tmp/live" &
reader=$!
until grep -aq getppid "$tmp/live" || ! kill -0 $reader 2>/dev/null; do sleep 0.05; done
ok "stop it" "$(code -H "X-Token: $token" -d '' "$at/stop")" 200
wait $reader
ok "as many as were made, with their key" "$("$dtrace" --play "$tmp/live" -O json | grep -o '"keys":\["getppid"\],"values":\[1234\]')" '"keys":["getppid"],"values":[1234]'
ok "those who come later get the same" "$(played | grep -v '"type":"start"')" "$("$dtrace" --play "$tmp/live" -O json | grep -v '"type":"start"')"

# ---- another program takes the place of the first; names are escaped
ok "another program" "$(code -H "X-Token: $token" -d 'BEGIN { printf("</script><b>%s", "\001\377"); @["<i>"] = sum(7); }' "$at/run")" 200
events '"t":"live"' && grep -q '\\u003c/script>\\u003cb>' "$tmp/events" && ! grep -q '[<]' "$tmp/events" &&
    echo "ok - names cannot end a script" || echo "not ok - names cannot end a script: $(tail -n 3 "$tmp/events")"
for text in '#pragma D option destructive
BEGIN { system("touch '"$tmp"'/harm"); }' 'BEGIN { system("touch '"$tmp"'/harm"); }' 'BEGIN { setopt("destructive"); system("touch '"$tmp"'/harm"); }'; do
	code -H "X-Token: $token" -d "$text" "$at/run" >/dev/null
	events '"t":"end"' && grep -q '"t":"fail".*[Dd]estructive' "$tmp/events" && [ ! -e "$tmp/harm" ] &&
	    echo "ok - refused: $(echo "$text" | head -n 1)" || echo "not ok - refused: $text: $(cat "$tmp/events")"
done
code -H "X-Token: $token" -d 'BEGIN { trace(1; }' "$at/run" >/dev/null
events '"t":"end"' && grep -q '"t":"fail".*"line":1' "$tmp/events" && echo "ok - a program that is wrong" ||
    echo "not ok - a program that is wrong: $(cat "$tmp/events")"
code -H "X-Token: $token" -d 'BEGIN { @ = quantize(5); } END { printf("the end"); }' "$at/run" >/dev/null
events '"t":"live"' || echo "not ok - live: $(cat "$tmp/events")"
ok "stop" "$(code -H "X-Token: $token" -d '' "$at/stop")" 200
played >"$tmp/out"
ok "a distribution" "$(grep -c '"min":4,"max":7,"count":1' "$tmp/out")" 1
ok "END runs" "$(grep -c 'the end' "$tmp/out")" 1
code -H "X-Token: $token" -d 'tick-20ms { printf("tick\n"); }' "$at/run" >/dev/null
curl -sN --max-time 60 "$at/stream?token=$token" >"$tmp/stream" &
reader=$!
until [ "$(grep -ac '^tick$\|tick$' "$tmp/stream")" -ge 3 ] || ! kill -0 $reader 2>/dev/null; do sleep 0.05; done
kill -0 $reader && echo "ok - the stream of a trace that runs" || echo "not ok - the stream of a trace that runs"
code -H "X-Token: $token" -d 'BEGIN { exit(0); }' "$at/run" >/dev/null
wait $reader
ok "it ends when another trace begins" $? 0
events '"t":"end"' || echo "not ok - the other trace ends: $(cat "$tmp/events")"
finish
ok "a signal ends it" "$status $(cat "$tmp/err")" "0 "

# ---- a recording instead of a trace
"$dtrace" -qO "record=$tmp/recording" -n 'BEGIN { @kept["<x>"] = sum(9); exit(0); }' >/dev/null
begin --play "$tmp/recording" -O web
ok "a recording on the page" "$(curl -s --max-time 60 "$at/stream?token=$token" | cmp - "$tmp/recording" 2>&1)" ""
finish

# ---- -c is split as dtrace splits it
begin -O web -n 'BEGIN { exit(0); }' -c "sh -c 'exit"
events '"t":"end"' && grep -q '"t":"fail".*a quote is not closed' "$tmp/events" && echo "ok - a quote of -c that is not closed" ||
    echo "not ok - a quote of -c that is not closed: $(cat "$tmp/events")"
finish
begin -O web -n 'syscall::execve:return /pid == $target && arg0 == 0/ { printf("%s", curpsinfo->pr_psargs); } syscall::exit_group:entry /pid == $target/ { printf("<%s>", curpsinfo->pr_psargs); exit(0); }' \
    -c "echo '*'  \$HOME \"a  b\""
events '"t":"end"' || echo "not ok - the trace of a command ends: $(cat "$tmp/events")"
ok "and its words" "$(curl -s --max-time 60 "$at/stream?token=$token" | "$dtrace" --play - | grep -c '<echo \* $HOME a  b>')" 1
finish

# ---- the command line
for words in '-w' '-x destructive' '-x destructive=yes'; do
	# shellcheck disable=SC2086
	case $("$dtrace" --web $words 2>&1) in
	*"destructive actions are never done"*) echo "ok - $words is refused" ;;
	*) echo "not ok - $words is refused" ;;
	esac
done
case $("$dtrace" --web=nowhere.example:80 2>&1) in *"no address in numbers"*) echo "ok - an address that is none" ;; *)
	echo "not ok - an address that is none" ;; esac
