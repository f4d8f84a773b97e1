# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Database indexes over columns: lookups, joins and as-of joins of arrays and data frames."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

if _TYPE_CHECKING:
    from ._arrow_tables import DeviceTable
    from ._batcher import Batcher
    from ._columns import Keys
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
    from .drawing import Drawing, draw

    __version__: str

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

# The modules that have these names. They are loaded on first use: NumPy and the library alone take a program
# longer than the help of the command should.
_HOMES = {
    "_arrow_tables": "DeviceTable",
    "_batcher": "Batcher",
    "_columns": "Keys",
    "_errors": "Busy Cancelled DeviceError Error FileError FormatError InvalidArgument KeyTypeError MissingPackage "
    "OutOfMemory SpecError Unsupported",
    "_frames": "gather_table",
    "_gather": "gather",
    "_grouped": "GroupedIndex GroupedPayload",
    "_index": "Index",
    "_indexer": "searchsorted",
    "_intervals": "Intervals",
    "_join": "join join_asof join_between",
    "_networks": "Networks parse_addresses parse_networks",
    "_payload": "Aggregates Payload TopMatches",
    "_plans": "JoinPlan JoinRates ascends asof_merge first_match hash_join join_columns measured_rates merge_join "
    "plan_join",
    "_spread": "DeviceLink Pieces measured_links",
    "_tuples": "Field KeyEncoder prefix_borders",
    "_window": "point_in_time window",
    "drawing": "Drawing draw",
}
_HOME_OF = {_name: _home for _home, _names in _HOMES.items() for _name in _names.split()}


def __getattr__(name: str) -> _Any:
    """Loads the module of a name."""
    if name == "__version__":
        value = _import_module("._core", __name__).version()
    elif name in _HOME_OF:
        value = getattr(_import_module(f".{_HOME_OF[name]}", __name__), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
