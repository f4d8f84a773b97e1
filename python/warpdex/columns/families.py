# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Families of values that are integers or bytes to the library: times, decimals and UUIDs.

The family of dates, moments and durations names their type, unit and kind; they are integers in the unit of the index.

A column of the family `decimal(s)` holds numbers of 64 bits in units of 10**-s: decimals of up to 38 digits, or integers
of 128 bits. One whose numbers take more bits is of the family `u128 decimal(s)`: numbers of 128 bits without a sign,
2**127 more than the values, whose order they have. Integers of 2**127 and more, among which none is negative, are of the
family `u128`: numbers of 128 bits as they are.

UUIDs are 16 bytes in network order, which are strings or numbers of 128 bits to the library. They come as such bytes, as
objects, and as text of 36 letters.
"""

from __future__ import annotations

import datetime
import functools
import re
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np

from .. import _core
from .._core import Part
from ..errors import InvalidArgument, KeyTypeError, MixedError
from .parts import beyond_part, empty_column, halves, wide_integers, wide_numbers

# Times.

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
    result, inexact, beyond = _core.times_in(numbers, *units)
    if rounding == "exact" and not inexact is beyond is None:
        odd = array[int((inexact if beyond is None else beyond != 0).argmax())]
        raise InvalidArgument(f"{name} has {odd} of type {array.dtype}, which is none of the index's type {own}")
    part = Part(result, array.size, nulls) if beyond is None else beyond_part(result, beyond, nulls, rounding)
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
    kept_at, kept = np.flatnonzero(~missing), [value for value, gone in zip(objects, missing.tolist()) if not gone]
    groups, of = _by_unit(kept, kind, name)
    if family is None and len(groups) > 1:
        family = _common_family([array for _, array in groups], name, of)
    parts = [time_part(array, name, of, family, rounding) for _, array in groups]
    width = parts[0][0].column.shape[1:]  # of numbers of 128 bits
    column = np.zeros((len(objects), *width), np.uint64 if width else np.int64)
    misses = np.zeros(len(objects), bool)
    for (among, _), (part, _) in zip(groups, parts):
        column[kept_at[among]] = part.column
        misses[kept_at[among]] = False if part.misses is None else part.misses
    nulls = missing if missing.any() else None
    return Part(column, len(objects), nulls, misses if misses.any() else None), parts[0][1]


def _by_unit(values: list[Any], kind: str, name: str) -> tuple[list[tuple[Any, np.ndarray]], str]:
    """Times as arrays of NumPy of one unit each, with their positions; and what tells them from others."""
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
    positions: dict[np.dtype[Any], list[int]] = {}
    for position, scalar in enumerate(scalars):
        positions.setdefault(scalar.dtype, []).append(position)
    of = " UTC" if zoned[0] else ""
    return [(some, np.array([scalars[position] for position in some], dtype)) for dtype, some in positions.items()], of


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
            result: np.timedelta64 = np.int64(microseconds // count).view(f"m8[{unit}]")
            return result
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
        coarse
        for coarse in _UNITS[_UNITS.index(unit) + 1 :]
        if finest.kind == "M" or coarse not in _MONTHS or unit == "M"
    ]
    families = [f"{finest.name}{of}", *(f"{kind}[{coarse}]{of}" for coarse in coarser)]
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


# Periods of pandas, which are numbers of their unit: those of two units are not compared. Their family is `period(unit)`.


def period_part(
    ordinals: np.ndarray, missing: np.ndarray, unit: str, name: str, family: str | None
) -> tuple[Part, str]:
    """Periods of a unit, as pandas numbers them from 1970 on."""
    own = f"period({unit})"
    if family not in (None, own):
        raise KeyTypeError(
            f"{name} holds periods of {unit}, but the keys are of type {family}; asfreq converts periods"
        )
    column = np.where(missing, 0, ordinals).astype(np.int64)
    return Part(column, column.size, missing if missing.any() else None), own


def period_objects(objects: list[Any], missing: np.ndarray, name: str, family: str | None) -> tuple[Part, str]:
    """Objects that are periods, of one unit."""
    units = dict.fromkeys(value.freqstr for value, gone in zip(objects, missing.tolist()) if not gone)
    if len(units) > 1:
        raise KeyTypeError(f"{name} has periods of {' and '.join(units)}, which are not compared; asfreq converts them")
    ordinals = np.array([0 if gone else value.ordinal for value, gone in zip(objects, missing.tolist())], np.int64)
    return period_part(ordinals, missing, next(iter(units)), name, family)


def _shown_periods(column: np.ndarray, family: str) -> np.ndarray:
    import pandas

    kind: Any = pandas.PeriodIndex
    unit = family.removeprefix("period(").removesuffix(")")
    return np.asarray(kind.from_ordinals(column.astype(np.int64), freq=unit), object)


# Decimals, and integers of 128 bits.

_FAMILY = re.compile(r"(u128 )?decimal\((-?\d+)\)")
_ARROW = re.compile(r"d:(\d+),(-?\d+)(?:,\d+)?")
_MIDDLE = 1 << 127
_LARGEST = (1 << 63) - 1
_MOST_DIGITS = 18  # of all decimals that 64 bits hold


def scale_of(family: str | None) -> int | None:
    """The digits after the point of a family of decimals; None for another one."""
    found = _FAMILY.fullmatch(family or "")
    return None if found is None else int(found[2])


def common_families(left: str, right: str) -> tuple[str, ...]:
    """The families in which columns of two families are compared exactly, if both are of integers or decimals; integers
    have the scale 0."""
    first, second = (0 if family in ("integer", "u128") else scale_of(family) for family in (left, right))
    if first is None or second is None or left == right:
        return ()
    family = f"decimal({max(first, second)})"
    wide = (f"u128 {family}", "u128") if "u128" in (left, right) and first == second else (f"u128 {family}",)
    return wide if any(name.startswith("u128") for name in (left, right)) else (family, *wide)


def widest(families: list[str]) -> str:
    """The family of a column of which these are the families of its chunks: some may need more bits than others."""
    return max(families, key=lambda family: family.startswith("u128") + is_wide(family))


def family_of_all(format: str) -> str | None:
    """The family that holds all values of an Arrow type, if 64 bits do not; None for another type."""
    if format == "_plu128":
        return "u128"
    found = _ARROW.fullmatch(format)
    narrow = found is not None and int(found[1]) <= _MOST_DIGITS
    return None if narrow or (scale := arrow_scale(format)) is None else f"u128 decimal({scale})"


def arrow_scale(format: str) -> int | None:
    """The scale of an Arrow type of decimals or of Polars' integers of 128 bits; None for others."""
    found = _ARROW.fullmatch(format)
    return int(found[2]) if found else 0 if format in ("_pli128", "_plu128") else None


