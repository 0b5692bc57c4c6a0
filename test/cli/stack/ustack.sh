# SPDX-License-Identifier: BSD-2-Clause
# Names in user stacks: programs stripped and not, PIE and not, libraries mapped later, deleted files, code made at run time;
# also when the process has been gone for long. usym() and its kin, folding in aggregations, JSON.
. test/cli/helpers.inc
may_trace "user stacks"
cc=${CC:-gcc}
command -v "$cc" >/dev/null 2>&1 || { echo "ok - user stacks # SKIP no compiler ($cc)"; exit 0; }
[ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ] || { echo "ok - user stacks # SKIP process ids are those of a container"; exit 0; }
flags="-std=gnu17 -D_GNU_SOURCE -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls"
src=test/trigger/ustack_chain.c
tick=$(printf '\140')

# made NAME FLAGS…: the chain as $tmp/NAME
made() {
	name=$1
	shift
	# shellcheck disable=SC2086
	"$cc" $flags "$@" -o "$tmp/$name" $src -ldl >"$tmp/out" 2>"$tmp/err" || { bad "cannot build $name"; return 1; }
}

# chain WHAT PROGRAM FRAMES…: the frames, innermost first, that the stack begins with
chain() {
	what=$1 prog=$2
	shift 2
	run -q -c "$prog" -n 'syscall::getppid:entry /pid == $target/ { ustack(); }'
	begins "$what" "$@"
}

# begins WHAT FRAMES…: so do those lines of the output that are not empty, without offsets and blanks
begins() {
	what=$1
	shift
	sed 's/^ *//; s/+0x[0-9a-f]*$//; /^$/d' "$tmp/out" | head -n $# >"$tmp/got"
	for frame; do echo "$frame"; done >"$tmp/want"
	cmp -s "$tmp/got" "$tmp/want"
	check $? "$what"
}

plain="${tick}chain_third"
made pie -fPIE -pie && chain "a position-independent program" "$tmp/pie" "pie$plain" "pie${tick}chain_second" "pie${tick}chain_first" "pie${tick}main"
made fixed -fno-pie -no-pie && chain "a program at a fixed address" "$tmp/fixed" "fixed$plain" "fixed${tick}chain_second" \
	"fixed${tick}chain_first" "fixed${tick}main"
made static -static && chain "a static program" "$tmp/static" "static$plain" "static${tick}chain_second" "static${tick}chain_first" \
	"static${tick}main"

# stripped: what is exported has its name still, the rest is module+address in the file (P3; mergestacks.sh has more of it)
cp "$tmp/pie" "$tmp/bare" && strip "$tmp/bare"
run -q -c "$tmp/bare" -n 'syscall::getppid:entry /pid == $target/ { ustack(); }'
sed 's/^ *//; /^$/d' "$tmp/out" | head -n 1 | grep -q '^bare+0x[0-9a-f]*$'
check $? "stripped: object and address"
made exports -fPIE -pie -rdynamic && strip "$tmp/exports"
chain "stripped: exported names" "$tmp/exports" "exports$plain" "exports${tick}chain_second"

# separate debug files: by .gnu_debuglink beside it, and .gnu_debugdata inside it
if command -v objcopy >/dev/null 2>&1; then
	cp "$tmp/pie" "$tmp/linked"
	objcopy --only-keep-debug "$tmp/linked" "$tmp/linked.debug"
	strip "$tmp/linked"
	(cd "$tmp" && objcopy --add-gnu-debuglink=linked.debug linked)
	chain "a debug file beside it" "$tmp/linked" "linked$plain" "linked${tick}chain_second" "linked${tick}chain_first"
	if command -v xz >/dev/null 2>&1; then
		cp "$tmp/pie" "$tmp/inside"
		objcopy --only-keep-debug "$tmp/inside" "$tmp/inside.debug"
		xz -k "$tmp/inside.debug"
		strip "$tmp/inside"
		objcopy --add-section .gnu_debugdata="$tmp/inside.debug.xz" "$tmp/inside"
		rm -f "$tmp/inside.debug"*
		chain "symbols compressed inside" "$tmp/inside" "inside$plain" "inside${tick}chain_second" "inside${tick}chain_first"
	fi
