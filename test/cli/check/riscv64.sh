# SPDX-License-Identifier: BSD-2-Clause
# The third machine, as far as a compiler can tell: every source of the library and of the commands compiles for riscv64, the
# table of src/machine agrees with its headers, and what -G writes for it can be linked. Nothing runs on it.
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
dtrace=${DTRACE:-build/dtrace}
check() { if [ "$1" -eq 0 ]; then echo "ok - $2"; else echo "not ok - $2"; head -n 20 "$tmp/log" | sed 's/^/  /'; fi; }
cc=riscv64-linux-gnu-gcc
if ! command -v $cc >/dev/null || ! echo '#include <stdio.h>' | $cc -fsyntax-only -x c - 2>/dev/null; then
	echo "ok - riscv64 # SKIP no compiler for it (Debian: gcc-riscv64-linux-gnu libc6-dev-riscv64-cross)"
	exit 0
fi

# headers of libraries say the same on every machine; those of the C library are the compiler's own
flags="-std=gnu17 -D_GNU_SOURCE -DDT_VERSION=\"0\" -Wall -Wextra -Wshadow -Werror -Isrc -Iinclude -Icmd/common
    -idirafter /usr/include -idirafter /usr/include/$(gcc -dumpmachine)"
for what in numbers compat; do tools/syscall-table $what $cc >"$tmp/$what.c"; done 2>"$tmp/log"
check $? "tables of system calls, without those of 32-bit programs"
# shellcheck disable=SC2086
ls src/*/*.c cmd/*.c cmd/*/*.c "$tmp"/*.c 2>/dev/null | grep -v '^cmd/web/' |
    xargs -n 40 -P 2 $cc $flags -fsyntax-only >"$tmp/log" 2>&1
check $? "every file compiles with -Werror"

# the registers by their names in regs.d, and the frame of a signal
{
	echo '#include <signal.h>
#include <stddef.h>
#include <sys/ucontext.h>
#include <asm/ptrace.h>
struct frame { siginfo_t info; ucontext_t uc; };'
	sed -n '/^\/\* riscv64 \*\//,/^$/s/^inline int R_\([A-Z0-9]*\) = \([0-9]*\);/\1 \2/p' dlib/regs.d | tr A-Z a-z |
	    sed 's/^epc/pc/' | while read -r name number; do
		echo "_Static_assert(offsetof(struct user_regs_struct, $name) == 8 * $number, \"R_$name\");"
	done
	sed -n 's/.*\.sigreturn = .*\.sp = \([0-9]*\), \.pc = \([0-9]*\), \.fp = \([0-9]*\) .*/\1 \2 \3/p' src/machine/riscv64.c |
	    while read -r sp pc fp; do
		for pair in "2 $sp" "0 $pc" "8 $fp"; do
			echo "_Static_assert(offsetof(struct frame, uc.uc_mcontext.__gregs[${pair% *}]) == ${pair#* }, \"frame\");"
		done
	done
	sed -n 's/^inline int SIGFRAME_\(MASK\|RESULT\) = .*/\0/p' dlib/regs.d |
	    sed 's/.*_MASK.* : \([0-9]*\);/uc.uc_sigmask \1/; s/.*_RESULT.*== 288 ? \([0-9]*\) .*/uc.uc_mcontext.__gregs[10] \1/' |
	    while read -r member at; do echo "_Static_assert(offsetof(struct frame, $member) == $at, \"frame\");"; done
	echo "_Static_assert(sizeof(struct user_regs_struct) == 8 * $(sed -n 's/.*\.words = \([0-9]*\),.*/\1/p' src/machine/riscv64.c), \"words\");"
} >"$tmp/table.c"
asserted=$(grep -c '^_Static_assert' "$tmp/table.c")
$cc -fsyntax-only "$tmp/table.c" >"$tmp/log" 2>&1
check $? "registers and frames are those of its headers"
[ "$asserted" -eq 37 ]
check $? "all of them ($asserted of 37) were compared"

cat >"$tmp/p.d" <<'END'
provider myprov { probe start(int, char *); probe done(); };
END
cat >"$tmp/u.c" <<'END'
void __dtrace_myprov___start(int, const char *);
void __dtrace_myprov___done(void);
int __dtraceenabled_myprov___start(long);
int main(int argc, char **argv)
{
	if (__dtraceenabled_myprov___start(0))
		__dtrace_myprov___start(argc, argv[0]);
	__dtrace_myprov___done();
	return 0;
}
END
$cc -O2 -c -o "$tmp/u.o" "$tmp/u.c" >"$tmp/log" 2>&1 && "$dtrace" -G -s "$tmp/p.d" -o "$tmp/p.o" "$tmp/u.o" >"$tmp/log" 2>&1
check $? "dtrace -G for its objects"
for how in -pie -no-pie -static; do
	$cc $how -o "$tmp/u" "$tmp/u.o" "$tmp/p.o" >"$tmp/log" 2>&1
	check $? "linked with $how"
	# the last word of the function is the distance of the semaphore from it
	nm "$tmp/u" >"$tmp/log"
	at=$(sed -n 's/^\([0-9a-f]*\) . __dtraceenabled_myprov___start$/\1/p' "$tmp/log")
	sem=$(sed -n 's/^\([0-9a-f]*\) . myprov_start_semaphore$/\1/p' "$tmp/log")
	word=$(riscv64-linux-gnu-objdump -s --start-address=$((0x$at + 20)) --stop-address=$((0x$at + 24)) "$tmp/u" |
	    sed -n 's/^ [0-9a-f]* \(..\)\(..\)\(..\)\(..\) .*/\4\3\2\1/p')
	[ -n "$word" ] && [ $((0x$at + 20 + 0x$word)) -eq $((0x$sem)) ]
	check $? "the semaphore is where the function looks for it ($how)"
done
readelf -n "$tmp/u" >"$tmp/log" 2>&1
grep -q 'Arguments: -4@a0 8@a1' "$tmp/log"
check $? "its notes name arguments as the machine does"
