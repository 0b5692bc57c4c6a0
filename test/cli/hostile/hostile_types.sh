# SPDX-License-Identifier: BSD-2-Clause
# Issue 11: debugging data of a program that somebody made to harm their reader. libdw, which reads them, is in a worker
# without rights and never in the tracer: it may loop, die or need too much, and the D program is refused with a sentence.
. test/trigger/bounded.sh
. test/trigger/hostile.sh
may_trace "hostile debugging data"
cc=${CC:-gcc}
command -v "$cc" >/dev/null 2>&1 || { echo "ok - hostile debugging data # SKIP no compiler ($cc)"; exit 0; }

# Two kinds of entries, each with 100,000 attributes that have no bytes: whoever looks for one of them passes all of them,
# for each of 60,000 entries.
cat >"$tmp/slow.s" <<-'EOF'
	.section .debug_abbrev,"",%progbits
	.Labbrev:
	.byte 1,0x11,1,0,0
	.byte 2,0x13,0
	.rept 100000
	.byte 0x81,0x40,0x19
	.endr
	.byte 0,0
	.byte 3,0x2e,0
	.rept 100000
	.byte 0x81,0x40,0x19
	.endr
	.byte 0,0,0
	.section .debug_info,"",%progbits
	.Linfo: .4byte .Lend-.Lversion
	.Lversion: .2byte 4
	.4byte .Labbrev
	.byte 8,1
	.fill 30000,1,2
	.fill 30000,1,3
	.byte 0
	.Lend:
	.section .note.GNU-stack,"",%progbits
EOF
cat >"$tmp/main.c" <<-'EOF'
	#include <unistd.h>
	__attribute__((noinline)) int play(int n) { __asm__ volatile("" ::: "memory"); return n; }
	int main(int argc, char **argv) { (void)argv; play(argc); return argc > 1 && pause(); }
EOF
if ! "$cc" -o "$tmp/slow" "$tmp/main.c" "$tmp/slow.s" 2>"$tmp/err" || ! "$tmp/slow"; then
	ok "hostile debugging data # SKIP $(head -n 1 "$tmp/err")"
	exit 0
fi
chown 65534 "$tmp/slow"


# reads ARGS…: dtrace runs in the background as $tracer, and $worker has the data of $file open for it
reads() {
	"$dtrace" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
	tracer=$! worker=
	waits has_worker
}
has_worker() {
	for p in $(pgrep -x -P "$tracer" dtrace-reader); do
		[ "$p" != "$worker" ] && grep -q "$tmp/$file" "/proc/$p/maps" && worker=$p && return 0
	done 2>/dev/null
	ended "$tracer"
}
ends() {
	wait "$tracer"
	status=$? tracer=
}
trap '[ -z "$tracer" ] || kill "$tracer"; clean_up' EXIT

# The data take far longer than anybody waits.
file=slow
reads -qc "$tmp/slow" -n 'pid$target:a.out:play:entry { trace(args[0]); }'
grep -q libdw "/proc/$worker/maps" && ! grep -q libdw "/proc/$tracer/maps" && ! grep -q "$tmp/slow" "/proc/$tracer/maps"
check $? "libdw and the data are in a worker, not in the tracer"
grep -q '^CapEff:[[:space:]]*0*$' "/proc/$worker/status" && grep -q '^Seccomp:[[:space:]]*2' "/proc/$worker/status"
check $? "which has no rights"
# A7: a user of its own, so that a process of nobody cannot stop or kill it
user=$(sed -n 's/^Uid:[[:space:]]*\([0-9]*\).*/\1/p' "/proc/$worker/status")
[ "$user" -ge 2142240768 ] && ! setpriv --reuid 65534 --clear-groups kill -STOP "$worker" 2>"$tmp/err" && ! setpriv --reuid 65534 --clear-groups kill -KILL "$worker" 2>"$tmp/err"
check $? "and a user of its own: $user"
ends
is "data that take too long: args[ ]" 1 "args[0] cannot be read: the debugging data of slow cannot be read: it takes too long"
waits ended "$worker"
check $? "and the worker has ended"

# A signal comes meanwhile.
reads -qc "$tmp/slow" -n 'BEGIN { trace((pid`a.out`game_t *)0); }'
kill -INT "$tracer"
ends
waits ended "$worker"
check $? "after a signal nobody reads on: status $status"

# Whoever reads is killed, and so is the next one.
reads -qc "$tmp/slow" -n 'BEGIN { trace((pid`a.out`game_t *)0); }'
kill -KILL "$worker"
waits has_worker
kill -KILL "$worker"
ends
# E2: which process it was, and what ended it
lost="the debugging data of slow cannot be read: the reader of debugging data"
is "a worker that dies" 1 "$lost (process $worker) was killed, by root or out of memory (SIGKILL)"
reads -qc "$tmp/slow" -n 'BEGIN { trace((pid`a.out`game_t *)0); }'
kill -STOP "$worker"
ends
is "a worker that is stopped" 1 "$lost (process $worker) was stopped (SIGSTOP)"
reads -qc "$tmp/slow" -n 'BEGIN { trace((pid`a.out`game_t *)0); }'
kill -XCPU "$worker"
waits has_worker
kill -XCPU "$worker"
ends
is "a worker without CPU time" 1 "$lost (process $worker) used up its CPU time (SIGXCPU)"

