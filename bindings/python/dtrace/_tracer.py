# SPDX-License-Identifier: BSD-2-Clause
"""The handle of libdtrace. `_lock` is held around every call of the library and never while a thread waits, so others
may call, stop and close meanwhile. Events and warnings of callbacks are kept until the library has returned, so no code
of the user runs inside of it. A signal handler may run there nevertheless: what it wants is done when the call is over."""
from __future__ import annotations

import asyncio
import collections
import ctypes
import os
import select
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, AsyncIterator, Callable, Deque, Iterator, List, Literal, Optional, Tuple, Type, Union

from . import _convert, _lib
from ._convert import text
from ._errors import EDT_ACCESS, AccessError, ClosedError, CompileError, DropWarning, Error, FaultWarning, OptionError, StateError
from ._lib import C
from ._values import Element, Event, Probe, Value

Order = Literal["any", "sorted", "key", "value", "keyvar", "valuevar", "key-reversed", "value-reversed", "keyvar-reversed",
                "valuevar-reversed"]
ORDERS: Tuple[str, ...] = tuple(_lib.WALKS)

_SLICE = 1.0            # the longest single wait, in seconds
_PROCESS_SLICE = 0.02   # the same with processes: their end does not wake anybody


def _bytes(value: object) -> bytes:
    """Text for C. Paths and bytes are kept as they are, the rest is what str() makes of it; C would cut off after a NUL."""
    b = os.fsencode(value) if isinstance(value, (str, bytes, os.PathLike)) else str(value).encode()
    if b"\0" in b:
        raise ValueError("embedded null character in %r" % (value,))
    return b


def _words(words: Tuple[object, ...]) -> Any:
    """C's argv."""
    return (ctypes.c_char_p * (len(words) + 1))(*map(_bytes, words), None)


class _Begun:
    """An event whose text is still coming."""

    def __init__(self, probe: Probe, cpu: int, timestamp: int, values: Tuple[Value, ...]) -> None:
        self.head = (probe, cpu, timestamp, values)
        self.text: List[str] = []

    def event(self) -> Event:
        return Event(*self.head, "".join(self.text))


class Process:
    """A process the tracer started and holds until go(), or one it grabbed; the first of them is $target."""

    def __init__(self, tracer: Tracer, handle: int) -> None:
        self._tracer = tracer
        self._handle: Optional[int] = handle
        self.pid: int = C.dtrace_proc_getpid(tracer._h, handle)

    def __repr__(self) -> str:
        return "<dtrace.Process %d>" % self.pid

    def resume(self) -> None:
        """Lets the process run; Tracer.go() does so for all of them."""
        with self._tracer._locked() as h:
            if self._handle:
                self._tracer._keep(C.dtrace_proc_continue, h, self._handle)

    @property
    def status(self) -> Optional[int]:
        """None while it runs, then its status as wait(2) has it; 0 for a process that was grabbed."""
        status = ctypes.c_int()
        with self._tracer._locked() as h:
            if self._handle and C.dtrace_proc_gone(h, self._handle, ctypes.byref(status)) == 1:
                return status.value
        return None

    def release(self) -> None:
        """Gives the process up. One that the tracer started is killed, one that it grabbed runs on."""
        with self._tracer._locked() as h:
            if self._handle:
                self._tracer._keep(C.dtrace_proc_release, h, self._handle)
                self._tracer._processes.remove(self)
                self._handle = None


