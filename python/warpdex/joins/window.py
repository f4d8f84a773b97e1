# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Window joins, which aggregate what happened around each row, and joins of many tables at a point in time."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from .._core import Part, Values
from ..columns.families import scale_of
from ..columns.keys import ordered_pair, typed
from ..columns.libraries import home_of
from ..columns.values import either, hosted, nulls_on_host, type_of
from ..errors import InvalidArgument, KeyTypeError, shown
from ..frames.frame import Frame, Rows
from ..frames.tables import by_named, columns_named, frames, key_named, label_of
from ..lookups.aggregates import Aggregates, RangeAggregates, RangeQuantiles
from ..lookups.asking import opens_of
from ..lookups.asof import Distances, distances, is_column
from ..lookups.border import public
from ..lookups.calls import AsofHow, Stages
from ..lookups.index import Index
from ..types import Aggregate, Closed, Quantile, Table, WORDS
from .join import asof_rows, group_pair
from .lazy import is_lazy, lazily_whole
from .ranks import Beyond, Extra, ranks_of_ranges

_AGGREGATES = WORDS["Aggregate"]


def _moved(
    keys: np.ndarray, lengths: Any, forward: bool, is_open: bool, to: np.dtype[Any]
) -> tuple[np.ndarray, np.ndarray | None]:
    """The last keys of windows, or the first ones, and which windows are beyond the type; an end that is beyond it is
    that of the type. An open end of integers is a closed one further inside.

    @param to the type of the ends of integers
    """
    if keys.dtype.kind == "f":
        by = lengths if forward else -lengths
        with np.errstate(invalid="ignore", over="ignore"):
            moved = keys + by
        return np.where(np.isinf(by) & (keys == -by), -keys, moved), None  # an infinite distance leads to infinity
    steps, limits = np.asarray(lengths), np.iinfo(to)
    far = max(abs(int(steps.max())), abs(int(steps.min()))) + 1 if steps.size else 0
    if keys.size == 0 or (limits.min + far <= int(keys.min()) and int(keys.max()) <= limits.max - far):
        near, wide = (steps - is_open).astype(to), keys.astype(to, copy=False)
        return (wide + near if forward else wide - near), None
    wide, by = keys.astype(object), steps.astype(object) - int(is_open)  # 64 bits and a distance may take 65
    moved = wide + by if forward else wide - by
    beyond = (moved < limits.min) if forward else (moved > limits.max)
    return np.clip(moved, limits.min, limits.max).astype(to), beyond.astype(bool)


