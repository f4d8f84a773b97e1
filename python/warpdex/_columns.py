# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""What users pass becomes columns, in parts that are never joined together: arrays of numbers, or strings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._errors import InvalidArgument, KeyTypeError

# An array of 32 or 64 bits; or strings: (bytes, offsets), or (bytes, width, count).
Column = Any

_WIDER = {1: 4, 2: 4, 4: 4, 8: 8}
_FAMILIES = {"i": "integer", "u": "integer", "f": "float", "b": "bool", "S": "string", "U": "string", "O": "string"}
_EMPTY = {"integer": "i8", "float": "f8", "bool": "?", "string": "S1"}
_NUMBERS = frozenset(np.dtype(name) for name in ("i4", "i8", "u4", "u8", "f4", "f8"))


def family_of(key_type: str) -> str:
    """The family of a key type of the library: only columns of one family are compared with each other."""
    return {
        "u32": "integer",
        "u64": "integer",
        "i32": "integer",
        "i64": "integer",
        "f32": "float",
        "f64": "float",
        "bytes": "string",
    }.get(key_type, key_type)


@dataclass(slots=True)
class Part:
    """A stretch of a column."""

    column: Column
    size: int
    nulls: np.ndarray | None = None  # which values are null
    misses: np.ndarray | None = None  # which values equal no key, whatever the keys are
    codes: np.ndarray | None = None  # of a dictionary: which of the column's values each value is

    def cut(self, begin: int, end: int) -> Part:
        """The values [begin, end)."""

        def some(array: np.ndarray | None) -> Any:
            return None if array is None else array[begin:end]

        column = self.column if self.codes is not None else cut_column(self.column, begin, end)
        return Part(column, end - begin, some(self.nulls), some(self.misses), some(self.codes))

    def absent(self) -> np.ndarray | None:
        """Which values are null or misses."""
        if self.nulls is None or self.misses is None:
            return self.nulls if self.misses is None else self.misses
        both: np.ndarray = self.nulls | self.misses
        return both

    def plain(self) -> Part:
        """The same without a dictionary."""
        if self.codes is None:
            return self
        if column_size(self.column) == 0:
            return Part(
                np.zeros(self.size, np.uint32) if isinstance(self.column, np.ndarray) else no_strings(self.size),
                self.size,
                self.nulls,
                self.misses,
            )
        return Part(take_column(self.column, self.codes), self.size, self.nulls, self.misses)


def column_size(column: Column) -> int:
    if isinstance(column, tuple):
        return column[2] if len(column) == 3 else len(column[1]) - 1
    return len(column)


def no_strings(size: int) -> Column:
    return np.empty(0, np.uint8), np.zeros(size + 1, np.int64)


def cut_column(column: Column, begin: int, end: int) -> Column:
    if not isinstance(column, tuple):
        return column[begin:end]
    if len(column) == 3:
        return column[0][begin * column[1] : end * column[1]], column[1], end - begin
    return column[0], column[1][begin : end + 1]


def _spans(column: Column) -> tuple[np.ndarray, np.ndarray]:
    """Where each string begins, and its length."""
    if len(column) == 3:
        return np.arange(column[2], dtype=np.int64) * column[1], np.full(column[2], column[1], np.int64)
    offsets = column[1].astype(np.int64)
    return offsets[:-1], np.diff(offsets)


