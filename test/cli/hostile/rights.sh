# SPDX-License-Identifier: BSD-2-Clause
# What works with which capabilities: each cell of doc/RIGHTS.md (issue 11, item 7).
. test/cli/helpers.inc
may_trace "rights"
if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null 2>&1 || ! setpriv --list-caps 2>/dev/null | grep -q '^perfmon$'; then
	ok "rights # SKIP needs root and a setpriv that knows the capabilities"
	exit 0
fi
chmod 755 "$tmp" && cp "$dtrace" "$tmp/dtrace" && chmod 755 "$tmp/dtrace"
sleep 1000 &
others=$!
trap 'kill $others 2>/dev/null; rm -rf "$tmp"' EXIT

# with CAPS COMMAND…: as nobody, with these capabilities and no other
with() {
	only=-all
	for c in $1; do only=$only,+$c; done
	shift
	timeout 240 setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps "$only" --ambient-caps "$only" --bounding-set "$only" "$@" \
		>"$tmp/out" 2>"$tmp/err" </dev/null
}
# cell CAPS ANSWER NAME: the function NAME, with CAPS, works (yes) or not (no)
cell() {
	"$3" "$1"
	case $?:$2:$(head -c 8 "$tmp/err") in
	*:setpriv:*) bad "${1:-no capability}: $3: no such rights can be had here" ;;
	0:yes:*|[1-9]*:no:*) ok "${1:-no capability}: $3: $2" ;;
	*) bad "${1:-no capability}: $3: not $2" ;;
	esac
}
compiles() { with "$1" "$tmp/dtrace" -e -n 'BEGIN { exit(0); }'; }
traces() { with "$1" "$tmp/dtrace" -qn 'syscall:::entry, profile-97 { n++; } tick-50ms /n > 0/ { exit(0); }'; }
lists() { with "$1" "$tmp/dtrace" -ln 'syscall::read:entry' && grep -q 'read *entry' "$tmp/out"; }
own() {
	with "$1" "$tmp/dtrace" -qc /bin/true -n 'pid$target:libc.so.6:exit:entry { @[ustack(1)] = count(); }' && grep -q 'libc.so.6`exit' "$tmp/out"
}
foreign() { with "$1" "$tmp/dtrace" -qp $others -n 'pid$target:libc.so.6:exit:entry { } BEGIN { exit(0); }'; }
names() {
	with "$1" "$tmp/dtrace" -qn 'syscall:::entry { stack(1); exit(0); }' && grep -q 'vmlinux`' "$tmp/out"
}
# A2: signals. signal CAPS ACTION USER ANSWER: a process of USER makes calls; whether the action reaches it, and else is a fault
signal() {
	setpriv --reuid "$3" --regid "$3" --clear-groups sh -c 'while :; do sleep 0.05; done' &
	target=$!
	with "$1" "$tmp/dtrace" -qwn "syscall:::entry /pid == $target && uid == $3/ { $2; trace(\"done\"); exit(0); }
	    ERROR { printf(\"fault %d\", arg4); exit(1); }"
	case $4 in
	yes) grep -q 'done' "$tmp/out" && waits reached "$target" ;;
	no) grep -q 'fault 7' "$tmp/out" && ! grep -q 'done' "$tmp/out" && ! reached "$target" ;;
	esac
	check $? "$1: $2, process of $3: $4"
	{ kill -KILL $target; wait $target; } 2>/dev/null
}
reached() { case $(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null) in ""|T|Z) return 0 ;; esac; return 1; }
for action in 'stop()' 'raise(9)'; do
	signal "bpf perfmon sys_ptrace syslog" "$action" 0 no
	signal "bpf perfmon sys_ptrace syslog" "$action" 1 no
	signal "bpf perfmon sys_ptrace syslog" "$action" 65534 yes
	signal "bpf perfmon kill" "$action" 0 yes
