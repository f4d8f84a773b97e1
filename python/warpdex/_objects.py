# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Objects of Python: numbers, strings, dates, times, UUIDs, decimals and addresses, with None among them."""

from __future__ import annotations

import datetime
import decimal
import ipaddress
import math
import uuid
from typing import Any

import numpy as np

from . import _core
from ._columns import are_compared, beyond_part, empty_column, wide_integers
from ._core import Part
from ._decimals import decimal_objects, scale_of
from ._errors import InvalidArgument, KeyTypeError, UntypedError
from ._times import time_part
from ._uuids import expect_strings, is_wide, takes_uuids

_SIGNED, _UNSIGNED = np.iinfo(np.int64), np.iinfo(np.uint64)
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


def _kind(value: Any) -> str | None:
    for kind in type(value).__mro__:
        if (found := _KINDS.get(kind)) is not None:
            return found
    scalars = {"i": "integer", "u": "integer", "f": "float", "M": "datetime", "m": "timedelta"}
    return scalars.get(value.dtype.kind) if isinstance(value, np.generic) else None


def _is_null(value: Any) -> bool:
    """pandas has several values that are null."""
    return (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (isinstance(value, (np.datetime64, np.timedelta64)) and bool(np.isnat(value)))
    )


def object_parts(objects: list[Any], name: str, family: str | None, rounding: str) -> tuple[list[Part], str]:
    """Returns objects of one kind as parts, and their family."""
    missing = np.fromiter(map(_is_null, objects), bool, len(objects))
    kinds: dict[str, int] = {}  # each kind, and where it was seen first
    for position in np.flatnonzero(~missing).tolist():
        kind = _kind(objects[position])
        if kind is None:
            raise KeyTypeError(f"{name}[{position}] is {objects[position]!r}, which is no key")
        kinds.setdefault(kind, position)
    if "float" in kinds and not (kinds.keys() <= {"float", "integer"} and family in (None, "float")):
        # Among other values, pandas has nan for null.
        missing |= np.fromiter((isinstance(value, float) and value != value for value in objects), bool, len(objects))
        if all(missing[i] for i, value in enumerate(objects) if isinstance(value, float)):
            del kinds["float"]
    if kinds.keys() == {"float", "integer"}:
        kinds = {"float": kinds["float"]}
    if "decimal" in kinds or scale_of(family) is not None:
        kinds.pop("integer", None)
    if not kinds and scale_of(family) is not None:
        kinds = {"decimal": 0}
    if "uuid" in kinds and takes_uuids(family):
        kinds.pop("string", None)
    if len(kinds) > 1:
        (_, first), (_, other) = list(kinds.items())[:2]
        raise KeyTypeError(f"{name} has {objects[first]!r} and {objects[other]!r}, which are not compared")
    nulls = missing if missing.any() else None
    if not kinds:
        if family is None:
            what = "holds nulls alone, which have" if objects else "is empty and has"
            raise UntypedError(f"{name} {what} no type; give an array that has one")
        return [Part(empty_column(family, len(objects)), len(objects), nulls)], family
    (kind,) = kinds
    if kind == "decimal":
        part, found = decimal_objects(objects, missing, name, family, rounding)
        return [part], found
    kept = [value for value, gone in zip(objects, missing.tolist()) if not gone]
    if is_wide(family) and kind in ("integer", "address") or family is None and kind == "address":
        numbers = np.array([0 if gone else int(value) for value, gone in zip(objects, missing.tolist())], object)
        return [wide_integers(numbers, nulls, rounding)], family or "u128"
    if kind == "address":
        raise KeyTypeError(f"{name} holds IPv6 addresses, but the keys are of type {family}")
    if kind == "integer":
        if family == "float":
            return [_floats(objects, missing, rounding, name)], kind
        if family not in (None, "integer"):
            raise KeyTypeError(f"{name} holds integers, but the keys are of type {family}")
        return _integers(objects, missing, rounding, name), "integer"
    if kind in ("string", "uuid"):
        column = _strings(objects, missing)
        if family and takes_uuids(family) or (family is None and kind == "uuid"):
            text = np.fromiter((isinstance(value, str) for value in objects), bool, len(objects))
            return [_core.uuids(column, name, nulls, text, is_wide(family))], family or kind
        expect_strings(kind, name, family)
        return [Part(column, len(objects), nulls)], kind
    if kind in ("float", "bool"):
        if family is not None and not are_compared(kind, family):
            raise KeyTypeError(f"{name} holds values of type {kind}, but the keys are of type {family}")
        numbers = np.zeros(len(objects), np.float64 if kind == "float" else np.uint32)
        numbers[~missing] = kept
        return [Part(numbers, len(objects), nulls)], kind
    times, of = _times(kept, kind, name)
    whole = np.zeros(len(objects), times.dtype)
    whole[~missing] = times
    part, found = time_part(whole, name, of, family, rounding)
    part.nulls = nulls
    return [part], found


