# SPDX-License-Identifier: BSD-2-Clause
# For the tools_*.sh tests: a tool of dtools/ to its end, or beside a load.
. test/cli/helpers.inc

# tool NAME ARGS…: to its end; $status, $tmp/out, $tmp/err
tool() {
	name=$1
	shift
	run --tool "dtools/$name" "$@"
}

# script NAME ARGS…: the same as a script of dtrace, whose options it takes. $$1 is the name of -n, $2 and so on the operands.
script() {
	name=$1
	shift
	run -s "dtools/$name" "$@"
}

# watch NAME ARGS…: so in the background, when its probes are live
watch() {
	name=$1
	shift
	start -x defaultargs -s "dtools/$name" -n 'BEGIN /1 || $$1 == $$2/ { printf("ready\n"); }' "$@"
}

# finish: Ctrl-C, and what it prints then; shells start background jobs with SIGINT ignored, TERM means the same
finish() {
	kill -TERM "$tracer"
	wait "$tracer"
	status=$?
}

# row WHAT PATTERN [TIMES]: the last tool printed so many rows (1) that match
row() {
	seen=$(grep -c -E -e "$2" "$tmp/out")
	[ "$status" -eq 0 ] && [ "$seen" -eq "${3:-1}" ] && ! grep -q '^dtrace:' "$tmp/err"
	check $? "$name: $1 ($seen)"
}

# value WHAT ACTUAL FROM TO: a number in its limits
value() {
	[ "$status" -eq 0 ] && [ "${2:--1}" -ge "$3" ] && [ "$2" -le "$4" ]
	check $? "$name: $1: ${2:-none}, from $3 to $4"
}
