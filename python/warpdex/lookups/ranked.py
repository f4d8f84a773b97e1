# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The keys of an index by their rank, in their order, and as the parents of other keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack, overload

import numpy as np

from .._core import Call, Values
from ..columns import libraries
from ..columns.values import own_part, shown_keys
from ..errors import KeyTypeError, Unsupported
from ..types import DeviceArray
from .border import Run, public_methods
from .table import Lookups

_KEYS_AT_ONCE = 1 << 16  # keys that iteration takes at a time


@public_methods()
class Ranked(Lookups):
    """The part of `Index` that answers keys and their rows."""

    def _keys(self, keys: Any, name: str = "keys") -> Values:
        """Keys of an update or of parents, as one part of the index's own type."""
        values = self._read(keys, name)
        if values.family != self._family:
            raise KeyTypeError(f"{name} holds values of type {values.family}, but the keys are of type {self._family}")
        return values.changed(parts=[own_part(values, self._core.describe()[1], name)])

    def __iter__(self) -> Iterator[Any]:
        """The keys in their order, those that repeat as often as they are there; strings as bytes, tuples as tuples."""
        if not self._core.facts()["ordered"]:
            raise Unsupported(
                f"the keys of {self._core.describe()[0].partition('/')[0]} have no order; iterate over what it was built of"
            )
        version, size = self._core.version, len(self)
        for begin in range(0, size, _KEYS_AT_ONCE):
            with self._unchanged_since(version):
                keys = self.keys_at(np.arange(begin, min(size, begin + _KEYS_AT_ONCE)))
            yield from zip(*keys) if self._is_tuple else keys

    @overload
    def ancestors(self, probes: DeviceArray, parents: Any, **run: Unpack[Run]) -> tuple[DeviceArray, DeviceArray]: ...
    @overload
    def ancestors(self, probes: Any, parents: Any, **run: Unpack[Run]) -> tuple[np.ndarray, np.ndarray]: ...
    def ancestors(self, probes: Any, parents: Any, **run: Unpack[Run]) -> tuple[Any, Any]:
        """Follows keys to their parents: the row of each probe, then that of the key `parents[row]`, and so on until a
        key does not exist or is its own parent. Answers are those of `retrieve`; a path without an end is an error.

        >>> offsets, rows = Index(["root", "usr", "bin"]).ancestors(["bin", "etc"], ["root", "root", "usr"])
        >>> offsets.tolist(), rows.tolist()
        ([0, 3, 3], [2, 1, 0])
        """
        call = Call(**run)
        values = self._read(probes, "probes", "equal", call.stream)
        where = self._where((values,), call)
        found = self._core_at((values,)).ancestors(values.whole(), self._keys(parents, "parents").parts[0], where)
        offsets, rows = libraries.adopted(found, values)
        return offsets, rows

    @overload
    def keys_at(self, ranks: DeviceArray, **run: Unpack[Run]) -> DeviceArray | tuple[DeviceArray, DeviceArray]: ...
    @overload
    def keys_at(self, ranks: Any, **run: Unpack[Run]) -> np.ndarray | list[np.ndarray]: ...
    def keys_at(self, ranks: Any, **run: Unpack[Run]) -> Any:
        """The key of each rank, as `lower_bound` counts them: strings as bytes; on a device as an array or a pair of
        bytes and offsets. Keys of several columns are a list of arrays.

        >>> Index([30, 10, 20]).keys_at([0, 2]).tolist()
        [10, 30]
        """
        wanted, where, query = self._ranks(ranks, "ranks", Call(**run))
        found = self._core_at((query,)).keys_at(wanted, where)
        if query.place is None:
            return shown_keys(found, wanted.size, self._family)
        return libraries.adopted(found, query)

    @overload
    def rows_at(self, ranks: DeviceArray, **run: Unpack[Run]) -> DeviceArray: ...
    @overload
    def rows_at(self, ranks: Any, **run: Unpack[Run]) -> np.ndarray: ...
    def rows_at(self, ranks: Any, **run: Unpack[Run]) -> Any:
        """The row id of each rank.

        >>> Index([30, 10, 20]).rows_at([0, 2]).tolist()
        [1, 0]
        """
        wanted, where, query = self._ranks(ranks, "ranks", Call(**run))
        return libraries.adopted(self._core_at((query,)).rows_at(wanted, where), query)
