# SPDX-License-Identifier: BSD-2-Clause
# A traced process writes nonsense into the memory it shares with dtrace (test/trigger/inproc_vandal.c) while clauses run in it and, for
# samples and ticks, in dtrace: variables, aggregations, rings, tables of stacks. What is shown may be wrong; dtrace goes on to its end.
# VANDAL_ROUNDS: with another seed each.
. test/cli/helpers.inc
vandal=${BUILD:-build}/test/inproc_vandal
hostile() { timeout 240 "$dtrace" -x engine=process "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; status=$?; }
hostile -qn 'BEGIN { exit(0); }'
if [ "$status" -ne 0 ]; then
	echo "ok - a process that writes to what it shares # SKIP $(head -n 1 "$tmp/err")"
	exit 0
fi
seed=0
while [ $seed -lt "${VANDAL_ROUNDS:-3}" ]; do
	seed=$((seed + 1))
	hostile -qn 'profile-997 { @[ustack()] = count(); self->n++; @n = sum(self->n); g[tid] = timestamp; trace(execname); }
	    tick-10ms { @t[ustack()] = count(); t++; g[t] = t; @q = quantize(g[t]); }
	    pid$target:inproc_vandal:vandal_leaf:entry { @e[ustack(5), tid] = count(); h[tid] = probefunc; printf("%s %d", h[tid], self->n); }
	    END { printa(@); }' -c "$vandal 2 $seed"
	[ "$status" -lt 124 ] && ! grep -qi 'sanitizer' "$tmp/err"
	check $? "seed $seed: dtrace ends by itself (status $status)"
	# it says so if it has written nothing; if it has written that the trace is over, it was ended and says nothing
	! grep -aq 'no data$' "$tmp/out"
	check $? "seed $seed: the process has found the memory"
done
