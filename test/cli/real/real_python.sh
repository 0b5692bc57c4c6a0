#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Python: how often functions of libc and of the interpreter are called and how long they take, its static probes at
# collections and imports, beside what the program measures by time.perf_counter_ns() and counts itself, and beside
# bpftrace at the same time (test/trigger/real.sh).
# slow: left out of `make check`
# alone
. test/cli/helpers.inc
may_trace "Python"
python=/usr/bin/python3
[ -x "$python" ] || python=$(command -v python3)
if [ -z "$python" ]; then
	ok "Python # SKIP no Python here"
	exit 0
fi
what=Python
. test/trigger/real.sh

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
run_victim "$python" -B "$tmp/work.py" "$tmp"
exe=$(readlink -f "/proc/$victim/exe")
watch_by_peer "$libc" clock_nanosleep
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
if has_probe "$exe" gc__start; then cat >>"$tmp/python.d" <<'END'
python$target:::gc-start { self->g = timestamp; }
python$target:::gc-done /self->g/ { @gcs = count(); @gc = sum(timestamp - self->g); @found = sum(arg0); self->g = 0; }
END { printa("gcs %@d\n", @gcs); printa("gc %@d\n", @gc); printa("found %@d\n", @found); }
END
fi
if has_probe "$exe" import__find__load__start; then cat >>"$tmp/python.d" <<'END'
python$target:::import-find-load-start /strstr(copyinstr(arg0), "real_module_") != NULL/ { self->i = timestamp; }
python$target:::import-find-load-done /self->i && strstr(copyinstr(arg0), "real_module_") != NULL/ {
	@imports = count(); @import = sum(timestamp - self->i); @there = sum(arg1); self->i = 0;
}
END { printa("imports %@d\n", @imports); printa("import %@d\n", @import); printa("there %@d\n", @there); }
END
fi
trace_victim "$tmp/python.d"

own=$(($(spent sleep) + $(spent exec)))
[ "$(said sleep)" = 20 ] && [ "$(said exec)" = 20 ] && [ "$(got sleeps)" = 40 ] && [ "$(got calls)" = 40 ]
check $? "Python: sleep() is libc's clock_nanosleep() and the system call, 40 times"
# 20 sleeps of 10 ms, 20 of 5 ms in exec()
[ "$(got least)" -ge 5000000 ] && inside 300000000 "$(got called)" "$(got slept)" $own
check $? "Python: time in the call, $(got called) ns, in libc, $(got slept), by its own clock, $own"
[ "$(got execs)" = 20 ] && [ "$(got leastexec)" -ge 5000000 ] && inside 100000000 "$(got exec)" "$(spent exec)"
check $? "Python: exec(), 20 times, PyEval_EvalCode() $(got exec) ns in its own $(spent exec)"
check_writes
inside "$(got kwrote)" "$(got wrote)" "$(spent write)"
check $? "Python: time in the call, $(got kwrote) ns, in write(), $(got wrote), by its own clock, $(spent write)"
if has_probe "$exe" gc__start; then
	[ "$(said gc)" = 30 ] && [ "$(got gcs)" = 30 ] && inside "$(got gc)" "$(spent gc)"
	check $? "Python: 30 collections as the collector counts, $(got gc) ns in its own $(spent gc)"
	[ "$(said found)" -ge 3000 ] && [ "$(got found)" = "$(said found)" ]
	check $? "Python: gc-done tells what gc.collect() returns, $(said found) in all"
else
	ok "Python: collections # SKIP no static probes in it"
fi
if has_probe "$exe" import__find__load__start; then
	[ "$(said values)" = 45 ] && [ "$(got imports)" = 10 ] && [ "$(got there)" = 10 ] && inside "$(got import)" "$(spent import)"
	check $? "Python: 10 modules are found, $(got import) ns in its own $(spent import)"
else
	ok "Python: imports # SKIP no static probes in it"
fi
check_peer "$(got called)" "$own"
exit 0
