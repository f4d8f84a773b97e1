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
    rights = [_words(part) for part in right.parts]
    words = Values("", rights, sum(part.size for part in rights)).whole()
    first, *others = left.parts
    found, of_words = _core.first_match(_words(first), words, True, -1, threads)
    lefts = [_numbers(first, found, words.size)]
    for part in others:
        found, _ = _core.first_match(_words(part), words, False, -1, threads)
        lefts.append(_numbers(part, found, words.size))
    ends = np.cumsum([part.size for part in rights])[:-1]
    of_parts = [_numbers(*pair, words.size) for pair in zip(right.parts, np.split(of_words, ends))]
    return Values("integer", lefts, left.size), Values("integer", of_parts, right.size)


def _words(part: Part) -> Part:
    """The words of a part, or its values."""
    if part.codes is None:
        return part
    column = part.column
    strings = isinstance(column, tuple)
    return Part(column, len(column) if not strings else column[2] if len(column) == 3 else column[1].size - 1)


def _numbers(part: Part, found: np.ndarray, none: int) -> Part:
    """The numbers of a part. @param found those of its words, or -1 @param none a number for them"""
    found[found < 0] = none
    if part.codes is not None:
        found = found.take(part.codes, mode="clip") if found.size else np.zeros(part.size, found.dtype)
    return Part(found, part.size, part.nulls, part.misses)
