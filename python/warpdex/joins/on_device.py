# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of frames whose arrays are on a device: rows are found there, and stay there."""

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
from ..lookups.asof import distances, how_of_keys, is_column
from ..lookups.calls import AsofHow
from ..lookups.grouped import GroupedIndex
from ..lookups.index import Index
from ..types import Closed, How
from .ranks import Beyond, Extra, ranks_of_windows
from .plans import first_match, join_columns, merged_asof


def is_on_device(*columns: Any) -> bool:
    """Whether one of some columns is an array on a device."""
    return any(libraries.library_of(column) is not None for column in columns)


def _type(column: Any) -> Any:
    """The type of a column on a device, of any library."""
    return column.dtype if hasattr(column, "dtype") else column.format


def _array(column: Any, values: Values) -> Any:
    """The numbers of a column on a device, as an array by which they can be computed with."""
    if hasattr(column, "dtype"):
        return column
    import cupy

    return cupy.asarray(values.parts[0].column)


def _packed(first: Any, second: Any) -> Any:
    """Two columns of codes as one; -1 if one of them is."""
    kit = kit_of(first)
    both = (kit.as_int64(first) << 32) | kit.as_int64(second)
    return kit.choose((first < 0) | (second < 0), both * 0 - 1, both)


def _codes(lefts: list[Any], rights: list[Any]) -> tuple[Any, Any]:
    """Columns of both sides as one of integers each, equal where all columns are; -1 for what is not on the right."""
    one = two = None
    for left, right in zip(lefts, rights):
        mine, others = first_match(left, right), first_match(right, right)
        if one is None:
            one, two = mine, others
            continue
        a, b = _packed(one, mine), _packed(two, others)
        one, two = first_match(a, b), first_match(b, b)
    return one, two


def device_pairs(lefts: list[Any], rights: list[Any], kind: How, threads: int) -> tuple[Any, Any]:
    """Pairs of rows with equal keys, in the order of the left ones; `kind` is inner, left, semi or anti."""
    left, right = (lefts[0], rights[0]) if len(lefts) == 1 else _codes(lefts, rights)
    shorter = kind == "inner" and len(left) < len(right)  # by itself it goes through the longer column
    one, two = join_columns(left, right, "left" if shorter else kind, threads=threads)
    if not shorter:
        return one, two
    kept = two >= 0
    return one[kept], two[kept]


def device_with_alone(lefts: Any, rights: Any, size: int) -> tuple[Any, Any]:
    """Pairs, and after them the right rows below `size` without one."""
    kit = kit_of(rights)
    alone = kit.alone(size, rights[rights >= 0])
    return kit.join(kit.as_int64(lefts), alone * 0 - 1), kit.join(kit.as_int64(rights), alone)


def device_order(first: Any, second: Any) -> tuple[Any, Any]:
    """Returns (second, first) of pairs in the order of the first rows, then of the second; -1 comes last."""
    kit = kit_of(first)

    def last(rows: Any) -> Any:
        wide = kit.as_int64(rows)
        return kit.choose(wide < 0, wide * 0 + ((1 << 31) - 1), wide)  # frames of a device have fewer rows

    order = kit.order(last(first) << 32 | last(second))
    return second[order], first[order]


def device_groups(by: list[tuple[Any, Any, str]]) -> tuple[Any, Any]:
    """Columns of groups as one of integers of one type on each side."""
    left, right, _ = by[0]
    families = {read(left, "left").family, read(right, "right").family}
    if len(by) == 1 and families == {"integer"} and _type(left) == _type(right):
        return left, right
    return _codes([one for one, _, _ in by], [two for _, two, _ in by])


def device_asof(left: tuple[Any, str], right: tuple[Any, str], by: list[tuple[Any, Any, str]], how: AsofHow) -> Any:
    """The right row of each left row, or -1."""
    groups = device_groups(by) if by else None
    sides = read(*left), read(*right)
    plain = all(side.family != "string" and side.parts[0].nulls is None for side in sides)
    if plain and not how.relative and not is_column(how.tolerance) and _type(left[0]) == _type(right[0]):
        try:
            return merged_asof(left[0], right[0], groups, how, Call())
        except InvalidArgument:  # a side does not ascend, or the groups are too far apart
            pass
    if groups is not None:
        return GroupedIndex(groups[1], right[0])._nearest(groups[0], left[0], how, Call())
    index, query = Index(right[0], "AO+BS"), sides[0]
    return index._asof(query, how_of_keys(how, index._family, query.size, f"left has {query.size} rows"), Call())


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
    by: list[tuple[Any, Any, str]],
    opens: tuple[bool, bool],
    extra: Extra,
) -> tuple[Index, Callable[[Any, Any], tuple[np.ndarray, np.ndarray]]]:
    """An index over the right rows, and a function of how far windows reach before the key and after it, which finds the
    ranks of the rows in the window of each left row: the first, and how many, which are added up on the host."""
    query = read(*left)
    keys = _array(left[0], query)
    kit = kit_of(keys)
    groups = device_groups(by) if by else None
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
