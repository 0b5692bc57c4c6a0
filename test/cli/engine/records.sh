# SPDX-License-Identifier: BSD-2-Clause
# Records that come faster than switchrate: rings are read as they fill (N 38), aggregations are taken over at aggrate (S D2), records of all
# CPUs come in the order of time, whole.
# alone
. test/cli/helpers.inc
may_trace "records"

me=rec$$		# nobody else's process has this name
cp "$calls" "$tmp/$me" || exit 2

# ---- a ring that holds 1,300 of them is read without the help of the clock ----
burst=200 total=0 lost=0
: >"$tmp/out"
"$dtrace" -q -x switchrate=1h -x statusrate=1h -x bufsize=64k -o "$tmp/rec" \
    -n "syscall::getppid:entry /execname == \"$me\"/ { printf(\"R %s %d\\n\", execname, ++n); }
	syscall::getppid:entry /execname == \"$me\" && n == 20000/ { exit(0); }" >"$tmp/out" 2>"$tmp/err" </dev/null &
tracer=$!
lines() { grep -c '^R' "$tmp/rec" 2>/dev/null; }
near() { ended $tracer || [ "$(lines)" -ge $((total - 3 * burst)) ]; }
# The first that is seen tells that tracing has begun: it is shown when an eighth is full.
first() { ended $tracer || { "$tmp/$me" $burst >/dev/null; sleep 0.5; [ "$(lines)" -gt 0 ]; }; }
waits first
total=$(($(lines) + 2 * burst))
while [ $total -lt 24000 ] && ! ended $tracer; do
	"$tmp/$me" $burst >/dev/null
	total=$((total + burst))
	waits near || { lost=1; break; }
done
kill -TERM $tracer 2>/dev/null
wait $tracer
awk '$1 == "R" { if ($3 != ++n) bad++ } END { exit n < 19000 || bad }' "$tmp/rec" && [ $lost -eq 0 ] && ! grep -q drop "$tmp/err"
check $? "20,000 records through a ring of 64 KiB, switchrate=1h: $(lines) of them in order"

# ---- all CPUs: in the order of time; one that a hypervisor held back for more than 2 ms may come late ----
run -q -x switchrate=10ms -c "$calls 20000" -n 'syscall:::entry { printf("T %d\n", timestamp); }'
awk '$1 == "T" { if ($2 + 0 < last) bad++; last = $2 + 0; n++ } END { exit bad > n / 1000 || n < 1000 }' "$tmp/out"
check $? "records of all CPUs come in the order of time"

# ---- aggrate alone: more keys come by than fit at once ----
run -q -x switchrate=1h -x statusrate=1h -x aggrate=10ms -x aggsize=300 \
    -n 'tick-20ms { @[i++] = count(); } tick-20ms /i == 400/ { exit(0); } END { printa("K %d %@d\n", @); }'
kept=$(grep -c '^K' "$tmp/out")
[ "$kept" -gt 30 ]
check $? "aggrate=10ms is minded: $kept keys of 400 through room for a few"
