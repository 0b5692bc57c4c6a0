# SPDX-License-Identifier: BSD-2-Clause
# T 3: vtimestamp is exact to the clock, not to the scheduler's tick. Measured beside the CPU time the program itself reads around the
# same calls: ours lies inside, so what it is shorter by are the probes. It may be longer on a busy virtual machine: the kernel's own count leaves
# out interrupts and what the host took.
. test/trigger/trace.sh
may_trace "vtimestamp"

cat >"$tmp/v.d" <<'D'
pid$target:a.out:work:entry { self->v = vtimestamp; }
pid$target:a.out:work:return /self->v/ { this->d = vtimestamp - self->v; @v = sum(this->d); @zero = sum(this->d == 0); @back = sum(this->d < 0); @n = count(); self->v = 0; }
syscall:::entry, syscall:::return, sched:::off-cpu, sched:::on-cpu /pid == $target/ { @back = sum(vtimestamp < self->last); self->last = vtimestamp; }
END { normalize(@v, 1000); printa("v %@d\nzero %@d\nback %@d\nn %@d\n", @v, @zero, @back, @n); }
D
sed -i '1i self int64_t last; self uint64_t v; this int64_t d;' "$tmp/v.d"
run -q -s "$tmp/v.d" -c "${BUILD:-build}/test/runtime"
value() { awk -v k="$1" '$1 == k { print $2 }' "$tmp/out"; }
[ "$status" -eq 0 ] && [ "$(value n)" = 600 ]
check $? "all calls"
[ "$(value zero)" = 0 ]
check $? "none took no time"
[ "$(value back)" = 0 ]
check $? "it never goes back"
[ "$(value v)" -gt $(($(value own) / 2)) ] && [ "$(value v)" -le $(($(value own) * 3 / 2)) ]
check $? "as much as the program itself measured"
run -q -n 'BEGIN { a = vtimestamp; b = vtimestamp; printf("%d\n", b > a && a > 0); exit(0); }'
is "in one clause" 0 "1"
