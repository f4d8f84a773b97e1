# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""How a call runs: what callers say of it, and the pieces in which it goes."""

from __future__ import annotations

import datetime
import math
import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .._core import Call, Part, Values
from ..columns.families import decimal_distance, scale_of, timedelta_of, unit_of
from ..columns.values import extra
from ..errors import InvalidArgument, KeyTypeError, Unsupported, shown
from ..types import Direction, Prefer, Ties

_Result = TypeVar("_Result")

PIECE = 1 << 22  # probes between two looks at signals; 16 times as many of an index on a device
_TOLD_PIECE = 1 << 19  # the same if progress is told, so that it moves every second
PAIRS = 1 << 20  # most rows of a batch that a stream of a join hands out, however many a batch of probes has


def piece_of(call: Call) -> int:
    return PIECE if call.told is None else min(PIECE, _TOLD_PIECE)


def checked_out(out: Any, dtype: Any, size: int, columns: tuple[Values, ...]) -> np.ndarray:
    if not isinstance(out, np.ndarray) or out.dtype != dtype:
        what = f"of type {out.dtype}" if isinstance(out, np.ndarray) else type(out).__name__
        raise KeyTypeError(f"out is {what}; the answers are a NumPy array of type {np.dtype(dtype)}")
    if out.shape != (size,) or not out.flags.c_contiguous or not out.flags.writeable:
        raise InvalidArgument(f"out has the shape {out.shape}; it must be writable, contiguous, of shape ({size},)")
    for column in columns:
        for part in column.parts:
            for array in part.column[:2] if isinstance(part.column, tuple) else (part.column,):
                if isinstance(array, np.ndarray) and np.may_share_memory(out, array):
                    raise InvalidArgument("out overlaps the arrays that the call reads")
    return out


def expect_one(key: Any) -> None:
    """Checks that what is asked for with `in` is one key."""
    if isinstance(key, (list, set, dict)) or (hasattr(key, "__len__") and getattr(key, "ndim", False)):
        raise KeyTypeError(f"{shown(key)} is no key; `in` asks for one, and contains for a column of them")


def one_probe(key: Any, is_tuple: bool) -> Any:
    """A column of one key."""
    if isinstance(key, tuple) != is_tuple:
        raise KeyTypeError(f"{shown(key)} is {'no' if is_tuple else 'a'} tuple, unlike the keys")
    return tuple([value] for value in key) if is_tuple else [key]


def described(kind: str, *facts: str) -> str:
    """How an object of the package prints: its class, size, types, structure and device."""
    return f"<warpdex.{kind} of {', '.join(facts)}>"


def type_shown(family: str, plain: str) -> str:
    """A type as it is printed: numbers and strings by their own, others by that of their values."""
    return plain if family in ("integer", "float", "string") else family


def type_of(part: Part) -> str:
    """The type of the numbers of a column; that of strings, which are a pair of arrays, is bytes."""
    column = part.column
    if isinstance(column, tuple):
        return "bytes"
    own = column.dtype if isinstance(column, np.ndarray) else np.dtype(column.type)
    return "u128" if column.ndim == 2 else f"{own.kind}{8 * own.itemsize}"


class UpdateCounts(NamedTuple):
    """What an update changed."""

    inserted: int  #: entries added
    erased: int  #: entries removed
    cancelled: int  #: distinct keys that were both inserted and erased


# Streams of joins make a bounded number of pairs at a time.


def matches(index: Any, probes: Any, how: str) -> np.ndarray | None:
    """How many pairs each probe of a join has, a column of Polars or pyarrow; None if none has several."""
    if how in ("semi", "anti") or index._core.is_unique():
        return None
    return _plain_counts(index.count(probes))


def range_matches(index: Any, columns: list[Any], how: str, closed: str) -> np.ndarray | None:
    """The same of a join of ranges. @param columns lower and upper bounds, after the groups if the index has them"""
    return None if how in ("semi", "anti") else _plain_counts(index.range_count(*columns, closed))


