#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Static probes of a program of our own: arguments with the types it declared, in the order it declared; processes that start
# later; sites that fire only while somebody looks; values that cannot be read.
. test/cli/helpers.inc
may_trace "static probes"
case $dtrace in /*) ;; *) dtrace=$PWD/$dtrace ;; esac
if ! command -v cc >/dev/null || ! echo 'int main(void) { return 0; }' | cc -x c -o "$tmp/a.out" - 2>/dev/null || ! "$tmp/a.out"; then
	ok "static probes # SKIP no compiler that works here"
	exit 0
fi

cat >"$tmp/mydb.d" <<'END'
struct req { int id; const char *sql; };
provider mydb {
	probe query__start(const char *sql, int client);
	probe query__done(struct req *r, int rows) : (int rows, struct req *r);
	probe tick(unsigned char small, short s, long long wide);
};
END
cat >"$tmp/server.c" <<'END'
#include <stdio.h>
#include <string.h>
struct req { int id; const char *sql; };
#include "mydb.h"
#ifdef __x86_64__
#define VECTOR "%xmm0"
#define NUMBER "$7"
#else
#define VECTOR "d0"
#define NUMBER "7"
#endif
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 3, looked = 0;
	char line[80];

	if (argc > 2) {
		puts("up");
		fflush(stdout);
		if (fgets(line, sizeof(line), stdin) == NULL)
			return 1;
	}
	for (int i = 0; i < n; i++) {
		struct req r = { i, "select 1" };
		(void)*(const volatile char *)r.sql;	/* what has never been touched is not in memory yet, and not read at a probe */

		MYDB_QUERY_START(r.sql, 10 + i);
		if (MYDB_QUERY_DONE_ENABLED())
			looked++;
		MYDB_QUERY_DONE(&r, 100 * i);
		MYDB_TICK((unsigned char)200, (short)-3, -5000000000ll);
		__asm__ volatile("990: nop\n.pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n.4byte 992f-991f,994f-993f,3\n"
		    "991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b\n.8byte 0\n.8byte 0\n.asciz \"mydb\"\n.asciz \"vector\"\n"
		    ".asciz \"8f@" VECTOR " -4@" NUMBER "\"\n994: .balign 4\n.popsection");
	}
	printf("looked %d\n", looked);
	return 0;
}
END
sed -i 's/^#include <string.h>/#include <stdlib.h>/' "$tmp/server.c"
(cd "$tmp" && "$dtrace" -h -s mydb.d && cc -O2 -c server.c && "$dtrace" -G -s mydb.d server.o && cc -o server server.o mydb.o) >"$tmp/err" 2>&1
check $? "a program with static probes"

run -qc "$tmp/server" -n 'mydb$target:::query-start { printf("%s %d\n", stringof(args[0]), args[1]); }'
is "a string and an int" 0 "select 1 12"
is "nobody looks at the other probe" 0 "looked 0"
run -qc "$tmp/server" -n '
struct req { int id; const char *sql; };
mydb$target:::query-done { printf("%d %d %s\n", args[0], args[1]->id, stringof(args[1]->sql)); }'
is "the declared order, and members of a struct that D declares too" 0 "200 2 select 1"
is "the program knows that somebody looks" 0 "looked 3"
run -qc "$tmp/server" -n 'mydb$target:::query-done { printf("%d %p\n", args[0], args[1]); }'
check "$status" "a struct that D does not know is an address"
run -qc "$tmp/server" -n 'mydb$target:::query-done { printf("%d %d\n", arg0, *(int *)copyin(arg1, 4)); }'
is "arg0 and arg1 are in the declared order too (P 4.7)" 0 "200 2"
run -qc "$tmp/server" -n 'mydb$target:::tick { printf("%d %d %d\n", args[0], args[1], args[2]); printf("raw %d %d %d\n", (int)arg0, (int)arg1, arg2); }'
is "small and wide values with their signs" 0 "200 -3 -5000000000"
is "and as words" 0 "raw 200 -3 -5000000000"
run -c "$tmp/server" -n 'mydb$target:::query-start { trace(args[2]); }'
is "an argument it does not have" 1 "args[ ]: it has 2"
run -qc "$tmp/server" -n 'mydb$target:::vector { printf("arg0 %d args[1] %d\n", arg0, args[1]); }'
is "a value in a vector register is 0" 0 "arg0 0 args[1] 7"
run -c "$tmp/server" -n 'mydb$target:::vector { trace(args[0]); }'
is "and is refused as typed" 1 "is a vector register"

# Operands by name: of the program's data, of a thread's own, of nothing.
cat >"$tmp/places.c" <<'END'
#define SITE(before, name, args) __asm__ volatile(before "990: nop\n.pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n.4byte 992f-991f,994f-993f,3\n" \
	"991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b\n.8byte 0\n.8byte 0\n.asciz \"places\"\n.asciz \"" name "\"\n" \
	".asciz \"" args "\"\n994: .balign 4\n.popsection" : : : "memory", CLOBBERS)
