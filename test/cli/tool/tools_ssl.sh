# SPDX-License-Identifier: BSD-2-Clause
# sslsnoop: what a client and a server of our own say to each other, in clear.
. test/trigger/tools.sh
may_trace "sslsnoop"
if ! command -v openssl >/dev/null || ! ldd "$(command -v openssl)" | grep -q 'libssl\.so\.3'; then
	ok "sslsnoop # SKIP no openssl with libssl.so.3"
	exit 0
fi
server=
trap '[ -n "$server" ] && kill "$server" 2>/dev/null; rm -rf "$tmp"' EXIT
port=$((20000 + $$ % 3000 * 4 + 1))
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$tmp/key" -out "$tmp/cert" -days 1 -subj /CN=localhost 2>"$tmp/err" ||
    { bad "sslsnoop: a key"; exit 1; }
mkfifo "$tmp/in"
openssl s_server -quiet -rev -accept "127.0.0.1:$port" -key "$tmp/key" -cert "$tmp/cert" >"$tmp/said" 2>&1 &
server=$!
answers() { openssl s_client -connect "127.0.0.1:$port" </dev/null >/dev/null 2>&1; }
waits answers || { cp "$tmp/said" "$tmp/err"; bad "sslsnoop: a server"; exit 1; }
watch sslsnoop openssl
openssl s_client -quiet -connect "127.0.0.1:$port" <"$tmp/in" >"$tmp/answer" 2>/dev/null &
client=$!
exec 9>"$tmp/in"
echo "secret-$$" >&9
waits grep -q "terces" "$tmp/answer"
waits grep -q "$client openssl .* R .*terces" "$tmp/out"
exec 9>&-
kill $client 2>/dev/null
wait $client 2>/dev/null
finish
length=$(printf 'secret-%d\n' $$ | wc -c)
row "what the client writes" "^ *[0-9]+\.[0-9]{3} +$client openssl +W +$length secret-$$.n$"
value "what it gets, backwards" "$(grep -c " $client openssl *R .*terces" "$tmp/out")" 1 2
# Python uses the calls that end with _ex.
if [ -x /usr/bin/python3 ] && /usr/bin/python3 -c 'import ssl' 2>/dev/null; then
	cat >"$tmp/client.py" <<'DONE'
import socket, ssl, sys
context = ssl._create_unverified_context()
s = context.wrap_socket(socket.create_connection(("127.0.0.1", int(sys.argv[1]))))
s.sendall(b"from python\n")
print(s.recv(100))
DONE
	tool sslsnoop -c "/usr/bin/python3 $tmp/client.py $port"
	row "what Python writes" " python3 +W +12 from python.n$"
	row "what it gets" " python3 +R +12 nohtyp morf.n$"
else
	ok "sslsnoop: Python # SKIP no python3"
fi
exit 0
