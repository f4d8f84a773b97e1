# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Keys within groups: prices by symbol, readings by sensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _device, _pieces
from ._asking import LOOKUPS, opens_of, read_bounds, where_of
from ._asof import plain_asof, rows_of
from ._border import public_methods
from ._core import Call, Part, Values
from ._errors import InvalidArgument
from ._index import Index
from ._pieces import AsofHow
from ._several import either
from ._values import read


@public_methods(held="index")
class GroupedIndex:
    """An index over a column of groups and a column of keys, whose lookups find keys of the probe's group alone.

    Both columns are of any kind, and may be on a device; groups of several columns are a tuple of columns. The lookups
    are those of `Index`, with the groups of the probes before the probes. A row whose group or key is null is left out.
    Where a bound is None, ranges have none on that side.

    >>> quotes = GroupedIndex(["a", "b", "a"], [1, 2, 3])
    >>> quotes.join_asof(["a", "b", "a"], [4, 1, 2]).tolist()
    [2, -1, 0]
    >>> quotes.range_count(["a", "b", "c"], [1, 1, 1], None).tolist()
    [2, 1, 0]
    """

    def __init__(self, groups: Any, keys: Any, spec: str = "AO+BS", *, stream: Any = None, threads: int = 0) -> None:
        columns = read(groups, "groups", stream=stream), read(keys, "keys", stream=stream)
        self._families = columns[0].family, columns[1].family
        self._expect_as_many(columns, "keys")
        self._device, where = _device.together(*columns, threads=threads)
        self._core = _core.GroupedIndex.build(columns[0].whole(), columns[1].whole(), spec, self._device, where)
        self._entries = Index._over(self._core.entries())

    def __len__(self) -> int:
        return len(self._entries)

    @staticmethod
    def _expect_as_many(columns: tuple[Values, ...], name: str) -> None:
        if columns[0].size != columns[1].size:
            raise InvalidArgument(f"groups has {columns[0].size} values, {name} {columns[1].size}")

    def _groups(self, groups: Any, stream: Any) -> Values:
        return read(groups, "groups", self._families[0], "equal", stream).plain()

    def _where(self, columns: tuple[Values, ...], call: Call) -> int:
        """Where a call runs: a stream, or on the host its most threads."""
        for column in columns:
            if column.place is not None:
                _device.expected(column, self._device)
        return where_of(self._device, columns, call)

    def _placed(self, columns: tuple[Values, ...], asked: Values, places: Any, misses: Any = None) -> Values:
        """Places as probes of the entries, whose answers are in the kind of a column."""
        if asked.place is not None:
            part = Part(places, asked.size, misses)  # validity bits
        else:
            nulls = either(column.nulls() for column in columns)
            part = Part(places, asked.size, nulls, misses if nulls is None or misses is None else misses & ~nulls)
        name = next((column.name for column in columns if column.nulls() is not None), asked.name)
        return Values("integer", [part], asked.size, asked.give, asked.nulls_are_known, name, asked.place)

    def _points(self, name: str, groups: Any, probes: Any, call: Call) -> Any:
        asked = read(probes, "probes", self._families[1], "equal", call.stream)
        columns = self._groups(groups, call.stream), asked.plain()
        self._expect_as_many(columns, "probes")
        where = self._where(columns, call)
        places = self._placed(columns, asked, *self._core.points(columns[0].whole(), columns[1].whole(), where))
        what = LOOKUPS[name]
        return (self._entries._list if what.lists else self._entries._ask)(what, (places,), call)

    def _ranges(self, groups: Any, lower: Any, upper: Any, closed: str, call: Call) -> tuple[Values, Values]:
        """Ranges as two columns of places."""
        of = self._groups(groups, call.stream)
        opens = opens_of(closed)

        asked: list[Values] = []  # as the caller gave them

        def read_bound(values: Any, name: str, rounding: str, stream: Any = None) -> Values:
            asked.append(read(values, name, self._families[1], rounding, stream))
            return asked[-1].changed()

        sides: list[Values | None]
        if lower is None or upper is None:
            low = None if lower is None else read_bound(lower, "lower", "down" if opens[0] else "up", call.stream)
            high = None if upper is None else read_bound(upper, "upper", "up" if opens[1] else "down", call.stream)
            sides = [None if side is None else side.plain() for side in (low, high)]
        else:
            bounds, opens = read_bounds(read_bound, lower, upper, closed, call.stream)
            sides = list(bounds)
        columns = (of, *(side for side in sides if side is not None))
        for column in columns[1:]:
            self._expect_as_many((of, column), column.name)
        low_part, high_part = (None if side is None else side.whole() for side in sides)
        places = self._core.ranges(of.whole(), low_part, high_part, *opens, self._where(columns, call))
        kind = asked[0] if asked else of
        first, second = (self._placed(columns, kind, one) for one in places)
        return first, second

    def _in_ranges(self, name: str, groups: Any, lower: Any, upper: Any, closed: str, call: Call) -> Any:
        what, bounds = LOOKUPS[name], self._ranges(groups, lower, upper, closed, call)
        return (self._entries._list if what.lists else self._entries._ask)(what, bounds, call)

    def find(self, groups: Any, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0) -> Any:
        """The smallest position of each probe in its group, -1 for none.

        >>> GroupedIndex([1, 1, 2], [10, 20, 20]).find([2, 2], [20, 10]).tolist()
        [2, -1]
        """
        return self._points("find", groups, probes, Call(out, stream, threads))

    def contains(self, groups: Any, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0) -> Any:
        """Whether each probe is a key of its group.

        >>> GroupedIndex([1, 1, 2], [10, 20, 20]).contains([2, 2], [20, 10]).tolist()
        [True, False]
        """
        return self._points("contains", groups, probes, Call(out, stream, threads))

    def count(self, groups: Any, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0) -> Any:
        """The number of entries of each probe in its group.

        >>> GroupedIndex([1, 1, 2], [10, 10, 10]).count([1, 2, 3], [10, 10, 10]).tolist()
        [2, 1, 0]
        """
        return self._points("count", groups, probes, Call(out, stream, threads))

    def retrieve(self, groups: Any, probes: Any, *, stream: Any = None, threads: int = 0) -> tuple[Any, Any]:
        """All positions of each probe in its group, as `(offsets, rows)`; see `Index.retrieve`.

        >>> [array.tolist() for array in GroupedIndex([1, 1, 2], [10, 10, 10]).retrieve([1, 2], [10, 10])]
        [[0, 2, 3], [0, 1, 2]]
        """
        offsets, rows = self._points("retrieve", groups, probes, Call(None, stream, threads))
        return offsets, rows

    def range_count(
        self,
        groups: Any,
        lower: Any,
        upper: Any,
        closed: str = "both",
        *,
        out: Any = None,
        stream: Any = None,
        threads: int = 0,
    ) -> Any:
        """The number of entries of each group in its range; `closed` as in `Index.range_count`.

        >>> GroupedIndex([1, 1, 2], [10, 20, 20]).range_count([1, 2], [10, 10], [20, 20], "left").tolist()
        [1, 0]
        """
        return self._in_ranges("range_count", groups, lower, upper, closed, Call(out, stream, threads))

    def range_sum(
        self,
        groups: Any,
        lower: Any,
        upper: Any,
        closed: str = "both",
        *,
        out: Any = None,
        stream: Any = None,
        threads: int = 0,
    ) -> Any:
        """The sum of the positions of these entries, modulo 2**64, as uint64.

        >>> GroupedIndex([1, 1, 1], [10, 20, 30]).range_sum([1], [15], [30]).tolist()
        [3]
        """
        return self._in_ranges("range_sum", groups, lower, upper, closed, Call(out, stream, threads))

    def range_retrieve(
        self, groups: Any, lower: Any, upper: Any, closed: str = "both", *, stream: Any = None, threads: int = 0
    ) -> tuple[Any, Any]:
        """The positions of these entries, in key order, then row order, as `retrieve`.

        >>> GroupedIndex([1, 1, 2], [20, 10, 10]).range_retrieve([1], [5], [25])[1].tolist()
        [1, 0]
        """
        call = Call(None, stream, threads)
        offsets, rows = self._in_ranges("range_retrieve", groups, lower, upper, closed, call)
        return offsets, rows

    def join_between(
        self,
        groups: Any,
        lower: Any,
        upper: Any,
        how: str = "inner",
        closed: str = "both",
        *,
        stream: Any = None,
        threads: int = 0,
    ) -> tuple[Any, Any]:
        """Pairs of positions of ranges and positions of the entries in them; see `Index.join_between`.

        >>> left, right = GroupedIndex([1, 1, 2], [10, 20, 20]).join_between([1, 2], [15, 0], [30, 5], "left")
        >>> left.tolist(), right.tolist()
        ([0, 1], [1, -1])
        """
        call = Call(None, stream, threads)
        left, right = self._entries._pairs(self._ranges(groups, lower, upper, closed, call), how, call)
        return left, right

    def floor(self, groups: Any, probes: Any, *, stream: Any = None, threads: int = 0) -> Any:
        """The smallest position of the largest key of the group not above each probe, -1 for none.

        >>> GroupedIndex([1, 2], [10, 20]).floor([1, 2], [15, 15]).tolist()
        [0, -1]
        """
        return self._nearest(groups, probes, AsofHow("backward"), "one", Call(None, stream, threads))

    def ceil(self, groups: Any, probes: Any, *, stream: Any = None, threads: int = 0) -> Any:
        """The smallest position of the smallest key of the group not below each probe, -1 for none.

        >>> GroupedIndex([1, 2], [10, 20]).ceil([1, 2], [15, 15]).tolist()
        [-1, 1]
        """
        return self._nearest(groups, probes, AsofHow("forward"), "one", Call(None, stream, threads))

    def join_asof(
        self,
        groups: Any,
        probes: Any,
        direction: str = "backward",
        *,
        exact: bool = True,
        tolerance: Any = None,
        later: bool = False,
        last: tuple[bool, bool] = (False, False),
        ties: str = "one",
        offsets: Any = None,
        stream: Any = None,
        threads: int = 0,
    ) -> Any:
        """The position of the nearest key in the group of each probe, -1 for none; parameters are those of
        `Index.join_asof`.

        >>> GroupedIndex([1, 1], [10, 20]).join_asof([1, 2], [14, 14], "nearest").tolist()
        [0, -1]
        """
        how = AsofHow(direction, exact, tolerance, later, *last, offsets)
        return self._nearest(groups, probes, how, ties, Call(None, stream, threads))

    def _nearest(self, groups: Any, probes: Any, how: AsofHow, ties: str, call: Call) -> Any:
        how = how.of_keys(self._families[1])
        asked = read(probes, "probes", self._families[1], stream=call.stream)
        columns = self._groups(groups, call.stream), asked.plain()
        self._expect_as_many(columns, "probes")
        where = self._where(columns, call)
        if plain_asof(how, ties) and ties == "all":
            of, keys = (column.whole() for column in columns)
            return _device.adopted(self._core.nearest_pairs(of, keys, "left", how, where), asked)
        most = _pieces.PIECE if asked.place is None else max(asked.size, 1)
        dtype = self._entries._core.type_of("row")
        return rows_of(how, dtype, asked, lambda one, rows: self._core.nearest(columns, rows, one, where, most))


