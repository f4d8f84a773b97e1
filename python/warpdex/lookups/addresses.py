# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Columns of IP addresses and networks: texts, numbers, objects of `ipaddress`, and packed bytes."""

from __future__ import annotations

import ipaddress
from collections.abc import KeysView, ValuesView
from typing import Any

import numpy as np

from .._core import Part, Values
from ..columns.arrays import is_objects
from ..columns.families import scale_of
from ..columns.parts import Keys, empty_column
from ..columns.values import read
from ..errors import InvalidArgument, KeyTypeError, UntypedError
from ..types import HostBits, Invalid

_OBJECTS = ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network
_IPV4 = 2**32  # smaller numbers are addresses of IPv4, as `ipaddress.ip_address` has it
_MAPPED = np.uint64(0xFFFF << 32)  # what comes before an address of IPv4 in one of IPv6
_BINARY = ("binary", "large_binary", "binary_view", "fixed_size_binary")


def masks(host_bits: HostBits) -> bool:
    """Whether bits after the length are cleared."""
    return host_bits == "mask"


def nulls_for(invalid: Invalid) -> bool:
    """Whether values that are no addresses become null."""
    return invalid == "null"


def _is_text(value: Any) -> bool:
    """Whether an object is read as its text: one of `ipaddress`, or an integer beyond all arrays."""
    return isinstance(value, _OBJECTS) or (isinstance(value, int) and value >= 2**64)


def _text(value: Any) -> Any:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if whole and 0 <= value < 2**128:
        return str(ipaddress.ip_address(value))
    return str(value) if whole or _is_text(value) else value


def _as_texts(values: Any) -> Any:
    """A column of objects of `ipaddress` as one of texts; others as they are."""
    if _is_text(values):
        return _text(values)
    if isinstance(values, (list, tuple, KeysView, ValuesView)):
        return [_text(value) for value in values] if any(map(_is_text, values)) else values
    if is_objects(values) and any(map(_is_text, values)):
        return type(values)(values.name, [_text(value) for value in values])
    if getattr(values, "dtype", None) == np.dtype(object) and any(map(_is_text, np.asarray(values))):
        if isinstance(values, np.ndarray):
            return np.array([_text(value) for value in values], object)
        return values.map(_text)
    return values


def _are_packed(values: Any) -> bool:
    """Whether values are bytes, not texts: 4 of them are an address of IPv4, 16 one of IPv6."""
    dtype = getattr(values, "dtype", None)
    if isinstance(values, (bytes, list, tuple)) or dtype == np.dtype(object):
        objects = [values] if isinstance(values, bytes) else values
        return any(isinstance(value, bytes) for value in objects)
    if isinstance(dtype, np.dtype):
        return dtype.kind == "V"
    kind = getattr(dtype, "pyarrow_dtype", dtype if dtype is not None else getattr(values, "type", ""))
    kind = getattr(kind, "value_type", kind)  # of a dictionary
    return str(kind).lower().partition("[")[0] in _BINARY


def _unpacked(part: Part, start: int, name: str, nulls: bool) -> Part:
    """Packed addresses as numbers. @param start the position of the first one"""
    if len(part.column) == 3:
        held, width, count = part.column
        offsets = np.arange(count + 1, dtype=np.int64) * width
    else:
        held, offsets = part.column
    sizes, begins = np.diff(offsets), offsets[:-1].astype(np.int64)
    missing = np.zeros(part.size, bool) if part.nulls is None else part.nulls
    result = np.zeros((part.size, 2), np.uint64)
    quads, wide = (np.flatnonzero((sizes == size) & ~missing) for size in (4, 16))
    result[quads, 0] = held[begins[quads, None] + np.arange(4)].view(">u4")[:, 0] | _MAPPED
    result[wide] = held[begins[wide, None] + np.arange(16)].view(">u8")[:, ::-1]
    bad = (sizes != 4) & (sizes != 16) & ~missing
    if bad.any() and not nulls:
        position = int(np.argmax(bad))
        raise InvalidArgument(
            f"{name}[{start + position}] has {sizes[position]} bytes; a packed address has 4 or 16, and texts are strings"
        )
    missing = missing | bad
    return Part(result, part.size, missing if missing.any() else None)


def _numbers(part: Part, name: str, nulls: bool) -> Part:
    """Integers as addresses: of 32 bits if all are of IPv4."""
    column = part.column
    if not isinstance(column, np.ndarray):
        if column.type != "u4":
            raise KeyTypeError(f"{name} has the type {column.type}; on a device addresses are uint32 or texts")
        return part
    if column.dtype == np.uint32:
        return part
    if column.ndim == 2:
        result = column.copy()
        result[(result[:, 1] == 0) & (result[:, 0] < _IPV4), 0] |= _MAPPED
        return Part(result, part.size, part.nulls)
    numbers = column if part.nulls is None else np.where(part.nulls, 0, column)
    missing = part.nulls
    if (bad := numbers < 0).any():
        if not nulls:
            position = int(np.argmax(bad))
            raise InvalidArgument(f"{name}[{position}] is {numbers[position]}, which is no address")
        numbers, missing = np.where(bad, 0, numbers), bad if missing is None else missing | bad
    if not (numbers >= _IPV4).any():
        return Part(numbers.astype(np.uint32), part.size, missing)
    wide = np.zeros((numbers.size, 2), np.uint64)
    wide[:, 0] = numbers
    wide[numbers < _IPV4, 0] |= _MAPPED
    return Part(wide, part.size, missing)


def _signed(part: Part, name: str, nulls: bool) -> Part:
    """Integers of 128 bits with a sign, whose smallest one is held as 0."""
    sign = np.uint64(1 << 63)
    bad = part.column[:, 1] < sign
    if part.nulls is not None:
        bad &= ~part.nulls
    if bad.any() and not nulls:
        raise InvalidArgument(f"{name}[{int(np.argmax(bad))}] is negative, which is no address")
    missing = bad if part.nulls is None else bad | part.nulls
    column = part.column.copy()
    column[:, 1] ^= sign
    return _numbers(Part(column, part.size, missing if missing.any() else None), name, nulls)


def read_addresses(values: Any, name: str, stream: Any, nulls: bool) -> Values:
    """Reads a column of addresses or networks. Its parts are texts, numbers of 32 bits or halves of 128 bits.

    @param nulls whether what is no address becomes null; of texts this is known when they are parsed
    """
    values = _as_texts(values)
    packed = _are_packed(values)
    try:
        result = read(values, name, stream=stream)
    except UntypedError:
        result = read(values, name, "string", stream=stream)
    if result.size == 0 and result.place is None:
        return result.changed(family="string", parts=[Part(empty_column("string", 0), 0)])
    if isinstance(values, Keys) and result.family == "u128":
        return result
    parts = [part.plain() for part in result.parts]
    if result.family == "uuid" or (result.family == "string" and packed):
        starts = np.cumsum([0, *(part.size for part in parts)]).tolist()
        parts = [_unpacked(part, start, name, nulls) for part, start in zip(parts, starts)]
        return result.changed(family="u128", parts=parts)
    if result.family == "string":
        return result.changed(parts=parts)
    whole = result.family in ("integer", "u128") or scale_of(result.family) == 0
    if not whole:
        what = "addresses are texts, integers, packed bytes or objects of ipaddress"
        raise KeyTypeError(f"{name} is of type {result.family}; {what}")
    convert = _signed if result.family.startswith("u128 decimal") else _numbers
    return result.changed(family="u128", parts=[convert(part, name, nulls) for part in parts])
