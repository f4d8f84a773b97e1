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

    def of_keys(self, family: str) -> AsofHow:
        """The same for keys of a family."""
        return replace(self, tolerance=asof_tolerance(self.tolerance, family))


def asof_tolerance(tolerance: Any, family: str) -> int | float | None:
    """The largest distance of an as-of join, in units of the keys."""
    if tolerance is None:
        return None
    if isinstance(tolerance, datetime.timedelta) and not hasattr(tolerance, "to_timedelta64"):
        tolerance = np.timedelta64(tolerance)
    elif hasattr(tolerance, "to_timedelta64"):
        tolerance = tolerance.to_timedelta64()
    plain = not isinstance(tolerance, np.timedelta64) or np.datetime_data(tolerance.dtype)[0] == "generic"
    if plain and "[" in family:
        raise KeyTypeError(
            f"tolerance is {shown(tolerance)}, but the keys are times; give a timedelta, which has a unit"
        )
    if plain:
        try:
            if family == "float":
                return float(tolerance)
            distance = operator.index(tolerance)
        except (TypeError, ValueError, OverflowError):
            raise KeyTypeError(
                f"tolerance is {shown(tolerance)}, which is no distance of keys of type {family}"
            ) from None
        if distance >= 2**64 - 1:  # as far as keys of 64 bits can be apart
            return None
        if distance >= 2**63:
            raise InvalidArgument(f"tolerance is {distance}; it must be less than 2**63, or at least 2**64 - 1")
        return max(distance, -1)
    if not family.startswith(("datetime64", "timedelta64")):
        raise KeyTypeError(f"tolerance is a timedelta64, but the keys are of type {family}")
    unit = np.dtype(family.split(" ")[0].replace("datetime64", "timedelta64"))
    if not np.can_cast(tolerance.dtype, unit, "same_kind"):  # months have no length
        raise KeyTypeError(f"tolerance is {tolerance!r}, which is no distance of keys of type {family}")
    if np.isnat(tolerance) or tolerance.astype(unit).astype(tolerance.dtype) != tolerance:
        raise InvalidArgument(f"tolerance {tolerance!r} is no number of units of {family}")
    return int(tolerance.astype(unit).astype(np.int64))
