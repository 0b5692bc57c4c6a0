# SPDX-License-Identifier: BSD-2-Clause
# Instructions of AVX that Linux's uprobes accept and do not execute: functions that begin with them give the same results with probes of
# any engine. The kernel's are left out, with a notice; those inside of the process fire.
. test/cli/helpers.inc
may_trace "instructions of AVX"
vectors=${BUILD:-build}/test/vectors
alone=$("$vectors")
if [ "$alone" = none ]; then
	echo "ok - AVX # SKIP this machine has none"
	exit 0
fi
run -x engine=kernel -qn 'pid$target:vectors:vector_[0-9a-f]?:entry { @[probefunc] = count(); }' -c "$vectors"
same "the kernel: results" "$(head -n 1 "$tmp/out")" "$alone"
grep -q 'probes could not be enabled' "$tmp/err" && grep -q 'vector_fe  *1' "$tmp/out"
check $? "the kernel: what it does not execute is left out, the rest fires"
is "the kernel: one of these alone" 1 "the kernel would not execute this AVX instruction (-x engine=process does)" \
    -x engine=kernel -qn 'pid$target:vectors:vector_eb:entry { @ = count(); }' -c "$vectors"
run -x engine=process -qn 'pid$target:vectors:vector_[0-9a-f]?:entry { @ = count(); } END { printa("all %@d\n", @); }' -c "$vectors"
grep -qx "$alone" "$tmp/out" && grep -qx 'all 10' "$tmp/out"
check $? "the process: results, and all fire"
