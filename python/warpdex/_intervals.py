# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Intervals: which contain a point, and which overlap another interval."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _device, _pieces
from ._border import public_methods
from ._core import Part, Values
from ._errors import InvalidArgument, KeyTypeError
from ._keys import ordered_pair
from ._values import read


def _of_one_type(one: Part, two: Part, names: tuple[str, str]) -> tuple[Part, Part]:
    """Starts and ends in a type that holds both. On a device they are as they are."""
    if not isinstance(one.column, np.ndarray) or not isinstance(two.column, np.ndarray):
        return one, two
    own, other = one.column.dtype, two.column.dtype
    if own == other:
        return one, two
    wide = np.promote_types(own, other)
    if wide.kind == "f" and "f" not in (own.kind + other.kind):
        raise KeyTypeError(f"{names[0]} is of type {own}, {names[1]} of type {other}; no type of integers holds both")
    made = (Part(part.column.astype(wide), part.size, part.nulls, part.misses) for part in (one, two))
    return next(made), next(made)


@public_methods(held="index")
class Intervals:
    """An index of intervals, which may nest, overlap and repeat as they like. `closed` is both, left, right or neither: which
    ends belong to them; where one does not, an interval whose start is its end is empty and matches nothing. Rows with a
    null are left out. Columns may be of numbers, times or strings, and on a device.

    >>> shifts = Intervals([0, 10, 12], [10, 20, 14], closed="left")
    >>> shifts.count([3, 10, 13, 20]).tolist()
    [1, 1, 2, 0]
    """

    def __init__(self, start: Any, end: Any, closed: str = "both", *, stream: Any = None, threads: int = 0) -> None:
        if any(_device.library_of_type(type(one)) is not None for one in (start, end)):
            starts, ends = read(start, "start", stream=stream), read(end, "end", stream=stream)
        else:
            starts, ends, _ = ordered_pair((start, "start"), (end, "end"))
        if starts.size != ends.size:
            raise InvalidArgument(f"start has {starts.size} values, end {ends.size}")
        if starts.family != ends.family:
            raise KeyTypeError(f"start is of type {starts.family}, end of type {ends.family}")
        self._family = starts.family
        self._device, where = _device.together(starts, ends, threads=threads)
        columns = _of_one_type(starts.plain().whole(), ends.plain().whole(), ("start", "end"))
        self._core = _core.Intervals.build(columns, closed, self._device, where)

    def __len__(self) -> int:
        return self._core.size()

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays.

        >>> Intervals([0.5], [2.5]).nbytes < 100
        True
        """
        return self._core.bytes()

    def _read(self, probes: tuple[Any, Any], stream: Any, threads: int) -> tuple[tuple[Values, ...], int]:
        """Reads points, or starts and ends; and says where the call runs."""
        names = ("points",) if probes[1] is None else ("start", "end")
        columns = tuple(read(one, name, self._family, stream=stream) for one, name in zip(probes, names))
        if columns[0].size != columns[-1].size:
            raise InvalidArgument(f"start has {columns[0].size} values, end {columns[1].size}")
        _, where = _device.together(*columns, threads=threads)
        if columns[0].place is None:
            return columns, where if self._device < 0 else _device.stream_number(stream) or 0
        for column in columns:
            _device.expected(column, self._device)
        return columns, where

    def _parts(self, columns: tuple[Values, ...]) -> tuple[Part, ...]:
        parts = tuple(column.plain().whole() for column in columns)
        return _of_one_type(*parts, ("start", "end")) if len(parts) == 2 else parts

    def _answer(self, which: str, dtype: Any, probes: tuple[Any, Any], stream: Any, threads: int) -> Any:
        """One answer per probe."""
        columns, where = self._read(probes, stream, threads)
        size, place = columns[0].size, columns[0].place
        columns = tuple(one.changed(parts=[part]) for one, part in zip(columns, self._parts(columns)))
        if place is None:
            out = there = np.empty(size, dtype)
        else:
            out, there = _device.target(None, np.dtype(dtype), size, place)
        getattr(self._core, which)(columns, there, where, _pieces.PIECE if place is None else max(size, 1))
        return _core.given(columns, out, which == "find")

    def count(self, points: Any, end: Any = None, *, stream: Any = None, threads: int = 0) -> Any:
        """How many intervals contain each point; with `end`, how many overlap each interval from `points` to `end`.

        >>> Intervals([0, 5], [9, 6]).count([5, 7, 10], [6, 8, 12]).tolist()
        [2, 1, 0]
        """
        return self._answer("count", np.int64, (points, end), stream, threads)

    def find(self, points: Any, end: Any = None, *, stream: Any = None, threads: int = 0) -> Any:
        """The row of the first of these intervals, by start, then row; -1 for none.

        >>> Intervals([5, 0], [6, 9]).find([5, 10]).tolist()
        [1, -1]
        """
        return self._answer("find", f"i{self._core.row_bytes()}", (points, end), stream, threads)

    def retrieve(self, points: Any, end: Any = None, *, stream: Any = None, threads: int = 0) -> Any:
        """The rows of all of them, as `(offsets, rows)`: those of probe i are `rows[offsets[i]:offsets[i + 1]]`, by start,
        then row.

        >>> [array.tolist() for array in Intervals([5, 0], [6, 9]).retrieve([5, 10, 9])]
        [[0, 2, 2, 3], [1, 0, 1]]
        """
        columns, where = self._read((points, end), stream, threads)
        return _device.adopted(self._core.retrieve(self._parts(columns), where), columns[0])

    def join(
        self, points: Any, end: Any = None, how: str = "inner", *, stream: Any = None, threads: int = 0
    ) -> tuple[Any, Any]:
        """Pairs of positions of probes and rows of the intervals that match them; `how` is inner, left, semi or anti.

        >>> left, right = Intervals([5, 0], [6, 9]).join([1, 7, 20], [5, 8, 30], "left")
        >>> left.tolist(), right.tolist()
        ([0, 0, 1, 2], [1, 0, 1, -1])
        """
        columns, where = self._read((points, end), stream, threads)
        first, second = _device.adopted(self._core.join(self._parts(columns), how, where), columns[0])
        return first, second

    def nearest(self, points: Any, k: int = 1, *, stream: Any = None, threads: int = 0) -> Any:
        """The rows of the k intervals nearest to each point, as `retrieve`: first those that contain it, ends included, by
        start, then row; then others by their distance, of equal ones those before the point first.

        >>> [array.tolist() for array in Intervals([0, 10], [4, 20]).nearest([6, 8, 12])]
        [[0, 1, 2, 3], [0, 1, 1]]
        """
        columns, where = self._read((points, None), stream, threads)
        return _device.adopted(self._core.nearest(self._parts(columns)[0], k, where), columns[0])

    def coverage(self, points: Any, end: Any = None, *, stream: Any = None, threads: int = 0) -> Any:
        """The length of the part of each interval from `points` to `end` that the intervals cover: of integers and floats
        their difference, of times numbers of their unit. Without `end` 1 for a point in an interval, else 0.

        >>> Intervals([0, 2, 8], [3, 5, 9]).coverage([1, 4], [9, 8]).tolist()
        [5, 1]
        """
        dtype = np.float64 if self._family == "float" else np.uint64
        return self._answer("coverage", dtype, (points, end), stream, threads)
