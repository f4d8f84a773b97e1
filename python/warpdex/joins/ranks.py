# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The ranks of right rows in the window of each left row, within groups."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._core import Call, Part, Values
from ..columns.libraries import Home
from ..columns.values import either, hosted
from ..lookups.asking import LOOKUPS
from ..lookups.index import Index

_Groups = tuple[Values, Values]  # those of the left side, and of the right one
_Bounds = tuple[Values, ...]  # the lower and the upper ones


class Beyond(NamedTuple):
    """Which windows begin beyond the greatest value of the keys' type, and which end beyond the least one. Such an end is
    the value next to it."""

    begin: np.ndarray | None
    end: np.ndarray | None


_Ranks = tuple[np.ndarray, np.ndarray]  # the first rank of each range, and the number of entries in it


class Extra(enum.Enum):
    """Which row before a window belongs to it."""

    NONE = 0
    LAST_BEFORE = 1  # the last one
    PREVAILING = 2  # the last one at its start or before it


def ranks_of_windows(
    ranks: Callable[[Any, Any, tuple[bool, bool]], _Ranks],
    ends: tuple[Any, Any],
    opens: tuple[bool, bool],
    beyond: Beyond,
    extra: Extra,
) -> _Ranks:
    """The ranks of the rows in windows.

    @param ranks finds those between two bounds, of which the lower one may be None
    """
    low, high = ends
    first, counts = ranks(low, high, opens)
    if (empty := either(beyond)) is not None:
        counts = np.where(empty, 0, counts)
    if extra is Extra.NONE:
        return np.where(counts == 0, 0, first), counts
    begin, before = ranks(None, low, (False, extra is Extra.LAST_BEFORE and not opens[0]))
    if extra is Extra.LAST_BEFORE and beyond.begin is not None:  # all rows of the group are before the window
        whole = ranks(None, low, (False, False))
        begin, before = (np.where(beyond.begin, all_of, some) for all_of, some in zip(whole, (begin, before)))
    last = begin + before - 1
    joins = before > 0
    if extra is Extra.PREVAILING:
        joins &= (counts == 0) | (last < first)
        if beyond.end is not None:  # no row is before a window that ends before the least key
            joins &= ~beyond.end
    first, counts = np.where(joins, last, first), counts + joins
    return np.where(counts == 0, 0, first), counts


def ranks_of_ranges(
    groups: _Groups | None, keys: Values, size: int, home: Home
) -> tuple[Index, Callable[[_Bounds, tuple[bool, bool], Beyond, Extra], _Ranks]]:
    """An index over the right rows, and a function of the ranges of all left rows that finds the ranks of the right rows in
    them: the first, and how many.

    @param size number of left rows
    """
    call = Call(threads=home.threads)
    if groups is None:
        parts = tuple(Part(np.zeros(rows, np.uint32), rows) for rows in (size, keys.size))
    else:
        parts = hosted(groups[0]).whole(), groups[1].whole()
    core = _core.GroupedIndex.build(parts[1], keys.whole().plain(), "AO+BS", home.device, home.where)
    entries, encoder = Index._over(core.entries()), core.encoder

    def ranks(lower: Part | None, upper: Part | None, are_open: tuple[bool, bool]) -> _Ranks:
        places = encoder.ranges([parts[0]], lower, upper, *are_open, home.device, home.where, home.device >= 0)
        ranges = tuple(Values("integer", [Part(bound, size)], size) for bound in places)
        found = entries._ask(LOOKUPS["equal_range"], ranges, call)
        first, counts = (array.astype(np.int64, copy=False) for array in found)
        return first, counts

    def ranks_in(bounds: _Bounds, opens: tuple[bool, bool], beyond: Beyond, extra: Extra) -> _Ranks:
        low, high = (bound.plain().whole() for bound in bounds)
        return ranks_of_windows(ranks, (low, high), opens, beyond, extra)

    return entries, ranks_in
