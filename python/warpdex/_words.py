# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Values of both sides of a join as numbers: those of a dictionary are looked up once per word."""

from __future__ import annotations

import numpy as np

from . import _core
from ._core import Part, Values


def are_strings(values: Values) -> bool:
    """Whether a column holds strings, also as words of dictionaries."""
    return all(isinstance(part.column, tuple) for part in values.parts)


def have_words(values: Values) -> bool:
    """Whether a column has dictionaries."""
    return any(part.codes is not None for part in values.parts)


def numbered(left: Values, right: Values, threads: int) -> tuple[Values, Values]:
    """Numbers that are equal where the values of both sides are: of a right value the first that equals it."""
    words = right.whole() if not have_words(right) else Values("string", [_words(part) for part in right.parts], 0).whole()
    return _numbers(left, words, threads), _numbers(right, words, threads)


def _words(part: Part) -> Part:
    """The words of a part, or its values."""
    if part.codes is None:
        return part
    column = part.column
    strings = isinstance(column, tuple)
    return Part(column, len(column) if not strings else column[2] if len(column) == 3 else column[1].size - 1)


def _numbers(values: Values, words: Part, threads: int) -> Values:
    parts = []
    for part in values.parts:
        found = _core.first_match(_words(part), words, -1, threads)
        found[found < 0] = words.size  # which no right value has
        if part.codes is not None:
            found = found.take(part.codes, mode="clip") if found.size else np.zeros(part.size, found.dtype)
        parts.append(Part(found, part.size, part.nulls, part.misses))
    return Values("integer", parts, values.size)
