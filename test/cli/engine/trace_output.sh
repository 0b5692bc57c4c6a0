# SPDX-License-Identifier: BSD-2-Clause
# What a trace looks like: order, columns, notices, statuses; and outputs that cannot be written.
. test/cli/helpers.inc
may_trace "output of a trace"

# lines WHAT TEXT: standard output of the last run, exactly; # stands for numbers
lines() {
	got=$(sed 's/[0-9][0-9]*/#/g; s/  *#/ #/g; s/ *$//' "$tmp/out")	# the empty line at the end goes
	[ "$got" = "$2" ]
	check $? "$1"
}

run -n 'BEGIN { trace(1); } BEGIN { trace("two"); exit(3); } END { trace("last"); }'
is "notice" 3 "dtrace: description 'BEGIN ' matched 3 probes"
lines "columns, two clauses, BEGIN first and END last" 'CPU     ID                    FUNCTION:NAME
 # #                           :BEGIN #
 # #                           :BEGIN   two
 # #                             :END   last'
echo 'BEGIN { exit(0); }' >"$tmp/s.d"
run -s "$tmp/s.d"
is "notice of a script" 0 "dtrace: script '$tmp/s.d' matched 1 probe"
run -qn 'BEGIN { trace(1); trace("x"); exit(0); }'
lines "-q: only the data" '#x'
[ ! -s "$tmp/err" ]
check $? "-q: no notices"
run -t -n 'BEGIN { exit(0); }'
lines "-t: a column of times" '            TIME CPU     ID                    FUNCTION:NAME
 #.# # #                           :BEGIN'
run -w -n 'BEGIN { exit(0); }'
is "-w" 0 "dtrace: allowing destructive actions"
run -n 'BEGIN { system("true"); exit(0); }'
is "destructive without -w" 1 "Destructive actions not allowed"
run -F -c "$calls 2" -n 'syscall::getppid: /pid == $target/ { } syscall::getpgid:entry /pid == $target/ { trace("in"); }'
lines "-F" 'CPU FUNCTION
 #  => getppid
 #  <= getppid
 #  => getppid
 #  <= getppid
 #  => getpgid                                 in'
run -F -c "$calls 1" -n 'syscall::getppid:entry /pid == $target/ { } syscall::getppid:entry /pid == $target/ { trace("again"); }
    syscall::getppid:return /pid == $target/ { trace("out"); } syscall::getppid:return /pid == $target/ { }'
lines "-F: clauses of one firing are one step" 'CPU FUNCTION
 #  => getppid
 #   | getppid:entry                           again
 #   | getppid:return                          out
 #  <= getppid'
run -q -F -n 'BEGIN { printf("one\n"); exit(0); } END { printf("two\n"); }'	# S B9
lines "-q -F: no line end of our own" 'CPU FUNCTION
 # | :BEGIN                                  one
 # | :END                                    two'
run -qn 'BEGIN { x = *(int *)0; printf("not reached"); } ERROR { printf("fault %d\n", arg4); exit(2); }'
is "ERROR fires" 2 "fault 1"
is "and the error is told" 2 "error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): invalid address (0x0) in action #1"
# ERROR is a firing of its own: it has a strtok() of its own, and the one it interrupts goes on where it was.
run -qn 'int none; string first, x, y; BEGIN { first = strtok("a,b,c", ","); } BEGIN { trace(*(int *)0); }
    BEGIN { printf("%s%s %d%s%s\n", first, strtok(NULL, ","), none, x, y); exit(0); }
    ERROR { none = strtok(NULL, ",") == NULL; x = strtok("x,y", ","); } ERROR { y = strtok(NULL, ","); }'
is "strtok() in ERROR and around it" 0 "ab 1xy"
run -qn 'BEGIN { exit(0); } END { printf("end\n"); }'
lines "exit() in BEGIN: END still fires" 'end'
run -w -qn 'BEGIN { setopt("nosuch"); freopen("/no/file"); exit(0); }'
is "an option that is none" 0 'set option "nosuch" to "1": Invalid option name'
is "a file that cannot be opened" 0 'freopen() "/no/file": No such file or directory'
run -n 'BEGIN { if (pid == 1) trace("one"); } BEGIN { if (pid == 1) trace(1); else trace("two"); exit(0); }'
lines "a clause whose branches record nothing shows nothing" 'CPU     ID                    FUNCTION:NAME
 # #                           :BEGIN   two'
