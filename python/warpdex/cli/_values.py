# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Texts of the command line, and binary files, as values of NumPy."""

from __future__ import annotations

import datetime
import decimal
import os
import uuid
from typing import Any

import numpy as np

from ..columns.values import families_in
from ..errors import FormatError, InvalidArgument
from ..lookups.calls import asof_tolerance
from ._options import number

_RAW = {".u32": "<u4", ".u64": "<u8", ".i32": "<i4", ".i64": "<i8", ".f32": "<f4", ".f64": "<f8"}


def read_binary(path: str) -> np.ndarray | None:
    """The column of a .npy file, of raw numbers, or of a file of the SOSD benchmark; None for tables."""
    suffix = os.path.splitext(path)[1].lower()
    is_sosd = path.endswith(("uint32", "uint64", ".sosd"))
    if not is_sosd and suffix not in (*_RAW, ".npy"):
        return None
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if not size:
            raise FormatError(f"{path}: is empty")
        if suffix == ".npy":
            try:
                array: np.ndarray = np.load(path, mmap_mode="r", allow_pickle=False)
            except ValueError as why:
                raise FormatError(f"{path}: {why}") from None
            if array.ndim != 1:
                raise FormatError(f"{path}: its array has {array.ndim} dimensions; it must have one")
            return array.astype(array.dtype.newbyteorder("="), copy=False)
        if not is_sosd:
            width = np.dtype(_RAW[suffix]).itemsize
            if size % width:
                raise FormatError(f"{path}: has {size} bytes, which is no whole number of {width} bytes")
            return np.fromfile(file, _RAW[suffix])
        count = int.from_bytes(file.read(8), "little")
        width = (size - 8) // max(count, 1)
        if size - 8 != count * width or width not in (4, 8):
            raise FormatError(f"{path}: its first number, {count}, does not count the keys of its {size} bytes")
        return np.fromfile(file, f"<u{width}")


def _moment(text: str, has_zone: bool) -> Any:
    result = datetime.datetime.fromisoformat(text)
    if has_zone:
        return result if result.tzinfo else result.replace(tzinfo=datetime.UTC)
    return result.astimezone(datetime.UTC).replace(tzinfo=None) if result.tzinfo else np.datetime64(text)


def _value(text: str, family: str) -> Any:
    if family.startswith("timedelta64[") and not family.endswith(" of day"):
        return np.array(asof_tolerance(text, family, "probe")).astype(family)
    if family.startswith("datetime64[") and family != "datetime64[D]":
        return _moment(text, "UTC" in family)
    kinds: dict[str, Any] = {
        "string": os.fsencode,
        "bool": {"true": True, "false": False}.__getitem__,
        "uuid": uuid.UUID,
        "datetime64[D]": datetime.date.fromisoformat,
        "timedelta64[ns] of day": datetime.time.fromisoformat,
    }
    return kinds.get(family, decimal.Decimal if "decimal" in family else number)(text)


def values_of(texts: tuple[str, ...], family: str, name: str) -> Any:
    """Probes of keys of a family; of tuples a tuple of columns."""
    if (families := families_in(family)) is not None:
        rows = [text.split(",") for text in texts]
        if len({len(row) for row in rows}) > 1 or len(rows[0]) > len(families):
            raise InvalidArgument(f"{name} {texts[-1]!r} has other columns than the keys, which have {len(families)}")
        return tuple(values_of(column, kind, name) for column, kind in zip(zip(*rows), families))
    try:
        return [_value(text, family) for text in texts]
    except (ValueError, KeyError, ArithmeticError):
        raise InvalidArgument(f"{name} {', '.join(texts)} is no value of the type of the keys, {family}") from None
