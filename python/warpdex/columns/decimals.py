# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Decimals of up to 38 digits, and integers of 128 bits, as integers of one scale.

A column of the family `decimal(s)` holds numbers of 64 bits in units of 10**-s. One whose numbers take more bits is of
the family `u128 decimal(s)`: numbers of 128 bits without a sign, 2**127 more than the values, whose order they have.
Integers of 2**127 and more, among which none is negative, are of the family `u128`: numbers of 128 bits as they are.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import numpy as np

from .._core import Part
from ..errors import InvalidArgument, KeyTypeError
from .parts import beyond_part, halves, wide_integers, wide_numbers
from .uuids import is_wide

_FAMILY = re.compile(r"(u128 )?decimal\((-?\d+)\)")
_ARROW = re.compile(r"d:(\d+),(-?\d+)(?:,\d+)?")
_MIDDLE = 1 << 127
_LARGEST = (1 << 63) - 1
_MOST_DIGITS = 18  # of all decimals that 64 bits hold


def scale_of(family: str | None) -> int | None:
    """The digits after the point of a family of decimals; None for another one."""
    found = _FAMILY.fullmatch(family or "")
    return None if found is None else int(found[2])


def common_families(one: str, two: str) -> tuple[str, ...]:
    """The families in which columns of two families are compared exactly, if both are of integers or decimals; integers
    have the scale 0."""
    first, second = (0 if family in ("integer", "u128") else scale_of(family) for family in (one, two))
    if first is None or second is None or one == two:
        return ()
    family = f"decimal({max(first, second)})"
    wide = (f"u128 {family}", "u128") if "u128" in (one, two) and first == second else (f"u128 {family}",)
    return wide if any(name.startswith("u128") for name in (one, two)) else (family, *wide)


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
    made: np.ndarray = wide_numbers(column) if column.ndim == 2 else column.astype(object)
    return made - _MIDDLE if family.startswith("u128 decimal") else made


def shown_decimals(numbers: np.ndarray, family: str) -> np.ndarray:
    """Keys of a family as decimals. @param numbers integers, as the index holds them"""
    scale = scale_of(family)
    assert scale is not None
    middle = _MIDDLE if family.startswith("u128") else 0
    made = np.empty(numbers.size, object)
    made[:] = [
        Decimal(f"{int(number) - middle}e{-scale}") for number in numbers.tolist()
    ]  # Decimal's methods would round
    return made


def decimals_listed(units: np.ndarray, missing: np.ndarray | None, scale: int) -> list[Decimal | None]:
    """Integers in units of 10**-scale as decimals, with None where they are missing."""
    made = shown_decimals(units, f"decimal({scale})").tolist()
    return made if missing is None else [None if gone else one for one, gone in zip(made, missing.tolist())]


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