def arrow_decimals(
    format: str, values: Any, nulls: np.ndarray | None, name: str, family: str | None, rounding: str
) -> tuple[Part, str]:
    """A chunk of Arrow, whose values are numbers of up to 64 bits, or their 16 bytes."""
    scale = arrow_scale(format)
    assert scale is not None
    if not isinstance(values, tuple):
        return decimal_part(values.astype(np.int64), scale, nulls, name, family, rounding)
    both = np.frombuffer(np.ascontiguousarray(values[0]).tobytes(), np.uint64).reshape(-1, 2)
    if nulls is not None:
        both = np.where(nulls[:, None], np.uint64(0), both)
    low, high = np.ascontiguousarray(both.T).view(np.int64)
    if format != "_plu128" and (high == low >> 63).all():
        return decimal_part(low, scale, nulls, name, family, rounding)
    signs = 0 if format == "_plu128" else (high < 0).astype(object) << 128
    return decimal_part(wide_numbers(both) - signs, scale, nulls, name, family, rounding)


def decimal_objects(
    objects: list[Any], missing: np.ndarray, name: str, family: str | None, rounding: str
) -> tuple[Part, str]:
    """Objects of Python that are decimals."""
    parts = [(0, 0) if gone else whole(value, name) for value, gone in zip(objects, missing.tolist())]
    scale = max((digits for _, digits in parts), default=0)
    numbers = np.array([number * 10 ** (scale - digits) for number, digits in parts], object)
    nulls = missing if missing.any() else None
    return decimal_part(numbers, scale, nulls, name, family, rounding, f"decimal({scale})")


def whole(value: Any, name: str) -> tuple[int, int]:
    """A decimal, or an integer, as an integer and its digits after the point."""
    if not isinstance(value, Decimal):
        return int(value), 0
    if not value.is_finite():
        raise InvalidArgument(f"{name} has {value}, which is no number")
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    number = int("".join(map(str, digits)) or "0") * (-1 if sign else 1)
    return (number * 10**exponent, 0) if exponent > 0 else (number, -exponent)


