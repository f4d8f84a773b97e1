# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""What users pass becomes columns: arrays of numbers, or pairs (bytes, offsets) of strings."""

from typing import Any

import numpy as np

from ._errors import InvalidArgument, KeyTypeError

Column = Any  # an array of 32 or 64 bits, or a pair (bytes, offsets)

_WIDER = {1: 4, 2: 4, 4: 4, 8: 8}
_FAMILIES = {"i": "integer", "u": "integer", "f": "float", "b": "bool", "S": "string", "U": "string", "O": "string"}
_EMPTY = {"integer": "i8", "float": "f8", "bool": "?", "string": "S1"}


def family_of(key_type: str) -> str:
    """The family of a key type of the library: only columns of one family are compared with each other."""
    return {"u32": "integer", "u64": "integer", "i32": "integer", "i64": "integer", "f32": "float", "f64": "float",
            "bytes": "string"}.get(key_type, key_type)


def _strings(array: np.ndarray, name: str) -> Column:
    parts = []
    for position, value in enumerate(array.tolist()):
        if isinstance(value, str):
            value = value.encode()
        if not isinstance(value, bytes):
            raise KeyTypeError(f"{name}[{position}] is {value!r}, which is neither str nor bytes")
        parts.append(value)
    offsets = np.zeros(len(parts) + 1, np.uint64)
    np.cumsum(np.fromiter(map(len, parts), np.uint64, len(parts)), out=offsets[1:])
    return np.frombuffer(b"".join(parts), np.uint8), offsets


def _times(array: np.ndarray, name: str, family: str | None) -> tuple[Column, str, int]:
    """Dates, moments and durations are integers in the unit of the index, and their family is their NumPy type."""
    own = np.dtype(family) if family and family.startswith(array.dtype.name.split("[")[0]) else array.dtype
    if family and own.name != family:
        raise KeyTypeError(f"{name} has the type {array.dtype}, but the keys are of type {family}")
    numbers = array.astype(own)
    if not np.array_equal(numbers.astype(array.dtype), array, equal_nan=True):
        raise InvalidArgument(f"{name} has values of type {array.dtype} that are none of the index's type {own}")
    return np.ascontiguousarray(numbers.view(np.int64)), own.name, array.size


def column(values: Any, name: str, family: str | None = None) -> tuple[Column, str, int]:
    """Returns the column of `values`, its family and its size.

    A contiguous array of 32 or 64 bits is taken as it is. Narrower numbers are widened, strided arrays copied.
    """
    array = np.asarray(values)
    if array.ndim == 0:
        array = array.reshape(1)
    if array.ndim != 1:
        raise InvalidArgument(f"{name} has {array.ndim} dimensions; a column has one")
    if array.size == 0 and family and not isinstance(values, np.ndarray):
        array = array.astype(_EMPTY.get(family, family))  # an empty list has no type
    if array.dtype.kind in "mM" and array.dtype.isnative:
        return _times(array, name, family)
    kind = _FAMILIES.get(array.dtype.kind)
    if kind is None or array.dtype.itemsize > 8 and kind != "string":
        raise KeyTypeError(f"{name} has the type {array.dtype}; keys are integers, floats, bools, times and strings")
    if not array.dtype.isnative:
        raise KeyTypeError(f"{name} has the type {array.dtype} in foreign byte order; convert it with astype")
    if family and kind != family:
        raise KeyTypeError(f"{name} has the type {array.dtype}, but the keys are of type {family}")
    if kind == "string":
        return _strings(array, name), kind, array.size
    if kind == "bool":
        return array.astype(np.uint32), kind, array.size
    wide = np.dtype(f"{array.dtype.kind}{_WIDER.get(array.dtype.itemsize, 4)}")
    return np.ascontiguousarray(array, wide), kind, array.size


def nulls_of(values: Any) -> np.ndarray | None:
    """Returns which values are null, that is NaT; None if none is."""
    array = np.asarray(values)
    if array.dtype.kind not in "mM":
        return None
    nulls = np.isnat(array)
    return nulls if nulls.any() else None


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
