# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Rows in ranges within groups, of columns that both are there: pairs of them, and their ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._core import Call, Part, Values
from ..columns.libraries import Home
from ..columns.several import either
from .asking import LOOKUPS
from .index import Index

_Groups = tuple[Values, Part]  # those of the left side, and of the right one
_Bounds = tuple[Values, ...]  # the lower and the upper ones


def _over_both(groups: _Groups, keys: Part, home: Home) -> tuple[Index, Any]:
    """An index over the right rows within their groups, and a function that makes ranges of places of two bounds."""
    core = _core.GroupedIndex.build(groups[1].plain(), keys.plain(), "AO+BS", home.device, home.where)
    of = groups[0].plain().whole()

    def placed(low: Part | None, high: Part | None, opens: tuple[bool, bool]) -> tuple[Values, ...]:
        places = core.ranges(of, low, high, *opens, home.where)
        return tuple(Values("integer", [Part(one, of.size)], of.size) for one in places)

    return Index._over(core.entries()), placed


def within_groups(
    groups: _Groups, keys: Values, bounds: _Bounds, opens: tuple[bool, bool], how: str, home: Home
) -> tuple[Any, Any]:
    """Pairs of left rows and the right rows of their groups whose keys are in their ranges."""
    entries, placed = _over_both(groups, keys.whole(), home)
    low, high = (bound.plain().whole() for bound in bounds)
    lefts, rights = entries._pairs(placed(low, high, opens), how, Call(threads=home.threads))
    return lefts, rights


class Beyond(NamedTuple):
    """Which windows begin beyond the greatest value of the keys' type, and which end beyond the least one. Such an end is
    the value next to it."""

    begin: np.ndarray | None
    end: np.ndarray | None


_Ranks = tuple[np.ndarray, np.ndarray]  # the first rank of each range, and the number of entries in it


def ranks_of_windows(
    ranks: Callable[[Any, Any, tuple[bool, bool]], _Ranks],
    ends: tuple[Any, Any],
    opens: tuple[bool, bool],
    beyond: Beyond,
    one_before: bool,
) -> _Ranks:
    """The ranks of the rows in windows.

    @param ranks finds those between two bounds, of which the lower one may be None
    @param one_before whether the last row of the group before a window belongs to it
    """
    low, high = ends
    first, counts = ranks(low, high, opens)
    if (empty := either(beyond)) is not None:
        counts = np.where(empty, 0, counts)
    if one_before:
        begin, before = ranks(None, low, (False, not opens[0]))
        if beyond.begin is not None:  # all rows of the group are before the window
            whole = ranks(None, low, (False, False))
            begin, before = (np.where(beyond.begin, all_of, some) for all_of, some in zip(whole, (begin, before)))
        first, counts = np.where(before > 0, begin + before - 1, first), counts + (before > 0)
    return np.where(counts == 0, 0, first), counts


def ranks_of_ranges(
    groups: _Groups | None,
    keys: Values,
    bounds: _Bounds,
    opens: tuple[bool, bool],
    beyond: Beyond,
    one_before: bool,
    home: Home,
) -> tuple[Index, np.ndarray, np.ndarray]:
    """An index over the right rows, and the ranks of those that are in the range of each left row: the first, and how many.

    @param one_before whether the last row of the group before a range belongs to it
    """
    call = Call(threads=home.threads)
    low, high = (bound.plain().whole() for bound in bounds)
    if groups is None:
        same = Part(np.zeros(keys.size, np.uint32), keys.size)
        of = Values("integer", [Part(np.zeros(bounds[0].size, np.uint32), bounds[0].size)], bounds[0].size)
        groups = of, same
    entries, placed = _over_both(groups, keys.whole(), home)

    def ranks(lower: Part | None, upper: Part | None, are_open: tuple[bool, bool]) -> tuple[np.ndarray, np.ndarray]:
        found = entries._ask(LOOKUPS["rank_range"], placed(lower, upper, are_open), call)
        first, counts = (one.astype(np.int64, copy=False) for one in found)
        return first, counts

    return entries, *ranks_of_windows(ranks, (low, high), opens, beyond, one_before)
