#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The files that a command opens, as lines of JSON while it runs: stream.py COMMAND [ARG…]"""
import asyncio
import json
import sys

import dtrace

PROGRAM = "syscall::openat:entry /pid == $target/ { trace(pid); trace(execname); trace(copyinstr(arg1)); }"


async def main() -> None:
    async with dtrace.Tracer(quiet=True, switchrate="100ms") as t:
        t.spawn(*(sys.argv[1:] or ["ls", "-l", "/"]))
        t.enable(PROGRAM)
        async for e in t:
            pid, program, path = e.values
            print(json.dumps({"time": e.timestamp, "pid": pid, "program": program, "path": path}), flush=True)


asyncio.run(main())
