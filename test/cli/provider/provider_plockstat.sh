# SPDX-License-Identifier: BSD-2-Clause
# plockstat: locks of a process that knows what it does with them (test/trigger/provider_locks.c).
. test/cli/helpers.inc
may_trace "plockstat probes"
victim=${BUILD:-build}/test/provider_locks

run -q -c "$victim" -n '
plockstat$target:::mutex-acquire, plockstat$target:::mutex-release { @[probename, arg0, arg1] = count(); }
plockstat$target:::mutex-error { @[probename, arg0, arg1] = count(); }
plockstat$target:::rw-acquire, plockstat$target:::rw-release { @[probename, arg0, arg1] = count(); }
plockstat$target:::mutex-block { @[probename, arg0, 0] = count(); }
plockstat$target:::mutex-blocked { @[probename, arg0, arg1] = count(); }
plockstat$target:::rw-block { @[probename, arg0, arg1] = count(); }
plockstat$target:::rw-blocked { @[probename, arg0, arg2] = count(); }
END { printa("%s %#lx %d %@d\n", @); }'
check "$status" "a process with locks is traced"
read -r mutex recursive rw <<END
$(grep '^0x' "$tmp/out")
END
has() {
	grep -qx -e "$1" "$tmp/out"
	check $? "$2"
}
# waiting in vain is not told apart from being woken too early: a thread may sleep more than once
some() {
	grep -q -e "^$1 [1-9]" "$tmp/out"
	check $? "$2"
}
has "mutex-acquire $mutex 0 102" "mutex-acquire; trylock in vain is none"
has "mutex-release $mutex 0 102" "mutex-release"
has "mutex-acquire $recursive 0 1" "mutex-acquire of a recursive mutex, first"
has "mutex-acquire $recursive 1 2" "mutex-acquire of a recursive mutex, again"
has "mutex-release $recursive 1 2" "mutex-release of a recursive mutex"
has "mutex-error $recursive 1 1" "mutex-error: EPERM"
some "mutex-block $mutex 0" "mutex-block"
has "mutex-blocked $mutex 1 1" "mutex-blocked"
has "rw-acquire $rw 0 1" "rw-acquire by a reader"
has "rw-acquire $rw 1 1" "rw-acquire by a writer"
has "rw-release $rw 0 1" "rw-release by a reader"
has "rw-release $rw 1 1" "rw-release by a writer"
some "rw-block $rw 1" "rw-block by a writer"
has "rw-blocked $rw 1 1" "rw-blocked"

# Two clauses of one probe see the same.
run -q -c "$victim" -n '
plockstat$target:::mutex-blocked { @a = count(); }
plockstat$target:::mutex-blocked { @b = count(); }
END { printa("a %@d ", @a); printa("b %@d\n", @b); }'
is "two clauses" 0 "a 1 b 1"

# L4: there, and never fire
run -v -q -n 'plockstat$target:::mutex-spin, plockstat$target:::mutex-spun { x = 1; } END { printf("fired %d\n", x); }' -c "$victim"
is "mutex-spin and mutex-spun never fire" 0 "fired 0"
is "-v says why" 0 "glibc spins inside"
run -n 'plockstat:::mutex-block'
is "without a process" 1 "plockstat"
run -q -x follow -c "sh -c '$victim; :'" -n 'plockstat$target:::mutex-acquire { @[arg0] = count(); } END { printa("%#lx %@d\n", @); }'
grep -q ' 102$' "$tmp/out"
check $? "-x follow: locks of a process that the process makes"
