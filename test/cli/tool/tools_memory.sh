# SPDX-License-Identifier: BSD-2-Clause
# pagefault, mallocs, leaks, oomkill, swapin, dvmstat: memory whose amount is known.
# alone
. test/trigger/tools.sh
. test/trigger/disk.sh
may_trace "tools for memory"
load=${BUILD:-build}/test/tools_load

# A program under a sanitizer has an allocator of its own, and touches pages for it.
if grep -q __asan_init "$load"; then
	ok "pagefault, mallocs, leaks # SKIP the sanitizer has its own memory"
else
	tool pagefault -c "$load touch 5000" 3
	value "5000 pages, and those of starting and ending" "$(awk '$2 == "tools_load" { print $3 }' "$tmp/out")" 5000 5200
	value "by stack, in touch()" "$(awk '/^$/ { first = 1; next } first { on = /`touch\+/; first = 0 }
		on && /^ *[0-9]+$/ { print $1 }' "$tmp/out")" 5000 5000
	tool mallocs -c "$load memory" 100
	row "10 of 1000 bytes, 20 of 500 and the first of 100" "^ +(512|256|64) \|@+ +(10|20|1) *$" 3
	value "10000 bytes by lose()" "$(awk '/`lose\+/ { on = 1 } on && /^ *[0-9]+$/ { print $1; exit }' "$tmp/out")" 10000 10000
	value "1400000 bytes by grow(), again and again" "$(awk '/`realloc/ { on = 1 } on && /^ *[0-9]+$/ { print $1; exit }' "$tmp/out")" \
	    1400000 1400000
	tool leaks -c "$load memory"
	row "10 blocks are lost" "^tools_load.lose\+0x[0-9a-f]+ +10 +10000$"
	row "20 are given back" "^tools_load.give\+0x[0-9a-f]+ +0 +0$"
	row "one has grown" "^tools_load.grow\+0x[0-9a-f]+ +1 +500000$"
	row "what it was before is gone" "^tools_load.grow\+0x[0-9a-f]+ +0 +0$"
fi
run -s dtools/leaks
is "leaks says what it needs" 1 "-c"

tool dvmstat -c "$calls 3000" 1000
value "3000 calls and those of starting and ending" "$(awk 'NF == 7 && $1 ~ /^[0-9]/ { n += $6 } END { print n }' "$tmp/out")" 3000 3200
tool dvmstat -c "sh -c '/bin/true; /bin/true; /bin/true; exit 0'" 1000
value "three forks" "$(awk 'NF == 7 && $1 ~ /^[0-9]/ { n += $1 } END { print n }' "$tmp/out")" 3 3

# A control group that may have 20 MB: the kernel kills what wants more.
group=
for dir in /sys/fs/cgroup/memory /sys/fs/cgroup; do
	if [ -f "$dir/cgroup.procs" ] && mkdir "$dir/tools-$$" 2>/dev/null; then
		group=$dir/tools-$$
		for limit in memory.limit_in_bytes memory.max; do
			[ -w "$group/$limit" ] && echo 20M >"$group/$limit" 2>/dev/null && limited=1
		done
		[ -w "$group/memory.swap.max" ] && echo 0 >"$group/memory.swap.max"
		[ -n "$limited" ] && break
		rmdir "$group"
		group=
	fi
done
if [ -n "$group" ] && listed sdt:oom::mark_victim; then
	watch oomkill
	sh -c "echo \$\$ >$group/cgroup.procs && exec $load eat" 2>/dev/null &
	victim=$!
	wait $victim 2>/dev/null
	waits grep -q " $victim " "$tmp/out"
	finish
	row "who was killed" " $victim tools_load +[0-9]+$|^.* tools_load +$victim *$"
	rmdir "$group"
else
	ok "oomkill # SKIP no control group for memory, or no event"
fi

# Swap of our own: test/trigger/provider_vminfo.c has 64 pages moved there and takes them back.
swapper=${BUILD:-build}/test/provider_vminfo
if ! disk 16 || ! mkswap "$disk" >"$tmp/err" 2>&1 || ! swapon "$disk" 2>"$tmp/err"; then
	ok "swapin # SKIP no swap of our own: $(head -n 1 "$tmp/err")"
	exit 0
fi
tool swapin -c "$swapper swap" 1000
value "64 pages come back" "$(awk '$2 == "provider_vminfo" { print $3 / 4 }' "$tmp/out")" 56 64
value "64 pages go" "$(awk '$2 == "provider_vminfo" { print $4 / 4 }' "$tmp/out")" 56 64
swapoff "$disk"
exit 0
