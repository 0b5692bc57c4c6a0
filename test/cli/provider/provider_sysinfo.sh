# SPDX-License-Identifier: BSD-2-Clause
# sysinfo: every statistic against a workload that does each thing a known number of times (test/trigger/provider_sysinfo.c).
# alone
. test/cli/helpers.inc
. test/trigger/disk.sh
may_trace "sysinfo probes"
load=${BUILD:-build}/test/provider_sysinfo
: >"$tmp/got"
"$dtrace" -lP sysinfo >"$tmp/list" 2>/dev/null
have() { grep -q " $1\$" "$tmp/list"; }
probes() { for p; do have "$p" && printf '%ssysinfo:::%s' "$comma" "$p" && comma=', '; done; comma=; }

cat >"$tmp/load.d" <<DONE
#pragma D option quiet
self int in, calls, switches, forced, nv, niv;
syscall::times:entry /pid == \$target/ { self->in++; }
sysinfo:::sysread, sysinfo:::syswrite, sysinfo:::readch, sysinfo:::writech, sysinfo:::sysfork, sysinfo:::sysvfork, sysinfo:::nthreads,
sysinfo:::msg, sysinfo:::sema, sysinfo:::syscall $(comma=', ' probes namei) /self->in == 1/
	{ @n[probename] = count(); @sum[probename] = sum(arg0); }
sysinfo:::sysexec, sysinfo:::procovf /pid == \$target || ppid == \$target/ { @n[probename] = count(); @sum[probename] = sum(arg0); }
sysinfo:::trap, sysinfo:::xcalls /pid == \$target/ { @n[probename] = count(); }
sysinfo:::cpumigrate { @n[probename] = count(); }
syscall:::entry /self->in == 1/ { self->calls++; }
sysinfo:::pswitch /self->in == 1/ { self->switches += arg0; }
sysinfo:::inv_swtch /self->in == 1/ { self->forced += arg0; }
syscall::times:entry /self->in == 1/ { self->nv = curthread->nvcsw; self->niv = curthread->nivcsw; }
syscall::times:entry /self->in == 2/ {
	printf("calls %d\n", self->calls);
	printf("pswitch %d\ninv_swtch %d\n", self->switches, self->forced);
	printf("switches %d\nforced %d\n", curthread->nvcsw - self->nv + curthread->nivcsw - self->niv, curthread->nivcsw - self->niv);
}
DONE
have canch && cat >>"$tmp/load.d" <<'DONE'
sysinfo:::canch, sysinfo:::outch /pid == $target/ { @n[probename] = count(); @sum[probename] = sum(arg0); }
sysinfo:::rawch { @n[probename] = count(); @sum[probename] = sum(arg0); }
DONE
printf '%s\n' 'END { printa("%s %@d %@d\n", @n, @sum); }' >>"$tmp/load.d"
echo "0123456789 and more" >"$tmp/file"
run -s "$tmp/load.d" -o "$tmp/got" -c "$load $tmp/file"
check "$status" "a workload is traced"

value() { awk -v p="$1" -v f="${2:-2}" '$1 == p { v = $f } END { print v + 0 }' "$tmp/got"; }
same() { [ "$(value "$1")" -eq "$2" ]; check $? "sysinfo:::$1: $(value "$1") of $2"; }
sums() { [ "$(value "$1")" -eq "$2" ] && [ "$(value "$1" 3)" -eq "$3" ]; check $? "sysinfo:::$1: $(value "$1" 3) in $(value "$1"), of $3 in $2"; }
most() { [ "$(value "$1")" -ge "$2" ]; check $? "sysinfo:::$1: $(value "$1"), not under $2"; }
same sysread 7
same syswrite 7
sums readch 5 25
sums writech 5 25
same sysfork 3
same sysvfork 2
same nthreads 7
same sysexec 2
same procovf 2
same msg 4
same sema 3
same syscall "$(value calls)"
same pswitch "$(value switches)"
same inv_swtch "$(value forced)"
most trap 3
if [ "$(nproc)" -gt 1 ]; then
	most cpumigrate 20
	most xcalls 1
else
	ok "sysinfo:::cpumigrate, xcalls # SKIP needs two CPUs"
fi
# 5 names, and that of the program that is not there
if have namei; then same namei 6; else ok "sysinfo:::namei # SKIP needs kernel functions"; fi
if have canch; then
	sums canch 1 6
	sums outch 2 10		# both ends are terminals
	[ "$(value rawch 3)" -ge 10 ]
	check $? "sysinfo:::rawch: $(value rawch 3), not under 10"
else
	ok "sysinfo:::rawch, canch, outch # SKIP needs kernel functions"
fi

