#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench/names.sh [BUILD [OTHER [RUNS]]]: what a start with ustack() and the names of 10,000 frames of a C++ program cost: CPU time (of dtrace and all its
# children) and real time in ms, medians. With OTHER, a build of another commit, both run in turn and the ratio is shown. Nothing is judged.
# Status 77 when bpf(2) is not permitted or there is no C++ compiler.
cd "$(dirname "$0")/.." || exit 2
. bench/bench.inc
one=$(realpath -m "${1:-build}")/dtrace
other=${2:+$(realpath -m "$2")/dtrace}
runs=${3:-15}
needs "$(dirname "$one")" dtrace
[ -z "$other" ] || needs "$(dirname "$other")" dtrace
needs_command g++ python3
may_trace "$one"

# 10,000 instances of a template, each of which enters the kernel once a turn
cat >"$tmp/frames.cc" <<'END'
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>
namespace bench {
template <class T, int N> struct Box {
	__attribute__((noinline)) static long enter(const std::vector<std::pair<T, std::string>> &v) { return syscall(SYS_getppid) + N + (long)v.size(); }
};
template <int... N> long all(std::integer_sequence<int, N...>)
{
	std::vector<std::pair<int, std::string>> v;
	long sum = 0;
	long (*const each[])(const std::vector<std::pair<int, std::string>> &) = { Box<int, N>::enter... };
	for (auto f : each)
		sum += f(v);
	return sum;
}
}
int main() { return bench::all(std::make_integer_sequence<int, 10000>()) == 0; }
END
g++ -O1 -ftemplate-depth=20000 -o "$tmp/frames" "$tmp/frames.cc" || fail "the program to trace does not compile"

cat >"$tmp/measure.py" <<'END'
import os, statistics, subprocess, sys, time
out, runs, builds = sys.argv[1], int(sys.argv[2]), [b for b in sys.argv[3:5] if b]
frames = sys.argv[5]
cases = [
    ("start, one process", ["-qn", "profile-997 /pid == $target/ { @[ustack()] = count(); }", "-c", "/bin/true"]),
    ("start, all processes", ["-qn", "profile-997 /execname == \"true\"/ { @[ustack()] = count(); }", "-c", "/bin/true"]),
    ("10,000 names", ["-q", "-x", "aggsize=64m", "-x", "demangle", "-n", "syscall::getppid:entry /pid == $target/ { @[ustack(2)] = count(); }", "-c", frames]),
]
def run(build, args):
    began = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        os.execv(build, [build] + args)
    _, status, used = os.wait4(pid, 0)
    if status != 0:
        sys.exit("bench/names.sh: %s %s: status %d" % (build, " ".join(args), status))
    return (used.ru_utime + used.ru_stime) * 1e3, (time.perf_counter() - began) * 1e3
for name, args in cases:
    got = {b: [] for b in builds}
    for i in range(runs):
        for b in builds:
            got[b].append(run(b, args))
    if name == "10,000 names":
        found = open(out).read().count("::enter(")
        if found == 0:
            sys.exit("bench/names.sh: no frame has a name")
        name += " (%d found)" % found
    line = "%-32s" % name
    for k, what in enumerate(("CPU", "real")):
        m = [statistics.median(r[k] for r in got[b]) for b in builds]
        line += "  %s %s ms" % (what, " : ".join("%7.1f" % x for x in m))
        if len(m) == 2:
            line += " (%.2f)" % (m[0] / m[1])
    print(line, flush=True)
END
echo "${other:+this : other (ratio), }medians of $runs runs"
python3 "$tmp/measure.py" "$tmp/out" "$runs" "$one" "$other" "$tmp/frames"
