# SPDX-License-Identifier: BSD-2-Clause
# vminfo: 64 pages of every kind (test/trigger/provider_vminfo.c), on a disk of our own.
# alone
. test/cli/helpers.inc
. test/trigger/disk.sh
may_trace "vminfo probes"
load=${BUILD:-build}/test/provider_vminfo
: >"$tmp/got"
"$dtrace" -lP vminfo >"$tmp/list" 2>/dev/null
have() { grep -q " $1\$" "$tmp/list"; }

value() { awk -v p="$1" -v s="$2" '$1 == p && $2 == s { v = $3 } END { print v + 0 }' "$tmp/got"; }
# same PROBE STEP N; near: a few more may come from the program itself
same() { [ "$(value "$1" "$2")" -eq "$3" ]; check $? "vminfo:::$1: $(value "$1" "$2") of $3"; }
near() { [ "$(value "$1" "$2")" -ge "$3" ] && [ "$(value "$1" "$2")" -le $(($3 + 16)) ]; check $? "vminfo:::$1: $(value "$1" "$2") of $3"; }
most() { [ "$(value "$1" "$2")" -ge "$3" ]; check $? "vminfo:::$1: $(value "$1" "$2"), not under $3"; }

cat >"$tmp/load.d" <<'DONE'
#pragma D option quiet
self int step, maj;
syscall::times:entry /pid == $target || ppid == $target/ { self->step++; }
syscall::times:entry /self->step == 8 || self->step == 11/ { self->maj = curthread->maj_flt; }
syscall::times:entry /self->step == 9 || self->step == 12/ { printf("faults %d %d\n", self->step - 1, curthread->maj_flt - self->maj); }
vminfo:::as_fault, vminfo:::zfod, vminfo:::pgpgin, vminfo:::fspgin, vminfo:::pgpgout, vminfo:::fspgout, vminfo:::maj_fault,
vminfo:::prot_fault /pid == $target && self->step/ { @[probename, self->step] = sum(arg0); }
vminfo:::pgin, vminfo:::pgout /pid == $target && self->step/ { @[probename, self->step] = sum(arg0); }
DONE
have cow_fault && cat >>"$tmp/load.d" <<'DONE'
vminfo:::cow_fault /ppid == $target && self->step == 1/ { @["cow_fault", 1] = sum(arg0); }
DONE
have softlock && cat >>"$tmp/load.d" <<'DONE'
vminfo:::softlock /pid == $target && self->step/ { @["softlock", self->step] = sum(arg0); }
DONE
have execpgin && cat >>"$tmp/load.d" <<'DONE'
vminfo:::execpgin /pid == $target && self->step/ { @["execpgin", self->step] = sum(arg0); }
DONE
printf '%s\n' 'END { printa("%s %d %@d\n", @); }' >>"$tmp/load.d"
if disk 32 && disk_fs; then
	run -s "$tmp/load.d" -o "$tmp/got" -c "$load $mnt"
	check "$status" "a workload is traced"
	near as_fault 3 64
	same zfod 3 64
	same pgpgout 5 64
	same fspgout 5 64
	most pgout 5 1
	same pgpgin 6 64
	same fspgin 6 64
	most pgin 6 1
	same maj_fault 8 "$(value faults 8)"
	most maj_fault 8 32
	same prot_fault 12 64
	if have execpgin; then
		same execpgin 11 "$(value faults 11)"
		most execpgin 11 32
		same execpgin 8 0
	else
		ok "vminfo:::execpgin # SKIP needs kernel functions"
	fi
	if have cow_fault; then near cow_fault 1 64; else ok "vminfo:::cow_fault # SKIP needs kernel functions"; fi
	if have softlock; then near softlock 9 64; else ok "vminfo:::softlock # SKIP needs kernel functions"; fi
else
	ok "vminfo probes # SKIP no disk of our own: $(head -n 1 "$tmp/err")"
fi

# group LIMIT: $group is a new group of processes that may use so many bytes
group() {
	for at in /sys/fs/cgroup/memory /sys/fs/cgroup; do
		[ -f $at/memory.limit_in_bytes ] && limit=memory.limit_in_bytes || limit=memory.max
		group=$at/dtrace-test-$$
		[ -f $at/cgroup.subtree_control ] && echo +memory 2>/dev/null >$at/cgroup.subtree_control
		mkdir "$group" 2>/dev/null || continue
		echo "$1" 2>/dev/null >"$group/$limit" && return 0
		rmdir "$group"
	done
	group=
	return 1
}
# in_group COMMAND: what is paged while it runs in the group
in_group() {
	printf 'echo $$ >%s/cgroup.procs\nexec %s\n' "$group" "$*" >"$tmp/in.sh"
	run -qn 'vminfo:::scan, vminfo:::dfree, vminfo:::fsfree, vminfo:::anonfree /pid == $target/ { @[probename] = sum(arg0); }
	END { printa("%s 1 %@d\n", @); }' -o "$tmp/got" -c "sh $tmp/in.sh"
}
group=
trap 'disk_gone; [ -z "$group" ] || rmdir "$group"' EXIT
if mountpoint -q "$mnt" && group 8388608; then
	truncate -s 32M "$mnt/large"
	in_group "cat $mnt/large" >/dev/null
	check "$status" "a group that needs more than it may have"
	for what in scan dfree fsfree; do most $what 1 2000; done