# What comes by itself: when both have, the trace ends. A machine that others use may have no idle CPU for a minute.
idle_time() { awk '$1 == "cpu" { print $5 }' /proc/stat; }
before=$(idle_time)
# devices are kept busy: the clock of x86-64 is no device that interrupts
run -qc "sh -c 'while :; do find /usr -xdev >/dev/null; done'" -n 'int intr, idle, ticks; sysinfo:::intr { intr = arg0; } sysinfo:::idlethread { idle = arg0; }
tick-50ms /(intr && idle) || ++ticks > 1200/ { printf("%d %d\n", intr, idle); exit(0); }'
if [ "$(cat "$tmp/out")" = "1 0" ] && [ "$(idle_time)" -eq "$before" ]; then
	ok "sysinfo:::idlethread # SKIP no CPU was idle"
else
	is "sysinfo:::intr, idlethread" 0 "1 1"
fi
until_killed() {	# MODE PROBE…: threads that fight until the probes have fired in them
	"$load" lock "$1" &
	fighter=$!
	shift
	run -p $fighter -qn "int n; $(for p; do printf 'int %s; sysinfo:::%s /pid == $target && !%s/ { %s = 1; n += arg0; }\n' "$p" "$p" "$p" "$p"; done)
	tick-50ms /n == $#/ { printf(\"all fired\n\"); exit(0); }"
	kill -9 $fighter
	wait $fighter 2>/dev/null
	is "sysinfo:::$*" 0 "all fired"
}
if [ "$(nproc)" -gt 1 ]; then
	until_killed terminal mutex_adenters
	until_killed map rw_rdfails rw_wrfails
else
	ok "sysinfo:::mutex_adenters, rw_rdfails, rw_wrfails # SKIP needs two CPUs"
fi

# Buffers: a disk of our own.
if disk 16; then
	run -qn "self int in; syscall::times:entry /pid == \$target/ { self->in++; }
	sysinfo:::bread, sysinfo:::bwrite, sysinfo:::bawrite, sysinfo:::lwrite $(comma=', ' probes phread phwrite)
		/self->in == 1/ { @n[probename] = count(); } END { printa(\"%s %@d\\n\", @n); }" -o "$tmp/got" -c "$load raw $disk"
	check "$status" "a disk is traced"
	same bread 8
	same lwrite 12
	same bwrite 12
	same bawrite 4
	if have phread; then same phread 3; same phwrite 2; else ok "sysinfo:::phread, phwrite # SKIP needs kernel functions"; fi
	if disk_fs; then	# folders are kept in buffers
		(while [ ! -e "$tmp/enough" ]; do mkdir "$mnt/a" && rmdir "$mnt/a"; done) &
		maker=$!
		run -qn 'sysinfo:::lread /ppid == $1/ { printf("used %d\n", arg0); exit(0); }' $maker
		: >"$tmp/enough"
		wait $maker
		is "sysinfo:::lread" 0 "used 1"
	fi
else
	ok "sysinfo:::bread, bwrite, bawrite, lwrite # SKIP no loop device: $(head -n 1 "$tmp/err")"
fi

# Kernel modules, where there are any that can go.
module=dummy
if ! have modload; then
	ok "sysinfo:::modload, modunload # SKIP this kernel has no modules"
elif grep -q "^$module " /proc/modules || ! modprobe $module 2>/dev/null || ! rmmod $module 2>/dev/null; then
	ok "sysinfo:::modload, modunload # SKIP no module $module to load"
else
	printf 'modprobe %s\nrmmod %s\n' $module $module >"$tmp/module.sh"
	run -qn 'sysinfo:::modload, sysinfo:::modunload { @[probename] = count(); } END { printa("%s %@d\n", @); }' -o "$tmp/got" -c "sh $tmp/module.sh"
	same modload 1
	same modunload 1
fi

# A terminal of the machine answers who it is, as if that were typed; the console's serial line has sent what it got. The sleep lets it.
console=/dev/$(sed 's/.* //' /sys/class/tty/console/active 2>/dev/null)
if ! have rcvint || ! have xmtint; then
	ok "sysinfo:::rcvint, xmtint # SKIP needs kernel functions"
elif [ -z "$VM_KERNEL" ] || [ ! -w /dev/tty1 ] || [ ! -w "$console" ]; then
	ok "sysinfo:::rcvint, xmtint # SKIP no terminals of our own"
else
	printf 'printf "\\033[c\\033[c\\033[c" >/dev/tty1\nfor i in 1 2 3; do echo >%s; sleep 0.2; done\n' "$console" >"$tmp/typed.sh"
	run -qn 'sysinfo:::rcvint /pid == $target/ { @[probename] = sum(arg0); } sysinfo:::xmtint { @[probename] = sum(arg0); }
	END { printa("%s %@d\n", @); }' -o "$tmp/got" -c "sh $tmp/typed.sh"
	same rcvint 3
	most xmtint 3
fi
run -n 'sysinfo:::mdmint'
is "modems have a place elsewhere" 1 "fbt::uart_handle_cts_change:entry"
run -n 'sysinfo:::sysspawn'
is "a probe that Linux cannot have says why" 1 "never there on Linux"
run -ln 'sysinfo:::ufsiget'
is "and is not listed" 0 "no UFS"