run -n 'nosuch:::x'
is "nothing matches" 1 "does not match any probes"
run -Z -c true -n 'syscall::nosuchcall:entry'	# S B1
is "-Z and nothing at all: the command runs" 0 "matched 0 probes"
run -Z -n 'syscall::nosuchcall:entry { } BEGIN { exit(0); }'
is "-Z" 0 "matched 1 probe"

run -o "$tmp/file" -qn 'BEGIN { printf("one\n"); exit(0); }'
run -o "$tmp/file" -qn 'BEGIN { printf("two\n"); exit(0); }'
cp "$tmp/file" "$tmp/out"
[ "$(grep -c 'one\|two' "$tmp/file")" -eq 2 ]
check $? "-o appends"
run -o "$tmp/no/file" -n 'BEGIN { exit(0); }'
is "-o into nowhere" 1 "dtrace: failed to open $tmp/no/file: No such file or directory"
run -o /dev/full -n 'BEGIN { trace(1); exit(0); }'
is "-o on a full disk" 1 "No space left on device"
"$dtrace" -n 'BEGIN { @ = count(); exit(5); }' >/dev/full 2>"$tmp/err"
status=$?
is "full disk" 1 "failed to write output: No space left on device"
[ "$(grep -c 'No space left' "$tmp/err")" -eq 1 ]
check $? "and it is told once"
# more than the buffer of a stream at once, from a record and from the columns before them
run -qn 'BEGIN { printf("%9000d\n", 1); exit(0); }' -o /dev/full
is "the reason, when a record does not fit" 1 "failed to write output: No space left on device"
prog=$(for i in $(seq 200); do echo 'BEGIN { }'; done)
run -n "$prog BEGIN { exit(0); }" -o /dev/full
is "or the columns" 1 "failed to write output: No space left on device"
# who reads us no more ends us, as any other tool: by SIGPIPE, without a word (N B9)
{ "$dtrace" -q -x switchrate=10ms -n 'tick-10ms { trace("x\n"); }' 2>"$tmp/err"; echo $? >"$tmp/status"; } | head -n 3 >"$tmp/out"
status=$(cat "$tmp/status")
[ "$status" -eq 141 ] && [ ! -s "$tmp/err" ]
check $? "closed pipe"
{ "$dtrace" -l 2>"$tmp/err"; echo $? >"$tmp/status"; } | head -n 1 >"$tmp/out"
status=$(cat "$tmp/status")
[ "$status" -eq 141 ] && [ ! -s "$tmp/err" ]
check $? "closed pipe of -l"
{ trap '' PIPE; "$dtrace" -q -x switchrate=10ms -n 'tick-10ms { trace("x\n"); }' 2>"$tmp/err"; echo $? >"$tmp/status"; } | head -n 3 >"$tmp/out"
status=$(cat "$tmp/status")
is "closed pipe where SIGPIPE is ignored" 1 "failed to write output: Broken pipe"

# one file for both: an error stands behind what was traced before it (T 13)
"$dtrace" -qn 'BEGIN { printf("before\n"); } BEGIN { trace(*(int *)0); } BEGIN { printf("behind\n"); exit(0); }' >"$tmp/out" 2>&1
[ "$(sed -n 's/^dtrace: \(error\).*/\1/p; /^be/p' "$tmp/out" | tr '\n' ' ')" = "before error behind " ]
check $? "what was traced stands before the error"
# equal errors are counted (T 13): a line for each of the first few, then one a second
run -qc "$calls 1000" -n 'syscall::getppid:entry /pid == $target/ { trace(*(int *)0); }'
lines=$(grep -c 'error on enabled probe ID 1 ' "$tmp/err")
more=$(sed -n 's/.*(and \([0-9]*\) more like this)$/\1/p' "$tmp/err" | awk '{ n += $1 } END { print n + 0 }')
[ $((lines + more)) -eq 1000 ] && [ "$lines" -lt 200 ] && [ "$more" -gt 0 ]
check $? "equal errors are counted, none is lost"
run -qn 'BEGIN { trace(*(int *)0); } BEGIN { trace(*(int *)8); } BEGIN { trace(1 / (pid - pid)); } BEGIN { exit(0); }'
[ "$(grep -c 'error on enabled probe' "$tmp/err")" -eq 3 ]
check $? "different ones are told apart"
run -l
"$dtrace" -l 2>"$tmp/err" >/dev/full
status=$?
is "-l on a full disk" 1 "No space left on device"

