#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Functions that end with a jump to another one, and those that end with their first instruction (N B2): return means the same whatever
# libraries a process has, and at one instruction the entry comes first. arg0 of a return is where it is (T 13).
. test/cli/helpers.inc
may_trace "functions that end by a jump"
cat >"$tmp/tail.c" <<'END'
#include <setjmp.h>
#define F __attribute__((noinline, noclone))
#ifdef __cplusplus
extern "C" {
#endif
typedef int fn(int);
static jmp_buf env;
static volatile int sink;
F int deep(int x) { sink += x; __asm__ volatile("" ::: "memory"); return x + 1; }
F int thin(int x) { return deep(x); }
F void empty(void) { __asm__ volatile(""); }
F int by_pointer(fn *f, int x) { return f(x); }
F int maybe(int x) { if (x & 1) return deep(x); sink++; return 7; }
F int again(int n) { int r = n > 0 ? again(n - 1) : 0; __asm__ volatile("" ::: "memory"); return r + n; }
F int table(int x)
{
	switch (x) {
	case 0: sink = 3; break;
	case 1: sink += 5; break;
	case 2: sink *= 7; break;
	case 3: sink ^= 11; break;
	case 4: sink -= 13; break;
	case 5: sink |= 17; break;
	case 6: sink <<= 1; break;
	default: return -1;
	}
	return x * sink;
}
F void jumps(void) { longjmp(env, 1); }
#ifdef __cplusplus
}
struct thing { ~thing() { sink++; } };
F int thrown(int x) { thing t; if (x >= 0) throw x; return 1; }
#endif
int main(void)
{
	for (int i = 0; i < 10; i++) {
		thin(i);
		empty();
		by_pointer(deep, i);
		maybe(i);
		again(3);
		table(i & 7);
		if (setjmp(env) == 0)
			jumps();
#ifdef __cplusplus
		try { thrown(i); } catch (int) { }
#endif
	}
	return 0;
}
END
cc=${CC:-gcc}
if ! $cc -O2 -o "$tmp/c" "$tmp/tail.c" 2>"$tmp/err"; then
	ok "functions that end by a jump # SKIP no compiler that works here"
	exit 0
fi
case $cc in clang*) cxx=clang++ ;; *) cxx=g++ ;; esac
$cxx -O2 -x c++ -o "$tmp/cc" "$tmp/tail.c" 2>/dev/null || ok "the same in C++ # SKIP no compiler of C++ here"

for p in c cc; do
	[ -x "$tmp/$p" ] || continue
	run -q -c "$tmp/$p" -n 'pid$target:a.out:thin:return { printf("leave %s %x\n", probefunc, arg0); n++; } pid$target:a.out:deep:entry,pid$target:a.out:deep:return { printf("%s %s\n", probefunc, probename); }
	pid$target:a.out:thin:entry, pid$target:a.out:thin:0 { printf("%s %s\n", probefunc, probename); } pid$target:a.out:thin:return /n == 2/ { exit(0); }'
	printf 'thin entry\nthin 0\nleave thin X\ndeep entry\ndeep return\ndeep entry\ndeep return\n' >"$tmp/want"
	sed 's/leave thin .*/leave thin X/' "$tmp/out" | grep . | head -n 7 | cmp -s - "$tmp/want"
	check $? "$p: a jump is a return, after the entry at the same instruction"
	run -q -c "$tmp/$p" -n 'pid$target:a.out:empty:return { printf("%s;", probename); } pid$target:a.out:empty:0, pid$target:a.out:empty:entry { printf("%s;", probename); }
	END { printf("\n"); }'
	[ "$(grep -o 'entry;' "$tmp/out" | wc -l)" -eq 10 ] && ! grep -q 'return;return' "$tmp/out" && ! grep -q '^return' "$tmp/out"
	check $? "$p: a function that is a return instruction: entry, then return"
	# each is called as often as it returns: also through a pointer, on a condition, from a table, again and again
	for f in thin:10 empty:10 by_pointer:10 maybe:10 again:40 table:10 deep:25; do
		run -q -c "$tmp/$p" -n "pid\$target:a.out:${f%:*}:entry { @e = count(); } pid\$target:a.out:${f%:*}:return { @r = count(); } END { printa(\"entered %@d\", @e); printa(\" left %@d\n\", @r); }"
		is "$p: ${f%:*} is entered and left ${f#*:} times" 0 "entered ${f#*:} left ${f#*:}"
	done
	run -q -c "$tmp/$p" -n 'pid$target:a.out:again:return { @ = sum(arg1); @o[arg0] = count(); } END { printa("sum %@d\n", @); printa("offset %x\n", @o); }'
	is "$p: values of returns" 0 "sum 100"
	at=$(sed -n 's/^offset //p' "$tmp/out" | head -n 1)
	run -q -c "$tmp/$p" -n "pid\$target:a.out:again:$at { @ = count(); } pid\$target:a.out:again:return /arg0 == 0x$at/ { @r = count(); } END { printa(\"there %@d\", @); printa(\" and %@d\n\", @r); }"
	n=$(sed -n 's/^there \([0-9]*\) .*/\1/p' "$tmp/out")
	[ "$at" != 0 ] && [ "${n:-0}" -gt 0 ] && is "$p: arg0 is the offset of the instruction" 0 "there $n and $n" || bad "$p: arg0 is an offset"
	# setjmp keeps a return address: one that the kernel changed would be the end of the process
	run -q -c "$tmp/$p" -n 'pid$target:a.out:main:return { printf("main returns %d\n", arg1); } pid$target:libc.so.6::entry, pid$target:libc.so.6::return { @ = count(); }'
	is "$p: all returns of the C library, with longjmp()" 0 "main returns 0"
done
run -q -x uretprobe -c "$tmp/c" -n 'pid$target:a.out:thin:entry, pid$target:a.out:deep:entry { printf("%s;", probefunc); } pid$target:a.out:thin:return { printf("thin %d;\n", arg1); exit(0); }'
is "-x uretprobe: the end and the value of what is jumped to" 0 "thin;deep;thin 1;"
if [ -x "$tmp/cc" ]; then
	run -q -x uretprobe -c "$tmp/cc" -n 'pid$target:a.out:thin:entry, pid$target:a.out:deep:entry { printf("%s;", probefunc); } pid$target:a.out:thin:return { printf("thin %d;\n", arg1); exit(0); }'
	is "-x uretprobe: the same in processes that throw, without changing them" 0 "thin;deep;thin 1;"
	run -x uretprobe -c "$tmp/cc" -n 'pid$target:a.out:by_pointer:return'
	is "-x uretprobe: a jump through a pointer cannot be followed there" 1 "through a pointer"
fi
exit 0