def take_column(column: Column, positions: np.ndarray) -> Column:
    """The values at some positions. Positions outside are taken for the nearest one."""
    if not isinstance(column, tuple):
        return column.take(positions, mode="clip")
    begins, lengths = _spans(column)
    begins, lengths = begins.take(positions, mode="clip"), lengths.take(positions, mode="clip")
    offsets = np.zeros(len(positions) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    places = np.arange(offsets[-1]) + np.repeat(begins - offsets[:-1], lengths)
    return column[0][places], offsets


def gathered(parts: list[Part]) -> Part:
    """One part with the values of all, for builds, which take one array."""
    if len(parts) == 1 and parts[0].codes is None:
        return parts[0]
    plain = [part.plain() for part in parts]
    size = sum(part.size for part in plain)
    nulls = None
    if any(part.absent() is not None for part in plain):
        nulls = np.concatenate([np.zeros(part.size, bool) if (n := part.absent()) is None else n for part in plain])
    if isinstance(plain[0].column, tuple):
        offsets, used, at = np.zeros(size + 1, np.int64), 0, 0
        pieces = []
        for part in plain:
            begins, lengths = _spans(part.column)
            first = int(begins[0]) if part.size else 0
            length = int(lengths.sum())
            pieces.append(part.column[0][first : first + length])
            offsets[at + 1 : at + part.size + 1] = used + np.cumsum(lengths)
            used, at = used + length, at + part.size
        return Part((np.concatenate(pieces), offsets), size, nulls)
    return Part(np.concatenate([part.column for part in plain]), size, nulls)


def _strings(array: np.ndarray, name: str) -> tuple[Column, np.ndarray | None]:
    found, missing = [], []
    for position, value in enumerate(array.tolist()):
        if isinstance(value, str):
            value = value.encode()
        if not isinstance(value, bytes):
            # pandas has several values that are null.
            if (
                value is None
                or type(value).__name__ in ("NAType", "NaTType")
                or (type(value) is float and value != value)
            ):
                missing.append(position)
                value = b""
            else:
                raise KeyTypeError(f"{name}[{position}] is {value!r}, which is neither str nor bytes")
        found.append(value)
    offsets = np.zeros(len(found) + 1, np.uint64)
    np.cumsum(np.fromiter(map(len, found), np.uint64, len(found)), out=offsets[1:])
    nulls = None
    if missing:
        nulls = np.zeros(len(found), bool)
        nulls[missing] = True
    return (np.frombuffer(b"".join(found), np.uint8), offsets), nulls


def _fixed_strings(array: np.ndarray) -> Column:
    """Strings of type S, which NumPy holds without the zero bytes at their ends."""
    width = array.dtype.itemsize
    letters = np.ascontiguousarray(array).view(np.uint8).reshape(array.size, width)
    lengths = width - (letters[:, ::-1] != 0).argmax(axis=1) if width else np.zeros(array.size, np.int64)
    lengths = np.where((letters != 0).any(axis=1), lengths, 0)
    offsets = np.zeros(array.size + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return letters[np.arange(width) < lengths[:, None]], offsets


def _times(array: np.ndarray, name: str, kind: str, family: str | None, rounding: str) -> tuple[Part, str]:
    """Dates, moments and durations are integers in the unit of the index; their family names type, unit and kind.

    A value between two of the index's units becomes the lower one, or the upper one with rounding "up", or is a miss
    with rounding "equal".
    """
    missing = np.isnat(array)
    nulls = missing if missing.any() else None
    own_name, _, own_kind = (family or array.dtype.name + kind).partition(" ")
    if family and (own_name.split("[")[0] != array.dtype.name.split("[")[0] or own_kind != kind.strip()):
        raise KeyTypeError(f"{name} has the type {array.dtype}{kind}, but the keys are of type {family}")
    own = np.dtype(own_name)
    if own == array.dtype:
        return Part(np.ascontiguousarray(array.view(np.int64)), array.size, nulls), own_name + kind
    numbers = array.astype(own)
    back = numbers.astype(array.dtype)
    inexact = back != array
    if nulls is not None:
        inexact &= ~nulls
    if not inexact.any():
        return Part(numbers.view(np.int64), array.size, nulls), own_name + kind
    if rounding == "exact":
        raise InvalidArgument(f"{name} has values of type {array.dtype} that are none of the index's type {own}")
    numbers = numbers.view(np.int64).copy()
    numbers[inexact & (back > array)] -= 1
    if rounding == "up":
        numbers[inexact] += 1
    return Part(numbers, array.size, nulls, inexact if rounding == "equal" else None), own_name + kind


def array_part(
    array: np.ndarray, name: str, family: str | None = None, rounding: str = "exact", kind: str = ""
) -> tuple[Part, str]:
    """Returns a NumPy array as a part, and its family.

    A contiguous array of 32 or 64 bits is taken as it is. Narrower numbers are widened, strided arrays copied.
    `kind` tells moments with a time zone and times of a day from others.
    """
    if array.dtype in _NUMBERS:
        found = _FAMILIES[array.dtype.kind]
        if family is None or found == family:
            return Part(np.ascontiguousarray(array), array.size), found
    if array.dtype.kind in "mM" and array.dtype.isnative:
        return _times(array, name, kind, family, rounding)
    found = _FAMILIES.get(array.dtype.kind, "")
    if not found or (array.dtype.itemsize > 8 and found != "string"):
        raise KeyTypeError(f"{name} has the type {array.dtype}; keys are integers, floats, bools, times and strings")
    if not array.dtype.isnative:
        raise KeyTypeError(f"{name} has the type {array.dtype} in foreign byte order; convert it with astype")
    if family and found != family:
        raise KeyTypeError(f"{name} has the type {array.dtype}, but the keys are of type {family}")
    if array.dtype.kind == "S":
        return Part(_fixed_strings(array), array.size), found
    if found == "string":
        strings, nulls = _strings(array, name)
        return Part(strings, array.size, nulls), found
    if found == "bool":
        return Part(array.astype(np.uint32), array.size), found
    wide = np.dtype(f"{array.dtype.kind}{_WIDER.get(array.dtype.itemsize, 4)}")
    return Part(np.ascontiguousarray(array, wide), array.size), found


_TIMES = {"s": "s", "m": "ms", "u": "us", "n": "ns"}


def _arrow_values(
    format: str, values: Any, size: int, name: str, family: str | None, rounding: str
) -> tuple[Part, str]:
    if values is None:  # the null type
        if family is None:
            raise KeyTypeError(f"{name} is of the null type, which is no type of keys")
        column = (
            no_strings(size)
            if family == "string"
            else np.zeros(
                size, np.int64 if " " in family or "64[" in family else np.float64 if family == "float" else np.uint32
            )
        )
        return Part(column, size, np.ones(size, bool)), family
    if isinstance(values, tuple):
        if family not in (None, "string"):
            raise KeyTypeError(f"{name} holds strings, but the keys are of type {family}")
        return Part(values, size), "string"
    kind = ""
    if format == "b":
        values = values.view(np.bool_)
    elif format == "e":
        values = values.view(np.float16)
    elif format == "tdD":
        values = values.astype(np.int64).view("M8[D]")
    elif format == "tdm":
        values = values.view("M8[ms]")
    elif format.startswith("ts"):
        values, kind = values.view(f"M8[{_TIMES[format[2]]}]"), " UTC" if format[4:] else ""
    elif format.startswith("tD"):
        values = values.view(f"m8[{_TIMES[format[2]]}]")
    elif format.startswith("tt"):
        values, kind = values.astype(np.int64).view(f"m8[{_TIMES[format[2]]}]"), " of day"
    return array_part(values, name, family, rounding, kind)


def arrow_part(chunk: Any, name: str, family: str | None, rounding: str) -> tuple[Part, str]:
    """Returns a chunk that `_core.read_arrow` gave as a part, and its family."""
    format, size, values, missing, dictionary = chunk
    if dictionary is None:
        part, found = _arrow_values(format, values, size, name, family, rounding)
    else:
        part, found = arrow_part(dictionary, name, family, rounding)
        codes = values
        if (inner := part.nulls) is not None and size:  # a dictionary may hold null itself
            missing_too = inner.take(codes, mode="clip")
            missing = missing_too if missing is None else missing_too | missing.view(np.bool_)
        part = Part(
            part.column, size, None, None if part.misses is None else part.misses.take(codes, mode="clip"), codes
        )
    if missing is not None:
        part.nulls = missing.view(np.bool_) if part.nulls is None else part.nulls | missing.view(np.bool_)
        if part.misses is not None:
            part.misses = part.misses & ~part.nulls
    return part, found


def row_ids(rows: Any, size: int, itemsize: int | None = None) -> np.ndarray:
    """Returns row ids as int32 or int64: in their own type, or in one of `itemsize` bytes."""
    array = np.asarray(rows)
    if array.dtype.kind not in "iu" and array.size:
        raise KeyTypeError(f"rows has the type {array.dtype}; row ids are integers")
    if array.shape != (size,):
        raise InvalidArgument(f"rows has the shape {array.shape}, but there are {size} keys")
    wide = np.dtype(f"i{itemsize or (8 if array.dtype.itemsize == 8 else 4)}")
    if array.size and (array.min() < 0 or int(array.max()) > np.iinfo(wide).max):
        raise InvalidArgument(f"rows reach from {array.min()} to {array.max()}; {wide} holds 0 to {np.iinfo(wide).max}")
    return np.ascontiguousarray(array, wide)
