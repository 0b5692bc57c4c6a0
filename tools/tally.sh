# SPDX-License-Identifier: BSD-2-Clause
# Sourced by tools/suite, tools/fuzz and ./check: counts, and the line every run of tests ends with.

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
