# SPDX-License-Identifier: BSD-2-Clause
# Every attack of H 1, H 2 and H 3 at once, on one trace of all processes: it ends, counts what it is about, names it, and neither it nor
# any of its readers has more than the budget of names (256 MB) and 64 MB.
# alone
. test/trigger/bounded.sh
. test/trigger/hostile.sh
may_trace "all attacks at once"
build=${BUILD:-build}
tick=$(printf '\140')

# files that cost their reader much (H 1a, 1b, 3a, 3b), mapped by one process
set --
for i in 1 2 3; do
	"$build/test/hostile_elf" notes "$tmp/notes$i" 4 200
	"$build/test/hostile_elf" sections "$tmp/sections$i"
	"$build/test/hostile_elf" frames "$tmp/frames$i" 200 240
	"$build/test/hostile_elf" link "$tmp/link$i" 1 300
	set -- "$@" "$tmp/notes$i" "$tmp/sections$i" "$tmp/frames$i" "$tmp/link$i"
done
chown 65534 "$@"
mkfifo "$tmp/go"
exec 9<>"$tmp/go"
: >"$tmp/mapped"
"$build/test/hostile_map" 100 "$@" <"$tmp/go" >"$tmp/mapped" &
mapper=$!
attackers=$mapper
waits grep -q mapped "$tmp/mapped"
attack 0 jit 32000			# H 1d, H 3c
attack 0 jit 32000
attack 65400 liar 2000			# H 2a
attack 65000 churn			# H 2b
attack 0 rename 140000			# H 6

"$build/test/peak" "$tmp/peak" $space "$dtrace" -x switchrate=20ms -wqn 'BEGIN { printf("ready\n"); }
    syscall::getppid:entry { @all[execname, ustack()] = count(); } syscall::getppid:entry /ppid == $1 && execname == "calls"/ { @[ustack()] = count(); @sum = count(); }
    syscall::getpgid:entry /ppid == $1/ { printf("called\n"); }
    END { trunc(@all); printa("counted %@d\n", @sum); printa(@); }' $$ >"$tmp/out" 2>"$tmp/err" </dev/null &
peaker=$!
waits grep -q ready "$tmp/out"
echo go >&9
for n in 100 200; do
	"$calls" $n hang &
	attackers="$attackers $!"
done
both() { [ "$(grep -c called "$tmp/out")" -eq 2 ]; }
waits both
check $? "calls are seen while all attacks are on"
sleep 3					# for the attackers to go on
began=$(date +%s%N)
kill -INT $peaker
wait $peaker
status=$? peak=$(cat "$tmp/peak")
is "SIGINT ends the trace ($((($(date +%s%N) - began) / 1000000)) ms), the count is right" 0 "counted 300"
grep -q "calls${tick}main" "$tmp/out"
check $? "what was called has names"
fits "memory" 320
peaceful
