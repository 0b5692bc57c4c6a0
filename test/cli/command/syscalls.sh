# SPDX-License-Identifier: BSD-2-Clause
# src/table/syscalls.def is complete: every call of the build machine's headers has a row, every kind of a row has a
# decoder, and a row has as many kinds as types (test/cli/command/syscalls.awk). Faulty copies show that the check sees faults.
. test/cli/helpers.inc
def=src/table/syscalls.def
numbers=${BUILD:-build}/gen/syscalls.c

# faults DEF: a line for each fault
faults() { LC_ALL=C awk -v def="$1" -v calls="$tmp/calls" -f test/cli/command/syscalls.awk cmd/dtruss/*.c "$1" "$tmp/calls"; }

sed -n 's/^\t{ "\([a-z0-9_][a-z0-9_]*\)", .*/\1/p' "$numbers" >"$tmp/calls"
if [ "$(wc -l <"$tmp/calls")" -gt 300 ] && faults $def >"$tmp/out" && [ ! -s "$tmp/out" ]; then
	echo "ok - rows of all $(wc -l <"$tmp/calls") calls of this machine"
else
	echo "not ok - rows of all calls: $(head -n 5 "$tmp/out")"
fi

# sees WHAT TEXT EDIT: a copy of the table, edited with sed, has this fault
sees() {
	sed "$3" $def >"$tmp/copy.def"
	faults "$tmp/copy.def" >"$tmp/out"
	if ! cmp -s $def "$tmp/copy.def" && grep -qF -e "$2" "$tmp/out"; then
		echo "ok - a fault is seen: $1"
	else
		echo "not ok - a fault is seen: $1: $(head -n 5 "$tmp/out")"
	fi
}
sees "a call without a row" "openat: has no row" '/^S(openat,/d'
sees "a kind without a decoder" "read: there is no kind fdd" '/^S(read,/s/"fd /"fdd /'
sees "more kinds than types" "read: 3 types and 4 kinds" '/^S(read,/s/ulong"/ulong int"/'
sees "fewer kinds than types" "read: 3 types and 2 kinds" '/^S(read,/s/ ulong"/"/'
sees "a length that is no argument" "bind: no argument has the number in sockin7" '/^S(bind,/s/sockin2/sockin7/'
sees "a result without a decoder" "dup: there is no decoder of results =dupp" '/^S(dup,/s/=dup/=dupp/'
sees "an unknown letter" "read: letters DQ" '/^S(read,/s/"D"/"DQ"/'
sees "rows out of order" "rea: not in the order of the names" 's/^S(readv,/S(rea,/'
sees "no call of 64-bit programs" "mmap2: there is no call mmapp" '/^C(mmap2,/s/mmap)/mmapp)/'

# Another number in the headers than in the row: the build must fail.
if sed -n 's/^_Static_assert.*__NR_\([a-z0-9_]*\) == \([0-9]*\).*/\1 \2/p' "$numbers" | grep -q .; then
	echo "ok - the build compares numbers of rows with those of the headers"
else
	echo "not ok - the build compares numbers of rows with those of the headers"
fi

# A machine without 32-bit programs, which only a compiler has to know: numbers of its headers and of newer calls, an empty map.
printf '#!/bin/sh\necho "#define __riscv 1"\necho "#define __NR_read 63"\n' >"$tmp/cc"
chmod +x "$tmp/cc"
tools/syscall-table numbers "$tmp/cc" >"$tmp/numbers" && tools/syscall-table compat "$tmp/cc" >"$tmp/compat"
if grep -q '"read", __NR_read' "$tmp/numbers" && grep -q '"mseal", 462' "$tmp/numbers" && ! grep -q '"write"' "$tmp/numbers" &&
    [ "$(grep -c '^	DT_COMPAT_NONE,$' "$tmp/compat")" -eq 1 ] && ! grep -q '^	["_]*[a-z0-9]' "$tmp/compat"; then
	echo "ok - a machine without 32-bit programs"
else
	echo "not ok - a machine without 32-bit programs: $(head -n 12 "$tmp/compat")"
fi
