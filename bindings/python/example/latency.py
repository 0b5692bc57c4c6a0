#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""How long the system calls of a command take: latency.py COMMAND [ARG…]"""
import sys

import dtrace

PROGRAM = """
syscall:::entry /pid == $target/ { self->begin = timestamp; }
syscall:::return /self->begin/ { @[probefunc] = quantize(timestamp - self->begin); self->begin = 0; }
"""

with dtrace.Tracer(quiet=True) as t:
    t.spawn(*(sys.argv[1:] or ["ls", "-l", "/"]))
    t.enable(PROGRAM)
    t.wait()
    for e in t.aggregation():
        total = sum(b.count for b in e.buckets)
        print("%s: %d calls" % (str(e.keys[0]), total))
        for b in e.buckets:
            print("%12s ns |%-40s| %d" % (b.low, "@" * (40 * b.count // total), b.count))
