# SPDX-License-Identifier: BSD-2-Clause
"""What traces give: plain values with names, which outlive the tracer."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, NamedTuple, Optional, Tuple, Union


class Probe(NamedTuple):
    """A probe's name in four parts, and its number."""

    id: int
    provider: str
    module: str
    function: str
    name: str

    def __str__(self) -> str:
        return ":".join(self[1:])


class Frame(NamedTuple):
    """A place in code: its address, and its name as DTrace prints it."""

    address: int
    symbol: str

    def __str__(self) -> str:
        return self.symbol


@dataclass(frozen=True)
class Bucket:
    """Part of a distribution: how many numbers from `low` to `high`, both included (None: no such end), were counted."""

    low: Optional[int]
    high: Optional[int]
    count: int


Stack = Tuple[Frame, ...]
Value = Union[int, str, bytes, Frame, Stack]


class Event(NamedTuple):
    """A firing: `values` are what it recorded, `text` what dtrace would have printed; `timestamp` is in ns, monotonic."""

    probe: Probe
    cpu: int
    timestamp: int
    values: Tuple[Value, ...]
    text: str


class Element(NamedTuple):
    """An element of an aggregation. `name` is without @. `value` is a number, the buckets of a distribution, or the
    numbers of percentiles() by name; `number`, `buckets` and `percentiles` are the same with one type each."""

    name: str
    keys: Tuple[Value, ...]
    value: Union[int, List[Bucket], Dict[str, int]]

    @property
    def number(self) -> int:
        if not isinstance(self.value, int):
            raise TypeError("@%s is not a number: it has buckets or percentiles" % self.name)
        return self.value

    @property
    def buckets(self) -> List[Bucket]:
        if not isinstance(self.value, list):
            raise TypeError("@%s is not a distribution" % self.name)
        return self.value

    @property
    def percentiles(self) -> Dict[str, int]:
        if not isinstance(self.value, dict):
            raise TypeError("@%s is not of percentiles()" % self.name)
        return self.value
