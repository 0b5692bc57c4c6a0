#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench/probes.sh [N]: what a firing costs, by the kind of the probe: N writes of a byte to /dev/null, with and without one probe that
# fires at each, the best of three rounds. Those of functions need a kernel that lets them be traced, such as the emulated one with a
# clock that counts instructions: test/vm/run -i bench/probes.sh 60000. Probes in processes: bench/uprobe.sh.
if [ "$1" = -w ]; then
	for round in 1 2 3; do
		for count in 1 "$2"; do		# starting dd is not what is measured
			a=$(date +%s%N)
			dd if=/dev/zero of=/dev/null bs=1 count="$count" status=none || exit 1
			ns=$(($(date +%s%N) - a))
			if [ "$count" = 1 ]; then [ "${least:-$ns}" -lt "$ns" ] || least=$ns; else [ "${most:-$ns}" -lt "$ns" ] || most=$ns; fi
		done
	done
	echo $(((most - least) / $2)) >"$3"
	exit
fi
cd "$(dirname "$0")/.." || exit 2
. bench/bench.inc
n=${1:-50000}
[ "$n" -gt 0 ] 2>/dev/null || stop 2 "$n is not a number of writes"
dtrace=${DTRACE:-build/dtrace}
needs "$(dirname "$dtrace")" "$(basename "$dtrace")"
may_trace "$dtrace"

# the time of the writes alone, in ns for each: BEGIN and END of the process are outside
cost() {	# cost WHAT [PROBE]
	{ echo 'BEGIN { }'; [ -z "$2" ] || echo "$2 /execname == \"dd\"/ { n++; }"; } >"$tmp/p.d"
	rm -f "$tmp/ns"
	if ! "$dtrace" -q -s "$tmp/p.d" -c "sh bench/probes.sh -w $n $tmp/ns" 2>"$tmp/err" >/dev/null; then
		[ -n "$base" ] || fail "dtrace failed" "$tmp/err"
		printf '%-46s %s\n' "$1" "$(head -n 1 "$tmp/err" | sed 's/.*any probes: //' | cut -c1-90)"
		return
	fi
	ns=$(figure "$n writes of a byte" "$(cat "$tmp/ns" 2>/dev/null)" "$tmp/err") || exit
	[ -n "$base" ] || base=$ns
	printf '%-46s %7d ns a write %7d ns the probe  %d.%02d times\n' "$1" "$ns" $((ns - base)) $((ns / base)) $((ns * 100 / base % 100))
}

base=
cost "nothing"
cost "a probe that does not fire" "syscall::chroot:entry"
# more calls than are seen in their functions: by the tracepoint of all (src/trace/hooks_sys.c)
cost "13 probes that do not fire" "$(printf 'syscall::%s:entry,' chroot acct swapon swapoff reboot sethostname setdomainname init_module \
    delete_module quotactl pivot_root personality)syscall::mount:entry"
cost "syscall entry" "syscall::write:entry"
cost "syscall return" "syscall::write:return"
cost "rawtp sys_enter" "rawtp:::sys_enter"
cost "fentry" "fbt::vfs_write:entry"
cost "fexit" "fbt::vfs_write:return"
cost "kprobe (one link for all, where there is)" "rawfbt::vfs_write:entry"
cost "kretprobe" "rawfbt::vfs_write:return"
cost "kprobe in a function" "kinst::vfs_write:8"
