# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Intervals: which contain a point, and which overlap another interval."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Literal, Unpack, overload

import numpy as np

from .. import _core
from .._core import Call, Part, Values
from ..columns import libraries
from ..columns.devices import device_name
from ..columns.keys import ordered_pair
from ..columns.parts import family_of, without_float
from ..columns.values import interval_columns, read
from ..errors import InvalidArgument, KeyTypeError, shown
from ..types import Array, Closed, Column, DeviceArray, How, IntervalSide, NearestOptions, OnHost, Scalar
from .asking import closed_word, groups_of, where_at
from .border import Told, public_methods
from .calls import Stages, asof_tolerance, described, piece_of, type_shown
from .origin import Stored

_NUMBERS = {name: np.dtype(f"{name[0]}{int(name[1:]) // 8}") for name in ("u32", "u64", "i32", "i64", "f32", "f64")}
_Parts = tuple[Part, ...]  # the columns of probes, each as one part


def _of_one_type(columns: tuple[Values, Values], parts: tuple[Part, Part]) -> tuple[Part, Part]:
    """Starts and ends in a type that holds both. On a device they are as they are."""
    arrays = [part.column for part in parts]
    if not all(isinstance(array, np.ndarray) for array in arrays) or arrays[0].dtype == arrays[1].dtype:
        return parts
    own, other = (array.dtype for array in arrays)
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


def _in_type(part: Part, keys: str) -> Part:
    """A column of numbers in the type of the keys, if that holds all its values; others are as they are."""
    if not isinstance(part.column, np.ndarray) or keys not in _NUMBERS:
        return part
    own, wide = part.column.dtype, _NUMBERS[keys]
    exact = own.kind == wide.kind or own.itemsize < wide.itemsize
    if own == wide or own.kind not in "iuf" or not exact or not np.can_cast(own, wide):
        return part
    return Part(part.column.astype(wide), part.size, part.nulls, part.misses)


def _expect_sizes(*columns: Values) -> None:
    for column in columns[1:]:
        if column.size != columns[0].size:
            first = columns[0]
            raise InvalidArgument(f"{first.name} has {first.size} values, {column.name} {column.size}")


def _ends_of(start: Any, end: Any, closed: str | None, name: str) -> tuple[Any, Any, str]:
    """Starts, ends and `closed`: those of a column of pandas' intervals if it is given for starts."""
    found = interval_columns(start)
    word = None if closed is None else closed_word(closed)
    if found is None:
        return start, end, word or "both"
    own = closed_word(found[2])
    if end is not None:
        raise InvalidArgument(f"{name} holds intervals, but end is given, too")
    if word not in (None, own):
        raise InvalidArgument(f"closed is {word!r}, but that of the intervals in {name} is {own!r}")
    return found[0], found[1], own


