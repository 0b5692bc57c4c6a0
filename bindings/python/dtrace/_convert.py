# SPDX-License-Identifier: BSD-2-Clause
"""From the library's structs to Python values. Everything is copied: nothing here outlives the callback it is used in."""
from __future__ import annotations

import ctypes
from typing import Any, Dict, List, Tuple, Union

from . import _lib
from ._lib import C
from ._values import Bucket, Frame, Probe, Value

_MASK = 0xffffffffffffffff


def text(b: bytes) -> str:
    return b.decode("utf-8", "surrogateescape")


def probe(d: Any) -> Probe:
    return Probe(d.id, text(d.provider), text(d.mod), text(d.func), text(d.name))


def _frame(handle: Any, address: int, pid: int) -> Frame:
    buf = ctypes.create_string_buffer(4096)
    if pid:
        C.dtrace_uaddr2str(handle, pid, address, buf, len(buf))
    else:
        C.dtrace_addr2str(handle, address, buf, len(buf))
    return Frame(address, text(buf.value))


def _value(handle: Any, v: Any) -> Value:
    if v.kind == _lib.UINT:
        return int(v.int & _MASK)
    if v.kind == _lib.STRING:
        return text(ctypes.string_at(v.bytes, v.len))
    if v.kind == _lib.BYTES:
        return ctypes.string_at(v.bytes, v.len)
    if v.kind == _lib.ADDRESS:
        return _frame(handle, v.int & _MASK, v.pid)
    if v.kind == _lib.STACK:
        return tuple(_frame(handle, v.frames[i], v.pid) for i in range(v.nframes))
    return int(v.int)


def recorded(data: Any) -> Tuple[Value, ...]:
    """The values of a firing."""
    val = _lib.Val()
    values: List[Value] = []
    while C.dtrace_probedata_value(data, len(values), ctypes.byref(val)) == 0:
        values.append(_value(data.contents.handle, val))
    return tuple(values)


def element_keys(data: Any) -> Tuple[Value, ...]:
    val = _lib.Val()
    keys = []
    for k in range(C.dtrace_aggdata_nkeys(data)):
        C.dtrace_aggdata_key(data, k, ctypes.byref(val))
        keys.append(_value(data.contents.handle, val))
    return tuple(keys)


def element_value(data: Any) -> Union[int, List[Bucket], Dict[str, int]]:
    parts: Dict[str, int] = {}
    buckets: List[Bucket] = []
    val = _lib.Val()

    def part(name: bytes, number: int, _: Any) -> int:
        parts[text(name)] = number
        return 0

    def bucket(b: Any, _: Any) -> int:
        b = b.contents
        buckets.append(Bucket(b.low if b.has_low else None, b.high if b.has_high else None, b.count))
        return 0
    if C.dtrace_aggdata_parts(data, _lib.PART_F(part), None) == 0:
        return parts
    C.dtrace_aggdata_value(data, ctypes.byref(val))
    if val.kind == _lib.BUCKETS:
        C.dtrace_aggdata_buckets(data, _lib.BUCKET_F(bucket), None)
        return buckets
    return int(val.int & _MASK if val.kind == _lib.UINT else val.int)