fi

# a library that is mapped after tracing has begun
echo 'int chain_inside(int (*f)(int), int x) { return f(x) + 1; }' >"$tmp/lib.c"
# shellcheck disable=SC2086
"$cc" $flags -fPIC -shared -o "$tmp/libinside.so" "$tmp/lib.c"
chain "a library opened later" "$tmp/pie -l $tmp/libinside.so" "pie$plain" "libinside.so${tick}chain_inside" "pie${tick}chain_second" \
	"pie${tick}chain_first" "pie${tick}main"

# gone long before anything is read: the records wait for a second, and -c is only the clock
printf '#!/bin/sh\n%s\n%s\nsleep 1.5\n' "$tmp/pie -n 3" "$tmp/pie -l $tmp/libinside.so" >"$tmp/short"
chmod +x "$tmp/short"
run -q -c "$tmp/short" -x switchrate=5s -x aggrate=5s -n '
syscall::getppid:entry /execname == "pie"/ { @[ustack(3)] = count(); }'
begins "processes that are gone" "pie$plain" "libinside.so${tick}chain_inside" "pie${tick}chain_second" 1 \
	"pie$plain" "pie${tick}chain_second" "pie${tick}chain_first" 3

# deleted while it runs
cp "$tmp/pie" "$tmp/doomed"
mkfifo "$tmp/gate"
"$tmp/doomed" -w -n 1 <"$tmp/gate" &
victim=$!
exec 9>"$tmp/gate"
waits test -e "/proc/$victim/exe"
waits grep -q doomed "/proc/$victim/maps"
rm "$tmp/doomed"
start -q -p "$victim" -n 'BEGIN { printf("ready\n"); } syscall::getppid:entry /pid == $target/ { ustack(2); exit(0); }'
echo >&9
exec 9>&-
wait "$victim"
wait "$tracer"
sed -i '/^ready/d' "$tmp/out"
begins "a file that was deleted" "doomed$plain" "doomed${tick}chain_second"

# how many frames
run -q -c "$tmp/pie" -n 'syscall::getppid:entry /pid == $target/ { ustack(2); }'
[ "$(grep -c 'pie' "$tmp/out")" -eq 2 ]
check $? "ustack(2)"
run -q -x ustackframes=3 -c "$tmp/pie" -n 'syscall::getppid:entry /pid == $target/ { ustack(); }'
[ "$(grep -c "$tick" "$tmp/out")" -eq 3 ]
check $? "-x ustackframes=3"
run -q -x noresolve -c "$tmp/pie" -n 'syscall::getppid:entry /pid == $target/ { ustack(1); }'
begins "-x noresolve" "$(sed 's/^ *//; /^$/d' "$tmp/out" | grep '^0x[0-9a-f]*$')"
[ -s "$tmp/want" ] && grep -q '^0x' "$tmp/got"
check $? "-x noresolve: an address"

# samples
run -q -c "$tmp/pie -b 600" -n 'profile-499 /pid == $target && arg1/ { @[ustack(4)] = count(); }'
grep -q "pie${tick}chain_third" "$tmp/out" && grep -q "pie${tick}chain_second" "$tmp/out"
check $? "profile and ustack() as a key"

# one symbol for many addresses
run -q -c "$tmp/pie -2 -n 3" -n '
syscall::getppid:entry /pid == $target/ { @f[ufunc(ucaller)] = count(); @m[umod(ucaller)] = count(); @a[uaddr(ucaller)] = count(); }
END { printa("f %A %@d\n", @f); printa("m %A %@d\n", @m); printa("a %A %@d\n", @a); }'
grep -qx "f pie${tick}chain_second 6" "$tmp/out" && grep -qx "m pie 6" "$tmp/out" &&
	[ "$(grep -cx "a pie${tick}chain_second+0x[0-9a-f]* 3" "$tmp/out")" -eq 2 ]
