# SPDX-License-Identifier: BSD-2-Clause
# Sourced by tools/suite, tools/fuzz, test/vm/suite and ./check: counts, the line every run of tests ends with, a line
# that shows progress, and ending what was started.

passed=0 failed=0 skipped=0

pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "FAIL $*"; }
skip() { skipped=$((skipped + 1)); echo "skip $*"; }

# tally FILE NAME: adds the counts of a log's last line ("[x: ]N passed, N failed[, N skipped]"). A log without one is
# a failure: whatever wrote it died.
tally() {
	line=$(tail -n 1 "$1" | sed -n 's/^.*\b\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed\(, \([0-9][0-9]*\) skipped\)\{0,1\}.*$/\1 \2 \4/p')
	if [ -z "$line" ]; then
		fail "$2: it did not get to its end"
		return
	fi
	set -- $line 0
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

summary() {
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
}

# progress TEXT: on a terminal the last line, until the next one or `over`; elsewhere a line, one a minute at most
shown_at=$(date +%s)
progress() {
	if [ -t 2 ]; then
		width=$(stty size <&2 2>/dev/null | cut -d' ' -f2)
		printf '\r\033[K%.*s' "$((${width:-80} - 1))" "$1" >&2
	elif [ $(($(date +%s) - shown_at)) -ge 60 ]; then
		shown_at=$(date +%s)
		echo "  $1"
	fi
}
over() { [ ! -t 2 ] || printf '\r\033[K' >&2; }

# end_sessions TENTHS PID…: the processes of the sessions that these lead; what is there after that time is killed
end_sessions() {
	tenths=$1
	shift
	for session; do pkill -TERM -s "$session"; done
	for session; do
		while [ "$tenths" -gt 0 ] && pgrep -s "$session" >/dev/null; do
			tenths=$((tenths - 1))
			sleep 0.1
		done
		pkill -KILL -s "$session"
	done
	return 0
}

# end_all PID…: each of our own children ends what it has started; wait until it has
end_all() {
	for pid; do kill -TERM "$pid" 2>/dev/null; done
	for pid; do wait "$pid" 2>/dev/null; done
}
