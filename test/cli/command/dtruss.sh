# SPDX-License-Identifier: BSD-2-Clause
# dtruss(1): options, numbers that are known, and no call missed. dtruss_strace.sh compares what it shows with strace.
. test/cli/helpers.inc
may_trace "dtruss"
dtruss=$tmp/dtruss
ln -s "$(realpath "$dtrace")" "$dtruss"

report() {	# ARGS…: $status, $tmp/out, $tmp/err, and what -o wrote in $tmp/lines
	rm -f "$tmp/lines"
	timeout 240 "$dtruss" -o "$tmp/lines" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	cp "$tmp/lines" "$tmp/out" 2>/dev/null
}
has() { grep -q -- "$1" "$tmp/lines"; }
number() { grep -c -- "$1" "$tmp/lines"; }

report "$calls" 1000
[ "$status" -eq 7 ] && [ "$(number '^getppid() ')" -eq 1000 ] && [ "$(number '^getpgid(0) ')" -eq 1 ]
check $? "every call once, and the status is the command's"
head -n 1 "$tmp/lines" | grep -q '^execve(".*/calls", \[".*, "1000"\], 0x[0-9a-f]* /\* [0-9]* vars \*/) = 0$' &&
    tail -n 2 "$tmp/lines" | head -n 1 | grep -q '^exit_group(7) *= ?$' && [ "$(tail -n 1 "$tmp/lines")" = "+++ exited with 7 +++" ]
check $? "the first and the last lines"

# The table of -c has the same numbers; calls that fail are counted twice.
report -c "$calls" 1000
[ "$(awk '$NF == "getppid" { print $4 }' "$tmp/lines")" = 1000 ] && [ "$(awk '$NF == "getpgid" { print $4 }' "$tmp/lines")" = 1 ] &&
    [ "$(awk '$NF == "execve" { print $4 }' "$tmp/lines")" = 1 ] && [ "$(awk '$NF == "total" { s = $4 } $NF != "total" && $4 + 0 { n += $4 } END { print n == s }' "$tmp/lines")" = 1 ]
check $? "-c counts"
report -c -e write echo hi
[ "$(awk '$NF == "write" { print $4 }' "$tmp/lines")" = 1 ] && ! has execve
check $? "-c -e: no other call is in the table"
report -C nosuchcontainer echo hi
[ "$status" -eq 1 ] && ! has execve && grep -q 'no container nosuchcontainer\|version 2' "$tmp/err"
check $? "no line before tracing has begun"
report -c cat /nosuch/file
awk '$NF == "openat" && NF == 6 && $5 >= 1 { found = 1 } END { exit !found }' "$tmp/lines"
check $? "-c counts errors"

report -e trace=getpgid "$calls" 100
[ "$(wc -l <"$tmp/lines")" -eq 2 ] && has '^getpgid(0)'
check $? "-e: one call"
report -e '!getppid,memory' "$calls" 100
[ "$(number getppid)" -eq 0 ] && [ "$(number mmap)" -eq 0 ] && has '^getpgid(0)'
check $? "-e !: all others"
report -e file cat /etc/passwd
has '^openat(AT_FDCWD<.*>, "/etc/passwd", O_RDONLY) = 3</etc/passwd>$' && [ "$(number '^read')" -eq 0 ]
check $? "-e: a class"
report -e read grep root /etc/passwd
has '^read(3</etc/passwd>, "'
check $? "descriptors have names when the call that made them is not shown"
report -e nosuchcall true
[ "$status" -ne 0 ] && grep -q 'no system call or class' "$tmp/err"
check $? "-e: a name that there is not"

report -T -ttt -e getpgid "$calls" 1
has '^[0-9]*\.[0-9]\{6\} getpgid(0) *= [0-9]* <[0-9]*\.[0-9]\{6\}>$'
check $? "-T, -ttt"
report -s 4 -e write sh -c 'echo 123456'
has '"1234"\.\.\., 7) = 7'
check $? "-s"
report -k -e getpgid "$calls" 1
has '^ > .*main' && ! has '\[0x\?0\]' && [ "$(number '^ > ')" -le 20 ]
check $? "-k: stacks, and no line for a frame that is not there (P1)"

