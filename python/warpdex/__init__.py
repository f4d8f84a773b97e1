# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Database indexes over columns: lookups, joins and as-of joins of arrays and data frames."""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from ._arrow_tables import DeviceTable
from ._batcher import Batcher
from ._columns import Keys
from ._core import version as _version
from ._errors import (
    Busy,
    Cancelled,
    DeviceError,
    Error,
    FileError,
    FormatError,
    InvalidArgument,
    KeyTypeError,
    MissingPackage,
    OutOfMemory,
    SpecError,
    Unsupported,
)
from ._frames import gather_table
from ._gather import gather
from ._grouped import GroupedIndex, GroupedPayload
from ._index import Index
from ._indexer import searchsorted
from ._intervals import Intervals
from ._join import join, join_asof, join_between
from ._networks import Networks, parse_addresses, parse_networks
from ._payload import Aggregates, Payload, TopMatches
from ._plans import (
    JoinPlan,
    JoinRates,
    ascends,
    asof_merge,
    first_match,
    hash_join,
    join_columns,
    measured_rates,
    merge_join,
    plan_join,
)
from ._spread import DeviceLink, Pieces, measured_links
from ._tuples import Field, KeyEncoder, prefix_borders
from ._window import point_in_time, window

if _TYPE_CHECKING:
    from .drawing import Drawing, draw

__version__ = _version()

__all__ = [
    "Aggregates",
    "Batcher",
    "Busy",
    "Cancelled",
    "DeviceError",
    "DeviceLink",
    "DeviceTable",
    "Drawing",
    "Error",
    "Field",
    "FileError",
    "FormatError",
    "GroupedIndex",
    "GroupedPayload",
    "Index",
    "Intervals",
    "InvalidArgument",
    "JoinPlan",
    "JoinRates",
    "KeyEncoder",
    "KeyTypeError",
    "Keys",
    "MissingPackage",
    "Networks",
    "OutOfMemory",
    "Payload",
    "Pieces",
    "SpecError",
    "TopMatches",
    "Unsupported",
    "ascends",
    "asof_merge",
    "draw",
    "first_match",
    "gather",
    "gather_table",
    "hash_join",
    "join",
    "join_asof",
    "join_between",
    "join_columns",
    "measured_links",
    "measured_rates",
    "merge_join",
    "parse_addresses",
    "parse_networks",
    "plan_join",
    "point_in_time",
    "prefix_borders",
    "searchsorted",
    "window",
]


def __getattr__(name: str) -> _Any:
    """Loads drawings when they are asked for."""
    if name not in ("Drawing", "draw"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import drawing

    return getattr(drawing, name)
