# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
# The public names and the modules that have them. __init__.py reads this list, too.

from ._arrow_tables import DeviceTable as DeviceTable
from ._batcher import Batcher as Batcher
from ._columns import Keys as Keys
from ._errors import (
    Busy as Busy,
    Cancelled as Cancelled,
    DeviceError as DeviceError,
    Error as Error,
    FileError as FileError,
    FormatError as FormatError,
    InvalidArgument as InvalidArgument,
    KeyTypeError as KeyTypeError,
    MissingPackage as MissingPackage,
    OutOfMemory as OutOfMemory,
    SpecError as SpecError,
    Unsupported as Unsupported,
)
from ._frames import gather_table as gather_table
from ._gather import gather as gather
from ._grouped import GroupedIndex as GroupedIndex, GroupedPayload as GroupedPayload
from ._index import Index as Index
from ._indexer import searchsorted as searchsorted
from ._intervals import Intervals as Intervals
from ._join import join as join, join_asof as join_asof, join_between as join_between
from ._networks import Networks as Networks, parse_addresses as parse_addresses, parse_networks as parse_networks
from ._payload import Aggregates as Aggregates, Payload as Payload, TopMatches as TopMatches
from ._plans import (
    JoinPlan as JoinPlan,
    JoinRates as JoinRates,
    ascends as ascends,
    asof_merge as asof_merge,
    first_match as first_match,
    hash_join as hash_join,
    join_columns as join_columns,
    measured_rates as measured_rates,
    merge_join as merge_join,
    plan_join as plan_join,
)
from ._spread import DeviceLink as DeviceLink, Pieces as Pieces, measured_links as measured_links
from ._tuples import Field as Field, KeyEncoder as KeyEncoder, prefix_borders as prefix_borders
from ._window import point_in_time as point_in_time, window as window
from .drawing import Drawing as Drawing, draw as draw

__version__: str
