# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Columns of values that belong to the rows of a grouped index, added up and compared by ranges within groups."""

from __future__ import annotations

from typing import Any, Unpack

from .._core import Call
from ..types import Closed
from .aggregates import Aggregates, RangeAggregates, TopMatches
from .border import Told, public_methods
from .calls import described


@public_methods()
class GroupedAggregates:
    """What `GroupedIndex.aggregates` makes: `RangeAggregates` whose ranges and keys are within groups.

    >>> GroupedIndex([1, 1, 2], [5, 6, 5]).aggregates([15, 25, 20]).in_ranges([1, 2], [5, 5], [9, 9]).sum.tolist()
    [40, 20]
    """

    def __init__(self, grouped: Any, values: RangeAggregates) -> None:
        self._index, self._core, self._values = grouped, grouped._core, values

    def __repr__(self) -> str:
        return described("GroupedAggregates", *self._values._facts())

    @property
    def nbytes(self) -> int:
        """Bytes that the values take; those of the index are not counted.

        >>> GroupedIndex([1, 2], [5, 5]).aggregates([1.5, 2.5]).nbytes >= 2 * 8
        True
        """
        return self._values.nbytes

    def in_ranges(
        self, groups: Any, lower: Any, upper: Any, closed: Closed = "both", **run: Unpack[Told]
    ) -> Aggregates:
        """The values of the entries of each group in its range, which are those that `GroupedIndex.range_count` counts.

        >>> GroupedIndex([1, 2], [5, 5]).aggregates([1.5, 2.5]).in_ranges([2], None, [9]).max.tolist()
        [2.5]
        """
        low, high = self._index._ranges(groups, lower, upper, closed, Call(**run))
        return self._values.in_ranges(low, high, **run)

    def of_keys(self, groups: Any, keys: Any, **run: Unpack[Told]) -> Aggregates:
        """The values of the entries of each key in its group.

        >>> GroupedIndex([1, 1], [5, 5]).aggregates([3, 4]).of_keys([1], [5]).mean.tolist()
        [3.5]
        """
        return self.in_ranges(groups, keys, keys, **run)

    def top_k(
        self, groups: Any, lower: Any, upper: Any, k: int, closed: Closed = "both", **run: Unpack[Told]
    ) -> TopMatches:
        """The k entries of each group in its range with the greatest values; see `RangeAggregates.top_k`.

        >>> GroupedIndex([1, 1, 2], [5, 6, 5]).aggregates([15, 25, 20]).top_k([1, 2], None, [9, 9], 1).rows.tolist()
        [1, 2]
        """
        low, high = self._index._ranges(groups, lower, upper, closed, Call(**run))
        return self._values.top_k(low, high, k, **run)

    def bottom_k(
        self, groups: Any, lower: Any, upper: Any, k: int, closed: str = "both", **run: Unpack[Told]
    ) -> TopMatches:
        """The k entries of each group in its range with the least values; see `RangeAggregates.bottom_k`.

        >>> GroupedIndex([1, 1, 2], [5, 6, 5]).aggregates([15, 25, 20]).bottom_k([1, 2], None, [9, 9], 1).rows.tolist()
        [0, 2]
        """
        low, high = self._index._ranges(groups, lower, upper, closed, Call(**run))
        return self._values.bottom_k(low, high, k, **run)
