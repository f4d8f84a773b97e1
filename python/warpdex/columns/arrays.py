# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of NumPy and of Arrow, and objects of Python, become parts of columns.

Objects are numbers, strings, dates, times, UUIDs, decimals and addresses, with None among them. What a list says is never
what NumPy makes of it: that rounds integers among floats, and wraps far moments among fine ones.
"""

from __future__ import annotations

import datetime
import decimal
import ipaddress
import math
import uuid
from array import array as Array
from collections.abc import Iterator, KeysView, Sequence, ValuesView
from typing import Any

import numpy as np

from .. import _core
from .._core import Part
from ..errors import InvalidArgument, KeyTypeError, MixedError, UntypedError
from .families import (
    arrow_decimals,
    arrow_scale,
    arrow_times,
    decimal_objects,
    decimal_part,
    expect_strings,
    is_wide,
    period_objects,
    scale_of,
    takes_uuids,
    time_objects,
    time_part,
)
from .parts import are_compared, beyond_part, class_of, empty_column, wide_integers

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
    array: np.ndarray, name: str, family: str | None, rounding: str, kind: str = ""
) -> tuple[list[Part], str]:
    """Returns a NumPy array of any type as parts, and their family."""
    if array.dtype.kind in "OUT":
        words = family is None and array.dtype.kind != "O"  # which have a type even where there is none
        objects = _with_none(array) if array.dtype.kind == "T" else array.tolist()
        return object_parts(objects, name, "string" if words else family, rounding)
    if family and array.dtype.kind == "f" and _is_typed(family) and bool(np.isnan(array).all()):
        return [Part(empty_column(family, array.size), array.size, np.ones(array.size, bool))], family
    part, found = array_part(array, kind, name, family, rounding)
    return [part], found


def _with_none(array: np.ndarray) -> list[Any]:
    """Strings of NumPy's StringDType, with None for its object of missing ones."""
    absent = getattr(array.dtype, "na_object", _with_none)  # of a type without one, no value
    return [None if value is absent else value for value in array.tolist()]


def _is_typed(family: str) -> bool:
    """Whether keys of a family are no numbers, so that nan alone, which lists and pandas have for nothing, is null."""
    return family not in _NUMERIC and not family.startswith("tuple(")


def array_part(array: np.ndarray, kind: str, name: str, family: str | None, rounding: str) -> tuple[Part, str]:
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
    if not array.dtype.isnative and array.dtype.kind in "iufmM":
        raise KeyTypeError(f"{name} has the type {array.dtype} in foreign byte order; convert it with astype")
    found = _FAMILIES.get(array.dtype.kind, "")
    # Libraries give their own types, such as bfloat16, the kind of bytes.
    no_bytes = array.dtype.kind == "V" and (array.dtype.type is not np.void or array.dtype.fields or not array.itemsize)
    if not found or (array.dtype.itemsize > 8 and found != "string") or no_bytes:
        raise KeyTypeError(f"{name} has the type {array.dtype}; keys are integers, floats, bools, times and strings")
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


# Objects of Python.

_SIGNED, _UNSIGNED = np.iinfo(np.int64), np.iinfo(np.uint64)
_BEYOND = 2**65  # above all integers of 64 bits
_NULLS = ("NoneType", "NAType", "NaTType", "MaskedConstant")
_NUMERIC = {"integer", "float"}
_EXACT = ("exact", "wide")  # the roundings that change no number
_KINDS = {
    bool: "bool",
    np.bool_: "bool",
    int: "integer",
    float: "float",
    str: "string",
    bytes: "string",
    uuid.UUID: "uuid",
    datetime.date: "date",
    datetime.datetime: "datetime",
    datetime.timedelta: "timedelta",
    datetime.time: "time of day",
    decimal.Decimal: "decimal",
    ipaddress.IPv4Address: "integer",
    ipaddress.IPv6Address: "address",
}
_SCALARS = {"i": "integer", "u": "integer", "f": "float", "M": "datetime", "m": "timedelta"}