# The reader of symbols: another one takes its place when it is killed; that it was stopped is told.
cp "$calls" "$tmp/first" && cp "$calls" "$tmp/second" && cp "$calls" "$tmp/third"
reader() { for p in $(cat "/proc/$tracer/task/$tracer/children"); do [ "$(cat "/proc/$p/comm")" != dtrace-reader ] || echo "$p"; done; }
shown() { grep -q "$1\`" "$tmp/out"; }
start -qn 'BEGIN { printf("ready\n"); } syscall::getppid:entry /execname == "first" || execname == "second" || execname == "third"/ { ustack(4); }'
has_reader() { [ -n "$(reader 2>/dev/null)" ]; }
"$tmp/first" 1
waits shown first && waits has_reader
killed=$(reader)
kill -KILL $killed
"$tmp/second" 1
# it may have been at work on a file of some other process, and then a notice says so
waits shown second && ! grep -q second "$tmp/err" && waits has_reader && [ "$(reader)" != "$killed" ]
check $? "a reader that is killed is replaced"
kill -STOP $(reader)
"$tmp/third" 1
# a file of another process may come first: the notice names one of them
waits grep -q 'addresses in .* have no names: the symbol reader (process [0-9]*) was stopped (SIGSTOP)' "$tmp/err"
check $? "a reader that is stopped: its file system is not to blame"
kill "$tracer"
ends

# E2: children that cannot start: the file has nothing to do with it
if command -v strace >/dev/null && strace -f -e inject=close_range:error=EPERM -o "$tmp/strace" true 2>/dev/null; then
	"$calls" 1000000 &
	process=$!
	strace -f -e trace=close_range -e inject=close_range:error=EPERM -o "$tmp/strace" "$dtrace" -n "pid$process::main:entry" >"$tmp/out" 2>"$tmp/err"
	status=$?
	kill $process
	wait $process 2>/dev/null
	grep -q "process $process has mapped no program that can be read: the [a-z ]* (process [0-9]*) ended with status 1" "$tmp/err"
	check $? "a reader that cannot start: $(head -n 1 "$tmp/err")"
else
	echo "ok - a reader that cannot start # SKIP no strace"
fi

# The file is cut short while it is mapped: that of a program which runs cannot be, its debug file can.
objcopy --only-keep-debug "$tmp/slow" "$tmp/cut.debug" && (cd "$tmp" && objcopy --strip-debug slow cut && objcopy --add-gnu-debuglink=cut.debug cut)
file=cut.debug
reads -qc "$tmp/cut" -n 'BEGIN { trace((pid`a.out`game_t *)0); }'
: >"$tmp/cut.debug"
ends
is "a file that is cut short" 1 'failed to resolve type pid`a.out`game_t'

# Data that need more memory than there is: so they say. Other files of the process have types all the same.
"$cc" -g -o "$tmp/plain" "$tmp/main.c"
if objcopy --compress-debug-sections=zlib "$tmp/slow" "$tmp/large" 2>"$tmp/err" &&
    at=$(readelf -SW "$tmp/large" | sed -n 's/.* \.debug_info *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*C .*/\1/p') && [ -n "$at" ]; then
	printf '\377\377\377\177' | dd of="$tmp/large" bs=1 seek=$((0x$at + 8)) conv=notrunc 2>/dev/null	# ch_size
	run -qc "$tmp/large" -n 'BEGIN { trace((pid`a.out`game_t *)0); }'
	is "data that need too much memory" 1 "they are broken, or need too much memory"
	run -qc "$tmp/large" -n 'BEGIN { printf("int %d\n", sizeof (pid`int)); exit(0); }'
	is "types of the language are there all the same" 0 "int 4"
else
	ok "data that need too much memory # SKIP objcopy compresses nothing"
fi

# Data name the file that they share with others (dwz): one that their owner may not read is not opened for him.
awk 'BEGIN { for (i = 0; i < 40; i++) printf "struct thing%d { long first_of_%d; struct thing%d *next; } t%d;\n", i, i, i, i
	print "__attribute__((noinline)) int take(struct thing7 *t) { __asm__ volatile(\"\" ::: \"memory\"); return t != 0; }"
	print "int main(void) { return !take(&t7); }" }' >"$tmp/things.c"
if command -v dwz >/dev/null && "$cc" -g -o "$tmp/one" "$tmp/things.c" && cp "$tmp/one" "$tmp/two" &&
    (cd "$tmp" && dwz -m shared.debug -M "$tmp/shared.debug" one two) 2>"$tmp/err" && readelf -S "$tmp/one" | grep -q gnu_debugaltlink; then
	chown 65534 "$tmp/one"
	run -qc "$tmp/one" -n 'pid$target:a.out:take:entry { printf("first %d\n", args[0]->first_of_7); }'
	is "what data share is in a file that all may read" 0 "first 0"
	chmod 600 "$tmp/shared.debug"
	run -qc "$tmp/one" -n 'pid$target:a.out:take:entry { printf("first %d\n", args[0]->first_of_7); }'
	is "and in no other" 1 "not"
else
	ok "data that are shared # SKIP dwz shares nothing here: $(head -n 1 "$tmp/err")"
fi

# While the trace runs nobody has the data open any more.
"$tmp/plain" stay &
attackers=$!
start -qp $attackers -n 'BEGIN { printf("ready %d\n", sizeof (pid`int)); } pid$target:a.out:play:entry { trace(args[0]); }'
with_libdw() { for p in "$tracer" $(pgrep -P "$tracer"); do grep -l libdw "/proc/$p/maps"; done 2>/dev/null; }
[ -z "$(with_libdw)" ]
check $? "libdw has gone when the trace begins"
kill -INT "$tracer"
ends
check $status "the trace"
peaceful
