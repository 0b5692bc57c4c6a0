# SPDX-License-Identifier: BSD-2-Clause
"""Real traces through the package: each test knows what its trace must show. L8, L9: a live view, threads, ends."""
import asyncio
import json
import os
import select
import signal
import subprocess
import sys
import threading
import unittest
import warnings

import dtrace

CALLS = 1000
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "example")
LONG = 120      # seconds: a machine that hangs, not one that is slow
TICKS = "tick-10ms { trace(++n); }"


class TestAggregations(unittest.TestCase):
    def trace(self, program):
        """Counts CALLS calls of getppid() by this process; the program exits at the last."""
        t = dtrace.Tracer(quiet=True)
        self.addCleanup(t.close)
        t.enable("int n; " + program + "syscall::getppid:entry /pid == $1 && ++n == $2/ { exit(7); }", os.getpid(), CALLS)
        t.go()
        for _ in range(CALLS):
            os.getppid()
        t.run()
        self.assertEqual(t.status, 7)
        return t

    def test_kinds(self):
        t = self.trace("""syscall::getppid:entry /pid == $1/ { @[execname, probefunc] = count(); @sum = sum(3); @min = min(-5);
            @max = max(9); @avg = avg(4); @q = quantize(20); @l = lquantize(7, 0, 10, 5); @s[stack(2)] = count();
            @neg[(int)-1, (uint64_t)-1] = count(); }""")
        (e,) = t.aggregation("")
        self.assertEqual((e.keys[1], e.value), ("getppid", CALLS))
        self.assertTrue(e.keys[0].startswith("python"))
        for name, value in (("sum", 3 * CALLS), ("min", -5), ("max", 9), ("avg", 4)):
            self.assertEqual(t.aggregation(name)[0].value, value, name)
        self.assertEqual(t.aggregation("q")[0].value, [dtrace.Bucket(16, 31, CALLS)])
        self.assertEqual(t.aggregation("l")[0].value, [dtrace.Bucket(5, 9, CALLS)])
        self.assertEqual(t.aggregation("neg")[0].keys, (-1, 2 ** 64 - 1))
        frames = t.aggregation("s")[0].keys[0]
        self.assertEqual(len(frames), 2)
        self.assertEqual(len({e.keys for e in t.aggregation("s")}), 1)    # keys can be keys of a dict
        self.assertTrue(all(f.address and f.symbol for f in frames))
        self.assertEqual(len(t.aggregation()), 9)

    def test_orders(self):
        t = self.trace("syscall::getppid:entry /pid == $1/ { @[n % 5] = sum(n % 5 == 2 ? 9 : n % 5); }")
        keys = {order: [e.keys[0] for e in t.aggregation("", order)] for order in dtrace.ORDERS}
        self.assertEqual(keys["key"], [0, 1, 2, 3, 4])
        self.assertEqual(keys["key-reversed"], [4, 3, 2, 1, 0])
        self.assertEqual(keys["value"], [0, 1, 3, 4, 2])
        self.assertEqual(keys["sorted"], keys["value"])
        self.assertEqual(keys["value-reversed"], [2, 4, 3, 1, 0])
        self.assertEqual(sorted(keys["any"]), [0, 1, 2, 3, 4])
        t.clear()
        self.assertEqual({e.value for e in t.aggregation("")}, {0})
        with self.assertRaisesRegex(ValueError, "unknown order 'up': it is one of any, sorted, key"):
            t.aggregation("", "up")

    def test_one_type_each(self):
        t = self.trace("syscall::getppid:entry /pid == $1/ { @c = count(); @q = quantize(1); @p = percentiles(7); }")
        c, q, p = (t.aggregation(name)[0] for name in "cqp")
        self.assertEqual((c.number, q.buckets, p.percentiles["count"]), (CALLS, [dtrace.Bucket(1, 1, CALLS)], CALLS))
        for wrong in (lambda: q.number, lambda: p.number, lambda: c.buckets, lambda: c.percentiles):
            self.assertRaises(TypeError, wrong)


