# SPDX-License-Identifier: BSD-2-Clause
# The one-liners of notes, slides and READMEs, run: each against something that makes its probes fire, and its answer looked at.
. test/cli/helpers.inc
may_trace "the one-liners"
victim=${BUILD:-build}/test/provider_pid

run -n 'proc:::exec-success { trace(curpsinfo->pr_psargs); }' -c 'sh -c "/bin/echo one-liner argument; true"'
is "new processes" 0 "/bin/echo one-liner argument"
run -n 'proc:::exec-success { printf("%s", curpsinfo->pr_psargs); }' -c 'sh -c "/bin/echo one-liner argument; true"'
is "new processes, printed" 0 "/bin/echo one-liner argument"
run -n 'syscall:::entry { @num[execname] = count(); }' -c "$calls 5000"
n=$(awk '$1 == "calls" { print $2 }' "$tmp/out")
[ "$status" -eq 0 ] && [ "${n:-0}" -ge 5000 ] && [ "$n" -lt 5200 ]
check $? "system calls by program: 5000 and those of starting and ending, $n"
run -n 'syscall:::entry { trace(execname); }' -c "$calls 100"
is "execname of each system call" 0 "calls"
run -n 'syscall:::entry { printf("%s %s", execname, probefunc); }' -c "$calls 100"
is "program and call" 0 "calls getppid"
run -qn 'syscall:::entry { printf("%s %s\n", execname, probefunc); }' -c "$calls 100"
[ "$status" -eq 0 ] && [ "$(grep -cx 'calls getppid' "$tmp/out")" -eq 100 ]
check $? "100 calls are 100 lines"
run -qn 'syscall::read:return /execname == "dd"/ { @ = quantize(arg0); }' -c 'dd if=/dev/zero of=/dev/null bs=512 count=300'
n=$(awk '$1 == 512 { print $NF }' "$tmp/out")
[ "$status" -eq 0 ] && [ "${n:-0}" -ge 300 ] && [ "$n" -lt 310 ]
check $? "sizes of reads: 300 of 512, $n in the bucket"
run -Z -S -n 'syscall:freebsd:open:entry {printf("%s %s\n", execname, copyinstr(arg0)); }' -e
is "the listing" 0 "DT_VAR(280)"

dd if=/dev/zero of="$tmp/file" bs=4096 count=100 2>/dev/null
run -n 'sysinfo:::readch { @bytes[execname] = sum(arg0); }' -c "dd if=$tmp/file of=/dev/null bs=4096"
n=$(awk '$1 == "dd" { print $2 }' "$tmp/out")
[ "$status" -eq 0 ] && [ "${n:-0}" -ge 409600 ] && [ "$n" -lt 440000 ]
check $? "bytes read: 409600 and what starting reads, $n"
run -n 'sysinfo:::writech { @bytes[execname] = sum(arg0); }' -c "dd if=/dev/zero of=$tmp/other bs=4096 count=100"
n=$(awk '$1 == "dd" { print $2 }' "$tmp/out")
[ "$status" -eq 0 ] && [ "${n:-0}" -ge 409600 ] && [ "$n" -lt 410000 ]
check $? "bytes written: 409600 and dd's report, $n"
run -n 'vminfo:::as_fault { @mem[execname] = sum(arg0); }' -c "$calls 1"
is "minor faults" 0 "calls"
run -n 'vminfo:::pgpgin { @pg[execname] = sum(arg0); } tick-100ms { exit(0); }'
check "$status" "pages read in"
run -n 'io:::start { printf("%d %s %d",pid,execname,args[0]->b_bcount); } tick-100ms { exit(0); }'
check "$status" "disk I/O"

run -qn 'pid$target:libc.so.7::entry {  @[probefunc] = count(); }' -c /bin/ls
is "functions of libc that ls calls" 0 "malloc"
"$victim" 2000000000 >/dev/null &
pid=$!
run -n 'pid$target::work:entry { self->start = timestamp; }
	pid$target::work:return { @[probename] = sum(timestamp - self->start); self->start = 0; } tick-500ms { exit(0); }' -p $pid
is "time in a function of a process" 0 "return"
run -n "profile-99 /pid == $pid && arg1/ { @[ustack()] = count(); } profile-99 /pid == $pid && ++seen == 60/ { exit(0); }"
kill $pid 2>/dev/null
wait $pid 2>/dev/null
is "user stacks at 99 hertz" 0 'provider_pid`thread'
run -l -P "pid\$target" -m libc.so.6 -f malloc -c "$victim"
is "probes of a process and a module" 0 "entry"

# strace agrees, call by call, but for the first and the last: dtrace holds the process when execve is done, strace does not count exit_group.
# Libraries that lie at random addresses take more or fewer calls to map: they are not to.
if command -v strace >/dev/null && setarch -R true 2>/dev/null; then
	cmd="dd if=/dev/zero of=/dev/null bs=100 count=1000"
	# shellcheck disable=SC2086
	setarch -R strace -c -o "$tmp/strace" $cmd 2>/dev/null
	awk '$1 ~ /^[0-9.]+$/ && $NF != "total" && $NF != "execve" { print $NF, $4 }' "$tmp/strace" | sort >"$tmp/wanted"
	timeout 240 setarch -R "$dtrace" -qn 'syscall:::entry /pid == $target/ { @[probefunc] = count(); } END { printa("%s %@d\n", @); }' \
	    -x evaltime=exec -c "$cmd" >"$tmp/out" 2>"$tmp/err" </dev/null
	grep -v "^execve \|^exit_group " "$tmp/out" | grep " " | sort >"$tmp/have"
	diff "$tmp/wanted" "$tmp/have" >"$tmp/err"
	check $? "strace -c counts the same: $(grep -c . "$tmp/wanted") kinds of calls, $(awk '{ n += $2 } END { print n }' "$tmp/wanted") calls"
else
	echo "ok - strace counts the same # SKIP no strace, or no fixed addresses"
fi