_Groups = tuple[Values, Part]  # those of the left side, and of the right one
_Bounds = tuple[Values, ...]  # the lower and the upper ones


def _over_both(groups: _Groups, keys: Part, threads: int) -> tuple[Index, Any]:
    """An index over the right rows within their groups, and a function that makes ranges of places of two bounds."""
    core = _core.GroupedIndex.build(groups[1].plain(), keys.plain(), "AO+BS", -1, threads)
    of = groups[0].plain().whole()

    def placed(low: Part | None, high: Part | None, opens: tuple[bool, bool]) -> tuple[Values, ...]:
        places = core.ranges(of, low, high, *opens, threads)
        return tuple(Values("integer", [Part(one, of.size)], of.size) for one in places)

    return Index._over(core.entries()), placed


def within_groups(
    groups: _Groups, keys: Values, bounds: _Bounds, opens: tuple[bool, bool], how: str, threads: int
) -> tuple[Any, Any]:
    """Pairs of left rows and the right rows of their groups whose keys are in their ranges."""
    entries, placed = _over_both(groups, keys.whole(), threads)
    low, high = (bound.plain().whole() for bound in bounds)
    lefts, rights = entries._pairs(placed(low, high, opens), how, Call(threads=threads))
    return lefts, rights


def ranks_of_ranges(
    groups: _Groups | None,
    keys: Values,
    bounds: _Bounds,
    opens: tuple[bool, bool],
    one_before: bool,
    threads: int,
) -> tuple[Index, np.ndarray, np.ndarray]:
    """An index over the right rows, and the ranks of those that are in the range of each left row: the first, and how many.

    @param one_before whether the last row of the group before a range belongs to it
    """
    call = Call(threads=threads)
    low, high = (bound.plain().whole() for bound in bounds)
    if groups is None:
        same = Part(np.zeros(keys.size, np.uint32), keys.size)
        of = Values("integer", [Part(np.zeros(bounds[0].size, np.uint32), bounds[0].size)], bounds[0].size)
        groups = of, same
    entries, placed = _over_both(groups, keys.whole(), threads)
    first, counts = entries._ask(LOOKUPS["rank_range"], placed(low, high, opens), call)
    first, counts = first.astype(np.int64, copy=False), counts.astype(np.int64, copy=False)
    if one_before:
        begin, before = entries._ask(LOOKUPS["rank_range"], placed(None, low, (False, not opens[0])), call)
        some = before.astype(np.int64, copy=False) > 0
        last = begin.astype(np.int64, copy=False) + before.astype(np.int64, copy=False)
        first, counts = np.where(some, last - 1, first), np.where(some, counts + 1, counts)
    first = np.where(counts == 0, 0, first)
    return entries, first, counts
