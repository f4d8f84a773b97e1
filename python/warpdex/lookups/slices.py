# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Streams of joins: their pairs are made a bounded number at a time, however many a batch of probes has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .table import Lookups

PAIRS = 1 << 20  # most rows of a batch that a stream hands out


def matches(index: Lookups, probes: Any, how: str) -> np.ndarray | None:
    """How many pairs each probe of a join has, a column of Polars or pyarrow; None if none has several."""
    if how in ("semi", "anti") or not index._core.keys_repeat():
        return None
    return _numbers(index.count(probes))


def range_matches(index: Any, columns: list[Any], how: str, closed: str) -> np.ndarray | None:
    """The same of a join of ranges. @param columns lower and upper bounds, after the groups if the index has them"""
    return None if how in ("semi", "anti") else _numbers(index.range_count(*columns, closed))


def _numbers(counts: Any) -> np.ndarray:
    """Counts as an array, with 0 for null."""
    plain: np.ndarray = counts.fill_null(0).to_numpy()
    return plain


def stretches(counts: np.ndarray | None, size: int) -> Iterator[tuple[int, int]]:
    """Stretches of probes that have at most `PAIRS` pairs, or are one probe. A probe may have a pair without a match.

    The pairs of one probe are no more than the rows of the other side.
    """
    if counts is None:
        yield from ((begin, min(size, begin + PAIRS)) for begin in range(0, size, PAIRS))
        return
    ends = np.cumsum(np.maximum(counts, 1))
    begin = done = 0
    while begin < size:
        end = max(begin + 1, int(np.searchsorted(ends, done + PAIRS, "right")))
        yield begin, end
        begin, done = end, int(ends[end - 1])
