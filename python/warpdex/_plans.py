# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of columns that need no index of the caller, and plans for joins."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _core, _device, _pieces
from ._border import public, public_methods
from ._errors import InvalidArgument
from ._keys import key_pair
from ._pieces import AsofHow
from ._values import read


@public
def hash_join(left: Any, right: Any, how: str = "inner", *, stream: Any = None, threads: int = 0) -> tuple[Any, Any]:
    """Pairs of positions of equal values of two columns, by a hash table over one of them; `how` is inner, left, semi or
    anti. Inner pairs come in the order of the longer column, others in that of the left one.

    >>> left, right = hash_join([10, 11], [30, 10, 20, 10], "left")
    >>> left.tolist(), right.tolist()
    ([0, 0, 1], [1, 3, -1])
    """
    lefts, rights, family = key_pair(left, right, "left", "right", stream=stream)
    device, where = _device.together(lefts, rights, threads=threads)
    columns = lefts, rights.whole()
    if device < 0:  # where integers and floats are compared exactly
        columns = _core.encode([(lefts, rights, family)], False, True, threads, _pieces.PIECE)
    pairs = _core.hash_join(columns[0].whole(), columns[1], how, device, where)
    first, second = _device.adopted(pairs, lefts.place)
    return first, second


@public_methods(held="index")
class AsofIndex:
    """The right side of as-of joins within groups: only keys of the probe's group match. Both columns may be on a device.

    >>> quotes = AsofIndex(["a", "b", "a"], [1, 2, 3])
    >>> quotes.join(["a", "b", "a"], [4, 1, 2]).tolist()
    [2, -1, 0]
    """

    def __init__(self, groups: Any, keys: Any, *, stream: Any = None, threads: int = 0) -> None:
        columns = read(groups, "groups", stream=stream), read(keys, "keys", stream=stream)
        self._families = columns[0].family, columns[1].family
        if columns[0].size != columns[1].size:
            raise InvalidArgument(f"groups has {columns[0].size} values, keys {columns[1].size}")
        self._device, where = _device.together(*columns, threads=threads)
        self._core = _core.AsofIndex.build(columns[0].whole(), columns[1].whole(), self._device, where)

    def join(
        self,
        groups: Any,
        probes: Any,
        direction: str = "backward",
        *,
        exact: bool = True,
        tolerance: Any = None,
        later: bool = False,
        last: tuple[bool, bool] = (False, False),
        stream: Any = None,
        threads: int = 0,
    ) -> Any:
        """The position of the nearest key in the group of each probe, -1 for none; parameters are those of
        `Index.join_asof`.

        >>> AsofIndex([1, 1], [10, 20]).join([1, 2], [14, 14], "nearest").tolist()
        [0, -1]
        """
        how = AsofHow(direction, exact, tolerance, later, *last).of_keys(self._families[1])
        dtype = np.dtype(f"i{self._core.row_bytes()}")
        columns = (
            read(groups, "groups", self._families[0], "equal", stream).plain(),
            read(probes, "probes", self._families[1], stream=stream).plain(),
        )
        if columns[0].size != columns[1].size:
            raise InvalidArgument(f"groups has {columns[0].size} values, probes {columns[1].size}")
        _, where = _device.together(*columns, threads=threads)
        if (place := columns[1].place) is None:
            rows = np.empty(columns[0].size, dtype)
            where = where if self._device < 0 else _device.stream_number(stream) or 0
            self._core.join(columns, rows, how, where, _pieces.PIECE)
            return rows
        for column in columns:
            _device.expected(column, self._device)
        answers, there = _device.target(None, dtype, columns[0].size, place)
        self._core.join(columns, there, how, where, max(columns[0].size, 1))
        return place.library.finished(answers)


class JoinRates(NamedTuple):
    """Rates of a machine, in 10^9 per second."""

    built_ordered: float
    built_hashed: float
    probed_ordered: float
    probed_hashed: float
    pairs: float
    bytes: float
    lines: float


class JoinPlan(NamedTuple):
    """How to run joins."""

    by: str  # existing, build, borrow, copy or hash
    spec: str  # of the index
    seconds: float  # expected for all joins
    reasons: str


@public
def measured_rates(device: Any = "cpu") -> JoinRates:
    """Measures this machine in about a second, so keep the result.

    >>> measured_rates().built_ordered > 0
    True
    """
    return JoinRates(*_core.measured_rates(_device.device_number(device)))


@public
def plan_join(rates: JoinRates, left: int, right: int, **question: Any) -> JoinPlan:
    """Chooses how to run equality joins of `left` probes with `right` entries: with an index that exists, by building one,
    by `Index.over_sorted` in place or over a copy, or by `hash_join`. What else is known goes by name: key_bytes, matches,
    joins, existing (a spec), existing_on_host, left_on_host, right_on_host, right_sorted, room (bytes), wants_order, kind.

    >>> rates = JoinRates(0.1, 0.2, 0.1, 0.2, 1, 10, 0.1)
    >>> plan_join(rates, 1 << 20, 1 << 24, joins=100, wants_order=True).by
    'build'
    """
    known = {"key_bytes", "matches", "joins", "existing", "existing_on_host", "left_on_host", "right_on_host"}
    known |= {"right_sorted", "room", "wants_order", "kind"}
    if unknown := sorted(question.keys() - known):
        raise InvalidArgument(f"question has {unknown[0]!r}; it may have {', '.join(sorted(known))}")
    return JoinPlan(*_core.plan_join(list(rates), {"left": left, "right": right, **question}))
