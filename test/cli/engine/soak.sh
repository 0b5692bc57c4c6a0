# SPDX-License-Identifier: BSD-2-Clause
# Days, in minutes (issue 11, item 6): a trace of user stacks, thread-local variables and arrays, while processes with threads, run-time
# code and libraries come and go, some in containers. Memory, descriptors and objects in the kernel stay in the last third as they were
# in the second, and the count at the end is exact. SOAK_SECONDS (600) says how long.
# slow: left out of `make check`
# alone
. test/cli/helpers.inc
may_trace "a soak"
seconds=${SOAK_SECONDS:-600} threads=4 calls=50
name=soak$$			# nobody else's
cp "${BUILD:-build}/test/soak" "$tmp/$name"
program='syscall::getppid:entry /execname == $$1/ { self->t = timestamp; x[tid] = 1; @n = count(); ustack(4); }
	syscall::getppid:return /self->t/ { @r = count(); @t = quantize(timestamp - self->t); self->t = 0; x[tid] = 0; }
	END { printa("entered %@d\n", @n); printa("returned %@d\n", @r); clear(@t); }'
"$dtrace" -q -x namesize=64m -o "$tmp/trace" -n "$program" $name 2>"$tmp/err" </dev/null &
dtrace_pid=$!
trap 'kill -9 $dtrace_pid 2>/dev/null; rm -rf "$tmp"' EXIT

# Files of other programs that run on the machine stay open too, up to 256, and their names are kept: with
# -x namesize=64m, 128 MB are never too many. Their call frames take maps of the kernel, a few each; what a life leaves would
# be thousands.
# what it has: "KB descriptors objects", with the processes that it started; what they share counts once
kilobytes() { cat /proc/$1/smaps_rollup $(sed 's,[0-9][0-9]*,/proc/&/smaps_rollup,g' /proc/$1/task/$1/children) 2>/dev/null | awk '/^Pss:/ { n += $2 } END { print n + 0 }'; }
objects() { cat /proc/$1/fdinfo/* 2>/dev/null | grep -c '^\(prog_id\|map_id\|link_id\)'; }
sample() { echo "$(kilobytes $dtrace_pid) $(ls /proc/$dtrace_pid/fd | wc -l) $(objects $dtrace_pid)" >>"$tmp/samples"; }

# it traces when the first life leaves a line
live() { "$tmp/$name" 1 1; lives=$((lives + 1)); [ -s "$tmp/trace" ]; }
lives=0 rounds=0
waits live || { bad "the trace does not begin"; exit 1; }
unshare -pf --mount-proc true 2>/dev/null && contained=1 || contained=
began=$(date +%s)
while [ $(($(date +%s) - began)) -lt "$seconds" ]; do
	pids=
	for i in 1 2 3 4 5 6 7 8; do
		"$tmp/$name" $threads $calls &
		pids="$pids $!"
	done
	if [ -n "$contained" ]; then
		unshare -pf --mount-proc "$tmp/$name" $threads $calls
	else
		"$tmp/$name" $threads $calls
	fi
	wait $pids
	rounds=$((rounds + 1))
	[ $((rounds % 5)) -ne 0 ] || sample
	# the output would fill the disk in an hour: it is appended to, so it can be cut
	: >"$tmp/trace"
done
kill -INT $dtrace_pid
wait $dtrace_pid
status=$?
want=$((rounds * 9 * threads * calls))
entered=$(awk '$1 == "entered" { print $2 }' "$tmp/trace")
returned=$(awk '$1 == "returned" { print $2 }' "$tmp/trace")
# a firing that finds no room for its record is dropped as a whole, and counted so
drops=$(awk '/ drops on / { n += $2 } END { print n + 0 }' "$tmp/err")
# those of the beginning: one call each, and nobody knows how many were seen
extra=$((${entered:-0} + drops - want))
[ $status -eq 0 ] && [ "$extra" -ge 1 ] && [ "$extra" -le "$lives" ] && [ "$entered" -eq "$returned" ]
check $? "$rounds rounds in $seconds s: $want calls, $entered counted, $returned returns, $drops drops ($lives calls before)"
awk -v k=$(wc -l <"$tmp/samples") '
	{ third = NR <= k / 3 ? 1 : NR <= 2 * k / 3 ? 2 : 3; for (i = 1; i <= 3; i++) if ($i > max[third, i]) max[third, i] = $i }
	END {
		printf "# largest in each third: %d %d %d KB, %d %d %d descriptors, %d %d %d objects in the kernel\n", max[1, 1], max[2, 1],
		    max[3, 1], max[1, 2], max[2, 2], max[3, 2], max[1, 3], max[2, 3], max[3, 3]
		exit !(k >= 3 && (max[3, 1] <= max[2, 1] * 1.1 + 8192 || max[3, 1] <= 131072) && (max[3, 2] <= max[2, 2] + 16 || max[3, 2] <= 340) && max[3, 3] <= max[2, 3] + 16 && max[3, 3] > 0)
	}' "$tmp/samples"
check $? "memory, descriptors and objects in the kernel are flat after a third ($(wc -l <"$tmp/samples") samples)"