def decimal_part(
    numbers: np.ndarray,
    scale: int,
    nulls: np.ndarray | None,
    name: str,
    family: str | None,
    rounding: str,
    own: str | None = None,
) -> tuple[Part, str]:
    """Numbers in units of 10**-scale as a part of a family, a new one unless it is given.

    @param numbers int64, or integers of Python @param own the family of values that 64 bits hold
    """
    numbers = _narrowed(numbers)
    if family is None:
        family = own or ("integer" if scale == 0 else f"decimal({scale})")
        if numbers.dtype == object:
            beyond = scale == 0 and bool((numbers >= _MIDDLE).any()) and not (numbers < 0).any()
            family = "u128" if beyond else f"u128 decimal({scale})"
    wanted = 0 if family == "integer" or is_wide(family) else scale_of(family)
    if wanted is None:
        raise KeyTypeError(f"{name} holds decimals, but the keys are of type {family}")
    numbers, between = _rescaled(numbers, scale, wanted, rounding)
    if nulls is not None and between is not None:
        between &= ~nulls
    if rounding == "exact" and between is not None and between.any():
        raise InvalidArgument(f"{name} has a value with more digits after the point than {family} holds")
    held = wide_integers if is_wide(family) else _wide if family.startswith("u128") else _plain
    part = held(numbers, nulls, name, rounding)
    if rounding == "equal" and between is not None and between.any():
        part.misses = between if part.misses is None else part.misses | between
    return part, family


def _narrowed(numbers: np.ndarray) -> np.ndarray:
    if numbers.dtype == np.uint64:
        return numbers.astype(object) if (numbers > np.uint64(_LARGEST)).any() else numbers.astype(np.int64)
    if numbers.dtype != object:
        return numbers.astype(np.int64, copy=False)
    fits = all(-_LARGEST - 1 <= number <= _LARGEST for number in numbers.tolist())
    return numbers.astype(np.int64) if fits else numbers


def _rescaled(numbers: np.ndarray, scale: int, wanted: int, rounding: str) -> tuple[np.ndarray, np.ndarray | None]:
    """Numbers in units of 10**-wanted, and which of them are between two of these units."""
    if wanted >= scale:
        factor = 10 ** (wanted - scale)
        if numbers.dtype != object and numbers.size:
            most = max(abs(int(numbers.min())), abs(int(numbers.max())))
            if most * factor > _LARGEST:
                numbers = numbers.astype(object)
        return (numbers * factor if factor != 1 else numbers), None
    divisor = 10 ** (scale - wanted)
    if divisor > _LARGEST:
        numbers = numbers.astype(object)
    whole = numbers // divisor
    between = (numbers - whole * divisor != 0).astype(bool)
    return whole + between.astype(np.int64) if rounding == "up" else whole, between


def _plain(numbers: np.ndarray, nulls: np.ndarray | None, name: str, rounding: str) -> Part:
    if numbers.dtype != object:
        return Part(numbers, numbers.size, nulls)
    above, below = (numbers > _LARGEST).astype(bool), (numbers < -_LARGEST - 1).astype(bool)
    if rounding == "exact" and (above | below).any():
        raise InvalidArgument(f"{name} holds {numbers[above | below][0]}, which 64 bits do not hold")
    held = np.clip(numbers, -_LARGEST - 1, _LARGEST).astype(np.int64)
    return beyond_part(held, above.astype(np.int8) - below, nulls, rounding, True)


def _wide(numbers: np.ndarray, nulls: np.ndarray | None, name: str, rounding: str) -> Part:
    if numbers.dtype != object:
        column = np.empty((numbers.size, 2), np.uint64)
        column[:, 0] = numbers.view(np.uint64)
        column[:, 1] = (numbers >> 63).view(np.uint64) ^ np.uint64(1 << 63)
        return Part(column, numbers.size, nulls)
    above, below = (numbers >= _MIDDLE).astype(bool), (numbers < -_MIDDLE).astype(bool)
    if rounding == "exact" and (above | below).any():
        raise InvalidArgument(f"{name} holds {numbers[above | below][0]}, which 128 bits do not hold")
    held = halves(np.clip(numbers, -_MIDDLE, _MIDDLE - 1) + _MIDDLE)
    return beyond_part(held, above.astype(np.int8) - below, nulls, rounding, True)


def exact_numbers(column: Any, family: str) -> np.ndarray:
    """A column of numbers as integers of Python, in units of its family."""
    result: np.ndarray = wide_numbers(column) if column.ndim == 2 else column.astype(object)
    return result - _MIDDLE if family.startswith("u128 decimal") else result


def _shown_decimals(numbers: np.ndarray, family: str) -> np.ndarray:
    """Keys of a family as decimals. @param numbers integers, as the index holds them"""
    scale = scale_of(family)
    assert scale is not None
    middle = _MIDDLE if family.startswith("u128") else 0
    result = np.empty(numbers.size, object)
    result[:] = [
        Decimal(f"{int(number) - middle}e{-scale}") for number in numbers.tolist()
    ]  # Decimal's methods would round
    return result


def decimals_listed(units: np.ndarray, missing: np.ndarray | None, scale: int) -> list[Decimal | None]:
    """Integers in units of 10**-scale as decimals, with None where they are missing."""
    result = _shown_decimals(units, f"decimal({scale})").tolist()
    return result if missing is None else [None if gone else number for number, gone in zip(result, missing.tolist())]


