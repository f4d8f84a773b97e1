# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
# The public names and the modules that have them, which the package reads, too.

from . import devices as devices, drawing as drawing, errors as errors, joins as joins, lookups as lookups
from .drawing import draw as draw
from .errors import Error as Error
from .frames.gather import gather as gather
from .frames.tables import gather_table as gather_table
from .joins.distinct import drop_duplicates as drop_duplicates, duplicates as duplicates, unique as unique
from .joins.intervals import overlaps as overlaps
from .joins.join import join as join, join_asof as join_asof, join_between as join_between
from .joins.window import point_in_time as point_in_time, window as window
from .lookups.aggregates import RangeAggregates as RangeAggregates, RangeQuantiles as RangeQuantiles
from .lookups.batcher import Batcher as Batcher
from .lookups.encoder import KeyEncoder as KeyEncoder
from .lookups.grouped import GroupedIndex as GroupedIndex
from .lookups.index import Index as Index
from .lookups.indexer import searchsorted as searchsorted
from .lookups.intervals import Intervals as Intervals
from .lookups.key_set import Set as Set
from .lookups.networks import Networks as Networks

__version__: str