# P9: operations of prctl() by name, with their arguments; dtruss_strace.sh has them all
report -e prctl "${BUILD:-build}/test/prctls"
has '^prctl(PR_CAPBSET_READ, CAP_MAC_OVERRIDE) *= [01]$' && has '^prctl(PR_GET_PDEATHSIG, \[SIGTERM\]) *= 0$' &&
    has '^prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, {len=1, filter=0x[0-9a-f]*}) *= 0$' && has '^prctl(0x1267 /\* PR_??? \*/, 0x1, 0x2, 0, 0x4) '
check $? "prctl"
report -e prctl "${BUILD:-build}/test/prctls" new
has '^prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) ' && has '^prctl(PR_GET_MDWE, 0, 0, 0, 0) ' && has '^prctl(PR_SET_MEMORY_MERGE, 0, 0, 0, 0) ' &&
    has '^prctl(PR_SET_SHADOW_STACK_STATUS, PR_SHADOW_STACK_ENABLE|PR_SHADOW_STACK_WRITE, 0, 0, 0) '
check $? "prctl: operations that came later"
# Calls that headers and kernels may lack, by their rows alone; the middle argument of preadv2() is not shown
report "${BUILD:-build}/test/dtruss_newer"
has '^preadv2(3</dev/zero>, \[{iov_base=.*, iov_len=1}\], 1, 5, RWF_DSYNC) ' && has '^preadv(3</dev/zero>, .*, 1, 7) '
check $? "offsets and flags of preadv() and preadv2()"
has '^mseal(NULL, 0, 0) ' && has '^getxattrat(AT_FDCWD<.*>, "/dev/zero", AT_SYMLINK_NOFOLLOW, "user.none", 0x[0-9a-f]*, 16) ' &&
    has '^removexattrat(AT_FDCWD<.*>, "/nosuch/file", 0, "user.none") ' &&
    has '^file_getattr(AT_FDCWD<.*>, "/dev/zero", .*, 24, AT_SYMLINK_NOFOLLOW) ' &&
    has '^listns(NULL, NULL, 3, 0x1) ' && has '^rseq_slice_yield() '
check $? "calls that are newer than the headers"
# What a call was given and has written, whatever its fate.
report -e openat cat ''
has '^openat(AT_FDCWD<.*>, "", O_RDONLY) *= -1 ENOENT (No such file or directory)$'
check $? "errors by name"

# Processes and signals. None is missed when many are forked.
report -f sh -c 'i=0; while [ $i -lt 200 ]; do (exit 3); i=$((i + 1)); done'
[ "$(number ' +++ exited with 3 +++')" -eq 200 ] && [ "$(number ' exit_group(3)')" -eq 200 ] && [ "$(grep ' wait4(\|wait4 resumed' "$tmp/lines" | grep -c 'WEXITSTATUS(s) == 3')" -eq 200 ]
check $? "-f: 200 forks"
! grep -q drop "$tmp/err"
check $? "-f: nothing was dropped"
report -f sh -c 'kill -TERM $$'
[ "$status" -eq 143 ] && has ' +++ killed by SIGTERM +++'
check $? "killed by a signal"
report sh -c 'trap "" USR1; kill -USR1 $$; trap "exit 5" USR2; kill -USR2 $$'
[ "$status" -eq 5 ] && has '^--- SIGUSR2 {si_signo=SIGUSR2, si_code=SI_USER, si_pid=[0-9]*, si_uid=[0-9]*} ---$' && has '^rt_sigaction(SIGUSR1, {sa_handler=SIG_IGN, sa_mask=~*\[.*\], sa_flags=' && has '^rt_sigreturn({mask=\[\]}) *= 0$'
check $? "signals"

# A process that runs already: lines are there as its calls come, and it goes on.
mkfifo "$tmp/fifo"
sh -c 'while read -r line; do :; done; exit 9' <"$tmp/fifo" &
victim=$!
exec 3>"$tmp/fifo"
rm -f "$tmp/lines"
timeout 240 "$dtruss" -o "$tmp/lines" -p $victim >"$tmp/out" 2>"$tmp/err" 3>&- &
tracer=$!
shown() {
	echo line >&3
	grep -q '^read(0<.*/fifo>, "l", 1) *= 1$' "$tmp/lines" 2>/dev/null
}
waits shown
check $? "-p: calls are shown as they come"
exec 3>&-
wait $victim
[ $? -eq 9 ] && wait $tracer && [ "$(tail -n 1 "$tmp/lines")" = "+++ exited with 9 +++" ]
check $? "-p: until the process ends"
"$dtruss" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && grep -qi usage "$tmp/err"
check $? "usage"