@public_methods(held="index")
class Intervals(Stored):
    """An index of intervals, which may nest, overlap and repeat as they like. `closed` is both, left, right or
    none: which ends belong to them; where one does not, an interval whose start is its end is empty and matches
    nothing. Rows with a null are left out. Columns may be of numbers, times or strings, and on a device. A column of
    pandas' intervals, such as an IntervalIndex, is start, end and closed in one, here and as probes.

    Each call takes points, or with `end` intervals with ends of the same kind. With groups, `by`, which are one
    column or a tuple of columns, probes match intervals of their group alone; one group without a column is that of
    all probes.

    >>> shifts = Intervals([0, 10, 12], [10, 20, 14], closed="left")
    >>> shifts.count([3, 10, 13, 20]).tolist()
    [1, 1, 2, 0]
    >>> Intervals([0, 10], [9, 20], by=["a", "b"]).count([3, 3], by=["a", "b"]).tolist()
    [1, 0]
    """

    _kind = _core.Intervals

    def __init__(
        self,
        start: Any,
        end: Any = None,
        by: Any = None,
        closed: Closed | None = None,
        device: Any = None,
        **run: Unpack[Told],
    ) -> None:
        call = Call(**run)
        stages = Stages(call.progress, 2)
        start, end, self._closed = _ends_of(start, end, closed, "start")
        if end is None:
            raise KeyTypeError("end is missing; it may be left out where start is an IntervalIndex")
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
        self._device, where = libraries.built_at(columns, device, call.threads)
        stages.end()
        core = stages.after(_core.Intervals.build(self._parts(columns), self._closed, self._device, where))
        self._set(core, self._device, [column.family for column in columns[::2]])
        self._like = starts.changed(parts=[])

    def _set(self, core: _core.Intervals, device: int, families: list[str]) -> None:
        self._core, self._device, self._closed = core, device, core.closed
        self._families = families[0], families[1] if len(families) == 2 else None
        self._like = Values(families[0], [], core.size())  # of whose library answers are that have no probes

    @classmethod
    def _over(cls, core: _core.Intervals, device: int) -> Intervals:
        self = cls.__new__(cls)
        types = [of for of in core.types if of is not None]
        self._set(core, device, core.note.split("\n") if core.note else list(map(family_of, types)))
        return self

    @classmethod
    def load(cls, path: str | bytes | os.PathLike[Any], mmap: bool = False, device: Any = "cpu") -> Intervals:
        """Reads a file that `save` wrote, and checks it; see `Index.load`.

        >>> Intervals([0, 10], [9, 20]).save("some.wdx")
        >>> Intervals.load("some.wdx", mmap=True).count([3, 12, 9.5]).tolist()
        [1, 1, 0]
        """
        return cls._of_file(path, mmap, device)

    @classmethod
    def from_buffer(cls, stored: Any, device: Any = "cpu") -> Intervals:
        """Reads the bytes of such a file, from any object that has a buffer, which is used as by `Index.from_buffer`.

        >>> Intervals.from_buffer(Intervals([0], [9]).to_bytes()).count([3]).tolist()
        [1]
        """
        return cls._of_buffer(stored, device)

    def _note(self) -> str:
        return "\n".join(of for of in self._families if of is not None)

    def save(self, path: str | bytes | os.PathLike[Any]) -> None:
        """Writes the intervals to a file, which replaces a previous one only when it is complete.

        >>> Intervals([0, 10], [9, 20]).save("some.wdx")
        """
        self._core.save(os.fsencode(path), self._note())

    def to_bytes(self) -> bytes:
        """The bytes of the file that `save` writes.

        >>> len(Intervals.from_buffer(Intervals([0, 10], [9, 20]).to_bytes()))
        2
        """
        return self._core.to_bytes(self._note())

    def __len__(self) -> int:
        return self._core.size()

    @property
    def device(self) -> str:
        """Where the intervals are: "cpu", or a device such as "cuda:0".

        >>> Intervals([1], [2]).device
        'cpu'
        """
        return device_name(self._device)

    def __repr__(self) -> str:
        kinds = [
            type_shown(of or "", plain) for of, plain in zip(self._families, self._core.types) if plain is not None
        ]
        return described(
            "Intervals", f"{len(self)} {' by '.join(kinds)} intervals", f"closed {self._closed}", self.device
        )

    @property
    def nbytes(self) -> int:
        """Bytes that the intervals take.

        >>> 16 < Intervals([0.5], [2.5]).nbytes < 200
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
        points, end, _ = _ends_of(points, end, self._closed, "points")
        family, groups = self._families
        if (by is None) != (groups is None):
            raise InvalidArgument(
                "by is missing: the intervals are within groups"
                if by is None
                else f"by is {shown(by)}, but the intervals have no groups"
            )
        columns = [read(points, "points", family, stream=call.stream)]
        if end is not None:
            columns.append(read(end, "end", family, stream=call.stream))
        if by is not None:
            columns.append(groups_of(by, groups or "", "by", call.stream, columns[0].size))
        _expect_sizes(*columns)
        return tuple(columns), where_at(self._device, tuple(columns), call)

    def _answer(self, which: str, dtype: Any, points: Any, end: Any, by: Any, call: Call) -> Any:
        """One answer per probe."""
        columns, where = self._read(points, end, by, call)
        size, place = columns[0].size, columns[0].place
        parts = self._parts(columns)
        if which == "coverage":
            wide = self._core.types[0]
            parts = tuple(part if column.name == "by" else _in_type(part, wide) for column, part in zip(columns, parts))
        query = tuple(column.changed(parts=[part]) for column, part in zip(columns, parts))
        out, target = libraries.target(None, dtype, size, place)
        most = piece_of(call) if place is None else max(size, 1)
        getattr(self._core, which)(query, target, where, most, call.told)
        return _core.given(query, out, "row" if which == "find" else which)

    def _list(self, points: Any, end: Any, by: Any, call: Call, listed: Callable[[_Parts, int], Any]) -> Any:
        """Answers of which a probe has any number. @param listed makes them of the probes, where the call runs"""
        stages = Stages(call.progress, 2)
        columns, where = stages.after(self._read(points, end, by, call))
        return stages.after(libraries.adopted(listed(self._parts(columns), where), columns[0]))

    @overload
    def count(self, points: Scalar, end: Any = None, by: Any = None, **run: Unpack[Told]) -> np.integer[Any]: ...
    @overload
    def count(self, points: OnHost, end: Any = None, by: Any = None, **run: Unpack[Told]) -> np.ndarray: ...
    @overload
    def count(self, points: Column, end: Any = None, by: Any = None, **run: Unpack[Told]) -> Column: ...
    def count(self, points: Any, end: Any = None, by: Any = None, **run: Unpack[Told]) -> Any:
        """How many intervals contain each point; with `end`, how many overlap each interval from `points` to `end`.

        >>> Intervals([0, 5], [9, 6]).count([5, 7, 10], [6, 8, 12]).tolist()
        [2, 1, 0]
        """
        return self._answer("count", np.int64, points, end, by, Call(**run))

    @overload
    def find(self, points: Scalar, end: Any = None, by: Any = None, **run: Unpack[Told]) -> np.integer[Any]: ...
    @overload
    def find(self, points: OnHost, end: Any = None, by: Any = None, **run: Unpack[Told]) -> np.ndarray: ...
    @overload
    def find(self, points: Column, end: Any = None, by: Any = None, **run: Unpack[Told]) -> Column: ...
    def find(self, points: Any, end: Any = None, by: Any = None, **run: Unpack[Told]) -> Any:
        """The row of the first interval that `count` counts, by start, then row; -1 for none.

        >>> Intervals([5, 0], [6, 9]).find([5, 10]).tolist()
        [1, -1]
        """
        return self._answer("find", f"i{self._core.row_bytes()}", points, end, by, Call(**run))

    @overload
    def retrieve(
        self, points: DeviceArray, end: Any = None, by: Any = None, **run: Unpack[Told]
    ) -> tuple[DeviceArray, DeviceArray]: ...
    @overload
    def retrieve(
        self, points: Any, end: Any = None, by: Any = None, **run: Unpack[Told]
    ) -> tuple[np.ndarray, np.ndarray]: ...
    def retrieve(self, points: Any, end: Any = None, by: Any = None, **run: Unpack[Told]) -> tuple[Any, Any]:
        """The rows of all intervals that `count` counts, as `(offsets, rows)`: those of probe i are
        `rows[offsets[i]:offsets[i + 1]]`, by start, then row.

        >>> [array.tolist() for array in Intervals([5, 0], [6, 9]).retrieve([5, 10, 9])]
        [[0, 2, 2, 3], [1, 0, 1]]
        """
        offsets, rows = self._list(points, end, by, Call(**run), self._core.retrieve)
        return offsets, rows

    @overload
    def join(
        self,
        points: DeviceArray,
        end: Any = None,
        how: How = "inner",
        by: Any = None,
        *,
        min_overlap: Any = None,
        **run: Unpack[Told],
    ) -> tuple[DeviceArray, DeviceArray]: ...
    @overload
    def join(
        self,
        points: Any,
        end: Any = None,
        how: How = "inner",
        by: Any = None,
        *,
        min_overlap: Any = None,
        **run: Unpack[Told],
    ) -> tuple[np.ndarray, np.ndarray]: ...
    def join(
        self,
        points: Any,
        end: Any = None,
        how: How = "inner",
        by: Any = None,
        *,
        min_overlap: Any = None,
        **run: Unpack[Told],
    ) -> tuple[Any, Any]:
        """Pairs of positions of probes and rows of the intervals that match them; `how` is inner, left, semi or anti.
        With `min_overlap`, a length, only intervals that overlap a probe by that much match it; such a call sorts the
        intervals again.

        >>> left, right = Intervals([5, 0], [6, 9]).join([1, 7, 20], [5, 8, 30], "left")
        >>> left.tolist(), right.tolist()
        ([0, 0, 1, 2], [1, 0, 1, -1])
        """
        least = asof_tolerance(min_overlap, self._families[0], "min_overlap")
        if least is not None and end is None and interval_columns(points) is None:
            raise InvalidArgument("min_overlap needs end: points have no length")

        def pairs(probes: _Parts, where: int) -> Any:
            core = self._core if least is None else self._core.with_min_overlap(least, where)
            return core.join(probes, how, where)

        left, right = self._list(points, end, by, Call(**run), pairs)
        return left, right

    @overload
    def nearest(
        self,
        points: DeviceArray,
        end: Any = None,
        by: Any = None,
        *,
        distances: Literal[False] = False,
        **options: Unpack[NearestOptions],
    ) -> tuple[DeviceArray, DeviceArray]: ...
    @overload
    def nearest(
        self,
        points: Any,
        end: Any = None,
        by: Any = None,
        *,
        distances: Literal[False] = False,
        **options: Unpack[NearestOptions],
    ) -> tuple[np.ndarray, np.ndarray]: ...
    @overload
    def nearest(
        self,
        points: DeviceArray,
        end: Any = None,
        by: Any = None,
        *,
        distances: Literal[True],
        **options: Unpack[NearestOptions],
    ) -> tuple[DeviceArray, DeviceArray, DeviceArray]: ...
    @overload
    def nearest(
        self,
        points: Any,
        end: Any = None,
        by: Any = None,
        *,
        distances: Literal[True],
        **options: Unpack[NearestOptions],
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]: ...
    def nearest(
        self,
        points: Any,
        end: Any = None,
        by: Any = None,
        *,
        k: int = 1,
        side: IntervalSide = "both",
        ignore_overlaps: bool = False,
        distances: bool = False,
        **run: Unpack[Told],
    ) -> tuple[Any, ...]:
        """The rows of the k intervals nearest to each point, or with `end` to each interval, as `retrieve`: first those
        that match it, by start, then row; then others by their distance, of equal ones those before it first. With
        `side` others are only those before it or after it, and with `ignore_overlaps` those that match it are left out.

        With `distances` the third array has the distance of each row: 0 for a match, else that of the nearer ends, of
        integers and floats their difference, of times a number of their unit.

        >>> [array.tolist() for array in Intervals([0, 10], [4, 20]).nearest([6, 8, 12])]
        [[0, 1, 2, 3], [0, 1, 1]]
        >>> [array.tolist() for array in Intervals([0, 10], [4, 20]).nearest([6], [7], k=2, distances=True)]
        [[0, 2], [0, 1], [2, 3]]
        """

        def nearest(probes: _Parts, where: int) -> Any:
            found = self._core.nearest(probes, k, side, ignore_overlaps, distances, where)
            return found if distances else found[:2]

        answers: tuple[Any, ...] = self._list(points, end, by, Call(**run), nearest)
        return answers

    @overload
    def coverage(self, points: Scalar, end: Any = None, by: Any = None, **run: Unpack[Told]) -> np.number[Any]: ...
    @overload
    def coverage(self, points: OnHost, end: Any = None, by: Any = None, **run: Unpack[Told]) -> np.ndarray: ...
    @overload
    def coverage(self, points: Column, end: Any = None, by: Any = None, **run: Unpack[Told]) -> Column: ...
    def coverage(self, points: Any, end: Any = None, by: Any = None, **run: Unpack[Told]) -> Any:
        """The length of the part of each interval from `points` to `end` that the intervals cover: of integers and
        floats their difference, of times numbers of their unit. Without `end` 1 for a point in an interval, else 0.

        >>> Intervals([0, 2, 8], [3, 5, 9]).coverage([1, 4], [9, 8]).tolist()
        [5, 1]
        """
        dtype = np.float64 if self._families[0] == "float" else np.uint64
        return self._answer("coverage", dtype, points, end, by, Call(**run))

    def merge(self, **run: Unpack[Told]) -> tuple[Array, Array, Array]:
        """The union of the intervals, as stretches without a gap, by group, then by start: per stretch the row of an
        interval that starts as it does, the row of one that ends as it does, and the number of its intervals. Intervals
        that touch each other are in one stretch.

        >>> [array.tolist() for array in Intervals([7, 0, 3], [9, 4, 6]).merge()]
        [[1, 0], [2, 0], [2, 1]]
        """
        starts, ends, counts, _ = self._merged(Call(**run))
        return starts, ends, counts

    def cluster(self, **run: Unpack[Told]) -> Array:
        """The number of the stretch of each interval, as `merge` counts them; -1 for a row that is left out.

        >>> Intervals([7, 0, 3], [9, 4, 6]).cluster().tolist()
        [1, 0, 0]
        """
        clusters: Array = self._merged(Call(**run))[3]
        return clusters

    def _merged(self, call: Call) -> tuple[Any, ...]:
        stages = Stages(call.progress, 1)
        where = where_at(self._device, (self._like,), call)
        found = self._core.merge(self._like.place is not None, where)
        answers: tuple[Any, ...] = libraries.adopted(found, self._like)
        return stages.after(answers)

    @overload
    def gaps(
        self, points: DeviceArray, end: Any = None, by: Any = None, **run: Unpack[Told]
    ) -> tuple[DeviceArray, DeviceArray, DeviceArray]: ...
    @overload
    def gaps(
        self, points: Any, end: Any = None, by: Any = None, **run: Unpack[Told]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]: ...
    def gaps(self, points: Any, end: Any = None, by: Any = None, **run: Unpack[Told]) -> tuple[Any, Any, Any]:
        """The parts of each interval from `points` to `end` that no interval covers, in order: offsets, and two rows per
        part. It starts where the interval of the first row ends, and ends where that of the second row starts; -1 is the
        probe's own start or end. A probe of length 0 is its own part, unless an interval has it.

        >>> [array.tolist() for array in Intervals([2, 8], [5, 9]).gaps([0], [8])]
        [[0, 2], [-1, 0], [0, 1]]
        """
        if end is None and interval_columns(points) is None:
            raise InvalidArgument("end is None, but gaps are parts of intervals; it must be a column")
        offsets, starts, ends = self._list(points, end, by, Call(**run), self._core.gaps)
        return offsets, starts, ends
