#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Probes of a Python program, made while it runs: one fires for each line of the input.

    dtrace -n 'lines*:::line { printf("%d %s", arg1, copyinstr(arg0)); }'

The class Provider is all that is needed; copy it. LIBDTRACE_USDT is the library, if it is in no usual place.
"""
import ctypes
import os
import sys

INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, POINTER, STRING = -1, -2, -4, -8, 1, 2, 4, 8, 16, 17


class Probe:
    def __init__(self, lib, at, types):
        self.lib, self.at, self.types = lib, at, types

    @property
    def enabled(self):
        return self.lib.dtrace_usdt_probe_enabled(self.at) != 0

    def fire(self, *values):
        """Strings are encoded only if somebody traces the probe."""
        if not self.enabled:
            return
        held = [v.encode() if isinstance(v, str) else v for v in values]
        words = (ctypes.c_uint64 * len(held))(*(
            ctypes.cast(ctypes.c_char_p(v), ctypes.c_void_p).value or 0 if isinstance(v, bytes) else int(v) & (2**64 - 1)
            for v in held))
        self.lib.dtrace_usdt_fire(self.at, words, len(held))


class Provider:
    def __init__(self, name, module=None):
        self.lib = lib = ctypes.CDLL(os.environ.get("LIBDTRACE_USDT", "libdtrace-usdt.so.0"))
        lib.dtrace_usdt_open.argtypes = ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)
        lib.dtrace_usdt_add.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_int),
                                        ctypes.c_int, ctypes.POINTER(ctypes.c_void_p))
        for function in lib.dtrace_usdt_load, lib.dtrace_usdt_unload, lib.dtrace_usdt_close, lib.dtrace_usdt_probe_enabled:
            function.argtypes = (ctypes.c_void_p,)
        lib.dtrace_usdt_close.restype = lib.dtrace_usdt_fire.restype = None
        lib.dtrace_usdt_fire.argtypes = ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint64), ctypes.c_int
        lib.dtrace_usdt_strerror.restype = ctypes.c_char_p
        self.at = ctypes.c_void_p()
        self.check(lib.dtrace_usdt_open(name.encode(), module.encode() if module else None, ctypes.byref(self.at)))

    def check(self, err):
        if err != 0:
            raise ValueError(self.lib.dtrace_usdt_strerror(err).decode())

    def add(self, name, *types, function=None):
        at, list_ = ctypes.c_void_p(), (ctypes.c_int * len(types))(*types)
        self.check(self.lib.dtrace_usdt_add(self.at, function.encode() if function else None, name.encode(), list_,
                                            len(types), ctypes.byref(at)))
        return Probe(self.lib, at, types)

    def load(self):
        self.check(self.lib.dtrace_usdt_load(self.at))

    def unload(self):
        self.check(self.lib.dtrace_usdt_unload(self.at))


if __name__ == "__main__":
    lines = Provider("lines")
    line = lines.add("line", STRING, INT32, function="main")
    lines.load()
    for number, text in enumerate(sys.stdin, 1):
        line.fire(text.rstrip("\n"), number)
