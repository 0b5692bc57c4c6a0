# SPDX-License-Identifier: BSD-2-Clause
# -c and -p: held until tracing has begun, counted exactly, told about when they end, gone when we are.
. test/cli/helpers.inc
may_trace "processes to trace"

for place in exec preinit postinit main; do
	run -q -x evaltime=$place -c "$calls 1000" -n 'syscall::getppid:entry /pid == $target/ { @ = count(); } END { printa("n %@d\n", @); }'
	is "all calls of -c, evaltime=$place" 0 "n 1000"
done
# Where it is held: before the linker opens libraries, before their initializers, after those, at main. The calls that are left tell.
cat >"$tmp/lib.c" <<'E'
#include <unistd.h>
__attribute__((constructor)) static void early(void) { (void)getppid(); }
void lib(void) { }
E
cat >"$tmp/at.c" <<'E'
#include <unistd.h>
void lib(void);
__attribute__((constructor)) static void own(void) { (void)getppid(); }
int main(void) { lib(); return (int)getppid() & 0; }
E
cc -shared -fPIC -o "$tmp/libearly.so" "$tmp/lib.c" && cc -o "$tmp/at" "$tmp/at.c" "$tmp/libearly.so" -Wl,-rpath,"$tmp"
check $? "a program with initializers"
strip -o "$tmp/at.stripped" "$tmp/at"
while read -r place program opens left; do
	run -q -x evaltime=$place -c "$tmp/$program" -n 'int opens, left; syscall::openat:entry /pid == $target/ { opens = 1; }
	    syscall::getppid:entry /pid == $target/ { left++; } END { printf("opens %d calls %d\n", opens, left); }'
	is "$program is held at $place" 0 "opens $opens calls $left"
done <<'E'
exec at 1 3
preinit at 0 3
postinit at 0 2
main at 0 1
main at.stripped 0 2
E
run -c "$calls 0" -n BEGIN
is "status of a process" 0 "exited with status 7"
run -c true -n BEGIN
is "end of a process" 0 "has exited"
run -q -c true -n BEGIN
grep -q 'has exited' "$tmp/err"
check $((1 - $?)) "-q does not tell it"
run -x childstatus -c "$calls 0" -n BEGIN	# N B15
is "-x childstatus: ours is that of the process" 7 "exited with status 7"
run -x childstatus -c "$calls 0" -n 'END { exit(3); }'
is "unless exit() gives one" 3 "exited with status 7"
run -x childstatus -w -c "$calls 1 hang" -n 'syscall::getpgid:entry /pid == $target/ { raise(9); }'
is "of a process that was killed" 137 "terminated by SIGKILL"
run -x childstatus -c "$calls 1 hang" -n 'syscall::getpgid:entry /pid == $target/ { exit(0); }'
is "exit(0) is 0" 0 "matched 1 probe"
run -w -c "$calls 1 hang" -n 'syscall::getpgid:entry /pid == $target/ { raise(9); }'
is "killed process" 0 "terminated by SIGKILL"
run -c true -n 'BEGIN { @[1] = count(); } END { trace("the end"); }'
is "END and aggregations when the process is gone" 0 "the end"
if unshare -pf --mount-proc true 2>/dev/null; then
	# N B4: the example of the manual page
	unshare -pf --mount-proc "$dtrace" -qc "$calls 5" -n 'syscall::getppid:entry /pid == $target && nspid == pid/ { @ = count(); } END { printa("n %@d\n", @); }' \
	    >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	is "in a container pid is the number there" 0 "n 5"
else
	echo "ok - \$target in a container # SKIP no process ids of our own here"
