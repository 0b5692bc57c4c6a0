#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# D programs and one-liners as people write them in notes, slides and READMEs: all of them compile, whether this kernel has their probes or not (-Z).
: "${DTRACE:=build/dtrace}"
. test/cli/helpers.inc

# compiles WHAT args…
compiles() {
	what=$1
	shift
	if "$DTRACE" -Ze "$@" >"$tmp/out" 2>&1; then
		echo "ok - $what"
	else
		echo "not ok - $what: $(head -n 3 "$tmp/out" | tr '\n' ' ')"
	fi
}

# refuses WHAT TEXT args…: an error that says TEXT
refuses() {
	what=$1 text=$2
	shift 2
	if "$DTRACE" -Ze "$@" >"$tmp/out" 2>&1; then
		echo "not ok - $what: accepted"
	elif grep -q -e "$text" "$tmp/out"; then
		echo "ok - $what"
	else
		echo "not ok - $what: $(head -n 3 "$tmp/out" | tr '\n' ' ')"
	fi
}

# ---- processes and system calls ----
compiles "new processes, traced" -n 'proc:::exec-success { trace(curpsinfo->pr_psargs); }'
compiles "new processes, printed" -n 'proc:::exec-success { printf("%s", curpsinfo->pr_psargs); }'
compiles "files opened" -n 'syscall::open*:entry { printf("%s %s",execname,copyinstr(arg0)); }'
compiles "system calls by program" -n 'syscall:::entry { @num[execname] = count(); }'
compiles "execname of each system call" -n 'syscall:::entry { trace(execname); }'
compiles "system calls of a process" -n 'syscall:::entry { printf("%s %s", execname, probefunc); }' -p 1234
compiles "quiet, with a newline" -qn 'syscall:::entry { printf("%s %s\n", execname, probefunc); }'
compiles "sizes of reads" -qn 'syscall::read:return /execname == "sshd"/ { @ = quantize(arg0); }'
compiles "a listing of open" -S -n 'syscall:freebsd:open:entry {printf("%s %s\n", execname, copyinstr(arg0)); }'

# ---- kernel statistics, I/O, memory ----
compiles "bytes read by program" -n 'sysinfo:::readch { @bytes[execname] = sum(arg0); }'
compiles "bytes written by program" -n 'sysinfo:::writech { @bytes[execname] = sum(arg0); }'
compiles "disk I/O sizes" -n 'io:::start { printf("%d %s %d",pid,execname,args[0]->b_bcount); }'
compiles "I/O of a process into a file" -n 'io:::start { printf("%s %s %d", execname, probefunc, args[0]->b_bcount); }' -p 1234 -o "$tmp/output.txt"
compiles "I/O of a process" -n 'io:::start { printf("%s %s %d", execname, probefunc, args[0]->b_bcount); }' -p 1234
compiles "minor faults" -n 'vminfo:::as_fault { @mem[execname] = sum(arg0); }'
compiles "pages read in" -n 'vminfo:::pgpgin { @pg[execname] = sum(arg0); }'
compiles "user stacks at 99 hertz" -n 'profile-99 /pid == 189 && arg1/ { @[ustack()] = count(); }'

# ---- functions of programs and of the kernel ----
compiles "time in a function of a process" -p 1234 -n 'pid$target::function:entry { self->start = timestamp; }
	pid$target::function:return { @[probename] = sum(timestamp - self->start); self->start = 0; }'
compiles "functions of a library, by a command" -qn 'pid$target:libc.so.7::entry {  @[probefunc] = count(); }' -c /bin/ls
compiles "kernel allocations" -n 'fbt::malloc:entry { trace(execname); trace(arg0); }'
compiles "allocations of a kind" -n 'dtmalloc::temp:malloc /execname == "csh"/ { trace(execname); trace(arg3); }'
compiles "a kernel function" -n 'fbt:kernel:sys_getpid:entry'
compiles "all functions of a module" -n 'tcp::entry'
compiles "a module" -m tcp
compiles "a function with its return" -n 'fbt:tcp:inet_info:entry'
compiles "allocations of others" -n 'fbt::malloc:entry /pid != $pid/ { printf("%s %d\n", execname, arg0); }'
# a slide prints an integer with %s, which D refuses; the message names the argument and what would do
refuses "an integer for %s" 'argument #3 is incompatible with conversion #2' \
	-n 'fbt::malloc:entry /pid != $pid/ { printf("%s %s\n", execname, arg0); }'
refuses "what would do is said" 'copyinstr( ) or stringof( )' -n 'fbt::malloc:entry { printf("%s %s\n", execname, arg0); }'
refuses "a lone = in a predicate" 'to compare, write ==' -n 'dtmalloc::temp:malloc /execname="csh"/ { trace(execname); }'

# ---- scripts ----
cat >"$tmp/simple.d" <<'END'
syscall:::entry                     // probe description
/pid == $1/                        // predicate
{
	@[probefunc] = count();    // action
}
END
compiles "a script with // comments and an operand" -s "$tmp/simple.d" 1234
cat >"$tmp/libc_func.d" <<'END'
#!/usr/sbin/dtrace -s
pid$target:libc::entry
{
	@[probefunc]=count();
}
END
compiles "a script that begins with #!" -s "$tmp/libc_func.d" -c "sh -c true"
cat >"$tmp/table.d" <<'END'
syscall:::entry
{
	@count_table[probefunc] = count() ;
}
END
compiles "a named table" -s "$tmp/table.d"
cat >"$tmp/shape.d" <<'END'
syscall:::entry
/pid == $target/
{
	@[probefunc] = count();
}
END
compiles "a predicate with \$target" -s "$tmp/shape.d" -p 1234
refuses "quotes of a word processor" 'quotes are the plain ones' -n 'dtmalloc::temp:malloc /execname=“csh”/ { trace(execname); }'
