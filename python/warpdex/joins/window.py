# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Window joins, which aggregate what happened around each row, and joins of many tables at a point in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import filterfalse
from typing import Any

import numpy as np

from .._core import Part, Values
from ..columns.families import scale_of
from ..columns.keys import ordered_pair, typed
from ..columns.libraries import home_of
from ..columns.values import either, nulls_on_host
from ..errors import InvalidArgument, KeyTypeError, Unsupported, shown
from ..frames.frame import Frame, Rows
from ..frames.tables import by_named, columns_named, frames, key_named, label_of
from ..lookups.asking import opens_of
from ..lookups.asof import Distances, distances, is_column
from ..lookups.border import public
from ..lookups.calls import AsofHow
from ..lookups.grouped import Beyond, ranks_of_ranges
from ..lookups.index import Index
from ..lookups.aggregates import Aggregates, RangeAggregates
from ..types import Aggregate, Closed, Table, WORDS
from .join import asof_rows, group_pair
from .lazy import is_lazy, lazily_whole
from .on_device import device_windows, is_on_device

_AGGREGATES = WORDS["Aggregate"]


def _moved(keys: np.ndarray, lengths: Any, forward: bool, is_open: bool) -> tuple[np.ndarray, np.ndarray | None]:
    """The last keys of windows, or the first ones, and which windows are beyond the type; an end that is beyond it is
    that of the type. An open end of integers is a closed one further inside."""
    if keys.dtype.kind == "f":
        by = lengths if forward else -lengths
        with np.errstate(invalid="ignore", over="ignore"):
            moved = keys + by
        return np.where(np.isinf(by) & (keys == -by), -keys, moved), None  # an infinite distance leads to infinity
    steps = np.asarray(lengths)
    limits = np.iinfo(keys.dtype)
    far = max(abs(int(steps.max())), abs(int(steps.min()))) + 1 if steps.size else 0
    if keys.size == 0 or (limits.min + far <= int(keys.min()) and int(keys.max()) <= limits.max - far):
        near = (steps - is_open).astype(keys.dtype)
        return (keys + near if forward else keys - near), None
    wide, by = keys.astype(object), steps.astype(object) - int(is_open)  # 64 bits and a distance may take 65
    moved = wide + by if forward else wide - by
    beyond = (moved < limits.min) if forward else (moved > limits.max)
    return np.clip(moved, limits.min, limits.max).astype(keys.dtype), beyond.astype(bool)


def _bounds(
    keys: Values, family: str, before: Any, after: Any, opens: tuple[bool, bool]
) -> tuple[tuple[Values, ...], tuple[bool, bool], Beyond]:
    """The first and the last key of the window of each row, whether these are open, and which are beyond the type."""
    part: Part = keys.plain().whole()
    if not isinstance(part.column, np.ndarray) or part.column.ndim != 1:
        raise KeyTypeError(f"{keys.name} is of type {family}, which has no distances of 64 bits")
    numbers = part.column.view(np.int64) if part.column.dtype.kind in "mM" else part.column
    rows = keys.size, f"left has {keys.size} rows"
    sides = [distances(one, name, family, *rows) for one, name in ((before, "before"), (after, "after"))]
    nulls = either([part.nulls, part.misses, *(side.nulls for side in sides)])
    _expect_windows(sides, nulls, keys.size)
    ends, beyond = zip(
        *(_moved(numbers, side.lengths, forward, opens[forward]) for side, forward in zip(sides, (False, True)))
    )
    low, high = (Values(family, [Part(one, keys.size, nulls)], keys.size) for one in ends)
    return (low, high), (opens if numbers.dtype.kind == "f" else (False, False)), Beyond(*beyond)


def _expect_windows(sides: list[Distances], nulls: np.ndarray | None, size: int) -> None:
    """Checks that no window ends before it begins."""
    before, after = (side.lengths for side in sides)
    has_floats = any(np.asarray(one).dtype.kind == "f" for one in (before, after))
    negative = before + after < 0 if has_floats else after <= ~before  # a sum of integers may take 65 bits
    wrong = np.broadcast_to(np.asarray(negative, bool), (size,))
    if nulls is not None:
        wrong = wrong & ~nulls
    if wrong.any():
        row = int(np.argmax(wrong))
        first, last = (np.broadcast_to(one, (size,))[row] for one in (before, after))
        raise InvalidArgument(f"before is {first} and after {last} at row {row}; no window ends before it begins")


