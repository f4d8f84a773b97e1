# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The nearest of floats at infinities and NaN, by all calls, against a loop: equal values are at distance 0, a number is
infinitely far from an infinity that it is not, and NaN is further than that from all but NaN."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
import warpdex
from warpdex import GroupedIndex, Index
from warpdex.pandas import merge_asof

INF, NAN = math.inf, math.nan
SETS = [
    [-INF, INF],
    [-INF, -2.0, 0.0, 3.5, INF, NAN],
    [NAN],
    [INF, NAN],
    [-INF, NAN],
    [0.0, NAN],
    [-INF],
    [1.0, INF, INF, 1.0, NAN, NAN, -INF, -INF],
    [-1.5],
]
PROBES = [-INF, -100.0, -2.0, -1.0, 0.0, 1.0, 2.25, 3.5, 1e30, INF, NAN]


def place(value):
    """NaN follows infinity."""
    return (value != value, 0.0 if value != value else value)


def distance(one, two):
    if place(one) == place(two):
        return (0, 0.0)
    return (1, 0.0) if one != one or two != two else (0, abs(one - two))


def nearest(keys, probe, exact, later, tolerance):
    """The row of the key that is nearest to a probe, of equal ones the first."""
    below = [row for row, key in enumerate(keys) if place(key) < place(probe) or exact and place(key) == place(probe)]
    above = [row for row, key in enumerate(keys) if place(key) > place(probe) or exact and place(key) == place(probe)]
    found = [max(below, key=lambda row: (place(keys[row]), -row))] if below else []
    found += [min(above, key=lambda row: (place(keys[row]), row))] if above else []
    if later:
        found = found[::-1]
    found = [row for row in found if tolerance is None or distance(probe, keys[row]) <= (0, tolerance)]
    return min(found, key=lambda row: distance(probe, keys[row])) if found else -1


@pytest.mark.parametrize("tolerance", [None, 0.0, 1.5, INF])
@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("keys", SETS)
def test_nearest_floats(keys, dtype, exact, later, tolerance):
    keys, probes = np.array(keys, dtype), np.array(PROBES, dtype)
    options = {"allow_exact_matches": exact, "prefer": "later" if later else "earlier", "tolerance": tolerance}
    expected = [nearest(keys.tolist(), probe, exact, later, tolerance) for probe in probes.tolist()]
    assert Index(keys, "AO+BS").join_asof(probes, "nearest", **options).tolist() == expected
    each = None if tolerance is None else np.full(len(probes), tolerance)
    query = {**options, "tolerance": each}
    assert Index(keys, "EO+KS(9)").join_asof(probes, "nearest", **query).tolist() == expected
    order = np.argsort(keys, kind="stable")  # NaN last
    merged = warpdex.joins.asof_merge(probes, keys[order], "nearest", **options)
    rows = [int(order[row]) if row >= 0 else -1 for row in merged.tolist()]
    assert rows == expected

    # Other groups have keys that are nearer.
    groups = np.repeat(["a", "b"], [len(keys), len(probes)])
    of = GroupedIndex(groups, np.concatenate([keys, probes]))
    mine = np.full(len(probes), "a")
    assert of.join_asof(mine, probes, "nearest", **options).tolist() == expected
    assert of.join_asof(mine, probes, "nearest", **query).tolist() == expected
    numbers = np.where(groups == "a", 1, 2).astype("i4")
    of = GroupedIndex(numbers, np.concatenate([keys, probes]))
    assert of.join_asof(np.full(len(probes), 1, "i4"), probes, "nearest", **options).tolist() == expected


@pytest.mark.parametrize("by", [None, "g"])
@pytest.mark.parametrize("tolerance", [None, 1.5])
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("keys", SETS)
def test_nearest_floats_of_frames(keys, exact, tolerance, by):
    keys = sorted(keys, key=place)
    left = {"t": PROBES, "g": [1] * len(PROBES)}
    right = {"t": keys, "g": [1] * len(keys), "row": range(len(keys))}

    def expect(result, probes, later):
        found = [None if row is None or row != row else int(row) for row in result["row"].to_list()]
        for probe, row in zip(probes, found, strict=True):
            best = nearest(keys, probe, exact, later, tolerance)
            # Which of equal keys matches, the calls choose as their libraries do.
            assert (row is None) == (best < 0), (probe, row, best)
            assert row is None or place(keys[row]) == place(keys[best]), (probe, row, best)

    options = {"allow_exact_matches": exact, "tolerance": tolerance, "on": "t", "by": by}
    for frame in (pd.DataFrame, pl.DataFrame):
        result = warpdex.join_asof(frame(left), frame(right), strategy="nearest", nan_is_null=False, **options)
        expect(result, PROBES, True)
    if keys[-1] == keys[-1]:  # pandas' call refuses NaN
        numbers = pd.DataFrame(left)[:-1]
        expect(merge_asof(numbers, pd.DataFrame(right), direction="nearest", **options), PROBES[:-1], False)
