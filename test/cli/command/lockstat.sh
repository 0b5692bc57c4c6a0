# SPDX-License-Identifier: BSD-2-Clause
# lockstat(1): threads that fight for a mutex, a semaphore and a spinlock of readers and writers (test/trigger/provider_lockstat.c).
# alone
. test/cli/helpers.inc
may_trace "lockstat"
load=${BUILD:-build}/test/provider_lockstat
lockstat=$tmp/lockstat
ln -s "$(realpath "$dtrace")" "$lockstat"

report() {	# ARGS…: $status, $tmp/out, $tmp/err
	timeout 240 "$lockstat" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}
"$load" fight "$tmp/file" &
fighter=$!
trap 'kill -9 $fighter 2>/dev/null; rm -rf "$tmp"' EXIT

# until_seen NUMBER: until the event is in a report; a busy machine may need more than one
until_seen() {
	for i in 1 2 3 4 5 6 7 8 9 10; do
		report -p -k sleep 1
		awk -F '\t' -v e="$1" '$1 == e { found = 1 } END { exit !found }' "$tmp/out" && return 0
	done
	return 1
}
until_seen 1
check $? "adaptive mutex block"
until_seen 4
check $? "R/W writer block"
awk -F '\t' 'NF != 8 || $3 <= 0 || $4 > 100 || $6 < 0 { bad = 1 } END { exit bad || NR == 0 }' "$tmp/out"
check $? "-p: eight fields, and numbers that can be"
awk -F '\t' '{ n[$1] += $4; last[$1] = $5 } END { for (e in n) if (n[e] < 99.5 || n[e] > 100.5 || last[e] < 99.5) exit 1 }' "$tmp/out"
check $? "shares come to 100 %"
awk -F '\t' '$1 == 4 && $8 ~ /write/ { found = 1 } END { exit !found }' "$tmp/out"
check $? "the caller is the function that writes, none of locks"
! awk -F '\t' '{ print $8 }' "$tmp/out" | grep -q '^mutex_lock\|^_raw_\|^down_'
check $? "no function of locks is a caller"

report sleep 1
[ "$status" -eq 0 ] && grep -q '^[AR].*: [0-9]* events in [0-9.]* seconds ([0-9]* events/sec)$' "$tmp/out" &&
    grep -q '^Count indv cuml rcnt     nsec Lock                   Caller$' "$tmp/out" && grep -q '^-\{79\}$' "$tmp/out"
check $? "the historic layout"
awk '/ events in / { want = $0; sub(/.*: /, "", want); total = want + 0; n = 0 } /^ *[0-9]+ +[0-9]+%/ { n += $1 }
	/^-+$/ { if (++rules % 2 == 0 && n != total) bad = 1 } END { exit bad || rules < 2 }' "$tmp/out"
check $? "rows come to the number in the title"
report -h -e 0,1,4,8,9 -D 1 sleep 1
awk '/ events in / { n = 0 } /^ *[0-9]+ +[0-9]+%/ { want = $1; n = 0 } / \|/ { k = split($0, part, "|"); n += part[k] }
	/^$/ && n > 0 { if (n != want) bad = 1; n = 0; seen++ } END { exit bad || !seen }' "$tmp/out"
check $? "-h: the distribution has every event"
report -wW -D 5 sleep 1
awk '/^ *[0-9]+ +[0-9]+%/ { n++ } / events in / { n = 0; tables++ } n > 1 { bad = 1 } END { exit bad || !tables }' "$tmp/out"
check $? "-wW: one row of each event"
grep -q 'Hottest Lock .*Hottest Caller' "$tmp/out"
check $? "-wW: the hottest are shown"
report -s 3 -e 4 sleep 1
grep -q 'Time Distribution .* Stack$' "$tmp/out"
check $? "-s: stacks"
report -T -e 1,4 sleep 1
grep -q '^R/W writer block  *[0-9]* ns ' "$tmp/out" && grep -q 'vmlinux`' "$tmp/out"
check $? "-T: each event with its stack"
report -d 3600000000000 sleep 0.2
[ "$status" -eq 0 ] && [ ! -s "$tmp/out" ]
check $? "-d: nothing takes an hour"
report -l 0x10,8 sleep 0.2
[ "$status" -eq 0 ] && [ ! -s "$tmp/out" ]
check $? "-l: nobody has a lock there"
report -Ip -i 199 -k sleep 1
awk -F '\t' '$1 != 56 || $7 !~ /^cpu\[[0-9]+\]$/ { bad = 1 } { n += $3 } END { exit bad || n < 20 }' "$tmp/out"
check $? "-I: samples of CPUs"
report -g -I sleep 0.5
grep -q 'genr' "$tmp/out"
check $? "-g: whole stacks"
report -o "$tmp/file.out" -C sleep 0.5
[ ! -s "$tmp/out" ] && grep -q 'events in' "$tmp/file.out"
check $? "-o"
kill -9 $fighter
wait $fighter 2>/dev/null

# Holding needs functions of the kernel; where they cannot be traced, that is said.
if listed 'lockstat:::adaptive-acquire'; then
	report -H -p "$load" calls "$tmp/calls"
	awk -F '\t' '$1 == 32 { n += $3 } END { exit n < 20 }' "$tmp/out"
	check $? "-H: mutexes are held"
else
	report -H true
	[ "$status" -eq 1 ] && grep -q 'Adaptive mutex hold.*functions' "$tmp/err"
	check $? "-H without functions: why"
fi
report -e 33 true
[ "$status" -eq 1 ] && grep -q 'Spin lock hold' "$tmp/err"
check $? "-e 33: why there is none"
for bad in "" "-e 77 true" "-e 5 true" "-e 1- true" "-D x true" "-l nosuchlock true" "-f fork,0 true" "-Q true" "-T -f 0x10 true"; do
	# shellcheck disable=SC2086
	report $bad
	[ "$status" -eq 2 ] && [ -s "$tmp/err" ]
	check $? "refused: lockstat $bad"
done
report /nonexistent
[ "$status" -eq 1 ] && grep -q nonexistent "$tmp/err"
check $? "a command that is not there"

# Arguments of an enemy, and links that others have laid for -o (A5).
for n in 0 -1 1x 99999999999999999999 9223372036854775807 ''; do
	for option in -s -n -d -i -D; do
		report $option "$n" true
		[ $status -eq 2 ] && grep -q -e "lockstat: $option" "$tmp/err"
		check $? "lockstat $option '$n' is refused: status $status"
	done
done
for list in 64 1- -5 3-1 1,,2 99999999999999999999 1x; do
	report -e "$list" true
	[ $status -eq 2 ]
	check $? "lockstat -e $list is refused: status $status"
done
report -l "nosuch$(printf '\033')[2J" true
[ $status -eq 2 ]
check $? "lockstat -l: no such symbol"
mkdir -m 1777 "$tmp/public" && chmod 755 "$tmp"
echo precious >"$tmp/precious"
ln -s "$tmp/precious" "$tmp/public/link"
if chown -h 65534 "$tmp/public/link" 2>/dev/null; then
	report -o "$tmp/public/link" true
	[ $status -eq 1 ] && grep -q 'Permission denied' "$tmp/err" && [ "$(cat "$tmp/precious")" = precious ]
	check $? "lockstat -o does not follow a link of others"
fi
report -o "$tmp/report" sleep 0.1
[ $status -eq 0 ] && [ "$(stat -c %a "$tmp/report")" = 644 ]
check $? "lockstat -o"
