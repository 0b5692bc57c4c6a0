# SPDX-License-Identifier: BSD-2-Clause
# What a hit costs in the process, in instructions: they are counted by stepping (test/trigger/hits.c) and printed. The limits are twice
# what was counted, so that only a change of the way of a hit passes them; they are those of x86-64 and aarch64.
. test/cli/helpers.inc
hits=${BUILD:-build}/test/hits
timeout 60 "$dtrace" -qx engine=process -n 'BEGIN { exit(0); }' >"$tmp/out" 2>"$tmp/err" </dev/null || {
	echo "ok - the instructions of a hit # SKIP $(head -n 1 "$tmp/err")"
	exit 0
}
"$hits" none steps >"$tmp/out" 2>&1
if [ $? -eq 6 ]; then
	echo "ok - the instructions of a hit # SKIP ptrace(2) of a parent is not permitted"
	exit 0
fi
base=$(cat "$tmp/out")	# of the loop around the two calls, which compilers lay out differently
[ "${base:-99}" -le 4 ] && [ "$base" -ge -4 ]
check $? "a call takes as many instructions as a call"
[ $(($("$hits" site steps) - base)) -le 1 ]
check $? "a static probe that is off is a nop"

# Aggregations are not taken meanwhile: an element that is made anew takes longer. Exclusive accesses cannot be stepped, and without single
# instructions for atomic accesses (old aarch64) each hit has them.
rows() {
	cat <<-'END'
	entry, count() | 400 | call | pid$target:hits:hits_call:entry { @ = count(); }
	return, count() | 400 | call | pid$target:hits:hits_call:return { @ = count(); }
	static probe, count() | 400 | site | hits$target:::site { @ = count(); }
	entry, @[arg0] = count() | 900 | call | pid$target:hits:hits_call:entry { @[arg0] = count(); }
	entry to return, quantize() | 1400 | call | pid$target:hits:hits_call:entry { self->t = timestamp; } pid$target:hits:hits_call:return /self->t/ { @ = quantize(timestamp - self->t); self->t = 0; }
	END
}
atomics=yes
[ "$(uname -m)" != aarch64 ] || grep -qw atomics /proc/cpuinfo || atomics=
rows >"$tmp/rows"
while IFS='|' read -r title limit how clauses; do
	title=$(echo "$title" | sed 's/ *$//') limit=$(echo $limit) how=$(echo $how)
	if [ -z "$atomics" ]; then
		echo "ok - $title # SKIP this processor's atomic accesses cannot be stepped"
		continue
	fi
	n=$(timeout 120 "$dtrace" -x aggrate=1h -x switchrate=1h -qx engine=process -o /dev/null -c "$hits $how steps" -n "$clauses" 2>"$tmp/err" </dev/null)
	n=$((${n:-0} - base))
	echo "# $title: $n instructions"
	[ "$n" -gt 20 ] && [ "$n" -le "$limit" ]
	check $? "$title: at most $limit instructions"
done <"$tmp/rows"

# A trace that has ended leaves the instructions as they were.
rm -f "$tmp/go"
"$hits" call steps "$tmp/go" >"$tmp/steps" 2>&1 &
victim=$!
timeout 60 "$dtrace" -qx engine=process -p $victim -n 'pid$target:hits:hits_call:entry, pid$target:hits:hits_call:return { @ = count(); } tick-1 { exit(0); }' \
	>"$tmp/out" 2>"$tmp/err" </dev/null
check $? "a trace of a process that runs"
: >"$tmp/go"
wait $victim
[ $? -eq 5 ] && [ "$(cat "$tmp/steps")" = "$base" ]
check $? "a probe that is off: no instruction"