def _plain_counts(counts: Any) -> np.ndarray:
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


class Stages:
    """Tells how much of a call is done that has some parts, as each of them ends."""

    def __init__(self, progress: Any, parts: int) -> None:
        self._told = Call(progress=progress).told
        self._parts, self._done = parts, 0

    def end(self) -> None:
        """A part has ended."""
        self._done += 1
        if self._told is not None:
            self._told(self._done / self._parts)

    def after(self, result: _Result) -> _Result:
        """The result of a part, which has ended."""
        self.end()
        return result


@dataclass(slots=True)
class AsofHow:
    """How an as-of join looks for the nearest key, in the core's words."""

    strategy: Direction = "backward"
    allow_exact_matches: bool = True
    tolerance: Any = None  # the largest distance, in units of the keys once `of_keys` was called, rounded down
    prefer: Prefer = "earlier"
    ties: Ties = "first"
    offsets: Any = None  # what is added to the probes, once for each
    span: Any = None  # the same exactly, if it is no number of units; of times in attoseconds
    relative: float = 0.0  # the part of a probe up to which a distance is within the tolerance too
    tolerances: Values | None = None  # those of each probe, in units of the keys

    @property
    def all_ties(self) -> bool:
        """Whether all rows of the nearest key match."""
        return self.ties == "all"

    def of_keys(self, family: str) -> AsofHow:
        """The same for keys of a family."""
        tolerance, span = self.tolerance, self.span
        is_real = isinstance(tolerance, (float, np.floating, Decimal, Fraction))
        if family == "integer" and is_real and math.isfinite(tolerance):
            span = Fraction(tolerance if isinstance(tolerance, (Decimal, Fraction)) else float(tolerance))
        tolerance = asof_tolerance(tolerance, "float" if family == "integer" and is_real else family, "tolerance")
        if tolerance is not None and "[" in family:
            span = _attoseconds(_timed(self.tolerance, "tolerance"))
        return replace(self, tolerance=tolerance, offsets=_offsets(self.offsets, family), span=span)


def asof_how(
    strategy: Direction,
    *,
    allow_exact_matches: bool = True,
    tolerance: Any = None,
    prefer: Prefer = "earlier",
    ties: Ties = "first",
    relative: float = 0.0,
    offsets: Any = None,
) -> AsofHow:
    """The same from what callers say."""
    return AsofHow(strategy, allow_exact_matches, tolerance, prefer, ties, offsets, relative=relative)


_DURATION = re.compile(r"\s*(\d+)\s*([A-Za-z]+)")
_UNITS = {
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86400 * 10**9,
    "w": 7 * 86400 * 10**9,
}
_OF_PANDAS = {"S": "s", "min": "m", "T": "m", "H": "h", "D": "d", "W": "w"}
_NO_LENGTH = ("mo", "q", "y", "M", "ME", "MS", "Q", "QE", "QS", "Y", "YE", "YS", "A")


def _duration(text: str, name: str) -> np.timedelta64:
    """A text for a duration, such as 1d12h, in Polars' units or those of pandas."""
    unsigned = text.removeprefix("-")
    parts = [(int(number), _OF_PANDAS.get(unit, unit)) for number, unit in _DURATION.findall(unsigned)]
    if any(unit in _NO_LENGTH for _, unit in parts):
        raise Unsupported(f"{name} is {text!r}; months, quarters and years have no fixed length")
    if not parts or _DURATION.sub("", unsigned) or any(unit not in _UNITS for _, unit in parts):
        raise InvalidArgument(
            f"{name} is {text!r}, which is no duration such as '2h30m'; units are {', '.join(_UNITS)}, and pandas' min"
        )
    length = sum(number * _UNITS[unit] for number, unit in parts)
    if length >= 2**63:
        raise InvalidArgument(f"{name} is {text!r}, which is longer than 292 years")
    return np.timedelta64(length if unsigned == text else -length, "ns")


