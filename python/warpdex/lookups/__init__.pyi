# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
# The public names and the modules that have them, which the package reads, too.

from ..columns.parts import Keys as Keys
from ..frames.marks import Marks as Marks
from ..frames.rows import gather_rows as gather_rows
from .aggregates import Aggregates as Aggregates, TopMatches as TopMatches
from .calls import UpdateCounts as UpdateCounts
from .encoder import Field as Field, prefix_borders as prefix_borders
from .grouped_aggregates import GroupedAggregates as GroupedAggregates
from .networks import parse_addresses as parse_addresses, parse_networks as parse_networks
