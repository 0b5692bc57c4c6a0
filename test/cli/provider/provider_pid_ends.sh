#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Processes with probes in them that are killed, become another program, fork, load and unload libraries: what is counted stays right,
# dtrace says what happened and ends, and nothing of ours ends the process.
. test/cli/helpers.inc
may_trace "processes that change"
prog=${BUILD:-build}/test/provider_pid_ends

# victim ARGS…: as $victim, waiting for a line on descriptor 9
victim() {
	rm -f "$tmp/go"
	: >"$tmp/victim"	# what the one before wrote must not be taken for this one
	mkfifo "$tmp/go"
	"$prog" "$@" <"$tmp/go" >"$tmp/victim" 2>&1 &
	victim=$!
	exec 9>"$tmp/go"
	waits grep -q up "$tmp/victim" || { bad "a process to trace"; exit 1; }
}
go() { echo go >&9; }
# ends: the tracer has ended by itself; $status
ends() {
	exec 9>&-
	wait "$victim" 2>/dev/null
	died=$?
	waits ended "$tracer"
	wait "$tracer"
	status=$?
}

victim spin
start -x switchrate=10ms -p "$victim" -n 'BEGIN { printf("ready\n"); } pid$target::work:entry { @ = count(); } pid$target::work:return { @r = count(); n++; }
tick-20ms /n > 20 && !told/ { told = 1; printf("running\n"); } END { printf("the end\n"); }'
go
waits grep -q running "$tmp/out"
kill -KILL "$victim"
ends
is "a process that is killed ends the trace" 0 "the end"
is "and it is told" 0 "pid $victim"

victim exec "$prog" fork
start -q -p "$victim" -n 'BEGIN { printf("ready\n"); } pid$target:a.out:work:entry { @ = count(); } END { printa("work %@d\n", @); }'
go
go
ends
is "a process that runs the same program anew keeps its probes" 0 "work 20"
victim exec /bin/echo changed
start -q -p "$victim" -n 'BEGIN { printf("ready\n"); } pid$target:a.out:work:entry { @ = count(); } pid$target:libc.so.6:exit:entry { @x = count(); }
END { printa("work %@d", @); printa(" exits %@d\n", @x); }'
go
ends
is "a process that runs another program keeps those in libraries of both" 0 "work 10 exits 1"
grep -q changed "$tmp/victim" && [ "$died" -eq 0 ]
check $? "and that program is not harmed"

victim fork
start -q -p "$victim" -n 'BEGIN { printf("ready\n"); } pid$target:a.out:work:entry { @ = count(); } END { printa("work %@d\n", @); }'
go
ends
is "a child is not the process" 0 "work 10"
[ "$died" -eq 0 ]
check $? "and lives with what it inherits"

run -q -x follow -c "$prog fork" -n 'pid$target:a.out:work:entry { @[pid == $target ? "parent" : "child"] = count(); } END { printa("%s %@d\n", @); }'
is "-x follow: the process" 0 "parent 10"
is "-x follow: and its child" 0 "child 7"