def _timed(value: Any, name: str) -> Any:
    """A duration as a timedelta64, if it is one."""
    if isinstance(value, str):
        return _duration(value, name)
    if hasattr(value, "freqstr"):  # an offset of pandas
        try:
            value = extra("pandas").Timedelta(value)
        except ValueError:
            raise Unsupported(f"{name} is {value!r}, which has no fixed length; give a timedelta") from None
    if hasattr(value, "to_timedelta64"):
        return value.to_timedelta64()
    return timedelta_of(value) if isinstance(value, datetime.timedelta) else value


def _attoseconds(duration: np.timedelta64) -> int:
    """Its length; of months and years how many months."""
    return int(duration.astype(np.int64)) * unit_of(duration.dtype.name)


def distance_of(value: Any, family: str, name: str) -> int | float:
    """A distance between keys of a family, in their units. @param value of times also text such as 1d12h"""
    if "[" in family or not isinstance(value, str):
        value = _timed(value, name)
    if scale_of(family) is not None:
        return decimal_distance(value, family, name)
    plain = not isinstance(value, np.timedelta64) or np.datetime_data(value.dtype)[0] == "generic"
    if plain and "[" in family:
        raise KeyTypeError(f"{name} is {shown(value)}, but the keys are times; give a timedelta, which has a unit")
    if plain:
        try:
            return float(value) if family == "float" else operator.index(value)
        except (TypeError, ValueError, OverflowError):
            raise KeyTypeError(f"{name} is {shown(value)}, which is no distance of keys of type {family}") from None
    if not family.startswith(("datetime64", "timedelta64")):
        raise KeyTypeError(f"{name} is a timedelta64, but the keys are of type {family}")
    unit = np.dtype(family.split(" ")[0].replace("datetime64", "timedelta64"))
    if not np.can_cast(value.dtype, unit, "same_kind"):  # months have no length
        raise KeyTypeError(f"{name} is {value!r}, which is no distance of keys of type {family}")
    whole, rest = divmod(_attoseconds(value), unit_of(unit.name))
    if np.isnat(value) or (rest and name == "offsets"):
        raise InvalidArgument(f"{name} {value!r} is no number of units of {family}")
    return whole


def expect_offsets(values: Any) -> list[Any]:
    """Offsets as a list."""
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise KeyTypeError(f"offsets is {shown(values)}; it must be a list")
    return list(values)


def offset_of(value: Any) -> Any:
    """An offset as a number, or of times as a timedelta64."""
    length = _timed(value, "offsets")
    if isinstance(length, np.timedelta64):
        fine = np.timedelta64(length, "ns")
        return fine if length == fine else np.timedelta64(length, "us")  # which reaches further
    return float(length) if isinstance(length, Decimal) else length


def _offsets(values: Any, family: str) -> tuple[int | float, ...] | None:
    """The same for each of some values, which may be negative."""
    if values is None:
        return None
    distances = tuple(distance_of(offset, family, "offsets") for offset in expect_offsets(values))
    for distance in distances:
        if isinstance(distance, int) and not -(2**63) <= distance < 2**63:
            raise InvalidArgument(f"offsets has {distance}, which takes more than 64 bits")
    return distances


def asof_tolerance(tolerance: Any, family: str, name: str) -> int | float | None:
    """The largest distance of an as-of join, in units of the keys."""
    if tolerance is None:
        return None
    distance = distance_of(tolerance, family, name)
    if not distance >= 0:
        raise InvalidArgument(f"{name} is {shown(tolerance)}; it must be a number from 0 on")
    if isinstance(distance, float):
        return distance
    if distance >= 2**64 - 1:  # as far as keys of 64 bits can be apart
        return None
    if distance >= 2**63:
        raise InvalidArgument(f"{name} is {distance}; it must be less than 2**63, or at least 2**64 - 1")
    return distance
