# SPDX-License-Identifier: BSD-2-Clause
"""libdtrace as ctypes sees it: the structs and functions of <dtrace.h> that the package uses, in the header's order."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Dict, Optional
from ctypes import CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_int, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, \
    c_uint64, c_void_p

VERSION = 3
UNSET = -2
SPEC_NAME = 3
THIS, ABORT = 0, 2
DONE = 1
# enum dtrace_valkind
INT, UINT, STRING, BYTES, ADDRESS, STACK, BUCKETS = range(7)


def _load() -> ctypes.CDLL:
    error: Optional[OSError] = None
    names = [os.environ["LIBDTRACE"]] if "LIBDTRACE" in os.environ else ["libdtrace.so.0", "libdtrace.so"]
    for name in names:
        try:
            return ctypes.CDLL(name, use_errno=True)
        except OSError as e:
            error = e
    raise ImportError("libdtrace cannot be loaded (set LIBDTRACE to its path): %s" % error)


C = _load()


class Attribute(Structure):
    _fields_ = [("name", c_uint8), ("data", c_uint8), ("cls", c_uint8)]


class ProgInfo(Structure):
    _fields_ = [("dpi_descattr", Attribute), ("dpi_stmtattr", Attribute), ("dpi_aggregates", ctypes.c_uint),
                ("dpi_recgens", ctypes.c_uint), ("dpi_matches", ctypes.c_uint), ("dpi_speculations", ctypes.c_uint)]


class ProbeDesc(Structure):
    _fields_ = [("id", c_uint32), ("provider", c_char * 64), ("mod", c_char * 64), ("func", c_char * 256), ("name", c_char * 64)]


class RecDesc(Structure):
    _fields_ = [("action", c_uint16), ("size", c_uint32), ("offset", c_uint32), ("alignment", c_uint16), ("format", c_uint16),
                ("arg", c_uint64), ("uarg", c_uint64)]


class EprobeDesc(Structure):
    _fields_ = [("epid", c_uint32), ("probeid", c_uint32), ("uarg", c_uint64), ("size", c_uint32), ("nrecs", c_int),
                ("rec", RecDesc * 1)]


class ProbeData(Structure):
    _fields_ = [("handle", c_void_p), ("edesc", POINTER(EprobeDesc)), ("pdesc", POINTER(ProbeDesc)), ("cpu", c_int),
                ("data", c_void_p), ("flow", c_int), ("prefix", c_char_p), ("indent", c_int), ("timestamp", c_uint64)]


class AggDesc(Structure):
    _fields_ = [("name", c_char_p), ("varid", c_int64), ("flags", c_int), ("id", c_uint32), ("epid", c_uint32),
                ("size", c_uint32), ("nrecs", c_int), ("pad", c_uint32), ("rec", RecDesc * 1)]


class AggData(Structure):       # the first members: the rest is asked for by functions
    _fields_ = [("handle", c_void_p), ("desc", POINTER(AggDesc))]


class Val(Structure):
    _fields_ = [("kind", c_int), ("pid", c_int), ("int", c_int64), ("bytes", c_void_p), ("len", c_size_t),
                ("frames", POINTER(c_uint64)), ("nframes", c_size_t)]


class BucketVal(Structure):
    _fields_ = [("low", c_int64), ("high", c_int64), ("count", c_int64), ("has_low", c_int), ("has_high", c_int)]


class BufData(Structure):       # the first members
    _fields_ = [("handle", c_void_p), ("buffered", c_char_p)]


class ErrData(Structure):
    _fields_ = [("handle", c_void_p), ("edesc", c_void_p), ("pdesc", c_void_p), ("cpu", c_int), ("action", c_int),
                ("offset", c_int), ("fault", c_int), ("addr", c_uint64), ("msg", c_char_p)]


class DropData(Structure):
    _fields_ = [("handle", c_void_p), ("cpu", c_int), ("kind", c_int), ("drops", c_uint64), ("total", c_uint64),
                ("msg", c_char_p)]


PROBE_F = CFUNCTYPE(c_int, POINTER(ProbeData), c_void_p)
REC_F = CFUNCTYPE(c_int, POINTER(ProbeData), c_void_p, c_void_p)
BUFFERED_F = CFUNCTYPE(c_int, POINTER(BufData), c_void_p)
DROP_F = CFUNCTYPE(c_int, POINTER(DropData), c_void_p)
ERR_F = CFUNCTYPE(c_int, POINTER(ErrData), c_void_p)
ITER_F = CFUNCTYPE(c_int, c_void_p, POINTER(ProbeDesc), c_void_p)
AGG_F = CFUNCTYPE(c_int, POINTER(AggData), c_void_p)
BUCKET_F = CFUNCTYPE(c_int, POINTER(BucketVal), c_void_p)
PART_F = CFUNCTYPE(c_int, c_char_p, c_int64, c_void_p)


def _declare(name: str, result: Any, *args: Any) -> Any:
    f = getattr(C, name)
    f.restype, f.argtypes = result, args
    return f


_declare("dtrace_open", c_void_p, c_int, c_int, POINTER(c_int))
_declare("dtrace_close", None, c_void_p)
_declare("dtrace_errno", c_int, c_void_p)
_declare("dtrace_errmsg", c_char_p, c_void_p, c_int)
_declare("dtrace_errexcerpt", c_char_p, c_void_p)
_declare("dtrace_notice", c_char_p, c_void_p)
_declare("dtrace_setopt", c_int, c_void_p, c_char_p, c_char_p)
_declare("dtrace_getopt", c_int, c_void_p, c_char_p, POINTER(c_int64))
_declare("dtrace_program_strcompile", c_void_p, c_void_p, c_char_p, c_int, ctypes.c_uint, c_int, POINTER(c_char_p))
_declare("dtrace_program_exec", c_int, c_void_p, c_void_p, POINTER(ProgInfo))
_declare("dtrace_str2desc", c_int, c_void_p, c_int, c_char_p, POINTER(ProbeDesc))
_declare("dtrace_probe_iter", c_int, c_void_p, POINTER(ProbeDesc), ITER_F, c_void_p)
_declare("dtrace_proc_create", c_void_p, c_void_p, c_char_p, POINTER(c_char_p))
_declare("dtrace_proc_grab", c_void_p, c_void_p, c_int, c_int)
_declare("dtrace_proc_continue", None, c_void_p, c_void_p)
_declare("dtrace_proc_release", None, c_void_p, c_void_p)
_declare("dtrace_proc_getpid", c_int, c_void_p, c_void_p)
_declare("dtrace_proc_gone", c_int, c_void_p, c_void_p, POINTER(c_int))
_declare("dtrace_go", c_int, c_void_p)
_declare("dtrace_stop", c_int, c_void_p)
_declare("dtrace_ctlfd", c_int, c_void_p)
_declare("dtrace_work", c_int, c_void_p, c_void_p, PROBE_F, REC_F, c_void_p)
_declare("dtrace_exitstatus", c_int, c_void_p)
_declare("dtrace_handle_buffered", c_int, c_void_p, BUFFERED_F, c_void_p)
_declare("dtrace_handle_drop", c_int, c_void_p, DROP_F, c_void_p)
_declare("dtrace_handle_err", c_int, c_void_p, ERR_F, c_void_p)
_declare("dtrace_aggregate_snap", c_int, c_void_p)
_declare("dtrace_aggregate_clear", None, c_void_p)
_declare("dtrace_aggdata_nkeys", c_int, POINTER(AggData))
_declare("dtrace_aggdata_key", c_int, POINTER(AggData), c_int, POINTER(Val))
_declare("dtrace_aggdata_value", c_int, POINTER(AggData), POINTER(Val))
_declare("dtrace_aggdata_buckets", c_int, POINTER(AggData), BUCKET_F, c_void_p)
_declare("dtrace_aggdata_parts", c_int, POINTER(AggData), PART_F, c_void_p)
_declare("dtrace_probedata_value", c_int, POINTER(ProbeData), c_int, POINTER(Val))
_declare("dtrace_addr2str", c_int, c_void_p, c_uint64, c_char_p, c_int)
_declare("dtrace_uaddr2str", c_int, c_void_p, c_int, c_uint64, c_char_p, c_int)

WALKS: Dict[str, Any] = {name: _declare("dtrace_aggregate_walk" + suffix, c_int, c_void_p, AGG_F, c_void_p) for name, suffix in (
    ("any", ""), ("sorted", "_sorted"), ("key", "_keysorted"), ("value", "_valsorted"), ("keyvar", "_keyvarsorted"),
    ("valuevar", "_valvarsorted"), ("key-reversed", "_keyrevsorted"), ("value-reversed", "_valrevsorted"),
    ("keyvar-reversed", "_keyvarrevsorted"), ("valuevar-reversed", "_valvarrevsorted"))}