done
inside=no			# whether the user's own processes need no right
"$tmp/dtrace" --doctor | grep -q '^the engine process  *yes' && inside=yes
for caps in "" bpf perfmon; do
	cell "$caps" yes compiles
	cell "$caps" no traces
	cell "$caps" yes lists
	grep -q 'to enable them, DTrace requires additional privileges' "$tmp/err"
	check $? "${caps:-no capability}: -l says what enabling them takes"
	cell "$caps" $inside own
done
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 1 ] || [ "$(cat /proc/sys/kernel/kptr_restrict)" -gt 0 ]
hidden=$?			# 0: names take CAP_SYSLOG
for caps in "bpf perfmon" "sys_admin" "bpf perfmon sys_ptrace" "bpf perfmon sys_ptrace syslog"; do
	case $caps in *ptrace*) may=yes ;; *) may=no ;; esac
	cell "$caps" yes traces
	cell "$caps" yes lists
	cell "$caps" yes own
	cell "$caps" $may foreign
	case $hidden$caps in
	*syslog*|1*) [ "$(cat /proc/sys/kernel/kptr_restrict)" -gt 1 ] || cell "$caps" yes names ;;
	*)
		cell "$caps" no names
		grep -q 'CAP_SYSLOG' "$tmp/err"
		check $? "$caps: a notice names CAP_SYSLOG"
		with "$caps" "$tmp/dtrace" -qn 'BEGIN { printf("a letter"); exit(0); }'
		! grep -q 'CAP_SYSLOG' "$tmp/err"
		check $? "$caps: no notice where no name is wanted"
		;;
	esac
done

# A group, by file capabilities; others cannot even start it.
if command -v setcap >/dev/null 2>&1 && cp "$tmp/dtrace" "$tmp/grouped" && chgrp 4242 "$tmp/grouped" && chmod 750 "$tmp/grouped" &&
    setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog+ep "$tmp/grouped" 2>/dev/null; then
	member() { timeout 240 setpriv --reuid 65534 --regid 65534 "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; }
	member --groups 4242 sh -c '"$0" -qc /bin/true -n "pid\$target:libc.so.6:exit:entry { @[ustack(1)] = count(); }"' "$tmp/grouped" &&
	    grep -q 'libc.so.6`exit' "$tmp/out"
	check $? "file capabilities: a member of the group traces"
	member --groups 4242 sh -c '"$0" -qn "syscall:::entry { stack(1); exit(0); }"' "$tmp/grouped" &&
	    { grep -q 'vmlinux`' "$tmp/out" || [ "$(cat /proc/sys/kernel/kptr_restrict)" -gt 1 ]; }
	check $? "file capabilities: names of the kernel"
	member --groups 4242 sh -c '"$0" -qp "$1" -n "pid\$target:libc.so.6:exit:entry { } BEGIN { exit(0); }"' "$tmp/grouped" $others
	check $? "file capabilities: processes of others"
	member --groups 4242 sh -c '"$0" -qwn "BEGIN { system(\"grep CapEff /proc/self/status\"); exit(0); }"' "$tmp/grouped" &&
	    grep -q 'CapEff:.*0000000000000000' "$tmp/out"
	check $? "file capabilities: commands of system() have none"
	sh -c 'while :; do sleep 0.05; done' &
	spared=$!
	member --groups 4242 sh -c '"$0" -qwn "syscall:::entry /pid == $1/ { raise(9); exit(1); } ERROR /arg4 == 7/ { exit(0); }"' \
	    "$tmp/grouped" $spared && ! reached $spared
	check $? "file capabilities: no signals to processes of root"
	{ kill -KILL $spared; wait $spared; } 2>/dev/null
	member --groups 4242 sh -c '"$0" -qc "/bin/grep CapEff /proc/self/status" -n "BEGIN { }"' "$tmp/grouped" &&
	    grep -q 'CapEff:.*0000000000000000' "$tmp/out"
	check $? "file capabilities: nor has the command of -c"
	member --clear-groups sh -c '"$0" -V' "$tmp/grouped"
	[ $? -ne 0 ]
	check $? "file capabilities: who is not in the group cannot run it"
else
	ok "file capabilities # SKIP they cannot be set here"
fi
