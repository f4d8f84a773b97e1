# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Keys within groups: prices by symbol, readings by sensor."""

from __future__ import annotations

import hashlib
import os
from contextlib import AbstractContextManager
from typing import Any, Literal, Unpack, overload

import numpy as np

from .. import _core
from .._core import Call, Part, Values
from ..columns import libraries
from ..columns.devices import device_number, device_numbers
from ..columns.parts import family_of
from ..columns.values import either, families_in, own_part, read
from ..errors import FormatError, InvalidArgument, KeyTypeError, reading, shown
from ..types import (
    Array,
    AsofOptions,
    Closed,
    Column,
    DeviceArray,
    Direction,
    How,
    OnHost,
    Placement,
    Prefer,
    Scalar,
    Ties,
)
from . import calls
from .aggregates import RangeAggregates
from .asking import Lookup, Searched, groups_of, joined, opens_of, read_bound, where_of
from .asof import how_of_keys, plain_asof, rows_of
from .border import Run, Told, public_methods
from .calls import AsofHow, UpdateCounts, asof_how, described, expect_one, one_probe, type_shown
from .grouped_aggregates import GroupedAggregates
from .index import Index
from .origin import Stored, pickled_folder
from .probes import homes
from .table import GroupedLookups


@public_methods("insert", "insert_or_assign", "erase", "update")
class GroupedIndex(GroupedLookups, Searched, Stored):
    """An index over a column of groups and a column of keys, whose lookups find keys of the probe's group alone.

    Both columns are of any kind, and may be on a device; of columns on the host `device` says where the index is. Groups
    of several columns are a tuple of columns, and one group without a column is that of all probes. The lookups
    are those of `Index`, with the groups of the probes before the probes. A row whose group or key is null is left out.
    Where a bound is None, ranges have none on that side. `(group, key) in index` asks for one pair.

    With `devices` its entries are in shards, as those of `Index`; it is saved to a folder then.

    >>> quotes = GroupedIndex(["a", "b", "a"], [1, 2, 3])
    >>> quotes.join_asof(["a", "b", "a"], [4, 1, 2]).tolist()
    [2, -1, 0]
    >>> quotes.range_count(["a", "b", "c"], [1, 1, 1], None).tolist()
    [2, 1, 0]
    """

    _kind = _core.GroupedIndex

    def __init__(
        self,
        groups: Any,
        keys: Any,
        spec: str = "AO+BS",
        device: Any = None,
        *,
        devices: Any = None,
        placement: Placement = "auto",
        shards: int | None = None,
        **run: Unpack[Run],
    ) -> None:
        call = Call(**run)
        _, over = homes(device, devices, placement, shards)
        columns = read(groups, "groups", stream=call.stream), read(keys, "keys", stream=call.stream)
        self._families = columns[0].family, columns[1].family
        self._expect_as_many(columns, "keys")
        parts = columns[0].whole(), columns[1].whole()
        if over is not None:
            core = _core.GroupedIndex.build_shards(*parts, spec, over, placement, shards or 0, call.threads)
            self._set(core, -1)
            return
        number, where = libraries.built_at(columns, device, call.threads)
        self._set(_core.GroupedIndex.build(*parts, spec, number, where), number)

    def _set(self, core: _core.GroupedIndex, device: int) -> None:
        self._places, self._device, self._entries = core, device, Index._over(core.entries())
        self._core = self._entries._core  # whose lock is that of the places too
        self._row_type = self._entries._row_type

    @classmethod
    def _over(cls, core: _core.GroupedIndex, device: int, families: tuple[str, str] | None = None) -> GroupedIndex:
        self = cls.__new__(cls)
        groups, keys = families or (core.note.split("\n") if core.note else map(family_of, core.types))
        self._families = groups, keys
        self._set(core, device)
        return self

    @classmethod
    def load(
        cls, path: str | bytes | os.PathLike[Any], mmap: bool = False, device: Any = "cpu", *, devices: Any = None
    ) -> GroupedIndex:
        """Reads a file or a folder that `save` wrote, and checks it; see `Index.load`.

        >>> GroupedIndex(["a", "b"], [1, 2]).save("some.wdx")
        >>> GroupedIndex.load("some.wdx").find(["b"], [2]).tolist()
        [1]
        """
        name = os.fsencode(path)
        if devices is None and not os.path.isdir(name):
            return cls._of_file(path, mmap, device)
        over = device_numbers([device] if devices is None else devices)
        *families, file = _core.note_of_file(os.path.join(name, os.fsencode(_core.MANIFEST_NAME))).split("\n")
        if len(families) != 2 or os.path.basename(file) != file:
            raise FormatError(f"path is {os.fsdecode(name)!r}, the folder of an Index; Index.load reads it")
        core = _core.GroupedIndex.load_shards(os.path.join(name, os.fsencode(file)), name, mmap, over)
        return cls._over(core, -1, (families[0], families[1]))

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
        """Writes the index to a file, which replaces a previous one only when it is complete; one in shards to a folder.

        >>> GroupedIndex([1, 1], [5, 7]).save("some.wdx")
        """
        name = os.fsencode(path)
        if not self._places.is_sharded:
            self._places.save(name, "\n".join(self._families))
            return
        encoder = self._places.encoder
        file = f"groups-{hashlib.sha256(encoder.to_bytes()).hexdigest()[:16]}.wdx"  # other numbers are in another file
        with reading("path"):
            os.makedirs(name, exist_ok=True)
        encoder.save(os.path.join(name, os.fsencode(file)))
        self._core.save(name, "\n".join([*self._families, file]))

    def to_bytes(self) -> bytes:
        """The bytes of the file that `save` writes.

        >>> len(GroupedIndex.from_buffer(GroupedIndex([1, 1], [5, 7]).to_bytes()))
        2
        """
        return self._places.to_bytes("\n".join(self._families))

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self._places.is_sharded:
            return pickled_folder(self, self._entries.devices)
        return super().__reduce_ex__(protocol)

    def to(self, device: Any) -> GroupedIndex:
        """A copy of the index on another device, or on the CPU; the index itself if it is there.

        >>> GroupedIndex([1, 1], [5, 7]).to("cpu").find([1], [7]).tolist()
        [1]
        """
        number = device_number(device)
        if number == self._device:
            return self
        return self._over(self._places.clone(number), number, self._families)

    @property
    def device(self) -> str:
        """Where the index is: "cpu", or a device such as "cuda:0".

        >>> GroupedIndex([1], [5]).device
        'cpu'
        """
        return self._entries.device

    def explain(self) -> str:
        """How groups and keys have numbers, and what `Index.explain` says of the entries.

        >>> print(GroupedIndex(["a", "b"], [5, 7]).explain().splitlines()[1])
        leading fields: ranks among 2 distinct values, 1 of 64 bits
        """
        with self._core:
            return f"{self._places.encoder.explain()}{self._entries.explain()}"

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

    def _columns_of(self, keys: list[Any]) -> tuple[Any, ...]:
        groups, probes = (list(column) for column in zip(*keys, strict=True))
        if self._families[0].startswith("tuple("):
            return tuple(list(column) for column in zip(*groups, strict=True)), probes
        return groups, probes

    @property
    def _column_types(self) -> list[tuple[str, str]]:
        (groups, keys), (group_type, key_type) = self._families, self._places.types
        several = families_in(groups)
        of_groups = [(groups, group_type)] if several is None else [(family, "") for family in several]
        return [*of_groups, (keys, key_type)]

    @property
    def _kind_shown(self) -> str:
        groups, keys = map(type_shown, self._families, self._places.types)
        return f"{len(self)} {keys} keys by {groups}"

    def _unchanged_since(self, version: int) -> AbstractContextManager[None]:
        return self._entries._unchanged_since(version)

    def __repr__(self) -> str:
        structure = self._entries.spec.partition("/")[0]
        return described("GroupedIndex", self._kind_shown, structure, self.device)

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
        _, where = self._where((query,), Call(threads=threads))
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
        _, where = self._where((query,), Call(threads=threads))
        return UpdateCounts(*self._places.erase(self._core, columns, where))

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
        _, where = self._where((query,), Call(threads=threads))
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

    def _where(self, columns: tuple[Values, ...], call: Call) -> tuple[int, int]:
        """The device and the stream of a call, or -1 and its most threads."""
        for column in columns:
            if column.place is not None:
                libraries.expected(column, *(self._core.devices if self._device < 0 else [self._device]))
        place = columns[0].place
        return self._device if place is None else place.device, where_of(self._device, columns, call)

    def _placed(self, columns: tuple[Values, ...], asked: Values, places: Any, misses: Any = None) -> Values:
        """Places as probes of the entries, whose answers are in the kind of a column."""
        if asked.place is not None:
            part = Part(places, asked.size, None if misses is None else (misses, 0))  # validity bits, from the first on
        else:
            nulls = either(column.nulls() for column in columns)
            part = Part(places, asked.size, nulls, misses if nulls is None or misses is None else misses & ~nulls)
        name = next((column.name for column in columns if column.nulls() is not None), asked.name)
        return Values("integer", [part], asked.size, asked.give, asked.nulls_are_known, name, asked.place)

    def _points(self, groups: Any, probes: Any, call: Call) -> Values:
        """Probes as one column of places."""
        query = joined(read(probes, "probes", self._families[1], "equal", call.stream), self._places.types[1])
        columns = self._groups(groups, call.stream, query.size), query.plain()
        self._expect_as_many(columns, "probes")
        at = self._where(columns, call)
        parts = [column.whole() for column in columns]
        return self._placed(columns, query, *self._places.encoder.points(parts, *at, query.place is not None))

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
        at = self._where(columns, call)
        to_device = columns[0].place is not None
        places = self._places.encoder.ranges([of.whole()], low_part, high_part, lower_open, upper_open, *at, to_device)
        first, second = (self._placed(columns, next(iter(columns[1:]), of), one) for one in places)
        return first, second

    def _within(self, what: Lookup, groups: Any, probes: tuple[Any, ...], closed: str, call: Call) -> Any:
        """A lookup within groups: one among places."""
        if what.name in ("floor", "ceil"):
            how = AsofHow("backward" if what.name == "floor" else "forward")
            return self._nearest(groups, probes[0], how, call)
        columns: tuple[Values, ...] = (
            self._ranges(groups, probes[0], probes[1], closed, call)
            if what.takes == "ranges"
            else (self._points(groups, probes[0], call),)
        )
        return (self._entries._list if what.lists else self._entries._ask)(what, columns, call)

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
        device, where = self._where(columns, call)
        places = self._places if device == self._device else self._places.at(device)
        if plain_asof(how) and how.all_ties:
            of, keys = (column.whole() for column in columns)
            return libraries.adopted(places.nearest_pairs(of, keys, "left", how, where), query)
        given = columns if how.tolerances is None else (*columns, how.tolerances)
        most = calls.PIECE if query.place is None else max(query.size, 1)
        dtype = self._core.type_of("row")
        is_given = query.place is None and how.offsets is None  # after nulls have become those of its library
        form = query.changed(give=None) if is_given else query
        rows = rows_of(how, dtype, form, lambda one, rows: places.nearest(given, rows, one, where, most))
        return _core.given((query, *given), rows, "row") if is_given else rows

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