check $? "ufunc() and umod() fold, uaddr() does not"
run -q -c "$tmp/pie" -n 'sched_switch { @f[func(caller)] = count(); @m[mod(caller)] = count(); } END { printa("f %a %@d\n", @f); printa("m %a %@d\n", @m); }'
[ "$(grep '^f ' "$tmp/out" | awk '{ print $2 }' | sort | uniq -d | wc -l)" -eq 0 ] && ! grep -q '^f .*+0x' "$tmp/out" &&
	[ "$(grep -c '^m vmlinux' "$tmp/out")" -eq 1 ]
check $? "func() and mod() fold"
run -c "$tmp/pie" -n 'syscall::getppid:entry /pid == $target/ { usym(ucaller); umod(ucaller); uaddr(ucaller); }'
grep -q "getppid:entry   pie${tick}chain_second   *pie   *pie${tick}chain_second+0x[0-9a-f]* *\$" "$tmp/out"
check $? "usym(), umod(), uaddr()"

# names of data: variables with a value, without one, constants, a library's; memory that is nobody's has none
cat >"$tmp/data.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
int table[100] = { 1 };
static char room[64];
const char constant[] = "text";
__attribute__((noinline)) void known(const void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }
int main(void)
{
	known(table);
	known(&table[3]);
	known(room + 1);
	known(constant);
	known(stdout);
	known(malloc(10));
	known((void *)main);
	return 0;
}
END
if "$cc" -O1 -o "$tmp/data" "$tmp/data.c" 2>"$tmp/err"; then
	run -qc "$tmp/data" -n 'pid$target:a.out:known:entry { usym(arg0); printf(" %A\n", arg0); }'
	sed -i '/^$/d; s/^  *//; s/  */ /g; s/^0x[0-9a-f]* 0x[0-9a-f]*$/number/' "$tmp/out"
	cat >"$tmp/want" <<'END'
data`table data`table
data`table data`table+0xc
data`room data`room+0x1
data`constant data`constant
libc.so.6`_IO_2_1_stdout_ libc.so.6`_IO_2_1_stdout_
number
data`main data`main
END
	cmp -s "$tmp/out" "$tmp/want"
	check $? "names of data"
fi

# JSON
run -O json -c "$tmp/pie" -n 'syscall::getppid:entry /pid == $target/ { ustack(2); usym(ucaller); @[ustack(1)] = count(); }'
grep -q "\"action\":\"ustack\",\"value\":{\"pid\":[0-9]*,\"frames\":\[{\"address\":\"0x[0-9a-f]*\",\"symbol\":\"pie${tick}chain_third+0x" "$tmp/out" &&
	grep -q "\"symbol\":\"pie${tick}chain_second\"" "$tmp/out" && grep -q "\"keys\":\[{\"pid\":[0-9]*,\"frames\":.*chain_third" "$tmp/out"
check $? "JSON"

# code made at run time; the file must be the process's own
jit=${BUILD:-build}/test/ustack_jit
run -q -c "$jit" -n 'BEGIN { printf("%d\n", $target); } syscall::getppid:entry /pid == $target/ { ustack(1); }'
pid=$(head -n 1 "$tmp/out")
sed -i 1d "$tmp/out"
begins "a perf map" "perf-$pid.map${tick}jit_made"
rm -f "/tmp/perf-$pid.map"

