# SPDX-License-Identifier: BSD-2-Clause
# System calls seen from inside the process, by an ordinary user: all of them, of the process alone, with what went in and came out,
# whatever signals, threads and children do; counts are those of strace -c, lines those of strace.
. test/cli/helpers.inc
build=${BUILD:-build}
chmod 755 "$tmp"
for file in "$dtrace" "$build/test/inproc_calls"; do
	cp "$file" "$tmp/" && chmod 755 "$tmp/${file##*/}"
done
ln -s dtrace "$tmp/dtruss"
calls=$tmp/inproc_calls
as() { "$@"; }
if [ "$(id -u)" -eq 0 ] && setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all --bounding-set -all "$tmp/dtrace" -V >/dev/null 2>&1; then
	as() { setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all --bounding-set -all "$@"; }
fi
run() {
	as timeout 240 "$tmp/dtrace" -x engine=process "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}
run -qn 'BEGIN { exit(0); }'
if [ "$status" -ne 0 ]; then
	echo "ok - system calls in the process # SKIP $(head -n 1 "$tmp/err")"
	exit 0
fi
asan=$(nm "$dtrace" 2>/dev/null | grep -m1 __asan_init)
: >"$tmp/counts" && chmod 666 "$tmp/counts"

# ---- exact, as the program itself says ----
D='syscall:::entry { @e[probefunc] = count(); } syscall:::return { @r[probefunc] = count(); }
syscall::*nanosleep:return /errno == 4 && (int64_t)arg0 == -1/ { @r["interrupted"] = count(); }
END { printa("%s entry %@d\n", @e); printa("%s return %@d\n", @r); }'
said() { awk -v w="$1" 'NF == 2 && $1 == w { print $2 }' "$tmp/out"; }
counted() { awk -v w="$1" -v how="$2" '$1 == w && $2 == how { n = $3 } END { print n + 0 }' "$tmp/counts"; }
for what in 'threads 500' 'signals 100' 'jumps 50' 'children 5' 'cancel 20'; do
	: >"$tmp/counts"
	run -x evaltime=exec -qn "$D" -o "$tmp/counts" -c "$calls $what"
	missed=$(sed -n 's/^dtrace: \([0-9]*\) drops\{0,1\} (fired inside another probe).*/\1/p' "$tmp/err" | awk '{ n += $1 } END { print n + 0 }')
	# x86-64: some functions jump by tables, which may lead into the bytes that a jump needs; a notice names them
	# (and so do those of a sanitizer)
	[ "$status" -eq 0 ] && { [ "$(uname -m)" != aarch64 ] || [ -n "$asan" ] || ! grep -q 'could not be enabled' "$tmp/err"; } && [ "$(awk 'NF == 2' "$tmp/out" | wc -l)" -gt 0 ]
	check $? "$what: the program ends as it does alone, and no place is left out"
	for name in getppid getpgid getsid wait4 clock_nanosleep; do
		n=$(said $name)
		[ -n "$n" ] || continue
		for how in entry return; do
			[ "$(counted $name $how)" -le "$n" ] && [ $(($(counted $name $how) + missed)) -ge "$n" ]
			check $? "$what: $name, $how: $(counted $name $how) of $n, $missed missed"
		done
	done
done
: >"$tmp/counts"
run -x evaltime=exec -qn "$D" -o "$tmp/counts" -c "$calls signals 100"
[ "$(counted interrupted return)" -ge 90 ]
check $? "errno and arg0 at the return: $(counted interrupted return) interrupted calls"
: >"$tmp/counts"
run -x evaltime=exec -qn "$D" -o "$tmp/counts" -c "$calls threads 10"
[ "$(awk '$1 ~ /^clone/ && $2 == "entry" { n += $3 } END { print n + 0 }' "$tmp/counts")" -ge 8 ] &&
	[ "$(awk '$1 ~ /^clone/ { n[$2] += $3 } END { print n["return"] - 2 * n["entry"] }' "$tmp/counts")" -eq 0 ]
check $? "clone() returns in both threads"

# ---- arguments ----
run -x evaltime=exec -qn 'syscall::openat:entry { self->path = arg1; self->flags = arg2; }
syscall::openat:return /self->path && errno/ { printf("%s %d %d\n", copyinstr(self->path), (int)arg0, errno); }' -c "cat $tmp/no-such-file"
grep -q "^$tmp/no-such-file -1 2$" "$tmp/out"
check $? "arguments, value and error of a call"
run -x evaltime=exec -x rawsyscall -qn 'syscall::openat:return /errno == 2/ { trace((int)arg0); exit(0); }' -c "cat $tmp/no-such-file"
grep -q '^-2' "$tmp/out"
check $? "-x rawsyscall: the kernel's value"
run -x evaltime=exec -qn 'syscall::*nanosleep:entry { ustack(3); exit(0); }' -c 'sleep 100'
[ "$status" -eq 0 ] && [ "$(grep -c '`' "$tmp/out")" -ge 1 ]
check $? "ustack() at a system call"

# ---- a process that is there; a call that waits all the time ----
mkfifo "$tmp/in" && chmod 666 "$tmp/in"
{ as "$calls" waits 1000 <"$tmp/in" >"$tmp/victim"; } &
job=$!
exec 5>"$tmp/in"
waits grep -q waits "$tmp/victim"
victim=$(pgrep -n -f "^$calls waits")
before=$(grep -c . "/proc/$victim/maps")
run -qn 'syscall:::entry, syscall:::return { n++; } tick-1s { printf("%d calls\n", n); exit(0); }' -p "$victim"
[ "$status" -eq 0 ] && grep -q '^0 calls$' "$tmp/out"
check $? "-p: a call that was begun before and ends after the trace is none of it"
! grep -q 'memfd:dtrace' "/proc/$victim/maps" && [ "$(grep -c . "/proc/$victim/maps")" -le $((before + 1)) ]
check $? "nothing stays mapped while it waits"
as timeout 240 "$tmp/dtrace" -x engine=process -x switchrate=20ms -qn 'BEGIN { printf("ready\n"); } syscall:::entry { @e[probefunc] = count(); }
syscall::read:return { @e["read returned"] = count(); } END { printa("%s %@d\n", @e); }' -p "$victim" >"$tmp/out" 2>"$tmp/err" </dev/null &
tracer=$!
waits grep -q ready "$tmp/out"
echo now >&5
wait $tracer
wait $job
grep -q '^read 4: now' "$tmp/victim" && grep -q '^getsid 1000$' "$tmp/out" && ! grep -q returned "$tmp/out"
check $? "-p: it goes on, and its next calls are counted"
exec 5>&-

# ---- what cannot be ----
run -n 'syscall:::entry { trace(1); }'
[ "$status" -ne 0 ] && grep -q 'fires in any process (name some with -p or -c)' "$tmp/err"
check $? "without a process: refused"
run -n 'syscall::rt_sigreturn:entry { trace(1); }' -c true
[ "$status" -ne 0 ] && grep -q 'is where a signal handler ends' "$tmp/err"
check $? "the end of a signal handler: refused by name"

# ---- against strace ----
if [ -n "$asan" ] || ! as strace -o /dev/null true >/dev/null 2>&1; then
	ok "against strace # SKIP strace is not there, or may not trace"
	exit 0
fi
for file in s d; do : >"$tmp/$file" && chmod 666 "$tmp/$file"; done
except='^execve \|^rt_sigreturn \|^munmap \|^clock_gettime '
[ "$(uname -m)" = aarch64 ] || except="$except\|^arch_prctl \|^clone "
table() { awk '$4 ~ /^[0-9]+$/ && $NF != "total" { print $NF, $4 }' "$1" | LC_ALL=C sort; }
# strace -c counts returns, and the execve() before the trace; it shows the end of handlers, which is not seen here. How often the
# dynamic linker unmaps the end of a mapping depends on where that was put. The vDSO makes calls where it cannot read the clock. x86-64: arch_prctl() is in a function that jumps by tables, and
# the return of fork()'s clone() is too near the end of its function.
counts() {
	name=$1
	shift
	as strace -c -o "$tmp/s" "$@" >"$tmp/out" 2>&1 </dev/null
	: >"$tmp/d"
	run -x evaltime=exec -o "$tmp/d" -qn 'syscall:::return { @[probefunc] = count(); } END { printa("0 0 0 %@d %s\n", @); }' -c "$*"
	table "$tmp/s" | grep -v "$except" >"$tmp/s.counts"
	table "$tmp/d" | grep -v "$except" >"$tmp/d.counts"
	diff "$tmp/s.counts" "$tmp/d.counts" >>"$tmp/err"
	[ $? -eq 0 ] && [ "$(wc -l <"$tmp/s.counts")" -ge 5 ]
	check $? "$name: $(wc -l <"$tmp/s.counts") calls as strace -c counts them"
}
counts true true
counts ls ls -l /usr
counts children "$calls" children 2
counts cat cat /etc/passwd
as strace -c -o "$tmp/s" ls / >"$tmp/out" 2>&1
: >"$tmp/d"
as timeout 240 "$tmp/dtruss" -x engine=process -c -o "$tmp/d" ls / >"$tmp/out" 2>"$tmp/err"
[ "$(table "$tmp/s" | grep -v "$except")" = "$(table "$tmp/d" | grep -v "$except")" ] && [ -s "$tmp/d" ]
check $? "dtruss -c: the calls and counts of strace -c"
same() {
	name=$1
	shift
	as setarch -R strace -o "$tmp/s" "$@" >/dev/null 2>&1 </dev/null
	as timeout 240 setarch -R "$tmp/dtruss" -x engine=process -o "$tmp/d" "$@" >/dev/null 2>"$tmp/err" </dev/null
	# addresses and what is cut off at their ends, random bytes, numbers of processes
	for out in s d; do sed '/^arch_prctl/d; s/0x[0-9a-f]*/ADDR/g; s/^munmap(ADDR, [0-9]*) */munmap(ADDR, N) /; s/getrandom("[^"]*"/getrandom(BYTES/; s/^\(set_tid_address.*= \).*/\1PID/' "$tmp/$out" >"$tmp/$out.lines"; done
	diff "$tmp/s.lines" "$tmp/d.lines" >>"$tmp/err"
	[ $? -eq 0 ] && [ "$(wc -l <"$tmp/s.lines")" -ge 10 ]
	check $? "dtruss $name: $(wc -l <"$tmp/s.lines") lines as strace shows them"
}
same true true
same cat cat /etc/passwd "$tmp/no-such-file"
same ls ls /usr
