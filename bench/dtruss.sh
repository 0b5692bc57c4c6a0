#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What a system call costs under dtruss, strace and perf trace: ns for each call, in one run. bench/dtruss.sh [CALLS]
dtrace=${DTRACE:-build/dtrace}
calls=${BUILD:-build}/test/calls
n=${1:-200000}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
ln -s "$(realpath "$dtrace")" "$tmp/dtruss"

# The process itself takes the time: the beginning and the end of a tracer are not counted. Best of five, as others
# may use the machine.
took() {	# NAME TRACER…
	name=$1
	shift
	least=
	for i in 1 2 3 4 5; do
		"$@" sh -c 'a=$(date +%s%N); "$0" "$1"; b=$(date +%s%N); echo $((b - a)) >"$2"' "$calls" "$n" "$tmp/ns" >/dev/null 2>"$tmp/err"
		ns=$(cat "$tmp/ns")
		[ -n "$least" ] && [ "$least" -le "$ns" ] || least=$ns
	done
	echo "$name: $((least / n)) ns a call $(grep -o '[0-9]* drops.*' "$tmp/err" | head -n 1)"
}
took "untraced" env
took "dtruss -f -c" "$tmp/dtruss" -f -c -o "$tmp/out"
took "dtruss -f -o FILE" "$tmp/dtruss" -f -o "$tmp/out"
echo "   lines: $(grep -c getppid "$tmp/out") of $n"
! command -v strace >/dev/null || took "strace -f -c" strace -f -c -o "$tmp/out"
! command -v strace >/dev/null || took "strace -f -o FILE" strace -f -y -o "$tmp/out"
! perf trace -o "$tmp/out" true >/dev/null 2>&1 || took "perf trace -o FILE" perf trace -o "$tmp/out"
