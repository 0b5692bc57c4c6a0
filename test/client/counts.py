# SPDX-License-Identifier: BSD-2-Clause
# A client of libdtrace in Python, through ctypes alone: counts system calls of this process, reads the aggregation, takes
# formatted text from the buffered handler.   counts.py LIBDTRACE
import ctypes as c
import os
import sys

lib = c.CDLL(sys.argv[1])


class RecDesc(c.Structure):
    _fields_ = [("action", c.c_uint16), ("size", c.c_uint32), ("offset", c.c_uint32), ("alignment", c.c_uint16),
                ("format", c.c_uint16), ("arg", c.c_uint64), ("uarg", c.c_uint64)]


class AggDesc(c.Structure):
    _fields_ = [("name", c.c_char_p), ("varid", c.c_int64), ("flags", c.c_int), ("id", c.c_uint32), ("epid", c.c_uint32),
                ("size", c.c_uint32), ("nrecs", c.c_int), ("pad", c.c_uint32), ("rec", RecDesc * 1)]


class AggData(c.Structure):
    _fields_ = [("handle", c.c_void_p), ("desc", c.POINTER(AggDesc)), ("edesc", c.c_void_p), ("pdesc", c.c_void_p),
                ("data", c.c_void_p), ("normal", c.c_uint64), ("size", c.c_size_t)]


class BufData(c.Structure):
    _fields_ = [("handle", c.c_void_p), ("buffered", c.c_char_p), ("probe", c.c_void_p), ("recdesc", c.POINTER(RecDesc)),
                ("aggdata", c.POINTER(AggData)), ("flags", c.c_uint32)]


Agg = c.CFUNCTYPE(c.c_int, c.POINTER(AggData), c.c_void_p)
Buf = c.CFUNCTYPE(c.c_int, c.POINTER(BufData), c.c_void_p)
Rec = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p, c.c_void_p)
lib.dtrace_open.restype = lib.dtrace_program_strcompile.restype = c.c_void_p
lib.dtrace_errmsg.restype = c.c_char_p
for name, args in {"dtrace_close": [], "dtrace_go": [], "dtrace_stop": [], "dtrace_aggregate_snap": [], "dtrace_errno": [],
                   "dtrace_errmsg": [c.c_int], "dtrace_program_exec": [c.c_void_p, c.c_void_p],
                   "dtrace_program_strcompile": [c.c_char_p, c.c_int, c.c_uint, c.c_int, c.c_void_p],
                   "dtrace_aggregate_walk_valsorted": [Agg, c.c_void_p], "dtrace_handle_buffered": [Buf, c.c_void_p],
                   "dtrace_work": [c.c_void_p, c.c_void_p, Rec, c.c_void_p]}.items():
    getattr(lib, name).argtypes = [c.c_void_p] + args


def check(good):
    if not good:
        sys.exit(lib.dtrace_errmsg(h, lib.dtrace_errno(h)).decode())


text = f"""
syscall::getppid:entry,syscall::getpgid:entry /pid == {os.getpid()}/ {{ @[probefunc, pid] = count(); }}
BEGIN {{ printf("%s %d", "begun", 1); }}
"""
pieces, rows = [], []


@Buf
def on_text(piece, arg):
    pieces.append((piece.contents.buffered.decode(), piece.contents.recdesc.contents.action))
    return 0


@Rec
def on_record(data, rec, arg):
    return 0 if rec else 1


@Agg
def on_element(agg, arg):
    a = agg.contents
    recs = c.cast(c.addressof(a.desc.contents) + AggDesc.rec.offset, c.POINTER(RecDesc))
    n = a.desc.contents.nrecs
    rows.append((c.string_at(a.data + recs[1].offset).decode(), c.c_int.from_address(a.data + recs[2].offset).value == os.getpid(),
                 c.c_int64.from_address(a.data + recs[n - 1].offset).value))
    return 0


err = c.c_int()
h = lib.dtrace_open(3, 0, c.byref(err))
if not h:
    sys.exit(lib.dtrace_errmsg(None, err).decode())
prog = lib.dtrace_program_strcompile(h, text.encode(), 3, 0, 0, None)
check(prog)
check(lib.dtrace_program_exec(h, prog, None) == 0)
check(lib.dtrace_handle_buffered(h, on_text, None) == 0)
check(lib.dtrace_go(h) == 0)
for i in range(100):
    os.getppid()
os.getpgid(0)
check(lib.dtrace_stop(h) == 0)
check(lib.dtrace_work(h, None, None, on_record, None) == 1)
check(lib.dtrace_aggregate_snap(h) == 0)
check(lib.dtrace_aggregate_walk_valsorted(h, on_element, None) == 0)
lib.dtrace_close(h)
print(pieces, rows)
