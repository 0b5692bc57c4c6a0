# SPDX-License-Identifier: BSD-2-Clause
# H 10: elements of self-> arrays go with their threads, so dynvarsize is for those that live; values are right, whatever
# is stored and deleted in which order.
. test/cli/helpers.inc
may_trace "elements of self-> arrays"
load=${BUILD:-build}/test/self_arrays

cat >"$tmp/self.d" <<'D'
syscall::setpriority:entry /pid == $target/ { self->n[arg0] = arg1; @stores = count(); }
syscall::setpriority:entry /pid == $target && arg1 != 0/ { self->s[lltostr(arg0), 1] = lltostr(arg1); }
syscall::setpriority:entry /pid == $target && arg1 == 0/ { self->s[lltostr(arg0), 1] = 0; }
syscall::getpriority:entry /pid == $target/
{
	@numbers = sum(self->n[arg0] == arg1);
	@strings = sum(arg1 == 0 ? self->s[lltostr(arg0), 1] == NULL : self->s[lltostr(arg0), 1] == lltostr(arg1));
}
END { printa("stores %@d\n", @stores); printa("numbers %@d\n", @numbers); printa("strings %@d\n", @strings); }
D

# held WHAT STORES LOOKS: of the last run: no drops, and each look found its value
held() {
	if [ "$status" -eq 0 ] && grep -qx "stores $2" "$tmp/out" && grep -qx "numbers $3" "$tmp/out" &&
	    grep -qx "strings $3" "$tmp/out" && [ ! -s "$tmp/err" ]; then
		ok "$1"
	else
		bad "$1: status $status"
	fi
}

run -q -x strsize=32 -x dynvarsize=32k -s "$tmp/self.d" -c "$load threads 3000 20"
held "3000 threads with 20 elements each, and room for those of a few" 60000 60000
run -q -x strsize=32 -x dynvarsize=64k -s "$tmp/self.d" -c "$load mix 300 50000"
held "one thread stores and deletes in any order" 50000 300

# threads that end because their process is killed, or runs another program
run -q -x dynvarsize=512k -n 'syscall::setpriority:entry /progenyof($target)/ { self->n[arg0] = arg1; @stores = count(); }
    END { printa("stores %@d\n", @stores); }' -c "$load die 60"
[ "$status" -eq 0 ] && grep -qx 'stores 48000' "$tmp/out" && [ ! -s "$tmp/err" ]
check $? "40 threads in each of 60 processes, killed or replaced, and room for those of a few"

# more elements than go at the last switch of a thread: the rest goes when the kernel frees it
"$dtrace" -q -x strsize=32 -x dynvarsize=768k -s "$tmp/self.d" -n 'pid$target::main:entry { printf("pid %d\n", pid); }
    rawtp:::sched_process_free /((struct task_struct *)arg0)->tgid == $target/ { printf("freed\n"); }' \
    -x switchrate=20ms -c "$load many 4000" >"$tmp/out" 2>"$tmp/err" </dev/null &
tracer=$!
waits grep -q '^freed' "$tmp/out"
kill -USR1 "$(sed -n 's/^pid //p' "$tmp/out")"
wait "$tracer"
status=$?
held "threads with very many elements, one after the other" 8000 8000
