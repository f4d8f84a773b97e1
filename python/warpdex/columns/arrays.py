# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of NumPy and of Arrow become parts of columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._core import Part
from ..errors import KeyTypeError, UntypedError
from .decimals import arrow_decimals, arrow_scale, decimal_part, scale_of
from .objects import object_parts
from .parts import are_compared, empty_column, wide_integers
from .times import arrow_times, time_part
from .uuids import expect_strings, is_wide, takes_uuids

NUMBERS = frozenset(np.dtype(name) for name in ("i4", "i8", "u4", "u8", "f4", "f8"))
_WIDER = {1: 4, 2: 4, 4: 4, 8: 8}
_FAMILIES = {"i": "integer", "u": "integer", "f": "float", "b": "bool", "S": "string", "V": "string"}


def _fixed_strings(array: np.ndarray) -> Any:
    """Strings of type S, which NumPy holds without the zero bytes at their ends."""
    width = array.dtype.itemsize
    letters = np.ascontiguousarray(array).view(np.uint8).reshape(array.size, width)
    lengths = width - (letters[:, ::-1] != 0).argmax(axis=1) if width else np.zeros(array.size, np.int64)
    lengths = np.where((letters != 0).any(axis=1), lengths, 0)
    offsets = np.zeros(array.size + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return letters[np.arange(width) < lengths[:, None]], offsets


def array_parts(
    array: np.ndarray, name: str, family: str | None = None, rounding: str = "exact", kind: str = ""
) -> tuple[list[Part], str]:
    """Returns a NumPy array of any type as parts, and their family."""
    if array.dtype.kind in "OU":
        words = family is None and array.dtype.kind == "U"  # which have a type even where there is none
        return object_parts(array.tolist(), name, "string" if words else family, rounding)
    part, found = array_part(array, kind, name, family, rounding)
    return [part], found


def array_part(
    array: np.ndarray, kind: str, name: str, family: str | None = None, rounding: str = "exact"
) -> tuple[Part, str]:
    """Returns a NumPy array as a part, and its family.

    A contiguous array of 32 or 64 bits is taken as it is. Narrower numbers are widened, strided arrays copied.
    `kind` tells moments with a time zone and times of a day from others.
    """
    if array.dtype in NUMBERS:
        found = _FAMILIES[array.dtype.kind]
        if family is None or found == family or are_compared(found, family):
            return Part(np.ascontiguousarray(array), array.size), found
    if array.dtype.kind in "mM" and array.dtype.isnative:
        return time_part(array, name, kind, family, rounding)
    found = _FAMILIES.get(array.dtype.kind, "")
    # Libraries give their own types, such as bfloat16, the kind of bytes.
    no_bytes = array.dtype.kind == "V" and (array.dtype.type is not np.void or array.dtype.fields or not array.itemsize)
    if not found or (array.dtype.itemsize > 8 and found != "string") or no_bytes:
        raise KeyTypeError(f"{name} has the type {array.dtype}; keys are integers, floats, bools, times and strings")
    if not array.dtype.isnative:
        raise KeyTypeError(f"{name} has the type {array.dtype} in foreign byte order; convert it with astype")
    if found == "integer" and scale_of(family) is not None:
        return decimal_part(array, 0, None, name, family, rounding)
    if found == "integer" and family and is_wide(family):
        return wide_integers(array, None, name, rounding), family
    as_uuids = found == "string" and takes_uuids(family)
    if family and not are_compared(found, family) and not as_uuids:
        raise KeyTypeError(f"{name} has the type {array.dtype}, but the keys are of type {family}")
    if found == "string":
        text, width = array.dtype.kind == "S", array.dtype.itemsize
        plain = np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint8)
        column = _fixed_strings(array) if text else (plain, width, array.size)
        if family and as_uuids:
            return _core.uuids(column, name, None, text, is_wide(family)), family
        return Part(column, array.size), found
    if found == "bool":
        return Part(array.astype(np.uint32), array.size), found
    wide = np.dtype(f"{array.dtype.kind}{_WIDER.get(array.dtype.itemsize, 4)}")
    return Part(np.ascontiguousarray(array, wide), array.size), found


def _viewed(format: str, values: np.ndarray) -> tuple[np.ndarray, str]:
    """Numbers of an Arrow type as those of NumPy, and what tells times from others."""
    if format in ("b", "e"):
        return values.view(np.bool_ if format == "b" else np.float16), ""
    if format[0] != "t":
        return values, ""
    dtype, kind = arrow_times(format)
    return values.astype(np.int64, copy=False).view(dtype), kind


class Words:
    """Dictionaries of chunks that were read as parts: each once, if adjacent chunks share it."""

    def __init__(self) -> None:
        self._last: tuple[Any, Part, str] | None = None

    def part(self, dictionary: Any, name: str, family: str | None, rounding: str) -> tuple[Part, str]:
        if self._last is None or self._last[0] is not dictionary:
            self._last = dictionary, *arrow_part(dictionary, name, family, rounding, self)
        return self._last[1:]


def arrow_part(chunk: Any, name: str, family: str | None, rounding: str, words: Words) -> tuple[Part, str]:
    """Returns a chunk that `_core.read_arrow` gave as a part, and its family."""
    format, size, values, missing, dictionary = chunk
    nulls = None if missing is None else missing.view(np.bool_)
    if dictionary is not None:
        part, found = words.part(dictionary, name, family, rounding)
        if part.nulls is not None and size:  # a dictionary may hold null itself
            missing_too = part.nulls.take(values, mode="clip")
            nulls = missing_too if nulls is None else missing_too | nulls
        misses = None if part.misses is None else part.misses.take(values, mode="clip")
        part = Part(part.column, size, None, misses, values)
    elif values is None:  # the null type
        if family is None:
            raise UntypedError(f"{name} is of the null type, which is no type of keys")
        return Part(empty_column(family, size), size, np.ones(size, bool)), family
    elif arrow_scale(format) is not None:
        part, found = arrow_decimals(format, values, nulls, name, family, rounding)
    elif isinstance(values, tuple):
        found = "uuid" if format == "uuid" else "string"
        if family and takes_uuids(family):
            text, found = format in ("u", "U", "vu"), family
            part = _core.uuids(values, name, nulls, text, is_wide(family))
        else:
            expect_strings(found, name, family)
            part = Part(values, size)
    else:
        part, found = array_part(*_viewed(format, values), name, family, rounding)
    if nulls is not None:
        part.nulls = nulls if part.nulls is None else part.nulls | nulls
        if part.misses is not None:
            part.misses = part.misses & ~part.nulls
    return part, found
