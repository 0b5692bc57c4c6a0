# SPDX-License-Identifier: BSD-2-Clause
# sched: a workload whose switches the kernel counts too (test/trigger/provider_sched.c): the probes must agree with its figures.
# alone
. test/cli/helpers.inc
may_trace "sched probes"
load=${BUILD:-build}/test/provider_sched
: >"$tmp/got"
"$dtrace" -lP sched >"$tmp/list" 2>/dev/null
have() { grep -q " $1\$" "$tmp/list"; }

cat >"$tmp/sched.d" <<'DONE'
#pragma D option quiet
self int in, nv, niv, sleep, preempt, off, on, remain, wakes, given, ticks, loads;
int wrong;
syscall::times:entry /pid == $target && !self->in++/ { self->nv = curthread->nvcsw; self->niv = curthread->nivcsw; }
sched:::sleep /self->in == 1/ { self->sleep++; }
sched:::preempt /self->in == 1/ { self->preempt++; }
sched:::off-cpu /self->in == 1/ { self->off++; wrong += args[0]->pr_lwpid == tid; }
sched:::wakeup /self->in == 1 && args[1]->pr_ppid == $target/ { self->wakes++; }
sched:::surrender /self->in == 1 && args[0]->pr_lwpid == tid/ { self->given++; wrong += args[1]->pr_pid != pid; }
sched:::tick /self->in == 1/ { self->ticks++; wrong += args[0]->pr_lwpid != tid || args[1]->pr_pid != $target; }
sched:::load-change /self->in == 1 && arg0 == cpu/ { self->loads++; }
sched:::lend-pri /args[1]->pr_pid == $target/ { printf("lent %d %d %d\n", args[0]->pr_lwpid, args[2], args[3]->pr_lwpid); }
syscall::times:entry /pid == $target && self->in == 2/ {
	printf("sleep %d of %d\n", self->sleep, curthread->nvcsw - self->nv);
	printf("preempt %d of %d\n", self->preempt, curthread->nivcsw - self->niv);
	printf("off-cpu %d of %d\n", self->off, curthread->nvcsw - self->nv + curthread->nivcsw - self->niv);
	printf("wakeup %d\nsurrender %d\ntick %d\nload-change %d\nwrong %d\n", self->wakes, self->given, self->ticks, self->loads, wrong);
}
DONE
if have on-cpu; then cat >>"$tmp/sched.d" <<'DONE'
sched:::on-cpu /self->in == 1/ { self->on++; wrong += pid != $target || execname != "provider_sched"; }
syscall::times:entry /pid == $target && self->in == 2/ { printf("on-cpu %d of %d\n", self->on, self->off); }
DONE
fi
if have remain-cpu; then cat >>"$tmp/sched.d" <<'DONE'
self int yields, stayed, left, y;
syscall::sched_yield:entry /self->in == 1/ { self->yields++; self->y = 1; }
sched:::remain-cpu /self->y/ { self->stayed++; }
sched:::off-cpu /self->y/ { self->left++; }
syscall::sched_yield:return /self->y/ { self->y = 0; }
syscall::times:entry /pid == $target && self->in == 2/ {
	printf("remain-cpu %s\n", self->yields == 100 && self->stayed + self->left >= 100 && self->stayed > 0 ? "some" : "none");
}
DONE
fi
run -s "$tmp/sched.d" -o "$tmp/got" -c "$load"
check "$status" "a workload is traced"

