#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""System calls by process, refreshed: top.py [SECONDS [ROUNDS]]"""
import sys

import dtrace

seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 0

with dtrace.Tracer(quiet=True) as t:
    t.enable("syscall:::entry { @[execname, pid] = count(); }")
    while not t.wait(seconds):
        print("%-20s %8s %10s" % ("PROGRAM", "PID", "CALLS"))
        for e in t.aggregation(order="value-reversed")[:20]:
            program, pid = map(str, e.keys)
            if e.number:
                print("%-20s %8s %10d" % (program, pid, e.number))
        print(flush=True)
        t.clear()
        rounds -= 1
        if rounds == 0:
            break
