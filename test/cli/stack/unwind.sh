# SPDX-License-Identifier: BSD-2-Clause
# User stacks of code without frame pointers: a program (test/trigger/unwind_chain.c) prints the return addresses it finds itself
# before a system call; the trace of that call must have the same, frame for frame.
. test/cli/stack/unwind.inc

if made fast -O2; then
	for way in plain alloca large qsort signal altstack leaf deep; do
		same "-O2, $way" "$tmp/fast" $way
	done
	# by frame pointers alone the callers are not found: this is what the tables are for
	run -q -x unwind=fp -c "$tmp/fast plain" -n 'syscall::getppid:entry /pid == $target/ { ustack(150); }'
	! grep -q "chain_second" "$tmp/out"
	check $? "-x unwind=fp follows frame pointers"
	run -q -x unwind=dwarf -c "$tmp/fast plain" -n 'syscall::getppid:entry /pid == $target/ { ustack(4); }'
	grep -q "fast${tick}chain_second+" "$tmp/out"
	check $? "-x unwind=dwarf, with names"
	# before anybody can have told what is mapped: the kernel is asked for the file
	UNWIND_NOW=1
	export UNWIND_NOW
	same "a process that has just begun" "$tmp/fast" qsort
	unset UNWIND_NOW
fi
made small -Os && same "-Os, qsort" "$tmp/small" qsort
made framed -O1 -fno-omit-frame-pointer && same "with frame pointers" "$tmp/framed" signal
made fixed -O2 -fno-pie -no-pie && same "at a fixed address" "$tmp/fixed" deep
made static -O2 -static && same "static" "$tmp/static" qsort

# a library, mapped while tracing, that calls back
echo 'int library_call(int (*f)(int), int x) { volatile char room[300]; room[0] = 1; return f(x) + room[0]; }' >"$tmp/lib.c"
# shellcheck disable=SC2086
"$cc" $flags -O2 -fPIC -shared -o "$tmp/liblater.so" "$tmp/lib.c"
# what it brings is read a moment after it was mapped: on a busy machine the call may come first
for try in 1 2 3 4; do
	run -q -x noresolve -c "$tmp/fast library $tmp/liblater.so" -n "$getppid"
	agrees library && break
done
agrees library
check $? "a library opened while tracing"

# how deep, and who called
run -q -c "$tmp/fast deep" -n 'syscall::getppid:entry /pid == $target/ { printf("%d ", ustackdepth); usym(ucaller); }'
grep -q "^110  *fast${tick}chain_end" "$tmp/out"
check $? "ustackdepth and ucaller"
run -q -c "$tmp/fast deep" -n 'syscall::getppid:entry /pid == $target/ { ustack(600); }'
[ "$(grep -c "^ .*[$tick+]" "$tmp/out")" -eq 110 ]		# without a name: libc.so.6+0x2724a
check $? "more frames asked for than there is room for"
run -q -c "$tmp/fast deep" -n 'syscall::getppid:entry /pid == $target/ { @[ustack(3)] = count(); @d[ustack(1)] = count(); }'
[ "$(grep -c "fast${tick}chain_third" "$tmp/out")" -eq 1 ]
check $? "as keys of aggregations"

# probes in the process: at entry, at return, inside functions whose return is probed too; a return is where the function is left, or where
# its caller goes on
run -q -c "$tmp/fast plain" -n '
pid$target::chain_first:return, pid$target::chain_second:return { }
pid$target::chain_third:return { ustack(4); }'
sed 's/^ *//; s/+0x[0-9a-f]*$//; /^$/d; /^plain/d' "$tmp/out" >"$tmp/got"
for f in chain_third chain_second chain_first main; do echo "fast$tick$f"; done | cmp -s - "$tmp/got"
check $? "where a function is left"
run -q -x uretprobe -c "$tmp/fast plain" -n '
pid$target::chain_first:return, pid$target::chain_second:return { }
pid$target::chain_third:entry { ustack(5); }
pid$target::chain_third:return { ustack(4); }'
sed 's/^ *//; s/+0x[0-9a-f]*$//; /^$/d; /^plain/d' "$tmp/out" >"$tmp/got"
for f in chain_third chain_second chain_first main; do echo "fast$tick$f"; done >"$tmp/want"
echo "libc.so.6${tick}__libc_start_call_main" >>"$tmp/want"
for f in chain_second chain_first main; do echo "fast$tick$f"; done >>"$tmp/want"
echo "libc.so.6${tick}__libc_start_call_main" >>"$tmp/want"
sed -i "s/libc.so.6.*/libc/" "$tmp/want" "$tmp/got"
cmp -s "$tmp/got" "$tmp/want"
check $? "at entry and return, inside functions whose return is probed"

# samples: where the program is, and who called that
run -q -c "$tmp/fast leaf" -n 'profile-4999 /pid == $target && arg1/ { @[ustack(4)] = count(); }'
if grep -q "chain_leaf" "$tmp/out"; then
	grep -A 1 "fast${tick}chain_leaf" "$tmp/out" | grep -q "fast${tick}chain_interrupted"
	check $? "samples of a function that calls nothing"
else
	ok "samples of a function that calls nothing # SKIP none hit it"
fi

# any process, begun while tracing
start -q -n 'BEGIN { printf("ready\n"); } syscall::getppid:entry /execname == "fast"/ { ustack(8); printf("run %d\n", ++n); }'
whole() { grep -q "fast${tick}chain_second+" "$tmp/out" && grep -q "fast${tick}main+" "$tmp/out"; }
tries=0
until whole || [ $tries -ge 20 ]; do		# its file is read while it runs: on a busy machine too late for the first of them
	tries=$((tries + 1))
	"$tmp/fast" plain >"$tmp/own"
	waits grep -q "^run $tries" "$tmp/out"
done
whole
check $? "a process that is no target"
kill "$tracer"
waits ended "$tracer"

cxx=${CXX:-g++}
if command -v "$cxx" >/dev/null 2>&1 && "$cxx" -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -o "$tmp/cxx" test/trigger/unwind_cxx.cc 2>"$tmp/err"; then
	run -q -x noresolve -c "$tmp/cxx" -n "$getppid"
	agrees destructor 1
	check $? "C++: a destructor while an exception goes through"
	agrees handler 2
	check $? "C++: in its handler"
else
	echo "ok - C++ exceptions # SKIP no C++ compiler ($cxx)"
fi

# the room for tables is an option; what does not fit is walked by frame pointers
run -q -x unwindsize=8k -c "$tmp/fast plain" -n "$getppid"
[ "$status" -eq 0 ] && grep -q "syscall" "$tmp/out"
check $? "-x unwindsize: too small for any file"
size=$(sed -n 's/.* -x unwindsize=\([0-9]*m\) would be enough$/\1/p' "$tmp/err")
run -q -x noresolve -x unwindsize="${size:-none}" -c "$tmp/fast plain" -n "$getppid"
agrees plain && ! grep -q "do not fit" "$tmp/err"
check $? "-x unwindsize: the notice names a size that is enough ($size)"
run -x unwind=guess -n 'BEGIN { exit(0); }'
[ "$status" -ne 0 ] && grep -q unwind "$tmp/err"
check $? "-x unwind=guess is refused"
