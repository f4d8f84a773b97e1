# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""`Index`: the lookups of the library over NumPy arrays."""

import operator
import os
from typing import Any

import numpy as np

from . import _core
from ._columns import column, family_of, nulls_of, row_ids
from ._errors import InvalidArgument, KeyTypeError


class Index:
    """An index over one key column on the CPU.

    Keys are integers, floats, bools, times, or strings (of type S, U, or objects that are str or bytes), which are
    compared as bytes. Integers of any width and sign are compared exactly with each other, and so are floats. Times
    (datetime64, timedelta64) have one unit in an index; probes of other units are converted if that is exact. Keys may
    repeat. NaT is null: such a key keeps its row id and is in no answer (with nulls="error" it is refused), and such a
    probe finds nothing.

    Row ids are int32 or int64, and -1 stands for none. Without `rows` the row id of a key is its position. `threads`
    is the most threads of a call; 0 means all cores. All lookups release the GIL and may run at once; an update runs
    alone, and a call that meets one raises an error.

    >>> index = Index([30, 10, 20, 10])
    >>> index.find([10, 25])
    array([ 1, -1], dtype=int32)
    """

    def __init__(self, keys: Any, spec: str = "auto", rows: Any = None, *, nulls: str = "skip",
                 threads: int = 0) -> None:
        if nulls not in ("skip", "error"):
            raise InvalidArgument(f"nulls is {nulls!r}; it must be 'skip' or 'error'")
        missing = nulls_of(keys)
        if missing is not None:
            if nulls == "error":
                raise InvalidArgument(f"keys[{int(np.argmax(missing))}] is null")
            rows = (np.arange(missing.size) if rows is None else np.asarray(rows))[~missing]
            keys = np.asarray(keys)[~missing]
        keys, self._family, size = column(keys, "keys")
        if rows is not None:
            rows = row_ids(rows, size)
        elif size > np.iinfo(np.int32).max:
            rows = np.arange(size, dtype=np.int64)
        self._core = _core.build(keys, spec, rows, threads)
        self._row_type = np.dtype(f"i{self._core.describe()[2]}")

    @classmethod
    def load(cls, path: "str | os.PathLike[str]", mmap: bool = False) -> "Index":
        """Reads a file that `save` wrote, and checks it. With `mmap` the file is used in place."""
        self = cls.__new__(cls)
        self._core = _core.load(os.fspath(path), mmap)
        _, keys, row_bytes, _, _ = self._core.describe()
        self._family = family_of(keys)
        self._row_type = np.dtype(f"i{row_bytes}")
        return self

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the index to a file, which replaces a previous one only when it is complete."""
        self._core.save(os.fspath(path))

    @property
    def spec(self) -> str:
        """The spec with all choices filled in."""
        return self._core.describe()[0]

    @property
    def nbytes(self) -> int:
        """Bytes that the index holds."""
        return self._core.describe()[4]

    def __len__(self) -> int:
        return self._core.describe()[3]

    def __repr__(self) -> str:
        spec, keys, _, size, bytes_held = self._core.describe()
        return f"<warpdex.Index {spec}: {size} keys of type {keys}, {bytes_held} bytes>"

    def _answer(self, lookup: Any, dtype: Any, columns: dict[str, Any], out: Any, threads: int) -> np.ndarray:
        made = [self._column(values, name) for name, values in columns.items()]
        size = made[0][2]
        if out is None:
            out = np.empty(size, dtype)
        elif not isinstance(out, np.ndarray) or out.dtype != dtype:
            raise KeyTypeError(f"out is {getattr(out, 'dtype', type(out).__name__)}; the answers are {np.dtype(dtype)}")
        elif out.shape != (size,) or not out.flags.c_contiguous or not out.flags.writeable:
            raise InvalidArgument(f"out has the shape {out.shape}; it must be writable, contiguous, of shape ({size},)")
        elif any(np.may_share_memory(out, part) for one in made
                 for part in (one[0] if isinstance(one[0], tuple) else (one[0],))):
            raise InvalidArgument("out overlaps the arrays that the call reads")
        lookup(*(one[0] for one in made), out, threads)
        return out

    def _column(self, values: Any, name: str, may_be_null: bool = False) -> Any:
        if not may_be_null and (nulls := nulls_of(values)) is not None:
            raise InvalidArgument(f"{name}[{int(np.argmax(nulls))}] is null, which has no place in the order")
        return column(values, name, self._family)

    def _point(self, lookup: Any, dtype: Any, probes: Any, none: Any, out: Any, threads: int) -> np.ndarray:
        """A lookup to which a null probe has the answer `none`."""
        nulls = nulls_of(probes)
        if nulls is None:
            return self._answer(lookup, dtype, {"probes": probes}, out, threads)
        probes = np.where(nulls, np.asarray(probes).dtype.type(0, np.datetime_data(np.asarray(probes).dtype)), probes)
        out = self._answer(lookup, dtype, {"probes": probes}, out, threads)
        out[nulls] = none
        return out

    def find(self, probes: Any, *, out: Any = None, threads: int = 0) -> np.ndarray:
        """The smallest row id of each probe, -1 for none."""
        return self._point(self._core.find, self._row_type, probes, -1, out, threads)

    def contains(self, probes: Any, *, out: Any = None, threads: int = 0) -> np.ndarray:
        """Whether each probe is a key."""
        return self._point(self._core.contains, np.bool_, probes, False, out, threads)

    def count(self, probes: Any, *, out: Any = None, threads: int = 0) -> np.ndarray:
        """The number of entries of each probe."""
        return self._point(self._core.count, np.int64, probes, 0, out, threads)

    def lower_bound(self, probes: Any, *, out: Any = None, threads: int = 0) -> np.ndarray:
        """The number of entries with keys less than each probe."""
        return self._answer(self._core.lower_bound, np.int64, {"probes": probes}, out, threads)

    def upper_bound(self, probes: Any, *, out: Any = None, threads: int = 0) -> np.ndarray:
        """The number of entries with keys not greater than each probe."""
        return self._answer(self._core.upper_bound, np.int64, {"probes": probes}, out, threads)

    def floor(self, probes: Any, *, out: Any = None, threads: int = 0) -> np.ndarray:
        """The smallest row id of the largest key not above each probe, -1 for none."""
        return self._point(self._core.floor, self._row_type, probes, -1, out, threads)

    def ceil(self, probes: Any, *, out: Any = None, threads: int = 0) -> np.ndarray:
        """The smallest row id of the smallest key not below each probe, -1 for none."""
        return self._point(self._core.ceil, self._row_type, probes, -1, out, threads)

    def prefix_count(self, prefixes: Any, *, out: Any = None, threads: int = 0) -> np.ndarray:
        """The number of entries whose keys, which are strings, begin with each prefix."""
        return self._answer(self._core.prefix_count, np.int64, {"prefixes": prefixes}, out, threads)

    def range_count(self, lower: Any, upper: Any, *, out: Any = None, threads: int = 0) -> np.ndarray:
        """The number of entries in each range. Both bounds belong to it."""
        return self._answer(self._core.range_count, np.int64, {"lower": lower, "upper": upper}, out, threads)

    def range_sum(self, lower: Any, upper: Any, *, out: Any = None, threads: int = 0) -> np.ndarray:
        """The sum of the row ids in each range, modulo 2**64, as uint64. Both bounds belong to it."""
        return self._answer(self._core.range_sum, np.uint64, {"lower": lower, "upper": upper}, out, threads)

    def retrieve(self, probes: Any, *, threads: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """All rows: those of probe i are `rows[offsets[i]:offsets[i + 1]]`, in ascending order.

        >>> offsets, rows = Index([30, 10, 20, 10]).retrieve([10, 30])
        >>> offsets.tolist(), rows.tolist()
        ([0, 2, 3], [1, 3, 0])
        """
        return self._core.retrieve(self._column(probes, "probes")[0], threads)

    def range_retrieve(self, lower: Any, upper: Any, *, threads: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """All rows of each range, in key order, then row order. Both bounds belong to it."""
        return self._core.range_retrieve(self._column(lower, "lower")[0], self._column(upper, "upper")[0], threads)

    def join(self, probes: Any, how: str = "inner", *, threads: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of positions of probes and row ids of equal keys; `how` is inner, left, semi or anti.

        In a left join a probe without a key is paired with -1. Semi and anti joins have no row ids.

        >>> left, right = Index([30, 10, 20, 10]).join([10, 11], "left")
        >>> left.tolist(), right.tolist()
        ([0, 0, 1], [1, 3, -1])
        """
        return self._core.join(self._column(probes, "probes")[0], how, threads)

    def join_asof(self, probes: Any, direction: str = "backward", *, exact: bool = True, tolerance: Any = None,
                  later: bool = False, threads: int = 0) -> np.ndarray:
        """The smallest row id of the nearest key in a direction (backward, forward or nearest), -1 for none.

        Nothing need be sorted. With `exact=False` equal keys do not match. `tolerance` is the largest distance: a
        number, or a timedelta64 for times. At equal distance the earlier key matches, as in pandas, or with `later` the
        later one, as in Polars.

        >>> Index([10, 20]).join_asof([14, 15, 17], "nearest", tolerance=4).tolist()
        [0, -1, 1]
        """
        made, _, size = self._column(probes, "probes")
        if isinstance(tolerance, np.timedelta64):
            if not self._family.startswith(("datetime64", "timedelta64")):
                raise KeyTypeError(f"tolerance is a timedelta64, but the keys are of type {self._family}")
            unit = np.dtype(self._family.replace("datetime64", "timedelta64"))
            if np.isnat(tolerance) or tolerance.astype(unit) != tolerance:
                raise InvalidArgument(f"tolerance {tolerance!r} is no number of units of {self._family}")
            tolerance = int(tolerance.astype(unit).astype(np.int64))
        elif tolerance is not None:
            tolerance = float(tolerance) if self._family == "float" else operator.index(tolerance)
        out = np.empty(size, self._row_type)
        self._core.join_asof(made, out, direction, exact, tolerance, later, threads)
        return out

    def match_longest(self, probes: Any, *, threads: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """The row id of the longest key, a string, that begins each probe, and its length in bytes; -1 and 0 for none.

        >>> rows, lengths = Index(["com", "com.example"]).match_longest(["com.example.www", "org"])
        >>> rows.tolist(), lengths.tolist()
        ([1, -1], [11, 0])
        """
        made, _, size = self._column(probes, "probes")
        rows, lengths = np.empty(size, self._row_type), np.empty(size, np.uint32)
        self._core.match_longest(made, rows, lengths, threads)
        return rows, lengths

    def __reduce__(self) -> Any:
        return _restored, (self._core.to_bytes(), self._family)

    def _keys(self, keys: Any) -> tuple[Any, int]:
        made, _, size = self._column(keys, "keys")
        if isinstance(made, np.ndarray):
            # An update takes keys of the index's own type, so values beyond it are refused by name.
            own = {"u": "u", "i": "i", "f": "f"}[self._core.describe()[1][0]]
            wide = np.dtype(f"{own}{int(self._core.describe()[1][1:]) // 8}")
            if made.dtype != wide:
                if wide.kind != "f" and made.size:
                    limits = np.iinfo(wide)
                    if int(made.min()) < limits.min or int(made.max()) > limits.max:
                        raise InvalidArgument(f"keys reach from {made.min()} to {made.max()}; the index holds {wide}")
                elif wide.itemsize < made.dtype.itemsize:
                    raise KeyTypeError(f"keys has the type {made.dtype}; the index holds {wide}")
                made = made.astype(wide)
        return made, size

    def insert(self, keys: Any, rows: Any, *, threads: int = 0) -> tuple[int, int, int]:
        """Adds entries, all or none. Returns the numbers of entries inserted and erased, and of keys cancelled."""
        made, size = self._keys(keys)
        return self._core.insert(made, row_ids(rows, size, self._row_type.itemsize), threads)

    def insert_or_assign(self, keys: Any, rows: Any, *, threads: int = 0) -> tuple[int, int, int]:
        """Removes all entries of the keys, then adds the given ones. Returns what `insert` does."""
        made, size = self._keys(keys)
        return self._core.insert_or_assign(made, row_ids(rows, size, self._row_type.itemsize), threads)

    def erase(self, keys: Any, *, threads: int = 0) -> tuple[int, int, int]:
        """Removes all entries of each key. Returns what `insert` does."""
        return self._core.erase(self._keys(keys)[0], threads)


def _restored(stored: bytes, family: str) -> Index:
    """Unpickles an index."""
    index = Index.__new__(Index)
    index._core = _core.from_bytes(stored)
    index._family = family
    index._row_type = np.dtype(f"i{index._core.describe()[2]}")
    return index
