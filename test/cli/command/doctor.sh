# SPDX-License-Identifier: BSD-2-Clause
# dtrace --doctor: what this kernel and these rights allow, as a table (issue 11, item 7).
. test/cli/helpers.inc

row() { grep "^$1  *$2 " "$tmp/out" >/dev/null; }	# row NAME ANSWER
"$dtrace" -qn 'BEGIN { exit(0); }' >/dev/null 2>&1
traces=$?
run --doctor
[ "$status" -eq "$((traces != 0))" ] && [ ! -s "$tmp/err" ]
check $? "--doctor: status $status says what a trace says"
for what in "eBPF programs" CAP_BPF CAP_PERFMON CAP_SYS_PTRACE CAP_SYSLOG "type data (BTF)" tracefs "names of the kernel" "no lockdown" \
    "functions by fentry" "functions by kprobes" "functions by kprobe_multi" uprobes uprobe_multi "holding programs at exec" "ring buffers" "hardware counters" \
    "the first pid namespace" "programs may read the kernel" "storage of threads" "the current task, with types" "loops in programs (bpf_loop)" \
    "control groups of version 2" "writing to processes"; do
	row "$what" '\(yes\|no\|unknown\)'
	check $? "a row: $what"
done
# a row that is not yes says what to change, one that is says nothing
awk 'substr($0, 32, 4) ~ /^(no |unkn)/ { want++ } /^ +-> ./ { got++; if (last ~ /^yes/) wrong++ } { last = substr($0, 32, 4) }
	END { exit want == 0 && got == 0 ? 0 : want != got || wrong }' "$tmp/out"
check $? "what is missing can be mended, what is there is left alone"
[ "$(awk 'length > 170' "$tmp/out" | wc -l)" -eq 0 ]
check $? "rows fit into a line"
run --doctor -l
[ "$status" -eq 2 ] && grep -q 'only one of' "$tmp/err"
check $? "no other mode beside it"
run --doctor extra
[ "$status" -lt 2 ]
check $? "operands are nobody's"

if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null 2>&1; then
	ok "without rights # SKIP neither root nor setpriv"
	exit 0
fi
# ends STATUS: without the kernel, the engine in the process is all that can be had
ends() {
	if row "the engine process" yes; then
		[ "$1" -eq 0 ] && grep -q "^The user's own processes can be traced" "$tmp/out"
	else
		[ "$1" -eq 1 ] && grep -q '^Nothing can be traced' "$tmp/out"
	fi
}
chmod 755 "$tmp" && cp "$dtrace" "$tmp/dtrace" && chmod 755 "$tmp/dtrace"
setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all --bounding-set -all "$tmp/dtrace" --doctor >"$tmp/out" 2>"$tmp/err"
ends $? && row CAP_BPF no && row "eBPF programs" no && row uprobe_multi unknown &&
    grep -A1 '^uprobe_multi' "$tmp/out" | grep -q 'rights above'
check $? "without rights: which are missing, and the status says what is left"
if unshare -Ur true 2>/dev/null; then
	unshare -Ur "$tmp/dtrace" --doctor >"$tmp/out" 2>"$tmp/err"
	ends $? && row CAP_BPF yes && row "the first user namespace" no && row "eBPF programs" no
	check $? "root of a user namespace: its capabilities do not count, and the row says it"
else
	ok "user namespace # SKIP none can be made here"
fi
if [ $traces -eq 0 ] && unshare -pf --mount-proc true 2>/dev/null; then
	unshare -pf --mount-proc "$tmp/dtrace" --doctor >"$tmp/out" 2>"$tmp/err"
	[ $? -eq 0 ] && row "the first pid namespace" no && row "the first user namespace" yes
	check $? "a pid namespace"
	unshare -m sh -c "mount -t tmpfs none /sys/kernel/btf && exec '$tmp/dtrace' --doctor" >"$tmp/out" 2>"$tmp/err"
	row "type data (BTF)" no
	check $? "no type data"
else
	ok "a pid namespace # SKIP none can be made here"
fi
