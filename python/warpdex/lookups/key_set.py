# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Exact sets of keys, such as hashes of documents that were seen."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sized
from typing import Any, Unpack, overload

import numpy as np

from .. import _core
from .._core import Call, Part, Values
from ..columns import libraries
from ..columns.devices import device_name, device_numbers
from ..columns.families import family_over, note_of, noted_family, shown_values
from ..columns.parts import family_of, narrowed
from ..columns.values import NUMBER_TYPES, in_type, read
from ..errors import InvalidArgument, KeyTypeError, Unsupported
from ..types import Column, OnHost, Scalar, SetCode
from .asking import joined, where_of
from .border import Run, Told, public_methods
from .calls import Stages, described, expect_one, piece_of, type_shown
from .origin import Stored, pickled_folder
from .probes import homes


def _keys_of(keys: Any, call: Call) -> tuple[Values, Part]:
    """Reads the keys of a new set."""
    column = read(keys, "keys", stream=call.stream)
    if column.family == "uuid":
        column = read(keys, "keys", "u128 uuid", stream=call.stream)
    part = column.whole()
    if column.family.startswith("tuple(") or isinstance(part.column, tuple):
        raise KeyTypeError(
            f"keys is of type {column.family}; a set holds numbers, such as hashes of strings of 64 or 128 bits"
        )
    return column, part


def _rows_of(rows: Any, keys: Values) -> tuple[Any, Any]:
    """The rows of keys, and what holds them."""
    if rows is not None and keys.place is None and libraries.library_of(rows) is not None:
        raise KeyTypeError("rows is on a device, but keys on the host")
    return (None, None) if rows is None else libraries.row_ids(rows, keys.size)


def _pair_of(batch: Any) -> tuple[Any, Any]:
    """The keys of a batch, and their rows."""
    if not isinstance(batch, (tuple, list)) or len(batch) != 2 or batch[1] is None:
        raise InvalidArgument(f"a batch is {type(batch).__name__}; with rows it is a pair of keys and their rows")
    return batch[0], batch[1]


def _column_of(values: Any, name: str, family: str, key_type: str, rounding: str, call: Call) -> Values:
    """Reads values as keys of a set, or as its probes."""
    column = read(values, name, family, rounding, call.stream)
    if column.place is None and key_type == "date":
        column.parts = [narrowed(part, name, rounding) for part in column.parts]
    return column


