# SPDX-License-Identifier: BSD-2-Clause
# plockstat(1): the tables of a process that knows what it does with its locks (test/trigger/provider_locks.c).
. test/cli/helpers.inc
may_trace "plockstat"
victim=${BUILD:-build}/test/provider_locks
plockstat=$tmp/plockstat
ln -s "$(realpath "$dtrace")" "$plockstat"

report() {	# ARGS…: $status, $tmp/out, $tmp/err
	timeout 240 "$plockstat" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}
# count TITLE LOCK CALLER: in the table of that title; CALLER may be one of a|b, where a compiler may make a jump of a call
count() {
	awk -v title="$1" -v lock="$2" -v caller="$3" '
	/^(Mutex|R\/W) / { in_it = $0 == title }
	in_it && $3 == "provider_locks`" lock && $4 ~ "^provider_locks`(" caller ")[+]" { print $1 }' "$tmp/out"
}
counted() {	# TITLE LOCK CALLER N
	[ "$(count "$1" "$2" "$3")" = "$4" ]
	check $? "$1: $2 by $3 $4 times"
}

report -A "$victim"
check "$status" "a command with locks"
counted "Mutex block" mutex mutex_waiter 1
counted "R/W writer block" rw writer 1
counted "Mutex hold" mutex main 100
counted "Mutex hold" mutex mutex_waiter 1
counted "Mutex hold" recursive main 1
counted "R/W reader hold" rw "wait_for|give_rw" 1
counted "R/W writer hold" rw writer 1
grep -q '^Count     nsec Lock                         Caller$' "$tmp/out" && grep -q '^-\{79\}$' "$tmp/out"
check $? "the historic layout"

report "$victim"
! grep -q hold "$tmp/out" && [ "$(count "Mutex block" mutex mutex_waiter)" = 1 ]
check $? "contention is the default"
report -H -n 1 "$victim"
[ "$(awk '/^Mutex hold/ { in_it = 1 } /^R\/W/ { in_it = 0 } in_it && /^ *[0-9]/' "$tmp/out" | wc -l)" -eq 1 ]
check $? "-n 1: a row of each table"
report -H -s 4 "$victim"
awk '/ 100 .*provider_locks`main/ { in_it = 1 } in_it && /\|/ { k = split($0, part, "|"); n += part[k] }
	in_it && /^-/ { exit } END { exit n != 100 }' "$tmp/out"
check $? "-s: the distribution has every event"
grep -q 'Time Distribution --- count Stack' "$tmp/out" && grep -q 'libc.so.6`__libc_start' "$tmp/out"
check $? "-s: stacks"
report -V -e 1 -C sleep 100
check "$status" "-e ends it"
grep -q 'vvvv D program' "$tmp/err" && grep -q 'tick-1s' "$tmp/err"
check $? "-V shows the program"

# -p: a process that runs already, and goes on
sleep 100 &
sleeper=$!
report -v -e 1 -p $sleeper
[ "$status" -eq 0 ] && grep -q "tracing enabled for pid $sleeper" "$tmp/err" && kill -0 $sleeper
check $? "-p: it goes on"
kill $sleeper
wait $sleeper 2>/dev/null

# P8: names of C++ are shown as they are written, and functions of std:: that take locks are no callers
cat >"$tmp/locks.cc" <<'END'
#include <mutex>
namespace shop {
struct Till {
	std::mutex lock;
	__attribute__((noinline)) void sell(int n, const char *what) { std::lock_guard<std::mutex> g(lock); sold += n + *what; }
	volatile long sold = 0;
};
}
static shop::Till till;
int main() { for (int i = 0; i < 50; i++) till.sell(i, "x"); return 0; }
END
if command -v g++ >/dev/null && g++ -O0 -fno-omit-frame-pointer -o "$tmp/locks_cxx" "$tmp/locks.cc" -lpthread 2>"$tmp/err"; then
	report -H "$tmp/locks_cxx"
	grep -qE '^ *50 +[0-9]+ locks_cxx`.* locks_cxx`shop::Till::sell\(int, char const\*\)' "$tmp/out" && ! grep -q '_ZN' "$tmp/out"
	check $? "names of C++"
else
	echo "ok - names of C++ # SKIP no g++"
fi

for bad in "" "-n 0 ls" "-e x ls" "-p 1 ls" "-Q ls" "-x nosuch ls"; do
	# shellcheck disable=SC2086
	report $bad
	[ "$status" -eq 2 ] && [ -s "$tmp/err" ]
	check $? "refused: plockstat $bad"
done
report /nonexistent
[ "$status" -eq 1 ] && grep -q nonexistent "$tmp/err"
check $? "a command that is not there"
report -p 2147483647
[ "$status" -eq 1 ] && grep -q 2147483647 "$tmp/err"
check $? "a process that is not there"

# Arguments of an enemy: the number of a process is not cut to that of another.
ln -sf "$(realpath "$dtrace")" "$tmp/plockstat"
ln -sf "$(realpath "$dtrace")" "$tmp/dtruss"
for name in plockstat dtruss; do
	for n in $((4294967296 + $$)) 2147483648 0 -1 1x 99999999999999999999; do
		timeout 240 "$tmp/$name" -p "$n" >"$tmp/out" 2>"$tmp/err" </dev/null
		status=$?
		[ $status -eq 1 ] || [ $status -eq 2 ]
		check $? "$name -p $n is refused: status $status"
	done
done
for option in -s -n -e; do
	timeout 240 "$tmp/plockstat" $option 9223372036854775807 true >"$tmp/out" 2>"$tmp/err" </dev/null
	[ $? -eq 2 ] && grep -q 'too large' "$tmp/err"
	check $? "plockstat $option 9223372036854775807 is refused"
done
