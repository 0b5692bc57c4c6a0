# SPDX-License-Identifier: BSD-2-Clause
# syscall: the types of arguments, their values, results and errno, of known calls (test/trigger/provider_syscall.c).
. test/cli/helpers.inc

run -e -n 'syscall::getpid:entry { trace(args[0]); }'
is "a call without arguments" 1 "it has 0"
run -e -n 'syscall::openat:entry { trace(args[4]); }'
is "more than it has" 1 "it has 4"
run -e -n 'syscall:::entry { trace(args[0]); }'
is "types of many calls" 1 "types are known where one probe is named"
run -e -n 'syscall:::return { trace(args[1]); }'
check "$status" "the value of any call"
run -e -n 'syscall::newuname:entry { trace(args[0]); }'
check "$status" "by the kernel's name"
may_trace "system calls"

# every call has a row, which has types or says that only the number is left
"$dtrace" -lP syscall 2>"$tmp/err" | awk 'NR > 1 { print $(NF - 1) }' | LC_ALL=C sort -u >"$tmp/calls"
sed -n 's/^[SNG](\([a-z0-9_]*\),.*/\1/p' src/table/syscalls.def >"$tmp/rows"
LC_ALL=C sort -cu "$tmp/rows" 2>"$tmp/err"
check $? "the table of calls is in order"
grep -vxF -f "$tmp/rows" "$tmp/calls" >"$tmp/out"
check $((1 - $?)) "types of the arguments of all $(grep -c . "$tmp/calls") calls"
grep -q . "$tmp/calls"
check $? "calls are listed"

run -lvn 'syscall::openat:entry'
is "-lv: an integer" 0 "args[0]: int"
is "-lv: a user pointer" 0 "args[1]: userland char *"
run -lvn 'syscall::openat:return'
is "-lv: the value" 0 "args[1]: long"
if [ "$(uname -m)" = aarch64 ]; then
	run -n 'syscall::open:entry'
	is "a call this machine does not have" 1 "did you mean openat?"
fi

work=${BUILD:-build}/test/provider_syscall
# shows WHAT TEXT PROGRAM [OPTION…]: the program's output is the text, without empty lines
shows() {
	what=$1 text=$2 d=$3
	shift 3
	run -q "$@" -c "$work" -n "$d"
	printf '%s\n' "$text" >"$tmp/wanted"
	grep . "$tmp/out" | diff "$tmp/wanted" - >"$tmp/diff"
	check $? "$what"
}

shows "a string in user memory" "5 -100" 'syscall::openat:entry
	/pid == $target && stringof(args[1]) == "/nonexistent/file"/ { n++; last = args[0]; } END { printf("%d %d\n", n, last); }'
shows "failure is -1 with errno" "-1 -1 -1 -1 2" 'syscall::openat:entry /pid == $target/ { self->bad = stringof(args[1]) == "/nonexistent/file"; }
	syscall::openat:return /self->bad && n++ == 0/ { printf("%d %d %d %d %d\n", arg0, arg1, args[0], args[1], errno); }'
shows "-x rawsyscall" "-2 -2 -2 -2 2" 'syscall::openat:entry /pid == $target/ { self->bad = stringof(args[1]) == "/nonexistent/file"; }
	syscall::openat:return /self->bad && n++ == 0/ { printf("%d %d %d %d %d\n", arg0, arg1, args[0], args[1], errno); }' -x rawsyscall
shows "what write has written" "some text 10 10 0
some text 10 10 0
some text 10 10 0
nowhere 8 -1 9" 'syscall::write:entry /pid == $target/ { printf("%s %d", stringof(args[1]), args[2]); }
	syscall::write:return /pid == $target/ { printf(" %d %d\n", args[0], errno); }'
shows "an int is 32 bits of the register" "0 1234567800000000
-1 12345678ffffffff" 'syscall::getpgid:entry /pid == $target/ { printf("%d %x\n", args[0], arg0); }'
shows "a struct in user memory" "0 123" 'syscall::nanosleep:entry /pid == $target/ { printf("%d %d\n", args[0]->tv_sec, args[0]->tv_nsec); }'
shows "an array of strings in user memory" "/nonexistent/program zero one" 'syscall::execve:entry
	/pid == $target && (uintptr_t)args[1] != 0/ { printf("%s %s %s\n", stringof(args[0]), stringof(args[1][0]), stringof(args[1][1])); }'
shows "a bad address is a fault" "fault 16" 'syscall::execve:entry /pid == $target && arg0 == 16/ { trace(stringof(args[0])); }
	ERROR { printf("fault %d\n", arg5); }'
shows "a number is no address" "5 wrong" 'syscall::open*:entry /pid == $target && arg0 == -100/ { trace(copyinstr(arg0)); }
	syscall::open*:entry /pid == $target && stringof(copyinstr(arg1)) == "/nonexistent/file"/ { n++; } END { printf("%d wrong\n", n); }'
shows "exit has an entry and no return" "1" 'syscall::exit_group:entry /pid == $target/ { n++; } END { printf("%d\n", n); }'

