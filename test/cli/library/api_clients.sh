# SPDX-License-Identifier: BSD-2-Clause
# Programs of users of libdtrace, compiled against its headers and the shared library alone: in C, one for each habit of
# the historic clients (L1 to L7), and in Python through ctypes (R 5: "not usable from other languages for its main purpose").
: "${BUILD:=build}"
. test/cli/helpers.inc
if [ "$(id -u)" -ne 0 ] || [ ! -e "$BUILD/libdtrace.so" ]; then
	echo "ok - clients of the library # SKIP tracing needs root, and a shared library"
	exit 0
fi
library=$(cd "$BUILD" && pwd)/libdtrace.so
sanitized=
nm -D "$library" | grep -q __asan && sanitized="-fsanitize=address,undefined"

# client NAME: compiles test/client/NAME.c against copies of the headers, away from this tree
cp -r include "$tmp/include"
client() {
	cc $sanitized -Wall -Wextra -Werror -I"$tmp/include" -o "$tmp/$1" "test/client/$1.c" "$library" \
	    -Wl,-rpath,"$(dirname "$library")" 2>"$tmp/err" && return 0
	echo "not ok - $1.c compiles: $(head -n 5 "$tmp/err")"
	return 1
}

cat >"$tmp/victim.c" <<'END'
#include <unistd.h>
__attribute__((noinline)) int often(void) { int n = 0; for (int i = 0; i < 50; i++) n += getppid() > 0; return n; }
__attribute__((noinline)) int seldom(void) { return getppid() + 1; }
int main(void) { return often() + seldom() < 2; }
END
if client callers && cc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o "$tmp/victim" "$tmp/victim.c"; then
	"$tmp/callers" "$tmp/victim" >"$tmp/out" 2>&1
	same "a C program joins aggregations" "$? $(sed 's/+0x[0-9a-f]*//; s/  */ /g' "$tmp/out" | LC_ALL=C sort | tr '\n' ',')" \
	    '0 3 1 some getppid victim`seldom,3 50 some getppid victim`often,@hist getppid 51,System calls,'
fi

# L1: strings have more than 8 bytes, however short they are; L2: the first dtrace_work() has BEGIN's records
if client records; then
	same "strings by their size, seen at once (L1, L2)" "$("$tmp/records" 'BEGIN { trace("R"); trace("foo"); trace("seven77");
	    trace(7); printf("%s %d", "x", 300); trace(execname); trace(""); @["R", 5] = count(); @b["seven77", "1"] = sum(2); }' 2>&1)" \
	    "BEGIN: 'R' 'foo' 'seven77' 7 'x' 300 'records' ''
5 strings of the same size
@_, first key at 16: 'R' 5 1
@b, first key at 16: 'seven77' '1' 2"
	same "and with strsize=4 (L1)" "$("$tmp/records" 'BEGIN { trace("R"); trace("seven77"); @[execname] = count(); }' 4 2>&1)" \
	    "BEGIN: 'R' 'seve'
2 strings of the same size
@_, first key at 16: 'reco' 1"
fi
if client jump; then
	same "callbacks left by longjmp() (L3)" "$("$tmp/jump" 2>&1)" "after two jumps: 0, 5 records, sum 31
stop 0
at the end: 1, 6 records, sum 63
all elements but one: 0, 2 records, sum 0
text: 1, 3 records, sum 0"
fi
# L4: plockstat and lockstat enable all of their clauses or none
if client locks; then
	same "the probes of lockstat(1) and plockstat(1) (L4)" "$("$tmp/locks" "$tmp/victim" 2>&1)" "lockstat: 8 clauses, a probe each, 8 aggregates
plockstat\$target: 12 clauses, a probe each, 12 aggregates
some fired"
fi
if client percpu; then
	same "aggregations by CPU (L5)" "$("$tmp/percpu" 2>&1)" "getppid 20, by CPU 20
getppid 10, by CPU 10"
fi
# L6: names, and a listing on standard error; L7: keys are records, and messages of the library
if client headers; then
	same "records of an aggregation (L7)" "$("$tmp/headers" 'BEGIN { @a[execname, 2] = count(); trace(1); }' 2>"$tmp/err")" \
	    "4 records, 1 aggregates"
	grep -q '^DIFO 0x' "$tmp/err" && grep -q ' ret ' "$tmp/err"
	same "DTRACE_C_DIFV lists on standard error (L6)" $? 0
	same "_dtrace_version and _dtrace_debug (L6)" "$("$tmp/headers" 2>"$tmp/err"), $(grep -c '^libdtrace DEBUG [0-9]*: error 1[0-9]*: ' "$tmp/err")" \
	    "D 1.14, debug 0, 1"
	for how in 'DTRACE_DEBUG=1 dtrace' 'dtrace -x debug'; do
		sh -c "${how%dtrace*}\"\$1\" ${how#*dtrace} -qn 'BEGIN { exit(0); }'" - "$BUILD/dtrace" >/dev/null 2>"$tmp/err"
		same "$how tells what is done (L7)" "$(sed -n 's/^libdtrace DEBUG [0-9]*: //; s/^loaded .*/loaded/p; s/^compiled .*/compiled/p; s/^stopping$/&/p' "$tmp/err" | tr '\n' ' ')" \
		    "compiled loaded stopping "
	done
	DTRACE_DEBUG=0 "$BUILD/dtrace" -qn 'BEGIN { exit(0); }' >/dev/null 2>"$tmp/err"
	same "DTRACE_DEBUG=0 does not (L7)" "$(wc -c <"$tmp/err")" 0
fi

if ! command -v python3 >/dev/null; then
	echo "ok - Python # SKIP no python3"
elif [ -n "$sanitized" ]; then
	echo "ok - Python # SKIP the library is made for the sanitizers, which python3 is not"
else
	same "a Python program reads aggregations and text" "$(python3 test/client/counts.py "$library" 2>&1)" \
	    "[('begun 1', 3)] [('getpgid', True, 1), ('getppid', True, 100)]"
fi