def _bounds(
    keys: Values, family: str, before: Any, after: Any, opens: tuple[bool, bool], to: np.dtype[Any]
) -> tuple[tuple[Values, ...], tuple[bool, bool], Beyond]:
    """The first and the last key of the window of each row, whether these are open, and which are beyond the type.

    @param to the type of 64 bits that holds all right keys that are integers
    """
    part: Part = keys.plain().whole()
    if not isinstance(part.column, np.ndarray) or part.column.ndim != 1:
        raise KeyTypeError(f"{keys.name} is of type {family}, which has no distances of 64 bits")
    numbers = part.column.view(np.int64) if part.column.dtype.kind in "mM" else part.column
    rows = keys.size, f"left has {keys.size} rows"
    sides = [distances(one, name, family, *rows) for one, name in ((before, "before"), (after, "after"))]
    nulls = either([part.nulls, part.misses, *(side.nulls for side in sides)])
    _expect_windows(sides, nulls, keys.size)
    ends, beyond = zip(
        *(_moved(numbers, side.lengths, forward, opens[forward], to) for side, forward in zip(sides, (False, True)))
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


class _Asked(NamedTuple):
    """An aggregate that a call asks for. The column of "*" is None; `quantile` is that of a median and the like."""

    column: Any
    name: str
    quantile: float | None = None

    @property
    def final(self) -> str:
        """The name of its column in the result."""
        return self.name if self.column is None else f"{self.column}_{self.name}"


def _asked(column: Any, name: Any) -> _Asked:
    if isinstance(name, tuple) and len(name) == 2 and name[0] == "quantile":
        if not isinstance(name[1], (int, float)) or not 0 <= name[1] <= 1:
            raise InvalidArgument(f"agg asks for the quantile {name[1]!r} of {column!r}; it is a number from 0 to 1")
        return _Asked(column, f"quantile_{name[1]}", float(name[1]))
    known = f"{', '.join(map(repr, _AGGREGATES))}, ('quantile', 0.9)"
    if not isinstance(name, str):
        raise KeyTypeError(f"agg asks for {shown(name)} of {column!r}; it may be one of {known}, or a list of them")
    if column == "*":
        if name != "count":
            raise InvalidArgument(f"agg asks for {name!r} of '*', which has a 'count' alone")
        return _Asked(None, "count")
    if name not in _AGGREGATES:
        raise InvalidArgument(f"agg asks for {name!r} of {column!r}; it may be one of {known}")
    return _Asked(column, name, 0.5 if name == "median" else None)


def _named(agg: Any, right: Frame) -> list[_Asked]:
    """The aggregates of a call."""
    if not isinstance(agg, Mapping) or not agg:
        raise KeyTypeError(f"agg is {agg!r}; it must be a dict of columns and their aggregates")
    query: list[_Asked] = []
    for column, names in agg.items():
        several = isinstance(names, (list, tuple)) and names[:1] != ("quantile",)
        query += [_asked(column, name) for name in (names if several else [names])]
    right.expect([of.column for of in query if of.column is not None], "agg")
    for number, of in enumerate(query):
        if of.final in (other.final for other in query[:number]):
            raise InvalidArgument(f"agg asks for {of.final!r} twice")
    return query


class _Columns:
    """The right columns of a call in the order of the entries of an index over the right keys."""

    def __init__(self, entries: Index, right: Frame, asked: list[_Asked], threads: int) -> None:
        self.entries, self.right, self.threads = entries, right, threads
        self._spread = {of.column for of in asked if of.name == "std"}
        self._ends = {of.column for of in asked if of.name in ("min", "max")}
        self._read: dict[Any, Values] = {}
        self._sums: dict[Any, RangeAggregates] = {}
        self._valid: dict[Any, RangeAggregates | None] = {}
        self._quantiles: dict[Any, RangeQuantiles] = {}

    def values(self, column: Any) -> Values:
        if column not in self._read:
            self._read[column] = typed(self.right.column(column), str(column), ())
        return self._read[column]

    def family(self, column: Any) -> str:
        """The family of a column: "number" of integers, floats, bools, and decimals in units of their last digit."""
        family = self.values(column).family
        return "number" if family.partition("(")[0] in ("integer", "float", "bool", "decimal") else family

    def sums(self, column: Any) -> RangeAggregates:
        """The values of a column as numbers: times are counts of their unit."""
        if column not in self._sums:
            values = self.values(column)
            if self.family(column) != "number" and not values.family.startswith(("datetime64", "timedelta64")):
                raise KeyTypeError(
                    f"{column!r} is of type {values.family}, which has no sums; "
                    "it has 'count', 'first', 'last', 'min', 'max', 'median' and quantiles"
                )
            units = values if values.family == "float" else values.changed(family="integer")
            self._sums[column] = self._over(units, column in self._spread, column in self._ends)
        return self._sums[column]

    def valid(self, column: Any) -> RangeAggregates | None:
        """Ones where a column has a value; None if it always has one."""
        if column not in self._valid:
            nulls = nulls_on_host(self.values(column))
            self._valid[column] = None if nulls is None else self._over((~nulls).astype(np.int64))
        return self._valid[column]

    def quantiles(self, column: Any) -> RangeQuantiles:
        if column not in self._quantiles:
            self._quantiles[column] = RangeQuantiles(self.entries, self.values(column), threads=self.threads)
        return self._quantiles[column]

    def _over(self, values: Any, squares: bool = False, extremes: bool = False) -> RangeAggregates:
        return RangeAggregates(self.entries, values, squares=squares, extremes=extremes, threads=self.threads)


class _Windows:
    """The windows of all left rows, as ranks of entries."""

    def __init__(self, columns: _Columns, ranks: tuple[np.ndarray, np.ndarray], left: Frame) -> None:
        self._columns, self._left = columns, left
        self._first, self._counts = ranks
        self._end = self._first + self._counts
        self._known: dict[Any, Aggregates] = {}

    def column(self, asked: _Asked) -> Any:
        """A column of the result."""
        column, name, quantile = asked
        if column is None:
            return self._left.numbers(self._counts, None)
        if name in ("first", "last"):
            return self._taken(column, self._rows(name == "last"))
        if name == "count":
            return self._left.numbers(self._valid(column), None)
        is_number = self._columns.family(column) == "number"
        if quantile is not None:
            return self._between(column, quantile) if is_number else self._at(column, quantile)
        if name in ("min", "max") and (not is_number or self._columns.values(column).family == "bool"):
            return self._at(column, float(name == "max"))
        return self._added(column, name) if is_number else self._added_times(column, name)

    def _added(self, column: Any, name: str) -> Any:
        """A sum, a mean and the like of numbers."""
        found = self._aggregates(column)
        scale = scale_of(self._columns.values(column).family)
        missing = found.count < (2 if name == "std" else 1)
        if name in ("mean", "std"):
            values = found.mean if name == "mean" else found.std()
            return self._left.numbers(np.where(missing, 0.0, values) / 10.0 ** (scale or 0), missing)
        values = {"sum": found.sum, "min": found.min, "max": found.max}[name]
        nulls = missing if name != "sum" else None
        if scale is not None:
            return self._left.decimals(values, nulls, scale)
        return self._left.numbers(_of_64_bits(values, "sum", column), nulls)

    def _added_times(self, column: Any, name: str) -> Any:
        """A mean of times, or a sum of durations, in the column's own type; the mean is rounded down to its unit."""
        found, family = self._aggregates(column), self._columns.values(column).family
        if name == "std" or (name == "sum" and not family.startswith("timedelta64")):
            raise KeyTypeError(f"{column!r} is of type {family}, which has no {name}")
        units = found.sum if name == "sum" else found.sum // np.where(found.count == 0, 1, found.count)
        like = self._columns.right.column(column)
        missing = None if name == "sum" else found.count == 0
        return self._left.times(_of_64_bits(units, name, column).astype(np.int64), missing, family, like)

    def _aggregates(self, column: Any) -> Aggregates:
        if column not in self._known:
            self._known[column] = self._ranked(self._columns.sums(column))
        return self._known[column]

    def _ranked(self, values: RangeAggregates) -> Aggregates:
        return values.of_ranks(self._first, self._end, threads=self._columns.threads)

    def _valid(self, column: Any) -> np.ndarray:
        """The number of values that are not null."""
        valid = self._columns.valid(column)
        return self._counts if valid is None else self._ranked(valid).sum

    def _at(self, column: Any, quantile: float, side: Literal["lower", "higher"] = "lower") -> Any:
        """The value at a quantile, of any type; of two next to it the lower one."""
        of = self._columns.quantiles(column)
        rows = of.of_ranks(self._first, self._end, quantile, side, threads=self._columns.threads)
        return self._taken(column, rows.astype(np.int64, copy=False))

    def _between(self, column: Any, quantile: float) -> Any:
        """The quantile of numbers, on the line between the two values next to it."""
        sides = [typed(self._at(column, quantile, side), str(column), ()) for side in ("lower", "higher")]
        low, high = (np.asarray(side.plain().whole().column, np.float64) for side in sides)
        counts = self._valid(column)
        rank = quantile * (np.maximum(counts, 1) - 1)
        part = rank - np.floor(rank)
        with np.errstate(invalid="ignore"):
            values = np.where(part == 0, low, low + (high - low) * part)
        scale = scale_of(self._columns.values(column).family) or 0
        missing = counts == 0
        return self._left.numbers(np.where(missing, 0.0, values) / 10.0**scale, missing)

    def _rows(self, last: bool) -> Rows:
        """The first or the last row of each window; -1 for none."""
        some = np.flatnonzero(self._counts)
        rows = np.full(self._counts.size, -1, np.int64)
        ranks = self._first[some] + (self._counts[some] - 1 if last else 0)
        rows[some] = self._columns.entries.rows_at(ranks)
        return rows

    def _taken(self, column: Any, rows: Rows) -> Any:
        return self._columns.right.take([column], rows)[column]


def _of_64_bits(values: np.ndarray, name: str, column: Any) -> np.ndarray:
    """Numbers of at most 64 bits."""
    if values.dtype == object:
        row = next((i for i, value in enumerate(values) if not -(2**63) <= value < 2**63), None)
        if row is not None:
            raise InvalidArgument(
                f"the {name} of {column!r} is {values[row]} at row {row}, which takes more than 64 bits"
            )
        return values.astype(np.int64)
    return values


def _distances_named(before: Any, after: Any, windows: Any) -> dict[str, tuple[Any, Any]]:
    """How far each window reaches before the key and after it, by the end of its columns' names."""
    if windows is None:
        if before is None or after is None:
            raise KeyTypeError("before and after are distances; give both, or windows")
        return {"": (before, after)}
    if before is not None or after is not None:
        raise InvalidArgument("windows has distances for each window; give no before and after with it")
    if not isinstance(windows, Mapping) or not windows:
        raise KeyTypeError(f"windows is {windows!r}; it must be a dict of names and pairs (before, after)")
    named = {}
    for name, sides in windows.items():
        if not isinstance(sides, (tuple, list)) or len(sides) != 2:
            raise KeyTypeError(f"windows[{name!r}] is {sides!r}; it must be a pair (before, after)")
        named[f"_{name}"] = (sides[0], sides[1])
    return named


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
    before: Any = None,
    after: Any = None,
    windows: Mapping[str, tuple[Any, Any]] | None = None,
    agg: Mapping[Any, Aggregate | Quantile | Sequence[Aggregate | Quantile]],
    closed: Closed = "both",
    include_last_before: bool = False,
    include_prevailing: bool = False,
    suffix: str = "_right",
    nulls_equal: bool = False,
    nan_is_null: bool = True,
    device: Any = "cpu",
    threads: int = 0,
    progress: Any = False,
) -> Table:
    """Adds to each left row what the right rows of its group have in common whose key is between its own less `before`
    and its own plus `after`.

    `before` and `after` are distances: numbers, for times durations such as "1s"; or columns with one per left row.
    `windows` has several windows in one call: names and pairs of such distances; their columns end with `_` and the
    name. `agg` maps right columns to aggregates: sum, mean, std, min, max, count, first, last, median, or
    `("quantile", 0.9)`; one or a list. "*" maps to count, the number of rows.

    The result has left's columns, and one named `column_aggregate` for each; that of "*" is `count`. Sums of integers
    and decimals are exact. Quantiles of numbers are on the line between the two values next to them; of other types
    they are the lower one, in the column's own type. Strings, times and all that has an order have min, max and
    quantiles; durations have sums, and times means, rounded down to their unit. Nulls count for nothing. Without values
    a sum is 0, and all but counts are null; so is the std of one value.

    With `include_last_before` the last right row before the window belongs to it, also of a window that begins beyond
    the greatest value of the keys' type. With `include_prevailing` it does only if no row is at the window's start: the
    prevailing row is the last one at the start or before it. `closed` is both, left, right or none: which ends belong
    to the window. Ends are exact for integers and times, and of floats they are rounded to the type of the sum. A sum of
    integers that takes more than 64 bits is an error. With nulls_equal=True null groups equal each other.
    `progress` is told after the index and after each column.

    The cost is that of an index over the right rows, two searches per left row, and per column that of
    `RangeAggregates` or `RangeQuantiles`, so a long window costs little more than a short one; several windows share
    them. Of columns on a device the windows are searched and added up there; their ends are made on the host.

    >>> import pandas as pd
    >>> trades = pd.DataFrame({"time": [10, 20], "symbol": ["A", "B"]})
    >>> quotes = pd.DataFrame({"time": [9, 11, 19], "symbol": ["A", "A", "B"], "bid": [1.0, 2.0, 5.0]})
    >>> window(trades, quotes, on="time", by="symbol", before=1, after=1, agg={"bid": "mean"})["bid_mean"].tolist()
    [1.5, 5.0]
    """
    sides = _distances_named(before, after, windows)
    if is_lazy(left):
        if any(map(is_column, itertools.chain(*sides.values()))):
            raise KeyTypeError("before or after is one for each row, but left is lazy; collect it")
        options = {
            name: value for name, value in locals().items() if name not in ("left", "right", "sides", "progress")
        }
        return lazily_whole(lambda table, others: window(table, *others, **options), left, [right])
    if include_last_before and include_prevailing:
        raise InvalidArgument("include_last_before and include_prevailing are both True; a window has one of them")
    one, two = frames(left, right, nan_is_null=nan_is_null, keeps_left=True, threads=threads)
    left_key, right_key = key_named(left_on, on, "left_on", one.names), key_named(right_on, on, "right_on", two.names)
    left_by, right_by = by_named(one, two, by, by_left, by_right)
    one.expect([left_key], "left_on" if on is None else "left: on")
    two.expect([right_key], "right_on" if on is None else "right: on")
    query = _named(agg, two)
    keys = (one.key(left_key), str(left_key)), (two.key(right_key), str(right_key))
    by_pairs = [(one.key(a), two.key(b), a) for a, b in zip(left_by, right_by)]
    opens = opens_of(closed)
    # Of a window that is open at its start, the last row before it is the last one at the start or before it.
    extra = Extra.PREVAILING if include_prevailing and not opens[0] else Extra.LAST_BEFORE
    extra = extra if include_last_before or include_prevailing else Extra.NONE
    groups = group_pair(by_pairs, nulls_equal, threads) if by_pairs else None
    lefts, rights, family = ordered_pair(*keys)
    home = home_of(device, threads).over(lefts, rights, *(groups or ()))
    entries, ranks_in = ranks_of_ranges(groups, rights, lefts.size, home)
    lefts, to = hosted(lefts), np.dtype(np.uint64 if type_of(rights) == "u8" else np.int64)

    def ranks(before: Any, after: Any) -> tuple[np.ndarray, np.ndarray]:
        return ranks_in(*_bounds(lefts, family, before, after, opens, to), extra)

    columns, stages = _Columns(entries, two, query, threads), Stages(progress, 1 + len(sides) * len(query))
    stages.end()
    added: dict[Any, Any] = {}
    for end, (first, last) in sides.items():
        windows_of = _Windows(columns, ranks(first, last), one)
        for of in query:
            added[f"{of.final}{end}"] = windows_of.column(of)
            stages.end()
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
    progress: Any = False,
) -> Table:
    """Adds to each row of a frame what each of several tables knew at its time: the last row of its group that is not
    later.

    `tables` maps names to frames, which have the columns `on` and `by`. `tolerance` is the greatest distance, for all
    tables, or a dict of them. A column whose name is taken gets the suffix, by default `_` and the name of its table.
    `progress` is told after each table, and at the end.
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
        options = {name: value for name, value in locals().items() if name not in ("spine", "tables", "progress")}
        return lazily_whole(
            lambda table, others: point_in_time(table, dict(zip(tables, others)), **options), spine, [*tables.values()]
        )
    tolerances = tolerance if isinstance(tolerance, Mapping) else dict.fromkeys(tables, tolerance)
    if unknown := [name for name in tolerances if name not in tables]:
        raise InvalidArgument(f"tolerance names the table {unknown[0]!r}; there are {', '.join(map(repr, tables))}")
    on, home = label_of(on, "on"), home_of(device, threads)
    stages = Stages(progress, len(tables) + 1)
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
        how = AsofHow("backward", True, tolerances.get(name), "later", "last")
        found.append((name, two, asof_rows((one.key(on), on), (two.key(on), on), groups, how, nulls_equal, home)))
        stages.end()
    result = one.whole()
    for name, two, rows in found:
        others = list(itertools.filterfalse({on, *keys}.__contains__, two.names))
        end = f"_{name}" if suffix is None else suffix
        for column, values in two.take(others, rows).items():
            final = f"{column}{end}" if column in result else column
            if final in result:
                raise InvalidArgument(f"suffix is {end!r}, but there is a column {final!r} already")
            result[final] = values
    table = one.table_of(result)
    stages.end()
    return table