# 32-bit programs: the numbers of getppid, getpgid, getuid32 and exit are other calls here
"$BUILD/test/compat"
case $? in
77) echo "ok - system calls of 32-bit programs # SKIP this machine runs none" ;;
3)
	run -q -c "$BUILD/test/compat" -n 'proc:::exec-success /pid == $target/ { self->in = 1; } syscall:::entry /self->in/ { @[probefunc] = count(); }
	    syscall::getpgid:entry /self->in/ { printf("arg0 %d\n", arg0); } syscall::getppid:return /self->in/ { @r = count(); } END {
	    printa("returned %@d\n", @r); }'
	is "argument of a 32-bit program" 0 "arg0 77"
	is "its returns" 0 "returned 5"
	for call in 'getppid 5' 'getpgid 1' 'getuid 1' 'exit 1'; do
		tr -s ' ' <"$tmp/out" | grep -qx " $call"
		check $? "32-bit: $call"
	done
	! grep -q ' write \| sigaltstack \| socketpair \| io_destroy \| semget \| utime \| fremovexattr ' "$tmp/out"
	check $? "and nothing under another name"
	;;
*) bad "the 32-bit program" ;;
esac
run -c 'cat /dev/null' -n 'syscall::openat:entry /pid == $target/ { trace(copyinstr(arg0)); }'
is "copyinstr(arg0) of openat" 0 "this is AT_FDCWD, a directory; the path is the next argument"
run -q -c 'dd if=/etc/passwd of=/dev/null count=1' -n 'syscall::read:entry /pid == $target && arg0 == 0/ { printf("%s in %s\n", fds[arg0].fi_name, fds[arg0].fi_dirname); }'
is "the file of a descriptor" 0 "passwd in /etc"
echo | "$dtrace" -qc "$calls 0" -n 'BEGIN { printf("%s of %s\n", fds[0].fi_pathname, fds[0].fi_mount); }' >"$tmp/out" 2>"$tmp/err"
status=$?
is "a pipe has no name" 0 "<pipefs> of <none>"
run -qn 'BEGIN { printf("%d %d %d %d", getf(-1) == NULL, getf(1 << 20) == NULL, getf(2) != NULL, progenyof(pid)); exit(0); }'
is "getf() and progenyof() alone" 0 "1 1 1 1"

# a name without a mount is told with that of its file system, of which there may be others of a part
if unshare -m true 2>/dev/null; then
	cat >"$tmp/mounts" <<-'EOF'
	mkdir -p "$1/fs" "$1/part" && mount -t tmpfs none "$1/fs" && mkdir -p "$1/fs/some" && mount --bind "$1/fs/some" "$1/part" || exit 99
	exec "$2" -qc "dd if=/dev/zero of=$1/fs/some/file count=1" -n 'syscall::write:entry /pid == $target && arg0 == 1/ {
		this->d = getf(arg0)->f_path.dentry;
		printf("%s, %s of %s; ", fds[arg0].fi_pathname, dentry_path(this->d), fds[arg0].fi_mount);
		this->i = this->d->d_inode;
		printf("inode %s\n", (xlate <fileinfo_t> (this->i)).fi_pathname);
		exit(0); }'
	EOF
	unshare -m sh "$tmp/mounts" "$tmp" "$dtrace" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	if [ $status -eq 99 ]; then
		echo "ok - names of a file system # SKIP no mounts here"
	else
		is "names of a file system, from file, dentry and inode" 0 \
		    "$tmp/fs/some/file, $tmp/fs/some/file of $tmp/fs; inode $tmp/fs/some/file"
	fi
else
	echo "ok - names of a file system # SKIP no mounts of our own here"
fi
run -qn 'BEGIN { trace(dentry_path((struct dentry *)8)); } ERROR { printf("fault %d", arg4); exit(0); }'
is "dentry_path() of nothing" 0 "fault 1"
run -qc "$calls 5" -n 'syscall::getppid:entry, syscall::getppid:return /pid == $target/ { @[probefunc] = count(); @m[probemod, probename] = count(); } END { printa("%s has %@d\n", @); printa("%s %s %@d\n", @m); }'
is "keys are names, not probes: entry and return of one function" 0 "getppid has 10"
is "and those that differ stay apart" 0 "vmlinux return 5"

# A call that a signal interrupts: the program sees EINTR, the kernel says something of its own there (T 13). USR1 is 10 here and on x86-64.
cat >"$tmp/interrupted.pl" <<'END'
$SIG{USR1} = sub { };
select(undef, undef, undef, 200);
print $!{EINTR} ? "interrupted\n" : "not interrupted\n";
END
if command -v perl >/dev/null; then
	D='syscall::*select*:entry /pid == $target/ { raise(10); } syscall::*select*:return /pid == $target/ { printf("%d %d errno %d\n", arg0, arg1, errno); exit(0); }'
	run -wq -c "perl $tmp/interrupted.pl" -n "$D"
	is "errno of an interrupted call" 0 "-1 -1 errno 4"
	run -wq -x rawsyscall -c "perl $tmp/interrupted.pl" -n "$D"
	is "and as the kernel has it, -x rawsyscall" 0 "errno 514"
else
	echo "ok - errno of an interrupted call # SKIP no perl here"
fi
