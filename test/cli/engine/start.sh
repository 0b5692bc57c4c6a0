# SPDX-License-Identifier: BSD-2-Clause
# What starting does not do: a program that needs no kernel types, symbols or tracefs reads none of them (they cost
# milliseconds). Our own probes tell which files dtrace opens.
. test/cli/helpers.inc
may_trace "what is opened at the start"

opens() {	# opens D: files that a dtrace with this program opens
	"$dtrace" -qn 'syscall::openat:entry /pid == $target/ { self->p = arg1; }
		syscall::openat:return /self->p/ { printf("open %s\n", copyinstr(self->p)); self->p = 0; }' \
		-c "$dtrace -q -s $1" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}
quiet() {	# quiet WHAT D
	printf '%s\n' "$2" >"$tmp/one.d"
	opens "$tmp/one.d"
	[ $status -eq 0 ] && grep -q "one.d" "$tmp/out" && ! grep -q 'btf\|kallsyms\|tracefs\|tracing\|/proc/[0-9]' "$tmp/out"
	check $? "$1 reads no types, symbols, events or processes"
}
quiet "BEGIN" 'BEGIN { exit(0); }'
quiet "counting system calls" 'syscall:::entry { @[probefunc] = count(); } tick-10ms { exit(0); }'
quiet "execname and pid" 'syscall::read:entry { @[execname, pid] = count(); } tick-10ms { exit(0); }'
quiet "profile" 'profile-997 { @ = count(); } tick-10ms { exit(0); }'

# What the tracer does for itself once probes are live must not be in the trace.
run -qn 'syscall::openat:entry /pid == $pid/ { printf("opened %s\n", copyinstr(arg1)); } tick-300ms { exit(0); }'
[ $status -eq 0 ] && ! grep -q opened "$tmp/out"
check $? "tracing system calls does not show files that dtrace opens"