def _strings(objects: list[Any], missing: np.ndarray) -> Any:
    def plain(value: Any) -> bytes:
        return value.encode() if isinstance(value, str) else value.bytes if isinstance(value, uuid.UUID) else value

    found = [b"" if gone else plain(value) for value, gone in zip(objects, missing.tolist())]
    offsets = np.zeros(len(found) + 1, np.uint64)
    np.cumsum(np.fromiter(map(len, found), np.uint64, len(found)), out=offsets[1:])
    return np.frombuffer(b"".join(found), np.uint8), offsets


def _integers(objects: list[Any], missing: np.ndarray, rounding: str, name: str) -> list[Part]:
    """Integers of any size. Where no type holds all, runs of them alternate between two."""
    wide = np.array([0 if gone else int(value) for value, gone in zip(objects, missing.tolist())], object)
    above, below = (wide > _UNSIGNED.max).astype(bool), (wide < _SIGNED.min).astype(bool)
    if rounding == "exact" and (above | below).any():
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
        parts.append(beyond_part(numbers, beyond, gone if gone.any() else None, rounding, True))
    return parts


def _floats(objects: list[Any], missing: np.ndarray, rounding: str, name: str) -> Part:
    """Integers of any size among floats: one that no float equals becomes the next one up or down, or is a miss."""
    numbers = np.zeros(len(objects))
    misses = np.zeros(len(objects), bool)
    for position in np.flatnonzero(~missing).tolist():
        value = int(objects[position])
        try:
            near = float(value)
        except OverflowError:
            near = math.inf if value > 0 else -math.inf
        if near != value:  # Python compares both exactly
            if rounding == "exact":
                raise InvalidArgument(f"{name}[{position}] is {value}, which no float equals")
            misses[position] = rounding == "equal"
            if (near > value) == (rounding == "down"):
                near = math.nextafter(near, -math.inf if rounding == "down" else math.inf)
        numbers[position] = near
    return Part(numbers, len(objects), missing if missing.any() else None, misses if misses.any() else None)


def _times(values: list[Any], kind: str, name: str) -> tuple[np.ndarray, str]:
    """Times without nulls as an array of NumPy, and what tells them from others."""
    zoned = [getattr(value, "tzinfo", None) is not None for value in values]
    if any(zoned) and not all(zoned):
        raise KeyTypeError(f"{name} has times with and without a time zone, which are not compared")
    if kind == "time of day":
        if any(zoned):
            raise KeyTypeError(f"{name} has times of day with a time zone, which are no keys")
        day = datetime.date(1970, 1, 1)
        moments = np.array([datetime.datetime.combine(day, value) for value in values], "M8[us]")
        return moments.view("m8[us]"), " of day"
    if kind == "date":
        return np.array(values, "M8[D]"), ""

    def plain(value: Any) -> Any:
        if hasattr(value, "to_numpy"):  # pandas' times, which have nanoseconds, in UTC
            return value.to_numpy()
        if isinstance(value, datetime.datetime):
            utc = value if value.tzinfo is None else value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
            return np.datetime64(utc, "us")
        return np.timedelta64(value) if isinstance(value, datetime.timedelta) else value

    return np.array([plain(value) for value in values]), " UTC" if zoned[0] else ""
