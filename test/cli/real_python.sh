#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Python: how often functions of libc and of the interpreter are called and how long they take, its static probes at collections and imports,
# beside what the program measures by time.perf_counter_ns() and counts itself, and beside bpftrace at the same time. Nothing here depends on how
# fast the machine is: what is inside is never longer than what is around it, and a sleep never shorter than asked for.
# slow: left out of `make check`
. test/trigger/trace.sh
may_trace "Python"
python=/usr/bin/python3
[ -x "$python" ] || python=$(command -v python3)
if [ -z "$python" ]; then
	ok "Python # SKIP no Python here"
	exit 0
fi
victim= peer=
stop() { [ -n "$1" ] && kill -INT "$1" 2>/dev/null && wait "$1" 2>/dev/null; }
trap 'stop "$peer"; stop "$victim"; rm -rf "$tmp"' EXIT
# has PROBE: it is one of Python's own static ones
has() { grep -aq "$1" "$exe" && grep -aq stapsdt "$exe"; }

for i in 0 1 2 3 4 5 6 7 8 9; do echo "value = $i" >"$tmp/real_module_$i.py"; done
cat >"$tmp/work.py" <<'END'
import gc, os, sys, threading, time

clock = time.perf_counter_ns
print("up", flush=True)
gc.collect()
gc.disable()
sys.stdin.readline()
said = {}

def timed(name, call, times):
    spent = 0
    for i in range(times):
        began = clock()
        call()
        spent += clock() - began
    said[name] = (times, spent)

timed("sleep", lambda: time.sleep(0.01), 20)
code = compile("time.sleep(0.005)", "<real>", "exec")
timed("exec", lambda: exec(code), 20)

# four threads write a known number of bytes, which nothing else here writes at once
null = os.open("/dev/null", os.O_WRONLY)
each = []
def writes(n):
    spent = 0
    for i in range(n):
        began = clock()
        os.write(null, b"x" * 4711)
        spent += clock() - began
    each.append((n, spent))
threads = [threading.Thread(target=writes, args=(1000 * (i + 1),)) for i in range(4)]
for t in threads: t.start()
for t in threads: t.join()
said["write"] = (sum(n for n, ns in each), sum(ns for n, ns in each))

# collections, by what the collector tells its callbacks and by its counts
began, pause, found = 0, 0, 0
def told(phase, info):
    global began, pause
    if phase == "start": began = clock()
    else: pause += clock() - began
gc.callbacks.append(told)
before = gc.get_stats()[2]["collections"]
for i in range(30):
    for j in range(100):
        ring = []
        ring.append(ring)
    del ring
    found += gc.collect()
said["gc"] = (gc.get_stats()[2]["collections"] - before, pause)
gc.callbacks.remove(told)
said["found"] = (found, 0)

sys.path.insert(0, sys.argv[1])
total = []
timed("import", lambda: total.append(__import__("real_module_%d" % len(total)).value), 10)
said["values"] = (sum(total), 0)
for name, (n, ns) in said.items(): print(name, n, ns)
print("done", flush=True)
sys.stdin.readline()
END
mkfifo "$tmp/go"
"$python" -B "$tmp/work.py" "$tmp" <"$tmp/go" >"$tmp/said" 2>"$tmp/complaint" &
victim=$!
exec 9>"$tmp/go"
if ! waits grep -q up "$tmp/said"; then
	cp "$tmp/complaint" "$tmp/err"
	bad "Python: a program of our own"
	exit 1
fi
exe=$(readlink -f "/proc/$victim/exe")
libc=$(awk '$6 ~ /\/libc[.-][^/]*$/ { print $6; exit }' "/proc/$victim/maps")

