# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""What users pass becomes columns, in parts that are never joined together: arrays of numbers, or strings."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core import ArrowColumn, Part, Values
from ..errors import InvalidArgument, KeyTypeError

# An array of 32 or 64 bits; or strings: (bytes, offsets), or (bytes, width, count).
Column = Any

# Makes answers, of which some may be null, what the caller gets.
Giver = Callable[[Any, "np.ndarray | None"], Any]


def class_of(value: Any) -> tuple[str, str]:
    """The library and the name of a value's type. A subclass of a type of pandas, Polars or pyarrow, or of dict, is taken for
    that type."""
    kind: Any = type(value)
    return _nearest_known(kind)


@functools.cache
def _nearest_known(kind: type) -> tuple[str, str]:
    names = [(base.__module__.partition(".")[0], base.__name__) for base in kind.__mro__]
    bases = (name for name in names if name[0] in ("pandas", "polars", "pyarrow") or name == ("builtins", "dict"))
    return next(bases, names[0])


def of_class(constructor: Callable[[Any], Any], result: Any) -> Any:
    """A table or a column in the class that a caller has derived; as it is where its constructor does not take it."""
    try:
        return constructor(result)
    except TypeError:
        return result


def family_of(key_type: str) -> str:
    """The family of a key type of the library: only columns of one family are compared with each other."""
    return {
        "u32": "integer",
        "u64": "integer",
        "i32": "integer",
        "i64": "integer",
        "f32": "float",
        "f64": "float",
        "date": "datetime64[D]",
        "timestamp": "datetime64[us]",
        "bytes": "string",
    }.get(key_type, key_type)


def are_compared(family: str, other: str) -> bool:
    """Whether values of two families are compared with each other as they are."""
    return family == other or {family, other} == {"integer", "float"}


class OnHost:
    """A column on the host, as all libraries read it."""

    def __init__(self, core: ArrowColumn) -> None:
        self.core = core

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, ...]:
        return self.core.host_array()


def arrow_column(table: Any, name: Any) -> Any:
    """A column of a table of pyarrow with its own type: pyarrow gives those of extension types that it does not know as their
    storage."""
    unknown = (table.schema.field(name).metadata or {}).get(b"ARROW:extension:name")
    if unknown is not None:
        kind = unknown.decode(errors="replace")
        raise KeyTypeError(
            f"{name}: it has the Arrow extension type {kind!r}, which pyarrow does not know; give its storage"
        )
    return table.column(name)


class Keys(Values):
    """Keys that the library made, for indexes and for probes."""

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return f"<warpdex.lookups.Keys of {self.size} {self.family} keys>"

    def __reduce__(self) -> Any:
        if self.place is not None:
            raise KeyTypeError("keys on a device are not pickled")
        return keys_of, (self.family, self.parts[0].column, self.size, None, None, self.parts[0].nulls)


def keys_of(
    family: str,
    column: Column,
    size: int,
    give: Giver | None = None,
    place: Any = None,
    nulls: np.ndarray | None = None,
) -> Keys:
    """Keys in one array."""
    return Keys(family, [Part(column, size, nulls)], size, give, name="keys", place=place)


def beyond_part(
    numbers: np.ndarray, beyond: np.ndarray, nulls: np.ndarray | None, rounding: str, keys_reach_down: bool = False
) -> Part:
    """A part of numbers of which those beyond a type, above (1) or below (-1), have become its limits.

    They equal no key. Rounded down, what is above has the neighbours and bounds of the limit; rounded up, it is a miss,
    since a key may equal the limit. Below it is the other way round, if keys reach down to the limit.
    """
    wrong = {"equal": beyond != 0, "up": beyond > 0, "down": (beyond < 0) & keys_reach_down}.get(rounding)
    return Part(numbers, len(numbers), nulls, wrong if wrong is not None and wrong.any() else None)


def halves(numbers: np.ndarray) -> np.ndarray:
    """Integers of Python from 0 to 2**128 - 1 as a column: rows of their lower and their upper half."""
    column = np.empty((numbers.size, 2), np.uint64)
    column[:, 0], column[:, 1] = numbers & 2**64 - 1, numbers >> 64
    return column


def wide_numbers(column: np.ndarray) -> np.ndarray:
    """The integers of Python of such a column."""
    numbers: np.ndarray = (column[:, 1].astype(object) << 64) + column[:, 0].astype(object)
    return numbers


def wide_integers(numbers: np.ndarray, nulls: np.ndarray | None, name: str, rounding: str) -> Part:
    """Integers as keys that are numbers of 128 bits without a sign."""
    beyond = -(numbers < 0).astype(np.int8)
    if numbers.dtype == object:
        beyond += (numbers >= 2**128).astype(np.int8)
        column = halves(np.clip(numbers, 0, 2**128 - 1))
    else:
        column = np.zeros((numbers.size, 2), np.uint64)
        column[:, 0] = np.maximum(numbers, 0)
    if rounding == "exact" and beyond.any():
        raise InvalidArgument(f"{name} holds {numbers[beyond != 0][0]}, which 128 bits without a sign do not hold")
    return beyond_part(column, beyond, nulls, rounding, True)


def narrowed(part: Part, name: str, rounding: str) -> Part:
    """Days of 64 bits as those of 32 bits."""
    limits = np.iinfo(np.int32)
    beyond = (part.column > limits.max).astype(np.int8) - (part.column < limits.min)
    if rounding == "exact" and beyond.any():
        raise InvalidArgument(f"{name} has the day {part.column[beyond != 0][0]}, which 32 bits do not hold")
    days = part.column.clip(limits.min, limits.max).astype(np.int32)
    result = beyond_part(days, beyond, part.nulls, rounding, True)
    if result.misses is None or part.misses is not None:
        result.misses = part.misses if result.misses is None else part.misses | result.misses
    result.size, result.codes = part.size, part.codes
    return result


def without_float(column: np.ndarray) -> np.ndarray:
    """Which integers no float of 64 bits equals."""
    large = np.flatnonzero((column > 2**53) | (column < -(2**53)))
    odd = np.zeros(column.size, bool)
    odd[large] = [int(float(number)) != number for number in column[large].tolist()]
    return odd


def empty_column(family: str, size: int) -> Column:
    """Some column of a family, for values that are all null."""
    if family in ("string", "uuid"):
        return np.empty(0, np.uint8), np.zeros(size + 1, np.int64)
    if family.startswith("u128"):
        return np.zeros((size, 2), np.uint64)
    return np.zeros(size, {"float": np.float64, "bool": np.uint32}.get(family, np.int64))
