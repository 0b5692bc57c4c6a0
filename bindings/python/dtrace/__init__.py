# SPDX-License-Identifier: BSD-2-Clause
"""DTrace from Python: programs in D, their events and aggregations as Python values.

    import dtrace

    with dtrace.Tracer(quiet=True) as t:
        t.enable('syscall:::entry { @[execname] = count(); }')
        t.run(seconds=1)
        for e in t.aggregation():
            print(*e.keys, e.value)

Nothing but the standard library and libdtrace.so is needed; see doc/API.md for what the calls beneath do.
"""
import ctypes
import os
import time
import warnings

from . import _lib
from ._lib import C, ORDERS

__all__ = ["Tracer", "Process", "Error", "DropWarning", "FaultWarning", "Event", "Element", "Frame", "Bucket", "Probe", "ORDERS"]


class Error(Exception):
    """What the library refused, in its own words; `errno` is its number."""

    def __init__(self, message, errno):
        super().__init__(message)
        self.errno = errno


class DropWarning(UserWarning):
    """Data was lost: the text says how much and which option would have kept it."""


class FaultWarning(UserWarning):
    """A clause was ended by a fault: the text says where and why."""


class _Tuple(tuple):
    """A tuple with names, as collections.namedtuple makes them, that can be printed in short."""

    _fields = ()

    def __new__(cls, *values):
        return super().__new__(cls, values)

    def __repr__(self):
        inside = ", ".join("%s=%r" % (n, v) for n, v in zip(self._fields, self))
        return "%s(%s)" % (type(self).__name__, inside)


def _named(name, doc, *fields):
    body = {"__doc__": doc, "_fields": fields, "__slots__": ()}
    for i, f in enumerate(fields):
        body[f] = property(lambda self, i=i: self[i])
    return type(name, (_Tuple,), body)


Probe = _named("Probe", "A probe's name in four parts, and its number.", "id", "provider", "module", "function", "name")
Frame = _named("Frame", "A place in code: its address, and its name as DTrace prints it.", "address", "symbol")
Bucket = _named("Bucket", "Part of a distribution: numbers from `low` to `high`, both included (None: no end).", "low", "high", "count")
Event = _named("Event", "A firing: `values` are what it recorded, `text` what dtrace would have printed.",
               "probe", "cpu", "timestamp", "values", "text")
Element = _named("Element", "An element of an aggregation. `value` is a number, or a list of Buckets.", "name", "keys", "value")


def _text(b):
    return b.decode("utf-8", "surrogateescape")


class Process:
    """A process the tracer started and holds, or one it grabbed; the first of them is $target."""

    def __init__(self, tracer, handle):
        self._tracer = tracer
        self._handle = handle

    def resume(self):
        """Lets it go on; Tracer.go() does so for all of them."""
        if self._handle:
            C.dtrace_proc_continue(self._tracer._open(), self._handle)

    @property
    def pid(self):
        return C.dtrace_proc_getpid(self._tracer._open(), self._handle) if self._handle else None

    def release(self):
        """A process that the tracer started is ended."""
        if self._handle:
            C.dtrace_proc_release(self._tracer._open(), self._handle)
            self._handle = None


