# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
# The public names and the modules that have them. __init__.py reads this list, too.

from .frames.arrays import DeviceTable as DeviceTable
from .lookups.batcher import Batcher as Batcher
from .columns.parts import Keys as Keys
from .errors import (
    Busy as Busy,
    Cancelled as Cancelled,
    DeviceError as DeviceError,
    Error as Error,
    FileError as FileError,
    FormatError as FormatError,
    InvalidArgument as InvalidArgument,
    KeyTypeError as KeyTypeError,
    MissingPackage as MissingPackage,
    MixedError as MixedError,
    OutOfMemory as OutOfMemory,
    SpecError as SpecError,
    Unsupported as Unsupported,
    UntypedError as UntypedError,
)
from .frames.tables import gather_table as gather_table
from .frames.gather import gather as gather
from .lookups.grouped import GroupedIndex as GroupedIndex, GroupedAggregates as GroupedAggregates
from .lookups.index import Index as Index
from .lookups.indexer import searchsorted as searchsorted
from .joins.distinct import drop_duplicates as drop_duplicates, duplicates as duplicates, unique as unique
from .joins.intervals import (
    cluster_intervals as cluster_intervals,
    complement_intervals as complement_intervals,
    coverage as coverage,
    merge_intervals as merge_intervals,
    nearest as nearest,
    overlaps as overlaps,
    subtract_intervals as subtract_intervals,
)
from .joins.join import join as join, join_asof as join_asof, join_between as join_between
from .lookups.intervals import (
    Intervals as Intervals,
    Networks as Networks,
    parse_addresses as parse_addresses,
    parse_networks as parse_networks,
)
from .lookups.calls import UpdateCounts as UpdateCounts
from .lookups.aggregates import Aggregates as Aggregates, RangeAggregates as RangeAggregates, TopMatches as TopMatches
from .joins.plans import (
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
from .lookups.probes import DeviceLink as DeviceLink, Pieces as Pieces, measured_links as measured_links
from .lookups.encoder import Field as Field, KeyEncoder as KeyEncoder, prefix_borders as prefix_borders
from .joins.window import point_in_time as point_in_time, window as window
from .drawing import Drawing as Drawing, draw as draw

# Modules for other libraries, which are loaded on first use, too.
from . import duckdb as duckdb
from . import pandas as pandas
from . import polars as polars
from . import ray as ray
from . import torch as torch

__version__: str
