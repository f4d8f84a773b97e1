# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The words that options take, as types. What callers pass is checked against them where it comes in (`border`)."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypedDict, TypeVar, get_args, get_origin

import numpy as np

Closed = Literal["both", "left", "right", "none", "neither"]
Direction = Literal["backward", "forward", "nearest"]
HostBits = Literal["error", "mask"]
How = Literal["inner", "left", "semi", "anti"]
HowOfColumns = Literal[How, "full"]
HowOfFrames = Literal["inner", "left", "right", "full", "semi", "anti"]
IntervalSide = Literal["both", "before", "after"]
Invalid = Literal["error", "null"]
Keep = Literal["first", "last", "none"]
Method = Literal["pad", "ffill", "backfill", "bfill", "nearest"]
Nulls = Literal["skip", "error"]
Order = Literal["none", "left", "right", "left_right", "right_left"]
Placement = Literal["auto", "replicate", "range"]
Prefer = Literal["earlier", "later"]
QuantileSide = Literal["lower", "higher", "nearest"]
SetCode = Literal["auto", "plain", "compressed"]
Side = Literal["left", "right"]
Ties = Literal["first", "last", "adjacent", "all"]
Validate = Literal["m:m", "m:1", "1:m", "1:1"]

Aggregate = Literal["sum", "mean", "std", "min", "max", "count", "first", "last", "median"]  # of `window`
PointLookup = Literal["find", "contains", "count", "lower_bound", "upper_bound", "floor", "ceil"]  # one answer to a key
RayLookup = Literal["find", "contains", "count"]
Single = Literal[PointLookup, "prefix_count", "prefix_sum"]  # one answer to a key or a prefix

# What is asked, and the kind of what is answered.
Value = int | float | str | bytes | np.generic
Scalar = Value | None


class Columns(Protocol):
    """A data frame, whose rows are tuples."""

    @property
    def columns(self) -> Any: ...


class OnDevice(Protocol):
    """An array of CuPy or Torch."""

    @property
    def __cuda_array_interface__(self) -> Any: ...


class Array(Protocol):
    """An array of NumPy, CuPy or Torch, of a call that says by none of its arguments which."""

    @property
    def shape(self) -> Any: ...

    @property
    def dtype(self) -> Any: ...

    def __len__(self) -> int: ...

    def __getitem__(self, item: Any, /) -> Any: ...

    def tolist(self) -> Any: ...


class Answers(Protocol):
    """Answers in the kind of the probes: an array, a series, or one value for one probe."""

    def __getitem__(self, item: Any, /) -> Any: ...


class AsofOptions(TypedDict, total=False):
    """Options of as-of joins on which the kind of their answers does not depend, and how they run."""

    allow_exact_matches: bool
    tolerance: Any
    prefer: Prefer
    relative: float
    stream: Any
    threads: int


class AsofOptionsOfIndex(AsofOptions, total=False):
    """The same of an index."""

    out: Any
    progress: Any


class NearestOptions(TypedDict, total=False):
    """The same of nearest intervals."""

    k: int
    side: IntervalSide
    ignore_overlaps: bool
    stream: Any
    threads: int


OnHost = np.ndarray | Sequence[Any] | Columns  # of which answers are arrays of NumPy
Column = TypeVar("Column")  # a series or an array of any other library
Dataset = TypeVar("Dataset")  # one of Ray
DeviceArray = TypeVar("DeviceArray", bound=OnDevice)
Table = TypeVar("Table")  # a frame of any library; of derived ones, too
WORDS = {name: get_args(kind) for name, kind in list(globals().items()) if get_origin(kind) is Literal}

Quantile = tuple[Literal["quantile"], float]  # an aggregate of `window`, too