class TestEvents(unittest.TestCase):
    def test_values_and_text(self):
        with dtrace.Tracer(quiet=True) as t:
            t.spawn("/bin/echo", "hello")
            t.enable(r'syscall::write:entry /pid == $target/ { printf("%s %d\n", copyinstr(arg1, 5), arg2); }')
            (e,) = t.run()
        self.assertEqual((e.values, e.text, e.probe.function), (("hello", 6), "hello 6\n", "write"))

    def test_branches_not_taken_have_no_values(self):
        with dtrace.Tracer(quiet=True) as t:
            t.enable('BEGIN { x = 2; } BEGIN { if (x == 1) { trace(1); } else { trace("two"); } } BEGIN { exit(0); }')
            values = [e.values for e in t.run()]
        self.assertIn(("two",), values)
        self.assertNotIn((1,), values)

    def test_descriptor(self):
        with dtrace.Tracer(quiet=True) as t:
            t.enable("tick-20ms { trace(++n); } tick-20ms /n == 3/ { exit(0); }")
            t.go()
            self.assertTrue(select.select([t], [], [], 60)[0])
            self.assertEqual([e.values for e in t.run() if e.values], [(1,), (2,), (3,)])

    def test_a_fault_is_a_warning(self):
        with dtrace.Tracer(quiet=True) as t, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            t.enable("BEGIN { trace(*(int *)0); } END { }")
            t.enable("tick-10ms { exit(0); }")
            t.run()
        self.assertTrue(any(w.category is dtrace.FaultWarning and "invalid address" in str(w.message) for w in caught))


class TestLive(unittest.TestCase):
    def test_a_view_that_refreshes(self):
        """Waiting with a limit leaves the trace running, and aggregations grow from look to look."""
        seen = []
        with dtrace.Tracer(quiet=True) as t:
            t.enable("tick-10ms { @ = count(); }")
            while len(set(seen)) < 3:
                self.assertFalse(t.wait(0.05))
                seen += [e.number for e in t.aggregation()]
            t.stop()
            self.assertTrue(t.wait())
            self.assertTrue(t.wait())
        self.assertEqual(seen, sorted(seen))

    def test_no_event_is_lost_between_calls(self):
        with dtrace.Tracer(quiet=True, switchrate="10ms") as t:
            t.enable(TICKS + "tick-10ms /n == 30/ { exit(0); }")
            seen = []
            while not t.ended:
                for e in t.events(timeout=0.03):
                    seen += e.values
                    break               # the rest of what was read comes with the next call
            with self.assertRaisesRegex(dtrace.StateError, "the trace has ended"):
                t.events()
            with self.assertRaises(dtrace.StateError):
                t.run()
        self.assertEqual(seen[:30], list(range(1, 31)))

    def test_aggregations_between_events(self):
        with dtrace.Tracer(quiet=True, switchrate="10ms") as t:
            t.enable("tick-10ms { @ = count(); trace(++n); }")
            for e in t:
                self.assertGreaterEqual(t.aggregation()[0].number, e.values[0])
                if e.values[0] == 5:
                    t.stop()

    def test_asyncio(self):
        async def trace():
            turns = 0
            async with dtrace.Tracer(quiet=True, switchrate="10ms") as t:
                t.enable(TICKS)

                async def others():
                    nonlocal turns
                    while turns < 3:
                        turns += 1
                        await asyncio.sleep(0.02)
                    await asyncio.get_running_loop().run_in_executor(None, t.stop)
                task = asyncio.ensure_future(others())
                self.assertEqual([e async for e in t.aevents(timeout=0)], [])
                values = [e.values[0] async for e in t if e.values]
                await task
            self.assertTrue(t.closed)
            with self.assertRaises(dtrace.ClosedError):
                async for _ in t:
                    pass
            return turns, values
        turns, values = asyncio.run(trace())
        self.assertEqual((turns, values), (3, list(range(1, len(values) + 1))))

    def test_a_cancelled_task_loses_nothing(self):
        seen = []

        async def read(t):
            async for e in t:
                seen.extend(e.values)

        async def trace():
            async with dtrace.Tracer(quiet=True, switchrate="10ms") as t:
                t.enable(TICKS + "tick-10ms /n == 30/ { exit(0); }")
                while not t.ended:
                    try:
                        await asyncio.wait_for(read(t), 0.03)
                    except asyncio.TimeoutError:
                        pass
        asyncio.run(trace())
        self.assertEqual(seen[:30], list(range(1, 31)))

    def test_poll(self):
        with dtrace.Tracer(quiet=True, switchrate="10ms") as t:
            t.enable(TICKS + "tick-10ms /n == 5/ { exit(0); }")
            values = []
            while not t.ended:
                select.select([], [], [], 0.01)
                values += [e.values[0] for e in t.poll() if e.values]
        self.assertEqual(values[:5], [1, 2, 3, 4, 5])


