# SPDX-License-Identifier: BSD-2-Clause
# For the exact*.sh tests: starts the workload and dtrace on it. What always holds: the workload makes its calls only
# after all probes are live (a tick has come), and dtrace is asked to end only after the last call.
. test/cli/helpers.inc
exact=${BUILD:-build}/test/exact
mkfifo "$tmp/go" || exit 2

# waits COMMAND…: as in helpers.inc, but not when the tracer has ended
waits() {
	n=0
	until "$@"; do
		n=$((n + 1))
		[ $n -lt 2400 ] || return 1
		kill -0 "$tracer" 2>/dev/null || return 1
		sleep 0.05
	done
}

# traced THREADS CALLS KEYS ARGS…: dtrace with ARGS on the workload; $1 in D is its pid. A probe of ours says when all is
# live. Leaves $tmp/out, $tmp/err, $calls, $status.
traced() {
	threads=$1 want=$2 keys=$3
	shift 3
	: >"$tmp/out"
	"$exact" "$threads" "$want" $keys <"$tmp/go" >"$tmp/calls" &
	worker=$!
	exec 3>"$tmp/go"
	"$dtrace" -q -x switchrate=20ms "$@" -n 'tick-10ms /!ready_ && $1/ { ready_ = 1; printf("ready\n"); }' "$worker" >"$tmp/out" 2>"$tmp/err" &
	tracer=$!
	waits grep -q '^ready' "$tmp/out" || { kill "$worker" "$tracer" 2>/dev/null; exec 3>&-; wait; return 1; }
	echo go >&3
	exec 3>&-
	wait "$worker"
	calls=$(cat "$tmp/calls")
	kill -TERM "$tracer" 2>/dev/null	# a shell in the background ignores INT
	wait "$tracer"
	status=$?
	return 0
}

# drops KIND: how many of them dtrace told, e.g. "aggregation drop"; "drop" alone: principal
drops() { awk -v kind="$1" 'index($0, " " kind "s on ") || index($0, " " kind " on ") || $0 ~ " " kind "s?( \\(-x .*)?$" { n += $2 } END { printf "%d\n", n }' "$tmp/err"; }