def _named(agg: Any, right: Frame) -> list[tuple[Any, str]]:
    """Columns and aggregates; the column of "*" is None."""
    if not isinstance(agg, Mapping) or not agg:
        raise KeyTypeError(f"agg is {agg!r}; it must be a dict of columns and their aggregates")
    made: list[tuple[Any, str]] = []
    known = ", ".join(map(repr, _AGGREGATES))
    for column, names in agg.items():
        for name in list(names) if isinstance(names, (list, tuple)) else [names]:
            if not isinstance(name, str):
                raise KeyTypeError(
                    f"agg asks for {shown(name)} of {column!r}; it may be one of {known}, or a list of them"
                )
            if column == "*":
                if name != "count":
                    raise InvalidArgument(f"agg asks for {name!r} of '*', which has a 'count' alone")
            elif name not in _AGGREGATES:
                raise InvalidArgument(f"agg asks for {name!r} of {column!r}; it may be one of {known}")
            made.append((None if column == "*" else column, name))
    right.expect([column for column, _ in made if column is not None], "agg")
    return made


class _Windows:
    """The windows of all left rows, as ranks of the entries of an index over the right keys."""

    def __init__(
        self,
        entries: Index,
        ranks: tuple[np.ndarray, np.ndarray],
        right: Frame,
        asked: list[tuple[Any, str]],
        threads: int,
    ) -> None:
        self._entries, self._right, self._threads = entries, right, threads
        self._first, self._counts = ranks
        self._end = self._first + self._counts
        self._spread = [column for column, name in asked if name == "std"]
        self._ends = [column for column, name in asked if name in ("min", "max")]
        self._read: dict[Any, Values] = {}
        self._known: dict[Any, Aggregates] = {}

    def column(self, column: Any, name: str, made_of: Frame) -> Any:
        """A column of the result."""
        if column is None:
            return made_of.numbers(self._counts, None)
        if name in ("first", "last"):
            return self._right.take([column], self._rows(name == "last"))[column]
        if name == "count" and not self._is_summed(column):
            return made_of.numbers(self._valid(column), None)
        found = self._aggregates(column)
        if name == "count":
            return made_of.numbers(found.values, None)
        scale = scale_of(self._values(column).family)
        missing = found.values < (2 if name == "std" else 1)
        if name in ("mean", "std"):
            values = found.mean if name == "mean" else found.std()
            return made_of.numbers(np.where(missing, 0.0, values) / 10.0 ** (scale or 0), missing)
        values = {"sum": found.sum, "min": found.min, "max": found.max}[name]
        nulls = missing if name != "sum" else None
        if scale is not None:
            return made_of.decimals(values, nulls, scale)
        if values.dtype == object:
            row = next(i for i, value in enumerate(values) if not -(2**63) <= value < 2**63)
            raise InvalidArgument(f"the sum of {column!r} is {values[row]} at row {row}, which takes more than 64 bits")
        return made_of.numbers(values, nulls)

    def _values(self, column: Any) -> Values:
        if column not in self._read:
            self._read[column] = typed(self._right.column(column), str(column), ())
        return self._read[column]

    def _is_summed(self, column: Any) -> bool:
        """Whether the values are numbers of at most 64 bits: integers, floats, or decimals in units of their last
        digit."""
        return self._values(column).family.partition("(")[0] in ("integer", "float", "decimal")

    def _of(self, values: Any, squares: bool = False, extremes: bool = False) -> Aggregates:
        """The aggregates of right values in each window."""
        aggregates = RangeAggregates(self._entries, values, squares=squares, extremes=extremes, threads=self._threads)
        return aggregates.of_ranks(self._first, self._end, threads=self._threads)

    def _aggregates(self, column: Any) -> Aggregates:
        if column not in self._known:
            values = self._values(column)
            if not self._is_summed(column):
                raise KeyTypeError(f"{column!r} is of type {values.family}; it has 'count', 'first' and 'last' alone")
            units = values if values.family == "float" else values.changed(family="integer")
            self._known[column] = self._of(units, column in self._spread, column in self._ends)
        return self._known[column]

    def _valid(self, column: Any) -> np.ndarray:
        """The number of values that are not null."""
        nulls = nulls_on_host(self._values(column))
        return self._counts if nulls is None else self._of((~nulls).astype(np.int64)).sum

    def _rows(self, last: bool) -> Rows:
        """The first or the last row of each window; -1 for none."""
        some = np.flatnonzero(self._counts)
        rows = np.full(self._counts.size, -1, np.int64)
        ranks = self._first[some] + (self._counts[some] - 1 if last else 0)
        rows[some] = self._entries.rows_at(ranks)
        return rows


