# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""`Index`: the lookups of the library over columns of any kind."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from . import _core, _pieces
from ._columns import Column, Part, column_size, family_of, gathered, row_ids, take_column
from ._errors import InvalidArgument
from ._pieces import Meter, as_it_is, asof_tolerance, bits_of, checked_out, no_values, pieces_of
from ._values import NUMBER_TYPES, Values, read, update_keys

if TYPE_CHECKING:
    from .duckdb import Joined

_CoreIndex = _core.Index


class Index:
    """An index over one key column on the CPU.

    Keys are integers, floats, bools, times, or strings, which are compared as bytes. They come from NumPy, pandas,
    Polars, pyarrow, anything with Arrow's C interface, or lists; answers come in the kind of the probes. Integers of any
    width and sign are compared exactly with each other, and so are floats, and times of all units. Keys may repeat. A
    null key keeps its row id and is in no answer (with nulls="error" it is refused); a null probe has a null answer, in
    NumPy -1, False or 0.

    Row ids are int32 or int64, and -1 stands for none. Without `rows` the row id of a key is its position. `threads`
    is the most threads of a call; 0 means all cores. All lookups release the GIL and may run at once; an update runs
    alone, and a call that meets one raises an error. `progress` is True, or is called with the part that is done.

    >>> index = Index([30, 10, 20, 10])
    >>> index.find([10, 25])
    array([ 1, -1], dtype=int32)
    """

    _core: _CoreIndex
    _family: str
    _row_type: np.dtype[Any]
    _probe_type: np.dtype[Any] | None  # arrays of this type are probes as they are

    def __init__(
        self,
        keys: Any,
        spec: str = "auto",
        rows: Any = None,
        *,
        nulls: str = "skip",
        threads: int = 0,
        progress: Any = False,
    ) -> None:
        if nulls not in ("skip", "error"):
            raise InvalidArgument(f"nulls is {nulls!r}; it must be 'skip' or 'error'")
        values = read(keys, "keys")
        part = gathered(values.parts)
        if rows is not None:
            rows = row_ids(rows, part.size)
        elif part.size > np.iinfo(np.int32).max:
            rows = np.arange(part.size, dtype=np.int64)
        if (missing := part.nulls) is not None:
            if nulls == "error":
                raise InvalidArgument(f"keys[{int(np.argmax(missing))}] is null")
            kept = np.flatnonzero(~missing)
            rows = kept.astype(np.int32) if rows is None else rows[kept]
            part = Part(take_column(part.column, kept), kept.size)
        meter = Meter(progress, part.size)
        self._set(_core.build(part.column, spec, rows, threads), values.family)
        meter.add(part.size)
        if "polars" in sys.modules:
            from . import polars as _  # noqa: F401  registers the namespace of expressions

    def _set(self, core: _CoreIndex, family: str | None) -> None:
        self._core = core
        _, keys, row_bytes, _, _ = core.describe()
        self._family = family_of(keys) if family is None else family
        self._row_type = np.dtype(f"i{row_bytes}")
        number = NUMBER_TYPES.get(keys)
        self._probe_type = np.dtype(number) if number and self._family in ("integer", "float") else None

    @classmethod
    def load(cls, path: str | os.PathLike[str], mmap: bool = False) -> Index:
        """Reads a file that `save` wrote, and checks it. With `mmap` the file is used in place."""
        self = cls.__new__(cls)
        self._set(_core.load(os.fspath(path), mmap), None)
        return self

    @classmethod
    def from_buffer(cls, stored: Any) -> Index:
        """Reads the bytes of such a file, from any object that has a buffer.

        >>> Index.from_buffer(Index([5, 7]).to_bytes()).find([7]).tolist()
        [1]
        """
        self = cls.__new__(cls)
        self._set(_core.from_bytes(np.frombuffer(stored, np.uint8)), None)
        return self

    def to_bytes(self) -> bytes:
        """The bytes of the file that `save` writes."""
        return self._core.to_bytes().tobytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the index to a file, which replaces a previous one only when it is complete."""
        self._core.save(os.fspath(path))

    @property
    def spec(self) -> str:
        """The spec with all choices filled in."""
        return str(self._core.describe()[0])

    @property
    def nbytes(self) -> int:
        """Bytes that the index holds."""
        return int(self._core.describe()[4])

    @property
    def is_unique(self) -> bool:
        """Whether no key repeats."""
        return not self._core.keys_repeat()

    def __len__(self) -> int:
        return int(self._core.describe()[3])

    def __repr__(self) -> str:
        spec, keys, _, size, bytes_held = self._core.describe()
        return f"<warpdex.Index {spec}: {size} keys of type {keys}, {bytes_held} bytes>"

    def _repr_html_(self) -> str:
        from ._picture import html

        return html(self)

    def explain(self, batch: int = 1 << 20) -> str:
        """Why this spec, what it takes, and what a batch of so many probes does.

        >>> print(Index([3, 1, 2], "AO+BS").explain().splitlines()[0])
        AO+BS over 3 keys of type i64, row ids of 32 bits
        """
        from ._picture import explained

        return explained(self, batch)

    # Lookups with one answer per probe.

    def _read(self, values: Any, name: str, rounding: str = "exact") -> Values:
        return read(values, name, self._family, rounding)

    def _ask(
        self,
        lookup: Any,
        dtype: Any,
        none: Any,
        columns: tuple[Values, ...],
        out: Any,
        threads: int,
        progress: Any = False,
        nulls_fail: bool = False,
    ) -> Any:
        """Asks piece by piece. Null probes, and those that equal no key whatever the keys are, have the answer `none`."""
        size = columns[0].size
        if any(column.size != size for column in columns):
            raise InvalidArgument(f"the columns have {' and '.join(str(c.size) for c in columns)} values")
        answers = np.empty(size, dtype) if out is None else checked_out(out, dtype, size, columns)
        meter = Meter(progress, size)
        plain_nulls = nulls_fail and not columns[0].nulls_are_known
        nulls: np.ndarray | None = None
        looked_up: tuple[Column, np.ndarray] | None = None  # a dictionary and its answers
        at = 0
        for parts in pieces_of(columns):
            first = parts[0]
            part = answers[at : at + first.size]
            if first.codes is not None and len(parts) == 1:
                if looked_up is None or looked_up[0] is not first.column:
                    whole = Values(
                        "", [Part(first.column, column_size(first.column))], column_size(first.column), as_it_is
                    )
                    looked_up = first.column, self._ask(lookup, dtype, none, (whole,), None, threads)
                if looked_up[1].size:
                    looked_up[1].take(first.codes, out=part, mode="clip")
                else:
                    part[:] = none
            else:
                lookup(*(p.plain().column for p in parts), part, threads)
            for p in parts:
                if p.nulls is not None:
                    if plain_nulls:
                        raise InvalidArgument(
                            f"probes[{at + int(np.argmax(p.nulls))}] is null, which has no place in the order"
                        )
                    nulls = np.zeros(size, bool) if nulls is None else nulls
                    nulls[at : at + first.size] |= p.nulls
                if (absent := p.absent()) is not None:
                    part[absent] = none
            at += first.size
            meter.add(first.size)
        if out is not None:
            return out
        if none == -1 and columns[0].nulls_are_known and (found_none := answers == -1).any():
            nulls = found_none
        return columns[0].give(answers, nulls)

    def _is_plain(self, probes: Any, out: Any) -> bool:
        """Whether probes are an array that needs neither checks nor conversions."""
        return (
            type(probes) is np.ndarray
            and probes.dtype is self._probe_type
            and out is None
            and probes.ndim == 1
            and probes.size < _pieces.PIECE
            and probes.flags.c_contiguous
        )

    def find(self, probes: Any, *, out: Any = None, threads: int = 0, progress: Any = False) -> Any:
        """The smallest row id of each probe, -1 for none.

        >>> Index(["b", "a", "b"]).find("b")
        np.int32(0)
        """
        if self._is_plain(probes, out):
            answers = np.empty(probes.size, self._row_type)
            self._core.find(probes, answers, threads)
            return answers
        return self._ask(
            self._core.find, self._row_type, -1, (self._read(probes, "probes", "equal"),), out, threads, progress
        )

    def contains(self, probes: Any, *, out: Any = None, threads: int = 0, progress: Any = False) -> Any:
        """Whether each probe is a key.

        >>> Index([1.5, 2.5]).contains([2.5, 3.0]).tolist()
        [True, False]
        """
        if self._is_plain(probes, out):
            answers = np.empty(probes.size, np.bool_)
            self._core.contains(probes, answers, threads)
            return answers
        return self._ask(
            self._core.contains, np.bool_, False, (self._read(probes, "probes", "equal"),), out, threads, progress
        )

    def count(self, probes: Any, *, out: Any = None, threads: int = 0, progress: Any = False) -> Any:
        """The number of entries of each probe.

        >>> Index([7, 7, 8]).count([7, 9]).tolist()
        [2, 0]
        """
        return self._ask(
            self._core.count, np.int64, 0, (self._read(probes, "probes", "equal"),), out, threads, progress
        )

    def lower_bound(self, probes: Any, *, out: Any = None, threads: int = 0, progress: Any = False) -> Any:
        """The number of entries with keys less than each probe.

        >>> Index([30, 10, 20]).lower_bound([20, 99]).tolist()
        [1, 3]
        """
        if self._is_plain(probes, out):
            answers = np.empty(probes.size, np.int64)
            self._core.lower_bound(probes, answers, threads)
            return answers
        return self._ask(
            self._core.lower_bound,
            np.int64,
            0,
            (self._read(probes, "probes", "up"),),
            out,
            threads,
            progress,
            nulls_fail=True,
        )

    def upper_bound(self, probes: Any, *, out: Any = None, threads: int = 0, progress: Any = False) -> Any:
        """The number of entries with keys not greater than each probe.

        >>> Index([30, 10, 20]).upper_bound([20, 5]).tolist()
        [2, 0]
        """
        if self._is_plain(probes, out):
            answers = np.empty(probes.size, np.int64)
            self._core.upper_bound(probes, answers, threads)
            return answers
        return self._ask(
            self._core.upper_bound,
            np.int64,
            0,
            (self._read(probes, "probes", "down"),),
            out,
            threads,
            progress,
            nulls_fail=True,
        )

    def floor(self, probes: Any, *, out: Any = None, threads: int = 0, progress: Any = False) -> Any:
        """The smallest row id of the largest key not above each probe, -1 for none.

        >>> Index([30, 10, 20]).floor([25, 5]).tolist()
        [2, -1]
        """
        return self._ask(
            self._core.floor, self._row_type, -1, (self._read(probes, "probes", "down"),), out, threads, progress
        )

    def ceil(self, probes: Any, *, out: Any = None, threads: int = 0, progress: Any = False) -> Any:
        """The smallest row id of the smallest key not below each probe, -1 for none.

        >>> Index([30, 10, 20]).ceil([25, 35]).tolist()
        [0, -1]
        """
        return self._ask(
            self._core.ceil, self._row_type, -1, (self._read(probes, "probes", "up"),), out, threads, progress
        )

    def prefix_count(self, prefixes: Any, *, out: Any = None, threads: int = 0, progress: Any = False) -> Any:
        """The number of entries whose keys, which are strings, begin with each prefix.

        >>> Index(["tea", "ten", "to"]).prefix_count(["te", ""]).tolist()
        [2, 3]
        """
        return self._ask(
            self._core.prefix_count, np.int64, 0, (self._read(prefixes, "prefixes"),), out, threads, progress
        )

    # Ranges.

    def _ranges(self, lower: Any, upper: Any, closed: str) -> tuple[Values, Values]:
        if closed != "both":
            raise InvalidArgument(f"closed is {closed!r}; here it must be 'both'. join_between takes the others")
        return self._read(lower, "lower", "up"), self._read(upper, "upper", "down")

    def range_count(
        self, lower: Any, upper: Any, closed: str = "both", *, out: Any = None, threads: int = 0, progress: Any = False
    ) -> Any:
        """The number of entries in each range. `closed` is both, left, right or none: which bounds belong to it.

        >>> Index([10, 20, 20, 30]).range_count([10, 15], [20, 18]).tolist()
        [3, 0]
        >>> Index([10, 20, 20, 30]).range_count([10], [20], "left").tolist()
        [1]
        """
        if closed not in ("both", "left", "right", "none"):
            raise InvalidArgument(f"closed is {closed!r}; it must be 'both', 'left', 'right' or 'none'")
        low, high = self._read(lower, "lower", "up"), self._read(upper, "upper", "down")
        if closed == "both":
            return self._ask(self._core.range_count, np.int64, 0, (low, high), out, threads, progress, nulls_fail=True)

        def between(lowers: Column, uppers: Column, answers: np.ndarray, threads: int) -> None:
            begins = np.empty(answers.size, np.int64)
            (self._core.lower_bound if closed == "left" else self._core.upper_bound)(lowers, begins, threads)
            (self._core.upper_bound if closed == "right" else self._core.lower_bound)(uppers, answers, threads)
            np.maximum(answers - begins, 0, out=answers)

        return self._ask(between, np.int64, 0, (low, high), out, threads, progress, nulls_fail=True)

    def range_sum(self, lower: Any, upper: Any, *, out: Any = None, threads: int = 0, progress: Any = False) -> Any:
        """The sum of the row ids in each range, modulo 2**64, as uint64. Both bounds belong to it.

        >>> Index([10, 20, 30]).range_sum([15], [40]).tolist()
        [3]
        """
        return self._ask(
            self._core.range_sum,
            np.uint64,
            0,
            self._ranges(lower, upper, "both"),
            out,
            threads,
            progress,
            nulls_fail=True,
        )

    def range_retrieve(self, lower: Any, upper: Any, *, threads: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """All rows of each range, in key order, then row order, as `retrieve`. Both bounds belong to it.

        >>> offsets, rows = Index([30, 10, 20]).range_retrieve([15], [40])
        >>> rows.tolist()
        [2, 0]
        """
        low, high = self._ranges(lower, upper, "both")
        if low.size != high.size:
            raise InvalidArgument(f"lower has {low.size} values, upper {high.size}")
        return self._listed(self._core.range_retrieve, (low, high), threads)

    def retrieve(self, probes: Any, *, threads: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """All rows: those of probe i are `rows[offsets[i]:offsets[i + 1]]`, in ascending order.

        >>> offsets, rows = Index([30, 10, 20, 10]).retrieve([10, 30])
        >>> offsets.tolist(), rows.tolist()
        ([0, 2, 3], [1, 3, 0])
        """
        return self._listed(self._core.retrieve, (self._read(probes, "probes", "equal"),), threads)

    def _listed(self, lookup: Any, columns: tuple[Values, ...], threads: int) -> tuple[np.ndarray, np.ndarray]:
        all_counts: list[np.ndarray] = []
        all_rows: list[np.ndarray] = []
        for parts in pieces_of(columns):
            offsets, rows = lookup(*(p.plain().column for p in parts), threads)
            absent = [a for p in parts if (a := p.absent()) is not None]
            counts = np.diff(offsets)
            if absent:
                gone = np.logical_or.reduce(absent)
                rows = rows[np.repeat(~gone, counts)]
                counts[gone] = 0
            all_counts.append(counts)
            all_rows.append(rows)
        ends = np.zeros(columns[0].size + 1, np.int64)
        if not all_rows:
            return ends, np.empty(0, self._row_type)
        np.cumsum(np.concatenate(all_counts), out=ends[1:])
        return ends, all_rows[0] if len(all_rows) == 1 else np.concatenate(all_rows)

    # Joins.

    @overload
    def join(self, probes: Any, how: str = "inner", /, *, threads: int = 0) -> tuple[np.ndarray, np.ndarray]: ...

    @overload
    def join(self, probes: Any, /, *, how: str, threads: int = 0) -> tuple[np.ndarray, np.ndarray]: ...

    @overload
    def join(self, con: Any, sql: str, /, *, on: str, how: str = "inner", row: str = "row") -> Joined: ...

    def join(
        self,
        probes: Any,
        *first: str,
        how: str | None = None,
        threads: int = 0,
        on: str | None = None,
        row: str = "row",
    ) -> Any:
        """Pairs of positions of probes and row ids of equal keys; `how` is inner, left, semi or anti.

        In a left join a probe without a key is paired with -1. Semi and anti joins have no row ids. With a connection of
        DuckDB, a query and `on`, it is `warpdex.duckdb.join`.

        >>> left, right = Index([30, 10, 20, 10]).join([10, 11], "left")
        >>> left.tolist(), right.tolist()
        ([0, 0, 1], [1, 3, -1])
        """
        if on is not None:
            from .duckdb import join

            return join(self, probes, *first, on=on, how=how or "inner", row=row)
        if len(first) > 1 or (first and how):
            raise TypeError(f"how is {(*first, how)!r}; it is given once")
        return self._joined(
            self._core.join, (self._read(probes, "probes", "equal"),), how or "".join(first) or "inner", threads
        )

    def join_between(
        self, lower: Any, upper: Any, how: str = "inner", closed: str = "both", *, threads: int = 0
    ) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of positions of ranges and row ids of the keys in them; `closed` as in `range_count`.

        >>> left, right = Index([30, 10, 20]).join_between([15, 40], [30, 50])
        >>> left.tolist(), right.tolist()
        ([0, 0], [2, 0])
        """
        if closed not in ("both", "left", "right", "none"):
            raise InvalidArgument(f"closed is {closed!r}; it must be 'both', 'left', 'right' or 'none'")
        columns = self._read(lower, "lower", "exact"), self._read(upper, "upper", "exact")
        if columns[0].size != columns[1].size:
            raise InvalidArgument(f"lower has {columns[0].size} values, upper {columns[1].size}")

        def ranges(low: Column, low_valid: Any, high: Column, high_valid: Any, how: str, threads: int) -> Any:
            return self._core.range_join(
                low, low_valid, high, high_valid, closed in ("both", "left"), closed in ("both", "right"), how, threads
            )

        return self._joined(ranges, columns, how, threads)

    def _joined(self, join: Any, columns: tuple[Values, ...], how: str, threads: int) -> tuple[np.ndarray, np.ndarray]:
        lefts: list[np.ndarray] = []
        rights: list[np.ndarray] = []
        at = 0
        for parts in pieces_of(columns):
            given = [x for p in parts for x in (p.plain().column, bits_of(p.absent()))]
            left, right = join(*given, how, threads)
            lefts.append(left if at == 0 else left.astype(np.int64) + at)
            rights.append(right)
            at += parts[0].size
        if not lefts:
            left, right = join(*(x for _ in columns for x in (no_values(self._family), None)), how, threads)
            return left, right
        if len(lefts) == 1:
            return lefts[0], rights[0]
        number = np.int32 if at <= np.iinfo(np.int32).max else np.int64
        return np.concatenate(lefts).astype(number, copy=False), np.concatenate(rights)

    def join_asof(
        self,
        probes: Any,
        direction: str = "backward",
        *,
        exact: bool = True,
        tolerance: Any = None,
        later: bool = False,
        last: tuple[bool, bool] = (False, False),
        threads: int = 0,
        progress: Any = False,
    ) -> Any:
        """The row id of the nearest key in a direction (backward, forward or nearest), -1 for none.

        Nothing need be sorted. With `exact=False` equal keys do not match. `tolerance` is the largest distance: a
        number, or a timedelta for times. At equal distance the earlier key matches, as in pandas, or with `later` the
        later one, as in Polars. Of equal keys the smallest row id matches; `last` says whether instead it is the largest
        one, of keys not above the probe and of keys not below it.

        >>> Index([10, 20]).join_asof([14, 15, 17], "nearest", tolerance=4).tolist()
        [0, -1, 1]
        """
        how = direction, exact, asof_tolerance(tolerance, self._family), later, *last
        values = self._read(probes, "probes", "exact")

        def lookup(column: Column, answers: np.ndarray, threads: int) -> None:
            self._core.join_asof(column, None, answers, how, threads)

        return self._ask(lookup, self._row_type, -1, (values,), None, threads, progress)

    def match_longest(self, probes: Any, *, threads: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """The row id of the longest key, a string, that begins each probe, and its length in bytes; -1 and 0 for none.

        >>> rows, lengths = Index(["com", "com.example"]).match_longest(["com.example.www", "org"])
        >>> rows.tolist(), lengths.tolist()
        ([1, -1], [11, 0])
        """
        values = self._read(probes, "probes")
        rows, lengths = np.empty(values.size, self._row_type), np.empty(values.size, np.uint32)
        at = 0
        for (part,) in pieces_of((values,)):
            here = slice(at, at + part.size)
            self._core.match_longest(part.plain().column, rows[here], lengths[here], threads)
            if part.nulls is not None:
                rows[here][part.nulls], lengths[here][part.nulls] = -1, 0
            at += part.size
        return rows, lengths

    # What pandas' indexes offer.

    def get_indexer(
        self, target: Any, method: str | None = None, limit: int | None = None, tolerance: Any = None
    ) -> np.ndarray:
        """The row id of each target as `pandas.Index.get_indexer`: -1 for none, and for all inexact ones with `method`
        pad, backfill or nearest. Neither keys nor targets need be sorted, except for `limit`. Keys must be unique.

        >>> Index([10, 20, 30]).get_indexer([19, 30], "pad").tolist()
        [0, 2]
        """
        from ._indexer import get_indexer

        return get_indexer(self, target, method, limit, tolerance)

    def get_indexer_non_unique(self, target: Any) -> tuple[np.ndarray, np.ndarray]:
        """All rows of each target in turn, -1 for one that is no key; and the positions of those.

        >>> rows, missing = Index([7, 8, 7]).get_indexer_non_unique([9, 7])
        >>> rows.tolist(), missing.tolist()
        ([-1, 0, 2], [0])
        """
        from ._indexer import get_indexer_non_unique

        return get_indexer_non_unique(self, target)

    # Updates.

    def _keys(self, keys: Any) -> tuple[Column, int]:
        return update_keys(self._read(keys, "keys"), self._core.describe()[1])

    def insert(self, keys: Any, rows: Any, *, threads: int = 0) -> tuple[int, int, int]:
        """Adds entries, all or none. Returns the numbers of entries inserted and erased, and of keys cancelled.

        >>> index = Index([1, 2])
        >>> index.insert([3], [2]), index.find([3]).tolist()
        ((1, 0, 0), [2])
        """
        made, size = self._keys(keys)
        return self._core.insert(made, row_ids(rows, size, self._row_type.itemsize), threads)

    def insert_or_assign(self, keys: Any, rows: Any, *, threads: int = 0) -> tuple[int, int, int]:
        """Removes all entries of the keys, then adds the given ones. Returns what `insert` does."""
        made, size = self._keys(keys)
        return self._core.insert_or_assign(made, row_ids(rows, size, self._row_type.itemsize), threads)

    def erase(self, keys: Any, *, threads: int = 0) -> tuple[int, int, int]:
        """Removes all entries of each key. Returns what `insert` does."""
        return self._core.erase(self._keys(keys)[0], threads)

    def update(self, insert_keys: Any, insert_rows: Any, erase_keys: Any, *, threads: int = 0) -> tuple[int, int, int]:
        """Erases, then inserts. Keys in both columns cancel each other: their entries stay, and none is added.

        >>> index = Index([1, 2])
        >>> index.update([2, 3], [8, 9], [1, 2])
        (1, 1, 1)
        """
        made, size = self._keys(insert_keys)
        return self._core.update(
            made, row_ids(insert_rows, size, self._row_type.itemsize), self._keys(erase_keys)[0], threads
        )

    def __reduce_ex__(self, protocol: Any) -> Any:
        stored: Any = self._core.to_bytes()
        if protocol >= 5:
            import pickle

            return _restored, (pickle.PickleBuffer(stored), self._family)
        return _restored, (stored.tobytes(), self._family)


def _restored(stored: Any, family: str) -> Index:
    """Unpickles an index."""
    index = Index.__new__(Index)
    index._set(_core.from_bytes(np.frombuffer(stored, np.uint8)), family)
    return index