def _kind_of(type: type) -> str | None:
    """What objects of a type are; None for what is no key."""
    if type in _KINDS:
        return _KINDS[type]
    if type.__name__ in _NULLS:
        return "null"
    if type.__name__ == "Period" and type.__module__.partition(".")[0] == "pandas":
        return "period"
    for kind in type.__mro__:
        if (found := _KINDS.get(kind)) is not None:
            return found
    dtype = np.dtype(type) if issubclass(type, np.generic) else None
    return None if dtype is None or dtype.itemsize > 8 else _SCALARS.get(dtype.kind)


def is_objects(column: Any) -> bool:
    """Whether a column of Polars holds objects of Python, of which Arrow has the addresses."""
    return class_of(column)[0] == "polars" and str(getattr(column, "dtype", "")) == "Object"


def exact_array(values: Any) -> np.ndarray:
    """The array of NumPy that values are; one of objects where NumPy would make other values of what a list says."""
    if isinstance(values, (str, bytes)):
        return np.array(values, object)  # with the zero bytes at its end
    if not _is_list(values):
        return np.asarray(values)
    objects = values if isinstance(values, list) else list(values)
    types, _ = _core.types_in(objects)
    nests = (issubclass(type, (list, tuple, np.ndarray)) and type.__name__ not in _NULLS for type in types)
    if not any(nests):
        return _flat_array(objects, types)
    result = np.asarray(objects)
    leaves = list(_leaves(objects))
    return (
        _flat_array(leaves, _core.types_in(leaves)[0]).reshape(result.shape) if len(leaves) == result.size else result
    )


def _is_list(values: Any) -> bool:
    buffers = str, bytes, bytearray, memoryview, range, Array
    ordered = isinstance(values, (list, tuple, KeysView, ValuesView))
    return ordered or (isinstance(values, Sequence) and not isinstance(values, buffers))


def _leaves(objects: Any) -> Iterator[Any]:
    for item in objects:
        if isinstance(item, np.ndarray):
            yield from item.reshape(-1)
        elif isinstance(item, (list, tuple)):
            yield from _leaves(item)
        else:
            yield item


def _flat_array(objects: list[Any], types: list[type]) -> np.ndarray:
    kinds = {_kind_of(type) for type in types}
    if kinds and (kinds <= _NUMERIC or kinds == {"bool"} or (kinds == {None} and len(types) == 1)):
        result = np.asarray(objects)
        if result.dtype.kind != "f" or None in kinds or ("float" in kinds and not _odd_integers(objects, result)):
            return result
    result = np.empty(len(objects), object)
    result[:] = objects
    return result


def _odd_integers(objects: list[Any], numbers: np.ndarray) -> list[int]:
    """The positions of integers that differ from their floats in NumPy."""
    large = np.flatnonzero(np.abs(numbers) >= 2.0**53).tolist()  # each integer below is a float
    return [
        position
        for position in large
        if not _is_float(objects[position]) and int(objects[position]) != float(numbers[position])
    ]


def _kinds_among(objects: list[Any], name: str) -> tuple[dict[str, int], np.ndarray]:
    """The kinds of objects, with the position of the first one of each; and which objects are null."""
    types, numbers = _core.types_in(objects)
    if numbers is None:
        numbers = np.zeros(len(objects), np.int32)
    missing = np.zeros(len(objects), bool)
    kinds: dict[str, int] = {}
    for number, type in enumerate(types):
        kind = _kind_of(type)
        mask = numbers == number
        if kind is None:
            first = int(mask.argmax())
            raise KeyTypeError(f"{name}[{first}] is {objects[first]!r}, which is no key")
        if issubclass(type, (np.datetime64, np.timedelta64)):
            gone = [position for position in np.flatnonzero(mask).tolist() if np.isnat(objects[position])]
            missing[gone] = True
            mask[gone] = False
        elif kind == "null":
            missing |= mask
            continue
        if mask.any():
            kinds.setdefault(kind, int(mask.argmax()))
    return kinds, missing


def _without_nan(objects: list[Any], kinds: dict[str, int], missing: np.ndarray) -> None:
    """Makes nan null, as pandas has it among values that are no numbers."""
    missing |= np.fromiter((_is_float(value) and value != value for value in objects), bool, len(objects))
    if all(missing[i] for i, value in enumerate(objects) if _is_float(value)):
        del kinds["float"]


