# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Dates, moments and durations, which are integers in the unit of the index. Their family names type, unit and kind."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

import numpy as np

from ._columns import beyond_part, empty_column, halves
from ._core import Part
from ._errors import InvalidArgument, KeyTypeError

_LIMITS = np.iinfo(np.int64)
_MONTHS = {"Y": 12, "M": 1}
_ATTOSECONDS = {
    "W": 604_800 * 10**18,
    "D": 86_400 * 10**18,
    "h": 3_600 * 10**18,
    "m": 60 * 10**18,
    "s": 10**18,
    "ms": 10**15,
    "us": 10**12,
    "ns": 10**9,
    "ps": 10**6,
    "fs": 10**3,
    "as": 1,
}
# Days of months beyond these may not fit 64 bits.
_MOST_MONTHS = 10**17


def arrow_times(format: str) -> tuple[np.dtype, str]:
    """The type of NumPy of Arrow's times, and what tells them from others."""
    if format[1] == "d":
        return np.dtype("M8[D]" if format == "tdD" else "M8[ms]"), ""
    kind = " UTC" if format[1] == "s" and format[4:] else " of day" if format[1] == "t" else ""
    unit = {"s": "s", "m": "ms", "u": "us", "n": "ns"}[format[2]]
    return np.dtype(f"{'M' if format[1] == 's' else 'm'}8[{unit}]"), kind


def unit_of(family: str) -> int:
    """How many attoseconds the unit of a family of times has, but for months; 1 for other families."""
    if "[" not in family:
        return 1
    name, count = np.datetime_data(np.dtype(family.partition(" ")[0]))
    return _ATTOSECONDS[name] * count


@dataclass(slots=True)
class _Converted:
    """Times in another unit: the whole units not above each, and what got lost."""

    numbers: np.ndarray
    inexact: np.ndarray  # which values are between two units
    beyond: np.ndarray  # 1 and -1 for values above and below all that the unit can hold, which become its limits

    def after(self, before: _Converted) -> _Converted:
        """Both conversions in turn."""
        first = before.beyond != 0
        self.numbers = np.where(first, np.where(before.beyond > 0, _LIMITS.max, _LIMITS.min), self.numbers)
        self.inexact = (self.inexact | before.inexact) & ~first
        self.beyond = np.where(first, before.beyond, self.beyond)
        return self


def _scaled(numbers: np.ndarray, times: int, over: int) -> _Converted:
    """The numbers times a fraction."""
    common = gcd(times, over)
    times, over = times // common, over // common
    exact = np.zeros(numbers.size, bool)
    inside = np.zeros(numbers.size, np.int8)
    if times == over:
        return _Converted(numbers, exact, inside)
    if times == 1 and over <= _LIMITS.max:
        found = numbers // over
        return _Converted(found, found * over != numbers, inside)
    if over == 1:
        most = _LIMITS.max // times
        inside = (numbers > most).astype(np.int8) - (numbers < -most)
        if not inside.any():
            return _Converted(numbers * min(times, _LIMITS.max), exact, inside)
    # The rare cases: Python's integers do not overflow.
    wide = numbers.astype(object) * times
    floors = wide // over
    inside = (floors > _LIMITS.max).astype(np.int8) - (floors < _LIMITS.min).astype(np.int8)
    inexact = (wide % over != 0).astype(bool) & (inside == 0)
    return _Converted(np.clip(floors, _LIMITS.min, _LIMITS.max).astype(np.int64), inexact, inside)


def _days_of_months(months: np.ndarray) -> _Converted:
    beyond = (months > _MOST_MONTHS).astype(np.int8) - (months < -_MOST_MONTHS)
    inside = np.where(beyond == 0, months, 0).view("M8[M]").astype("M8[D]").view(np.int64)
    days = _Converted(inside, np.zeros(months.size, bool), np.zeros(months.size, np.int8))
    return days.after(_Converted(months, days.inexact, beyond))


