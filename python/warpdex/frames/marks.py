# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""A bit per row, such as of the rows that a filter lets through."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..columns import libraries
from ..errors import InvalidArgument
from ..lookups.border import public_methods
from .gather import read_rows


@public_methods(held="")
class Marks:
    """A bit for each of `size` rows, none of which is marked at first.

    `add` marks the rows that lookups and joins answer: of keys, ranges, intervals or networks. `&`, `|`, `-` and `~` make
    new marks of as many rows. `words` are the bits as the bitsets of cuVS and the validity bits of Arrow have them.

    >>> prices = Index([30, 10, 20, 40], "AO+BS")
    >>> cheap = Marks(4).add(prices.range_retrieve([0], [25])[1])
    >>> cheap.marked().tolist(), (~cheap).count(), cheap.words.tolist()
    ([1, 2], 2, [6])
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._words = np.zeros(-(-size // 32), np.uint32)

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return f"<warpdex.lookups.Marks of {self._size} rows, {self.count()} marked>"

    @property
    def words(self) -> np.ndarray:
        """The bits, 32 rows per number, the lowest bit first. Not a copy; bits after the last row are 0.

        >>> Marks(4).add([2]).words.tolist()
        [4]
        """
        return self._words

    def add(self, rows: Any) -> Marks:
        """Marks rows, in any order and any number of times, and returns itself. -1 and nulls are no rows.

        >>> Marks(4).add([2, -1, 0, 2]).marked().tolist()
        [0, 2]
        """
        found = read_rows(libraries.on_host(rows, "rows")[0], self._size, "rows")[0]
        _core.mark_rows(self._words, self._size, np.ascontiguousarray(found).reshape(-1))
        return self

    def count(self) -> int:
        """The number of rows that are marked.

        >>> (Marks(4).add([2]) | Marks(4).add([2, 3])).count()
        2
        """
        return _core.count_marks(self._words, self._size)

    def marked(self) -> np.ndarray:
        """The rows that are marked, in ascending order.

        >>> (~Marks(3).add([1])).marked().tolist()
        [0, 2]
        """
        result = np.empty(self.count(), np.int64)
        _core.list_marked(self._words, self._size, result)
        return result

    def __and__(self, other: Marks) -> Marks:
        return self._combined(other, "both")

    def __or__(self, other: Marks) -> Marks:
        return self._combined(other, "either")

    def __sub__(self, other: Marks) -> Marks:
        return self._combined(other, "without")

    def __invert__(self) -> Marks:
        return self._combined(None, "invert")

    def _combined(self, other: Any, how: str) -> Marks:
        if other is not None and not isinstance(other, Marks):
            return NotImplemented
        if other is not None and len(other) != self._size:
            raise InvalidArgument(f"marks of {self._size} rows, and of {len(other)}: there must be as many")
        result = Marks(self._size)
        result._words[:] = self._words
        _core.change_marks(result._words, self._size, how, None if other is None else other._words)
        return result
