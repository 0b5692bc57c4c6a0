# SPDX-License-Identifier: BSD-2-Clause
# Speculations on all CPUs at once (H 4, S A3): what is committed is shown, once, and what is discarded never is, with little room too.
. test/cli/helpers.inc
may_trace "speculations"

load=${BUILD:-build}/test/spec_load
cat >"$tmp/spec.d" <<'D'
syscall::getpgid:entry /pid == $target/ { self->n = arg0; self->s = speculation(); }
syscall::getpgid:entry /pid == $target && self->s/ { speculate(self->s); self->kept = 1; printf("%d\n", arg0); }
syscall::getpgid:return /self->kept && (self->n & 1)/ { @kept = count(); }
syscall::getpgid:return { self->kept = 0; }
syscall::getpgid:return /self->s && (self->n & 1)/ { commit(self->s); self->s = 0; }
syscall::getpgid:return /self->s/ { discard(self->s); self->s = 0; }
END { printa("kept %@d\n", @kept); }
D
# how many odd numbers, how many even ones, how many twice, how many the clause has seen
numbers() { awk '/^kept/ { kept = $2; next } NF { if ($1 % 2) odd++; else even++; if (seen[$1]++) twice++ } END { print odd + 0, even + 0, twice + 0, kept + 0 }' "$tmp/out"; }

# where the reader is slow all 64 may be in use: what gets none is told, and not recorded
wrong=0
for i in 1 2 3 4 5 6; do
	run -q -b 16m -x nspec=64 -x specsize=1m -s "$tmp/spec.d" -c "$load 4 4000"
	set -- $(numbers)
	[ "$status" -eq 0 ] && [ "$1" -gt 64 ] && [ "$1 $2 $3" = "$4 0 0" ] || wrong=1
done
check $wrong "4 threads: all that is committed, nothing that is discarded"
# one thread, so that the program counts itself exactly; records are lost for want of room, ends are not
for args in "-b 4k" "-b 16k" "-b 4k -x nspec=64" "-b 16k -x nspec=64 -x switchrate=1ms"; do
	run -q $args -s "$tmp/spec.d" -c "$load 1 5000"
	set -- $(numbers)
	[ "$status" -eq 0 ] && [ "$1" -gt 0 ] && [ "$1 $2 $3" = "$4 0 0" ]
	check $? "$args: each recorded speculation ends as it was to"
done
# a reader that is late: the program has a CPU, the reader shares another one with six busy loops
loops=
for i in 1 2 3 4 5 6; do
	timeout 60 sh -c 'while :; do :; done' &
	loops="$loops $!"
done
[ "$(nproc)" -gt 1 ] && first="taskset -c $(($(nproc) - 1))" || first=
wrong=0
for i in 1 2 3 4 5 6; do
	run -q -b 16k -x nspec=64 -x switchrate=1ms -s "$tmp/spec.d" -c "$first $load 1 5000"
	set -- $(numbers)
	[ "$status" -eq 0 ] && [ "$1" -gt 0 ] && [ "$1 $2 $3" = "$4 0 0" ] && ! grep -q 'speculative drop' "$tmp/err" || wrong=1
done
check $wrong "a reader that is late: nothing is forgotten"
kill $loops 2>/dev/null
wait $loops 2>/dev/null
run -q -x specsize=8 -n 'BEGIN { s = speculation(); } BEGIN { speculate(s); trace("kept"); a = 1; } BEGIN { commit(s); } BEGIN { printf("a=%d\n", a); exit(0); }'
is "a full speculation ends the clause" 0 "a=0"
is "and is told" 0 "1 speculative drop"
run -q -x specsize=64 -n 'BEGIN { s = speculation(); } BEGIN { speculate(s); printf("%d\n", 1); } BEGIN { speculate(s); printf("%d\n", 2); } BEGIN { discard(s); } BEGIN { s = speculation(); } BEGIN { speculate(s); printf("three%d\n", 3); a = 3; } BEGIN { speculate(s); a = 4; } BEGIN { commit(s); } BEGIN { printf("a=%d\n", a); exit(0); }'
grep -q 'three3' "$tmp/out" || bad "the room is whole again for the next speculation"
is "a clause that records nothing needs no room" 0 "a=4"
