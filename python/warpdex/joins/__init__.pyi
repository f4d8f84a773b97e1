# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
# The public names and the modules that have them, which the package reads, too.

from .intervals import (
    cluster_intervals as cluster_intervals,
    complement_intervals as complement_intervals,
    coverage as coverage,
    merge_intervals as merge_intervals,
    nearest as nearest,
    subtract_intervals as subtract_intervals,
)
from .networks import join_networks as join_networks
from .plans import (
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
