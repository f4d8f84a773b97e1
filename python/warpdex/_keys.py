# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Keys of both sides of a join: of the same unit and, if there are several columns, as one column of tuples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from . import _core, _pieces
from ._columns import Column, Part, Values, are_compared, gathered, pieces_of
from ._errors import InvalidArgument, KeyTypeError, UntypedError
from ._values import read


def _finer(left: str, right: str) -> str:
    """The family in which columns of two families are compared."""
    if "uuid" in (left, right):  # which text is compared with
        return "uuid"
    if left == right or "[" not in left or "[" not in right:
        return left
    unit, _, kind = left.partition(" ")
    return f"{np.promote_types(unit, right.partition(' ')[0]).name} {kind}".rstrip()


def typed(column: Any, name: str, others: tuple[tuple[Any, str], ...]) -> Values:
    """Reads a column that is compared with others. Where it holds nulls alone, or nothing, it has the type of another."""
    try:
        return read(column, name)
    except UntypedError:
        return read(column, name, typed(*others[0], others[1:]).family if others else "integer")


def key_pair(
    left: Any, right: Any, left_name: str, right_name: str, rounding: str = "equal"
) -> tuple[Values, Part, str]:
    """Reads two columns whose values are compared with each other. The left one stays in its parts."""
    one = typed(left, left_name, ((right, right_name),))
    two = typed(right, right_name, ((left, left_name),))
    if one.family == two.family:
        return one, gathered(two.parts), one.family
    if are_compared(one.family, two.family):
        # Objects that are all nan are nulls when compared with integers.
        one, two = read(left, left_name, "integer", rounding), read(right, right_name, "integer", rounding)
        if one.family == two.family:
            return one, gathered(two.parts), one.family
        return (*_numbers(one, two, rounding), "float")
    try:
        family = _finer(one.family, two.family)
    except TypeError:
        family = one.family
    sides = f"left has {left_name} of type {one.family}, right has {right_name} of type {two.family}"
    for family in (family, two.family):  # objects that are nan alone are floats, or nulls of the other side's type
        try:
            one = read(left, left_name, family, rounding)
            return one, gathered(read(right, right_name, family, rounding).parts), family
        except KeyTypeError:
            continue
    raise KeyTypeError(f"{sides}, which are not compared")


def ordered_pair(left: tuple[Any, str], right: tuple[Any, str]) -> tuple[Values, Part, str]:
    """The same for columns whose order counts: times that the finer unit does not reach become numbers of 128 bits."""
    columns, names = (left[0], right[0]), (left[1], right[1])
    try:
        return key_pair(*columns, *names, "exact")
    except InvalidArgument:
        return key_pair(*columns, *names, "wide")


def _numbers(left: Values, right: Values, rounding: str) -> tuple[Values, Part]:
    """Integers and floats of two sides. Where they are to be equal, floats become integers."""
    if rounding == "equal":
        whole = right if left.family == "float" else left
        unsigned = all(part.column.dtype.kind == "u" for part in whole.parts)
        one, two = (
            side if side is whole else replace(side, parts=[_whole(part.plain(), unsigned) for part in side.parts])
            for side in (left, right)
        )
        left, right = one, two
    return left, gathered(right.parts)


def _whole(part: Part, unsigned: bool) -> Part:
    """Floats as integers of 64 bits. Those that equal none are misses."""
    low, high = (0.0, 2.0**64) if unsigned else (-(2.0**63), 2.0**63)
    floats = part.column
    equal = (np.floor(floats) == floats) & (floats >= low) & (floats < high)
    misses = ~equal if part.nulls is None else ~equal & ~part.nulls
    numbers = np.where(equal, floats, 0).astype(np.uint64 if unsigned else np.int64)
    return Part(numbers, part.size, part.nulls, misses if misses.any() else None)


# In the place of a type: integers of 64 bits of both kinds, as whether they are negative, and their bits.
_SPLIT = "split"


def _common_type(columns: list[Column]) -> Any:
    """In which type the columns of both sides of a join compare; None for that which they have."""
    if isinstance(columns[0], tuple) or len({column.dtype for column in columns}) == 1:
        return None
    wide = np.result_type(*columns)
    if wide.kind != "f" or columns[0].dtype.kind == "f":
        return wide
    most = np.iinfo(np.int64).max
    return _SPLIT if any(c.dtype == np.uint64 and c.size and int(c.max()) > most for c in columns) else np.int64


class TupleKeys:
    """Several columns of both sides of a join as one column of keys.

    With `nullable` nulls equal each other, or else a key is null if one of its columns is. `single` tells that one column
    is such a key as it is, in the types that the sides have.
    """

    def __init__(self, pairs: list[tuple[Values, Part, str]], nullable: bool, threads: int) -> None:
        self._lefts = tuple(left for left, _, _ in pairs)
        self._nullable, self._threads = nullable, threads
        self._types = [_common_type([part.column for part in left.parts] + [right.column]) for left, right, _ in pairs]
        with_nulls = pairs[0][0].nulls() is not None or pairs[0][1].nulls is not None
        self.single = len(pairs) == 1 and self._types[0] is not _SPLIT and not (nullable and with_nulls)
        self.right = pairs[0][1] if self.single else self._key(tuple(right for _, right, _ in pairs))

    @property
    def left(self) -> Values:
        """The keys of the left side, piece by piece."""
        first = self._lefts[0]
        if self.single:
            return first
        pieces = pieces_of(self._lefts, _pieces.PIECE) if first.size else [tuple(one.parts[0] for one in self._lefts)]
        parts = [self._key(parts) for parts in pieces]
        return Values("", parts, first.size)

    def in_one_type(self, part: Part) -> Part:
        """A key in the type that both sides have; of tuples all are."""
        kind = self._types[0] if self.single else None
        return part if kind is None else Part(part.column.astype(kind), part.size, part.nulls, part.misses)

    def _key(self, parts: tuple[Part, ...]) -> Part:
        columns: list[Any] = []
        nulls: np.ndarray | None = None
        for part, kind in zip(parts, self._types):
            values, seen = part.plain().column, part.nulls if self._nullable else None
            if kind is _SPLIT:
                columns.append((Part((values < 0).astype(np.uint32), part.size, seen), self._nullable))
                values = values.astype(np.uint64)
            elif kind is not None:
                values = values.astype(kind)
            columns.append((Part(values, part.size, seen), self._nullable))
            if part.nulls is not None and not self._nullable:
                nulls = part.nulls if nulls is None else nulls | part.nulls
        misses = [part.misses for part in parts if part.misses is not None]
        return Part(
            _core.encode(columns, self._threads),
            parts[0].size,
            nulls,
            np.logical_or.reduce(misses) if misses else None,
        )