class _Locked:
    """`with tracer._locked() as h`: the handle, for this thread alone; ClosedError if there is none."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def __enter__(self) -> int:
        t = self._tracer
        t._lock.acquire()
        t._depth += 1
        if t._h is None or t._closing:
            t._depth -= 1
            t._lock.release()
            raise ClosedError()
        return t._h

    def __exit__(self, *_: object) -> None:
        t = self._tracer
        t._depth -= 1
        try:
            if t._depth == 0 and t._later:
                later, t._later = t._later, []
                for f in later:
                    f()
        finally:
            t._lock.release()


class Tracer:
    """A handle of libdtrace. Options are keywords (`quiet=True`, `bufsize="4m"`) or given to set()."""

    def __init__(self, flags: int = 0, **options: object) -> None:
        err = ctypes.c_int()
        self._h: Optional[int] = None
        self._lock = threading.RLock()
        self._depth = 0                                 # how many times the thread with the lock has taken it
        self._later: List[Callable[[], None]] = []      # what signal handlers asked for during a call
        self._idle = threading.Condition(self._lock)    # a thread has stopped waiting for the descriptor
        self._waiting: List[int] = []                   # threads that wait for it
        self._started = self._ended = self._closing = False
        self._processes: List[Process] = []
        self._keeper: Optional[ThreadPoolExecutor] = None
        self._events: Deque[_Begun] = collections.deque()
        self._warnings: List[Tuple[str, Type[Warning]]] = []
        self._failure: Optional[BaseException] = None
        # ctypes frees a callback that nobody refers to
        self._on_probe_c, self._on_rec_c = _lib.PROBE_F(self._guard(self._on_probe, _lib.ABORT)), _lib.REC_F(lambda *_: _lib.THIS)
        self._on_text_c = _lib.BUFFERED_F(self._guard(self._on_text, -1))
        self._on_drop_c = _lib.DROP_F(self._guard(self._on_drop, -1))
        self._on_fault_c = _lib.ERR_F(self._guard(self._on_fault, -1))
        self._h = C.dtrace_open(_lib.VERSION, flags, ctypes.byref(err))
        if not self._h:
            raise self._error_of(err.value, text(C.dtrace_errmsg(None, err.value)))
        try:
            self._check(C.dtrace_handle_buffered(self._h, self._on_text_c, None))
            self._check(C.dtrace_handle_drop(self._h, self._on_drop_c, None))
            self._check(C.dtrace_handle_err(self._h, self._on_fault_c, None))
            for name, value in options.items():
                self.set(name, value)
        except BaseException:
            self.close()
            raise

    # ---- life ----

    def close(self) -> None:
        """Ends the trace, if one runs, and removes every probe. Threads that wait for events get ClosedError, and so
        does every further call; closing again does nothing."""
        with self._lock:
            if self._h is None or self._closing:
                return
            if self._depth > 0:         # from a signal handler in the middle of another call
                self._later.append(self.close)
                return
            self._closing = True
            if self._started:
                C.dtrace_stop(self._h)  # wakes those who wait for the descriptor
            if threading.get_ident() in self._waiting:
                return                  # from a signal handler during a wait: _leave() goes on
            while self._waiting:
                self._idle.wait()
            self._free()

    def _free(self) -> None:
        if self._h is not None:
            C.dtrace_close(self._h)
            self._h = None
            if self._keeper is not None:
                self._keeper.shutdown(wait=False)

    @property
    def closed(self) -> bool:
        return self._h is None or self._closing

    def __enter__(self) -> Tracer:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 where: Optional[TracebackType]) -> None:
        self.close()

    async def __aenter__(self) -> Tracer:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        where: Optional[TracebackType]) -> None:
        await asyncio.get_running_loop().run_in_executor(None, self.close)

    def __del__(self) -> None:
        if getattr(self, "_h", None) is not None:
            warnings.warn("unclosed %r" % self, ResourceWarning, source=self)
            self.close()

    def __repr__(self) -> str:
        state = "closed" if self.closed else "ended" if self._ended else "tracing" if self._started else "open"
        return "<dtrace.Tracer %s>" % state

    def _locked(self) -> _Locked:
        return _Locked(self)

    def _error_of(self, errno: int, message: str) -> Error:
        return AccessError(message, errno) if errno == EDT_ACCESS else Error(message, errno)

    def _failed(self) -> Error:
        errno = C.dtrace_errno(self._h)
        return self._error_of(errno, text(C.dtrace_errmsg(self._h, errno)))

    def _check(self, status: int) -> int:
        """Raises what a callback raised, or what the library says of a call that returned -1."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure
        if status == -1:
            raise self._failed()
        return status

    # ---- before it runs ----

    def set(self, option: str, value: object = True) -> None:
        """Sets an option as -x does. True gives it no value; False turns it off."""
        given = None if value is True else b"0" if value is False else _bytes(value)
        with self._locked() as h:
            if C.dtrace_setopt(h, _bytes(option), given) != 0:
                self._option_failed(option)

    def _option_failed(self, option: str) -> None:
        e = self._failed()
        raise OptionError(e.message, e.errno, option, text(C.dtrace_errexcerpt(self._h)))

    def get(self, option: str) -> Optional[int]:
        """An option's value as a number; None when it is not set."""
        value = ctypes.c_int64()
        with self._locked() as h:
            if C.dtrace_getopt(h, _bytes(option), ctypes.byref(value)) != 0:
                self._option_failed(option)
        return None if value.value == _lib.UNSET else value.value

    def enable(self, program: str, *args: object) -> int:
        """Compiles a program in D and enables its probes. `args` are $1 and so on; returns how many probes matched."""
        info = _lib.ProgInfo()
        argv = _words(("python",) + args)
        with self._locked() as h:
            prog = C.dtrace_program_strcompile(h, _bytes(program), _lib.SPEC_NAME, 0, len(args) + 1, argv)
            if not prog or C.dtrace_program_exec(h, prog, ctypes.byref(info)) != 0:
                e = self._failed()
                raise CompileError(e.message, e.errno, text(C.dtrace_errexcerpt(h)))
        return int(info.dpi_matches)

    def spawn(self, *command: Union[str, bytes, os.PathLike[str]]) -> Process:
        """Starts a command and holds it before it runs: as $target, if it is the first process."""
        if not command:
            raise TypeError("spawn() needs a command")
        argv = _words(command)
        with self._locked() as h:
            if self._keeper is None:
                self._keeper = ThreadPoolExecutor(1, "dtrace")
            return self._take(self._keep(C.dtrace_proc_create, h, argv[0], argv))

    def grab(self, pid: int) -> Process:
        """Takes a process that runs already: as $target, if it is the first one."""
        with self._locked() as h:
            return self._take(self._keep(C.dtrace_proc_grab, h, pid, 0))

    def _keep(self, f: Callable[..., Any], *args: Any) -> Any:
        """Calls for processes come from one thread, because only the thread that started a process can let it run, and the
        process ends with that thread. So the tracer has a thread for them, from the first spawn() to close()."""
        return f(*args) if self._keeper is None else self._keeper.submit(f, *args).result()

    def _take(self, handle: int) -> Process:
        if not handle:
            raise self._failed()
        p = Process(self, handle)
        self._processes.append(p)
        return p

    def probes(self, pattern: str = "*:*:*:*") -> List[Probe]:
        """Every probe that a description matches."""
        found: List[Probe] = []

        def one(_: Any, desc: Any, __: Any) -> int:
            found.append(_convert.probe(desc.contents))
            return 0
        desc = _lib.ProbeDesc()
        with self._locked() as h:
            self._check(C.dtrace_str2desc(h, _lib.SPEC_NAME, _bytes(pattern), ctypes.byref(desc)))
            C.dtrace_probe_iter(h, ctypes.byref(desc), _lib.ITER_F(one), None)
        return found

    # ---- while it runs ----

    def go(self) -> None:
        """Probes fire from here on; processes that were held run."""
        with self._locked() as h:
            self._check(C.dtrace_go(h))
            self._started = True
            C.dtrace_ctlfd(h)           # from here on dtrace_stop() wakes those who wait for it
            for p in self._processes:
                p.resume()

    def stop(self) -> None:
        """Ends the trace, from any thread: END fires, and nothing after it. What is left can still be read by events()."""
        with self._locked() as h:
            if not self._started:
                raise StateError("stop() comes after go()")
            if self._depth > 1:         # from a signal handler in the middle of another call
                self._later.append(lambda: None if self._ended else C.dtrace_stop(h))
            else:
                self._check(C.dtrace_stop(h))

    @property
    def ended(self) -> bool:
        """Whether the trace has ended and all of its events were read."""
        return self._ended and not self._events

    @property
    def status(self) -> int:
        """What the program gave to exit()."""
        with self._locked() as h:
            return int(C.dtrace_exitstatus(h))

    @property
    def notice(self) -> str:
        """What could not be enabled although the rest could: lines for the user, "" if there are none."""
        with self._locked() as h:
            return text(C.dtrace_notice(h))

    def fileno(self) -> int:
        """For select() and the like: readable when poll() has something to do. It belongs to the tracer."""
        with self._locked() as h:
            return self._check(C.dtrace_ctlfd(h))

    def poll(self) -> List[Event]:
        """The events that are there now, without waiting."""
        self._begin()
        self._work()
        with self._locked():
            events = [b.event() for b in self._events]
            self._events.clear()
        return events

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Traces until the end (True) or until the seconds are over (False; call it again to go on). Events that come
        meanwhile are kept for events()."""
        end = None if timeout is None else time.monotonic() + timeout
        if not self._started:
            self.go()
        while not self._ended and (end is None or time.monotonic() < end):
            self._pause(end)
            self._work()
        with self._locked():
            return self._ended

    def events(self, timeout: Optional[float] = None) -> Iterator[Event]:
        """Gives Events as they come, until the trace ends or the seconds are over; then it can be called again, and
        events are not lost in between. Once the trace has ended and all events were read, StateError."""
        self._begin()
        return self._iterate(None if timeout is None else time.monotonic() + timeout)

    def _iterate(self, end: Optional[float]) -> Iterator[Event]:
        while True:
            while True:
                event = self._next()
                if event is None:
                    break
                yield event
            if self._ended or end is not None and time.monotonic() >= end:
                return
            self._pause(end)
            self._work()

    __iter__ = events

    async def aevents(self, timeout: Optional[float] = None) -> AsyncIterator[Event]:
        """events() for asyncio: other tasks run while this one waits. The library's work is done by threads of the
        loop's default executor."""
        loop = asyncio.get_running_loop()
        end = None if timeout is None else loop.time() + timeout
        await loop.run_in_executor(None, self._begin)
        while True:
            while True:
                event = self._next()
                if event is None:
                    break
                yield event
            if self._ended or end is not None and loop.time() >= end:
                return
            await self._readable(loop, self._slice(None if end is None else end - loop.time()))
            await loop.run_in_executor(None, self._work)

    def __aiter__(self) -> AsyncIterator[Event]:
        return self.aevents()

    def run(self, seconds: Optional[float] = None) -> List[Event]:
        """Traces to the end, which comes after so many seconds at the latest, and gives all Events."""
        self._begin()
        if not self.wait(seconds):
            self.stop()
            self.wait()
        return self.poll() if self._events else []

    def _begin(self) -> None:
        with self._locked():
            if not self._started:
                self.go()
            elif self.ended:
                raise StateError("the trace has ended: a tracer runs one trace")

    def _next(self) -> Optional[Event]:
        with self._locked():
            return self._events.popleft().event() if self._events else None

    def _slice(self, left: Optional[float]) -> float:
        most = _PROCESS_SLICE if self._processes else _SLICE
        return most if left is None else max(0.0, min(left, most))

    def _pause(self, end: Optional[float]) -> None:
        """Waits for something to do. Only the descriptor is used here, which close() leaves open until all are out."""
        with self._locked() as h:
            fd = self._check(C.dtrace_ctlfd(h))
            self._waiting.append(threading.get_ident())
        try:
            poll = select.poll()
            poll.register(fd, select.POLLIN)
            poll.poll(1000 * self._slice(None if end is None else end - time.monotonic()))
        finally:
            self._leave()

    async def _readable(self, loop: asyncio.AbstractEventLoop, timeout: float) -> None:
        """_pause() for asyncio. The descriptor is duplicated, because a loop knows only one reader for each number."""
        with self._locked() as h:
            fd = os.dup(self._check(C.dtrace_ctlfd(h)))
        ready = loop.create_future()
        loop.add_reader(fd, lambda: None if ready.done() else ready.set_result(None))
        try:
            await asyncio.wait([ready], timeout=timeout)
        finally:
            loop.remove_reader(fd)
            os.close(fd)

    def _leave(self) -> None:
        with self._lock:
            self._waiting.remove(threading.get_ident())
            self._idle.notify_all()
            if self._closing and not self._waiting:
                self._free()

    def _work(self) -> None:
        """One turn of the library: what was recorded becomes events, and the end is noticed."""
        with self._locked() as h:
            if self._ended:
                return
            if self._processes_gone(h):
                self._check(C.dtrace_stop(h))
            status = C.dtrace_work(h, None, self._on_probe_c, self._on_rec_c, None)
            self._ended = status == _lib.DONE
            told, self._warnings = self._warnings, []
            self._check(status)
        for message, kind in told:
            warnings.warn(message, kind, stacklevel=3)

    def _processes_gone(self, h: int) -> bool:
        status = ctypes.c_int()
        return bool(self._processes) and all(C.dtrace_proc_gone(h, p._handle, ctypes.byref(status)) == 1
                                             for p in self._processes)

    # ---- aggregations ----

    def aggregation(self, name: Optional[str] = None, order: Order = "sorted") -> List[Element]:
        """The Elements of one aggregation, or of all, as they are now. `name` is without @; "" is the one without a name."""
        found: List[Element] = []
        walk = _lib.WALKS.get(order)
        if walk is None:
            raise ValueError("unknown order %r: it is one of %s" % (order, ", ".join(ORDERS)))

        def one(data: Any, _: Any) -> int:
            desc = data.contents.desc.contents
            called = "" if desc.name == b"_" else text(desc.name)
            if name is None or called == name:
                found.append(Element(called, _convert.element_keys(data), _convert.element_value(data)))
            return 0
        with self._locked() as h:
            self._check(C.dtrace_aggregate_snap(h))
            self._check(walk(h, _lib.AGG_F(self._guard(one, 1)), None))
        return found

    def clear(self) -> None:
        """All aggregations begin anew; their keys stay, with a value of 0 until something is counted."""
        with self._locked() as h:
            C.dtrace_aggregate_clear(h)

    # ---- callbacks ----

    def _guard(self, f: Callable[..., int], bad: int) -> Callable[..., int]:
        """Exceptions cannot pass through C: the first is kept, ends the call, and is raised by _check()."""
        def guarded(*args: Any) -> int:
            try:
                return f(*args)
            except BaseException as e:       # pylint: disable=broad-except
                self._failure = self._failure or e
                return bad
        return guarded

    def _on_probe(self, data: Any, _: Any) -> int:
        d = data.contents
        self._events.append(_Begun(_convert.probe(d.pdesc.contents), d.cpu, d.timestamp, _convert.recorded(data)))
        return _lib.THIS

    def _on_text(self, data: Any, _: Any) -> int:
        if data.contents.buffered and self._events:
            self._events[-1].text.append(text(data.contents.buffered))
        return 0

    def _on_drop(self, data: Any, _: Any) -> int:
        self._warnings.append((text(data.contents.msg).strip(), DropWarning))
        return 0

    def _on_fault(self, data: Any, _: Any) -> int:
        self._warnings.append((text(data.contents.msg).strip(), FaultWarning))
        return 0
