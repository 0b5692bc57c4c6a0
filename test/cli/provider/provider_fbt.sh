# SPDX-License-Identifier: BSD-2-Clause
# fbt, rawfbt, kinst: 100 writes of 7 bytes are 100 calls of vfs_write(), by every means the kernel has. Where functions of the
# kernel cannot be traced, that is said in one sentence.
# alone
. test/cli/helpers.inc
may_trace "kernel functions"
writes='dd if=/dev/zero of=/dev/null bs=7 count=100 status=none'

if ! listed 'fbt::vfs_write:entry'; then
	is "a kernel whose functions cannot be traced" 0 "the functions of this kernel cannot be traced"
	check "$([ "$(grep -c . "$tmp/err")" -eq 1 ]; echo $?)" "that is one sentence"
	run -n 'rawfbt::vfs_write:return'
	is "rawfbt says so too" 1 "the functions of this kernel cannot be traced"
	run -n 'kinst::vfs_write:4'
	is "and kinst" 1 "the functions of this kernel cannot be traced"
	run -lP fbt
	check "$([ "$(wc -l <"$tmp/out")" -eq 1 ]; echo $?)" "fbt has no probes then"
	echo "ok - functions of the kernel # SKIP the functions of this kernel cannot be traced"
	exit 0
fi

# ---- what there is ----
run -lP fbt
check "$([ "$(grep -c ' entry$' "$tmp/out")" -gt 30000 ]; echo $?)" "fbt lists the kernel's functions: $(grep -c ' entry$' "$tmp/out")"
grep -q ' vmlinux  *vfs_write entry$' "$tmp/out" && grep -q ' vmlinux  *vfs_write return$' "$tmp/out"
check $? "with module and name, entry and return"
check "$(awk 'NR > 1 && $4 ~ /^(bpf_|__bpf_|trace_call_bpf$|__rcu_read_lock$|_raw_spin_)/ { n++ } END { print n + 0 }' "$tmp/out")" "none that our programs run through"
check "$(awk 'NR > 1 && seen[$3 ":" $4 ":" $5]++ { n++ } END { print n + 0 }' "$tmp/out")" "functions of one name are one probe"
# first letters of some 5000 functions, vfs_write among them
many=$(awk '$5 == "entry" { n[substr($4, 1, 1)]++ } END { s = "v"; k = n["v"]; for (i = 97; i < 123 && k < 5000; i++) {
    c = sprintf("%c", i); if (c != "v") { s = s c; k += n[c] } } print s }' "$tmp/out")
module=$(awk '$3 == "loop" && $4 == "lo_open" && $5 == "entry" { print $3 }' "$tmp/out")
run -lvn 'fbt:kernel:vfs_write:entry'
is "arguments have types; the module kernel is vmlinux" 0 "args[0]: struct file *"
run -n 'fbt::bpf_prog_load:entry'
is "a function of our own path" 1 "tracing itself runs through it"
run -n 'fbt::_raw_spin_lock_irqsave:return { @[arg1] = count(); }'
is "locks that our programs take" 1 "tracing itself runs through it"
run -n 'fbt::vfs_writ:entry'
is "a function that is not there" 1 "did you mean vfs_write?"
run -ln 'fbt:kernel:sys_getpid:entry'
is "a system call's function goes by its plain name" 0 "_sys_getpid entry"
run -n 'fbt::malloc:entry'
is "a function that others have" 1 'pid$target::malloc:entry'
run -n 'fbt:tcp:inet_info:entry'
is "a module that is none" 1 "no module tcp"
run -n 'fbt:vmlinux:lo_open:entry'
[ -z "$module" ] || is "a function of another module" 1 "the function lo_open is in the module loop"

# ---- 100 calls, by each means ----
# The first frame is the caller, which is another function than the one probed; caller and stack agree.
cat >"$tmp/count.d" <<'EOF'
#pragma D option quiet
int n, bytes, back, wrote, zero;
PROV::vfs_write:entry /pid == $target/ { n++; bytes += arg2; @callers[caller] = count(); @stacks[stack(1)] = count(); }
PROV::vfs_write:return /pid == $target/ { back++; wrote += arg1; zero += arg0 != 0; @callers[caller] = count(); @stacks[stack(1)] = count(); }
END { printf("%d %d %d %d %d\n", n, bytes, back, wrote, zero); printa("caller %a %@d\n", @callers); printa("stack %k %@d\n", @stacks); }
EOF
counted() {	# counted WHAT
	[ "$status" -eq 0 ] && grep -q '^100 700 100 700 0$' "$tmp/out"
	check $? "$1: 100 calls and returns, their arguments and values"
	one=$(sed -n 's/^caller \(.*\) 200$/\1/p' "$tmp/out")
	[ -n "$one" ] && ! echo "$one" | grep -q 'vfs_write\|bpf_\|trampoline' && sed 's/^ *//' "$tmp/out" | grep -Fqx -e "$one"
	check $? "$1: the stack begins with the caller (${one:-several})"
	check "$(grep -c drop "$tmp/err")" "$1: none is lost"
}
for prov in fbt rawfbt; do
	sed "s/PROV/$prov/" "$tmp/count.d" >"$tmp/c.d"
	run -s "$tmp/c.d" -c "$writes"
	counted $prov
