#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# dtrace -h and -G: headers and objects that other people's builds take, the notes that compilers make of them, the messages.
. test/cli/helpers.inc
case $dtrace in /*) ;; *) dtrace=$PWD/$dtrace ;; esac
include=$PWD/include
cd "$tmp" || exit 2

# In the style of a database's: types by macro, comments, attributes.
cat >mydb.d <<'END'
#define Oid unsigned int
#define bool unsigned char
typedef struct req { int id; } req_t;

/* what the server does */
provider mydb {
	probe query__start(const char *);
	probe query__done(const char *, int64_t, double);
	probe lock__wait(Oid, unsigned int, short, bool, char *, long, int, int, int, int, int, int);
	probe idle();
	probe req(req_t *r, int n) : (int n, req_t *r);
};

provider my_net { probe send(int fd); };

#pragma D attributes Evolving/Evolving/Common provider mydb provider
#pragma D attributes Private/Private/Unknown provider mydb module
#pragma D attributes Private/Private/Unknown provider mydb function
#pragma D attributes Evolving/Evolving/Common provider mydb name
#pragma D attributes Evolving/Evolving/Common provider mydb args
END
cat >main.c <<'END'
#include "probes.h"
#include <stdio.h>
struct req { int id; };
extern int other(int);
static int busy(int n)
{
	if (MYDB_REQ_ENABLED()) {
		struct req r = { n };
		MYDB_REQ(&r, n);
		return 1;
	}
	return 0;
}
int main(int argc, char **argv)
{
	char text[] = "select 1";
	MYDB_QUERY_START(text);
	for (int i = 0; i < argc; i++)
		MYDB_LOCK_WAIT(i, 7u, (short)i, 1, argv[i], 5L, 1, 2, i, 4, argc, 6);
	if (argc > 9)
		MYDB_QUERY_DONE("x", 12345678901LL, 1.5);
	else
		MYDB_IDLE();
	printf("%d %d\n", busy(argc), other(argc));
	return 0;
}
END
cat >other.c <<'END'
#include "probes.h"
#include "probes.h"
int other(int n) { return MYDB_IDLE_ENABLED() ? 7 : n > 100 ? (MY_NET_SEND(n), 1) : 0; }
END

is "-h writes a header" 0 "" -C -h -s mydb.d -o probes.h
grep -q '^#ifndef	_PROBES_H' probes.h && grep -q '^#define	MYDB_QUERY_START(arg0) ' probes.h && grep -q '^#define	MYDB_QUERY_START_ENABLED() ' probes.h &&
	grep -q '^#define	MY_NET_SEND(arg0) ' probes.h && grep -q 'mydb:::query-done (const char \*, int64_t, double)' probes.h
check $? "with a guard, macros and declarations"
is "-h without -o" 0 "" -C -h -s mydb.d && test -s mydb.h && grep -q _MYDB_H mydb.h
check $? "names it after the script"
is "-G without objects" 0 "" -C -G -s mydb.d && test -s mydb.o
check $? "names it after the script"
readelf -Ws mydb.o | grep -q 'OBJECT  GLOBAL HIDDEN .* mydb_query__start_semaphore' && readelf -WS mydb.o | grep -q '\.SUNW_dof *PROGBITS'
check $? "with semaphores and the declaration"
is "-x linktype=dof" 0 "" -C -G -x linktype=dof -s mydb.d -o mydb.dof
test "$(head -c 4 mydb.dof | od -An -tx1 | tr -d ' \n')" = 7f444f46
check $? "writes DOF alone"

