# SPDX-License-Identifier: BSD-2-Clause
# The engine inside the process, again and again: a program whose threads get signals, fork, jump out of functions and change stacks, all
# at once, is traced with probes that are drawn by lot: entries and returns of some functions of libc or of all, system calls, samples.
# Its output and exit status are its own, and calls are counted exactly. Then a process with many threads is attached to and left.
#   INPROC_LOTS		rounds with lots, each with signals and without (2); 1,000 took 75 minutes beside other work
#   INPROC_ROUNDS	rounds of attaching (4)
#   INPROC_THREADS	threads of the program (8; at most 64)
#   INPROC_SEED	of the lots (the time); the seed of a round that fails is printed
. test/cli/helpers.inc
chaos=${BUILD:-build}/test/inproc_chaos
lots=${INPROC_LOTS:-2} rounds=${INPROC_ROUNDS:-4} threads=${INPROC_THREADS:-8} seed=${INPROC_SEED:-$(date +%s)}
"$dtrace" -x engine=process -qn 'BEGIN { exit(0); }' >"$tmp/out" 2>"$tmp/err" </dev/null || { echo "ok - rounds # SKIP $(head -n 1 "$tmp/err")"; exit 0; }
victim=
trap '[ -z "$victim" ] || kill -KILL $victim 2>/dev/null; rm -rf "$tmp"' EXIT

# drawn SEED: clauses beside those that count. What is drawn fires in the program's own work, too.
drawn() {
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		for (n = 1 + int(rand() * 4); n > 0; n--) {
			kind = int(rand() * 8)
			letter = substr("abcdefgilmnoprstuw_", 1 + int(rand() * 19), 1)
			if (kind < 2) print "pid$target:libc.so.6:" letter "*:entry { @l[probefunc] = count(); }"
			else if (kind < 4) print "pid$target:libc.so.6:" letter "*:return { @l[probefunc] = count(); }"
			else if (kind == 4) print "pid$target:libc.so.6::entry { @a = count(); }"
			else if (kind == 5) print "pid$target:libc.so.6::entry, pid$target:libc.so.6::return { @s[ustack(4)] = count(); @t = quantize(timestamp); }"
			else if (kind == 6) print "syscall:::entry { self->t = timestamp; } syscall:::return { @c[probefunc] = quantize(timestamp - self->t); self->t = 0; }"
			else print "profile-997 { @p[ustack(8)] = count(); }"
		}
	}'
}
said() { awk -v w="$1" '/^work .* wrong / { for (i = 1; i < NF; i += 2) if ($i == w) print $(i + 1) }' "$tmp/out"; }
counted() { awk -v w="$1" '$1 == "own" && $2 == w { n = $3 } END { print n + 0 }' "$tmp/counts"; }
missed() { sed -n 's/^dtrace: \([0-9]*\) drops\{0,1\} (fired inside another probe).*/\1/p' "$tmp/err" | awk '{ n += $1 } END { print n + 0 }'; }
# as_untraced WHAT: status, and what was called. A signal between the jump and the function makes the call begin again: with signals
# there can be more, and what a handler calls in the middle of a firing is told as missed.
as_untraced() {
	[ "$status" -eq 7 ] && [ "$(said wrong)" = 0 ] && [ "$(wc -l <"$tmp/out")" -eq 1 ] && [ "$(counted deep)" -ge "$(said deep)" ] || return 1
	case $1 in
	mixed) [ "$(counted work)" -ge "$(said work)" ] && [ "$(counted returns)" -ge "$(said work)" ] &&
		[ $(($(counted handled) + $(missed))) -ge "$(said handled)" ] ;;
	*) [ "$(counted work)" -eq "$(said work)" ] && [ "$(counted returns)" -eq "$(said work)" ] && [ "$(counted deep)" -eq "$(said deep)" ] && [ "$(missed)" -eq 0 ] ;;
	esac
}
own='pid$target::work:entry, pid$target::handled:entry, pid$target::deep:entry { @[probefunc] = count(); } pid$target::work:return { @["returns"] = count(); }
END { printa("own %s %@d\n", @); }'
round=0 failed=
while [ $round -lt "$lots" ]; do
	for what in mixed quiet; do
		drawn $((seed + round)) >"$tmp/lots.d"
		: >"$tmp/counts"
		echo go | timeout 240 "$dtrace" -x engine=process -x childstatus -Cqo "$tmp/counts" -s "$tmp/lots.d" -n "$own" -c "$chaos $what $threads 300" >"$tmp/out" 2>"$tmp/err"
		status=$?
		as_untraced $what && continue
		failed="$failed $((seed + round)):$what"
		echo "# seed $((seed + round)), $what: status $status, $(tail -n 1 "$tmp/out"), counted $(grep '^own' "$tmp/counts" | tr '\n' ' '), $(head -n 2 "$tmp/err")"
	done
	round=$((round + 1))
	[ $((round % 100)) -ne 0 ] || echo "# $round rounds, failed:${failed:- none}"
done
[ -z "$failed" ]
check $? "$round rounds of probes by lot in a program with $threads threads:${failed:- as untraced, counts exact}"

mkfifo "$tmp/go"
nice -n 19 "$chaos" none "$threads" 2000000000 <"$tmp/go" >"$tmp/victim" &
victim=$!
exec 5>"$tmp/go"
echo go >&5
waits eval '[ "$(ls "/proc/$victim/task" | wc -l)" -gt "$threads" ]'	# it is the program now, and all its threads run
round=0 failed=0
while [ $round -lt "$rounds" ]; do
	timeout 240 "$dtrace" -x engine=process -qn 'pid$1::work:entry { @ = count(); } pid$1::work:return { @r = count(); } pid$1::work:entry /n++ > 50/ { exit(0); }
	    END { printa("%@d\n", @); }' $victim 5>&- >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	[ "$status" -eq 0 ] && [ "$(awk '$1 > 0 { n = 1 } END { print n + 0 }' "$tmp/out")" -eq 1 ] || {
		failed=$((failed + 1))
		echo "# attached $round: status $status, $(grep . "$tmp/out" | tr '\n' ' '), $(head -n 3 "$tmp/err")"
	}
	round=$((round + 1))
	[ $((round % 100)) -ne 0 ] || echo "# $round rounds, $failed failed"
	[ $round -gt 1 ] || before=$(grep -c . "/proc/$victim/maps")
done
[ $failed -eq 0 ] && kill -0 $victim
check $? "$round rounds of attaching to $threads running threads: $failed failed"
! grep -q 'memfd:dtrace' "/proc/$victim/maps" && [ "$(grep -c . "/proc/$victim/maps")" -le $((before + 1)) ]
check $? "nothing stays mapped: $before mappings, then $(grep -c . "/proc/$victim/maps")"
exec 5>&-