@public_methods(held="index")
class Set(Stored):
    """A set of distinct keys, in order. Keys are numbers, bools, times, decimals and UUIDs, in columns of any library; nulls
    are left out. NaN is one key, and -0.0 is 0.0. Strings are refused: hash them to 64 or 128 bits. The set is on `device`, by
    default where the keys are.

    With the `code` "compressed" 2**30 random keys of 64 bits take 4.6 bytes each, and ones in clusters or at equal distances
    far fewer. "plain" is a sorted array, which is quicker. "auto" is plain below 2**16 keys.

    With `rows`, one number for each key such as that of its document, `find` answers the row of a key; of several the least
    one stays. It takes as many bits per key as the greatest row needs.

    With `devices`, such as [0, 1], the set is in shards, as an `Index` with placement="range": each has the keys of an
    interval. There are `shards` of them, by default one per device. Keys and probes are on the host or on one of the devices.
    Two such sets are combined if they are on the same devices.

    `key in set` asks for one key. `a | b`, `a & b` and `a - b` are sets, of keys of one type. An update is all or nothing;
    calls of other threads meanwhile see the set as it was.

    >>> seen = Set([5, 7, 7])
    >>> seen.contains([7, 8]).tolist(), 5 in seen, len(seen)
    ([True, False], True, 2)
    >>> (seen | Set([9])).keys().tolist()
    [5, 7, 9]
    >>> Set([5, 7, 7], rows=[40, 41, 42]).find([7, 8]).tolist()
    [41, -1]
    >>> Set(np.arange(1000), devices=["cpu", "cpu"]).contains([7, 1000]).tolist()
    [True, False]
    """

    _kind = _core.Set

    def __init__(
        self,
        keys: Any,
        *,
        rows: Any = None,
        code: SetCode = "auto",
        device: Any = None,
        devices: Any = None,
        shards: int | None = None,
        **run: Unpack[Told],
    ) -> None:
        call = Call(**run)
        stages = Stages(call.progress, 2)
        _, over = homes(device, devices, "auto", shards)
        column, part = stages.after(_keys_of(keys, call))
        ids, held = _rows_of(rows, column)
        core: _core.Set | _core.ShardedSet
        if over is None:
            core = _core.Set.build(part, ids, code, *libraries.built_at((column,), device, call.threads))
        else:
            core = _core.ShardedSet.build(part, ids, code, over, shards or 0, call.threads)
        del held  # rows that were converted have been read
        self._set(stages.after(core), column.family)

    def _set(self, core: _core.Set | _core.ShardedSet, family: str | None) -> None:
        self._core, self._device = core, core.device
        self._key_type: str = core.key_type
        self._family = family_over(family_of(self._key_type), family)

    @classmethod
    def _over(cls, core: _core.Set | _core.ShardedSet, device: int = -1, family: str | None = None) -> Set:
        self = cls.__new__(cls)
        self._set(core, family or noted_family(core.note))
        return self

    @classmethod
    def from_batches(
        cls,
        batches: Iterable[Any],
        *,
        code: SetCode = "auto",
        memory: int = 1 << 30,
        folder: str | bytes | os.PathLike[Any] | None = None,
        mmap: bool = False,
        rows: bool = False,
        **run: Unpack[Told],
    ) -> Set:
        """Makes a set of more keys than memory has room for, of an iterable of columns on the host. The keys are of the type
        of the first batch. No more than `memory` bytes are taken at a time for keys and their sort, besides the batch and
        the finished set. When they are full, keys are sorted, compressed and written to a file in `folder`, by default that
        of the system for temporary files; at the end all are merged. With `mmap` the set stays in such a file. The files
        have no names, and end with the call or the set, however that ends; they take up to twice the bytes of the set, and
        16 bytes more per row. With `rows` each batch is a pair of keys and their rows.

        >>> batches = (np.arange(start, start + 1000) for start in range(0, 5000, 500))
        >>> Set.from_batches(batches, memory=100 << 20)
        <warpdex.Set of 5500 i64 keys, plain, cpu>
        >>> Set.from_batches([([5, 7], [40, 41]), ([7, 9], [30, 43])], rows=True).find([7, 9]).tolist()
        [30, 43]
        """
        call = Call(**run)
        known = len(batches) if isinstance(batches, Sized) else 0
        stages = Stages(call.progress, known + 1)
        builder = None
        for batch in batches:
            keys, its_rows = _pair_of(batch) if rows else (batch, None)
            if builder is None:
                column, part = _keys_of(keys, call)
                place = b"" if folder is None else os.fsencode(folder)
                builder = _core.SetBuilder(part, code, memory, place, mmap, rows)
                family = family_over(family_of(builder.key_type), column.family)
            else:
                column = _column_of(keys, "keys", family, builder.key_type, "exact", call)
            if column.place is not None:
                raise InvalidArgument("a batch is on a device; batches of a set are on the host")
            ids, held = _rows_of(its_rows, column)
            builder.add(in_type(column.whole(), builder.key_type, "keys"), ids, call.threads)
            del held  # rows that were converted have been read
            if known:
                stages.end()
        if builder is None:
            raise InvalidArgument("there are no batches, so the keys have no type")
        told = call.told and (lambda done: call((known + done) / (known + 1)))
        return cls._over(stages.after(builder.finish(call.threads, told)), -1, family)

    @classmethod
    def load(
        cls, path: str | bytes | os.PathLike[Any], mmap: bool = False, device: Any = "cpu", *, devices: Any = None
    ) -> Set:
        """Reads a file that `save` wrote, and checks it; see `Index.load`. The folder of a set in shards is read to `devices`,
        of any number.

        >>> Set([5, 7]).save("some.wdx")
        >>> Set.load("some.wdx", mmap=True).contains([7]).tolist()
        [True]
        """
        name = os.fsencode(path)
        if devices is None and not os.path.isdir(name):
            return cls._of_file(path, mmap, device)
        over = device_numbers([device] if devices is None else devices)
        return cls._over(_core.ShardedSet.load(name, mmap, over))

    @classmethod
    def from_buffer(cls, stored: Any, device: Any = "cpu") -> Set:
        """Reads the bytes of such a file, from any object that has a buffer, which is used as by `Index.from_buffer`.

        >>> len(Set.from_buffer(Set([5, 7]).to_bytes()))
        2
        """
        return cls._of_buffer(stored, device)

    def save(self, path: str | bytes | os.PathLike[Any]) -> None:
        """Writes the set to a file, which replaces a previous one only when it is complete; one in shards to a folder.

        >>> Set([5, 7]).save("some.wdx")
        """
        self._core.save(os.fsencode(path), note_of(self._family))

    def to_bytes(self) -> bytes:
        """The bytes of the file that `save` writes.

        >>> len(Set.from_buffer(Set([5, 7]).to_bytes()))
        2
        """
        if isinstance(self._core, _core.ShardedSet):
            raise Unsupported("the set is in shards, which have a file each; save writes a folder")
        return self._core.to_bytes(note_of(self._family))

    def __len__(self) -> int:
        return self._core.size

    def __contains__(self, key: Any) -> bool:
        """Whether one key is in the set; a null is not."""
        expect_one(key)
        return key is not None and bool(self.contains([key])[0])

    def __iter__(self) -> Iterator[Any]:
        return iter(self.keys())

    def __repr__(self) -> str:
        return described("Set", f"{len(self)} {type_shown(self._family, self._key_type)} keys", self.code, self.device)

    @property
    def code(self) -> str:
        """How the keys are in memory: "plain" or "compressed".

        >>> Set([5, 7]).code
        'plain'
        """
        return self._core.code

    @property
    def device(self) -> str:
        """Where the set is: "cpu", or a device such as "cuda:0"; those of all shards.

        >>> Set([5, 7]).device
        'cpu'
        """
        return ", ".join(self.devices)

    @property
    def devices(self) -> list[str]:
        """Where the shards are; else one device.

        >>> Set([5, 7], devices=["cpu", "cpu"]).devices
        ['cpu', 'cpu']
        """
        return [device_name(number) for number in self._core.devices]

    @property
    def nbytes(self) -> int:
        """Bytes that the set takes, in a mapped file too.

        >>> Set(np.arange(1000), code="compressed").nbytes < 1000
        True
        """
        return self._core.nbytes

    def _read(self, values: Any, name: str, rounding: str, call: Call) -> tuple[Values, int]:
        """Reads probes or keys, and says where the call runs."""
        column = _column_of(values, name, self._family, self._key_type, rounding, call)
        if column.place is not None:
            libraries.expected(column, *self._core.places)
        return column, where_of(self._device, (column,), call)

    @overload
    def contains(self, probes: Scalar, **run: Unpack[Told]) -> np.bool_: ...
    @overload
    def contains(self, probes: OnHost, **run: Unpack[Told]) -> np.ndarray: ...
    @overload
    def contains(self, probes: Column, **run: Unpack[Told]) -> Column: ...
    def contains(self, probes: Any, **run: Unpack[Told]) -> Any:
        """Whether each probe is in the set, in the kind of the probes. Numbers of other types are compared exactly.

        >>> Set([5, 7]).contains([5, 5.5, None]).tolist()
        [True, False, False]
        """
        return self._ask("contains", "flag", np.bool_, probes, Call(**run))

    @overload
    def find(self, probes: Scalar, **run: Unpack[Told]) -> np.int64: ...
    @overload
    def find(self, probes: OnHost, **run: Unpack[Told]) -> np.ndarray: ...
    @overload
    def find(self, probes: Column, **run: Unpack[Told]) -> Column: ...
    def find(self, probes: Any, **run: Unpack[Told]) -> Any:
        """The row of each probe, -1 for one that is not in the set, in the kind of the probes. The set was made with rows.

        >>> Set([5, 7], rows=[900, 8]).find([7, 5.5, 5]).tolist()
        [8, -1, 900]
        """
        return self._ask("find", "row", np.int64, probes, Call(**run))

    def _ask(self, method: str, kind: str, dtype: Any, probes: Any, call: Call) -> Any:
        """The answers of a call of the core, one per probe."""
        column, where = self._read(probes, "probes", "equal", call)
        column = joined(column.changed(parts=column.plain().parts), self._key_type)
        found, target = libraries.target(None, dtype, column.size, column.place)
        most = piece_of(call) if column.place is None else max(column.size, 1)
        core = self._core
        if isinstance(core, _core.ShardedSet) and column.place is not None:
            core = core.at(column.place.device)
        getattr(core, method)((column,), target, where, most, call.told)
        return _core.given((column,), found, kind)

    def _combined(self, other: Any, which: str) -> Any:
        if not isinstance(other, Set):
            return NotImplemented
        if (self._key_type, self._family) != (other._key_type, other._family):
            types = " and ".join(type_shown(of._family, of._key_type) for of in (self, other))
            raise InvalidArgument(f"the sets have keys of types {types}; they must be of one type")
        left: Any = self._core
        if isinstance(left, _core.ShardedSet) != isinstance(other._core, _core.ShardedSet):
            raise InvalidArgument("one of the sets is in shards, and the other is not")
        return self._over(left.combined(other._core, which, 0), self._device, self._family)

    def __or__(self, other: Any) -> Set:
        return self._combined(other, "union")

    def __and__(self, other: Any) -> Set:
        return self._combined(other, "intersection")

    def __sub__(self, other: Any) -> Set:
        return self._combined(other, "difference")

    def _change(self, keys: Any, rows: Any, adds: bool, call: Call) -> int:
        """Adds keys or takes them out. Returns how many there are more, or fewer."""
        column, where = self._read(keys, "keys", "exact", call)
        part = column.whole()
        if column.place is None:
            part = in_type(part, self._key_type, "keys")
        elif not isinstance(part.column, tuple) and part.column.type != NUMBER_TYPES.get(self._key_type):
            raise KeyTypeError(f"keys has the type {part.column.type}; the set holds {self._key_type}")
        ids, held = _rows_of(rows, column)
        if isinstance(self._core, _core.ShardedSet) and column.place is not None:
            where = 0  # the core waits for the keys
        count = self._core.change(part, ids, adds, where)
        del held  # rows that were converted have been read
        self._file = None  # which the set differs from
        return count

    def insert(self, keys: Any, rows: Any = None, **run: Unpack[Run]) -> int:
        """Adds keys, all or none, to a set that keeps rows with a row for each. Returns how many are new. Costs a pass over
        the set.

        >>> seen = Set([5, 7])
        >>> seen.insert([7, 8, 9]), len(seen)
        (2, 4)
        """
        return self._change(keys, rows, True, Call(**run))

    def erase(self, keys: Any, **run: Unpack[Run]) -> int:
        """Takes keys out. Returns how many there were. Costs a pass over the set.

        >>> seen = Set([5, 7])
        >>> seen.erase([7, 8]), len(seen)
        (1, 1)
        """
        return -self._change(keys, None, False, Call(**run))

    def keys(self) -> np.ndarray:
        """All keys in ascending order, in an array of NumPy.

        >>> Set([9, 5, 7, 5]).keys().tolist()
        [5, 7, 9]
        """
        return shown_values(self._core.keys(), self._family)

    def __reduce_ex__(self, protocol: Any) -> Any:
        if isinstance(self._core, _core.ShardedSet):
            return pickled_folder(self, [device_name(number) for number in self._core.places])
        return super().__reduce_ex__(protocol)
