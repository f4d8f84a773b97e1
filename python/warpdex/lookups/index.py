# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""`Index`: the lookups of the library over columns of any kind."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import numpy as np

from .. import _core
from .._core import Call
from ..columns import libraries
from ..columns.devices import device_name, device_number, device_numbers
from ..columns.families import are_uuids, note_of, noted_family
from ..columns.values import numbers_of, read
from ..errors import InvalidArgument, KeyTypeError
from ..types import (
    Array,
    AsofOptionsOfIndex,
    Closed,
    Column,
    DeviceArray,
    Direction,
    How,
    Method,
    Nulls,
    OnHost,
    Placement,
    Prefer,
    Scalar,
    Ties,
)
from .asof import asof, by_offset, how_of_keys, plain_asof
from .border import Run, Told, public_methods, seconds_of
from .calls import UpdateCounts, asof_how, described, expect_one, one_probe, type_shown
from .indexer import get_indexer, get_indexer_non_unique
from .origin import MappedFile, fingerprint, loading, mapped_file, pickled_folder, remapped
from .probes import Pieces, built_of_pieces, homes
from .ranked import Ranked

if TYPE_CHECKING:
    from ..duckdb import Joined


@public_methods("insert", "insert_or_assign", "erase", "update")
class Index(Ranked):
    """An index over one key column, on the CPU or on a CUDA device.

    Keys are integers, floats, bools, times, or strings, which are compared as bytes. They come from NumPy, pandas,
    Polars, pyarrow, anything with Arrow's C interface, or lists; answers come in the kind of the probes. Integers of
    any width and sign are compared exactly with each other, and so are floats, and times of all units. Keys may repeat.
    A null key keeps its row id and is in no answer (with nulls="error" it is refused); a null probe has a null answer,
    in NumPy -1, False or 0.

    Row ids are int32 or int64, and -1 means none. Without `rows` the row id of a key is its position. A call uses at
    most `threads` threads; 0 means all cores. All lookups release the GIL and may run at once; an update runs alone.
    Calls take turns in the order in which they come, so that a call sees the index before or after an update; one that
    waits for longer than `max_wait` raises `Busy`. `progress` is True, or is called with the part that is done.

    The index is on `device`: "cpu", "cuda" or "cuda:1"; by default where the keys are. Arrays on its device come from
    CuPy, Torch, or anything with DLPack, `__cuda_array_interface__` or Arrow's device interface, and so do the answers.
    Such calls wait for nothing: they run on the stream `stream`, by default the current one of the probes' library.

    With `devices`, such as [0, 1], it is one index over several. Keys and probes are on the host or on one of these
    devices; the answers are where the probes are. With placement="replicate" each device has all keys, with "range"
    those of an interval; "auto" copies what is small. "cpu" may be named several times. There are `shards` intervals, by
    default one per device; if there are more, neighbouring ones share a device. Keys and probes may be `Pieces` on
    several devices.

    `key in index` asks for one key. A loop over an index with an order has the keys in it, strings as bytes.

    Keys of several columns are tuples: a data frame, or a tuple of columns, as are the probes then. By default such an
    index has an order; "HT(open)" is quicker where whole tuples are looked up alone. Probes may also be the first
    columns alone, if the index has an order: they equal all tuples that begin so, and are before or after these as
    bounds, which may have different numbers of columns. In prefix lookups the last column of the
    probes holds beginnings of strings.

    >>> index = Index([30, 10, 20, 10])
    >>> index.find([10, 25])
    array([ 1, -1], dtype=int32)
    >>> Index(([49, 33], ["Ulm", "Nice"])).find(([49, 49], ["Bonn", "Ulm"])).tolist()
    [-1, 0]
    >>> Index(([49, 33, 49], ["Ulm", "Nice", "Bonn"])).count(([49, 1],)).tolist()
    [2, 0]
    """

    _file: MappedFile | None = None  # which the index uses in place

    def __init__(
        self,
        keys: Any,
        spec: str = "auto",
        rows: Any = None,
        device: Any = None,
        *,
        devices: Any = None,
        placement: Placement = "auto",
        shards: int | None = None,
        nulls: Nulls = "skip",
        threads: int = 0,
        progress: Any = False,
    ) -> None:
        number, over = homes(device, devices, placement, shards)
        if "polars" in sys.modules:
            from .. import polars as _  # noqa: F401  registers the namespace of expressions
        if isinstance(keys, Pieces):
            self._set(*built_of_pieces(keys, spec, rows, over, placement, shards or 0, threads))
            return
        call = Call(threads=threads, progress=progress)
        values = read(keys, "keys")
        place, part = values.place, values.whole()
        if spec == "auto" and values.family.startswith("tuple(") and not isinstance(part.column, tuple):
            spec = "AO+BS"  # hash tables are quicker for 128 bits, but leading columns and neighbours need an order
        if place is not None and number not in (None, place.device):
            name, other = device_name(place.device), device_name(number or 0)
            raise InvalidArgument(f"keys is on {name}; Index(keys).to({other!r}) goes to {other}")
        if part.nulls is not None and place is not None and (nulls == "error" or rows is not None):
            raise InvalidArgument("keys may hold nulls, which nulls='error' refuses, as do given rows on a device")
        if part.nulls is not None and nulls == "error":
            raise InvalidArgument(f"keys[{int(np.argmax(part.nulls))}] is null")
        if over is not None and place is not None and part.nulls is not None:
            raise InvalidArgument(
                "keys may hold nulls; an index over several devices takes keys on a device without them"
            )
        held = prints = None
        if over is not None and rows is None and part.nulls is not None:
            wide = part.size >= 1 << 31 or "rows=u64" in spec
            rows = np.arange(part.size, dtype=np.int64 if wide else np.int32)
        if rows is None:
            prints = fingerprint([part]) if place is None else None
        else:
            if place is None and libraries.library_of(rows) is not None:
                raise KeyTypeError("rows is on a device, but keys on the host")
            rows, held = libraries.row_ids(rows, part.size)
            if part.nulls is not None:
                kept = np.flatnonzero(~part.nulls)
                rows, part = rows[kept], part.take(kept)
                part.nulls = None
        if place is not None:
            number, where = place.device, place.stream
        else:
            number, where = (-1, threads) if number is None or number < 0 else (number, 0)
        if over is not None:
            core = _core.build_shards(part, spec, rows, over, placement, shards or 0, threads)
        else:
            core = _core.build(part, None, spec, rows, number, where, None if place is not None else call.told)
        del held  # rows that were converted have been read
        self._set(core, values.family)
        self._fingerprint = prints
        if place is None and call.told is not None:
            call.told(1.0)

    @classmethod
    def load(
        cls, path: str | bytes | os.PathLike[Any], mmap: bool = False, device: Any = "cpu", *, devices: Any = None
    ) -> Index:
        """Reads a file that `save` wrote, and checks it. With `mmap` the file is used in place, on the CPU, so that
        processes share its pages; it pickles as the path, unless it was updated or the file replaced. The folder of an
        index over several devices is read to `devices`, which must be as many.

        >>> Index([5, 7]).save("some.wdx")
        >>> Index.load("some.wdx", mmap=True).find([7]).tolist()
        [1]
        """
        name = os.fsencode(path)
        if devices is not None or os.path.isdir(name):
            over = device_numbers([device] if devices is None else devices)
            core = _core.load_shards(name, mmap, over)
            return cls._loaded(core, _core.note_of_file(os.path.join(name, os.fsencode(_core.MANIFEST_NAME))))
        number = device_number(device)
        file = mapped_file(name, mmap, number)
        with loading(name):
            result = cls._loaded(_core.load(name, mmap, number), _core.note_of_file(name))
        result._file = file
        return result

    @classmethod
    def from_buffer(cls, stored: Any, device: Any = "cpu") -> Index:
        """Reads the bytes of such a file, from any object that has a buffer.

        An index on the CPU uses a buffer in its place if it can only be read and begins at a multiple of 64 bytes, as
        those of maps and of shared memory do, so that processes share one copy; others are copied. The memory under a
        read-only view must not be written while the index lives; a map of a file that is cut ends the process, where
        `load(path, mmap=True)` raises an error. An index pickles as these bytes, with protocol 5 out of band.

        >>> Index.from_buffer(Index([5, 7]).to_bytes()).find([7]).tolist()
        [1]
        """
        plain = np.frombuffer(stored, np.uint8)
        core = _core.from_bytes(plain, device_number(device), share=not plain.flags.writeable)
        return cls._loaded(core, _core.note_of_bytes(plain))

    @classmethod
    def _trusted(cls, stored: np.ndarray) -> Index:
        """An index that uses bytes in place without a check: those of `to_bytes`, which another process shares."""
        return cls._loaded(_core.from_bytes(stored, share=True, trust=True), _core.note_of_bytes(stored))

    @classmethod
    def _loaded(cls, core: _core.Index, note: str) -> Index:
        """What a file holds, whose keys are UUIDs by their form if it has no note."""
        return cls._over(core, noted_family(note) or ("uuid" if are_uuids(core) else None))

    @classmethod
    def _over(cls, core: _core.Index, family: str | None = None) -> Index:
        self = cls.__new__(cls)
        self._set(core, family)
        return self

    @classmethod
    def over_sorted(cls, keys: Any, spec: str = "AO+BS", **run: Unpack[Run]) -> Index:
        """An index over ascending numbers or times of 32 or 64 bits. Those without a sign it uses in place: it makes
        only what leads to them, and they must not change while it lives. Others are copied, but not sorted. The row id
        of a key is its position. The index cannot be updated, saved or copied.

        >>> Index.over_sorted(np.array([10, 20, 20], np.uint32)).count(np.array([20], np.uint32)).tolist()
        [2]
        """
        call = Call(**run)
        values = read(keys, "keys", stream=call.stream)
        on = (-1, call.threads) if values.place is None else (values.place.device, values.place.stream)
        self = cls._over(_core.over_sorted(numbers_of(values), spec, *on), values.family)
        self._borrowed = values
        return self

    def to(self, device: Any) -> Index:
        """A copy of the index on another device, or on the CPU; the index itself if it is there.

        >>> Index([5, 7]).to("cpu").find([7]).tolist()
        [1]
        """
        number = device_number(device)
        if number == self._device:
            return self
        return self._over(self._core.clone(number), self._family)

    def to_bytes(self) -> bytes:
        """The bytes of the file that `save` writes.

        >>> Index.from_buffer(Index([5, 7]).to_bytes()).find([5]).tolist()
        [0]
        """
        return self._core.to_bytes(note_of(self._family)).tobytes()

    def save(self, path: str | bytes | os.PathLike[Any]) -> None:
        """Writes the index to a file, which replaces a previous one only when it is complete; one over several devices
        to a folder.

        >>> Index([5, 7]).save("some.wdx")
        """
        self._core.save(os.fsencode(path), note_of(self._family))

    @property
    def device(self) -> str:
        """Where the index is: "cpu", or a device such as "cuda:0".

        >>> Index([5, 7]).device
        'cpu'
        """
        return ", ".join(self.devices)

    @property
    def devices(self) -> list[str]:
        """Where the parts of an index over several devices are; else one device.

        >>> Index([5, 7], devices=["cpu", "cpu"], placement="range").devices
        ['cpu', 'cpu']
        """
        return [device_name(number) for number in self._core.devices]

    @property
    def max_wait(self) -> float:
        """The most seconds that a call waits for its turn, 60 at first; with 0 it does not wait.

        >>> index = Index([5, 7])
        >>> index.max_wait = 0.5
        """
        return self._core.max_wait

    @max_wait.setter
    def max_wait(self, seconds: float) -> None:
        self._core.max_wait = seconds_of("max_wait", seconds)

    @property
    def spec(self) -> str:
        """The spec with all choices filled in.

        >>> Index([5, 7], "AO+BS").spec
        'AO+BS/layout=SoA/rows=u32'
        """
        return str(self._core.describe()[0])

    @property
    def nbytes(self) -> int:
        """Bytes that the index holds.

        >>> Index([5, 7], "AO+BS").nbytes >= 2 * (8 + 4)
        True
        """
        return int(self._core.describe()[4])

    @property
    def is_unique(self) -> bool:
        """Whether no key repeats.

        >>> Index([5, 7, 5]).is_unique
        False
        """
        return self._core.is_unique()

    def __repr__(self) -> str:
        spec, _, _, size, _ = self._core.describe()
        kind = type_shown(self._family, self._key_type)
        return described("Index", f"{size} {kind} keys", spec.partition("/")[0], self.device)

    def __contains__(self, key: Any) -> bool:
        """Whether one key is there, as in a dict: null is not, and neither is what is of another type."""
        expect_one(key)
        try:
            return bool(self.contains(one_probe(key, self._is_tuple))[0])
        except KeyTypeError:
            return False

    def explain(self, batch: int = 1 << 20) -> str:
        """Why this spec, what it takes, and how a batch of this number of probes runs.

        >>> print(Index([3, 1, 2], "AO+BS").explain().splitlines()[0])
        AO+BS over 3 keys of type i64, row ids of 32 bits
        """
        text: str = self._core.explain(batch)
        return text

    # Joins.

    @overload  # which the site shows as they are
    def join(
        self, probes: DeviceArray, how: How = "inner", /, **run: Unpack[Told]
    ) -> tuple[DeviceArray, DeviceArray]: ...
    @overload
    def join(self, probes: Any, how: How = "inner", /, **run: Unpack[Told]) -> tuple[np.ndarray, np.ndarray]: ...
    @overload
    def join(self, probes: DeviceArray, /, *, how: How, **run: Unpack[Told]) -> tuple[DeviceArray, DeviceArray]: ...
    @overload
    def join(self, probes: Any, /, *, how: How, **run: Unpack[Told]) -> tuple[np.ndarray, np.ndarray]: ...
    @overload
    def join(self, con: Any, sql: str, /, *, on: str, how: How = "inner", row: str = "row") -> Joined: ...
    def join(
        self,
        probes: Any,
        *first: str,
        how: How | None = None,
        on: str | None = None,
        row: str = "row",
        **run: Unpack[Told],
    ) -> Any:
        """Pairs of positions of probes and row ids of equal keys; `how` is inner, left, semi or anti.

        In a left join a probe without a key is paired with -1. Semi and anti joins have no row ids. With a connection
        of DuckDB, a query and `on`, it is `warpdex.duckdb.join`.

        >>> left, right = Index([30, 10, 20, 10]).join([10, 11], "left")
        >>> left.tolist(), right.tolist()
        ([0, 0, 1], [1, 3, -1])
        """
        if on is not None:
            from ..duckdb import join

            return join(self, probes, *first, on=on, how=how or "inner", row=row)
        if len(first) > 1 or (first and how):
            raise TypeError(f"how is {(*first, how)!r}; it is given once")
        call = Call(**run)
        query = self._read(probes, "probes", "equal", call.stream)
        return self._pairs((query,), how or "".join(first) or "inner", call)

    @overload
    def join_between(
        self, lower: DeviceArray, upper: Any, how: How = "inner", closed: Closed = "both", **run: Unpack[Told]
    ) -> tuple[DeviceArray, DeviceArray]: ...
    @overload
    def join_between(
        self, lower: Any, upper: Any, how: How = "inner", closed: Closed = "both", **run: Unpack[Told]
    ) -> tuple[np.ndarray, np.ndarray]: ...
    def join_between(
        self, lower: Any, upper: Any, how: How = "inner", closed: Closed = "both", **run: Unpack[Told]
    ) -> tuple[Any, Any]:
        """Pairs of positions of ranges and row ids of the keys in them; `closed` as in `range_count`.

        >>> left, right = Index([30, 10, 20]).join_between([15, 40], [30, 50])
        >>> left.tolist(), right.tolist()
        ([0, 0], [2, 0])
        """
        call = Call(**run)
        bounds, opens = self._bounds(lower, upper, closed, call.stream)
        left, right = self._pairs(bounds, how, call, opens)
        return left, right

    @overload
    def join_asof(
        self,
        probes: Any,
        strategy: Direction = "backward",
        *,
        ties: Literal["all"],
        **options: Unpack[AsofOptionsOfIndex],
    ) -> tuple[Array, Array]: ...
    @overload
    def join_asof(
        self,
        probes: Scalar,
        strategy: Direction = "backward",
        *,
        ties: Ties = "first",
        **options: Unpack[AsofOptionsOfIndex],
    ) -> np.integer[Any]: ...
    @overload
    def join_asof(
        self,
        probes: OnHost,
        strategy: Direction = "backward",
        *,
        ties: Ties = "first",
        offsets: Any = None,
        **options: Unpack[AsofOptionsOfIndex],
    ) -> np.ndarray: ...
    @overload
    def join_asof(
        self,
        probes: Column,
        strategy: Direction = "backward",
        *,
        ties: Ties = "first",
        **options: Unpack[AsofOptionsOfIndex],
    ) -> Column: ...
    @overload
    def join_asof(
        self, probes: Any, strategy: Direction = "backward", *, offsets: Any, **options: Unpack[AsofOptionsOfIndex]
    ) -> Array: ...
    def join_asof(
        self,
        probes: Any,
        strategy: Direction = "backward",
        *,
        allow_exact_matches: bool = True,
        tolerance: Any = None,
        prefer: Prefer = "earlier",
        ties: Ties = "first",
        relative: float = 0.0,
        offsets: Any = None,
        out: Any = None,
        **run: Unpack[Told],
    ) -> Any:
        """The row id of the nearest key by a strategy (backward, forward or nearest), -1 for none.

        Nothing need be sorted. With `allow_exact_matches=False` equal keys do not match. `tolerance` is the largest
        distance: a number, for times a timedelta, since a number says no unit; or a column of them, one for each probe.
        A distance up to the `relative` part of a probe is within it too: 2e-5 is 20 ppm. At equal distance the earlier
        key matches, as in pandas, or with `prefer="later"` the later one, as in Polars.

        `ties` says which of equal keys matches: the "first", of the smallest row id, or the "last"; "adjacent" is the
        last of keys not above the probe and the first of keys not below it, next to it in a sorted column. With
        ties="all" all of them match: the answers are pairs of positions of probes and row ids, as of a left `join`.
        `offsets` are numbers, or timedeltas, that are added to the probes: there is one array of row ids for each. A
        probe whose sum is beyond its type matches nothing.

        >>> Index([10, 20]).join_asof([14, 15, 17], "nearest", tolerance=4).tolist()
        [0, -1, 1]
        >>> Index([10, 20]).join_asof([14, 15, 17], offsets=[0, 5]).tolist()
        [[0, 0, 0], [0, 1, 1]]
        """
        call = Call(out, **run)
        values = self._read(probes, "probes", "equal", call.stream)
        how = asof_how(
            strategy,
            allow_exact_matches=allow_exact_matches,
            tolerance=tolerance,
            prefer=prefer,
            ties=ties,
            relative=relative,
            offsets=offsets,
        )
        how = how_of_keys(how, self._family, values.size)
        if plain_asof(how, values):
            if how.all_ties:
                return self._pairs((values,), "left", Call(**run), asof=how)
            return by_offset(
                how,
                self._core.type_of("row"),
                values,
                out,
                lambda each, rows: self._asof(values, each, Call(rows, **run)),
            )
        if values.place is not None or values.misses() is None:
            return self._asof(values, how, call)
        rows = asof(self, probes, values, "probes", how, call)
        if out is not None:
            self._target("row", (values,), out)[1][:] = rows
            return out
        return _core.given((values,), rows, "row")

    # What pandas' indexes offer.

    def get_indexer(self, target: Any, method: Method | None = None, *, tolerance: Any = None) -> np.ndarray:
        """The row id of each target as `pandas.Index.get_indexer`, -1 for none. With `method` pad, backfill or nearest
        a target that is no key gets the row before it, after it or nearest to it, if that is within `tolerance`. Keys
        must be unique; for pad and backfill they ascend or descend by row, and pad is the row before in that order.

        >>> Index([10, 20, 30]).get_indexer([19, 30], "pad").tolist()
        [0, 2]
        """
        return get_indexer(self, target, method, tolerance)

    def get_indexer_non_unique(self, target: Any) -> tuple[np.ndarray, np.ndarray]:
        """All rows of each target in turn, -1 for one that is no key; and the positions of those.

        >>> rows, missing = Index([7, 8, 7]).get_indexer_non_unique([9, 7])
        >>> rows.tolist(), missing.tolist()
        ([-1, 0, 2], [0])
        """
        return get_indexer_non_unique(self, target)

    # Updates.

    def _update(
        self, change: str, keys: Any, rows: Any, threads: int, prefix: str = "", erased: tuple[Any, ...] = ()
    ) -> UpdateCounts:
        """@param change its name @param prefix of the names of keys and rows"""
        added = self._keys(keys, f"{prefix}keys")
        ids, held = libraries.row_ids(rows, added.size, self._row_type.itemsize, f"{prefix}rows")
        gone = [self._keys(keys, "erase_keys") for keys in erased]
        where = self._where((added,), Call(threads=threads))
        counts = getattr(self._core_at((added,)), change)(
            added.parts[0].column, ids, *(column.parts[0].column for column in gone), where
        )
        del held  # the call is complete
        return UpdateCounts(*counts)

    def insert(self, keys: Any, rows: Any, *, threads: int = 0) -> UpdateCounts:
        """Adds entries, all or none. Returns the numbers of entries inserted and erased, and of keys cancelled, by
        these names. A small batch costs little in `HT(open)`, `HT(buckets)` and `B+(page=4096)`, elsewhere a pass over
        all entries. In a hash table it costs that, too, once a key has a second row; `insert_or_assign` gives it none.

        >>> index = Index([1, 2])
        >>> index.insert([3], [2]), index.find([3]).tolist()
        (UpdateCounts(inserted=1, erased=0, cancelled=0), [2])
        """
        return self._update("insert", keys, rows, threads)

    def insert_or_assign(self, keys: Any, rows: Any, *, threads: int = 0) -> UpdateCounts:
        """Removes all entries of the keys, then adds the given ones. Returns what `insert` does.

        >>> index = Index([1, 2, 2])
        >>> index.insert_or_assign([2], [7]), index.find([2]).tolist()
        (UpdateCounts(inserted=1, erased=2, cancelled=0), [7])
        """
        return self._update("insert_or_assign", keys, rows, threads)

    def erase(self, keys: Any, *, threads: int = 0) -> UpdateCounts:
        """Removes all entries of each key. Returns what `insert` does.

        >>> index = Index([1, 2, 2])
        >>> index.erase([2]), len(index)
        (UpdateCounts(inserted=0, erased=2, cancelled=0), 1)
        """
        result = self._keys(keys)
        counts = self._core_at((result,)).erase(result.parts[0].column, self._where((result,), Call(threads=threads)))
        return UpdateCounts(*counts)

    def update(self, insert_keys: Any, insert_rows: Any, erase_keys: Any, *, threads: int = 0) -> UpdateCounts:
        """Erases, then inserts. Keys in both columns cancel each other: their entries stay, and none is added.

        >>> index = Index([1, 2])
        >>> index.update([2, 3], [8, 9], [1, 2])
        UpdateCounts(inserted=1, erased=1, cancelled=1)
        """
        return self._update("update", insert_keys, insert_rows, threads, "insert_", (erase_keys,))

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self._file is not None and self._file.holds(self._core):
            return remapped, (type(self), *self._file)
        if self._core.is_sharded:
            return pickled_folder(self, self.devices)
        stored: Any = self._core.to_bytes()
        if protocol >= 5:
            import pickle

            return _restored, (pickle.PickleBuffer(stored), self._family, self._device)
        return _restored, (stored.tobytes(), self._family, self._device)


def _restored(stored: Any, family: str, device: int) -> Index:
    """Unpickles an index, to the device on which it was."""
    return Index._over(_core.from_bytes(np.frombuffer(stored, np.uint8), device, share=True), family)