class TestThreads(unittest.TestCase):
    def waiting(self, end, expected):
        """A thread reads events; once it has one, `end` is called here, and the thread ends as expected."""
        begun, result = threading.Event(), []
        t = dtrace.Tracer(quiet=True, switchrate="10ms")
        self.addCleanup(t.close)
        t.enable(TICKS)

        def read():
            try:
                for _ in t.events():
                    begun.set()
                result.append(None)
            except Exception as e:      # pylint: disable=broad-except
                result.append(type(e))
        thread = threading.Thread(target=read)
        thread.start()
        self.assertTrue(begun.wait(LONG))
        end(t)
        thread.join(LONG)
        self.assertEqual(result, [expected])

    def test_stopped_by_another(self):
        self.waiting(lambda t: t.stop(), None)

    def test_closed_by_another(self):
        self.waiting(lambda t: t.close(), dtrace.ClosedError)

    def test_two_readers(self):
        """Each event goes to one of them."""
        with dtrace.Tracer(quiet=True, switchrate="10ms") as t:
            t.enable(TICKS + "tick-10ms /n == 30/ { exit(0); }")
            lists = [[], []]
            threads = [threading.Thread(target=lambda to=to, events=t.events(): to.extend(e.values[0] for e in events if e.values))
                       for to in lists]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(LONG)
        self.assertEqual(sorted(lists[0] + lists[1])[:30], list(range(1, 31)))

    def test_signal_handlers(self):
        """They run in the middle of anything: a wait, or a call that calls back."""
        for end, error in (("stop", None), ("close", dtrace.ClosedError)):
            t = dtrace.Tracer(quiet=True, switchrate="10ms")
            self.addCleanup(t.close)
            t.enable(TICKS)
            t.go()
            old = signal.signal(signal.SIGALRM, lambda *_, t=t, end=end: getattr(t, end)())
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            try:
                while t.aggregation() == [] and not t.ended:
                    t.poll()
                    t.probes("syscall::read:")
                got = None
            except dtrace.Error as e:
                got = type(e)
            finally:
                signal.signal(signal.SIGALRM, old)
            self.assertEqual(got, error, end)

    def test_a_process_may_be_started_by_a_thread_that_ends(self):
        with dtrace.Tracer(quiet=True) as t:
            thread = threading.Thread(target=lambda: t.spawn("/bin/sh", "-c", "exit 3"))
            thread.start()
            thread.join()
            (p,) = t._processes
            self.assertIsNone(p.status)
            t.enable("syscall::exit_group:entry /pid == $target/ { trace(arg0); }")
            self.assertEqual([e.values for e in t.run()], [(3,)])
            self.assertEqual(p.status, 3 << 8)


