#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Processes in namespaces of their own, as containers have them: names of their addresses from outside, whatever their root and their
# process ids, and from inside, where the ids are not those the kernel records.
. test/trigger/trace.sh
may_trace "containers"
cc=${CC:-gcc}
mkdir "$tmp/root"
jail=j$$			# a name nobody else has
if ! unshare -pf --mount-proc true 2>/dev/null || ! unshare -m sh -c 'mount -t tmpfs none "$0"' "$tmp/root" 2>/dev/null; then
	ok "containers # SKIP no namespaces can be made here"
	exit 0
fi
cat >"$tmp/jail.c" <<'END'
#include <unistd.h>
__attribute__((noinline)) int inner(int n) { return (int)getppid() + n; }
__attribute__((noinline)) int outer(int n) { int r = inner(n); __asm__ volatile("" ::: "memory"); return r + 1; }
int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < 5 || argc > 1; i++) {
		outer(i);
		if (argc > 1)
			usleep(10000);
	}
	return 0;
}
END
if ! "$cc" -O1 -fno-optimize-sibling-calls -static -o "$tmp/$jail" "$tmp/jail.c" 2>"$tmp/err"; then
	ok "containers # SKIP no compiler that works here"
	exit 0
fi

# named NAME: the frames that were printed are inner, outer, main, of the object NAME
named() {
	grep -q "$1\`inner" "$tmp/out" && grep -q "$1\`outer" "$tmp/out" && grep -q "$1\`main" "$tmp/out"
}
seen() { grep -lx "$1" /proc/[0-9]*/comm 2>/dev/null | sed 's,/proc/\([0-9]*\)/.*,\1,' | head -n 1; }
there() { jailed=$(seen "$1"); [ -n "$jailed" ]; }

# From outside: process ids of its own, and a root of its own that nobody else sees.
unshare -pf --mount-proc "$tmp/$jail" on &
waits there "$jail"
run -qp "$jailed" -n 'syscall::getppid:entry { ustack(); } tick-10ms /i++ > 50/ { exit(0); }'
named "$jail"
check $? "process ids of its own: a stack"
run -qp "$jailed" -n 'pid$target:a.out:inner:entry { ustack(); printf("nspid %d\n", nspid); exit(0); }'
is "process ids of its own: a function" 0 "nspid 1"
named "$jail"
check $? "process ids of its own: the function's stack"
kill -9 "$jailed"
unshare -m sh -c "mount -t tmpfs none '$tmp/root' && mkdir '$tmp/root/inside' && cp '$tmp/$jail' '$tmp/root/inside/m$jail' && exec chroot '$tmp/root' /inside/m$jail on" &
waits there "m$jail"
run -qp "$jailed" -n 'syscall::getppid:entry { ustack(); } tick-10ms /i++ > 50/ { exit(0); }'
named "m$jail"
check $? "a root of its own: a stack"
run -qp "$jailed" -n 'pid$target:a.out:inner:entry { ustack(); exit(0); }'
named "m$jail"
check $? "a root of its own: a function and its stack"
kill -9 "$jailed"

# From inside.
inside() { timeout 240 unshare -pf --mount-proc "$dtrace" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; status=$?; }
inside -qc "$tmp/$jail" -n 'syscall::getppid:entry /execname == "'"$jail"'"/ { @[ustack()] = count(); } END { printa(@); }'
named "$jail"
check $? "inside: a stack of a process that has ended"
inside -qc "$tmp/$jail" -n 'pid$target:a.out:inner:entry { @[ustack(), usym(ucaller)] = count(); }'
named "$jail"
check $? "inside: a function and its stack"
grep -q "$jail\`outer  *5\$" "$tmp/out"
check $? "inside: usym()"
"$tmp/$jail" on &
other=$!
timeout 240 unshare -pf --mount-proc sh -c "'$tmp/$jail' inside & '$dtrace' -qp \$! -n 'syscall::getppid:entry { @[nspid, pid] = count(); @s[ustack()] = count(); } tick-10ms /i++ > 50/ { exit(0); }'; kill \$!" \
	>"$tmp/out" 2>"$tmp/err"
named "$jail"
check $? "inside: -p, by the number that it has there"
[ "$(grep -c '^ *[0-9][0-9]*  *[0-9][0-9]*  *[0-9][0-9]*$' "$tmp/out")" -eq 1 ]
check $? "inside: -p, and no other"
kill -9 "$other"

# Numbers of processes are those of the container dtrace is in, also of containers inside of it; 0 is a process outside (N B4).
inside -qc "$tmp/$jail" -n 'syscall::getppid:entry /pid == $target/ { @[pid, tid, ppid, progenyof($target), progenyof(1), progenyof(77777), curpsinfo->pr_pid, curlwpsinfo->pr_lwpid] = count(); }
	END { printa("is %d %d %d %d %d %d %d %d: %@d\n", @); }'
is "inside: pid, tid, ppid, progenyof()" 0 "is 2 2 1 1 1 0 2 2: 5"
inside -qc "unshare -pf --mount-proc $tmp/$jail" -n 'syscall::getppid:entry /progenyof($target) && execname == "'"$jail"'"/ { @[pid > $target, ppid == $target, nspid] = count(); } END { printa("is %d %d %d: %@d\n", @); }'
is "inside: a container in the container" 0 "is 1 1 1: 5"
inside -wc "$tmp/$jail on" -n 'syscall::getppid:entry /pid == $target/ { raise(9); }'
is "inside: raise()" 0 "terminated by SIGKILL"
inside -qc "$tmp/$jail" -n 'proc:::exit /pid == $target/ { printf("ends %d %s\n", pid, execname); }'
is "inside: proc" 0 "ends 2 $jail"
"$tmp/$jail" on &
other=$!
inside -qn 'syscall::getppid:entry /execname == "'"$jail"'"/ { printf("outside is %d\n", pid); exit(0); }'
is "inside: processes outside have no number" 0 "outside is 0"
kill -9 "$other"

cat >"$tmp/wait" <<'END'
"$1" -W "$2" -qn 'BEGIN { printf("target %d\n", $target); }' >"$3/out" 2>"$3/err" </dev/null &
tracer=$!
n=0
until grep -q waiting "$3/err" || [ $n -ge 1200 ]; do sleep 0.1; n=$((n + 1)); done
"$3/$2" on &
worker=$!
until ls -l "/proc/$tracer/fd" 2>/dev/null | grep -q pidfd || [ $n -ge 1200 ]; do sleep 0.1; n=$((n + 1)); done
kill -9 $worker
wait $tracer || exit 1
grep -qx "target $worker" "$3/out"
END
unshare -pf --mount-proc sh "$tmp/wait" "$dtrace" "$jail" "$tmp" 2>/dev/null
check $? "inside: -W finds the process by its number there"
