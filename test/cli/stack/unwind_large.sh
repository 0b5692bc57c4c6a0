# SPDX-License-Identifier: BSD-2-Clause
# E3: stacks of large programs reach their start with default options, and memory is paid when it is used: a program with 16 MB of
# .eh_frame, one with 2,000 shared objects, 2,500 processes, node, clang.
# alone
. test/cli/stack/unwind.inc

# tables PID: bytes of the arrays that the tracer has in the kernel
tables() {
	cat /proc/"$1"/fdinfo/* 2>/dev/null | awk '/^map_type:/ { type = $2 } /^memlock:/ && (type == 2 || type == 12) { sum += $2; type = 0 } END { print sum + 0 }'
}

# whole WHAT: each stack of the output, and there is one, goes to where the C library starts programs
whole() {
	awk -v start="__libc_start_main|__libc_start_call_main|_start" '
	/^  +[^ ]/ { frames++; found = found || $0 ~ start; next }
	frames > 0 { stacks++; bad = bad || !found; frames = found = 0 }
	END { if (frames > 0) { stacks++; bad = bad || !found } exit bad || stacks == 0 }' "$tmp/out" && ! grep -q "do not fit" "$tmp/err"
	check $? "$1"
}

many=$tmp/many hop=$tmp/hop.so
# shellcheck disable=SC2086
"$cc" $flags -O2 -o "$many" test/trigger/unwind_many.c -ldl && "$cc" $flags -O2 -DLIBRARY -fPIC -shared -s -Wl,-z,noseparate-code -o "$hop" test/trigger/unwind_many.c
check $? "the programs are built"

# a large program; the bytes of its tables are there after it was seen, and not before
start -q -p $$ -n 'BEGIN { printf("ready\n"); } syscall::getppid:entry /pid == $target/ { ustack(); }'
small=$(tables "$tracer")
kill "$tracer"
waits ended "$tracer"
[ "$small" -gt 100000 ] && [ "$small" -lt 4000000 ]
check $? "tables take little memory for small programs: $small bytes"
src="test/trigger/unwind_chain.c test/trigger/unwind_huge.S"
made huge -O2 && same "4,000,000 rows in one file" "$tmp/huge" qsort
! grep -q "do not fit" "$tmp/err"
check $? "and no word of room"

# all processes: tracing does not wait for the large file, whose rows come while it goes on
# shellcheck disable=SC2086
"$cc" $flags -O2 -o "$tmp/large" test/trigger/unwind_many.c test/trigger/unwind_huge.S -ldl
"$tmp/large" 0 >"$tmp/own" &
pid=$!
waits grep -q many "$tmp/own"
run -q -x noresolve -n "syscall::getppid:entry /execname == \"large\" && ustackdepth >= $(wc -w <"$tmp/own")/ { ustack(100); exit(0); } tick-200s { exit(1); }"
cat "$tmp/own" >>"$tmp/out"
agrees many
check $? "4,000,000 rows in a file of a process that is no target"
kill $pid
wait $pid 2>/dev/null

mkdir "$tmp/copies"
# mapped while it is traced: more than is followed at once, so the tracer has to catch up
run -q -x noresolve -c "$many $hop $tmp/copies 2000" -n 'syscall::getppid:entry /pid == $target && ustackdepth > 2000/ { ustack(4000); exit(0); } tick-200s { exit(1); }'
agrees many
check $? "2,000 shared objects in one process"

# more processes than the hash has room for when tracing begins
"$many" 2500 >"$tmp/own" 2>"$tmp/err" &
pid=$!
waits grep -q many "$tmp/own"
start -q -x noresolve -n "BEGIN { printf(\"ready\\n\"); } syscall::getppid:entry /execname == \"many\" && ustackdepth >= $(wc -w <"$tmp/own") && n++ == 0/ { ustack(100); }"
grown() { cat /proc/"$tracer"/fdinfo/* 2>/dev/null | awk '/^map_type:/ { hash = $2 == 1 } /^key_size:/ { key = $2 } /^max_entries:/ && hash && key == 16 && $2 >= 4096 { found = 1 } END { exit !found }'; }
waits grown
check $? "2,500 processes: the hash that finds them grows"
waits grep -q 0x "$tmp/out"
kill "$tracer"
waits ended "$tracer"
cat "$tmp/own" >>"$tmp/out"
agrees many && ! grep -q "do not fit" "$tmp/err"
check $? "2,500 processes: the stack of one of them"
kill $pid
wait $pid 2>/dev/null

if command -v node >/dev/null 2>&1; then
	node -e 'function again() { return process.ppid; } console.log("on"); setInterval(again, 20);' >"$tmp/own" 2>&1 &
	pid=$!
	waits grep -q on "$tmp/own"
	run -q -p $pid -n 'syscall::getppid:entry /pid == $target/ { ustack(200); } syscall::getppid:return /pid == $target && ++n == 5/ { exit(0); }'
	whole "node: to its start"
	kill $pid
	wait $pid 2>/dev/null
else
	ok "node # SKIP not installed"
fi

if command -v clang >/dev/null 2>&1; then
	mkfifo "$tmp/pipe"
	: >"$tmp/deep.h"
	clang -cc1 -I"$tmp" -x c -fsyntax-only - <"$tmp/pipe" >"$tmp/own" 2>&1 &
	pid=$!
	exec 9>"$tmp/pipe"
	reads() { grep -q clang /proc/$pid/comm && grep -q '^State:.S' /proc/$pid/status; }
	waits reads
	start -q -p $pid -n 'BEGIN { printf("ready\n"); } syscall::openat:entry /pid == $target && strstr(copyinstr(arg1), "deep.h") != NULL/ { ustack(200); }' 9>&-
	echo '#include "deep.h"' >&9
	exec 9>&-
	waits ended "$tracer"
	sed -i /ready/d "$tmp/out"
	whole "clang: to its start"
	wait $pid 2>/dev/null
else
	ok "clang # SKIP not installed"
fi
