# SPDX-License-Identifier: BSD-2-Clause
# Kernel stacks begin where the probe is: no frame of ours, whatever the hook; and symbols of the kernel.
. test/cli/helpers.inc
may_trace "kernel stacks"

# first FRAME WHAT: the first frame of the last run's stack
first() {
	frame=$(grep -m 1 '`' "$tmp/out" | sed 's/^ *//')
	echo "$frame" | grep -q "$1"
	check $? "$2: $frame"
	# further down they may be what was interrupted: somebody else's call of bpf()
	grep '`' "$tmp/out" | head -n 3 | grep -q 'bpf_prog\|bpf_trace\|__bpf\|trampoline\|__traceiter\|ftrace_\|fprobe_'
	check $((! $?)) "$2: no frame of ours"
}

run -qn 'rawtp:::sched_switch { stack(); exit(0); }'
first 'schedule' "a tracepoint begins with the function it is in"
run -qn 'rawtp:::sched_switch { @[stack(3), stackdepth > 2] = count(); } tick-1s { exit(0); }'
first 'schedule' "as a key too"
run -qn 'rawtp:::sched_switch { x = timestamp; self->s = execname; printf("%a\n", caller); exit(0); }'
check "$([ "$status" -eq 0 ] && grep -q '`.*schedule' "$tmp/out"; echo $?)" "caller is the next one: $(head -n 1 "$tmp/out")"

run -qc "sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do echo x | cat >/dev/null; done'" -n 'sdt:sched::sched_waking /progenyof($target)/ { stack(); exit(0); }'
first 'try_to_wake_up\|ttwu' "sdt begins with the function too"
run -qn 'syscall::write:entry /pid == $target/ { stack(); exit(0); }' -c "dd if=/dev/zero of=/dev/null count=1 status=none"
check "$([ "$status" -eq 0 ] && ! grep -q 'bpf_\|__traceiter\|trampoline' "$tmp/out"; echo $?)" "a system call's has no frame of ours: $(grep -m 1 '`' "$tmp/out" | sed 's/^ *//')"

# N B7: where the kernel's own function between tracepoint and programs is a frame
run -qn 'sdt:sched::sched_process_exec /pid == $target/ { stack(2); printf("caller %a\n", caller); exit(0); }' -c "sh -c 'exec true'"
first 'exec' "a tracepoint whose programs are called from a frame more"
[ "$(grep '`' "$tmp/out" | sed -n '2s/[ \t]*//gp')" = "$(sed -n 's/^caller //p' "$tmp/out" | tr -d ' ')" ]
check $? "caller is its second frame: $(sed -n 's/^caller //p' "$tmp/out")"
run -qn 'sdt:sched::sched_process_exec /pid == $target/ { @[stack(1)] = count(); @d[stackdepth] = count(); }' -c "sh -c 'exec true'"
first 'exec' "as a key too"

# A variable that looks at the stack leaves the keys before it alone: they are made in the same slot.
run -qc "dd if=/dev/zero of=/dev/null count=100 status=none" -n 'syscall::write:entry /pid == $target/
    { @[pid == $target, stackdepth > 0, caller != 0, ustackdepth >= 0, pid - $target] = count(); }'
check "$([ "$status" -eq 0 ] && grep -qE '^ *1 +1 +1 +1 +0 +100$' "$tmp/out"; echo $?)" "keys before stackdepth and caller"
run -x unwind=fp -qc "dd if=/dev/zero of=/dev/null count=100 status=none" -n 'syscall::write:entry
    /pid == $target/ { @[pid == $target, ustackdepth > 0, ucaller != 1, pid - $target] = count(); }'
check "$([ "$status" -eq 0 ] && grep -qE '^ *1 +[01] +1 +0 +100$' "$tmp/out"; echo $?)" "and before those of the process"

# N B10: what lies behind the last symbol of the code is no part of it, where data have no names
etext=$(sed -n 's/^\([0-9a-f]*\) [A-Za-z] _etext$/\1/p' /proc/kallsyms)
if grep -q '[^]] [bdB] ' /proc/kallsyms || [ -z "$etext" ] || [ "$etext" = 0000000000000000 ]; then
	echo "ok - an address without a name # SKIP this kernel has names for its data"
else
	run -qn "BEGIN { printf(\"%a|\", 0x$etext + 8); sym(0x$etext + 8); mod(0x$etext + 8); exit(0); }"
	check "$([ "$status" -eq 0 ] && ! grep -q '`\|vmlinux' "$tmp/out"; echo $?)" "an address without a name stays an address: $(head -n 1 "$tmp/out")"
	run -e -n 'BEGIN { trace(`nr_threads); }'
	is "why a variable of the kernel is not found" 1 "lists no data symbols"
fi

# data symbols are there only in kernels that show them
if grep -q ' [A-Za-z] jiffies$' /proc/kallsyms; then
	run -qn 'extern unsigned long jiffies; BEGIN { printf("%d %d\n", jiffies > 0, &jiffies != NULL); exit(0); }'
	is "a kernel variable is read by its symbol" 0 "1 1"
else
	echo "ok - a kernel variable is read by its symbol # SKIP this kernel shows no data symbols"
fi
run -qn 'BEGIN { trace(&`no_such_symbol_here); }'
is "a symbol that is not there" 1 "no_such_symbol_here"
