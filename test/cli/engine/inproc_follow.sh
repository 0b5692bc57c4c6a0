# SPDX-License-Identifier: BSD-2-Clause
# The engine in the process: programs that a traced process executes, and with -x follow its children, are held until their probes are
# live: counts are those of the processes themselves, whatever way they were made. As root and as an ordinary user.
. test/cli/helpers.inc
build=${BUILD:-build}
births=$build/test/inproc_births
family=$build/test/family
case $births in /*) ;; *) births=$PWD/$births ;; esac
# a machine that is busy holds longer
inproc() { timeout 240 "$dtrace" -x engine=process -x exechold=30s "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; status=$?; }
inproc -qn 'BEGIN { exit(0); }'
if [ "$status" -ne 0 ]; then
	echo "ok - children that are followed # SKIP $(head -n 1 "$tmp/err")"
	exit 0
fi
said() { awk '$1 == "calls" { print $2 }' "$tmp/out"; }
counted() { awk -v w="$1" '$1 == w { n = $2 } END { print n + 0 }' "$tmp/out"; }
work='pid$target:a.out:work:entry { @ = count(); } END { printa("fired %@d\n", @); }'

# programs, without -x follow
inproc -qn "$work" -c "$births exec 12"
[ "$status" -eq 0 ] && [ "$(said)" = 52 ] && [ "$(counted fired)" -eq 52 ] && [ ! -s "$tmp/err" ]
check $? "a process that executes programs: $(counted fired) of $(said)"
inproc -qn 'pid$target:::entry /probefunc == "work"/ { @ = count(); } END { printa("fired %@d\n", @); }' -c "sh -c 'exec $births exec 3'"
[ "$status" -eq 0 ] && [ "$(said)" = 16 ] && [ "$(counted fired)" -eq 16 ]
check $? "functions of a program that another one executes: $(counted fired) of $(said)"
inproc -qn "$work" -c "$births fork 6"
[ "$status" -eq 0 ] && [ "$(said)" = 34 ] && [ "$(counted fired)" -eq 4 ] && [ ! -s "$tmp/err" ]
check $? "without -x follow children are not traced"

# with it, each way to make a process
for how in fork vfork spawn system thread missing signals; do
	inproc -x follow -qn "$work" -c "$births $how 8"
	[ "$status" -eq 0 ] && [ -n "$(said)" ] && [ "$(counted fired)" -eq "$(said)" ] && [ ! -s "$tmp/err" ]
	check $? "$how: $(counted fired) of $(said)"
done

# a tree, whose last processes are orphans that execute another program
inproc -x follow -qc "$family 3 3" -n 'pid$target:a.out:work:entry { @ = count(); } pid$target:a.out:work:return { @r = count(); } END { printa("made %@d", @); printa(" left %@d\n", @r); }'
[ "$status" -eq 0 ] && grep -q 'made 789 left 789' "$tmp/out"
check $? "functions of a tree of 40 processes, and the end is that of the last"
inproc -x follow -qc "$family 2 3" -n 'syscall::getpgid:entry { @ = count(); } END { printa("made %@d\n", @); }'
[ "$status" -eq 0 ] && grep -q 'made 258' "$tmp/out"
check $? "system calls of a tree of 13 processes"
inproc -x follow -qc "$family 1 4" -n 'pid$target:a.out:work:entry { @[pid] = count(); } END { printa("of %d: %@d\n", @); }'
[ "$status" -eq 0 ] && [ "$(grep -c '^of [0-9]*: 22' "$tmp/out")" -eq 4 ] && [ "$(grep -c '^of [0-9]*: 15' "$tmp/out")" -eq 1 ]
check $? "each has its own number"
inproc -x follow -qc "$family 1 2" -n 'pid$target:a.out:work:entry /pid != $target/ { @[ustack()] = count(); }'
grep -q 'family`work' "$tmp/out"
check $? "stacks of what is followed have names"

# -p: one that waits
mkfifo "$tmp/go"
"$family" 2 4 wait <"$tmp/go" >/dev/null &
worker=$!
exec 3>"$tmp/go"
start -x engine=process -x exechold=30s -q -x follow -p $worker -n 'BEGIN { printf("ready\n"); } pid$target:a.out:work:entry { @ = count(); } tick-10ms /!live_/ { live_ = 1; printf("live\n"); }
    END { printa("made %@d\n", @); }'
waits grep -q live "$tmp/out"
echo go >&3
exec 3>&-
wait "$worker"
wait "$tracer"
[ $? -eq 0 ] && grep -q 'made 427' "$tmp/out"
check $? "-p: what it makes from then on"

# the end of a trace, and a dtrace that is killed: parent and child are as they were
for how in INT KILL; do
	"$births" wait 2 <"$tmp/go" >"$tmp/victim" &
	victim=$!
	exec 5>"$tmp/go"
	start -x engine=process -x exechold=30s -x follow -qp $victim -n 'BEGIN { printf("ready\n"); } pid$target:a.out:work:entry { @ = count(); } tick-10ms /!live_/ { live_ = 1; printf("live\n"); }
	    END { printa("fired %@d\n", @); }'
	waits grep -q live "$tmp/out"
	echo go >&5
	waits grep -q '^child' "$tmp/victim"
	child=$(awk '$1 == "child" { print $2 }' "$tmp/victim")
	grep -q 'memfd:dtrace' "/proc/$child/maps"
	check $? "SIG$how: the child is traced"
	kill -$how $tracer
	wait $tracer 2>/dev/null
	gone() { ! grep -q 'memfd:dtrace' "/proc/$victim/maps" "/proc/$child/maps"; }
	waits gone
	[ $how = KILL ] || [ "$(counted fired)" -eq 19 ]
	check $? "SIG$how: all calls until then, and nothing stays mapped"
	exec 5>&-
	wait $victim
	[ $? -eq 7 ] && grep -q 'calls 19' "$tmp/victim"
	check $? "SIG$how: the processes go on"
done

# a dtrace that is stopped holds nobody longer than exechold
"$births" wait 3 <"$tmp/go" >"$tmp/victim" &
victim=$!
exec 5>"$tmp/go"
start -x engine=process -x exechold=100ms -x follow -qp $victim -n 'BEGIN { printf("ready\n"); } pid$target:a.out:work:entry { @ = count(); } tick-10ms /!live_/ { live_ = 1; printf("live\n"); }' 5>&-
waits grep -q live "$tmp/out"
kill -STOP $tracer
echo go >&5
exec 5>&-
waits ended $victim
wait $victim
[ $? -eq 7 ]
check $? "dtrace is stopped: the processes go on"
kill -CONT $tracer
wait $tracer
grep -q 'ran before its probes were live' "$tmp/err"
check $? "and a notice says what was missed"

inproc -x follow -qn 'profile-97 { @ = count(); }' -c "$births fork 1"
[ "$status" -eq 1 ] && grep -q 'profile-97 takes samples of the processes of -p and -c, not of their children (-x follow)' "$tmp/err"
check $? "samples are not followed"

. test/trigger/ordinary_user.sh
ordinary_user "an ordinary user" "$births" "$family"
needs_engine_process
run -x exechold=30s -x follow -qn "$work" -c "$tmp/inproc_births system 5"
[ "$status" -eq 0 ] && [ "$(said)" = 34 ] && [ "$(counted fired)" -eq 34 ]
check $? "an ordinary user: $(counted fired) of $(said)"
run -x exechold=30s -x follow -qc "$tmp/family 2 3" -n "$work"
[ "$status" -eq 0 ] && [ "$(counted fired)" -eq 258 ]
check $? "an ordinary user: a tree of 13 processes"
run -x exechold=30s -qn "$work" -c "$tmp/inproc_births exec 3"
[ "$status" -eq 0 ] && [ "$(said)" = 16 ] && [ "$(counted fired)" -eq 16 ]
check $? "an ordinary user: programs that are executed"
# a program that gains rights by being executed gains them here too
if [ "$(id -u)" -eq 0 ] && cp "$(command -v id)" "$tmp/gains" && chmod 4755 "$tmp/gains" && as "$tmp/gains" -u >"$tmp/gained" 2>/dev/null && grep -qx 0 "$tmp/gained"; then
	run -x follow -qn 'pid$target:libc*:write:entry { @ = count(); } END { printa("fired %@d\n", @); }' -c "sh -c '$tmp/gains -u; echo over'"
	[ "$status" -eq 0 ] && grep -qx 0 "$tmp/out" && grep -q over "$tmp/out"
	check $? "a setuid program keeps its rights"
else
	ok "a setuid program keeps its rights # SKIP none can be made here"
fi