if command -v bpftrace >/dev/null && [ -n "$libc" ]; then
	: >"$tmp/peer"
	bpftrace -e "BEGIN { printf(\"ready\\n\"); }
	uprobe:$libc:clock_nanosleep /pid == $victim/ { @s[tid] = nsecs; }
	uretprobe:$libc:clock_nanosleep /pid == $victim && @s[tid]/ { @t = sum(nsecs - @s[tid]); @n = count(); delete(@s[tid]); }
	uprobe:$libc:write /pid == $victim && arg2 == 4711/ { @w = count(); }
	END { clear(@s); }" >"$tmp/peer" 2>&1 9>&- &
	peer=$!
	waits grep -q 'ready\|ERROR' "$tmp/peer"
fi
cat >"$tmp/python.d" <<'END'
#pragma D option quiet
pid$target:libc*:clock_nanosleep:entry { self->t = timestamp; }
pid$target:libc*:clock_nanosleep:return /self->t/ {
	@sleeps = count(); @slept = sum(timestamp - self->t); @least = min(timestamp - self->t); self->t = 0;
}
syscall::clock_nanosleep:entry /pid == $target/ { self->s = timestamp; }
syscall::clock_nanosleep:return /self->s/ { @calls = count(); @called = sum(timestamp - self->s); self->s = 0; }
pid$target::PyEval_EvalCode:entry { self->e = timestamp; self->in = 0; }
pid$target:libc*:clock_nanosleep:return /self->e/ { self->in = 1; }
pid$target::PyEval_EvalCode:return /self->in/ {
	@execs = count(); @exec = sum(timestamp - self->e); @leastexec = min(timestamp - self->e); self->e = 0; self->in = 0;
}
pid$target:libc*:write:entry /arg2 == 4711/ { self->w = timestamp; }
pid$target:libc*:write:return /self->w/ {
	@writes = count(); @wrote = sum(timestamp - self->w); @bytes = sum(arg1); @who[tid] = count(); self->w = 0;
}
syscall::write:entry /pid == $target && arg2 == 4711/ { self->k = timestamp; }
syscall::write:return /self->k/ { @kwrites = count(); @kwrote = sum(timestamp - self->k); self->k = 0; }
END {
	printa("sleeps %@d\n", @sleeps); printa("slept %@d\n", @slept); printa("least %@d\n", @least);
	printa("calls %@d\n", @calls); printa("called %@d\n", @called);
	printa("execs %@d\n", @execs); printa("exec %@d\n", @exec); printa("leastexec %@d\n", @leastexec);
	printa("writes %@d\n", @writes); printa("wrote %@d\n", @wrote); printa("bytes %@d\n", @bytes);
	printa("kwrites %@d\n", @kwrites); printa("kwrote %@d\n", @kwrote); printa("thread %@d\n", @who);
}
tick-10ms /!live_/ { live_ = 1; printf("ready\n"); }
END
if has gc__start; then cat >>"$tmp/python.d" <<'END'
python$target:::gc-start { self->g = timestamp; }
python$target:::gc-done /self->g/ { @gcs = count(); @gc = sum(timestamp - self->g); @found = sum(arg0); self->g = 0; }
END { printa("gcs %@d\n", @gcs); printa("gc %@d\n", @gc); printa("found %@d\n", @found); }
END
fi
if has import__find__load__start; then cat >>"$tmp/python.d" <<'END'
python$target:::import-find-load-start /strstr(copyinstr(arg0), "real_module_") != NULL/ { self->i = timestamp; }
python$target:::import-find-load-done /self->i && strstr(copyinstr(arg0), "real_module_") != NULL/ {
	@imports = count(); @import = sum(timestamp - self->i); @there = sum(arg1); self->i = 0;
}
END { printa("imports %@d\n", @imports); printa("import %@d\n", @import); printa("there %@d\n", @there); }
END
fi
start -p "$victim" -s "$tmp/python.d" 9>&-
echo >&9
waits grep -q done "$tmp/said"
kill -INT "$tracer"
wait "$tracer"
check $? "Python: it is traced"
if [ -n "$peer" ]; then kill -INT "$peer"; wait "$peer" 2>/dev/null; fi
echo >&9
exec 9>&-
wait "$victim"
check $? "Python: the program comes to its end"
victim=