def decimal_distance(value: Any, family: str, name: str) -> int:
    """A distance between decimals in units of the keys, rounded down if it is a tolerance."""
    scale = scale_of(family)
    assert scale is not None
    if isinstance(value, float) or not isinstance(value, (Decimal, int, np.integer, str)):
        raise KeyTypeError(f"{name} is {value!r}, which is no distance of keys of type {family}")
    try:
        number, digits = whole(Decimal(value) if isinstance(value, str) else value, name)
    except ArithmeticError:
        raise KeyTypeError(f"{name} is {value!r}, which is no distance of keys of type {family}") from None
    units, rest = divmod(number * int(10**scale), int(10**digits))
    if rest and name != "tolerance":
        raise InvalidArgument(f"{name} {value} is no number of units of {family}")
    return units


# UUIDs.

_WIDTH = 16


def takes_uuids(family: str | None) -> bool:
    """Whether keys of a family are compared with UUIDs."""
    return family is not None and (family == "uuid" or is_wide(family))


def is_wide(family: str | None) -> bool:
    """Whether keys of a family are numbers of 128 bits."""
    return family is not None and family.startswith("u128") and "decimal" not in family


def expect_strings(found: str, name: str, family: str | None) -> None:
    """Checks that strings, or UUIDs, which are not compared with others, may be probes."""
    if family in (None, found):
        return
    if found == "uuid" and family == "string":
        raise KeyTypeError(f"{name} holds UUIDs, but the keys are strings; ask with their texts, or their bytes")
    raise KeyTypeError(f"{name} holds {'UUIDs' if found == 'uuid' else 'strings'}, but the keys are of type {family}")


def are_uuids(core: _core.Index) -> bool:
    """Whether keys of a file without a note are UUIDs by their form: the first one, the middle one and the last one."""
    _, keys, _, size, _ = core.describe()
    if keys != "bytes" or not size or not core.facts()["ordered"]:
        return False
    found: Any = core.keys_at(np.array([0, size // 2, size - 1], np.uint64), 0)
    if (np.diff(found[1]) != _WIDTH).any():
        return False
    result = found[0].reshape(3, _WIDTH)
    version = result[:, 6] >> 4
    return bool(((result[:, 8] >> 6 == 2) & (version >= 1) & (version <= 8)).all())


def shown_values(column: Any, family: str) -> np.ndarray:
    """Values of a family as an array of NumPy: strings are bytes, numbers of 128 bits integers, decimals those of
    Python."""
    if scale_of(family) is not None:
        return _shown_decimals(wide_numbers(column) if column.ndim == 2 else column, family)
    if family.startswith("period("):
        return _shown_periods(column, family)
    unit, _, kind = family.partition(" ")
    result: np.ndarray
    if isinstance(column, tuple):
        held, ends = column[0].tobytes(), column[1].tolist()
        result = np.empty(len(ends) - 1, object)
        result[:] = [held[a:b] for a, b in zip(ends, ends[1:])]
    elif column.ndim == 2:
        result = wide_numbers(column)
    elif "[" in unit:
        result = column.astype(np.int64).view(unit)
    else:
        result = column.astype(bool) if family == "bool" else column
    if "uuid" in (unit, kind):
        result[:] = [UUID(bytes=key) if isinstance(key, bytes) else UUID(int=key) for key in result]
    return result


# Families that files know only by a note; the type of their keys is that of plain numbers or strings.
_NOTED = re.compile(
    r"(M8|m8)\[\d*(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\]( UTC| of day)?|bool|uuid|(u128 )?decimal\(-?\d+\)"
    r"|period\([\w-]+\)|tuple\(.+\)|narrow\([0-9a-f]{8}\)"
)


def note_of(family: str) -> str:
    """What a file says of keys that are times, bools, UUIDs, decimals, tuples or of a narrow encoder."""
    note = family.replace("datetime64", "M8").replace("timedelta64", "m8").replace("u128 uuid", "uuid")
    return note if _NOTED.fullmatch(note) else ""


def noted_family(note: str) -> str | None:
    """The family of a note; None for a note of others."""
    return note.replace("M8", "datetime64").replace("m8", "timedelta64") if _NOTED.fullmatch(note) else None


def family_over(plain: str, noted: str | None) -> str:
    """The family of keys whose type has a plain family. Another note means nothing."""
    if noted is None or noted == plain:
        return plain
    if noted.startswith("tuple("):
        return noted if plain in ("string", "u128", "integer") else plain
    if noted == "uuid":
        return {"string": noted, "u128": "u128 uuid"}.get(plain, plain)
    return noted if plain == "integer" or noted == f"{plain} uuid" or noted.startswith(f"{plain} decimal") else plain
