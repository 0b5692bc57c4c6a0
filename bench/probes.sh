#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench/probes.sh [N]: what a firing costs, by the way a kernel function is probed: N writes of a byte to /dev/null, with
# and without a probe on vfs_write(). Needs a kernel whose functions can be traced (test/vm/run bench/probes.sh).
n=${1:-100000}
dtrace=${DTRACE:-build/dtrace}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

# the time of the writes alone, in ns for each: BEGIN and END of the process are outside
cost() {	# cost WHAT [PROBE]
	{ echo 'BEGIN { }'; [ -z "$2" ] || echo "$2 /execname == \"dd\"/ { n++; }"; } >"$tmp/p.d"
	"$dtrace" -q -s "$tmp/p.d" -c "sh bench/probes.sh -w $n $tmp/ns" 2>"$tmp/err" >/dev/null || { echo "$1: $(head -n 1 "$tmp/err")"; return; }
	ns=$(cat "$tmp/ns")
	[ -n "$base" ] || base=$ns
	echo "$1: $ns ns a write, $((ns - base)) ns the probe"
}

if [ "$1" = -w ]; then
	a=$(date +%s%N)
	dd if=/dev/zero of=/dev/null bs=1 count="$2" status=none
	b=$(date +%s%N)
	echo $(((b - a) / $2)) >"$3"
	exit
fi
base=
cost "nothing"
cost "rawtp sys_enter" "rawtp:::sys_enter"
cost "fentry" "fbt::vfs_write:entry"
cost "fexit" "fbt::vfs_write:return"
cost "kprobe (of one link, where the kernel has it)" "rawfbt::vfs_write:entry"
cost "kretprobe" "rawfbt::vfs_write:return"
cost "kprobe in a function" "kinst::vfs_write:8"