# What dtruss is made of, and was wrong in the engine: -x follow with an ERROR clause ended dtrace with SIGSEGV;
# a clause for many calls at once is one piece of code, and runs once for each.
"$dtrace" -q -x follow -x target=only -c "$calls 3" -n 'ERROR { trace("fault"); } syscall::getppid:return { trace(copyinstr(1)); }
    syscall::getpgid:return,syscall::getppid:entry,syscall::getpid:entry { @[probefunc, probename] = count(); }
    END { printa("%s:%s %@d\n", @); }' >"$tmp/out" 2>"$tmp/err"
[ $? -eq 0 ] && [ "$(grep -o fault "$tmp/out" | wc -l)" -eq 3 ] && grep -q 'getpgid:return 1$' "$tmp/out" && grep -q 'getppid:entry 3$' "$tmp/out"
check $? "-x follow and ERROR; one clause for several calls"

# A4: every call with arguments at the limits of their types; a decoder that shifts, multiplies or indexes by one of them is
# seen by a sanitizer, one that shows bytes as they are by the control bytes.
timeout 240 "$dtruss" -f -x bufsize=16m -o "$tmp/lines" "${BUILD:-build}/test/dtruss_hostile" >"$tmp/out" 2>"$tmp/err"
status=$?
if [ $status -eq 77 ]; then
	echo "ok - calls with hostile arguments # SKIP needs root"
else
	[ $status -eq 0 ] && grep -q '^ready [1-9]' "$tmp/out" && ! grep -q 'runtime error\|Sanitizer' "$tmp/err"
	check $? "calls with hostile arguments: status $status"
	grep -q 'futex(.*/\* FUTEX_??? \*/' "$tmp/lines" && [ "$(sed 's/(.*//; s/.* //' "$tmp/lines" | sort -u | wc -l)" -gt 250 ]
	check $? "calls with hostile arguments: all are shown"
	! LC_ALL=C grep -aq '[[:cntrl:]]' "$tmp/lines"
	check $? "calls with hostile arguments: nothing for a terminal to obey"
fi

# Names of descriptors have a bound: nine processes with 4000 of 3.8 KB each would take 137 MB.
cat >"$tmp/many.py" <<'END'
import os, sys
os.chdir(sys.argv[1])
for i in range(15):
    os.mkdir("d" * 250)
    os.chdir("d" * 250)
for i in range(4000):
    os.open("f", os.O_RDONLY | os.O_CREAT)
print("open", flush=True)
while os.read(0, 1) != b"f":
    pass
for i in range(8):
    if os.fork() == 0:
        while os.read(0, 1):
            pass
        os._exit(0)
print("forked", flush=True)
while os.read(0, 1):
    pass
END
if command -v python3 >/dev/null && (ulimit -n 5000) 2>/dev/null && ! nm "$dtrace" 2>/dev/null | grep -q __asan_init; then
	mkfifo "$tmp/go" && mkdir "$tmp/deep"
	(ulimit -n 5000; exec python3 "$tmp/many.py" "$tmp/deep") <"$tmp/go" >"$tmp/out" 2>&1 &
	victim=$!
	exec 4>"$tmp/go"
	waits grep -q open "$tmp/out"
	rm -f "$tmp/lines"
	"${BUILD:-build}/test/peak" "$tmp/peak" 0 "$dtruss" -f -p $victim -o "$tmp/lines" 2>"$tmp/err" 4>&- &
	tracer=$!
	begun() {
		echo line >&4
		grep -q '^.*read(0<.*/go>, "l", 1) *= 1$' "$tmp/lines" 2>/dev/null
	}
	waits begun
	echo fork >&4
	waits grep -q forked "$tmp/out"
	exec 4>&-
	wait $victim
	wait $tracer
	grep -q 'names of descriptors take more than 64 MB' "$tmp/err" && [ "$(cat "$tmp/peak")" -lt 120 ]
	check $? "names of descriptors: 64 MB, and a message ($(cat "$tmp/peak") MB)"
else
	ok "names of descriptors # SKIP no python3, too few descriptors, or a sanitizer"
fi