@public
def window(
    left: Table,
    right: Any,
    *,
    on: str | None = None,
    left_on: str | None = None,
    right_on: str | None = None,
    by: str | list[str] | None = None,
    by_left: str | list[str] | None = None,
    by_right: str | list[str] | None = None,
    before: Any,
    after: Any,
    agg: Mapping[Any, Aggregate | Sequence[Aggregate]],
    closed: Closed = "both",
    include_last_before: bool = False,
    suffix: str = "_right",
    nulls_equal: bool = False,
    nan_is_null: bool = True,
    device: Any = "cpu",
    threads: int = 0,
) -> Table:
    """Adds to each left row what the right rows of its group have in common whose key is between its own less `before`
    and its own plus `after`.

    `before` and `after` are distances: numbers, for times durations such as "1s"; or columns with one per left row.
    `agg` maps right columns to aggregates: sum, mean, std, min, max, count, first and last, one or a list; "*" maps to
    count, the number of rows. Sums of integers and decimals are exact. The result has left's columns, and one named
    `column_aggregate` for each; that of "*" is `count`. Nulls count for nothing. Without values a sum is 0, and all but
    counts are null; so is the std of one value. With `include_last_before` the last right row before the window belongs
    to it, also of a window that begins beyond the greatest value of the keys' type. `closed` is both, left, right or
    none: which ends belong to the window. Ends are exact for integers and times, and of floats they are rounded to the
    type of the sum. A sum of integers that takes more than 64 bits is an error. With nulls_equal=True null groups equal
    each other.

    The cost is that of an index over the right rows, two searches per left row, and per column that of `RangeAggregates`, so
    a long window costs little more than a short one. Of dicts of arrays on a device the windows are searched there, and
    added up on the host; `before` and `after` are then one for all rows.

    >>> import pandas as pd
    >>> trades = pd.DataFrame({"time": [10, 20], "symbol": ["A", "B"]})
    >>> quotes = pd.DataFrame({"time": [9, 11, 19], "symbol": ["A", "A", "B"], "bid": [1.0, 2.0, 5.0]})
    >>> window(trades, quotes, on="time", by="symbol", before=1, after=1, agg={"bid": "mean"})["bid_mean"].tolist()
    [1.5, 5.0]
    """
    if is_lazy(left):
        if is_column(before) or is_column(after):
            raise KeyTypeError("before or after is one for each row, but left is lazy; collect it")
        options = {name: value for name, value in locals().items() if name not in ("left", "right")}
        return lazily_whole(lambda table, others: window(table, *others, **options), left, [right])
    one, two = frames(left, right, nan_is_null=nan_is_null, keeps_left=True, threads=threads)
    left_key, right_key = key_named(left_on, on, "left_on", one.names), key_named(right_on, on, "right_on", two.names)
    left_by, right_by = by_named(one, two, by, by_left, by_right)
    one.expect([left_key], "left")
    two.expect([right_key], "right")
    asked = _named(agg, two)
    sides = (one.key(left_key), str(left_key)), (two.key(right_key), str(right_key))
    by_pairs = [(one.key(a), two.key(b), a) for a, b in zip(left_by, right_by)]
    opens = opens_of(closed)
    if is_on_device(one.column(left_key), two.column(right_key)):
        if nulls_equal and by_pairs:
            raise Unsupported("windows over arrays on a device have no nulls_equal")
        entries, *ranks = device_windows(*sides, by_pairs, (before, after), opens, include_last_before)
    else:
        lefts, rights, family = ordered_pair(*sides)
        groups = group_pair(by_pairs, nulls_equal, threads) if by_pairs else None
        ends, opens, beyond = _bounds(lefts, family, before, after, opens)
        home = home_of(device, threads)
        entries, *ranks = ranks_of_ranges(groups, rights, ends, opens, beyond, include_last_before, home)
    windows = _Windows(entries, (ranks[0], ranks[1]), two, asked, threads)
    added: dict[Any, Any] = {}
    for column, name in asked:
        final = name if column is None else f"{column}_{name}"
        if final in added:
            raise InvalidArgument(f"agg asks for {final!r} twice")
        added[final] = windows.column(column, name, one)
    return one.made(one.whole(), added, suffix)