got() { sed -n "s/^$1 //p" "$tmp/out"; }
# what the program says itself: times, and nanoseconds
calls_of() { awk -v n="$1" '$1 == n { print $2 }' "$tmp/said"; }
spent() { awk -v n="$1" '$1 == n { print $3 }' "$tmp/said"; }
# inside LEAST…: each is there and not above the next
inside() {
	last=1
	for ns; do
		[ "${ns:-0}" -ge "$last" ] || return 1
		last=$ns
	done
}
[ "$(calls_of sleep)" = 20 ] && [ "$(calls_of exec)" = 20 ] && [ "$(got sleeps)" = 40 ] && [ "$(got calls)" = 40 ]
check $? "Python: sleep() is libc's clock_nanosleep() and the system call, 40 times"
# 20 sleeps of 10 ms, 20 of 5 ms in exec()
[ "$(got least)" -ge 5000000 ] && inside 300000000 "$(got called)" "$(got slept)" $(($(spent sleep) + $(spent exec)))
check $? "Python: time in the call, $(got called) ns, in libc, $(got slept), by its own clock, $(($(spent sleep) + $(spent exec)))"
[ "$(got execs)" = 20 ] && [ "$(got leastexec)" -ge 5000000 ] && inside 100000000 "$(got exec)" "$(spent exec)"
check $? "Python: exec(), 20 times, PyEval_EvalCode() $(got exec) ns in its own $(spent exec)"
[ "$(calls_of write)" = 10000 ] && [ "$(got writes)" = 10000 ] && [ "$(got kwrites)" = 10000 ] && [ "$(got bytes)" = 47110000 ]
check $? "Python: four threads write 10000 times, $(got bytes) bytes"
[ "$(got thread | sort -n | tr '\n' ' ')" = "1000 2000 3000 4000 " ]
check $? "Python: each thread has its own number"
inside "$(got kwrote)" "$(got wrote)" "$(spent write)"
check $? "Python: time in the call, $(got kwrote) ns, in write(), $(got wrote), by its own clock, $(spent write)"
if has gc__start; then
	[ "$(calls_of gc)" = 30 ] && [ "$(got gcs)" = 30 ] && inside "$(got gc)" "$(spent gc)"
	check $? "Python: 30 collections as the collector counts, $(got gc) ns in its own $(spent gc)"
	[ "$(calls_of found)" -ge 3000 ] && [ "$(got found)" = "$(calls_of found)" ]
	check $? "Python: gc-done tells what gc.collect() returns, $(calls_of found) in all"
else
	ok "Python: collections # SKIP no static probes in it"
fi
if has import__find__load__start; then
	[ "$(calls_of values)" = 45 ] && [ "$(got imports)" = 10 ] && [ "$(got there)" = 10 ] && inside "$(got import)" "$(spent import)"
	check $? "Python: 10 modules are found, $(got import) ns in its own $(spent import)"
else
	ok "Python: imports # SKIP no static probes in it"
fi
if [ -z "$peer" ]; then
	ok "Python: bpftrace's time # SKIP no bpftrace here"
else
	theirs=$(sed -n 's/^@t: //p' "$tmp/peer") n=$(sed -n 's/^@n: //p' "$tmp/peer") writes=$(sed -n 's/^@w: //p' "$tmp/peer")
	if [ "${n:-0}" = 40 ] && [ "${writes:-0}" = 10000 ]; then
		# both are between the sleeps and the program's own time
		inside 300000000 "$theirs" $(($(spent sleep) + $(spent exec))) && inside "$(got called)" "$theirs" &&
		    [ "$(got slept)" -le $((theirs * 2)) ] && [ "$theirs" -le $(($(got slept) * 2)) ]
		check $? "Python: $(got slept) ns here, $theirs ns in bpftrace, which counts the same calls"
	else
		ok "Python: bpftrace's time # SKIP it has seen ${n:-0} sleeps of 40, ${writes:-0} writes of 10000"
	fi
	peer=
fi
exit 0
