# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Keys of both sides of a join: of the same unit, and of dictionaries the numbers of their words."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import Values
from ..errors import InvalidArgument, KeyTypeError, MixedError, UntypedError
from .families import common_families
from .parts import are_compared
from .values import read, read_typed


def _finer(left: str, right: str) -> str:
    """The family in which columns of two families are compared."""
    if "uuid" in (left, right):  # which text is compared with
        return "uuid"
    if left == right or "[" not in left or "[" not in right:
        return left
    unit, _, kind = left.partition(" ")
    return f"{np.promote_types(unit, right.partition(' ')[0]).name} {kind}".rstrip()


def typed(column: Any, name: str, others: tuple[tuple[Any, str], ...], rounding: str = "exact") -> Values:
    """Reads a column that is compared with others. Where it holds nulls alone, or nothing, or objects that no one type
    holds, it has the type of another."""
    try:
        return read(column, name)
    except (MixedError, UntypedError) as why:
        if not others and isinstance(why, MixedError):
            raise
        return read(column, name, typed(*others[0], others[1:]).family if others else "integer", rounding)


def key_pair(
    left: Any, right: Any, left_name: str, right_name: str, rounding: str = "equal", stream: Any = None
) -> tuple[Values, Values, str]:
    """Reads two columns whose values are compared with each other, and their family. On a device they stay as they are."""
    try:
        one, two = read(left, left_name, stream=stream), read(right, right_name, stream=stream)
    except (MixedError, UntypedError):
        one = typed(left, left_name, ((right, right_name),), rounding)
        two = typed(right, right_name, ((left, left_name),), rounding)
    sides = f"left has {left_name} of type {one.family}, right has {right_name} of type {two.family}"
    if one.family == two.family:
        return one, two, one.family
    if one.place is not None or two.place is not None:
        if not are_compared(one.family, two.family):
            raise KeyTypeError(f"{sides}, which are not compared on a device")
        return one, two, one.family
    if are_compared(one.family, two.family):
        one, two = read(left, left_name, "integer", rounding), read(right, right_name, "integer", rounding)
        return one, two, one.family if one.family == two.family else "float"
    if families := common_families(one.family, two.family):
        return _as_decimals(left, right, left_name, right_name, families, rounding)
    try:
        family = _finer(one.family, two.family)
    except TypeError:
        family = one.family
    read_one = read if one.size or two.size else read_typed  # a join of schemas tells whether types are compared
    for family in (family, two.family):  # objects that are nan alone are floats, or nulls of the other side's type
        try:
            return read_one(left, left_name, family, rounding), read_one(right, right_name, family, rounding), family
        except KeyTypeError:
            continue
    raise KeyTypeError(f"{sides}, which are not compared")


def _as_decimals(
    left: Any, right: Any, left_name: str, right_name: str, families: tuple[str, ...], rounding: str
) -> tuple[Values, Values, str]:
    """Reads both as decimals of the first family that holds all of them. Where equality counts alone, the last one need not:
    values that it does not hold equal none of the other side."""
    for family in families[:-1]:
        try:
            return read(left, left_name, family), read(right, right_name, family), family
        except (InvalidArgument, KeyTypeError):
            continue
    family, how = families[-1], "equal" if rounding == "equal" else "exact"
    return read(left, left_name, family, how), read(right, right_name, family, how), family


def ordered_pair(left: tuple[Any, str], right: tuple[Any, str]) -> tuple[Values, Values, str]:
    """The same for columns whose order counts: times that the finer unit does not reach become numbers of 128 bits."""
    columns, names = (left[0], right[0]), (left[1], right[1])
    try:
        return key_pair(*columns, *names, "exact")
    except InvalidArgument:
        return key_pair(*columns, *names, "wide")


# Dictionaries, whose values are looked up once per word.
