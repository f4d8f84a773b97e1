# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Values of both sides of a join as numbers: those of a dictionary are looked up once per word."""

from __future__ import annotations

import numpy as np

from .. import _core
from .._core import Part, Values


def are_strings(values: Values) -> bool:
    """Whether a column holds strings, also as words of dictionaries."""
    return all(part.are_strings for part in values.parts)


def have_words(values: Values) -> bool:
    """Whether a column has dictionaries."""
    return any(part.codes is not None for part in values.parts)


def numbered(left: Values, right: Values, threads: int, with_nulls: bool) -> tuple[Values, Values]:
    """Numbers that are equal where the values of both sides are: of a right value the first that equals it. One call
    numbers the words of all parts, since each call makes a table of the right ones.

    @param with_nulls whether the numbers say which values are null; else nulls have numbers that equal nothing
    """
    mine, begins = _words(left)
    others, other_begins = _words(right)
    found, of_words = _core.first_match(mine.whole(), others.whole(), True, -1, threads)
    if others.size > np.iinfo(np.int32).max - 2:
        found, of_words = found.astype(np.int64), of_words.astype(np.int64)
    none = others.size  # what equals nothing: another number on either side
    return (
        _numbers(left, _core.numbers_of_words(left, begins, found, none, threads), with_nulls),
        _numbers(right, _core.numbers_of_words(right, other_begins, of_words, none + 1, threads), with_nulls),
    )


def _words(values: Values) -> tuple[Values, list[int]]:
    """The values of the parts, of those with dictionaries the words, and where those of each part begin. Parts that share
    a dictionary share its words."""
    words, begins, known, size = [], [], dict[int, int](), 0
    for part in values.parts:
        if part.codes is not None and id(part.column) in known:
            begins.append(known[id(part.column)])
            continue
        begins.append(size)
        known[id(part.column)] = size
        words.append(part if part.codes is None else Part(part.column, _size(part)))
        size += words[-1].size
    return Values("", words, size), begins


def _size(part: Part) -> int:
    """The number of the words of a part."""
    column = part.column
    if not isinstance(column, tuple):
        return len(column)
    size: int = column[2] if len(column) == 3 else column[1].size - 1
    return size


def _numbers(values: Values, numbers: np.ndarray, with_nulls: bool) -> Values:
    flags = (values.nulls(), values.misses()) if with_nulls else (None, None)
    return Values("integer", [Part(numbers, values.size, *flags)], values.size)
