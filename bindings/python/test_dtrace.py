# SPDX-License-Identifier: BSD-2-Clause
"""Real traces through the package: each test knows what its trace must show."""
import os
import select
import threading
import unittest
import warnings

import dtrace

CALLS = 1000


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


class TestHandles(unittest.TestCase):
    def test_errors(self):
        with dtrace.Tracer() as t:
            with self.assertRaisesRegex(dtrace.Error, "nonsense"):
                t.enable("BEGIN { nonsense }")
            with self.assertRaises(dtrace.Error):
                t.set("nosuch", 1)
            with self.assertRaises(dtrace.Error):
                t.spawn("/no/such/program")
        with self.assertRaises(ValueError):
            t.go()

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


if __name__ == "__main__":
    unittest.main()
