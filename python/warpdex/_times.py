# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Dates, moments and durations, which are integers in the unit of the index. Their family names type, unit and kind."""

from __future__ import annotations

import numpy as np

from . import _core
from ._columns import beyond_part, empty_column
from ._core import Part
from ._errors import InvalidArgument, KeyTypeError

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
        raise InvalidArgument(f"{name} has values of type {array.dtype} that are none of the index's type {own}")
    part = Part(made, array.size, nulls) if beyond is None else beyond_part(made, beyond, nulls, rounding)
    if inexact is not None:
        if rounding == "up":
            part.column = part.column + inexact
        elif rounding == "equal":
            part.misses = inexact if part.misses is None else part.misses | inexact
    return part, own_name + kind