# notes BINARY: provider:name/number of arguments, each once; fails when a note has no semaphore
notes() {
	readelf -n "$1" 2>/dev/null | awk '/Provider:/ { p = $2 } /Name:/ { n = $2 } /Semaphore: 0x0+$/ { print "no semaphore" }
		/Arguments:/ { print p ":" n "/" gsub(/@/, "") }' | LC_ALL=C sort -u | tr '\n' ' '
}
want='my_net:send/1 mydb:idle/0 mydb:lock__wait/12 mydb:query__done/3 mydb:query__start/1 mydb:req/2 '
# build COMPILER FLAGS OBJECTS…: must compile without a word, hold the notes, and run
build() {
	cc=$1 flags=$2
	shift 2
	rm -f prog
	if ! $cc $flags -Wall -Wextra -Wshadow -Werror main.c other.c "$@" -o prog 2>err; then
		echo "not ok - $cc $flags $*: $(grep -m 1 error err)"
	elif [ "$(notes prog)" != "$want" ]; then
		echo "not ok - $cc $flags $*: notes: $(notes prog)"
	elif [ "$(./prog)" != "0 0" ]; then
		echo "not ok - $cc $flags $*: runs: $(./prog 2>&1)"
	else
		echo "ok - $cc $flags $*"
	fi
}
for cc in gcc clang; do
	command -v $cc >/dev/null || { echo "ok - $cc # SKIP there is no $cc"; continue; }
	build $cc "-O0 -g"
	build $cc "-O2 -std=c99 -pedantic" mydb.o
	build $cc "-O2 -fPIE -pie -ffunction-sections -Wl,--gc-sections" mydb.o
	build $cc "-O3 -static"
done
build gcc "-O2 -flto"
build gcc "-O2 -flto" mydb.o
readelf -WS prog | grep -q '\.SUNW_dof'
check $? "the declaration is in the program"

cat >plus.cc <<'END'
#include <string>
extern "C" {
#include "probes.h"
}
namespace app {
template <typename T> struct box { void put(const T &) { MYDB_REQ(this, 3); } };
inline int twice(int x) { MY_NET_SEND(x); return 2 * x; }
}
int main(int argc, char **argv)
{
	std::string s = "select";
	app::box<int>().put(argc);
	app::box<std::string>().put(s);
	MYDB_QUERY_START(s.c_str());
	if (argc > 9)
		MYDB_QUERY_DONE("x", 1LL, 2.5);
	MYDB_LOCK_WAIT('c', true, (short)-1, s.size(), nullptr, -1L, argc, argv, 1u, [&] { return argc; }(), 0, 0);
	auto f = [&](int q) { MYDB_IDLE(); return q; };
	return f(0) + app::twice(0) + MYDB_IDLE_ENABLED();
}
END
for cc in g++ clang++; do
	command -v $cc >/dev/null || { echo "ok - $cc # SKIP there is no $cc"; continue; }
	$cc -O1 -std=c++17 -Wall -Wextra -Werror plus.cc -o plus 2>err && ./plus && [ "$(notes plus)" = "$want" ]
	check $? "$cc $(grep -m 1 error err)"
done

# Sites without a declaration, with the header that other builds know.
cat >sdt.c <<'END'
#include <sys/sdt.h>
int main(int argc, char **argv)
{
	DTRACE_PROBE(app, zero);
	DTRACE_PROBE2(app, two, argc, argv);
	STAP_PROBEV(app, three, 1, 2, argc);
	return 0;
}
END
cc -O2 -Wall -Wextra -Werror -I"$include" sdt.c -o sdt 2>err && ./sdt
check $? "sys/sdt.h $(grep -m 1 error err)"
[ "$(readelf -n sdt | awk '/Name:/ { printf "%s ", $2 }')" = "zero two three " ]
check $? "makes notes too"

# Objects compiled with another system's header: calls of functions that -G brings.
cat >old.c <<'END'
#include <stdio.h>
extern void __dtrace_mydb___query__done(const char *, long, double);
extern void __dtrace_mydb___lock__wait(unsigned, unsigned, short, unsigned char, char *, long, int, int, int, int, int, int);
extern int __dtraceenabled_mydb___idle(void);
extern unsigned short mydb_idle_semaphore;
int main(int argc, char **argv)
{
	int before = __dtraceenabled_mydb___idle();
	__dtrace_mydb___query__done("q", argc, 2.0);
	__dtrace_mydb___lock__wait(1, 2, 3, 4, argv[0], 6, 7, 8, 9, 10, 11, 12);
	mydb_idle_semaphore++;
	printf("%d %d\n", before, __dtraceenabled_mydb___idle());
	return 0;
}
END
cc -O2 -c old.c -o old.o
cc -O2 -c other.c -o other.o
is "-G with calls of another system's header" 0 "" -C -G -s mydb.d -o oldp.o old.o other.o
cc old.o oldp.o -o old 2>err && [ "$(./old)" = "0 1" ] && [ ! -s err ]
check $? "links and runs, and asks the semaphore $(head -n 1 err)"
[ "$(notes old)" = "mydb:lock__wait/12 mydb:query__done/3 " ]
check $? "the functions are sites: $(notes old)"