@public
def point_in_time(
    spine: Table,
    tables: Mapping[str, Any],
    *,
    on: str,
    by: str | list[str] | None = None,
    tolerance: Any = None,
    suffix: str | None = None,
    nulls_equal: bool = False,
    nan_is_null: bool = True,
    device: Any = "cpu",
    threads: int = 0,
) -> Table:
    """Adds to each row of a frame what each of several tables knew at its time: the last row of its group that is not
    later.

    `tables` maps names to frames, which have the columns `on` and `by`. `tolerance` is the greatest distance, for all
    tables, or a dict of them. A column whose name is taken gets the suffix, by default `_` and the name of its table.
    The tables are searched one after the other; what is kept of each are row numbers, and columns are gathered once. A
    spine that is a LazyFrame is needed as a whole, and the result is one. With nulls_equal=True null groups equal each
    other.

    >>> import pandas as pd
    >>> spine = pd.DataFrame({"ts": [5, 9], "user": [1, 1]})
    >>> orders = pd.DataFrame({"ts": [3, 8], "user": [1, 1], "amount": [30, 80]})
    >>> clicks = pd.DataFrame({"ts": [1], "user": [1], "page": ["home"]})
    >>> found = point_in_time(spine, {"orders": orders, "clicks": clicks}, on="ts", by="user", tolerance={"clicks": 5})
    >>> found["amount"].tolist(), found["page"].isna().tolist()
    ([30, 80], [False, True])
    """
    if not isinstance(tables, Mapping):
        raise KeyTypeError(f"tables is {type(tables).__name__}; it must be a dict of names and frames")
    if is_lazy(spine):
        options = {name: value for name, value in locals().items() if name not in ("spine", "tables")}
        return lazily_whole(
            lambda table, others: point_in_time(table, dict(zip(tables, others)), **options), spine, [*tables.values()]
        )
    tolerances = tolerance if isinstance(tolerance, Mapping) else dict.fromkeys(tables, tolerance)
    if unknown := [name for name in tolerances if name not in tables]:
        raise InvalidArgument(f"tolerance names the table {unknown[0]!r}; there are {', '.join(map(repr, tables))}")
    on, home = label_of(on, "on"), home_of(device, threads)
    found: list[tuple[str, Frame, Rows]] = []
    (one,) = frames(spine, nan_is_null=nan_is_null, names=("spine",), keeps_left=True, threads=threads)
    keys = columns_named(by, None, "by", "by", one.names)
    one.expect([on], "on")
    one.expect(keys, "by")
    for name, table in tables.items():
        names = "spine", f"tables[{name!r}]"
        _, two = frames(spine, table, nan_is_null=nan_is_null, names=names, keeps_left=True, threads=threads)
        two.expect([on, *keys], f"tables[{name!r}]")
        groups = [(one.key(key), two.key(key), key) for key in keys]
        how = AsofHow("backward", True, tolerances.get(name), True, True, False)
        found.append((name, two, asof_rows((one.key(on), on), (two.key(on), on), groups, how, nulls_equal, home)))
    made = one.whole()
    for name, two, rows in found:
        others = list(filterfalse({on, *keys}.__contains__, two.names))
        end = f"_{name}" if suffix is None else suffix
        for column, values in two.take(others, rows).items():
            final = f"{column}{end}" if column in made else column
            if final in made:
                raise InvalidArgument(f"suffix is {end!r}, but there is a column {final!r} already")
            made[final] = values
    return one.table_of(made)