# equal PROBE: the line says N of N, and N is not 0
equal() { grep -q "^$1 \([1-9][0-9]*\) of \1\$" "$tmp/got"; check $? "sched:::$1: $(sed -n "s/^$1 //p" "$tmp/got")"; }
most() { awk -v n="$2" -v p="$1" '$1 == p { ok = $2 >= n } END { exit !ok }' "$tmp/got"; check $? "sched:::$1: $(sed -n "s/^$1 //p" "$tmp/got"), not under $2"; }
equal sleep
equal preempt
equal off-cpu
if have on-cpu; then equal on-cpu; else ok "sched:::on-cpu # SKIP needs kernel functions, or Linux 6.16"; fi
if have remain-cpu; then grep -qx "remain-cpu some" "$tmp/got"; check $? "sched:::remain-cpu at sched_yield()"; else ok "sched:::remain-cpu # SKIP needs Linux 6.16"; fi
if grep -q fifo "$tmp/out"; then
	# the child sleeps in every round; and once the kernel starts it
	awk '$1 == "wakeup" { ok = $2 >= 200 && $2 <= 203 } END { exit !ok }' "$tmp/got"
	check $? "sched:::wakeup: $(sed -n 's/^wakeup //p' "$tmp/got") of 200 rounds"
	# FIFO 10 is priority 89
	want="lent $(sed -n 's/^owner //p' "$tmp/out") 89 $(sed -n 's/^waiter //p' "$tmp/out")"
	grep -qx "$want" "$tmp/got"
	check $? "sched:::lend-pri: $want"
else
	most wakeup 1
	ok "sched:::lend-pri # SKIP no right to real-time priorities"
fi
most surrender 100
most tick 1
most load-change 200
grep -qx "wrong 0" "$tmp/got"
check $? "arguments and threads are the right ones"

# T 12: queues. A thread is in one while it is ready and does not run: each that gets a CPU has come into a queue before, of that CPU. One that was
# in a queue when tracing began is not judged until it comes into one.
cat >"$tmp/queue.d" <<'DONE'
#pragma D option quiet
int in, out, lost, other, known[int], queue[int], waits, ready, preempts, slept;
uint64_t since[int];
sched:::enqueue /args[1]->pr_pid == $target || args[1]->pr_ppid == $target/ { in++; known[args[0]->pr_lwpid] = 1; queue[args[0]->pr_lwpid] = args[2]->cpu_id + 1;
    since[args[0]->pr_lwpid] = timestamp; }
sched:::dequeue /(args[1]->pr_pid == $target || args[1]->pr_ppid == $target) && known[args[0]->pr_lwpid]/ { out++; lost += queue[args[0]->pr_lwpid] == 0;
    other += queue[args[0]->pr_lwpid] != args[2]->cpu_id + 1; queue[args[0]->pr_lwpid] = 0;
    waits += timestamp > since[args[0]->pr_lwpid]; }
sched:::off-cpu /pid == $target && queue[tid] == 0/ { slept++; }
sched:::preempt /pid == $target/ { self->left = 1; }
sched:::off-cpu /self->left/ { ready += queue[tid] != 0; preempts++; self->left = 0; }
END { printf("enqueue %d\ndequeue %d\nlost %d other CPU %d\nwaits %d of %d\npreempted and in a queue %d of %d\nasleep %d\n", in, out, lost, other, waits, out,
    ready, preempts, slept); }
DONE
run -s "$tmp/queue.d" -o "$tmp/got" -c "$load"
check "$status" "queues are traced"
most enqueue 200
most dequeue 200
most asleep 100
grep -qx 'lost 0 other CPU 0' "$tmp/got"
check $? "no thread runs that was in no queue: $(sed -n 's/^lost //p' "$tmp/got")"
grep -q '^waits \([1-9][0-9]*\) of \1$' "$tmp/got"
check $? "time in queues: $(sed -n 's/^waits //p' "$tmp/got")"
grep -q '^preempted and in a queue \([1-9][0-9]*\) of \1$' "$tmp/got"
check $? "a thread that is preempted is in a queue: $(sed -n 's/^preempted and in a queue //p' "$tmp/got")"

if have change-pri; then
	run -qn 'sched:::change-pri /args[1]->pr_pid == $target && pid == $target/ { printf("pri %d\n", args[2]); }' -o "$tmp/got" -c "$load"
	check "$status" "priorities are traced"
	for pri in 98 120 125; do
		grep -qx "pri $pri" "$tmp/got"
		check $? "sched:::change-pri to $pri"
	done
else
	ok "sched:::change-pri # SKIP needs kernel functions"
	run -n 'sched:::change-pri'
	is "a probe that would miss events is not there" 1 "set_user_nice"
fi
run -n 'sched:::cpucaps-sleep'
is "a probe that Linux cannot have says why" 1 "never there on Linux"
