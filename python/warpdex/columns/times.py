# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Dates, moments and durations, which are integers in the unit of the index. Their family names type, unit and kind."""

from __future__ import annotations

import datetime
import functools
from typing import Any

import numpy as np

from .. import _core
from .._core import Part
from ..errors import InvalidArgument, KeyTypeError, MixedError
from .parts import beyond_part, empty_column

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
_MONTHS = {"Y": 12, "M": 1}
_UNITS = (*reversed(_ATTOSECONDS), *reversed(_MONTHS))  # from fine to coarse


def arrow_times(format: str) -> tuple[np.dtype, str]:
    """The type of NumPy of Arrow's times, and what tells them from others."""
    if format[1] == "d":
        return np.dtype("M8[D]" if format == "tdD" else "M8[ms]"), ""
    kind = " UTC" if format[1] == "s" and format[4:] else " of day" if format[1] == "t" else ""
    unit = {"s": "s", "m": "ms", "u": "us", "n": "ns"}[format[2]]
    return np.dtype(f"{'M' if format[1] == 's' else 'm'}8[{unit}]"), kind


def unit_of(family: str) -> int:
    """How many attoseconds the unit of a family of times has, or how many months; 1 for other families."""
    if "[" not in family:
        return 1
    name, count = np.datetime_data(np.dtype(family.partition(" ")[0]))
    return (_MONTHS.get(name) or _ATTOSECONDS[name]) * count


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
    units = *np.datetime_data(array.dtype), *np.datetime_data(own)
    if own.kind == "m" and (units[0] in "YM") != (units[2] in "YM"):
        raise KeyTypeError(f"{name} has the type {array.dtype}, but the keys are of type {own}; months have no length")
    if nulls is not None:
        numbers = np.where(missing, 0, numbers)
    if rounding == "wide":
        return Part(_core.wide_times_in(numbers, *units), array.size, nulls), own_name + kind
    made, inexact, beyond = _core.times_in(numbers, *units)
    if rounding == "exact" and not inexact is beyond is None:
        odd = array[int((inexact if beyond is None else beyond != 0).argmax())]
        raise InvalidArgument(f"{name} has {odd} of type {array.dtype}, which is none of the index's type {own}")
    part = Part(made, array.size, nulls) if beyond is None else beyond_part(made, beyond, nulls, rounding)
    if inexact is not None:
        if rounding == "up":
            part.column = part.column + inexact
        elif rounding == "equal":
            part.misses = inexact if part.misses is None else part.misses | inexact
    return part, own_name + kind


def time_objects(
    objects: list[Any], missing: np.ndarray, name: str, kind: str, family: str | None, rounding: str
) -> tuple[Part, str]:
    """Objects that are moments, durations or times of day, each unit by itself. If no family is given, it is that of the
    finest unit that holds all of them."""
    places, kept = np.flatnonzero(~missing), [value for value, gone in zip(objects, missing.tolist()) if not gone]
    groups, of = _by_unit(kept, kind, name)
    if family is None and len(groups) > 1:
        family = _common_family([array for _, array in groups], name, of)
    parts = [time_part(array, name, of, family, rounding) for _, array in groups]
    width = parts[0][0].column.shape[1:]  # of numbers of 128 bits
    column = np.zeros((len(objects), *width), np.uint64 if width else np.int64)
    misses = np.zeros(len(objects), bool)
    for (among, _), (part, _) in zip(groups, parts):
        column[places[among]] = part.column
        misses[places[among]] = False if part.misses is None else part.misses
    nulls = missing if missing.any() else None
    return Part(column, len(objects), nulls, misses if misses.any() else None), parts[0][1]


def _by_unit(values: list[Any], kind: str, name: str) -> tuple[list[tuple[Any, np.ndarray]], str]:
    """Times as arrays of NumPy of one unit each, with their places; and what tells them from others."""
    zoned = [_has_zone(value) for value in values]
    if any(zoned) and not all(zoned):
        raise KeyTypeError(f"{name} has times with and without a time zone, which are not compared")
    if kind == "time of day":
        if any(zoned):
            raise KeyTypeError(f"{name} has times of day with a time zone, which are no keys")
        day = datetime.date(1970, 1, 1)
        moments = np.array([datetime.datetime.combine(day, value) for value in values], "M8[us]")
        return [(slice(None), moments.view("m8[us]"))], " of day"
    if kind == "date":
        return [(slice(None), np.array(values, "M8[D]"))], ""
    scalars = list(map(_scalar, values))
    places: dict[np.dtype[Any], list[int]] = {}
    for place, one in enumerate(scalars):
        places.setdefault(one.dtype, []).append(place)
    of = " UTC" if zoned[0] else ""
    return [(some, np.array([scalars[place] for place in some], dtype)) for dtype, some in places.items()], of


def _has_zone(value: Any) -> bool:
    if getattr(value, "tzinfo", None) is None:
        return False
    return isinstance(value, datetime.time) or value.utcoffset() is not None


def _scalar(value: Any) -> Any:
    """A moment or a duration as a scalar of NumPy, a moment with a time zone in UTC."""
    if hasattr(value, "to_numpy"):  # pandas' own, which have nanoseconds
        return value.to_numpy()
    if isinstance(value, datetime.timedelta):
        return timedelta_of(value)
    if isinstance(value, datetime.datetime):
        plain = np.datetime64(value.replace(tzinfo=None), "us")
        return plain if value.tzinfo is None else plain - timedelta_of(value.utcoffset() or datetime.timedelta())
    return np.datetime64(value, "D") if isinstance(value, datetime.date) else value


def timedelta_of(value: datetime.timedelta) -> np.timedelta64:
    """A duration as a scalar of NumPy, which wraps those that its microseconds do not hold."""
    if abs(value.days) < 10**8:
        return np.timedelta64(value)
    microseconds = value // datetime.timedelta(microseconds=1)
    for unit, count in (("us", 1), ("ms", 10**3), ("s", 10**6)):
        if microseconds % count == 0 and abs(microseconds // count) < 2**63:
            made: np.timedelta64 = np.int64(microseconds // count).view(f"m8[{unit}]")
            return made
    raise InvalidArgument(f"{value!r} takes more than 64 bits")


def _common_family(arrays: list[np.ndarray], name: str, of: str) -> str:
    """The family of the finest unit that holds times of several units."""
    try:
        finest: Any = functools.reduce(np.promote_types, [array.dtype for array in arrays])
    except TypeError:
        units = " and ".join(str(array.dtype) for array in arrays[:2])
        raise KeyTypeError(f"{name} has the types {units}, which are not compared") from None
    kind, unit = finest.name.split("[")[0], np.datetime_data(finest)[0]
    coarser = [
        one for one in _UNITS[_UNITS.index(unit) + 1 :] if finest.kind == "M" or one not in _MONTHS or unit == "M"
    ]
    families = [f"{finest.name}{of}", *(f"{kind}[{one}]{of}" for one in coarser)]
    for family in families:
        try:
            for array in arrays:
                time_part(array, name, of, family, "exact")
        except InvalidArgument:
            continue
        return family
    beyond = [(array, time_part(array, name, of, families[0], "equal")[0].misses) for array in arrays]
    far = next(array[int(misses.argmax())] for array, misses in beyond if misses is not None)
    raise MixedError(f"{name} has {far}, which {finest} does not hold, and times that no coarser unit holds")