def object_parts(objects: list[Any], name: str, family: str | None, rounding: str) -> tuple[list[Part], str]:
    """Returns objects of kinds that are compared with each other as parts, and their family."""
    kinds, missing = _kinds_among(objects, name)
    if "float" in kinds and not (kinds.keys() <= _NUMERIC and family in (None, *_NUMERIC)):
        _without_nan(objects, kinds, missing)
    if "decimal" in kinds or scale_of(family) is not None:
        kinds.pop("integer", None)
    if not kinds and scale_of(family) is not None:
        kinds = {"decimal": 0}
    if "uuid" in kinds and takes_uuids(family):
        kinds.pop("string", None)
    if "datetime" in kinds:
        kinds.pop("date", None)  # a date is the moment at which it begins
    if len(kinds) > 1 and not kinds.keys() <= _NUMERIC:
        (_, first), (_, other) = list(kinds.items())[:2]
        raise KeyTypeError(f"{name} has {objects[first]!r} and {objects[other]!r}, which are not compared")
    if not kinds:
        if family is None:
            what = "holds nulls alone, which have" if objects else "is empty and has"
            raise UntypedError(f"{name} {what} no type; give an array that has one")
        nulls = missing if missing.any() else None
        return [Part(empty_column(family, len(objects)), len(objects), nulls)], family
    return _parts_of(objects, set(kinds), missing, name, family, rounding)


def _parts_of(
    objects: list[Any], kinds: set[str], missing: np.ndarray, name: str, family: str | None, rounding: str
) -> tuple[list[Part], str]:
    kind = "float" if "float" in kinds else next(iter(kinds))
    nulls = missing if missing.any() else None
    if kind == "decimal":
        part, found = decimal_objects(objects, missing, name, family, rounding)
        return [part], found
    if is_wide(family) and kind in ("integer", "address") or family is None and kind == "address":
        numbers = np.array([0 if gone else int(value) for value, gone in zip(objects, missing.tolist())], object)
        return [wide_integers(numbers, nulls, name, rounding)], family or "u128"
    if kind == "address":
        raise KeyTypeError(f"{name} holds IPv6 addresses, but the keys are of type {family}")
    if kind == "integer" and family not in (None, *_NUMERIC):
        raise KeyTypeError(f"{name} holds integers, but the keys are of type {family}")
    if kind in ("float", "bool") and family is not None and not are_compared(kind, family):
        raise KeyTypeError(f"{name} holds values of type {kind}, but the keys are of type {family}")
    if kind in _NUMERIC:
        return _numbers(objects, kinds, missing, name, family, rounding)
    if kind == "bool":
        flags = np.zeros(len(objects), np.uint32)
        flags[~missing] = [value for value, gone in zip(objects, missing.tolist()) if not gone]
        return [Part(flags, len(objects), nulls)], kind
    if kind in ("string", "uuid"):
        column = _strings(objects, missing)
        if family and takes_uuids(family) or (family is None and kind == "uuid"):
            text = np.fromiter((isinstance(value, str) for value in objects), bool, len(objects))
            return [_core.uuids(column, name, nulls, text, is_wide(family))], family or kind
        expect_strings(kind, name, family)
        return [Part(column, len(objects), nulls)], kind
    if kind == "period":
        part, found = period_objects(objects, missing, name, family)
    else:
        part, found = time_objects(objects, missing, name, kind, family, rounding)
    return [part], found


def _strings(objects: list[Any], missing: np.ndarray) -> Any:
    def plain(value: Any) -> bytes:
        return value.encode() if isinstance(value, str) else value.bytes if isinstance(value, uuid.UUID) else value

    found = [b"" if gone else plain(value) for value, gone in zip(objects, missing.tolist())]
    offsets = np.zeros(len(found) + 1, np.uint64)
    np.cumsum(np.fromiter(map(len, found), np.uint64, len(found)), out=offsets[1:])
    return np.frombuffer(b"".join(found), np.uint8), offsets