int counter = 41, table[4] = { 1, 2, 3, 4 };
static int hidden = 55;
__thread int own = 77;
#ifdef __x86_64__
#define CLOBBERS "rax", "rbx"
#else
#define CLOBBERS "x9", "x10"
#endif
int main(void)
{
	__asm__ volatile("" : "+m"(hidden), "+m"(own), "+m"(counter), "+m"(table));
#ifdef __x86_64__
	SITE("lea table(%%rip), %%rax\nmov $1, %%ebx\n", "named", "-4@counter(%%rip) -4@table+8(%%rip) -4@hidden(%%rip) -4@4(%%rax,%%rbx,4)");
	SITE("", "address", "8@$table -4@nosuch(%%rip) -4@%%gs:8");
	SITE("", "thread", "-4@%%fs:own@tpoff 8@%%fs:0");
#else
	SITE("adrp x9, counter\n", "named", "-4@[x9, #:lo12:counter] -4@[x9, :lo12:counter] 8@xzr 4@7");
	SITE("adrp x9, table\nadd x9, x9, :lo12:table\nmov x10, 2\n", "indexed", "-4@[x9, x10, lsl 2] -4@[x9, w10, sxtw 2] -4@[x9, 4]");
	SITE("", "address", "8@table -4@[x9, :lo12:nosuch] -4@[x9, x10, ror 2]");
#endif
	return 0;
}
END
if cc -O2 -o "$tmp/places" "$tmp/places.c" 2>"$tmp/err"; then
	case $(uname -m) in
	x86_64)
		run -qc "$tmp/places" -n 'places$target:::named { printf("%d %d %d %d\n", args[0], args[1], args[2], args[3]); }'
		is "a value at sym(%rip), sym+off(%rip), off(base,index,scale)" 0 "41 3 55 3"
		run -qc "$tmp/places" -n 'places$target:::thread { printf("%d %d\n", args[0], args[1] != 0); }'
		is "a value of the thread: %fs:sym@tpoff, %fs:off" 0 "77 1" ;;
	*)
		run -qc "$tmp/places" -n 'places$target:::named { printf("%d %d %d %d\n", args[0], args[1], args[2], args[3]); }'
		is "a value at [reg, :lo12:sym], and constants" 0 "41 41 0 7"
		run -qc "$tmp/places" -n 'places$target:::indexed { printf("%d %d %d\n", args[0], args[1], args[2]); }'
		is "a value at [reg, reg, lsl], [reg, reg, sxtw], [reg, off]" 0 "3 3 2" ;;
	esac
	run -qc "$tmp/places" -n 'places$target:::address { printf("%d\n", *(int *)copyin(args[0] + 12, 4)); usym(args[0]); }'
	is "the address of a symbol" 0 "4"
	is "which has its name" 0 'places`table'
	run -c "$tmp/places" -n 'places$target:::address { trace(args[1]); }'
	is "a symbol that is not there is said with its operand" 1 "nosuch"
	run -c "$tmp/places" -n 'places$target:::address { trace(args[2]); }'
	is "an operand of no known form is said" 1 "is no operand that is known"
else
	bad "a program with operands by name"
fi
run -c "$tmp/server" -n 'mydb$target:::query-stat'
is "a name that is nearly one" 1 "did you mean"

# In every process that runs the file: those that are there, and those that come.
mkfifo "$tmp/go"
"$tmp/server" 2 wait <"$tmp/go" >"$tmp/first" 2>&1 &
first=$!
exec 9>"$tmp/go"
waits grep -qs up "$tmp/first"
start -qn 'BEGIN { printf("ready\n"); } mydb:::query-start { @[args[1] >= 12 ? "later" : "both"] = count(); @p[pid] = count(); } mydb*:::query-start { @n = count(); }
END { printa("%s %@d\n", @); printa("process %d %@d\n", @p); printa("all %@d\n", @n); }'
"$tmp/server" 5 >/dev/null
"$tmp/server" 4 >/dev/null
echo go >&9
exec 9>&-
wait "$first"
kill -INT "$tracer"
wait "$tracer"
status=$?
is "processes that are there and that start later" 0 "all 11"
is "each by itself" 0 "process $first 2"
[ "$(grep -c '^process' "$tmp/out")" -eq 3 ]
check $? "they are three"

