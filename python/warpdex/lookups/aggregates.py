# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Columns of values that belong to the rows of an index, added up and compared by ranges and keys."""

from __future__ import annotations

import os
import pickle
from dataclasses import dataclass
from typing import Any, NamedTuple, Unpack

import numpy as np

from .. import _core
from .._core import Call
from ..columns.devices import device_name
from ..columns.values import read
from ..errors import InvalidArgument, KeyTypeError
from ..types import Closed, QuantileSide
from .asking import Asking, joined
from .border import Told, public_methods
from .calls import Stages, described
from .origin import loading


@dataclass(frozen=True)
class Aggregates:
    """What is known of the values of some rows, in arrays of NumPy. Sums of integers are exact; where one does not fit
    64 bits they are Python's. Those of floats have an error of one unit in the last place. Without values all are 0."""

    sum: np.ndarray
    min: np.ndarray
    max: np.ndarray
    count: np.ndarray  # of values that are not null
    m2: np.ndarray  # of (value - mean) the sum of squares, if there are any

    @property
    def mean(self) -> np.ndarray:
        """Means; nan without values."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.sum, np.float64) / np.where(self.count == 0, np.nan, self.count)

    def var(self, ddof: int = 1) -> np.ndarray:
        """Variances, of aggregates with squares; nan without more values than `ddof`."""
        values: np.ndarray = self.m2 / np.where(self.count <= ddof, np.nan, self.count - ddof)
        return values

    def std(self, ddof: int = 1) -> np.ndarray:
        """Standard deviations, of aggregates with squares; nan without more values than `ddof`."""
        return np.sqrt(self.var(ddof))


class TopMatches(NamedTuple):
    """The rows of ranges whose values come first, and these values, in arrays of NumPy. Those of range i are from
    offsets[i] to offsets[i + 1], in the order of the values."""

    offsets: np.ndarray
    rows: np.ndarray
    values: np.ndarray


@public_methods(held="index")
class RangeAggregates:
    """A column of numbers, one for each row id of an index with an order, in the order of its keys. It answers for
    whole ranges and keys, without a list of their rows, and belongs to the index as it was: after an update its calls
    raise `Busy`, and you make another one. Arrays may be on the index's device; answers are arrays of NumPy. With `squares` it
    knows standard deviations too. Without `extremes` it knows sums, means and numbers of values alone, of which a call
    reads little; the least and the greatest values are then 0.

    >>> days = Index([3, 1, 2, 1])
    >>> amounts = RangeAggregates(days, [30, 10, 20, 11])
    >>> amounts.in_ranges([1], [2]).sum.tolist(), amounts.of_keys([1, 9]).count.tolist()
    ([41], [2, 0])
    >>> RangeAggregates(days, [30, 10, 20, 12], squares=True).of_keys([1]).std(ddof=0).tolist()
    [1.0]
    """

    def __init__(
        self, index: Asking, values: Any, *, squares: bool = False, extremes: bool = True, **run: Unpack[Told]
    ) -> None:
        self._index, self._version = index, index._core.version
        call = Call(**run)
        stages = Stages(call.progress, 2)
        column = stages.after(read(values, "values", stream=call.stream))
        if column.family not in ("integer", "float"):
            raise KeyTypeError(f"values has the type {column.family}; they are integers or floats")
        where = index._where((column,), call)
        values = column.whole()
        self._core = stages.after(_core.RangeAggregates(index._core, values, squares, extremes, where))

    def _facts(self) -> tuple[str, ...]:
        return _facts(self._index)

    def __repr__(self) -> str:
        return described("RangeAggregates", *self._facts())

    @property
    def nbytes(self) -> int:
        """Bytes that the values take; those of the index are not counted.

        >>> RangeAggregates(Index([3, 1]), [30, 10]).nbytes >= 2 * 8
        True
        """
        return self._core.nbytes

    @classmethod
    def _over(cls, index: Asking, core: _core.RangeAggregates) -> RangeAggregates:
        if core.size != len(index):
            raise InvalidArgument(f"index has {len(index)} keys, but the aggregates {core.size} values")
        self = cls.__new__(cls)
        self._index, self._version, self._core = index, index._core.version, core
        return self

    @classmethod
    def load(cls, path: str | bytes | os.PathLike[Any], index: Asking, mmap: bool = False) -> RangeAggregates:
        """Reads a file that `save` wrote, and checks it. `index` is the index of the values that were saved, or was
        loaded from its file. With `mmap` the values are used in the file, on the CPU, so that processes share them.

        >>> days = Index([3, 1])
        >>> RangeAggregates(days, [30, 10]).save("some.wdx")
        >>> RangeAggregates.load("some.wdx", days, mmap=True).of_keys([3]).sum.tolist()
        [30]
        """
        name = os.fsencode(path)
        with loading(name):
            core = _core.RangeAggregates.load(name, mmap, index._device)
        return cls._over(index, core)

    @classmethod
    def from_buffer(cls, stored: Any, index: Asking) -> RangeAggregates:
        """Reads the bytes of such a file, from any object that has a buffer, which is used as by `Index.from_buffer`.

        >>> days = Index([3, 1])
        >>> RangeAggregates.from_buffer(RangeAggregates(days, [30, 10]).to_bytes(), days).of_keys([3]).sum.tolist()
        [30]
        """
        plain = np.frombuffer(stored, np.uint8)
        core = _core.RangeAggregates.from_bytes(plain, index._device, not plain.flags.writeable)
        return cls._over(index, core)

    def save(self, path: str | bytes | os.PathLike[Any]) -> None:
        """Writes the values to a file, which replaces a previous one only when it is complete. The index is saved to
        another file.

        >>> RangeAggregates(Index([3, 1]), [30, 10]).save("some.wdx")
        """
        with self._index._unchanged_since(self._version):
            self._core.save(os.fsencode(path))

    def to_bytes(self) -> bytes:
        """The bytes of the file that `save` writes.

        >>> len(RangeAggregates(Index([3, 1]), [30, 10]).to_bytes()) > 16
        True
        """
        with self._index._unchanged_since(self._version):
            return self._core.to_bytes()

    def __reduce_ex__(self, protocol: Any) -> Any:
        stored: Any = self.to_bytes()
        return _restored, (self._index, pickle.PickleBuffer(stored) if protocol >= 5 else stored)

    def _ranges(self, lower: Any, upper: Any, closed: str, call: Call) -> tuple[tuple[Any, Any, Any, bool, bool], int]:
        """What the core takes of ranges: the index, bounds, whether these are open, and where the call runs."""
        bounds, opens = self._index._bounds(lower, upper, closed, call.stream)
        low, high = (bound.whole() for bound in bounds)
        return (self._index._core, low, high, *opens), self._index._where(bounds, call)

    def in_ranges(self, lower: Any, upper: Any, closed: Closed = "both", **run: Unpack[Told]) -> Aggregates:
        """The values of the entries in each range, which are those that `Index.range_count` counts.

        >>> RangeAggregates(Index([1, 2]), [1.5, 2.5]).in_ranges([1], [2]).max.tolist()
        [2.5]
        """
        call = Call(**run)
        stages = Stages(call.progress, 2)
        ranges, where = stages.after(self._ranges(lower, upper, closed, call))
        with self._index._unchanged_since(self._version):
            found = Aggregates(*self._core.in_ranges(*ranges, where))
        return stages.after(found)

    def top_k(self, lower: Any, upper: Any, k: int, closed: Closed = "both", **run: Unpack[Told]) -> TopMatches:
        """The k entries of each range with the greatest values, the greatest first: all if there are fewer. Equal values
        are in key order, then in row order. Nan is above all numbers; nulls are left out.

        >>> found = RangeAggregates(Index([1, 1, 2]), [15, 25, 20]).top_k([1, 2], [2, 9], 2)
        >>> found.offsets.tolist(), found.rows.tolist(), found.values.tolist()
        ([0, 2, 3], [1, 2, 2], [25, 20, 20])
        """
        return self._first_k(lower, upper, k, closed, False, Call(**run))

    def bottom_k(self, lower: Any, upper: Any, k: int, closed: Closed = "both", **run: Unpack[Told]) -> TopMatches:
        """The k entries of each range with the least values, the least first; see `top_k`.

        >>> RangeAggregates(Index([1, 1, 2]), [15, 25, 20]).bottom_k([1], [2], 2).values.tolist()
        [15, 20]
        """
        return self._first_k(lower, upper, k, closed, True, Call(**run))

    def _first_k(self, lower: Any, upper: Any, k: int, closed: str, least: bool, call: Call) -> TopMatches:
        stages = Stages(call.progress, 2)
        ranges, where = stages.after(self._ranges(lower, upper, closed, call))
        with self._index._unchanged_since(self._version):
            found = TopMatches(*self._core.top_k(*ranges, k, least, where))
        return stages.after(found)

    def of_keys(self, keys: Any, **run: Unpack[Told]) -> Aggregates:
        """The values of the entries of each key.

        >>> RangeAggregates(Index([1, 1]), [3, 4]).of_keys([1]).mean.tolist()
        [3.5]
        """
        call = Call(**run)
        stages = Stages(call.progress, 2)
        column = joined(self._index._read(keys, "keys", "equal", call.stream), self._index._key_type)
        where = stages.after(self._index._where((column,), call))
        with self._index._unchanged_since(self._version):
            found = Aggregates(*self._core.of_keys(self._index._core, column.whole(), where))
        return stages.after(found)

    def of_ranks(self, begin: Any, end: Any, *, threads: int = 0) -> Aggregates:
        """The values of the entries from each rank up to, but not including, another one.

        >>> RangeAggregates(Index([9, 8]), [3, 4]).of_ranks([0], [1]).sum.tolist()
        [4]
        """
        call = Call(threads=threads)
        (first, where, _), (last, _, _) = (
            self._index._ranks(ranks, name, call) for ranks, name in ((begin, "begin"), (end, "end"))
        )
        with self._index._unchanged_since(self._version):
            return Aggregates(*self._core.of_ranks(self._index._core, first, last, where))


@public_methods(held="index")
class RangeQuantiles:
    """A column of any type that has an order, one value for each row id of an index with an order, in the order of its
    keys. It answers the rows at quantiles of ranges, whose values `gather` takes, and belongs to the index as it was:
    after an update its calls raise `Busy`, and you make another one. A long range costs as much as a short one.

    >>> days = Index([3, 1, 2, 1])
    >>> names = RangeQuantiles(days, ["d", "c", "a", "b"])
    >>> names.in_ranges([1, 1], [2, 3], 0.5).tolist()
    [3, 3]
    """

    def __init__(self, index: Asking, values: Any, **run: Unpack[Told]) -> None:
        self._index, self._version = index, index._core.version
        call = Call(**run)
        stages = Stages(call.progress, 2)
        column = stages.after(read(values, "values", stream=call.stream).plain())
        self._core = stages.after(_core.RangeQuantiles(index._core, column.whole(), index._where((column,), call)))

    def __repr__(self) -> str:
        return described("RangeQuantiles", *_facts(self._index))

    @property
    def nbytes(self) -> int:
        """Bytes that the values take; those of the index are not counted.

        >>> RangeQuantiles(Index([3, 1]), [30, 10]).nbytes >= 2 * 4
        True
        """
        return self._core.nbytes

    def in_ranges(
        self,
        lower: Any,
        upper: Any,
        quantile: float,
        side: QuantileSide = "lower",
        closed: Closed = "both",
        **run: Unpack[Told],
    ) -> np.ndarray:
        """The row id of the value at a quantile of the entries in each range, -1 if none has a value. A quantile is from 0,
        the least value, to 1, the greatest; of n values it has the rank quantile * (n - 1). If that is between two
        values, `side` says which one counts.

        >>> RangeQuantiles(Index([1, 2, 3]), [30, 10, 20]).in_ranges([1, 9], [3, 9], 1).tolist()
        [0, -1]
        """
        call = Call(**run)
        stages = Stages(call.progress, 2)
        bounds, opens = self._index._bounds(lower, upper, closed, call.stream)
        low, high = (bound.whole() for bound in bounds)
        where = stages.after(self._index._where(bounds, call))
        with self._index._unchanged_since(self._version):
            rows: np.ndarray = self._core.in_ranges(self._index._core, low, high, *opens, quantile, side, where)
        return stages.after(rows)

    def of_ranks(
        self, begin: Any, end: Any, quantile: float, side: QuantileSide = "lower", *, threads: int = 0
    ) -> np.ndarray:
        """The row id of the value at a quantile of the entries from each rank up to, but not including, another one.

        >>> RangeQuantiles(Index([9, 8]), [3, 4]).of_ranks([0], [2], 0).tolist()
        [0]
        """
        call = Call(threads=threads)
        (first, where, _), (last, _, _) = (
            self._index._ranks(ranks, name, call) for ranks, name in ((begin, "begin"), (end, "end"))
        )
        with self._index._unchanged_since(self._version):
            rows: np.ndarray = self._core.of_ranks(self._index._core, first, last, quantile, side, where)
            return rows


def _facts(index: Asking) -> tuple[str, ...]:
    """What a column of values prints of itself."""
    structure = str(index._core.describe()[0]).partition("/")[0]
    return f"{len(index)} values", structure, device_name(index._device)


def _restored(index: Asking, stored: Any) -> RangeAggregates:
    """Unpickles aggregates with their index."""
    return RangeAggregates.from_buffer(stored, index)