run -b 1k -qn 'BEGIN { trace("small"); exit(0); }'
is "small buffer" 0 "small"
run -b 64k -x strsize=65536 -n 'BEGIN { trace(strjoin(execname, "!")); trace(strjoin(execname, "!")); exit(0); }'
is "records larger than the buffer" 1 "dtrace: could not enable tracing: "
run -x strsize=4096 -qn 'BEGIN { printf("%s and %s\n", strjoin(execname, "!"), cwd); exit(0); }'
is "strsize 4096" 0 "dtrace! and "
run -b 64k -x switchrate=30s -x droptags -c "$calls 20000" -n 'syscall::getppid:entry /pid == $target/ { trace("some text"); }'
is "a buffer that is too small" 0 "[DTRACEDROP_PRINCIPAL] "
run -b 64k -x switchrate=30s -c "$calls 20000" -n 'syscall::getppid:entry /pid == $target/ { @ = count(); trace("some text"); }'
traced=$(grep -c 'getppid:entry' "$tmp/out")
dropped=$(awk '/ drops? on / { n += $2 } END { print n + 0 }' "$tmp/err")
[ $((traced + dropped)) -eq 20000 ]
check $? "every drop is counted: $traced traced, $dropped dropped"

run -l -n 'syscall::getppid:'
[ "$(wc -l <"$tmp/out")" -eq 3 ] && head -n 1 "$tmp/out" | grep -qx '   ID   PROVIDER            MODULE                          FUNCTION NAME'
check $? "-l"
id=$(awk '$NF == "entry" { print $1 }' "$tmp/out")
run -l -i "$id"
is "-l -i" 0 "getppid entry"
for spec in "-P syscall" "-m vmlinux" "-f getppid" "-n syscall::getppid:entry"; do
	run -l $spec
	is "-l $spec" 0 "getppid entry"
done
echo 'syscall::getppid:return { trace(1); }' >"$tmp/l.d"
run -l -s "$tmp/l.d"
is "-l -s" 0 "getppid return"
run -l -n nosuch:::
is "-l of nothing, which is no failure (P 4.17)" 0 "dtrace: failed to match nosuch:::: No probe matches description"
run -lv -n dtrace:::BEGIN
is "-lv" 0 "	Argument Types"
sed 's/: .*//' "$tmp/out" | tail -n +3 >"$tmp/got"
printf '\n\tProbe Description Attributes\n\t\tIdentifier Names\n\t\tData Semantics\n\t\tDependency Class\n\n\tArgument Attributes\n\t\tIdentifier Names\n\t\tData Semantics\n\t\tDependency Class\n\n\tArgument Types\n\t\tNone\n\n' >"$tmp/want"
cmp -s "$tmp/got" "$tmp/want"
check $? "-lv: the block"
run -lv -n rawtp:::sched_switch
is "-lv: types" 0 "struct task_struct *"

# Rows of several aggregations are joined by what the keys say, however each keeps them.
run -qn 'syscall::getppid:entry /pid == $target/ { @a[probefunc] = count(); } BEGIN { @b["getppid"] = count(); @b["x"] = count(); }
	END { printa("%s %@d %@d\n", @a, @b); }' -c "$calls 5"
is "printa of two aggregations: a name of the probe and a string are one key" 0 "getppid 5 1"
is "printa of two aggregations: zero where one has nothing" 0 "x 0 1"

