# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Windows of frames whose arrays are on a device: the ranks of rows are found there, and added up on the host."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core import Call, Values
from ..columns import libraries
from ..columns.values import nulls_on_host, read
from ..errors import InvalidArgument, Unsupported
from ..frames.arrays import Kit, kit_of
from ..lookups.asof import distances, is_column
from ..lookups.grouped import GroupedIndex
from ..lookups.index import Index
from ..types import Closed
from .ranks import Beyond, Extra, ranks_of_windows


def is_on_device(*columns: Any) -> bool:
    """Whether one of some columns is an array on a device."""
    return any(libraries.library_of(column) is not None for column in columns)


def _array(column: Any, values: Values) -> Any:
    """The numbers of a column on a device, as an array by which they can be computed with."""
    if hasattr(column, "dtype"):
        return column
    import cupy

    return cupy.asarray(values.parts[0].column)


_CLOSED: dict[tuple[bool, bool], Closed] = {
    (False, False): "both",
    (False, True): "left",
    (True, False): "right",
    (True, True): "none",
}


def _moved(kit: Kit, keys: Any, by: int | float) -> tuple[Any, Any]:
    """Keys plus a distance, and which sums of integers are beyond the type; these are its greatest or its least value."""
    if kit.is_float(keys):  # an infinite distance leads to infinity
        return (kit.choose(keys == -by, -keys, keys + by) if math.isinf(by) else keys + by), None
    limits = np.iinfo(kit.dtype_of(keys))
    most = limits.max - int(by) if by >= 0 else limits.min - int(by)
    end = limits.max if by >= 0 else limits.min
    if not limits.min <= most <= limits.max:
        return keys * 0 + end, keys == keys
    beyond = keys > most if by >= 0 else keys < most
    step = int(by) % (limits.max - limits.min + 1)  # the type's sums wrap; a distance may take a bit more than it has
    step -= 0 if step <= limits.max else limits.max - limits.min + 1
    return kit.choose(beyond, keys * 0 + end, keys + step), beyond


def device_windows(
    left: tuple[Any, str],
    right: tuple[Any, str],
    groups: tuple[Values, Values] | None,
    opens: tuple[bool, bool],
    extra: Extra,
) -> tuple[Index, Callable[[Any, Any], tuple[np.ndarray, np.ndarray]]]:
    """An index over the right rows, and a function of how far windows reach before the key and after it, which finds the
    ranks of the rows in the window of each left row: the first, and how many, which are added up on the host."""
    query = read(*left)
    keys = _array(left[0], query)
    kit = kit_of(keys)
    index = Index(right[0], "AO+BS") if groups is None else GroupedIndex(groups[1], right[0])
    entries = index if isinstance(index, Index) else index._entries

    def ranks(lower: Any, upper: Any, are_open: tuple[bool, bool]) -> tuple[np.ndarray, np.ndarray]:
        closed = _CLOSED[are_open]
        if isinstance(index, Index):
            if lower is None:
                counts = kit.on_host((index.lower_bound if are_open[1] else index.upper_bound)(upper))
                return counts * 0, counts
            first, counts = index.equal_range(lower, upper, closed)
        else:
            first, counts = index._in_ranges("equal_range", groups[0], lower, upper, closed, Call())  # type: ignore[index]
        return kit.on_host(first).astype(np.int64), kit.on_host(counts).astype(np.int64)

    def ranks_of(before: Any, after: Any) -> tuple[np.ndarray, np.ndarray]:
        sides, are_open = [], opens
        for length, name in ((before, "before"), (after, "after")):
            if is_column(length):
                raise Unsupported(f"{name} is one for each row; of frames on a device it is one for all")
            sides.append(distances(length, name, query.family, query.size, "").lengths)
        if sides[0] + sides[1] < 0:
            raise InvalidArgument(f"before is {sides[0]} and after {sides[1]}; no window ends before it begins")
        if not kit.is_float(keys):  # an open end of integers is a closed one further inside
            sides, are_open = [length - is_open for length, is_open in zip(sides, opens)], (False, False)
        (low, past), (high, never) = _moved(kit, keys, -sides[0]), _moved(kit, keys, sides[1])
        beyond = Beyond(
            kit.on_host(past) if past is not None and sides[0] < 0 else None,
            kit.on_host(never) if never is not None and sides[1] < 0 else None,
        )
        first, counts = ranks_of_windows(ranks, (low, high), are_open, beyond, extra)
        if (nulls := nulls_on_host(query)) is not None:
            first, counts = np.where(nulls, 0, first), np.where(nulls, 0, counts)
        return first, counts

    return entries, ranks_of