victim fork
one=$victim
exec 8>&9
victim fork
start -q -p "$one" -p "$victim" -n "BEGIN { printf(\"ready\\n\"); } pid$one:a.out:work:entry { @[\"one\"] = count(); } pid$victim::work:entry { @[\"two\"] = count(); }
END { printa(\"%s %@d\\n\", @); }"
go
echo go >&8
exec 8>&-
ends
is "two processes: the one" 0 "one 10"
is "two processes: and the other" 0 "two 10"

if setpriv --reuid nobody --clear-groups true 2>/dev/null; then
	chmod 755 "$tmp"
	cp "$prog" "$tmp/private"
	own=$prog
	prog=$tmp/as_nobody
	printf '#!/bin/sh\nexec setpriv --reuid nobody --clear-groups %s "$@"\n' "$tmp/private" >"$prog"
	chmod 755 "$prog" "$tmp/private"
	victim private
	run -p "$victim" -n 'pid$target::work:entry'
	is "a process that is not dumpable" 1 "-x undumpable grabs it anyway"
	start -q -x undumpable -p "$victim" -n 'BEGIN { printf("ready\n"); } pid$target::work:entry { @ = count(); } END { printa("work %@d\n", @); }'
	go
	go
	ends
	is "unless that is forced" 0 "work 10"
	prog=$own
else
	ok "processes that are not dumpable # SKIP no other user here"
fi

# Libraries: probes are in their files, so they may come later and go in between.
cat >"$tmp/later.c" <<'END'
int later(int n);
int later(int n) { return n + 1; }
END
if ! cc -O2 -shared -fPIC -o "$tmp/liblater.so.1" "$tmp/later.c" 2>/dev/null; then
	ok "libraries loaded later # SKIP no compiler that works here"
	exit 0
fi
D='pid$target:liblater.so.1:later:entry { @ = count(); } pid$target:liblater.so.1:later:return { @r = sum(arg1); }
END { printa("later %@d", @); printa(" sum %@d\n", @r); }'
run -q -x setenv=LD_LIBRARY_PATH="$tmp" -c "$prog load $tmp/liblater.so.1" -n "$D"
is "a library that is loaded, unloaded and loaded again" 0 "later 15 sum 45"
run -c "$prog load $tmp/liblater.so.1" -n "$D"
is "a library that nobody can find" 1 "has no module liblater.so.1; a library that it loads later is looked for"
cp "$prog" "$tmp/prog"
run -q -c "$tmp/prog load $tmp/liblater.so.1" -n 'pid$target:liblater.so.1::entry { @[probefunc] = count(); } END { printa("%s %@d\n", @); }'
is "a library beside the program" 0 "later 15"

# N7: with an empty module or a pattern too, also in a program that a shell turns into, or starts (-x follow); from the first call
# (with -Z the library is held while it is opened, where the kernel lets dtrace do that).
run --doctor
if ! grep -q '^holding programs at exec  *yes' "$tmp/out"; then
	ok "libraries by pattern # SKIP programs cannot be held here"
	exit 0
fi
mkdir "$tmp/elsewhere"
mv "$tmp/liblater.so.1" "$tmp/elsewhere"
cat >"$tmp/caller.c" <<'END'
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
int later(int n) { return n; }
int main(int argc, char **argv)		/* LIBRARY CALLS PAUSE */
{
	void *lib = argc > 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int (*f)(int) = lib != NULL ? (int (*)(int))dlsym(lib, "later") : NULL;

	for (int i = 0; f != NULL && i < atoi(argv[2]); i++) {
		f(i);
		usleep((useconds_t)atoi(argv[3]));
	}
	return f == NULL;
}
END
cc -O2 -o "$tmp/caller" "$tmp/caller.c" -ldl
load="$tmp/caller $tmp/elsewhere/liblater.so.1"
later() {	# later WHAT DESCRIPTION WANTED ARGS…: how often later() is seen to begin, and the sum of what it returns
	what=$1 module=$2 want=$3
	shift 3
	run -qZ "$@" -n "int n, r; pid\$target:$module:entry /probemod != \"caller\"/ { n++; } pid\$target:$module:return { r += arg1; }
	    END { printf(\"%d %d\n\", n, r); }"
	is "$what" 0 "$want"
}
later "dlopen(), any module" ":later" "15 120" -c "$load 15 0"
later "dlopen(), a pattern" "liblater*:lat*" "15 120" -c "$load 15 0"
later "dlopen(), a name that nothing has yet" "liblater.so.1:later" "15 120" -c "$load 15 0"
later "in a program that the target becomes" ":later" "15 120" -c "sh -c 'exec $load 15 0'"
later "not in its children" ":later" "0 0" -c "sh -c '$load 15 0; true'"
later "in its children with -x follow" ":later" "15 120" -x follow -c "sh -c '$load 15 0; true'"
run -qZ -c "sh -c 'exec $load 1 0'" -n 'pid$target:a.out:main:entry { printf("main of %s\n", probemod); }'
is "a.out is the program that the target becomes" 0 "main of caller"
# without -Z nothing is held, and what is mapped is noticed soon; a minute, if nobody ends it
run -c "$load 6000 10000" -n 'pid$target::later:entry /probemod != "caller"/ { printf("in %s\n", probemod); exit(0); }'
is "without -Z, some milliseconds later" 0 "in liblater.so.1"
! grep -q 'are held' "$tmp/err"
check $? "nothing is held for it"