# what the kernel tells in /sys is needed, and that is said (N B8)
if unshare -m sh -c 'mount -t tmpfs none /sys' 2>/dev/null; then
	unshare -m sh -c "mount -t tmpfs none /sys && exec $dtrace -n 'syscall:::entry { @ = count(); }'" >"$tmp/out" 2>"$tmp/err"
	status=$?
	is "without /sys" 1 "mount -t sysfs sysfs /sys"
	[ "$(wc -l <"$tmp/err")" -eq 1 ]
	check $? "in one sentence"
	unshare -m sh -c "mount -t tmpfs none /sys/kernel/btf 2>/dev/null || exit 9; exec $dtrace -e -n 'BEGIN { trace(curthread->pid); }'" >"$tmp/out" 2>"$tmp/err"
	status=$?
	if [ $status -eq 9 ]; then
		echo "ok - without type data # SKIP nothing can be mounted over them here"
	else
		is "without type data" 1 "CONFIG_DEBUG_INFO_BTF"
	fi
else
	echo "ok - without /sys # SKIP no mounts of our own here"
fi

# a path in a page that nobody has touched: a probe cannot wait for it, and the error says what to do (N 3)
cat >"$tmp/untouched.c" <<'END'
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_RDONLY);
	char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);

	return unlinkat(fd, page, 0) == 0;	/* fails: fd is no folder */
}
END
echo some/path >"$tmp/page"
if cc -o "$tmp/untouched" "$tmp/untouched.c" 2>"$tmp/err"; then
	run -qc "$tmp/untouched $tmp/page" -n 'syscall::unlinkat:entry /pid == $target/ { trace(copyinstr(arg1)); }'
	is "an address that is not in memory yet" 0 "it is at the system call's return"
	run -qc "$tmp/untouched $tmp/page" -n 'syscall::unlinkat:entry /pid == $target/ { self->p = arg1; }
	    syscall::unlinkat:return /self->p/ { printf("%s", copyinstr(self->p)); }'
	is "and there it is" 0 "some/path"
else
	echo "ok - an address that is not in memory yet # SKIP no compiler here"
fi

# freopen(): the descriptor kept for the way back is not given to commands (R 4.1 #7)
run -wqn 'BEGIN { freopen("'"$tmp/other"'"); printf("there\n"); system("ls -l /proc/self/fd"); freopen(""); printf("back\n"); exit(0); }'
is "freopen() and back" 0 "back"
grep -q there "$tmp/other" && grep -q "$tmp/other" "$tmp/other" && ! grep -q "$tmp/out" "$tmp/other"
check $? "its command has no descriptor of ours"

# -B: no file for the library; its text comes in pieces, each with what it was made of (R 5: "-B is a no-op")
run -Bn 'BEGIN { trace(5); printf("a\"b\n"); @a["k"] = count(); @b = sum(2); printa(@b); printa("%@d;", @b); exit(0); }'
sed 's/  */ /g' "$tmp/out" >"$tmp/pieces"
printf '%s\n' '" 5" probe dtrace:::BEGIN action 0x1 size 4' '"a\"b\n" probe dtrace:::BEGIN action 0x3 size 0' \
    '"\n" probe dtrace:::BEGIN action 0x4 size 8' '" 2" probe dtrace:::BEGIN aggregation b action 0x705 size 8 AGGVAL' \
    '"\n" probe dtrace:::BEGIN aggregation b AGGLAST' '"2;" probe dtrace:::BEGIN aggregation b action 0x4 size 8 AGGFORMAT AGGLAST' \
    '" k " aggregation a action 0x1 size 256 AGGKEY' '" 1" aggregation a action 0x701 size 8 AGGVAL' \
    '"\n" aggregation a AGGLAST' >"$tmp/want"
diff "$tmp/want" "$tmp/pieces" >"$tmp/diff"
check $? "-B: pieces of text $(head -n 4 "$tmp/diff")"

# issue 11: %I asked the name service, which may take its time, and tells others what is traced
run -qn 'BEGIN { printf("[%I]\n", "127.0.0.1"); exit(0); }'
is "%I is the address" 0 "[127.0.0.1]"
