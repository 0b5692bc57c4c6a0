# SPDX-License-Identifier: BSD-2-Clause
# Stacks that know themselves: calls itself in random ways to random depths, through Python and through C, and at
# each end writes the frames that Python says it has, innermost first, and makes a system call with the number of
# the stack.
# usage: python_stacks.py make COUNT SEED DIRECTORY
#   writes DIRECTORY/waits when it is ready, begins when there is DIRECTORY/go, and ends when there is DIRECTORY/end
# usage: python_stacks.py compare FRAMES TRACE
#   of DIRECTORY/frames and the trace: "@NUMBER", then a stack
import asyncio
import contextlib
import functools
import json
import os
import random
import re
import sys
import threading
import time

FIRST = 1000000
LAST = 999999
serial = 0
out = rnd = None


def name(code):
    return getattr(code, "co_qualname", code.co_name)


def record(frame):
    global serial
    serial += 1
    lines = []
    while frame is not None:
        lines.append("%s (%s:%d)" % (name(frame.f_code), frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    out.write("stack %d\n%s\n" % (serial, "\n".join(lines)))
    return FIRST + serial


def end():
    n = record(sys._getframe()); os.closerange(n, n + 1)


def plain(n):
    go(n)


def several_lines(n):
    x = [
        1,
        go(
            n
        ),
    ]
    return x


def through_map(n):
    list(map(go, [n]))


def through_sort(n):
    sorted([n, -1], key=lambda x: (go(x) or 0) if x >= 0 else 0)


def through_reduce(n):
    functools.reduce(lambda a, b: go(b), [0, n])


def through_cmp(n):
    seen = []

    def compare(a, b):
        if not seen:
            seen.append(1)
            go(n)
        return 0
    sorted([1, 2], key=functools.cmp_to_key(compare))


def comprehension(n):
    return [go(x) for x in (n,)]


def expression(n):
    return sum(go(x) or 0 for x in (n,))


def generator(n):
    def values():
        yield 1
        go(n)
        yield 2

    def outer():
        yield from values()
    for _ in outer():
        pass


MADE = compile("x = 1\n\ngo(n)\n", "<made>", "exec")     # kept: names of code that is freed are lost
VALUE = compile("go(n)", "<value>", "eval")


def compiled(n):
    exec(MADE, {"go": go, "n": n})


def evaluated(n):
    eval(VALUE, {"go": go, "n": n})


def regular(n):
    re.sub("a", lambda m: go(n) or "b", "a")


def decoded(n):
    json.loads('{"a": 1}', object_hook=lambda d: go(n))


def handled(n):
    try:
        raise ValueError
    except ValueError:
        go(n)
    finally:
        len("")


def coroutine(n):
    async def inner():
        await asyncio.sleep(0)
        go(n)

    async def outer():
        await inner()
    c = outer()
    with contextlib.suppress(StopIteration, RuntimeError):
        while True:
            c.send(None)


@contextlib.contextmanager
def context(n):
    go(n)
    yield


def managed(n):
    with context(n):
        pass


def partial(n):
    functools.partial(go, n)()


class Thing:
    def __init__(self, n):
        self.n = n
        go(n)

    @classmethod
    def make(cls, n):
        return cls(n)


class Asked:
    @property
    def value(self):
        go(self.n)
        return 1

    def __getattr__(self, key):
        go(self.n if key != "n" else 0)

    def __getitem__(self, n):
        go(n)

    def __add__(self, n):
        go(n)

    def __call__(self, n):
        go(n)

    def __del__(self):
        if hasattr(self, "n"):
            go(self.n)


def asked(n):
    a = Asked()
    a.n = n
    rnd.choice([lambda: a.value, lambda: a.missing, lambda: a[n], lambda: a + n, lambda: a(n)])()
    a.n = 0


def unpacked(n, *args, **kwargs):
    go(*(n,), **{})


def thread(n):
    t = threading.Thread(target=go, args=(n,))
    t.start()
    t.join()


def naïve(n):
    go(n)


WAYS = [plain, several_lines, through_map, through_sort, through_reduce, through_cmp, comprehension, expression,
        generator, compiled, evaluated, regular, decoded, handled, coroutine, managed, partial, Thing,
        Thing.make, asked, unpacked, thread, naïve]

try:
    import ctypes

    def foreign(n):
        ctypes.CFUNCTYPE(None)(lambda: go(n))()
    WAYS.append(foreign)
except ImportError:
    pass


def go(n):
    if n <= 0:
        end()
    else:
        rnd.choice(WAYS)(n - 1)


def make(count, seed, folder):
    global out, rnd
    rnd = random.Random(seed)
    out = open(folder + "/frames", "w", encoding="utf-8")
    open(folder + "/waits", "w").close()
    while not os.path.exists(folder + "/go"):
        time.sleep(0.01)
    for _ in range(count):
        go(rnd.randrange(20))
    out.close()
    os.closerange(LAST, LAST + 1)
    while not os.path.exists(folder + "/end"):
        time.sleep(0.01)


def stacks_of(path, begins, is_frame):
    stacks = {}
    frames = []
    for line in open(path, encoding="utf-8", errors="replace"):
        line = line.strip()
        if line.startswith(begins):
            frames = stacks.setdefault(int(line[len(begins):]), [])
        elif is_frame(line):
            frames.append(line)
    return stacks


def compare(frames, trace):
    said = stacks_of(frames, "stack ", lambda line: line != "")
    seen = stacks_of(trace, "@", lambda line: line.endswith(")") and " (" in line or line.endswith("`?"))
    wrong = [n for n in said if seen.get(n) != said[n]]
    for n in wrong[:3]:
        print("stack %d: Python has\n  %s\ndtrace has\n  %s" % (n, "\n  ".join(said[n]), "\n  ".join(seen.get(n, []))))
    print("%d stacks, %d wrong" % (len(said), len(wrong)))


if sys.argv[1] == "make":
    make(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
else:
    compare(sys.argv[2], sys.argv[3])
