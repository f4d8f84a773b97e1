# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Intervals: which contain a point, and which overlap another interval."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from .. import _core
from .._core import Call, Part, Values
from ..columns import libraries
from ..columns.keys import ordered_pair
from ..columns.parts import without_float
from ..columns.values import read
from ..errors import InvalidArgument, KeyTypeError
from . import calls
from .border import Run, public_methods
from .calls import asof_tolerance


def _of_one_type(columns: tuple[Values, Values], parts: tuple[Part, Part]) -> tuple[Part, Part]:
    """Starts and ends in a type that holds both. On a device they are as they are."""
    arrays = [part.column for part in parts]
    if not all(isinstance(one, np.ndarray) for one in arrays) or arrays[0].dtype == arrays[1].dtype:
        return parts
    own, other = (one.dtype for one in arrays)
    wide = np.promote_types(own, other)
    if wide.kind == "f" and "f" not in own.kind + other.kind:
        names = f"{columns[0].name} is of type {own}, {columns[1].name} of type {other}"
        raise KeyTypeError(f"{names}; no type of integers holds both")
    first, second = (_widened(part, wide, column.name) for column, part in zip(columns, parts))
    return first, second


def _widened(part: Part, wide: np.dtype[Any], name: str) -> Part:
    if wide.kind == "f" and part.column.dtype.kind != "f":
        odd = without_float(part.column)
        if part.nulls is not None:
            odd &= ~part.nulls
        if odd.any():
            raise InvalidArgument(f"{name} has {part.column[odd][0]}, which no float equals; the other side has floats")
    return Part(part.column.astype(wide), part.size, part.nulls, part.misses)


def _expect_sizes(*columns: Values) -> None:
    for column in columns[1:]:
        if column.size != columns[0].size:
            first = columns[0]
            raise InvalidArgument(f"{first.name} has {first.size} values, {column.name} {column.size}")


