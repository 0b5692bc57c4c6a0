# SPDX-License-Identifier: BSD-2-Clause
# plockstat without rights: the locks of a process that knows what it does with them (test/trigger/provider_locks.c), seen inside of it.
# Returns are seen where the code of the C library shows them, and return addresses stay as they are.
. test/cli/helpers.inc
. test/trigger/ordinary_user.sh
build=${BUILD:-build}
ordinary_user "plockstat of an ordinary user" "$build/test/provider_locks"
needs_engine_process
victim=$tmp/provider_locks
ln -s dtrace "$tmp/plockstat"
has() {
	grep -qx -e "$1" "$tmp/out"
	check $? "$2"
}
some() {	# a thread may sleep more than once before it gets the lock
	grep -q -e "^$1 [1-9]" "$tmp/out"
	check $? "$2"
}
addresses() {
	read -r mutex recursive rw <<-END
	$(grep '^0x' "$tmp/out")
	END
}
held='
plockstat$target:::mutex-acquire, plockstat$target:::mutex-release { @[probename, arg0, arg1] = count(); }
plockstat$target:::mutex-error { @[probename, arg0, arg1] = count(); }
plockstat$target:::rw-acquire, plockstat$target:::rw-release { @[probename, arg0, arg1] = count(); }
plockstat$target:::rw-error { @[probename, arg0, arg1] = count(); }
END { printa("%s %#lx %d %@d\n", @); }'
all_held() {
	addresses
	has "mutex-acquire $mutex 0 102" "$1: mutex-acquire; trylock in vain is none"
	has "mutex-release $mutex 0 102" "$1: mutex-release"
	has "mutex-acquire $recursive 0 1" "$1: mutex-acquire of a recursive mutex, first"
	has "mutex-acquire $recursive 1 2" "$1: mutex-acquire of a recursive mutex, again"
	has "mutex-release $recursive 1 2" "$1: mutex-release of a recursive mutex"
	# without symbols of the C library, on x86-64 the end of what it jumps to may be too short to be changed
	if grep -q 'could not be enabled' "$tmp/err"; then
		ok "$1: mutex-error # SKIP $(grep 'could not be enabled' "$tmp/err")"
	else
		has "mutex-error $recursive 1 1" "$1: mutex-error: EPERM, of a function that ends with a jump"
	fi
	has "rw-acquire $rw 0 1" "$1: rw-acquire by a reader"
	has "rw-acquire $rw 1 1" "$1: rw-acquire by a writer"
	has "rw-release $rw 0 1" "$1: rw-release by a reader"
	has "rw-release $rw 1 1" "$1: rw-release by a writer"
	! grep -q '^rw-error' "$tmp/out"
	check $? "$1: no rw-error"
}
run -q -c "$victim" -n "$held"
check "$status" "-c: a process with locks is traced"
all_held "-c"

# a process that runs already: the answers are the same
mkfifo "$tmp/go"
: >"$tmp/own" && chmod 666 "$tmp/own"
as sh -c 'echo $$ >"$0"; exec "$1" wait' "$tmp/own" "$victim" <"$tmp/go" >"$tmp/said" 2>&1 &
started=$!
exec 5>"$tmp/go"
waits test -s "$tmp/own"
pid=$(cat "$tmp/own")
waits sh -c "[ \"\$(cat /proc/$pid/comm 2>/dev/null)\" = provider_locks ] && grep -q libc /proc/$pid/maps"
: >"$tmp/out"
as timeout 240 "$tmp/dtrace" -q -x switchrate=20ms -p $pid -n "BEGIN { printf(\"ready\n\"); } $held" >"$tmp/out" 2>"$tmp/err" </dev/null &
tracer=$!
waits sh -c "grep -q ready $tmp/out || ! kill -0 $tracer 2>/dev/null"
if grep -q 'ptrace_scope' "$tmp/err"; then
	ok "-p # SKIP $(head -n 1 "$tmp/err")"
	kill $pid
else
	echo go >&5
	wait $tracer
	check $? "-p: a process with locks is traced"
	wait $started
	check $? "-p: it ends as without probes"
	cat "$tmp/said" >>"$tmp/out"
	all_held "-p"
fi
exec 5>&-

# the command
report() { as timeout 240 "$tmp/plockstat" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; status=$?; }
count() {	# TITLE LOCK: all rows of that lock
	awk -v title="$1" -v lock="$2" '/^(Mutex|R\/W) / { in_it = $0 == title }
	in_it && $3 == "provider_locks`" lock { n += $1 } END { print n + 0 }' "$tmp/out"
}
report -H "$victim"
check "$status" "plockstat -H"
same "Mutex hold: mutex" "$(count "Mutex hold" mutex)" 102
same "Mutex hold: recursive" "$(count "Mutex hold" recursive)" 1
same "R/W reader hold" "$(count "R/W reader hold" rw)" 1
same "R/W writer hold" "$(count "R/W writer hold" rw)" 1

# contention: locks wait in futex(2)
run -q -c "$victim" -n 'syscall::futex:entry { }'
if [ "$status" -ne 0 ]; then
	ok "contention # SKIP $(head -n 1 "$tmp/err")"
	run -q -c "$victim" -n 'plockstat$target:::mutex-block { }'
	is "mutex-block is refused" 1 "mutex-block fires in the kernel"
	exit 0
fi
run -q -c "$victim" -n '
plockstat$target:::mutex-block { @[probename, arg0, 0] = count(); }
plockstat$target:::mutex-blocked { @[probename, arg0, arg1] = count(); }
plockstat$target:::rw-block { @[probename, arg0, arg1] = count(); }
plockstat$target:::rw-blocked { @[probename, arg0, arg2] = count(); }
END { printa("%s %#lx %d %@d\n", @); }'
check "$status" "a process that waits for locks"
addresses
some "mutex-block $mutex 0" "mutex-block"
has "mutex-blocked $mutex 1 1" "mutex-blocked"
some "rw-block $rw 1" "rw-block by a writer"
has "rw-blocked $rw 1 1" "rw-blocked"
report -A "$victim"
check "$status" "plockstat -A"
same "Mutex block" "$(count "Mutex block" mutex)" 1
same "R/W writer block" "$(count "R/W writer block" rw)" 1
same "-A: Mutex hold" "$(count "Mutex hold" mutex)" 102