# P10: whose code it is can be seen, and how it gets names is said once, at the end
hints() { grep -c 'has no names: ' "$tmp/err"; }
printf 'int nothing;\n' >"$tmp/lib.c" && "$cc" -shared -fPIC -o "$tmp/libjvm.so" "$tmp/lib.c"
"$cc" -D_GNU_SOURCE -o "$tmp/node" test/trigger/ustack_jit.c
"$cc" -D_GNU_SOURCE -o "$tmp/java" test/trigger/ustack_jit.c -Wl,--no-as-needed "$tmp/libjvm.so" -Wl,-rpath,"$tmp"
each='syscall::getppid:entry /pid == $target/ { @[ustack()] = count(); ustack(1); }'
run -q -c "$tmp/java -" -n "$each"
pid=$(sed -n 's/.*"jcmd \([0-9]*\) Compiler.perfmap".*/\1/p' "$tmp/err")
[ "$(hints)" = 1 ] && [ "${pid:-0}" -gt 1 ] && tail -n 1 "$tmp/err" | grep -q 'code that Java has compiled in process'
check $? "how Java names its code"
run -q -c "$tmp/node -" -n "$each"
[ "$(hints)" = 1 ] && grep -q 'Node.js.*--perf-basic-prof' "$tmp/err"
check $? "how Node.js does"
run -q -c "$tmp/node" -n "BEGIN { printf(\"%d\n\", \$target); } $each"
[ "$(hints)" = 0 ] && grep -q jit_made "$tmp/out"
check $? "not where there are names"
rm -f "/tmp/perf-$(head -n 1 "$tmp/out").map"
run -q -c "$jit -" -n "$each"
[ "$(hints)" = 0 ]
check $? "nor where it is not known whose code it is"

# C++ names
cat >"$tmp/names.cc" <<'END'
#include <unistd.h>
__attribute__((noinline)) long call(int n) { volatile long r = getppid(); return r + n; }	/* not seen: the wrapper makes no frame */
namespace far { struct thing { __attribute__((noinline)) long go(int n) { volatile long r = call(n); return r; } }; }
int main() { far::thing t; volatile long r = t.go(2); return r > 0 ? 0 : 1; }
END
if command -v g++ >/dev/null 2>&1 && g++ -O1 -fno-omit-frame-pointer -o "$tmp/names" "$tmp/names.cc" 2>"$tmp/err"; then
	run -q -c "$tmp/names" -n 'syscall::getppid:entry /pid == $target/ { ustack(); }'
	grep -q "names${tick}_ZN3far5thing2goEi+0x" "$tmp/out"
	check $? "C++ names as the compiler made them"
	run -q -x demangle -c "$tmp/names" -n 'syscall::getppid:entry /pid == $target/ { ustack(); }'
	grep -q "names${tick}far::thing::go(int)+0x" "$tmp/out"
	check $? "-x demangle"
fi

# S D9, P 4.15: ustackdepth counts what ustack() shows, also where the kernel's own walk would stop
run -q -x ustackframes=400 -n 'syscall::getppid:entry /pid == $target/ { printf("depth %d\n", ustackdepth); ustack(400); exit(0); }' -c "${BUILD:-build}/test/deep"
[ "$(sed -n 's/^depth //p' "$tmp/out")" = "$(grep -c '^  ' "$tmp/out")" ] && [ "$(grep -c down "$tmp/out")" -ge 300 ]
check $? "ustackdepth of a deep stack: $(sed -n 's/^depth //p' "$tmp/out")"

# N11: as many frames as are asked for; what the kernel walks itself is cut, and that is said
for frames in 600 5000 65535; do
	run -q -c "${BUILD:-build}/test/deep 20000" -n 'syscall::getppid:entry /pid == $target/ { printf("depth %d\n", ustackdepth); ustack('$frames'); exit(0); }'
	want=$(sed -n 's/^depth //p' "$tmp/out")
	[ "$want" -gt 20000 ] && [ "$(grep -c '^  ' "$tmp/out")" = $((frames < want ? frames : want)) ]
	check $? "ustack($frames) of a stack of $want frames"
done
run -q -x ustackframes=2000 -c "${BUILD:-build}/test/deep 20000" -n 'syscall::getppid:entry /pid == $target/ { ustack(); exit(0); }'
[ "$(grep -c '^  ' "$tmp/out")" = 2000 ]
check $? "-x ustackframes"
run -q -x unwind=fp -x ustackframes=2000 -c "${BUILD:-build}/test/deep" -n 'syscall::getppid:entry /pid == $target/ { ustack(); exit(0); }'
is "fewer frames than asked for are told" 0 "frames, not 2000: sysctl kernel.perf_event_max_stack"
