# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Keys within groups: prices by symbol, readings by sensor."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from typing import Any, Literal, Unpack, overload

import numpy as np

from .. import _core
from .._core import Call, Part, Values
from ..columns import libraries
from ..columns.parts import family_of
from ..columns.values import either, own_part, read
from ..errors import InvalidArgument, KeyTypeError, shown
from ..types import Array, AsofOptions, Closed, Column, DeviceArray, Direction, How, OnHost, Prefer, Scalar, Ties, Value
from . import calls
from .aggregates import RangeAggregates
from .asking import LOOKUPS, groups_of, joined, opens_of, read_bound, where_at
from .asof import how_of_keys, plain_asof, rows_of
from .border import Run, Told, public_methods
from .calls import AsofHow, UpdateCounts, asof_how, described, expect_one, one_probe, type_shown
from .grouped_aggregates import GroupedAggregates
from .index import Index
from .origin import Stored


@public_methods("insert", "insert_or_assign", "erase", "update")
class GroupedIndex(Stored):
    """An index over a column of groups and a column of keys, whose lookups find keys of the probe's group alone.

    Both columns are of any kind, and may be on a device; of columns on the host `device` says where the index is. Groups
    of several columns are a tuple of columns, and one group without a column is that of all probes. The lookups
    are those of `Index`, with the groups of the probes before the probes. A row whose group or key is null is left out.
    Where a bound is None, ranges have none on that side. `(group, key) in index` asks for one pair.

    >>> quotes = GroupedIndex(["a", "b", "a"], [1, 2, 3])
    >>> quotes.join_asof(["a", "b", "a"], [4, 1, 2]).tolist()
    [2, -1, 0]
    >>> quotes.range_count(["a", "b", "c"], [1, 1, 1], None).tolist()
    [2, 1, 0]
    """

    _kind = _core.GroupedIndex

    def __init__(self, groups: Any, keys: Any, spec: str = "AO+BS", device: Any = None, **run: Unpack[Run]) -> None:
        call = Call(**run)
        columns = read(groups, "groups", stream=call.stream), read(keys, "keys", stream=call.stream)
        self._families = columns[0].family, columns[1].family
        self._expect_as_many(columns, "keys")
        number, where = libraries.built_at(columns, device, call.threads)
        core = _core.GroupedIndex.build(columns[0].whole(), columns[1].whole(), spec, number, where)
        self._set(core, number)

    def _set(self, core: _core.GroupedIndex, device: int) -> None:
        self._places, self._device, self._entries = core, device, Index._over(core.entries())
        self._core = self._entries._core  # whose lock is that of the places too

    @classmethod
    def _over(cls, core: _core.GroupedIndex, device: int, families: tuple[str, str] | None = None) -> GroupedIndex:
        self = cls.__new__(cls)
        groups, keys = families or (core.note.split("\n") if core.note else map(family_of, core.types))
        self._families = groups, keys
        self._set(core, device)
        return self

    @classmethod
    def load(cls, path: str | bytes | os.PathLike[Any], mmap: bool = False, device: Any = "cpu") -> GroupedIndex:
        """Reads a file that `save` wrote, and checks it; see `Index.load`.

        >>> GroupedIndex(["a", "b"], [1, 2]).save("some.wdx")
        >>> GroupedIndex.load("some.wdx").find(["b"], [2]).tolist()
        [1]
        """
        return cls._of_file(path, mmap, device)

    @classmethod
    def from_buffer(cls, stored: Any, device: Any = "cpu") -> GroupedIndex:
        """Reads the bytes of such a file, from any object that has a buffer, which is used as by `Index.from_buffer`.

        >>> GroupedIndex.from_buffer(GroupedIndex([1, 1], [5, 7]).to_bytes()).find([1], [7]).tolist()
        [1]
        """
        return cls._of_buffer(stored, device)

    @classmethod
    def _trusted(cls, stored: np.ndarray) -> GroupedIndex:
        """As `Index._trusted`."""
        return cls._over(_core.GroupedIndex.from_bytes(stored, -1, True, True), -1)

    def save(self, path: str | bytes | os.PathLike[Any]) -> None:
        """Writes the index to a file, which replaces a previous one only when it is complete.

        >>> GroupedIndex([1, 1], [5, 7]).save("some.wdx")
        """
        self._places.save(os.fsencode(path), "\n".join(self._families))

    def to_bytes(self) -> bytes:
        """The bytes of the file that `save` writes.

        >>> len(GroupedIndex.from_buffer(GroupedIndex([1, 1], [5, 7]).to_bytes()))
        2
        """
        return self._places.to_bytes("\n".join(self._families))

    def to(self, device: Any) -> GroupedIndex:
        """A copy of the index on another device, or on the CPU; the index itself if it is there.

        >>> GroupedIndex([1, 1], [5, 7]).to("cpu").find([1], [7]).tolist()
        [1]
        """
        number = libraries.device_number(device)
        if number == self._device:
            return self
        return self._over(self._places.clone(number), number, self._families)

    @property
    def device(self) -> str:
        """Where the index is: "cpu", or a device such as "cuda:0".

        >>> GroupedIndex([1], [5]).device
        'cpu'
        """
        return libraries.device_name(self._device)

    @property
    def nbytes(self) -> int:
        """Bytes that the index holds: its entries, and what numbers groups and keys.

        >>> GroupedIndex(["a", "b"], [5, 7]).nbytes >= 2 * (8 + 4)
        True
        """
        with self._core:
            return self._places.nbytes

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, pair: Any) -> bool:
        """Whether a pair of a group and a key is there, as `Index` has it."""
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise KeyTypeError(f"{shown(pair)} is no pair of a group and a key")
        for one in pair:
            expect_one(one)
        try:
            group, key = (one_probe(one, of.startswith("tuple(")) for one, of in zip(pair, self._families))
            return bool(self.contains(group, key)[0])
        except KeyTypeError:
            return False

    def _unchanged_since(self, version: int) -> AbstractContextManager[None]:
        return self._entries._unchanged_since(version)

    def __repr__(self) -> str:
        groups, keys = map(type_shown, self._families, self._places.types)
        structure = self._entries.spec.partition("/")[0]
        return described("GroupedIndex", f"{len(self)} {keys} keys by {groups}", structure, self.device)

    # Updates.

    def _update_columns(self, groups: Any, keys: Any, prefix: str = "") -> tuple[tuple[Part, Part], Values]:
        """Groups and keys of an update, each as a part of the index's own type."""
        parts = []
        for values, name, family, plain in zip((groups, keys), ("groups", "keys"), self._families, self._places.types):
            query = read(values, f"{prefix}{name}", family)
            if query.family != family:
                raise KeyTypeError(
                    f"{prefix}{name} is of type {query.family}, but those of the index are of type {family}"
                )
            parts.append(own_part(query.plain(), plain, f"{prefix}{name}"))
        if parts[0].size != parts[1].size:
            raise InvalidArgument(f"{prefix}groups has {parts[0].size} values, {prefix}keys {parts[1].size}")
        return (parts[0], parts[1]), query

    def _change(self, groups: Any, keys: Any, rows: Any, assigns: bool, threads: int) -> UpdateCounts:
        columns, query = self._update_columns(groups, keys)
        ids, held = libraries.row_ids(rows, query.size, self._entries._row_type.itemsize)
        where = self._where((query,), Call(threads=threads))
        counts = self._places.insert(self._core, columns, ids, assigns, where)
        del held  # the call is complete
        return UpdateCounts(*counts)

    def insert(self, groups: Any, keys: Any, rows: Any, *, threads: int = 0) -> UpdateCounts:
        """Adds entries, all or none. Returns the numbers of entries inserted and erased, and of keys cancelled, by
        these names.

        A group or a key beyond those of the index may have no number yet; then the index is made again.

        >>> index = GroupedIndex(["a"], [5])
        >>> index.insert(["b"], [900], [1]), index.find(["b"], [900]).tolist()
        (UpdateCounts(inserted=1, erased=0, cancelled=0), [1])
        """
        return self._change(groups, keys, rows, False, threads)

    def insert_or_assign(self, groups: Any, keys: Any, rows: Any, *, threads: int = 0) -> UpdateCounts:
        """Removes all entries of the keys in their groups, then adds the given ones. Returns what `insert` does.

        >>> index = GroupedIndex([1, 1], [5, 5])
        >>> index.insert_or_assign([1], [5], [7]), index.find([1], [5]).tolist()
        (UpdateCounts(inserted=1, erased=2, cancelled=0), [7])
        """
        return self._change(groups, keys, rows, True, threads)

    def erase(self, groups: Any, keys: Any, *, threads: int = 0) -> UpdateCounts:
        """Removes all entries of each key in its group. Returns what `insert` does.

        >>> GroupedIndex([1, 2, 2], [5, 5, 5]).erase([2], [5])
        UpdateCounts(inserted=0, erased=2, cancelled=0)
        """
        columns, query = self._update_columns(groups, keys)
        return UpdateCounts(*self._places.erase(self._core, columns, self._where((query,), Call(threads=threads))))

    def update(
        self,
        insert_groups: Any,
        insert_keys: Any,
        insert_rows: Any,
        erase_groups: Any,
        erase_keys: Any,
        *,
        threads: int = 0,
    ) -> UpdateCounts:
        """Erases, then inserts; see `Index.update`.

        >>> GroupedIndex([1, 2], [5, 5]).update([2, 3], [5, 5], [8, 9], [1, 2], [5, 5])
        UpdateCounts(inserted=1, erased=1, cancelled=1)
        """
        added, query = self._update_columns(insert_groups, insert_keys, "insert_")
        gone, _ = self._update_columns(erase_groups, erase_keys, "erase_")
        ids, held = libraries.row_ids(insert_rows, query.size, self._entries._row_type.itemsize, "insert_rows")
        where = self._where((query,), Call(threads=threads))
        counts = self._places.update(self._core, (*added, *gone), ids, where)
        del held  # the call is complete
        return UpdateCounts(*counts)

    # Columns.

    @staticmethod
    def _expect_as_many(columns: tuple[Values, ...], name: str) -> None:
        if columns[0].size != columns[1].size:
            raise InvalidArgument(f"groups has {columns[0].size} values, {name} {columns[1].size}")

    def _groups(self, groups: Any, stream: Any, size: int) -> Values:
        """@param size the number of probes, for which one group is that of all"""
        return joined(groups_of(groups, self._families[0], "groups", stream, size), self._places.types[0]).plain()

    def _where(self, columns: tuple[Values, ...], call: Call) -> int:
        return where_at(self._device, columns, call)

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
        query = joined(read(probes, "probes", self._families[1], "equal", call.stream), self._places.types[1])
        columns = self._groups(groups, call.stream, query.size), query.plain()
        self._expect_as_many(columns, "probes")
        where = self._where(columns, call)
        what = LOOKUPS[name]
        places = self._placed(columns, query, *self._places.points(columns[0].whole(), columns[1].whole(), where))
        return (self._entries._list if what.lists else self._entries._ask)(what, (places,), call)

    def _ranges(self, groups: Any, lower: Any, upper: Any, closed: str, call: Call) -> tuple[Values, Values]:
        """Ranges as two columns of places."""
        key_type = self._places.types[1]

        def read_one(values: Any, name: str, rounding: str, stream: Any) -> Values:
            return read(values, name, self._families[1], rounding, stream)

        def side(values: Any, name: str, is_open: bool) -> tuple[Values | None, bool]:
            if values is None:
                return None, is_open
            return read_bound(read_one, key_type, values, name, is_open, call.stream)

        opens = opens_of(closed)
        low, lower_open = side(lower, "lower", opens[0])
        high, upper_open = side(upper, "upper", opens[1])
        bounds = [one for one in (low, high) if one is not None]
        of = self._groups(groups, call.stream, bounds[0].size if bounds else 1)
        columns = (of, *bounds)
        for column in columns[1:]:
            self._expect_as_many((of, column), column.name)
        low_part, high_part = (None if one is None else one.whole() for one in (low, high))
        where = self._where(columns, call)
        places = self._places.ranges(of.whole(), low_part, high_part, lower_open, upper_open, where)
        first, second = (self._placed(columns, next(iter(columns[1:]), of), one) for one in places)
        return first, second

    def _in_ranges(self, name: str, groups: Any, lower: Any, upper: Any, closed: str, call: Call) -> Any:
        what = LOOKUPS[name]
        bounds = self._ranges(groups, lower, upper, closed, call)
        return (self._entries._list if what.lists else self._entries._ask)(what, bounds, call)

    @overload
    def find(self, groups: Any, probes: Scalar, *, out: Any = None, **run: Unpack[Run]) -> np.integer[Any]: ...
    @overload
    def find(self, groups: Any, probes: OnHost, *, out: Any = None, **run: Unpack[Run]) -> np.ndarray: ...
    @overload
    def find(self, groups: Any, probes: Column, *, out: Any = None, **run: Unpack[Run]) -> Column: ...
    def find(self, groups: Any, probes: Any, *, out: Any = None, **run: Unpack[Run]) -> Any:
        """The smallest position of each probe in its group, -1 for none.

        >>> GroupedIndex([1, 1, 2], [10, 20, 20]).find([2, 2], [20, 10]).tolist()
        [2, -1]
        """
        return self._points("find", groups, probes, Call(out, **run))

    @overload
    def contains(self, groups: Any, probes: Scalar, *, out: Any = None, **run: Unpack[Run]) -> np.bool_: ...
    @overload
    def contains(self, groups: Any, probes: OnHost, *, out: Any = None, **run: Unpack[Run]) -> np.ndarray: ...
    @overload
    def contains(self, groups: Any, probes: Column, *, out: Any = None, **run: Unpack[Run]) -> Column: ...
    def contains(self, groups: Any, probes: Any, *, out: Any = None, **run: Unpack[Run]) -> Any:
        """Whether each probe is a key of its group.

        >>> GroupedIndex([1, 1, 2], [10, 20, 20]).contains([2, 2], [20, 10]).tolist()
        [True, False]
        """
        return self._points("contains", groups, probes, Call(out, **run))

    @overload
    def count(self, groups: Any, probes: Scalar, *, out: Any = None, **run: Unpack[Run]) -> np.integer[Any]: ...
    @overload
    def count(self, groups: Any, probes: OnHost, *, out: Any = None, **run: Unpack[Run]) -> np.ndarray: ...
    @overload
    def count(self, groups: Any, probes: Column, *, out: Any = None, **run: Unpack[Run]) -> Column: ...
    def count(self, groups: Any, probes: Any, *, out: Any = None, **run: Unpack[Run]) -> Any:
        """The number of entries of each probe in its group.

        >>> GroupedIndex([1, 1, 2], [10, 10, 10]).count([1, 2, 3], [10, 10, 10]).tolist()
        [2, 1, 0]
        """
        return self._points("count", groups, probes, Call(out, **run))

    @overload
    def retrieve(self, groups: Any, probes: DeviceArray, **run: Unpack[Run]) -> tuple[DeviceArray, DeviceArray]: ...
    @overload
    def retrieve(self, groups: Any, probes: Any, **run: Unpack[Run]) -> tuple[np.ndarray, np.ndarray]: ...
    def retrieve(self, groups: Any, probes: Any, **run: Unpack[Run]) -> tuple[Any, Any]:
        """All positions of each probe in its group, as `(offsets, rows)`; see `Index.retrieve`.

        >>> [array.tolist() for array in GroupedIndex([1, 1, 2], [10, 10, 10]).retrieve([1, 2], [10, 10])]
        [[0, 2, 3], [0, 1, 2]]
        """
        offsets, rows = self._points("retrieve", groups, probes, Call(**run))
        return offsets, rows

    @overload
    def range_count(
        self, groups: Any, lower: None, upper: OnHost, closed: Closed = "both", *, out: Any = None, **run: Unpack[Run]
    ) -> np.ndarray: ...
    @overload
    def range_count(
        self, groups: Any, lower: None, upper: Column, closed: Closed = "both", *, out: Any = None, **run: Unpack[Run]
    ) -> Column: ...
    @overload
    def range_count(
        self, groups: Any, lower: Value, upper: Any, closed: Closed = "both", *, out: Any = None, **run: Unpack[Run]
    ) -> np.integer[Any]: ...
    @overload
    def range_count(
        self, groups: Any, lower: OnHost, upper: Any, closed: Closed = "both", *, out: Any = None, **run: Unpack[Run]
    ) -> np.ndarray: ...
    @overload
    def range_count(
        self, groups: Any, lower: Column, upper: Any, closed: Closed = "both", *, out: Any = None, **run: Unpack[Run]
    ) -> Column: ...
    def range_count(
        self, groups: Any, lower: Any, upper: Any, closed: Closed = "both", *, out: Any = None, **run: Unpack[Run]
    ) -> Any:
        """The number of entries of each group in its range; `closed` as in `Index.range_count`.

        >>> GroupedIndex([1, 1, 2], [10, 20, 20]).range_count([1, 2], [10, 10], [20, 20], "left").tolist()
        [1, 0]
        """
        return self._in_ranges("range_count", groups, lower, upper, closed, Call(out, **run))

    @overload
    def range_sum(
        self, groups: Any, lower: None, upper: OnHost, closed: Closed = "both", *, out: Any = None, **run: Unpack[Run]
    ) -> np.ndarray: ...
    @overload
    def range_sum(
        self, groups: Any, lower: None, upper: Column, closed: Closed = "both", *, out: Any = None, **run: Unpack[Run]
    ) -> Column: ...
    @overload
    def range_sum(
        self, groups: Any, lower: Value, upper: Any, closed: Closed = "both", *, out: Any = None, **run: Unpack[Run]
    ) -> np.integer[Any]: ...
    @overload
    def range_sum(
        self, groups: Any, lower: OnHost, upper: Any, closed: Closed = "both", *, out: Any = None, **run: Unpack[Run]
    ) -> np.ndarray: ...
    @overload
    def range_sum(
        self, groups: Any, lower: Column, upper: Any, closed: Closed = "both", *, out: Any = None, **run: Unpack[Run]
    ) -> Column: ...
    def range_sum(
        self, groups: Any, lower: Any, upper: Any, closed: Closed = "both", *, out: Any = None, **run: Unpack[Run]
    ) -> Any:
        """The sum of the positions of these entries, modulo 2**64, as uint64.

        >>> GroupedIndex([1, 1, 1], [10, 20, 30]).range_sum([1], [15], [30]).tolist()
        [3]
        """
        return self._in_ranges("range_sum", groups, lower, upper, closed, Call(out, **run))

    @overload
    def range_retrieve(
        self, groups: Any, lower: DeviceArray, upper: Any, closed: Closed = "both", **run: Unpack[Run]
    ) -> tuple[DeviceArray, DeviceArray]: ...
    @overload
    def range_retrieve(
        self, groups: Any, lower: Any, upper: Any, closed: Closed = "both", **run: Unpack[Run]
    ) -> tuple[np.ndarray, np.ndarray]: ...
    def range_retrieve(
        self, groups: Any, lower: Any, upper: Any, closed: Closed = "both", **run: Unpack[Run]
    ) -> tuple[Any, Any]:
        """The positions of these entries, in key order, then row order, as `retrieve`.

        >>> GroupedIndex([1, 1, 2], [20, 10, 10]).range_retrieve([1], [5], [25])[1].tolist()
        [1, 0]
        """
        call = Call(**run)
        offsets, rows = self._in_ranges("range_retrieve", groups, lower, upper, closed, call)
        return offsets, rows

    @overload
    def join_between(
        self,
        groups: Any,
        lower: DeviceArray,
        upper: Any,
        how: How = "inner",
        closed: Closed = "both",
        **run: Unpack[Run],
    ) -> tuple[DeviceArray, DeviceArray]: ...
    @overload
    def join_between(
        self, groups: Any, lower: Any, upper: Any, how: How = "inner", closed: Closed = "both", **run: Unpack[Run]
    ) -> tuple[np.ndarray, np.ndarray]: ...
    def join_between(
        self, groups: Any, lower: Any, upper: Any, how: How = "inner", closed: Closed = "both", **run: Unpack[Run]
    ) -> tuple[Any, Any]:
        """Pairs of positions of ranges and positions of the entries in them; see `Index.join_between`.

        >>> left, right = GroupedIndex([1, 1, 2], [10, 20, 20]).join_between([1, 2], [15, 0], [30, 5], "left")
        >>> left.tolist(), right.tolist()
        ([0, 1], [1, -1])
        """
        call = Call(**run)
        left, right = self._entries._pairs(self._ranges(groups, lower, upper, closed, call), how, call)
        return left, right

    @overload
    def floor(self, groups: Any, probes: Scalar, **run: Unpack[Run]) -> np.integer[Any]: ...
    @overload
    def floor(self, groups: Any, probes: OnHost, **run: Unpack[Run]) -> np.ndarray: ...
    @overload
    def floor(self, groups: Any, probes: Column, **run: Unpack[Run]) -> Column: ...
    def floor(self, groups: Any, probes: Any, **run: Unpack[Run]) -> Any:
        """The smallest position of the largest key of the group not above each probe, -1 for none.

        >>> GroupedIndex([1, 2], [10, 20]).floor([1, 2], [15, 15]).tolist()
        [0, -1]
        """
        return self._nearest(groups, probes, AsofHow("backward"), Call(**run))

    @overload
    def ceil(self, groups: Any, probes: Scalar, **run: Unpack[Run]) -> np.integer[Any]: ...
    @overload
    def ceil(self, groups: Any, probes: OnHost, **run: Unpack[Run]) -> np.ndarray: ...
    @overload
    def ceil(self, groups: Any, probes: Column, **run: Unpack[Run]) -> Column: ...
    def ceil(self, groups: Any, probes: Any, **run: Unpack[Run]) -> Any:
        """The smallest position of the smallest key of the group not below each probe, -1 for none.

        >>> GroupedIndex([1, 2], [10, 20]).ceil([1, 2], [15, 15]).tolist()
        [-1, 1]
        """
        return self._nearest(groups, probes, AsofHow("forward"), Call(**run))

    @overload
    def join_asof(
        self,
        groups: Any,
        probes: Any,
        strategy: Direction = "backward",
        *,
        ties: Literal["all"],
        **options: Unpack[AsofOptions],
    ) -> tuple[Array, Array]: ...
    @overload
    def join_asof(
        self,
        groups: Any,
        probes: Scalar,
        strategy: Direction = "backward",
        *,
        ties: Ties = "first",
        **options: Unpack[AsofOptions],
    ) -> np.integer[Any]: ...
    @overload
    def join_asof(
        self,
        groups: Any,
        probes: OnHost,
        strategy: Direction = "backward",
        *,
        ties: Ties = "first",
        offsets: Any = None,
        **options: Unpack[AsofOptions],
    ) -> np.ndarray: ...
    @overload
    def join_asof(
        self,
        groups: Any,
        probes: Column,
        strategy: Direction = "backward",
        *,
        ties: Ties = "first",
        **options: Unpack[AsofOptions],
    ) -> Column: ...
    @overload
    def join_asof(
        self,
        groups: Any,
        probes: Any,
        strategy: Direction = "backward",
        *,
        offsets: Any,
        **options: Unpack[AsofOptions],
    ) -> Array: ...
    def join_asof(
        self,
        groups: Any,
        probes: Any,
        strategy: Direction = "backward",
        *,
        allow_exact_matches: bool = True,
        tolerance: Any = None,
        prefer: Prefer = "earlier",
        ties: Ties = "first",
        relative: float = 0.0,
        offsets: Any = None,
        **run: Unpack[Run],
    ) -> Any:
        """The position of the nearest key in the group of each probe, -1 for none; parameters are those of
        `Index.join_asof`.

        >>> GroupedIndex([1, 1], [10, 20]).join_asof([1, 2], [14, 14], "nearest").tolist()
        [0, -1]
        """
        how = asof_how(
            strategy,
            allow_exact_matches=allow_exact_matches,
            tolerance=tolerance,
            prefer=prefer,
            ties=ties,
            relative=relative,
            offsets=offsets,
        )
        return self._nearest(groups, probes, how, Call(**run))

    def _nearest(self, groups: Any, probes: Any, how: AsofHow, call: Call, plain: bool = False) -> Any:
        """@param plain whether answers are an array of NumPy, in which -1 also means null"""
        query = read(probes, "probes", self._families[1], stream=call.stream)
        if plain:
            query = query.changed(give=None)
        how = how_of_keys(how, self._families[1], query.size)
        columns = self._groups(groups, call.stream, query.size), query.plain()
        self._expect_as_many(columns, "probes")
        where = self._where(columns, call)
        if plain_asof(how) and how.all_ties:
            of, keys = (column.whole() for column in columns)
            return libraries.adopted(self._places.nearest_pairs(of, keys, "left", how, where), query)
        given = columns if how.tolerances is None else (*columns, how.tolerances)
        most = calls.PIECE if query.place is None else max(query.size, 1)
        dtype = self._core.type_of("row")
        rows = rows_of(how, dtype, query, lambda one, rows: self._places.nearest(given, rows, one, where, most))
        return rows if query.place is not None or how.offsets is not None else _core.given((query, *given), rows, "row")

    def aggregates(
        self, values: Any, *, squares: bool = False, extremes: bool = True, **run: Unpack[Told]
    ) -> GroupedAggregates:
        """A column of numbers, one for each position, to be added up and compared by ranges within groups.

        >>> sales = GroupedIndex(["a", "a", "b"], [1, 2, 1]).aggregates([10, 20, 5])
        >>> sales.in_ranges(["a", "b"], [1, 2], None).sum.tolist()
        [30, 0]
        """
        return GroupedAggregates(
            self, RangeAggregates(self._entries, values, squares=squares, extremes=extremes, **run)
        )
