# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of frames whose arrays are on a device: rows are found there, and stay there."""

from __future__ import annotations

from typing import Any

from . import _device
from ._array_frames import kit_of
from ._asof import how_of_keys, is_column
from ._core import Call
from ._errors import InvalidArgument
from ._grouped import GroupedIndex
from ._index import Index
from ._pieces import AsofHow
from ._plans import asof_merge, first_match, join_columns
from ._values import read


def is_on_device(*columns: Any) -> bool:
    """Whether one of some columns is an array on a device."""
    return any(_device.library_of(column) is not None for column in columns)


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


def device_pairs(lefts: list[Any], rights: list[Any], kind: str, threads: int) -> tuple[Any, Any]:
    """Pairs of rows with equal keys, in the order of the left ones; `kind` is inner, left, semi or anti."""
    left, right = (lefts[0], rights[0]) if len(lefts) == 1 else _codes(lefts, rights)
    shorter = kind == "inner" and left.shape[0] < right.shape[0]  # by itself it goes through the longer column
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


def _groups(by: list[tuple[Any, Any, str]]) -> tuple[Any, Any]:
    """Columns of groups as one of integers of one type on each side."""
    left, right, _ = by[0]
    families = {read(left, "left").family, read(right, "right").family}
    if len(by) == 1 and families == {"integer"} and left.dtype == right.dtype:
        return left, right
    return _codes([one for one, _, _ in by], [two for _, two, _ in by])


def device_asof(left: tuple[Any, str], right: tuple[Any, str], by: list[tuple[Any, Any, str]], how: AsofHow) -> Any:
    """The right row of each left row, or -1."""
    groups = _groups(by) if by else None
    if not how.relative and not is_column(how.tolerance) and left[0].dtype == right[0].dtype:
        last = how.last_below, how.last_above
        options = {"exact": how.exact, "tolerance": how.tolerance, "later": how.later, "last": last}
        try:
            return asof_merge(left[0], right[0], how.direction, groups=groups, **options)
        except InvalidArgument:  # a side does not ascend, or the groups are too far apart
            pass
    if groups is not None:
        return GroupedIndex(groups[1], right[0])._nearest(groups[0], left[0], how, "one", Call())
    index = Index(right[0], "AO+BS")
    asked = read(*left)
    return index._asof(asked, how_of_keys(how, index._family, asked.size, f"left has {asked.size} rows"), Call())


def device_between(
    keys: Any, lower: Any, upper: Any, by: list[tuple[Any, Any, str]], how: str, closed: str
) -> tuple[Any, Any]:
    """Pairs of left rows and the right rows whose keys are in their ranges."""
    if not by:
        return Index(keys, "AO+BS").join_between(lower, upper, how, closed)
    mine, others = _groups(by)
    return GroupedIndex(others, keys).join_between(mine, lower, upper, how, closed)