done

# more functions than trampolines are made for: one program for all of them
run -qc "$writes" -n 'fbt::vfs_*:entry, fbt::vfs_*:return, fbt::ksys_*:entry /pid == $target/ { @[probefunc, probename] = count(); }
    END { printa("%s %s %@d\n", @); }'
[ "$status" -eq 0 ] && grep -q '^vfs_write entry 100$' "$tmp/out" && grep -q '^vfs_write return 100$' "$tmp/out" && grep -q '^ksys_write entry 100$' "$tmp/out"
check $? "one program for many functions, told apart"

# ---- modules ----
# /dev/loop0 is opened once; a trampoline where the kernel has them
if [ -n "$module" ] && [ -e /dev/loop0 ]; then
	run -qc 'dd if=/dev/loop0 of=/dev/null count=0 status=none' -n 'int n, back; fbt:loop:lo_open:entry /pid == $target/ { printf("%s\n", stringof(args[0]->disk_name)); n++; }
	    fbt:loop:lo_open:return /pid == $target/ { back += arg1 == 0; } END { printf("%d %d\n", n, back); }'
	[ "$status" -eq 0 ] && grep -qx loop0 "$tmp/out" && grep -qx '1 1' "$tmp/out"
	check $? "a function of a module, its arguments and value"
else
	echo "ok - a function of a module # SKIP no module loop with lo_open() is loaded"
fi

# ---- instructions ----
run -qc "$writes" -n 'kinst::vfs_write:0 /pid == $target/ { n++; @[stack(2)] = count(); } END { printf("%d\n", n); }'
check "$([ "$status" -eq 0 ] && grep -q '^100$' "$tmp/out"; echo $?)" "kinst: an instruction"
run -qn 'kinst::vfs_write:0, kinst::vfs_write:999996 { @ = count(); } tick-1s { exit(0); }'
is "a place that cannot be probed costs no other its probe" 0 "1 of 2 probes could not be enabled, e.g. vfs_write+999996: the function is shorter"
run -n 'kinst::vfs_write:999996'
is "all of them: refused" 1 "the function is shorter"
run -n 'kinst::vfs_write:x'
is "an offset is a number" 1 "kinst::vfs_read:20"

# ---- many, on a busy machine ----
# Ticks begin when all is attached: how long that took is shown, never judged.
busy() {	# busy SECONDS PROGRAM-TEXT: false when the machine is too slow to tell
	: >"$tmp/out"
	"$dtrace" -q -x switchrate=1s -n "BEGIN { b = timestamp; } tick-10ms /!t/ { t = timestamp; printf(\"live %d\\n\", (t - b) / 1000000); }
	    tick-$1s { exit(0); } $2 END { printa(\"%s %@d\\n\", @); }" >"$tmp/out" 2>"$tmp/err" </dev/null &
	tracer=$!
	live_or_dead() { grep -q '^live ' "$tmp/out" || ended $tracer; }
	waits live_or_dead || { kill -9 $tracer; return 1; }
	until ended $tracer; do
		dd if=/dev/zero of=/dev/null bs=7 count=1000 status=none
		find /sys/kernel/btf /proc/self -type f >/dev/null 2>&1
		sh -c :
	done
	wait $tracer
	status=$?
	took=$(sed -n 's/^live //p' "$tmp/out")
	sum=$(awk '$1 != "live" && NF == 2 { n++; s += $2 } END { print n + 0 " functions, " s + 0 " calls" }' "$tmp/out")
}
seconds=${FBT_BUSY:-10}
if grep -qw kprobe_multi_link_handler /proc/kallsyms; then
	busy "$seconds" "fbt::[$many]*:entry { @[probefunc] = count(); }"
	[ "$status" -eq 0 ] && [ "$(sed -n 's/^vfs_write //p' "$tmp/out")" -ge 900 ]
	check $? "fbt::[$many]*:entry, attached (${took:-?} ms), $seconds s on a busy machine: $sum"
	check "$(grep -c 'aggregation drops' "$tmp/err")" "no count is lost for want of an element"
	check "$(grep -c 'could not be enabled' "$tmp/err")" "none is left out"
else
	echo "ok - thousands of functions # SKIP this kernel has no kprobe_multi"
fi
run -n 'fbt:::'
is "everything: refused with a number and a way on" 1 "at most 65536 can be live at a time: name entry or return"

# ---- nothing stays ----
live() { cat /sys/kernel/tracing/enabled_functions /sys/kernel/debug/tracing/enabled_functions /sys/kernel/debug/kprobes/list 2>/dev/null | grep -c vfs_write; }
start -qn 'BEGIN { printf("ready\n"); } fbt::vfs_write:entry, rawfbt::vfs_write:return { n++; }'
waits test "$(live)" -ge 0
if [ -r /sys/kernel/tracing/enabled_functions ]; then
	some() { [ "$(live)" -gt 0 ]; }
	none() { [ "$(live)" -eq 0 ]; }
	waits some
	check $? "the function is probed"
	kill -9 $tracer
	waits none
	check $? "killed: nothing is left in the kernel"
else
	kill -9 $tracer
	echo "ok - killed: nothing is left in the kernel # SKIP tracefs is not mounted"
fi
