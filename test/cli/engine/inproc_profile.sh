# SPDX-License-Identifier: BSD-2-Clause
# profile-n without the kernel's programs: samples of the processes of -p and -c, as an ordinary user where that is possible, by the
# kernel's clocks and, where perf_event_open(2) is refused (test/trigger/lacking.c), by interrupting threads.
. test/cli/helpers.inc
build=${BUILD:-build}
chmod 755 "$tmp"
for file in "$dtrace" "$build/test/profile_load" "$build/test/lacking"; do
	cp "$file" "$tmp/" && chmod 755 "$tmp/${file##*/}"
done
dtrace=$tmp/dtrace load=$tmp/profile_load
as=
setpriv="setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all --bounding-set -all"
[ "$(id -u)" -eq 0 ] && $setpriv "$dtrace" -V >/dev/null 2>&1 && as=$setpriv
sample() {
	# shellcheck disable=SC2086
	timeout 240 $lacking $as "$dtrace" -x engine=process "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}
lacking=
sample -qn 'BEGIN { exit(0); }'
if [ "$status" -ne 0 ]; then
	echo "ok - samples of processes # SKIP $(head -n 1 "$tmp/err")"
	exit 0
fi
spin=600
if [ -n "$(nm "$dtrace" 2>/dev/null | grep -m1 __asan_init)" ]; then asan=1 spin=1500; else asan=; fi

sample -qn 'profile-97 { exit(0); }'
[ "$status" -eq 1 ] && grep -q 'profile:::profile-97 fires on all CPUs (name processes with -p or -c to take samples of them)' "$tmp/err"
check $? "without a process it is refused"

# samples that were taken, and those reported as lost
taken() { awk '$1 == "samples" { n = $2 } END { print n + 0 }' "$tmp/out"; }
lost() { sed -n 's/^dtrace: \([0-9]*\) drops\{0,1\} (samples that.*/\1/p' "$tmp/err" | awk '{ n += $1 } END { print n + 0 }'; }
cpu_ms() { awk '$1 == "cpu_ms" { n = $2 } END { print n + 0 }' "$tmp/out"; }

ways() {
	way=$1
	sample -qx childstatus -c "$load $spin 2" -n '
	BEGIN { begun = timestamp; }
	profile-99 { @ = count(); @a[arg0 == 0 && arg1 != 0 && arg1 == uregs[R_PC], pid == $target, uid] = count(); @n[execname] = count();
	    @t[tid == pid] = count(); @s[ustack()] = count(); @w[timestamp > begun, walltimestamp > 0, cpu < 4096] = count(); self->n++;
	    @self[self->n > 0] = count(); }
	END { printa("samples %@d\n", @); printa("args %d pid %d uid %d: %@d\n", @a); printa("name %s %@d\n", @n); printa("leader %d %@d\n", @t);
	    printa("times %d %d %d\n", @w); printa("self %d\n", @self); printf("stacks\n"); printa(@s); }'
	[ "$status" -eq 7 ] && grep -q 'signals 1 interrupted 0 user' "$tmp/out"
	check $? "$way: the program has its status, its signals and its sleep"
	n=$(taken) lost=$(lost) most=$(($(cpu_ms) * 99 / 1000))
	# never more than the CPU time; by the clocks, the time in the kernel does not count, and on each CPU a part of an interval is left
	[ "$n" -gt 0 ] && [ $((n + lost)) -le $((most + 20)) ]
	check $? "$way: as many as the CPU time allows (taken $n, lost $lost, of $most)"
	user=$(sed -n 's/^cpu_ms.* user //p' "$tmp/out")
	grep '^args ' "$tmp/out" >"$tmp/args"
	[ "$(wc -l <"$tmp/args")" -eq 1 ] && grep -q "^args 1 pid 1 uid $user: $n\$" "$tmp/args"
	check $? "$way: arg0, arg1, uregs, pid, uid are those of the process"
	awk '$1 == "name" { n[$2] = $3 } END { exit !(n["profile_load"] > 0 && n["spinner"] > n["sleeper"] && n["dtrace"] == 0) }' "$tmp/out" &&
		grep -q '^leader 0 ' "$tmp/out" && grep -q '^leader 1 ' "$tmp/out"
	check $? "$way: threads that use the CPU, by their names"
	[ "$(grep -c '^times ' "$tmp/out")" -eq 1 ] && grep -q '^times 1 1 1' "$tmp/out" && grep -q '^self 1' "$tmp/out"
	check $? "$way: times, CPUs and thread-local variables"
	# all stacks that are in the loop reach the first function of their thread
	awk '/^stacks/ { on = 1; next }
	!on { next }
	/spin_leaf/ { leaf = 1 }
	/spin_second/ { second = 1 }
	/spin_first/ { first = 1 }
	/profile_load.(main|spinner)\+/ { top = 1 }
	/^ *[0-9]+$/ { if (leaf) { all += $1; if (second && first && top) whole += $1 } leaf = second = first = top = 0 }
	END { printf "%d %d\n", all, whole; exit !(all > 0 && all == whole) }' "$tmp/out" >"$tmp/whole"
	check $? "$way: stacks without frame pointers are whole (all, whole: $(cat "$tmp/whole"))"

	sample -qc "$load $spin 0" -n 'profile-10ms { @[probename] = count(); } profile-50ms { @[probename] = count(); } END { printa("%s %@d\n", @); }'
	awk '$1 == "profile-10ms" { a = $2 } $1 == "profile-50ms" { b = $2 } END { exit !(a > b && b > 0) }' "$tmp/out"
	check $? "$way: two rates"
	sample -qc "$load 100000 0" -n 'profile-99 /n++ == 3/ { printf("here %s\n", execname); exit(5); }'
	[ "$status" -eq 5 ] && [ "$(grep -c '^here profile_load' "$tmp/out")" -eq 1 ]
	check $? "$way: exit() in a clause"
	sample -qc "$load $spin 0" -n 'profile-99 { trace(copyinstr(8)); } ERROR /arg4 == 1 && !n++/ { printf("fault\n"); exit(4); }'
	[ "$status" -eq 4 ] && grep -q '^fault' "$tmp/out"
	check $? "$way: an address that is not there is a fault"

	# a thread that is interrupted while it ends must not stay stopped
	sample -qx childstatus -c "$load 10 0 300" -n 'profile-1999 { @ = count(); } END { printa("samples %@d\n", @); }'
	[ "$status" -eq 7 ] && grep -q 'signals 1 interrupted 0 user' "$tmp/out" && [ $(($(taken) + $(lost))) -gt 0 ]
	check $? "$way: threads that begin and end (status $status, taken $(taken), lost $(lost))"

	# a process that runs, together with probes inside of it
	# shellcheck disable=SC2086
	$as "$load" 1000000 1 >/dev/null 2>&1 &
	victim=$!
	waits sh -c "[ \"\$(cat /proc/$victim/comm)\" = profile_load ]"
	sample -qp $victim -n 'profile-199 /pid == $target/ { @ = count(); n++; } pid$target:profile_load:spin_leaf:entry { @e = count(); m++; }
	    tick-50ms /n > 5 && m > 2/ { exit(0); } END { printa("samples %@d\n", @); printa("entries %@d\n", @e); }'
	if [ "$status" -eq 0 ]; then
		[ "$(taken)" -gt 5 ] && grep -q '^entries [1-9]' "$tmp/out" && kill -0 $victim
		check $? "$way: -p, and probes in the process"
	else
		grep -q 'ptrace_scope\|ptrace(2)' "$tmp/err"
		check $? "$way: -p # SKIP $(head -n 1 "$tmp/err")"
	fi
	kill $victim
	wait $victim 2>/dev/null
}
ways "clocks"
if "$tmp/lacking" perf_event_permitted -- true 2>/dev/null; then
	lacking="$tmp/lacking perf_event_permitted --"
	ways "interrupts"
	lacking=
else
	ok "interrupting threads # SKIP seccomp cannot answer for the kernel here"
fi

# by both engines the same function is the hottest
if [ -z "$asan" ] && timeout 240 "$dtrace" -x engine=kernel -qn 'BEGIN { exit(0); }' >/dev/null 2>&1 </dev/null; then
	for e in kernel process; do
		timeout 240 "$dtrace" -x engine=$e -qc "$load $spin 0" -n 'profile-499 /pid == $target && arg1/ { @[ustack(3)] = count(); }' 2>/dev/null </dev/null |
			awk '/profile_load.spin/ { sub(/\+.*/, ""); sub(/.*profile_load./, ""); stack = stack " " $0 }
			/^ *[0-9]+$/ { n[stack] += $1; stack = "" }
			END { for (s in n) if (n[s] > most) { most = n[s]; top = s } print top }' >"$tmp/$e"
	done
	[ -s "$tmp/kernel" ] && cmp "$tmp/kernel" "$tmp/process" >"$tmp/log"
	check $? "by both engines the same stack has the most samples:$(cat "$tmp/process")"
fi
