# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Addresses and networks in data frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..frames.gather import read_rows
from ..frames.tables import frames, key_named
from ..lookups.border import public
from ..lookups.calls import Stages
from ..lookups.networks import Networks
from ..types import HostBits, How, Invalid, Table
from .join import with_alone
from .lazy import is_lazy, lazily_whole


@public
def join_networks(
    left: Table,
    right: Any,
    left_on: str,
    right_on: str,
    how: How = "inner",
    *,
    covering: bool = False,
    invalid: Invalid = "error",
    host_bits: HostBits = "error",
    suffix: str = "_right",
    nan_is_null: bool = True,
    device: Any = "cpu",
    threads: int = 0,
    progress: Any = False,
) -> Table:
    """Joins each row of a frame with the longest network of another one that holds its address, as `Networks.find`; with
    `covering` with all of them, from short to long.

    `left_on` names the column of addresses, `right_on` that of networks, which are of either family, as texts, integers,
    packed bytes or objects of `ipaddress`. With `invalid="null"` what is none of these is a null, which matches nothing.
    `host_bits` says what becomes of networks with bits beyond their length. The frames are of pandas, Polars or pyarrow,
    and the result is of left's kind, with all columns of both. `progress` is told when the networks are built, when the
    pairs are found, and when their rows are gathered; of lazy frames it is not.

    >>> import pandas as pd
    >>> visits = pd.DataFrame({"ip": ["10.1.2.3", "-", "10.9.9.9"]})
    >>> known = pd.DataFrame({"cidr": ["10.0.0.0/8", "10.1.0.0/16"], "name": ["all", "office"]})
    >>> join_networks(visits, known, "ip", "cidr", invalid="null")["name"].tolist()
    ['office', 'all']
    """
    if is_lazy(left):
        options = {name: value for name, value in locals().items() if name not in ("left", "right", "progress")}
        return lazily_whole(lambda table, others: join_networks(table, *others, **options), left, [right])
    stages = Stages(progress, 3)
    addresses, known = frames(left, right, nan_is_null=nan_is_null, keeps_left=True, threads=threads)
    of_left = key_named(left_on, None, "left_on", addresses.names)
    of_right = key_named(right_on, None, "right_on", known.names)
    addresses.expect([of_left], "left_on")
    known.expect([of_right], "right_on")
    networks = stages.after(Networks(known.column(of_right), host_bits=host_bits, invalid=invalid, device=device))
    ips = addresses.column(of_left)
    if covering:
        offsets, found = networks.covering(ips, invalid=invalid, threads=threads)
        offsets, rows = (np.asarray(array, np.int64) for array in (offsets, found))
        counts = np.diff(offsets)
    else:
        longest = read_rows(networks.find(ips, invalid=invalid, threads=threads), len(known.column(of_right)), "rows")[
            0
        ]
        counts, rows = (longest >= 0).astype(np.int64), longest[longest >= 0]
    stages.end()
    if how in ("semi", "anti"):
        kept = np.flatnonzero((counts > 0) == (how == "semi"))
        return stages.after(addresses.made(addresses.at(addresses.names, kept), {}, suffix))
    lefts, rows = with_alone(counts, rows) if how == "left" else (np.repeat(np.arange(counts.size), counts), rows)
    added = known.take(known.names, rows)
    return stages.after(addresses.made(addresses.at(addresses.names, lefts), added, suffix))
