# SPDX-License-Identifier: BSD-2-Clause
# pid: a process whose calls are known (test/trigger/provider_pid.c): counts, arguments, values, offsets, names, and what
# is said of what is not there.
. test/cli/helpers.inc
may_trace "pid probes"
victim=${BUILD:-build}/test/provider_pid

run -q -c "$victim 5000 4" -n '
pid$target::work:entry { @n = count(); @sum = sum(arg0); }
pid$target::work:return { @r = count(); @twice = sum(arg1); }
END { printa("entry %@d ", @n); printa("sum %@d ", @sum); printa("return %@d ", @r); printa("values %@d\n", @twice); }'
is "four threads of 5,000 calls, counted at entry and return" 0 "entry 20000 sum 49990000 return 20000 values 99980000"

run -q -c "$victim" -n '
pid$target:a.out:ten:entry { printf("%d %d %d %d %d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7, arg8, arg9); }
pid$target:a.out:ten:return { printf("= %d\n", arg1); }'
is "ten arguments" 0 "1 2 3 4 5 6 7 8 9 10"
is "the value" 0 "= 55"

run -q -c "$victim" -n '
int depth, n;
pid$target::factorial:entry { self->depth++; depth = self->depth > depth ? self->depth : depth; }
pid$target::factorial:return { self->depth--; @v[arg1] = count(); n++; }
END { printf("depth %d, returns %d", depth, n); printa(" %d", @v); }'
is "recursion" 0 "depth 5, returns 5 1 2 6 24 120"

run -q -c "$victim 100" -n 'pid$target::work:entry { @ = count(); } pid$target::work:0 { @z = count(); } END { printa("%@d ", @); printa("%@d", @z); }'
is "entry and offset 0 are two probes of one place" 0 "100 100"
run -q -c "$victim 100" -n 'pid$target::work:* { @[probename] = count(); } END { trunc(@); }'
check "$status" "every instruction of a function"
run -ln 'pid$target::work:' -c "$victim"
is "without a name: entry" 0 "entry"
grep -q ' return$' "$tmp/out" && grep -q ' 0$' "$tmp/out" && [ "$(grep -c 'work' "$tmp/out")" -gt 2 ]
check $? "return, and every instruction (P 4.8)"
run -ln 'pid$target:a.out::' -c "$victim"
grep -q 'work entry' "$tmp/out" && ! grep -v ' entry$\| return$\|NAME$' "$tmp/out" >/dev/null
check $? "of all functions entry and return alone"
# N18: the empty name means two things, and each is said
run -qn 'pid$target:a.out:: { @ = count(); }' -c "$victim 1"
is "it is said that these are entry and return" 0 ":a.out:: means entry and return of each function"
run -qn 'pid$target::work: { @ = count(); }' -c "$victim 1"
is "and that those are every instruction" 0 "::work: means entry, return and every instruction"
run -qn 'pid$target::work:entry, pid$target::work:* { @ = count(); }' -c "$victim 1"
[ "$status" -eq 0 ] && ! grep -q ' means ' "$tmp/err"
check $? "nothing is said where a name is written"
run -qn 'pid$target:libc.so:malloc:entry { printf("in %s", probemod); exit(0); }' -c "$victim 1"
[ "$status" -eq 0 ] && ! grep -q 'has no module' "$tmp/err"
check $? "libc.so is libc.so.6 (S B4)"
run -qn 'p*d$target::work:entry { printf("by %s", probeprov); exit(0); }' -c "$victim 100"
is "a pattern with the process behind it (S B3)" 0 "by pid"

# Names of modules: up to a dot, other versions of it, patterns.
for module in libc libc.so.6 libc.so.7 'libc.so*'; do
	run -ln "pid\$target:$module:write:entry" -c "$victim"
	is "module $module" 0 "libc.so.6"
done

run -qn 'pid$target:libc:strlen:entry { @[copyinstr(arg0)] = count(); }' -x evaltime=main -c "$victim 1"
check "$status" "an IFUNC"

run -qn 'pid$target:libc.so.6::entry { @[probefunc] = count(); }' -c "$victim 1"
check "$status" "all functions of libc"
n=$("$dtrace" -ln 'pid$target:libc.so.6::entry' -c "$victim" 2>/dev/null | wc -l)
[ "$n" -gt 2000 ]
check $? "they are over 2,000: $n"

run -n 'pid$target::no_such:entry' -c "$victim"
is "no such function" 1 "no function no_such in any module of process"
run -n 'pid$target:libnone:work:entry' -c "$victim"
is "no such module" 1 "has no module libnone"
run -n 'pid$target::work:enter' -c "$victim"
is "no such name" 1 "entry, return, returned, or an offset"
run -n 'pid$target::work:ffffff' -c "$victim"
is "an offset past the end" 1 "past the end of work"
run -n 'pid$target::-:entry' -c "$victim"
is "an address that is none" 1 "wants an address of the program"
run -n 'pid4194304::work:entry'
is "no such process" 1 "there is no process 4194304"
if [ "$(uname -m)" = aarch64 ]; then
	run -n 'pid$target::work:2' -c "$victim"
	is "an offset inside an instruction" 1 "no instruction of work begins at offset 2"
fi
