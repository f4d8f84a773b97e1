# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Keys of both sides of a join: of the same unit and, if there are several columns, as one column of tuples."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._columns import Column, Part, gathered
from ._errors import KeyTypeError
from ._pieces import bits_of
from ._values import read


def _finer(left: str, right: str) -> str:
    """The family in which columns of two families are compared."""
    if left == right or "[" not in left or "[" not in right:
        return left
    unit, _, kind = left.partition(" ")
    return f"{np.promote_types(unit, right.partition(' ')[0]).name} {kind}".rstrip()


def key_pair(left: Any, right: Any, left_name: str, right_name: str) -> tuple[Part, Part, str]:
    """Reads two columns whose values are compared with each other."""
    one, two = read(left, left_name), read(right, right_name)
    if one.family == two.family:
        return gathered(one.parts), gathered(two.parts), one.family
    try:
        family = _finer(one.family, two.family)
    except TypeError:
        family = one.family
    one, two = (read(left, left_name, family) if one.family != family else one), read(right, right_name, family)
    return gathered(one.parts), gathered(two.parts), family


def same_numbers(left: Part, right: Part, what: str) -> tuple[Column, Column]:
    """The columns of two parts in one type."""
    one, two = left.column, right.column
    if isinstance(one, tuple) or one.dtype == two.dtype:
        return one, two
    if one.dtype.kind == two.dtype.kind == "f":
        return one.astype(np.float64), two.astype(np.float64)
    if np.result_type(one, two).kind == "f":  # i8 and u8: those beyond i8 are none of the other side
        for column in (one, two):
            if column.dtype.kind == "u" and column.size and int(column.max()) > np.iinfo(np.int64).max:
                raise KeyTypeError(f"{what} holds {column.max()} on one side, and negative numbers may be on the other")
        return one.astype(np.int64), two.astype(np.int64)
    wide = np.result_type(one, two)
    return one.astype(wide), two.astype(wide)


def tuple_keys(
    pairs: list[tuple[Part, Part, str]], names: list[str], nullable: bool, threads: int = 0
) -> tuple[Part, Part]:
    """Makes one key of several columns on both sides. With `nullable` nulls equal each other, or else a key is null if
    one of its columns is."""
    if len(pairs) == 1 and not (nullable and (pairs[0][0].nulls is not None or pairs[0][1].nulls is not None)):
        return pairs[0][0], pairs[0][1]
    numbers = [same_numbers(left, right, name) for (left, right, _), name in zip(pairs, names)]
    sides = []
    for side in (0, 1):
        columns = []
        nulls: np.ndarray | None = None
        for pair, columns_of in zip(pairs, numbers):
            missing = (pair[0], pair[1])[side].nulls
            columns.append((columns_of[side], bits_of(missing) if nullable else None, nullable))
            if missing is not None and not nullable:
                nulls = missing if nulls is None else nulls | missing
        sides.append(Part(_core.encode(columns, threads), (pairs[0][0], pairs[0][1])[side].size, nulls))
    return sides[0], sides[1]