def _months_of_days(days: np.ndarray) -> _Converted:
    moments = days.view("M8[D]")
    months = moments.astype("M8[M]")
    return _Converted(months.view(np.int64), months.astype("M8[D]") != moments, np.zeros(days.size, np.int8))


def _converted(numbers: np.ndarray, given: np.dtype, own: np.dtype) -> _Converted:
    """Numbers of one unit in another one."""
    (unit, count), (own_unit, own_count) = np.datetime_data(given), np.datetime_data(own)
    if (unit in _MONTHS) == (own_unit in _MONTHS):
        scale = _MONTHS if unit in _MONTHS else _ATTOSECONDS
        return _scaled(numbers, scale[unit] * count, scale[own_unit] * own_count)
    day = _ATTOSECONDS["D"]
    if unit in _MONTHS:
        months = _scaled(numbers, _MONTHS[unit] * count, 1)
        days = _days_of_months(months.numbers).after(months)
        return _scaled(days.numbers, day, _ATTOSECONDS[own_unit] * own_count).after(days)
    days = _scaled(numbers, _ATTOSECONDS[unit] * count, day)
    found = _months_of_days(days.numbers).after(days)
    return _scaled(found.numbers, 1, _MONTHS[own_unit] * own_count).after(found)


def _wide(numbers: np.ndarray, given: np.dtype, own: np.dtype) -> np.ndarray:
    """Times in a finer unit, counted from so long ago that numbers of 128 bits without a sign hold them in order."""
    if np.datetime_data(given)[0] in _MONTHS and np.datetime_data(own)[0] not in _MONTHS:
        numbers, given = numbers.view(given).astype(f"{given.kind}8[D]").view(np.int64), np.dtype(f"{given.kind}8[D]")
    wide = numbers.astype(object) * unit_of(given.name) // unit_of(own.name) + 2**127
    return halves(np.clip(wide, 0, 2**128 - 1))


def time_part(array: np.ndarray, name: str, kind: str, family: str | None, rounding: str) -> tuple[Part, str]:
    """A value between two of the index's units becomes the lower one, or the upper one with rounding "up", or is a miss
    with rounding "equal". A value beyond all of the index's unit is as in `beyond_part`; with rounding "wide" none is,
    since the values become numbers of 128 bits."""
    missing = np.isnat(array)
    if np.datetime_data(array.dtype)[0] == "generic":
        if family and missing.all():
            return Part(empty_column(family, array.size), array.size, missing), family
        raise KeyTypeError(f"{name} has the type {array.dtype}, which names no unit")
    nulls = missing if missing.any() else None
    own_name, _, own_kind = (family or array.dtype.name + kind).partition(" ")
    if family and (own_name.split("[")[0] != array.dtype.name.split("[")[0] or own_kind != kind.strip()):
        raise KeyTypeError(f"{name} has the type {array.dtype}{kind}, but the keys are of type {family}")
    own = np.dtype(own_name)
    numbers = np.ascontiguousarray(array).view(np.int64)
    if own == array.dtype and rounding != "wide":
        return Part(numbers, array.size, nulls), own_name + kind
    months = [np.datetime_data(dtype)[0] in _MONTHS for dtype in (array.dtype, own)]
    if own.kind == "m" and months[0] != months[1]:
        raise KeyTypeError(f"{name} has the type {array.dtype}, but the keys are of type {own}; months have no length")
    if nulls is not None:
        numbers = np.where(missing, 0, numbers)
    if rounding == "wide":
        return Part(_wide(numbers, array.dtype, own), array.size, nulls), own_name + kind
    made = _converted(numbers, array.dtype, own)
    if rounding == "exact" and (made.inexact.any() or made.beyond.any()):
        raise InvalidArgument(f"{name} has values of type {array.dtype} that are none of the index's type {own}")
    part = beyond_part(made.numbers, made.beyond, nulls, rounding)
    if made.inexact.any():
        if rounding == "up":
            part.column = part.column + made.inexact
        elif rounding == "equal":
            part.misses = made.inexact if part.misses is None else part.misses | made.inexact
    return part, own_name + kind
