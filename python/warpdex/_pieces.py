# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Calls piece by piece: between two of them signals are handled and progress is told."""

from __future__ import annotations

import datetime
import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ._columns import Column, Part
from ._errors import InvalidArgument, KeyTypeError, shown
from ._values import Values

PIECE = 1 << 22  # probes between two looks at signals


class Meter:
    """Tells how much of a call is done, through `tell` unless that is None."""

    def __init__(self, progress: Any, size: int) -> None:
        self.tell = _print if progress is True else _told_to(progress) if progress else None
        self._size, self._done = size, 0

    def add(self, size: int) -> None:
        self._done += size
        if self.tell is not None:
            self.tell(self._done / self._size if self._size else 1.0)


def _told_to(caller: Callable[[float], Any]) -> Callable[[float], None]:
    """Calls a function of a caller, whose exceptions pass as they are."""

    def tell(done: float) -> None:
        try:
            caller(done)
        except Exception as why:
            why.of_caller = True  # type: ignore[attr-defined]
            raise

    return tell


def _print(done: float) -> None:
    print(f"\rwarpdex: {done:4.0%}", end="\n" if done >= 1 else "", file=sys.stderr, flush=True)


def bits_of(nulls: np.ndarray | None) -> np.ndarray | None:
    """Validity bits."""
    return None if nulls is None else np.packbits(~nulls, bitorder="little")


def pieces_of(columns: tuple[Values, ...], most: int) -> Iterator[tuple[Part, ...]]:
    """Pieces of the columns that have the same places, each within a part of all columns."""
    places = [[0, 0] for _ in columns]  # number of a part, and a place within it
    left = columns[0].size
    while left > 0:
        for place, column in zip(places, columns):
            while place[1] == column.parts[place[0]].size:
                place[:] = [place[0] + 1, 0]
        rooms = [column.parts[place[0]].size - place[1] for place, column in zip(places, columns)]
        size = min(*rooms, most)
        whole = all(size == column.parts[place[0]].size for place, column in zip(places, columns))
        yield tuple(
            column.parts[place[0]] if whole else column.parts[place[0]].cut(place[1], place[1] + size)
            for place, column in zip(places, columns)
        )
        for place in places:
            place[1] += size
        left -= size


def absent_of(parts: tuple[Part, ...]) -> np.ndarray | None:
    """Which of the values of some columns are null or misses in any of them."""
    absent = [a for part in parts if (a := part.absent()) is not None]
    return np.logical_or.reduce(absent) if absent else None


def rows_of_codes(
    offsets: np.ndarray, rows: np.ndarray, codes: np.ndarray, gone: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """How many rows each code has, and these rows, where those of a dictionary's value c are
    `rows[offsets[c]:offsets[c + 1]]`."""
    if offsets.size == 1:
        return np.zeros(codes.size, np.int64), rows[:0]
    begins = offsets[:-1].take(codes, mode="clip")
    counts = offsets[1:].take(codes, mode="clip") - begins
    if gone is not None:
        counts[gone] = 0
    ends = np.cumsum(counts)
    total = int(ends[-1]) if ends.size else 0
    return counts, rows[np.arange(total) + np.repeat(begins - (ends - counts), counts)]


def pairs_of_codes(
    offsets: np.ndarray, rows: np.ndarray, codes: np.ndarray, gone: np.ndarray | None, how: str
) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of a join whose probes are codes, as those of `_core.Index.join`."""
    counts, found = rows_of_codes(offsets, rows, codes, gone)
    number = np.int32 if codes.size < 2**31 else np.int64
    if how in ("semi", "anti"):
        return np.flatnonzero((counts > 0) == (how == "semi")).astype(number), rows[:0]
    if how == "left" and not counts.all():
        alone = counts == 0
        counts[alone] = 1
        pairs = np.full(int(counts.sum()), -1, rows.dtype)
        pairs[np.repeat(~alone, counts)] = found
        found = pairs
    return np.repeat(np.arange(codes.size, dtype=number), counts), found


def as_it_is(answers: np.ndarray, nulls: np.ndarray | None) -> np.ndarray:
    return answers


def checked_out(out: Any, dtype: Any, size: int, columns: tuple[Values, ...]) -> np.ndarray:
    if not isinstance(out, np.ndarray) or out.dtype != dtype:
        given = f"of type {out.dtype}" if isinstance(out, np.ndarray) else type(out).__name__
        raise KeyTypeError(f"out is {given}; the answers are a NumPy array of type {np.dtype(dtype)}")
    if out.shape != (size,) or not out.flags.c_contiguous or not out.flags.writeable:
        raise InvalidArgument(f"out has the shape {out.shape}; it must be writable, contiguous, of shape ({size},)")
    for column in columns:
        for part in column.parts:
            for array in part.column[:2] if isinstance(part.column, tuple) else (part.column,):
                if isinstance(array, np.ndarray) and np.may_share_memory(out, array):
                    raise InvalidArgument("out overlaps the arrays that the call reads")
    return out


def asof_tolerance(tolerance: Any, family: str) -> int | float | None:
    """The largest distance of an as-of join, in units of the keys."""
    if tolerance is None:
        return None
    if isinstance(tolerance, datetime.timedelta) and not hasattr(tolerance, "to_timedelta64"):
        tolerance = np.timedelta64(tolerance)
    elif hasattr(tolerance, "to_timedelta64"):
        tolerance = tolerance.to_timedelta64()
    plain = not isinstance(tolerance, np.timedelta64) or np.datetime_data(tolerance.dtype)[0] == "generic"
    if plain and "[" in family:
        raise KeyTypeError(
            f"tolerance is {shown(tolerance)}, but the keys are times; give a timedelta, which has a unit"
        )
    if plain:
        try:
            if family == "float":
                return float(tolerance)
            distance = operator.index(tolerance)
        except (TypeError, ValueError, OverflowError):
            raise KeyTypeError(
                f"tolerance is {shown(tolerance)}, which is no distance of keys of type {family}"
            ) from None
        if distance >= 2**64 - 1:  # as far as keys of 64 bits can be apart
            return None
        if distance >= 2**63:
            raise InvalidArgument(f"tolerance is {distance}; it must be less than 2**63, or at least 2**64 - 1")
        return max(distance, -1)
    if not family.startswith(("datetime64", "timedelta64")):
        raise KeyTypeError(f"tolerance is a timedelta64, but the keys are of type {family}")
    unit = np.dtype(family.split(" ")[0].replace("datetime64", "timedelta64"))
    if not np.can_cast(tolerance.dtype, unit, "same_kind"):  # months have no length
        raise KeyTypeError(f"tolerance is {tolerance!r}, which is no distance of keys of type {family}")
    if np.isnat(tolerance) or tolerance.astype(unit).astype(tolerance.dtype) != tolerance:
        raise InvalidArgument(f"tolerance {tolerance!r} is no number of units of {family}")
    return int(tolerance.astype(unit).astype(np.int64))
