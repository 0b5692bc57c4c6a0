# SPDX-License-Identifier: BSD-2-Clause
# The live page of an ordinary user without any capability: it starts, traces a command and a process of the user's own, refuses all else
# in a sentence, and its gallery marks what this user cannot do.
. test/cli/helpers.inc
. test/trigger/ordinary_user.sh
build=${BUILD:-build}
if [ ! -x "${dtrace%/*}/dtrace-web" ] || ! command -v curl >/dev/null || ! command -v python3 >/dev/null; then
	ok "the live page of an ordinary user # SKIP it needs dtrace-web, curl and python3"
	exit 0
fi
ordinary_user "the live page of an ordinary user" "${dtrace%/*}/dtrace-web" "$build/test/hits" "$build/test/provider_locks"
needs_engine_process
# dtrace-web finds the tools beside the folder it is in
mkdir "$tmp/bin" && mv "$tmp/dtrace" "$tmp/dtrace-web" "$tmp/bin/" && cp -r dtools "$tmp/dtools" && chmod -R a+rX "$tmp/dtools"
: >"$tmp/number"
chmod 666 "$tmp/number"
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$tmp"' EXIT
begin() {	# begin ARGS…: a server of that user; $at is its address, $token its token
	: >"$tmp/url"
	: >"$tmp/number"
	as sh -c 'echo $$ >"$0"; exec "$@"' "$tmp/number" "$tmp/bin/dtrace" --web "$@" >"$tmp/url" 2>"$tmp/err" &
	waits test -s "$tmp/number"
	server=$(cat "$tmp/number")
	waits sh -c "[ -s $tmp/url ] || ! kill -0 $server 2>/dev/null"
	url=$(cat "$tmp/url")
	at=${url%%/\?*} token=${url#*token=}
}
finish() {
	kill "$server"
	waits ended "$server"
	server=
}
post() { curl -s --max-time 200 -H "X-Token: $token" -d "$2" "$at/$1"; }
events() {	# events PATTERN: until a line matches
	: >"$tmp/out"
	curl -sN --max-time 200 "$at/events?token=$token" >"$tmp/out" &
	reader=$!
	waits sh -c "grep -q '$1' $tmp/out || ! kill -0 $reader 2>/dev/null"
	kill $reader 2>/dev/null
	wait $reader 2>/dev/null
	grep -q "$1" "$tmp/out"
}
played() {
	curl -s --max-time 200 "$at/stream?token=$token" >"$tmp/stream"
	chmod 644 "$tmp/stream"
	as "$tmp/bin/dtrace" --play "$tmp/stream" 2>&1
}
# marks: N tools, M of them marked; then the names of the others
marks() {
	curl -s --max-time 200 "$at/gallery?token=$token" | python3 -c '
import json, sys
g = json.load(sys.stdin)
bad = [t["name"] for t in g if t["why"] and "as root" not in t["why"]]
print(len(g), len([t for t in g if t["why"]]), "|", *[t["name"] for t in g if not t["why"]], "|", *bad)'
}

begin -c "$tmp/hits call 1000"
[ -n "$url" ] && [ ! -s "$tmp/err" ]
check $? "the server starts"
post run 'syscall:::entry, sched:::on-cpu { @[probefunc] = count(); }' >"$tmp/answer"
events '"t":"fail"' && grep -q 'fires in the kernel: DTrace requires additional privileges (run it as root' "$tmp/out" && [ "$(grep -c '"t":"fail"' "$tmp/out")" -eq 1 ]
check $? "what needs the kernel is one sentence"
same "… which checking a program does not need" "$(post check 'syscall:::entry { @[probefunc] = count(); }')" "{}"
post run 'pid$target:hits:hits_call:entry { @[probefunc] = count(); }' >"$tmp/answer"
events '"t":"ended"'
played | grep -q '^ *hits_call  *2000$'
check $? "a command: every call"
marks >"$tmp/marks"
read -r tools marked rest <"$tmp/marks"
[ "$tools" -ge 56 ] && [ "$marked" -ge 20 ] && [ "$marked" -lt "$tools" ] && case $rest in *"|") true ;; *) false ;; esac
check $? "the gallery: $marked of $tools are marked, each says what to do: $(cat "$tmp/marks")"
free=" ${rest#|} "
for name in mallocs leaks pycalls gethostlatency; do
	case $free in *" $name "*) ok "not marked: $name" ;; *) bad "not marked: $name" ;; esac
done
for name in biolatency execsnoop tcplife runqlat offcpu; do
	case $free in *" $name "*) bad "marked: $name" ;; *) ok "marked: $name" ;; esac
done
finish

mkfifo "$tmp/go"
: >"$tmp/own" && chmod 666 "$tmp/own"
as sh -c 'echo $$ >"$0"; exec "$1" wait' "$tmp/own" "$tmp/provider_locks" <"$tmp/go" >"$tmp/said" 2>&1 &
exec 5>"$tmp/go"
waits test -s "$tmp/own"
own=$(cat "$tmp/own")
waits sh -c "[ \"\$(cat /proc/$own/comm 2>/dev/null)\" = provider_locks ] && grep -q libc /proc/$own/maps"
begin -p "$own"
post run 'pid$target:libc*:pthread_mutex_trylock:entry { @[probefunc] = count(); }' >"$tmp/answer"
if events '"t":"live"'; then
	echo go >&5
	events '"t":"ended"'
	played | grep -q '^ *pthread_mutex_trylock  *100$'
	check $? "a process that runs: every call"
elif grep -q ptrace_scope "$tmp/out" "$tmp/err"; then
	ok "a process that runs # SKIP ptrace_scope forbids it"
else
	bad "a process that runs: every call"
fi
exec 5>&-
finish
begin -p 1
if [ -n "$url" ]; then
	post run 'pid$target:libc*:malloc:entry { @ = count(); }' >"$tmp/answer"
	events '"t":"fail"'
	grep -q 'as root\|not permitted' "$tmp/out"
	check $? "a process of another user is refused"
	finish
else
	grep -q 'as root\|not permitted' "$tmp/err"
	check $? "a process of another user is refused"
	server=
fi