class Tracer:
    """A handle of libdtrace. Options are given as keywords (`quiet=True`, `bufsize="4m"`) or by set()."""

    def __init__(self, flags=0, **options):
        err = ctypes.c_int()
        self._h = C.dtrace_open(_lib.VERSION, flags, ctypes.byref(err))
        if not self._h:
            raise Error(_text(C.dtrace_errmsg(None, err.value)), err.value)
        self._processes = []
        self._text = []
        self._events = []
        self._failure = None
        self._done = False
        self._started = False
        # ctypes frees a callback that nobody refers to
        self._callbacks = (_lib.PROBE_F(self._on_probe), _lib.BUFFERED_F(self._on_text), _lib.DROP_F(self._on_drop),
                           _lib.ERR_F(self._on_fault), _lib.REC_F(lambda *_: _lib.THIS))
        try:
            self._check(C.dtrace_handle_buffered(self._h, self._callbacks[1], None))
            self._check(C.dtrace_handle_drop(self._h, self._callbacks[2], None))
            self._check(C.dtrace_handle_err(self._h, self._callbacks[3], None))
            for name, value in options.items():
                self.set(name, value)
        except BaseException:
            self.close()
            raise

    # ---- life ----

    def close(self):
        """Ends the trace, if one runs, and takes every probe away. Further calls are errors."""
        if self._h:
            C.dtrace_close(self._h)
            self._h = None

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def __del__(self):
        self.close()

    def _open(self):
        if not self._h:
            raise ValueError("the tracer is closed")
        return self._h

    def _check(self, status):
        """Raises what a callback raised, or what the library says of a call that gave -1."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure
        if status == -1:
            errno = C.dtrace_errno(self._h)
            raise Error(_text(C.dtrace_errmsg(self._h, errno)), errno)
        return status

    # ---- before it runs ----

    def set(self, option, value=True):
        """Sets an option as -x does. True gives it no value; False turns it off."""
        text = None if value is True else b"0" if value is False else str(value).encode()
        self._check(C.dtrace_setopt(self._open(), option.encode(), text))

    def get(self, option):
        """An option's value as a number; None when it is not set."""
        value = ctypes.c_int64()
        self._check(C.dtrace_getopt(self._open(), option.encode(), ctypes.byref(value)))
        return None if value.value == _lib.UNSET else value.value

    def enable(self, program, *args):
        """Compiles a program in D and enables its probes. `args` are $1 and so on; returns how many probes matched."""
        argv = (ctypes.c_char_p * (len(args) + 2))(b"python", *[str(a).encode() for a in args], None)
        prog = C.dtrace_program_strcompile(self._open(), program.encode(), _lib.SPEC_NAME, 0, len(args) + 1, argv)
        if not prog:
            self._check(-1)
        info = _lib.ProgInfo()
        self._check(C.dtrace_program_exec(self._h, prog, ctypes.byref(info)))
        return info.dpi_matches

    def spawn(self, *command):
        """Starts a command and holds it before it runs: as $target, if it is the first process."""
        argv = (ctypes.c_char_p * (len(command) + 1))(*[os.fsencode(c) for c in command], None)
        return self._take(C.dtrace_proc_create(self._open(), argv[0], argv))

    def grab(self, pid):
        """Takes a process that is there already: as $target, if it is the first one."""
        return self._take(C.dtrace_proc_grab(self._open(), pid, 0))

    def _take(self, handle):
        if not handle:
            self._check(-1)
        p = Process(self, handle)
        self._processes.append(p)
        return p

    def probes(self, pattern="*:*:*:*"):
        """Every probe that a description matches."""
        found = []

        def one(_, desc, __):
            found.append(self._probe(desc.contents))
            return 0
        desc = _lib.ProbeDesc()
        self._check(C.dtrace_str2desc(self._open(), _lib.SPEC_NAME, pattern.encode(), ctypes.byref(desc)))
        C.dtrace_probe_iter(self._h, ctypes.byref(desc), _lib.ITER_F(one), None)
        return found

    # ---- while it runs ----

    def go(self):
        """Probes fire from here on; processes that were held go on."""
        self._check(C.dtrace_go(self._open()))
        self._started = True
        for p in self._processes:
            p.resume()

    def stop(self):
        """END fires, and nothing after it. What is left can still be read by events()."""
        self._check(C.dtrace_stop(self._open()))

    def fileno(self):
        """For select(): readable when events() has something to give."""
        return self._check(C.dtrace_ctlfd(self._open()))

    def events(self, seconds=None):
        """Gives Events as they come, until the program says exit(), the processes end, or the seconds are over."""
        end = None if seconds is None else time.monotonic() + seconds
        if not self._started:
            self.go()
        while not self._done:
            C.dtrace_sleep(self._open())
            if end is not None and time.monotonic() >= end or self._processes_gone():
                self.stop()
                self._done = True
            yield from self._work()

    def run(self, seconds=None):
        """Runs to the end and gives the list of all Events."""
        return list(self.events(seconds))

    def _processes_gone(self):
        status = ctypes.c_int()
        held = [p for p in self._processes if p._handle]
        return bool(held) and all(C.dtrace_proc_gone(self._h, p._handle, ctypes.byref(status)) == 1 for p in held)

    def _work(self):
        status = C.dtrace_work(self._open(), None, self._callbacks[0], self._callbacks[4], None)
        self._take_text()
        events, self._events = self._events, []
        self._done = self._done or status == _lib.DONE
        yield from (Event(p, c, t, v, "".join(text)) for p, c, t, v, text in events)
        self._check(status)

    @property
    def status(self):
        """What the program gave to exit()."""
        return C.dtrace_exitstatus(self._open())

    # ---- aggregations ----

    def aggregation(self, name=None, order="sorted"):
        """The Elements of one aggregation, or of all, in one of ORDERS. `name` is without @; "" is the one without a name."""
        found = []

        def one(data, _):
            desc = data.contents.desc.contents
            called = "" if desc.name == b"_" else _text(desc.name)
            if name is None or called == name:
                found.append(Element(called, self._keys(data), self._value(data)))
            return 0
        self._check(C.dtrace_aggregate_snap(self._open()))
        self._check(ORDERS[order](self._h, _lib.AGG_F(self._guard(one)), None))
        return found

    def clear(self):
        """All aggregations begin anew; their keys stay."""
        C.dtrace_aggregate_clear(self._open())

    def _guard(self, f):
        """Exceptions cannot pass through C: the first is kept, and raised behind it."""
        def guarded(*args):
            try:
                return f(*args)
            except BaseException as e:       # pylint: disable=broad-except
                self._failure = self._failure or e
                return 1
        return guarded

    def _keys(self, data):
        val = _lib.Val()
        keys = []
        for k in range(C.dtrace_aggdata_nkeys(data)):
            C.dtrace_aggdata_key(data, k, ctypes.byref(val))
            keys.append(self._python(val))
        return tuple(keys)

    def _value(self, data):
        val = _lib.Val()
        C.dtrace_aggdata_value(data, ctypes.byref(val))
        if val.kind != _lib.BUCKETS:
            return val.int
        buckets = []

        def one(bucket, _):
            b = bucket.contents
            buckets.append(Bucket(b.low if b.has_low else None, b.high if b.has_high else None, b.count))
            return 0
        C.dtrace_aggdata_buckets(data, _lib.BUCKET_F(one), None)
        return buckets

    # ---- values ----

    def _probe(self, d):
        return Probe(d.id, _text(d.provider), _text(d.mod), _text(d.func), _text(d.name))

    def _frame(self, address, pid):
        buf = ctypes.create_string_buffer(4096)
        if pid:
            C.dtrace_uaddr2str(self._h, pid, address, buf, len(buf))
        else:
            C.dtrace_addr2str(self._h, address, buf, len(buf))
        return Frame(address, _text(buf.value))

    def _python(self, v):
        if v.kind == _lib.UINT:
            return v.int & 0xffffffffffffffff
        if v.kind == _lib.STRING:
            return _text(ctypes.string_at(v.bytes, v.len))
        if v.kind == _lib.BYTES:
            return ctypes.string_at(v.bytes, v.len)
        if v.kind == _lib.ADDRESS:
            return self._frame(v.int & 0xffffffffffffffff, v.pid)
        if v.kind == _lib.STACK:
            return [self._frame(v.frames[i], v.pid) for i in range(v.nframes)]
        return v.int

    # ---- callbacks: what they raise is kept until the library has returned ----

    def _on_probe(self, data, _):
        try:
            d = data.contents
            val = _lib.Val()
            values = []
            self._take_text()
            for n in range(d.edesc.contents.nrecs):
                if C.dtrace_probedata_value(data, n, ctypes.byref(val)) == 0:
                    values.append(self._python(val))
            self._text = []
            self._events.append((self._probe(d.pdesc.contents), d.cpu, d.timestamp, tuple(values), self._text))
            return _lib.THIS
        except BaseException as e:           # pylint: disable=broad-except
            self._failure = self._failure or e
            return _lib.ABORT

    def _take_text(self):
        self._text = []

    def _on_text(self, data, _):
        d = data.contents
        if d.buffered:
            self._text.append(_text(d.buffered))
        return 0

    def _on_drop(self, data, _):
        warnings.warn(_text(data.contents.msg).strip(), DropWarning)
        return 0

    def _on_fault(self, data, _):
        warnings.warn(_text(data.contents.msg).strip(), FaultWarning)
        return 0
