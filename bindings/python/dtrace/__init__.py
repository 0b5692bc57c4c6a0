# SPDX-License-Identifier: BSD-2-Clause
"""DTrace from Python: programs in D, their events and aggregations as Python values.

    import dtrace

    with dtrace.Tracer(quiet=True) as t:                        # system calls by program, every second
        t.enable('syscall:::entry { @[execname] = count(); }')
        while not t.wait(1):
            for e in t.aggregation(order="value-reversed")[:10]:
                print(*e.keys, e.value)
            t.clear()

A trace begins with go(), which wait(), events() and run() call if nobody has, and ends by exit() in the program, by
stop(), or when all processes of spawn() and grab() have ended. wait() and events() may be called again and again with
a timeout; in between, and between two events, aggregations can be read.

    for e in t.events(): ...            # until the trace ends
    for e in t.events(timeout=1): ...   # for a second; the trace goes on
    async for e in t.aevents(): ...     # the same for asyncio

Threads: a Tracer may be used by any thread, and by several. Calls take turns; a thread that waits for events does not
keep others from calling, each event goes to one reader, and stop() and close() end the wait of all. A closed tracer
raises ClosedError.

Nothing but the standard library and libdtrace.so is needed; doc/BINDINGS.md compares this package with its siblings in
Go and Rust, doc/API.md says what the calls beneath do.
"""
from ._errors import AccessError, ClosedError, CompileError, DropWarning, Error, FaultWarning, OptionError, StateError
from ._tracer import ORDERS, Order, Process, Tracer
from ._values import Bucket, Element, Event, Frame, Probe, Stack, Value

__all__ = ["Tracer", "Process", "Event", "Element", "Bucket", "Frame", "Probe", "Stack", "Value", "Order", "ORDERS",
           "Error", "CompileError", "OptionError", "AccessError", "StateError", "ClosedError", "DropWarning", "FaultWarning"]