def _numbers(
    objects: list[Any], kinds: set[str], missing: np.ndarray, name: str, family: str | None, rounding: str
) -> tuple[list[Part], str]:
    """Integers and floats as floats if these hold all, or if the keys are floats; else as integers."""
    if "float" not in kinds and family != "float":
        return _integers(objects, missing, rounding, name), "integer"
    numbers = np.array([0.0 if gone else nearest_float(value) for value, gone in zip(objects, missing.tolist())])
    odd = _odd_integers(objects, numbers)
    if not odd or family == "float":
        return [_floats(objects, numbers, odd, missing, rounding, name)], "float" if "float" in kinds else "integer"
    between = np.array([not gone and not _is_whole(value) for value, gone in zip(objects, missing.tolist())])
    if between.any() and (family is None or rounding in _EXACT):
        part = objects[int(between.argmax())]
        if family is None:
            raise MixedError(f"{name} has {objects[odd[0]]} and {part}, and no type of numbers holds both")
        raise InvalidArgument(f"{name} has {part}, which is no integer")
    return _integers(objects, missing, rounding, name, between), "integer"


def _is_float(value: Any) -> bool:
    return isinstance(value, (float, np.floating))


def nearest_float(value: Any) -> float:
    """The float next to a number."""
    try:
        return float(value if _is_float(value) else int(value))
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _is_whole(value: Any) -> bool:
    return not _is_float(value) or float(value).is_integer()


def _whole(value: Any, up: bool) -> int:
    """The integer next to a number, above or below. Above all numbers is nan."""
    if not _is_float(value):
        return int(value)
    if not math.isfinite(value):
        return -_BEYOND if value < 0 else _BEYOND
    return int(math.ceil(value) if up else math.floor(value))


def _floats(
    objects: list[Any], numbers: np.ndarray, odd: list[int], missing: np.ndarray, rounding: str, name: str
) -> Part:
    """An integer that no float equals becomes the next float up or down, or is a miss. @param odd where these are"""
    misses = np.zeros(len(objects), bool)
    for position in odd:
        value, near = int(objects[position]), float(numbers[position])
        if rounding in _EXACT:
            raise InvalidArgument(f"{name}[{position}] is {value}, which no float equals")
        misses[position] = rounding == "equal"
        if (near > value) == (rounding == "down"):  # Python compares both exactly
            numbers[position] = math.nextafter(near, -math.inf if rounding == "down" else math.inf)
    return Part(numbers, len(objects), missing if missing.any() else None, misses if misses.any() else None)


def _integers(
    objects: list[Any], missing: np.ndarray, rounding: str, name: str, between: np.ndarray | None = None
) -> list[Part]:
    """Integers of any size. Where no type holds all, runs of them alternate between two.

    @param between which of the numbers are floats between two integers, or not finite
    """
    up = rounding == "up"
    wide = np.array([0 if gone else _whole(value, up) for value, gone in zip(objects, missing.tolist())], object)
    above, below = (wide > _UNSIGNED.max).astype(bool), (wide < _SIGNED.min).astype(bool)
    if rounding in _EXACT and (above | below).any():
        raise InvalidArgument(f"{name} holds {wide[above | below][0]}, which 64 bits do not hold")
    unsigned = (wide > _SIGNED.max).astype(bool)
    if not (wide < 0).any():
        unsigned[:] = unsigned.any()
    borders = [0, *(np.flatnonzero(unsigned[1:] != unsigned[:-1]) + 1).tolist(), wide.size]
    parts = []
    for begin, end in zip(borders, borders[1:]):
        limits = _UNSIGNED if unsigned[begin] else _SIGNED
        numbers = np.clip(wide[begin:end], limits.min, limits.max).astype(limits.dtype)
        gone = missing[begin:end]
        beyond = above[begin:end].astype(np.int8) - below[begin:end]
        part = beyond_part(numbers, beyond, gone if gone.any() else None, rounding, True)
        if rounding == "equal" and between is not None and between[begin:end].any():
            part.misses = between[begin:end] if part.misses is None else part.misses | between[begin:end]
        parts.append(part)
    return parts