class TestHandles(unittest.TestCase):
    def test_errors(self):
        with dtrace.Tracer() as t:
            with self.assertRaisesRegex(dtrace.CompileError, "line 2: .*nonsense") as caught:
                t.enable("BEGIN {\n  nonsense }")
            self.assertEqual((caught.exception.line, caught.exception.column), (2, 3))
            self.assertIn("^~~~~~~~", str(caught.exception))
            with self.assertRaisesRegex(dtrace.OptionError, "option bufsiz: Invalid option name .did you mean `bufsize`"):
                t.set("bufsiz", 1)
            with self.assertRaisesRegex(ValueError, "option bufsize: Invalid value"):
                t.set("bufsize", "much")
            with self.assertRaisesRegex(dtrace.OptionError, "option nosuch: ") as caught:
                dtrace.Tracer(nosuch=1)
            self.assertEqual(caught.exception.option, "nosuch")
            with self.assertRaisesRegex(dtrace.OptionError, "option nosuch: "):
                t.get("nosuch")
            with self.assertRaisesRegex(dtrace.Error, "failed to execute /no/such/program: No such file"):
                t.spawn("/no/such/program")
            self.assertRaises(dtrace.StateError, t.stop)
            for cut in (lambda: t.enable("BEGIN { }\0nonsense"), lambda: t.set("bufsize", "4m\0"), lambda: t.spawn("true\0")):
                self.assertRaisesRegex(ValueError, "embedded null character", cut)

    def test_used_after_close(self):
        t = dtrace.Tracer()
        p = t.spawn("/bin/true")
        self.assertFalse(t.closed)
        t.close()
        t.close()
        self.assertTrue(t.closed)
        for call in (lambda: t.enable("BEGIN { }"), lambda: t.set("quiet"), lambda: t.get("bufsize"), lambda: t.spawn("true"),
                     lambda: t.grab(1), t.probes, t.go, t.stop, t.wait, t.poll, t.events, t.run, t.aggregation, t.clear,
                     t.fileno, lambda: t.status, lambda: t.notice, p.resume, p.release, lambda: p.status):
            self.assertRaises(dtrace.ClosedError, call)
            self.assertRaises(ValueError, call)

    def test_without_rights(self):
        child = os.fork()
        if child == 0:
            try:
                os.setgroups([])
                os.setresgid(65534, 65534, 65534)
                os.setresuid(65534, 65534, 65534)
                t = dtrace.Tracer()
                t.enable("syscall:::entry { @ = count(); }")
                t.go()
                os._exit(1)
            except PermissionError as e:
                os._exit(0 if isinstance(e, dtrace.AccessError) and "privileges" in str(e) else 2)
            finally:
                os._exit(3)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_a_tracer_that_is_forgotten(self):
        with self.assertWarnsRegex(ResourceWarning, "unclosed <dtrace.Tracer open>"):
            dtrace.Tracer().__del__()

    def test_probes_and_options(self):
        with dtrace.Tracer(bufsize="64k") as t:
            names = {p.function for p in t.probes("syscall:::entry")}
            self.assertTrue({"read", "write", "getppid"} <= names)
            self.assertEqual(t.get("bufsize"), 65536)

    def test_several_at_once(self):
        seen = []

        def one(n):
            with dtrace.Tracer(quiet=True) as t:
                t.enable("BEGIN { trace($1); exit($1); }", n)
                seen.append((n, t.run()[0].values, t.status))
        threads = [threading.Thread(target=one, args=(n,)) for n in range(1, 5)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(sorted(seen), [(n, (n,), n) for n in range(1, 5)])


class TestExamples(unittest.TestCase):
    def run_example(self, name, *args):
        command = [sys.executable, os.path.join(EXAMPLES, name), *args]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=LONG).stdout.decode()

    def test_top(self):
        out = self.run_example("top.py", "0.1", "2")
        self.assertEqual(out.count("PROGRAM"), 2)

    def test_latency(self):
        out = self.run_example("latency.py", "/bin/sh", "-c", "cat /etc/passwd >/dev/null; cd /; cd /tmp")
        self.assertRegex(out, r"(?m)^chdir: 2 calls\n +\d+ ns \|@+ *\| [12]$")

    def test_stream(self):
        out = self.run_example("stream.py", "/bin/cat", "/etc/passwd")
        self.assertIn("/etc/passwd", [json.loads(line)["path"] for line in out.splitlines() if line.startswith("{")])


if __name__ == "__main__":
    unittest.main()
