#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Reads a recording as doc/RECORDING.md describes it and prints a line of JSON for each block.

A second reader, written from the description alone: a test compares what it finds with what the library
plays, so that the description cannot differ from what is written. Usage: recording.py FILE (- for standard
input)."""
import json
import struct
import sys


class Fields:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        if self.at + n > len(self.data):
            raise ValueError("a block is shorter than its fields")
        self.at += n
        return self.data[self.at - n:self.at]

    def u32(self):
        return struct.unpack("<I", self.take(4))[0]

    def u64(self):
        return struct.unpack("<Q", self.take(8))[0]

    def i64(self):
        return struct.unpack("<q", self.take(8))[0]

    def bytes(self):
        return self.take(self.u32())

    def text(self):
        return self.bytes().decode("utf-8", "replace")

    def many(self, read):
        return [read() for _ in range(self.u32())]

    def rest(self):
        return self.take(len(self.data) - self.at)


def frames(data):
    out = []
    for (pc,) in struct.iter_unpack("<Q", data[:len(data) // 8 * 8]):
        if pc == 0:
            break
        out.append(pc)
    return out


def value(f):
    kind = f.u32()
    if kind == 0:
        f.u32()
        size, signed, v = f.u32(), f.u32(), f.u64()
        return v - (1 << 8 * size) if signed and v >> (8 * size - 1) & 1 else v
    if kind == 1:
        return f.text()
    if kind == 2:
        return {"bytes": f.bytes().hex()}
    if kind in (3, 4):
        return {"pid": f.u32(), "stack": frames(f.bytes())}
    if 5 <= kind <= 9:
        pid, _, _, addr = f.u32(), f.u32(), f.u32(), f.u64()
        return {"kind": kind - 5, "pid": pid, "address": addr}
    raise ValueError("a value of kind %d" % kind)


def words(f):
    n, m = f.u32(), f.u32()
    if m == n:
        return [f.i64() for _ in range(n)]
    out = [0] * n
    for _ in range(m):
        i = f.u32()
        out[i] = f.i64()
    return out


def element(f, agg):
    normal = f.i64()
    numbers = [f.i64() for _ in agg["numbers"]]
    w = words(f)
    if agg["buckets"]:
        return {"normal": normal, "buckets": {i: c for i, c in enumerate(w) if c}}
    return {"normal": normal, "numbers": numbers}


def record(form, data):
    if len(data) == 0:
        return None
    if form in (1, 2):
        return int.from_bytes(data, "little", signed=form == 2)
    if form == 3:
        return data.split(b"\0")[0].decode("utf-8", "replace")
    if form == 4:
        return {"bytes": data.hex()}
    if form == 5:
        return {"stack": frames(data)}
    if form == 6:
        return {"pid": struct.unpack_from("<Q", data)[0], "stack": frames(data[8:])}
    if form in (7, 8):
        return {"kind": form - 7, "address": struct.unpack_from("<Q", data)[0]}
    if form in (9, 10, 11):
        pid, addr = struct.unpack_from("<QQ", data)
        return {"kind": form - 7, "pid": pid, "address": addr}
    if form == 13:
        return {"bytes": data[8:8 + struct.unpack_from("<Q", data)[0]].hex()}
    return None


class Reader:
    def __init__(self):
        self.clauses, self.aggs, self.keys = {}, {}, {}

    def clause(self, f):
        return {"program": f.u32(), "clause": f.u32(), "line": f.u32(), "epid": f.u32(), "probe": f.text(),
                "probes": f.many(f.u32)}

    def rows(self, f):
        out = {"time": f.u64(), "ids": f.many(f.i64), "rows": []}
        for _ in range(f.u32()):
            keys = [value(f) for _ in range(f.u32())]
            out["rows"].append({"keys": keys, "values": [element(f, self.aggs[i]) for i in out["ids"]]})
        return out

    def block_H(self, f):
        return {"order": f.u32(), "pointer": f.u32(), "cpus": f.u32(), "monotonic": f.u64(), "wall": f.u64(),
                "name": f.text(), "machine": f.text(), "release": f.text(), "boot": f.text(),
                "version": f.text()}

    def block_W(self, f):
        return {"monotonic": f.u64(), "wall": f.u64()}

    def block_P(self, f):
        return {"dof": len(f.rest())}

    def block_Q(self, f):
        return {"program": f.u32(), "name": f.text(), "source": f.text()}

    def block_C(self, f):
        out = {"program": f.u32(), "clause": f.u32()}
        out["actions"] = f.many(lambda: {"form": f.u32(), "statement": f.u32(), "action": f.text(),
                                         "source": f.text()})
        self.clauses[out["program"], out["clause"]] = out["actions"]
        return out

    def block_S(self, f):
        return {"pid": f.u32(), "time": f.u64(), "programs": f.u32(),
                "clauses": f.many(lambda: self.clause(f))}

    def block_B(self, f):
        return {"time": f.u64(), **self.clause(f)}

    def block_N(self, f):
        return {"id": f.u32(), "probe": ":".join(f.text() for _ in range(4))}

    def block_Y(self, f):
        return {"kind": f.u32(), "pid": f.u32(), "address": f.u64(), "name": f.text()}

    def block_G(self, f):
        out = {"id": f.i64(), "name": f.text(), "function": f.text(), "arg": f.u64(), "words": f.u32(),
               "keys": f.many(f.text), "numbers": f.many(f.text),
               "buckets": f.many(lambda: (f.u32(), f.i64(), f.i64()))}
        self.aggs[out["id"]] = out
        return out

    def block_K(self, f):
        out = {"id": f.i64(), "number": f.u32(), "keys": f.many(lambda: value(f))}
        self.keys[out["id"], out["number"]] = out["keys"]
        return out

    def block_V(self, f):
        out = {"time": f.u64(), "id": f.i64(), "flags": f.u32(), "more": f.u64()}
        out["changed"] = f.many(lambda: {"key": self.keys[out["id"], f.u32()],
                                         **element(f, self.aggs[out["id"]])})
        out["gone"] = [self.keys[out["id"], n] for n in f.many(f.u32)]
        return out

    block_R = block_A = rows

    def block_E(self, f):
        out = {"program": f.u32(), "clause": f.u32(), "epid": f.u32(), "probe": f.u32(), "cpu": f.u32(),
               "time": f.u64(), "flow": [f.u32(), f.u32(), f.u32(), f.text()]}
        forms = self.clauses[out["program"], out["clause"]]
        out["values"] = [record(forms[i]["form"], f.bytes()) for i in range(f.u32())]
        return out

    def block_T(self, f):
        return {"kind": f.u32(), "text": f.rest().decode("utf-8", "replace")}

    def block_F(self, f):
        return {"time": f.u64(), "epid": f.u32(), "probe": f.u32(), "cpu": f.u32(), "action": f.u32(),
                "offset": f.u32(), "fault": f.u32(), "address": f.u64(), "has_address": f.u32(),
                "message": f.text()}

    def block_D(self, f):
        return {"time": f.u64(), "cpu": f.u32(), "kind": f.u32(), "drops": f.u64(), "total": f.u64(),
                "name": f.text(), "message": f.text()}

    def block_M(self, f):
        return {"time": f.u64(), "kind": f.u32(), "left": f.u64()}

    def block_X(self, f):
        return {"status": f.u32(), "exited": f.u32(), "time": f.u64()}


def main(path):
    data = (sys.stdin.buffer if path == "-" else open(path, "rb")).read()
    mark = b"dtrace recording 2\n"
    reader, at = Reader(), len(mark)
    if not data.startswith(mark):
        sys.exit("not a recording of version 2")
    while at + 5 <= len(data):
        letter, n = chr(data[at]), struct.unpack_from("<I", data, at + 1)[0]
        if at + 5 + n > len(data):
            break
        f = Fields(data[at + 5:at + 5 + n])
        if not letter.islower():
            print(json.dumps({"block": letter, **getattr(reader, "block_" + letter)(f)}))
            if f.at != n:
                sys.exit("block %s has %d bytes more than described" % (letter, n - f.at))
        at += 5 + n


main(sys.argv[1])
