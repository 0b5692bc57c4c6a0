# SPDX-License-Identifier: BSD-2-Clause
# fbt, rawfbt, kinst: 100 writes of 7 bytes are 100 calls of vfs_write(), by every means the kernel has. Where functions of the
# kernel cannot be traced, that is said in one sentence.
. test/trigger/trace.sh
may_trace "kernel functions"
writes='dd if=/dev/zero of=/dev/null bs=7 count=100 status=none'

run -ln 'fbt::vfs_write:entry'
if [ "$status" -ne 0 ]; then
	is "a kernel whose functions cannot be traced" 1 "this kernel lets nobody trace its functions"
	check "$([ "$(grep -c . "$tmp/err")" -eq 1 ]; echo $?)" "that is one sentence"
	run -n 'rawfbt::vfs_write:return'
	is "rawfbt says so too" 1 "this kernel lets nobody trace its functions"
	run -n 'kinst::vfs_write:4'
	is "and kinst" 1 "this kernel lets nobody trace its functions"
	run -lP fbt
	check "$([ "$status" -ne 0 ]; echo $?)" "fbt has no probes then"
	echo "ok - functions of the kernel # SKIP this kernel lets nobody trace its functions"
	exit 0
fi

# ---- what there is ----
run -lP fbt
check "$([ "$(grep -c ' entry$' "$tmp/out")" -gt 30000 ]; echo $?)" "fbt lists the kernel's functions: $(grep -c ' entry$' "$tmp/out")"
grep -q ' vmlinux  *vfs_write entry$' "$tmp/out" && grep -q ' vmlinux  *vfs_write return$' "$tmp/out"
check $? "with module and name, entry and return"
check "$(awk 'NR > 1 && $4 ~ /^(bpf_|__bpf_|trace_call_bpf$|__rcu_read_lock$)/ { n++ } END { print n + 0 }' "$tmp/out")" "none that our programs run through"
check "$(awk 'NR > 1 && seen[$3 ":" $4 ":" $5]++ { n++ } END { print n + 0 }' "$tmp/out")" "functions of one name are one probe"
run -lvn 'fbt:kernel:vfs_write:entry'
is "arguments have types; the module kernel is vmlinux" 0 "args[0]: struct file *"
run -n 'fbt::bpf_prog_load:entry'
is "a function of our own path" 1 "tracing itself runs through it"
run -n 'fbt::vfs_writ:entry'
is "a function that is not there" 1 "did you mean vfs_write?"

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

# ---- instructions ----
run -qc "$writes" -n 'kinst::vfs_write:0 /pid == $target/ { n++; @[stack(2)] = count(); } END { printf("%d\n", n); }'
check "$([ "$status" -eq 0 ] && grep -q '^100$' "$tmp/out"; echo $?)" "kinst: an instruction"
run -qn 'kinst::vfs_write:0, kinst::vfs_write:999996 { @ = count(); } tick-1s { exit(0); }'
is "a place that cannot be probed costs no other its probe" 0 "1 of 2 probes could not be enabled, e.g. vfs_write+999996: the function is shorter"
run -n 'kinst::vfs_write:999996'
is "all of them: refused" 1 "the function is shorter"
run -n 'kinst::vfs_write:x'
is "an offset is a number" 1 "kinst::vfs_read:20"

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
