# SPDX-License-Identifier: BSD-2-Clause
"""What can go wrong, and what the library warns of. Every error is an Error, and also the built-in one that fits."""
from __future__ import annotations

import re
from typing import Optional

EDT_ACCESS = 1062
_PLACE = re.compile(r"^\s*\S+:(\d+):(\d+) \|", re.MULTILINE)


class Error(Exception):
    """What the library refused, in its own words: `message`. `errno` is its number, 0 for errors of this package."""

    def __init__(self, message: str, errno: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.errno = errno

    def __str__(self) -> str:
        return self.message


class CompileError(Error):
    """A program is wrong. `line` and `column` count from 1 (None: the error has no place); `excerpt` shows the place."""

    def __init__(self, message: str, errno: int, excerpt: str) -> None:
        place = _PLACE.search(excerpt)
        self.line: Optional[int] = int(place.group(1)) if place else None
        self.column: Optional[int] = int(place.group(2)) if place else None
        self.excerpt = excerpt.rstrip("\n")
        if place and not message.startswith("line "):
            message = "line %s: %s" % (place.group(1), message)
        super().__init__(message, errno)

    def __str__(self) -> str:
        return self.message + ("\n" + self.excerpt if self.excerpt else "")


class OptionError(Error, ValueError):
    """An option is unknown or does not take this value; `option` is its name."""

    def __init__(self, message: str, errno: int, option: str, hint: str) -> None:
        self.option = option
        hint = hint.strip()
        super().__init__("option %s: %s%s" % (option, message, " (%s)" % hint if hint else ""), errno)


class AccessError(Error, PermissionError):
    """This process may not trace: doc/RIGHTS.md says what it needs."""


class StateError(Error, RuntimeError):
    """A call that comes too early, or after the trace has ended."""


class ClosedError(StateError, ValueError):
    """The tracer is closed."""

    def __init__(self) -> None:
        super().__init__("the tracer is closed")


class DropWarning(UserWarning):
    """Data was lost: the text says how much and which option would have kept it."""


class FaultWarning(UserWarning):
    """A clause was ended by a fault: the text says where and why."""