# N9: each probe has one number, which -l shows, the trace prints and -i takes; probes that come later have one too.
mkfifo "$tmp/numbers"
"$tmp/server" 2 wait <"$tmp/numbers" >"$tmp/first" 2>&1 &
first=$!
exec 9>"$tmp/numbers"
waits grep -qs up "$tmp/first"
run -l -P "mydb$first"
number=$(awk '$NF == "query-start" { print $1 }' "$tmp/out")
[ -n "$number" ] && [ "$(awk 'NR > 1 { print $1 }' "$tmp/out" | sort -u | wc -l)" -eq "$(($(wc -l <"$tmp/out") - 1))" ]
check $? "every static probe is listed with a number of its own: $number"
run -l
[ "$(awk -v p="mydb$first" '$2 == p && $NF == "query-start" { print $1 }' "$tmp/out")" = "$number" ]
check $? "which is the same in a listing of everything"
run -l -i "$number"
is "-l -i of it" 0 "mydb$first"
start -qi "$number" -n 'BEGIN { printf("ready\n"); }' -i "$number"'{ printf("number %d of %s:%s\n", id, probeprov, probename); }'
echo go >&9
exec 9>&-
wait "$first"
kill -INT "$tracer"
wait "$tracer"
[ "$(grep -cx "number $number of mydb$first:query-start" "$tmp/out")" -eq 2 ]
check $? "-i of it, and \`id\` is it"
run -qc "$tmp/server 1" -Zn 'BEGIN { printf("number %d\n", id); } pid$target:server:main:entry, pid$target:server:main:return, mydb*:::, profile-97,
pid$target::exit:entry { printf("number %d %s\n", id, probename); }'
[ "$(grep -v profile-97 "$tmp/out" | grep -c '^number')" -ge 7 ] && [ -z "$(grep '^number' "$tmp/out" | sort -u | awk '{ print $2 }' | sort | uniq -d)" ] &&
	! grep -v profile-97 "$tmp/out" | grep -q '^number [234] '
check $? "no two probes of a process, and none of the kernel, have the same number"
run -i 9999998
is "a number that nobody has" 1 "no running process has a static probe of this number"
run -n 'nodb*:::query-start'
is "a provider that no process has" 1 "no running process has static probes of that name"

# A library that is loaded later has its probes from its first instruction on, when it is named.
cat >"$tmp/plug.c" <<'END'
#include <sys/sdt.h>
int fire(int n);
int fire(int n) { DTRACE_PROBE2(plug, fired, n, "plugged"); return n; }
END
cat >"$tmp/host.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int sum = 0;

	for (int round = 0; round < 2; round++) {
		void *lib = dlopen(argv[argc - 1], RTLD_NOW);
		int (*fire)(int) = lib != NULL ? (int (*)(int))dlsym(lib, "fire") : NULL;

		for (int i = 0; fire != NULL && i < 4; i++)
			sum += fire(i);
		if (lib != NULL)
			dlclose(lib);
	}
	printf("sum %d\n", sum);
	return 0;
}
END
if cc -Iinclude -O2 -fPIC -shared -o "$tmp/libplug.so" "$tmp/plug.c" 2>"$tmp/err" && cc -O2 -o "$tmp/host" "$tmp/host.c" -ldl 2>>"$tmp/err"; then
	run -qc "$tmp/host $tmp/libplug.so" -n 'plug$target:libplug.so::fired { @ = count(); @v = sum(args[0]); @f[probefunc] = count(); }
	END { printa("fired %@d", @); printa(" sum %@d", @v); printa(" in %s %@d\n", @f); }'
	is "a library that is loaded later, twice" 0 "fired 8 sum 12 in fire 8"
	run -c "$tmp/host $tmp/libplug.so" -n 'plug$target:::fired'
	is "without its name and -Z it is not waited for, and it is said" 1 "-Z waits for those of what it loads"
else
	bad "a library with static probes"
fi

# Objects built for another system call a function for each site: the probe is in who calls it, with values in registers and on the stack.
cat >"$tmp/old.d" <<'END'
provider olddb { probe hit(int n, char *text); probe many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j); };
END
cat >"$tmp/old.c" <<'END'
extern void __dtrace_olddb___hit(int, char *);
extern void __dtrace_olddb___many(int, int, int, int, int, int, int, int, int, int);
static char one[] = "one", two[] = "two";
__attribute__((noinline)) void first(int n) { __dtrace_olddb___hit(n, one); __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) void second(int n) { __dtrace_olddb___hit(n + 10, two); }	/* may be a jump */
__attribute__((noinline)) int third(int n) { __dtrace_olddb___many(n, 2, 3, 4, 5, 6, 7, 8, 9, 10); return n; }
int main(void)
{
	__asm__ volatile("" : : "r"(*(volatile char *)one), "r"(*(volatile char *)two));	/* their page is in memory */
	for (int i = 0; i < 3; i++) {
		first(i);
		second(i);
		third(i);
	}
	return 0;
}
END
if (cd "$tmp" && cc -O2 -c -o user.o old.c && "$dtrace" -G -s old.d user.o && cc -o olddb user.o old.o) >"$tmp/err" 2>&1; then
	run -qc "$tmp/olddb" -n 'olddb$target:::hit { printf("%s %d %s\n", probefunc, args[0], stringof(args[1])); }
	olddb$target:::many { printf("%s %d %d %d %d %d\n", probefunc, args[0], args[5], args[6], args[8], args[9]); }'
	printf '%s\n' 'first 0 one' 'second 10 two' 'third 0 6 7 9 10' 'first 1 one' 'second 11 two' 'third 1 6 7 9 10' 'first 2 one' 'second 12 two' 'third 2 6 7 9 10' '' >"$tmp/want"
	cmp -s "$tmp/out" "$tmp/want"
	check $? "sites of an object for another system are where it calls"
else
	bad "an object for another system"
fi
