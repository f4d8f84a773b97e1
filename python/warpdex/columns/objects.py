# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Objects of Python: numbers, strings, dates, times, UUIDs, decimals and addresses, with None among them. What a list
says is never what NumPy makes of it: that rounds integers among floats, and wraps far moments among fine ones."""

from __future__ import annotations

import datetime
import decimal
import ipaddress
import math
import uuid
from array import array as Array
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .. import _core
from .._core import Part
from ..errors import InvalidArgument, KeyTypeError, MixedError, UntypedError
from .decimals import decimal_objects, scale_of
from .parts import are_compared, beyond_part, empty_column, wide_integers
from .times import time_objects
from .uuids import expect_strings, is_wide, takes_uuids

_SIGNED, _UNSIGNED = np.iinfo(np.int64), np.iinfo(np.uint64)
_BEYOND = 2**65  # above all integers of 64 bits
_NULLS = ("NoneType", "NAType", "NaTType", "MaskedConstant")
_NUMBERS = {"integer", "float"}
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
    for kind in type.__mro__:
        if (found := _KINDS.get(kind)) is not None:
            return found
    dtype = np.dtype(type) if issubclass(type, np.generic) else None
    return None if dtype is None or dtype.itemsize > 8 else _SCALARS.get(dtype.kind)


def is_objects(column: Any) -> bool:
    """Whether a column of Polars holds objects of Python, of which Arrow has the addresses."""
    return type(column).__module__.partition(".")[0] == "polars" and str(getattr(column, "dtype", "")) == "Object"


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
    made = np.asarray(objects)
    leaves = list(_leaves(objects))
    return _flat_array(leaves, _core.types_in(leaves)[0]).reshape(made.shape) if len(leaves) == made.size else made


def _is_list(values: Any) -> bool:
    buffers = str, bytes, bytearray, memoryview, range, Array
    return isinstance(values, (list, tuple)) or (isinstance(values, Sequence) and not isinstance(values, buffers))


def _leaves(objects: Any) -> Iterator[Any]:
    for one in objects:
        if isinstance(one, np.ndarray):
            yield from one.reshape(-1)
        elif isinstance(one, (list, tuple)):
            yield from _leaves(one)
        else:
            yield one


def _flat_array(objects: list[Any], types: list[type]) -> np.ndarray:
    kinds = {_kind_of(type) for type in types}
    if kinds and (kinds <= _NUMBERS or kinds == {"bool"} or (kinds == {None} and len(types) == 1)):
        made = np.asarray(objects)
        if made.dtype.kind != "f" or None in kinds or ("float" in kinds and not _odd_integers(objects, made)):
            return made
    made = np.empty(len(objects), object)
    made[:] = objects
    return made


def _odd_integers(objects: list[Any], numbers: np.ndarray) -> list[int]:
    """The places of integers that differ from their floats in NumPy."""
    large = np.flatnonzero(np.abs(numbers) >= 2.0**53).tolist()  # each integer below is a float
    return [place for place in large if not _is_float(objects[place]) and int(objects[place]) != float(numbers[place])]


def _kinds_among(objects: list[Any], name: str) -> tuple[dict[str, int], np.ndarray]:
    """The kinds of objects, with the place of the first one of each; and which objects are null."""
    types, numbers = _core.types_in(objects)
    if numbers is None:
        numbers = np.zeros(len(objects), np.int32)
    missing = np.zeros(len(objects), bool)
    kinds: dict[str, int] = {}
    for number, type in enumerate(types):
        kind = _kind_of(type)
        places = numbers == number
        if kind is None:
            first = int(places.argmax())
            raise KeyTypeError(f"{name}[{first}] is {objects[first]!r}, which is no key")
        if issubclass(type, (np.datetime64, np.timedelta64)):
            gone = [place for place in np.flatnonzero(places).tolist() if np.isnat(objects[place])]
            missing[gone] = True
            places[gone] = False
        elif kind == "null":
            missing |= places
            continue
        if places.any():
            kinds.setdefault(kind, int(places.argmax()))
    return kinds, missing


def _without_nan(objects: list[Any], kinds: dict[str, int], missing: np.ndarray) -> None:
    """Makes nan null, as pandas has it among values that are no numbers."""
    missing |= np.fromiter((_is_float(value) and value != value for value in objects), bool, len(objects))
    if all(missing[i] for i, value in enumerate(objects) if _is_float(value)):
        del kinds["float"]


def object_parts(objects: list[Any], name: str, family: str | None, rounding: str) -> tuple[list[Part], str]:
    """Returns objects of kinds that are compared with each other as parts, and their family."""
    kinds, missing = _kinds_among(objects, name)
    if "float" in kinds and not (kinds.keys() <= _NUMBERS and family in (None, *_NUMBERS)):
        _without_nan(objects, kinds, missing)
    if "decimal" in kinds or scale_of(family) is not None:
        kinds.pop("integer", None)
    if not kinds and scale_of(family) is not None:
        kinds = {"decimal": 0}
    if "uuid" in kinds and takes_uuids(family):
        kinds.pop("string", None)
    if "datetime" in kinds:
        kinds.pop("date", None)  # a date is the moment at which it begins
    if len(kinds) > 1 and not kinds.keys() <= _NUMBERS:
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
    if kind == "integer" and family not in (None, *_NUMBERS):
        raise KeyTypeError(f"{name} holds integers, but the keys are of type {family}")
    if kind in ("float", "bool") and family is not None and not are_compared(kind, family):
        raise KeyTypeError(f"{name} holds values of type {kind}, but the keys are of type {family}")
    if kind in _NUMBERS:
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
    for place in odd:
        value, near = int(objects[place]), float(numbers[place])
        if rounding in _EXACT:
            raise InvalidArgument(f"{name}[{place}] is {value}, which no float equals")
        misses[place] = rounding == "equal"
        if (near > value) == (rounding == "down"):  # Python compares both exactly
            numbers[place] = math.nextafter(near, -math.inf if rounding == "down" else math.inf)
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
