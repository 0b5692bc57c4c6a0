# SPDX-License-Identifier: BSD-2-Clause
# The engine inside the process: counts are those of the program itself while it gets signals, forks, jumps out of
# functions, changes stacks and starts another program; nothing of a trace stays in a process, however it ends. INPROC_ROUNDS:
# how often a running program is attached to (10). INPROC_THREADS: its threads (8; at most 64). Each gets 10,000 signals a second.
. test/cli/helpers.inc
build=${BUILD:-build} threads=${INPROC_THREADS:-8}
chaos=$build/test/inproc_chaos
inproc() { timeout 240 "$dtrace" -x engine=process "$@" >"$tmp/out" 2>"$tmp/err"; status=$?; }
inproc -qn 'BEGIN { exit(0); }' </dev/null
if [ "$status" -ne 0 ]; then
	echo "ok - the engine in the process # SKIP $(head -n 1 "$tmp/err")"
	exit 0
fi
if [ -n "$(nm "$dtrace" 2>/dev/null | grep -m1 __asan_init)" ]; then calls=200; else calls=2000; fi

D='pid$target::work:entry, pid$target::handled:entry, pid$target::deep:entry { @[probefunc] = count(); }
pid$target::work:return { @["returns"] = count(); @v = sum(arg1); }
END { printa("%s %@d\n", @); printa("values %@d\n", @v); }'
said() { awk -v w="$1" '/^work .* wrong / { for (i = 1; i < NF; i += 2) if ($i == w) print $(i + 1) }' "$tmp/out"; }
counted() { awk -v w="$1" '$1 == w && NF == 2 { n = $2 } END { print n + 0 }' "$tmp/out"; }
for what in none signals forks jumps contexts exec; do
	echo go | inproc -qn "$D" -c "$chaos $what $threads $calls"
	missed=$(sed -n 's/^dtrace: \([0-9]*\) drops\{0,1\} (fired inside another probe).*/\1/p' "$tmp/err" | awk '{ n += $1 } END { print n + 0 }')
	[ "$status" -eq 0 ] && [ "$(said wrong)" = 0 ] && [ "$(said work)" -ge $((threads * calls)) ] &&
		[ $(($(counted work) + $(counted handled) + $(counted deep) + missed)) -ge $(($(said work) + $(said handled) + $(said deep))) ] &&
		[ "$(counted deep)" -eq "$(said deep)" ] && [ $(($(counted handled) + missed)) -ge "$(said handled)" ]
	check $? "$what: all calls are counted, or told as missed"
	[ "$what" = signals ] || { [ "$missed" -eq 0 ] && [ "$(counted work)" -eq "$(said work)" ] && [ "$(counted returns)" -eq "$(said work)" ]; }
	check $? "$what: entries and returns are exact"
done
[ "$(grep -c 'started again' "$tmp/out")" -eq 1 ]
check $? "a program that the process starts is not harmed"

# the same functions and counts as by the kernel's probes. Each engine may leave out functions that the other has, the kernel those
# that begin with an instruction that it does not know, the process those that are too short: a notice says how many.
if "$dtrace" -x engine=kernel -qn 'BEGIN { exit(0); }' >/dev/null 2>&1; then
	for e in kernel process; do
		timeout 240 "$dtrace" -x engine=$e -qo "$tmp/$e" -n 'pid$target:libc.so.6::entry { @[probefunc] = count(); }' -c "ls /usr/bin" >/dev/null 2>"$tmp/$e.err" </dev/null
		awk 'NF == 2 { print $1, $2 }' "$tmp/$e" | LC_ALL=C sort >"$tmp/$e.sorted"
	done
	left() { sed -n 's/^dtrace: \([0-9]*\) of [0-9]* probes could not be enabled.*/\1/p' "$tmp/$1.err" | awk '{ n += $1 } END { print n + 0 }'; }
	LC_ALL=C join "$tmp/kernel.sorted" "$tmp/process.sorted" >"$tmp/both"
	extra=$(LC_ALL=C join -v 2 "$tmp/kernel.sorted" "$tmp/process.sorted" | wc -l)
	missing=$(LC_ALL=C join -v 1 "$tmp/kernel.sorted" "$tmp/process.sorted" | wc -l)
	other=$(awk '$2 != $3' "$tmp/both" | tee "$tmp/out" | wc -l)
	[ "$(wc -l <"$tmp/both")" -gt 50 ] && [ "$other" -eq 0 ] && [ "$missing" -le "$(left process)" ] && [ "$extra" -le "$(left kernel)" ]
	check $? "all functions of libc: as by the kernel ($other differ, $missing missing of $(left process) left out, $extra more of $(left kernel))"
fi

# faults are faults
inproc -qn 'pid$target::work:entry { trace(copyinstr(8)); exit(3); } ERROR { printf("fault %d", arg4); exit(4); }' -c "$chaos none 1 10" </dev/null
[ "$status" -eq 4 ] && grep -q '^fault 1' "$tmp/out"
check $? "an address that is not there is a fault: status $status"

# a program that runs is attached to and left, again and again
mkfifo "$tmp/go"
"$chaos" none "$threads" 2000000000 <"$tmp/go" >"$tmp/victim" &
victim=$!
exec 5>"$tmp/go"
echo go >&5
rounds=0 failed=0
while [ $rounds -lt "${INPROC_ROUNDS:-10}" ]; do
	inproc -qn 'pid$1::work:entry { @ = count(); } pid$1::work:entry /n++ > 50/ { exit(0); } END { printa("%@d\n", @); }' "$victim" </dev/null
	[ "$status" -eq 0 ] && [ "$(awk '$1 > 0 { n = 1 } END { print n + 0 }' "$tmp/out")" -eq 1 ] || failed=$((failed + 1))
	rounds=$((rounds + 1))
	[ $rounds -gt 1 ] || before=$(grep -c . "/proc/$victim/maps")	# all threads are there
done
[ $failed -eq 0 ] && kill -0 $victim
check $? "$rounds rounds of attaching to $threads running threads: $failed failed"
! grep -q 'memfd:dtrace' "/proc/$victim/maps" && [ "$(grep -c . "/proc/$victim/maps")" -le $((before + 1)) ]
check $? "nothing stays mapped: $before mappings, then $(grep -c . "/proc/$victim/maps")"

# dtrace is killed: the guardian restores
"$dtrace" -x engine=process -x switchrate=20ms -qn 'BEGIN { printf("ready\n"); } pid$1::work:entry { @ = count(); }' "$victim" >"$tmp/out" 2>"$tmp/err" </dev/null &
tracer=$!
waits grep -q ready "$tmp/out"
grep -q 'memfd:dtrace' "/proc/$victim/maps"
check $? "code is in the process"
kill -KILL $tracer
wait $tracer 2>/dev/null
gone() { ! grep -q 'memfd:dtrace' "/proc/$victim/maps"; }
waits gone && kill -0 $victim
check $? "after kill -9 the process is as it was"
exec 5>&-
kill -KILL $victim
wait $victim 2>/dev/null
true