fi
run -c /nonexistent/foo -n BEGIN
is "missing command" 1 "dtrace: failed to execute /nonexistent/foo: No such file or directory"
run -c / -n BEGIN
is "a directory as command" 1 "dtrace: failed to execute /: Permission denied"
run -c '  ' -n BEGIN
is "no command" 1 "the command is empty"
echo 'exit 5' >"$tmp/script"
chmod +x "$tmp/script"
run -c "$tmp/script" -n BEGIN
is "a script without #!" 0 "exited with status 5"
run -x setenv=DTCOLOR=blue -q -c 'printenv DTCOLOR' -n BEGIN
is "-x setenv" 0 "blue"
run -c "$calls 3" -c "$calls 4" -q -n 'syscall::getppid:entry /execname == "calls"/ { @ = count(); } END { printa("n %@d\n", @); }'
is "two processes" 0 "n 7"
run -c "$calls 1 hang" -qn 'syscall::getpgid:entry /pid == $target/ { printf("pid %d\n", pid); exit(4); }'
is "exit() before the process ends" 4 "pid "
ended "$(sed -n 's/^pid //p' "$tmp/out")"
check $? "and the process is gone with us"
run -c "$calls 1" -n 'syscall:::entry /pid == $target/ { @[execname] = count(); } nosuch:::probe'
is "an error in the program" 1 "nosuch"

# -p: by itself it limits the trace to the process
mkfifo "$tmp/go"
grabbed() {	# ARGS…: dtrace on a process that makes 500 calls; others make theirs at the same time
	"$calls" 500 wait <"$tmp/go" &
	worker=$!
	exec 3>"$tmp/go"
	start -q -p $worker "$@" -n 'tick-10ms /!ready_/ { ready_ = 1; printf("ready\n"); }'
	"$calls" 300
	echo go >&3
	exec 3>&-
	wait "$worker"
	wait "$tracer"
	status=$?
}
D='syscall::getppid:entry { @[pid] = count(); } END { printa("%d %@d\n", @); }'
grabbed -n "$D"
is "-p counts the calls of the process" 0 "$worker 500"
[ "$(grep -c '^[0-9]' "$tmp/out")" -eq 1 ] && grep -q "tracing only process $worker" "$tmp/err"
check $? "and of no other, and says so"
grabbed -x target=all -n "$D"
is "-x target=all" 0 "$worker 500"
grep -q ' 300$' "$tmp/out" && ! grep -q "tracing only" "$tmp/err"
check $? "counts those of others too"
grabbed -n 'syscall::getppid:entry { @[pid] = count(); } END { printa("%d %@d\n", @); printf("target %d\n", $target); }'
is "a program that says \$target" 0 "target $worker"
grep -q ' 300$' "$tmp/out"
check $? "chooses for itself"
run -x target=only -qc "$calls 20" -n "$D"
is "-x target=only with -c" 0 " 20"

# -W: a process that begins later
cp "$calls" "$tmp/dtwaitedfor"
"$tmp/dtwaitedfor" 1 hang &
older=$!
waits grep -q dtwaitedfor "/proc/$older/comm"
sleep 0.02	# two ticks: it began before what comes
"$dtrace" -W dtwaitedfor -qn 'BEGIN { printf("target %d\n", $target); }' >"$tmp/out" 2>"$tmp/err" </dev/null &
tracer=$!
waits grep -q 'waiting for a process named dtwaitedfor' "$tmp/err"
"$tmp/dtwaitedfor" 1 hang &
worker=$!
exited() { kill -0 "$tracer" 2>/dev/null || return 0; kill -9 "$worker" 2>/dev/null; return 1; }
# it is killed when it has been seen: the trace has a pidfd of it then
seen() { ls -l "/proc/$tracer/fd" 2>/dev/null | grep -q pidfd; }
waits seen
waits exited
wait "$tracer"
status=$?
wait "$worker" 2>/dev/null
is "-W: the one that began later" 0 "target $worker"
kill -9 "$older"
wait "$older" 2>/dev/null

run -p 4194305 -n BEGIN
is "no such process" 1 "dtrace: failed to grab pid 4194305: No such process"
sh -c 'exit 0' &
gone=$!
wait $gone
run -p $gone -n BEGIN
is "a process that has ended" 1 "dtrace: failed to grab pid $gone: No such process"

run -q -n 'BEGIN { }' -c "printf '%s|' a\\ b 'c  d' \"e 'f'\" ''"
is "-c: quotes keep words together" 0 "a b|c  d|e 'f'||"
run -q -n 'BEGIN { }' -c "echo 'x"
is "-c: a quote that is not closed" 1 "a quote is not closed"
exit 0
