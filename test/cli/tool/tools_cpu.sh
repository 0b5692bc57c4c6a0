# SPDX-License-Identifier: BSD-2-Clause
# hotuser, hotkernel, runqlat, runqlen, cpuwalk, offcpu, wakeup, cswstat, llcstat: CPU time that is used, and sleeps that
# are counted.
# alone
. test/trigger/tools.sh
may_trace "tools for CPUs"
load=${BUILD:-build}/test/tools_load
# number TOOL'S COLUMN: of the row that a pattern chooses
number() { awk -v column="$2" "$1"' { print $column }' "$tmp/out" | tail -n 1; }

# Of the samples of a program that does nothing else, most are in spin(). How many there are is up to the machine.
tool hotuser -c "$load spin"
all=$(awk '/`/ { n += $NF } END { print n + 0 }' "$tmp/out")
value "spin() has most of $all" "$(number '/tools_load`spin /' 2)" $((all / 2 + 1)) "$all"
tool hotuser -c "$load spin" -n nobody
row "another name: only the heading" "." 1
tool hotkernel -c "dd if=/dev/zero of=/dev/null bs=1M count=2000"
all=$(awk '/`/ { n += $NF } END { print n + 0 }' "$tmp/out")
value "functions of the kernel" "$all" 1 1000000
row "are named" '^(vmlinux|[a-z0-9_]+)`[A-Za-z_]' "$(awk '/`/ { n++ } END { print n + 0 }' "$tmp/out")"
tool cpuwalk -c "taskset -c 0 $load spin"
value "all on CPU 0" "$(awk 'NF == 2 { on = $2 == "tools_load" } on && / [|]/ && $NF > 0 && $1 != 0 { n++ }
	END { print n + 0 }' "$tmp/out")" 0 0
row "of the process" "^[0-9]+ tools_load$"
tool runqlen -c "$load spin"
value "CPUs that were busy" "$(grep -c '^CPU [0-9]*$' "$tmp/out")" 1 4096

# 20 sleeps that are ended by the other thread, each of 10 ms at least
tool wakeup -c "$load sleeps 20"
value "the waker wakes the sleeper" "$(awk '$1 == "waker" && $3 == "sleeper" { print $5 }' "$tmp/out")" 19 20
value "after 10 ms each" "$(awk '$1 == "waker" && $3 == "sleeper" { print $6 }' "$tmp/out")" 190 100000
tool wakeup -c "$load sleeps 20" -n sleeper
value "those of one name" "$(awk 'NR > 1 && NF == 6 && $3 != "sleeper"' "$tmp/out" | wc -l)" 0 0
# P8: one interrupt wakes 100 threads, each a new key of two aggregations, and no memory can be had meanwhile: none is dropped
tool wakeup -c "$load herd 100"
value "threads that one interrupt wakes" "$(awk '$3 == "herd"' "$tmp/out" | wc -l)" 10 100
row "and nothing is dropped" "^WAKER"
# The first thread sleeps 20 times in usleep(), and mostly for the answer, the other 20 times in read().
tool cswstat -c "$load sleeps 20" 1000
value "sleeps of one thread" "$(awk '$2 == "waker" { n += $4 } END { print n }' "$tmp/out")" 20 60
value "sleeps of the other" "$(awk '$2 == "sleeper" { n += $4 } END { print n }' "$tmp/out")" 19 40
watch cswstat "" 1
$load sleeps 50
waits grep -q " sleeper " "$tmp/out"
finish
row "seconds go by" "^[0-9]{4} .*:[0-9]{2}$" "$(grep -c COMM "$tmp/out")"
tool runqlat -c "$load sleeps 20" -n sleeper
waited=$(awk '$1 == "sleeper" { print $3 }' "$tmp/out")
value "waits of the sleeper" "$waited" 15 1000
value "are all in the histogram" "$(awk '/ [|]/ { n += $NF } END { print n }' "$tmp/out")" "$waited" "$waited"
if listed sched:::on-cpu; then
	tool offcpu -c "$load sleeps 20" 100
	value "microseconds in read() of the sleeper" "$(awk '/^[0-9]+ / { on = /sleeper/; read = 0 } /read\+/ { read = 1 }
		on && read && / us$/ { n += $1 } END { print n }' "$tmp/out")" 180000 100000000
else
	tool offcpu -c true
	is "offcpu says what it needs" 1 "on-cpu"
fi
tool llcstat -c "$load spin"
if [ "$status" -eq 0 ]; then
	row "the process" " tools_load +[0-9]+ +[0-9]+$"
else
	is "llcstat says what it needs" 1 "does not match any probes: this machine"
fi
exit 0
