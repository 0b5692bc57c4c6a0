# SPDX-License-Identifier: BSD-2-Clause
# Keys that are new in quick succession (N B1, T 4): every aggregating function and associative arrays keep all of them as long
# as there is room, and when there is none what is lost is told to the firing.
# slow: left out of `make check`
# alone
. test/trigger/exact_run.sh
may_trace "bursts of new keys"

K='syscall::getpgid:entry /pid == $1/'
P='syscall::getpgid:entry /pid == $1 &&'
sum() { awk '$1 == "S" { n += $2 } END { printf "%d\n", n }' "$tmp/out"; }

# burst WHAT THREADS KEYS PROGRAM ARGS…: every call has a key of its own; the sum of lines "S n" must be all calls, nothing lost
burst() {
	what=$1 threads=$2 keys=$3 d=$4
	shift 4
	traced "$threads" "$keys" "$keys" "$@" -n "$d"
	[ "$(sum)" = "$keys" ] && [ "$status" -eq 0 ] && ! grep -q drop "$tmp/err"
	if [ $? -eq 0 ]; then ok "$what: $keys new keys, $threads threads"; else bad "$what: $(sum) of $keys new keys, $threads threads"; fi
}

for f in 'count()' 'sum(arg0)' 'avg(arg0)' 'min(arg0)' 'max(arg0)' 'stddev(arg0)' 'quantize(arg0)' 'lquantize(arg0, 0, 100, 1)' \
    'llquantize(arg0, 10, 0, 6, 10)'; do
	for n in '1 2000' '4 3000'; do
		set -- $n
		burst "$f" "$1" "$2" "$K { @[arg0, probefunc] = $f; } END { printa(\"S 1 %d %s %@d\n\", @); }"
	done
done
burst "quantize by stack and name" 4 3000 "$K { @[arg0, stack(), execname, ustack(2)] = quantize(arg0); } END { printa(\"S 1 %d %k %s %k %@d\n\", @); }" -x aggsize=64m
burst "many" 2 100000 "$K { @[arg0] = quantize(arg0); } END { printa(\"S 1 %d %@d\n\", @); }" -x aggsize=64m
more=$(awk 'BEGIN { for (i = 0; i < 20; i++) printf "@x%d[arg0] = count(); ", i }')
burst "20 aggregations" 1 500 "$K { $more @[arg0] = quantize(arg0); } END { printa(\"S 1 %d %@d\n\", @); }" -x aggsize=1m
burst "an array of strings" 2 3000 "$K { a[arg0] = execname; } $P a[arg0] == execname/ { @[arg0] = count(); } END { printa(\"S 1 %d %@d\n\", @); }" -x dynvarsize=16m
burst "an array of each thread" 4 3000 "$K { self->a[arg0] = 1; } $P self->a[arg0]/ { @[arg0] = count(); } END { printa(\"S 1 %d %@d\n\", @); }" -x dynvarsize=16m

# No room: what is there and what is told are all of them.
for f in 'count()' 'quantize(arg0)'; do
	traced 4 20000 20000 -x aggsize=64k -x aggrate=1h -n "$K { @[arg0] = $f; } END { printa(\"S 1 %d %@d\n\", @); }"
	kept=$(sum) lost=$(drops "aggregation drop")
	[ "$lost" -gt 0 ] && [ $((kept + lost)) -eq 20000 ]
	if [ $? -eq 0 ]; then ok "$f, more keys than aggsize: $lost drops are told"; else bad "$f: $kept kept, $lost told of 20000"; fi
done
