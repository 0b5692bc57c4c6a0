# SPDX-License-Identifier: BSD-2-Clause
# For the trace_*.sh tests: results, and waiting for things that come, however slow the machine is.
dtrace=${DTRACE:-build/dtrace}
calls=${BUILD:-build}/test/calls
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

ok() { echo "ok - $*"; }
bad() { echo "not ok - $*"; head -n 5 "$tmp/out" "$tmp/err" 2>/dev/null | sed 's/^/  /'; }
check() { if [ "$1" -eq 0 ]; then ok "$2"; else bad "$2"; fi; }

# Without the right to trace everything here is skipped.
may_trace() {
	"$dtrace" -qn 'BEGIN { exit(0); }' >"$tmp/out" 2>"$tmp/err" && return 0
	if grep -qi 'permi\|privilege' "$tmp/err"; then
		echo "ok - $1 # SKIP $(head -n 1 "$tmp/err")"
		exit 0
	fi
	bad "a session"
	exit 1
}

# waits COMMAND…: until it is true; two minutes are a machine that hangs, not one that is slow
waits() {
	n=0
	until "$@"; do
		n=$((n + 1))
		[ $n -lt 2400 ] || return 1
		sleep 0.05
	done
}

# run ARGS…: dtrace to its end; $status, $tmp/out, $tmp/err
run() {
	timeout 240 "$dtrace" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}

# listed DESCRIPTION: is there such a probe? If not, why is in $tmp/err; -l itself does not fail.
listed() {
	run -ln "$1"
	[ "$(wc -l <"$tmp/out")" -gt 1 ]
}

# start ARGS…: dtrace in the background as $tracer, when its BEGIN has printed "ready" (the caller's program does that)
start() {
	: >"$tmp/out"
	"$dtrace" -x switchrate=20ms "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
	tracer=$!
	waits grep -q ready "$tmp/out"
}

ended() { ! kill -0 "$1" 2>/dev/null; }
# is WHAT STATUS TEXT: of the last run; the text is in output or messages
is() {
	if [ "$status" -ne "$2" ]; then
		bad "$1: status $status, not $2"
	elif ! grep -qF -e "$3" "$tmp/out" "$tmp/err"; then
		bad "$1: no \"$3\""
	else
		ok "$1"
	fi
}