else
	ok "vminfo:::scan, dfree, fsfree # SKIP no group with a limit of memory"
fi
# Where this machine is ours alone pages are put into lists again.
generations=/sys/kernel/mm/lru_gen/enabled
had=$(cat $generations 2>/dev/null)
if [ -n "$VM_KERNEL" ] && [ -n "$had" ]; then echo n >$generations; fi
if grep -q '[1-9]' $generations 2>/dev/null; then
	ok "vminfo:::pgrec # SKIP this kernel counts generations of pages"
elif mountpoint -q "$mnt"; then
	# A page is put there once, when it is read a second time: each round needs new pages.
	: >"$tmp/reading"
	(while [ -e "$tmp/reading" ]; do
		head -c 65536 /dev/zero >"$mnt/again"
		for i in 1 2 3 4; do cat "$mnt/again"; done
		rm "$mnt/again"
	done) >/dev/null 2>&1 &
	reader=$!
	run -qn 'vminfo:::pgrec { printf("again %d\n", arg0); exit(0); }'
	rm "$tmp/reading"
	wait $reader
	is "vminfo:::pgrec" 0 "again 1"
fi
if [ -n "$VM_KERNEL" ] && [ -n "$had" ]; then echo "$had" >$generations; fi

# Pages out to a swap device and back; those the kernel could not move are few.
if disk 16 && mkswap "$disk" >"$tmp/err" 2>&1 && swapon "$disk" 2>"$tmp/err"; then
	run -qn 'self int in; syscall::times:entry /pid == $target/ { self->in++; }
	vminfo:::anonpgout, vminfo:::anonpgin, vminfo:::pgswapin, vminfo:::pgswapout, vminfo:::pgpgin, vminfo:::pgpgout, vminfo:::dfree,
	vminfo:::swapin, vminfo:::swapout, vminfo:::pgin, vminfo:::pgout
		/self->in == 1 || self->in == 2/ { @[probename, self->in] = sum(arg0); }
	END { printa("%s %d %@d\n", @); }' -o "$tmp/got" -c "$load swap"
	check "$status" "swapping is traced"
	for what in anonpgout pgswapout pgpgout; do same $what 1 64; done
	for what in anonpgin pgswapin pgpgin; do same $what 2 64; done
	most swapout 1 1
	same pgout 1 "$(value swapout 1)"
	most swapin 2 1
	same pgin 2 "$(value swapin 2)"
	if listed 'sdt:::mm_vmscan_reclaim_pages'; then
		most dfree 1 64
	else
		ok "vminfo:::dfree # SKIP madvise() does not tell on this kernel"
	fi
	if [ -n "$group" ]; then
		in_group dd if=/dev/urandom of=/dev/null bs=12M count=1
		most anonfree 1 500
	else
		ok "vminfo:::anonfree # SKIP no group with a limit of memory"
	fi
	swapoff "$disk"
else
	ok "vminfo:::anonpgin, anonpgout and the like # SKIP no swap of our own: $(head -n 1 "$tmp/err")"
fi
# The daemon wakes when memory is nearly used up: only where that is soon.
if mountpoint -q "$mnt" && awk '/MemTotal/ { exit $2 > 2500000 }' /proc/meminfo; then
	# where the machine is ours alone, sooner: below 15/16 of what is free now
	least=$(cat /proc/sys/vm/min_free_kbytes)
	[ -z "$VM_KERNEL" ] || awk '/MemFree/ { print int($2 / 4) * 3 }' /proc/meminfo >/proc/sys/vm/min_free_kbytes
	truncate -s 4G "$mnt/larger"
	cat "$mnt/larger" >/dev/null &
	reader=$!
	run -qn 'vminfo:::pgrrun { printf("woken %d\n", arg0); exit(0); }'
	kill $reader
	wait $reader 2>/dev/null
	[ -z "$VM_KERNEL" ] || echo "$least" >/proc/sys/vm/min_free_kbytes
	is "vminfo:::pgrrun" 0 "woken 1"
else
	ok "vminfo:::pgrrun # SKIP too much memory to use up"
fi
run -n 'vminfo:::rev'
is "a probe that Linux cannot have says why" 1 "never there on Linux"
