# SPDX-License-Identifier: BSD-2-Clause
# Sourced with $dtrace and $tmp set: a server of the live page, and what is asked of it with curl.
# shellcheck shell=sh disable=SC2154
ok() {	# ok NAME GOT WANT
	if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1: $2, expected $3"; fi
}

begin() {	# begin ARGS…: a server, as $server; $at is its address, $port the end of it, $token its token
	: >"$tmp/url"
	"$dtrace" "$@" >"$tmp/url" 2>"$tmp/err" &
	server=$!
	until [ -s "$tmp/url" ] || ! kill -0 "$server" 2>/dev/null; do sleep 0.05; done
	url=$(cat "$tmp/url")
	at=${url%%/\?*} token=${url#*token=} port=${at##*:}
}

# events PATTERN: reads what the server says until a line matches; the lines are in $tmp/events
events() {
	: >"$tmp/events"
	curl -sN --max-time 60 "$at/events?token=$token" >"$tmp/events" &
	reader=$!
	until grep -q "$1" "$tmp/events" || ! kill -0 $reader 2>/dev/null; do sleep 0.05; done
	kill $reader 2>/dev/null
	wait $reader 2>/dev/null
	grep -q "$1" "$tmp/events"
}

# played: the trace, which has ended or ends by itself, as dtrace plays its recording; the bytes are in $tmp/stream
played() {
	curl -s --max-time 60 "$at/stream?token=$token" >"$tmp/stream"
	"$dtrace" --play "$tmp/stream" -O json 2>&1
}
