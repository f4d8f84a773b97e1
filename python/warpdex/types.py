# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The words that options take, as types. What callers pass is checked against them where it comes in (`border`)."""

from typing import Literal, TypeVar, get_args

Closed = Literal["both", "left", "right", "none", "neither"]
Direction = Literal["backward", "forward", "nearest"]
HostBits = Literal["error", "mask"]
How = Literal["inner", "left", "semi", "anti"]
HowOfColumns = Literal[How, "full"]
HowOfFrames = Literal["inner", "left", "right", "full", "semi", "anti"]
Invalid = Literal["error", "null"]
Keep = Literal["first", "last", "none"]
Method = Literal["pad", "ffill", "backfill", "bfill", "nearest"]
Nulls = Literal["skip", "error"]
Order = Literal["none", "left", "right", "left_right", "right_left"]
Placement = Literal["auto", "replicate", "range"]
Prefer = Literal["earlier", "later"]
Side = Literal["left", "right"]
Ties = Literal["first", "last", "adjacent", "all"]
Validate = Literal["m:m", "m:1", "1:m", "1:1"]

Aggregate = Literal["sum", "mean", "std", "min", "max", "count", "first", "last"]  # of `window`
PointLookup = Literal["find", "contains", "count", "lower_bound", "upper_bound", "floor", "ceil"]  # one answer to a key
RayLookup = Literal["find", "contains", "count"]
Single = Literal[PointLookup, "prefix_count", "prefix_sum"]  # one answer to a key or a prefix

Table = TypeVar("Table")  # a frame of any library; of derived ones, too
WORDS: dict[str, tuple[str, ...]] = {name: get_args(kind) for name, kind in list(globals().items()) if get_args(kind)}
