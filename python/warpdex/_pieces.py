# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""How a call runs: what callers say of it, and the pieces in which it goes."""

from __future__ import annotations

import datetime
import operator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ._core import Values
from ._errors import InvalidArgument, KeyTypeError, shown

PIECE = 1 << 22  # probes between two looks at signals; 16 times as many of an index on a device


def checked_out(out: Any, dtype: Any, size: int, columns: tuple[Values, ...]) -> np.ndarray:
    if not isinstance(out, np.ndarray) or out.dtype != dtype:
        given = f"of type {out.dtype}" if isinstance(out, np.ndarray) else type(out).__name__
        raise KeyTypeError(f"out is {given}; the answers are a NumPy array of type {np.dtype(dtype)}")
    if out.shape != (size,) or not out.flags.c_contiguous or not out.flags.writeable:
        raise InvalidArgument(f"out has the shape {out.shape}; it must be writable, contiguous, of shape ({size},)")
    for column in columns:
        for part in column.parts:
            for array in part.column[:2] if isinstance(part.column, tuple) else (part.column,):
                if isinstance(array, np.ndarray) and np.may_share_memory(out, array):
                    raise InvalidArgument("out overlaps the arrays that the call reads")
    return out


@dataclass(slots=True)
class AsofHow:
    """How an as-of join looks for the nearest key."""

    direction: str = "backward"
    exact: bool = True  # whether a key that equals the probe matches
    tolerance: Any = None  # the largest distance, in units of the keys once `of_keys` was called
    later: bool = False  # whether at equal distance the later key matches
    last_below: bool = False  # whether of equal keys not above the probe the largest row id matches
    last_above: bool = False  # the same of keys not below it
    offsets: Any = None  # what is added to the probes, once for each

    def of_keys(self, family: str) -> AsofHow:
        """The same for keys of a family."""
        return replace(self, tolerance=asof_tolerance(self.tolerance, family), offsets=_offsets(self.offsets, family))


def _distance(value: Any, family: str, name: str) -> int | float:
    """A distance between keys of a family, in their units."""
    if isinstance(value, datetime.timedelta) and not hasattr(value, "to_timedelta64"):
        value = np.timedelta64(value)
    elif hasattr(value, "to_timedelta64"):
        value = value.to_timedelta64()
    plain = not isinstance(value, np.timedelta64) or np.datetime_data(value.dtype)[0] == "generic"
    if plain and "[" in family:
        raise KeyTypeError(f"{name} is {shown(value)}, but the keys are times; give a timedelta, which has a unit")
    if plain:
        try:
            return float(value) if family == "float" else operator.index(value)
        except (TypeError, ValueError, OverflowError):
            raise KeyTypeError(f"{name} is {shown(value)}, which is no distance of keys of type {family}") from None
    if not family.startswith(("datetime64", "timedelta64")):
        raise KeyTypeError(f"{name} is a timedelta64, but the keys are of type {family}")
    unit = np.dtype(family.split(" ")[0].replace("datetime64", "timedelta64"))
    if not np.can_cast(value.dtype, unit, "same_kind"):  # months have no length
        raise KeyTypeError(f"{name} is {value!r}, which is no distance of keys of type {family}")
    if np.isnat(value) or value.astype(unit).astype(value.dtype) != value:
        raise InvalidArgument(f"{name} {value!r} is no number of units of {family}")
    return int(value.astype(unit).astype(np.int64))


def _offsets(values: Any, family: str) -> tuple[int | float, ...] | None:
    """The same for each of some values, which may be negative."""
    if values is None:
        return None
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise KeyTypeError(f"offsets is {shown(values)}; it must be a list")
    distances = tuple(_distance(one, family, "offsets") for one in values)
    for one in distances:
        if isinstance(one, int) and not -(2**63) <= one < 2**63:
            raise InvalidArgument(f"offsets has {one}, which takes more than 64 bits")
    return distances


def asof_tolerance(tolerance: Any, family: str) -> int | float | None:
    """The largest distance of an as-of join, in units of the keys."""
    if tolerance is None:
        return None
    distance = _distance(tolerance, family, "tolerance")
    if isinstance(distance, float):
        return distance
    if distance >= 2**64 - 1:  # as far as keys of 64 bits can be apart
        return None
    if distance >= 2**63:
        raise InvalidArgument(f"tolerance is {distance}; it must be less than 2**63, or at least 2**64 - 1")
    return max(distance, -1)
