# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""How a call runs: what callers say of it, and the pieces in which it goes."""

from __future__ import annotations

import datetime
import operator
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ._columns import Values
from ._errors import InvalidArgument, KeyTypeError, shown

PIECE = 1 << 22  # probes between two looks at signals
PIECE_FOR_DEVICES = (
    1 << 26
)  # the same for probes on the host of an index on a device: copies and searches overlap in them


@dataclass(slots=True)
class Call:
    """What callers say of a call, beside its columns."""

    out: Any = None
    stream: Any = None
    threads: int = 0
    progress: Any = False

    @property
    def told(self) -> Callable[[float], None] | None:
        """What is called with the part that is done."""
        return _print if self.progress is True else _told_to(self.progress) if self.progress else None


def _told_to(caller: Callable[[float], Any]) -> Callable[[float], None]:
    """Calls a function of a caller, whose exceptions pass as they are."""

    def tell(done: float) -> None:
        try:
            caller(done)
        except Exception as why:
            why.of_caller = True  # type: ignore[attr-defined]
            raise

    return tell


def _print(done: float) -> None:
    print(f"\rwarpdex: {done:4.0%}", end="\n" if done >= 1 else "", file=sys.stderr, flush=True)


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