is "text instead of a script" 0 "" -G -n 'provider mydb { probe query__done(const char *, long, double); probe idle(); probe lock__wait(int); };' -o text.o old.o

# Messages.
echo 'provider a { probe b(); };' >a.d
echo 'provider a { };' >empty.d
echo 'provider a { probe b(nosuch_t *); };' >type.d
echo 'provider a { probe b(int, int, int, int, int, int, int, int, int, int, int, int, int); };' >thirteen.d
echo 'provider a { probe b__c(); probe b_c(); };' >twice.d
echo 'provider a { probe b(); }; BEGIN { exit(0); }' >clause.d
printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0' >narrow.o
cp old.o other_machine.o
printf '\10\0' | dd of=other_machine.o bs=1 seek=18 conv=notrunc 2>/dev/null
is "a provider without probes" 1 "provider a declares no probes" -h -s empty.d
test ! -e empty.h
check $? "leaves no header"
is "a type nobody knows" 1 "nosuch_t" -h -s type.d
is "too many arguments" 1 "has 13 arguments" -h -s thirteen.d
is "probes of one macro" 1 "would both be the macro A_B_C" -h -s twice.d
is "clauses" 1 "holds declarations only" -G -s clause.d
is "no provider" 1 "no provider is declared" -h -n 'BEGIN {}' -o x.h
is "no script" 2 "needs a script" -h
is "no script for -G" 2 "needs a script" -G
is "no name for the header" 2 "needs an output file" -h -n 'provider a { probe b(); };'
is "an object that is not there" 1 "cannot read nosuch.o" -G -s a.d nosuch.o
is "an object that is none" 1 "a.d: not an ELF file" -G -s a.d a.d
is "a program" 1 "not an object file to be linked" -G -s a.d old
is "a 32-bit object" 1 "narrow.o: not a 64-bit" -G -s a.d narrow.o
is "another machine" 1 "other_machine.o is for machine 8" -G -s a.d other_machine.o
is "a probe that is not declared" 1 "no provider given declares that probe" -G -s a.d old.o
is "a folder that is not there" 1 "nosuch/x.o" -G -s a.d -o nosuch/x.o
is "a header there" 1 "nosuch/x.h" -h -s a.d -o nosuch/x.h

# N4: objects without a site of a declared provider, which a misspelt macro leaves behind
echo 'int x;' >none.c
printf '#include "a.h"\n#include "probes.h"\nint other(int n) { return n; }\n' >included.c
printf '#include "a.h"\nint f(void) { return A_B_ENABLED() ? 1 : 0; }\n' >asks.c
printf '#include "a.h"\nvoid g(void) { A_B(); }\n' >site.c
"$dtrace" -h -s a.d
for f in none included asks site; do cc -O2 -c $f.c; done
cc -O2 -c none.c -flto -o lto.o
is "an object without sites" 1 "No probe sites found for declared provider: no object given has a site of a." -G -s a.d -o n.o none.o
test ! -e n.o
check $? "leaves no object"
is "with the header and no macro" 1 "no object given has a site of a." -G -s a.d -o n.o included.o
is "one provider of two" 1 "no object given has a site of my_net." -C -G -s mydb.d -o n.o old.o
is "a site in one of several" 0 "" -G -s a.d -o n.o none.o site.o
is "who only asks whether it is enabled" 0 "" -G -s a.d -o n.o asks.o
is "an object of gcc -flto shows nothing" 0 "" -G -s a.d -o n.o lto.o