@public_methods(held="index")
class Intervals:
    """An index of intervals, which may nest, overlap and repeat as they like. `closed` is both, left, right or
    neither: which ends belong to them; where one does not, an interval whose start is its end is empty and matches
    nothing. Rows with a null are left out. Columns may be of numbers, times or strings, and on a device.

    Each call takes points, or with `end` intervals with ends of the same kind. With groups, `by`, which are one
    column or a tuple of columns, probes match intervals of their group alone.

    >>> shifts = Intervals([0, 10, 12], [10, 20, 14], closed="left")
    >>> shifts.count([3, 10, 13, 20]).tolist()
    [1, 1, 2, 0]
    >>> Intervals([0, 10], [9, 20], by=["a", "b"]).count([3, 3], by=["a", "b"]).tolist()
    [1, 0]
    """

    def __init__(
        self, start: Any, end: Any, by: Any = None, closed: str = "both", device: Any = None, **run: Unpack[Run]
    ) -> None:
        call = Call(**run)
        if libraries.library_of(start) is not None or libraries.library_of(end) is not None:
            starts, ends = read(start, "start", stream=call.stream), read(end, "end", stream=call.stream)
        else:
            starts, ends, _ = ordered_pair((start, "start"), (end, "end"))
        if starts.family != ends.family:
            raise KeyTypeError(f"start is of type {starts.family}, end of type {ends.family}")
        columns: tuple[Values, ...] = starts, ends
        if by is not None:
            columns += (read(by, "by", stream=call.stream),)
        _expect_sizes(*columns)
        self._families = starts.family, None if by is None else columns[2].family
        self._device, where = libraries.built_at(columns, device, call.threads)
        self._columns = tuple(libraries.owned(part, where) for part in self._parts(columns))  # for other builds
        self._closed = closed
        self._core = _core.Intervals.build(self._columns, closed, None, self._device, where)

    def __len__(self) -> int:
        return self._core.size()

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays.

        >>> Intervals([0.5], [2.5]).nbytes < 100
        True
        """
        return self._core.bytes()

    @staticmethod
    def _parts(columns: tuple[Values, ...]) -> tuple[Part, ...]:
        """Each column as one part; starts and ends in one type."""
        parts = tuple(column.plain().whole() for column in columns)
        if len(columns) == 1 or columns[1].name != "end":
            return parts
        return _of_one_type((columns[0], columns[1]), (parts[0], parts[1])) + parts[2:]

    def _read(self, points: Any, end: Any, by: Any, call: Call) -> tuple[tuple[Values, ...], int]:
        """Reads points, or starts and ends, and groups; and says where the call runs."""
        family, groups = self._families
        if (by is None) != (groups is None):
            raise InvalidArgument(
                "by is missing: the intervals are within groups" if by is None else "by has no groups here"
            )
        columns = [read(points, "points", family, stream=call.stream)]
        if end is not None:
            columns.append(read(end, "end", family, stream=call.stream))
        if by is not None:
            columns.append(read(by, "by", groups, "equal", call.stream))
        _expect_sizes(*columns)
        _, where = libraries.together(*columns, threads=call.threads)
        if columns[0].place is None:
            return tuple(columns), where if self._device < 0 else libraries.stream_number(call.stream) or 0
        for column in columns:
            libraries.expected(column, self._device)
        return tuple(columns), where

    def _answer(self, which: str, dtype: Any, columns: tuple[Values, ...], where: int) -> Any:
        """One answer per probe."""
        size, place = columns[0].size, columns[0].place
        asked = tuple(one.changed(parts=[part]) for one, part in zip(columns, self._parts(columns)))
        out: Any = np.empty(size, dtype) if place is None else None
        there: Any = out
        if place is not None:
            out, there = libraries.target(None, np.dtype(dtype), size, place)
        getattr(self._core, which)(asked, there, where, calls.PIECE if place is None else max(size, 1))
        return _core.given(asked, out, "row" if which == "find" else which)

    def count(self, points: Any, end: Any = None, by: Any = None, **run: Unpack[Run]) -> Any:
        """How many intervals contain each point; with `end`, how many overlap each interval from `points` to `end`.

        >>> Intervals([0, 5], [9, 6]).count([5, 7, 10], [6, 8, 12]).tolist()
        [2, 1, 0]
        """
        return self._answer("count", np.int64, *self._read(points, end, by, Call(**run)))

    def find(self, points: Any, end: Any = None, by: Any = None, **run: Unpack[Run]) -> Any:
        """The row of the first of these intervals, by start, then row; -1 for none.

        >>> Intervals([5, 0], [6, 9]).find([5, 10]).tolist()
        [1, -1]
        """
        return self._answer("find", f"i{self._core.row_bytes()}", *self._read(points, end, by, Call(**run)))

    def retrieve(self, points: Any, end: Any = None, by: Any = None, **run: Unpack[Run]) -> Any:
        """The rows of all of them, as `(offsets, rows)`: those of probe i are `rows[offsets[i]:offsets[i + 1]]`, by
        start, then row.

        >>> [array.tolist() for array in Intervals([5, 0], [6, 9]).retrieve([5, 10, 9])]
        [[0, 2, 2, 3], [1, 0, 1]]
        """
        columns, where = self._read(points, end, by, Call(**run))
        return libraries.adopted(self._core.retrieve(self._parts(columns), where), columns[0])

    def join(
        self,
        points: Any,
        end: Any = None,
        how: str = "inner",
        by: Any = None,
        *,
        min_overlap: Any = None,
        **run: Unpack[Run],
    ) -> tuple[Any, Any]:
        """Pairs of positions of probes and rows of the intervals that match them; `how` is inner, left, semi or anti.
        With `min_overlap`, a length, only intervals that have as much in common with a probe match it; they are then
        sorted for this call.

        >>> left, right = Intervals([5, 0], [6, 9]).join([1, 7, 20], [5, 8, 30], "left")
        >>> left.tolist(), right.tolist()
        ([0, 0, 1, 2], [1, 0, 1, -1])
        """
        columns, where = self._read(points, end, by, Call(**run))
        core = self._core
        if (least := asof_tolerance(min_overlap, self._families[0], "min_overlap")) is not None:
            if end is None:
                raise InvalidArgument("min_overlap needs end: points have no length")
            core = _core.Intervals.build(self._columns, self._closed, least, self._device, where)
        first, second = libraries.adopted(core.join(self._parts(columns), how, where), columns[0])
        return first, second

    def nearest(self, points: Any, k: int = 1, by: Any = None, **run: Unpack[Run]) -> Any:
        """The rows of the k intervals nearest to each point, as `retrieve`: first those that contain it, ends
        included, by start, then row; then others by their distance, of equal ones those before the point first.

        >>> [array.tolist() for array in Intervals([0, 10], [4, 20]).nearest([6, 8, 12])]
        [[0, 1, 2, 3], [0, 1, 1]]
        """
        columns, where = self._read(points, None, by, Call(**run))
        return libraries.adopted(self._core.nearest(self._parts(columns), k, where), columns[0])

    def coverage(self, points: Any, end: Any = None, by: Any = None, **run: Unpack[Run]) -> Any:
        """The length of the part of each interval from `points` to `end` that the intervals cover: of integers and
        floats their difference, of times numbers of their unit. Without `end` 1 for a point in an interval, else 0.

        >>> Intervals([0, 2, 8], [3, 5, 9]).coverage([1, 4], [9, 8]).tolist()
        [5, 1]
        """
        dtype = np.float64 if self._families[0] == "float" else np.uint64
        return self._answer("coverage", dtype, *self._read(points, end, by, Call(**run)))
