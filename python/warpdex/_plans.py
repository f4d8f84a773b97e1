# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of columns that need no index of the caller, and plans for joins."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _core, _device, _pieces
from ._border import public, public_methods
from ._core import Values
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
    if (found := _device.both(left, right, ("left", "right"), stream)) is not None:
        place = found[1].place
        pairs = _core.hash_join(found[0].parts[0], found[1].parts[0], how, place.device, place.stream)
        lefts, rights = _device.adopted(pairs, place)
        return lefts, rights
    lefts, rights, _ = key_pair(left, right, "left", "right")
    return _core.hash_join(lefts.whole(), rights, how, -1, threads)


@public_methods(held="index")
class AsofIndex:
    """The right side of as-of joins within groups: only keys of the probe's group match. Both columns may be on a device.

    >>> quotes = AsofIndex(["a", "b", "a"], [1, 2, 3])
    >>> quotes.join(["a", "b", "a"], [4, 1, 2]).tolist()
    [2, -1, 0]
    """

    def __init__(self, groups: Any, keys: Any, *, stream: Any = None, threads: int = 0) -> None:
        self._device = -1
        if (found := _device.both(groups, keys, ("groups", "keys"), stream)) is not None:
            self._families = found[0].family, found[1].family
            self._device = found[0].place.device
            self._core = _core.AsofIndex.build(
                found[0].parts[0], found[1].parts[0], self._device, found[1].place.stream
            )
            return
        groups, keys = read(groups, "groups"), read(keys, "keys")
        self._families = groups.family, keys.family
        if groups.size != keys.size:
            raise InvalidArgument(f"groups has {groups.size} values, keys {keys.size}")
        self._core = _core.AsofIndex.build(groups.whole(), keys.whole(), -1, threads)

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
        if (found := _device.both(groups, probes, ("groups", "probes"), stream)) is not None:
            for column in found:
                _device.expected(column, self._device)
            place, size = found[1].place, found[1].size
            answers, there = _device.target(None, dtype, size, place)
            self._core.join(found, there, how, place.stream, max(size, 1))
            return place.library.finished(answers)
        columns: tuple[Values, ...] = (
            read(groups, "groups", self._families[0], "equal").plain(),
            read(probes, "probes", self._families[1]).plain(),
        )
        if columns[0].size != columns[1].size:
            raise InvalidArgument(f"groups has {columns[0].size} values, probes {columns[1].size}")
        rows = np.empty(columns[0].size, dtype)
        self._core.join(columns, rows, how, threads if self._device < 0 else 0, _pieces.PIECE)
        return rows


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
