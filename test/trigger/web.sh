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
