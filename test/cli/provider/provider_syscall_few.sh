# SPDX-License-Identifier: BSD-2-Clause
# Few system calls named, on a kernel that lets its functions be traced: programs are on the functions of those calls, and the calls
# that nobody asked for are not touched. What a script sees is the same.
# alone
. test/cli/helpers.inc
may_trace "system calls by their functions"

functions=/sys/kernel/tracing/enabled_functions
if ! listed 'fbt::vfs_read:entry' || [ ! -r $functions ]; then
	echo "ok - system calls by their functions # SKIP this kernel does not let its functions be traced, or has no tracefs"
	exit 0
fi

# on PROBES: $tmp/live is what has programs while the probes are live; ticks begin when all is attached
on() {
	start -qn "$1 { n++; }" -n 'tick-10ms { printf("ready\n"); }'
	cat $functions >"$tmp/live"
	kill "$tracer"
	wait "$tracer"
}
on 'syscall::getpgid:entry,syscall::getpgid:return'
if ! grep -q 'sys_getpgid' "$tmp/live" && ! "$dtrace" -ln 'fbt::vfs_read:return' -v 2>/dev/null | grep -q 'args\[2\]'; then
	echo "ok - system calls by their functions # SKIP this kernel has no trampolines"
	exit 0
fi
grep -q sys_getpgid "$tmp/live"
check $? "a call is seen in its function"
on 'syscall:::entry'
! grep -q sys_getpgid "$tmp/live"
check $? "all calls are seen by the tracepoint"

work=${BUILD:-build}/test/provider_syscall
run -q -c "$work" -n 'syscall::getpgid:entry /pid == $target/ { @e[probefunc, arg0] = count(); } syscall::getpgid:return /pid == $target/ { @r[probefunc, (int)arg0 < 0, errno] = count(); }
	END { printa("%s %x %@d\n", @e); printa("%s %d %d %@d\n", @r); }'
is "its first argument" 0 "getpgid 1234567800000000 1"
is "another" 0 "getpgid 12345678ffffffff 1"
is "its value" 0 "getpgid 0 0 1"
is "its failure" 0 "getpgid 1 3 1"

# On some machines the child comes back from a call that its parent made: what is seen does not depend on how it is seen.
forks='syscall::clone:entry,syscall::clone3:entry,syscall::fork:entry,syscall::vfork:entry,syscall::clone:return,syscall::clone3:return,
	syscall::fork:return,syscall::vfork:return /progenyof($target)/ { @[probename] = count(); } END { printa("%s %@d\n", @); }'
run -qZ -c 'sh -c "(exit 0); exit 0"' -n "$forks"
is "fork() is called" 0 "entry 1"
cp "$tmp/out" "$tmp/few"
run -qZ -c 'sh -c "(exit 0); exit 0"' -n "$forks" -n 'syscall:::entry { n++; }'
cmp -s "$tmp/out" "$tmp/few"
check $? "and returns as often as the tracepoint tells"
run -q -c 'sh -c "exec true"' -n 'syscall::execve:return /pid == $target && arg0 == 0/ { printf("now %s\n", execname); }'
is "a program that was replaced" 0 "now true"

# whatever the kernel calls them inside
each=${BUILD:-build}/test/syscall_each
"$each" >"$tmp/names"
grep -q . "$tmp/names"
check $? "calls to make"
set --
compare() {	# compare CALL…: three of each, at entry and at return
	probes=
	for call; do probes="$probes${probes:+,}syscall::$call:entry"; done
	run -q -c "$each $*" -n "$probes /pid == \$target && execname == \"syscall_each\"/ { @[probefunc] = count(); } END { printa(\"%s %@d\n\", @); }"
	for call; do
		# what the start of a program calls too is more than three
		awk -v call="$call" '$1 == call && $2 >= 3 { found = 1 } END { exit !found }' "$tmp/out"
		check $? "three calls of $call"
	done
}
while read -r name; do
	set -- "$@" "$name"
	[ $# -lt 5 ] && continue
	compare "$@"
	set --
done <"$tmp/names"
[ $# -eq 0 ] || compare "$@"

# 32-bit programs have functions of their own
"$BUILD/test/compat"
if [ $? -eq 3 ]; then
	run -q -c "$BUILD/test/compat" -n 'syscall::getppid:entry,syscall::getpgid:entry,syscall::getuid:entry /pid == $target/ { @[probefunc] = count(); }
		syscall::getpgid:entry /pid == $target/ { printf("getpgid(%d)\n", arg0); } END { printa("%s %@d\n", @); }'
	for line in 'getpgid(77)' 'getpgid 1' 'getuid 1' 'getppid 5'; do is "32-bit: $line" 0 "$line"; done
else
	echo "ok - 32-bit programs # SKIP this machine runs none"
fi
