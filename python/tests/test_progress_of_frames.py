# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of frames tell how much of them is done."""

from functools import partial

import polars as pl
import pytest
import warpdex
from polars.testing import assert_frame_equal
from progress_calls import expect_ended_by_error, expect_parts_told

LEFT = pl.DataFrame({"t": [1, 5, 9], "g": [1, 1, 2], "end": [3, 6, 9]})
RIGHT = pl.DataFrame({"t": [2, 4, 8], "g": [1, 1, 2], "v": [10, 20, 30]})
NETWORKS = pl.DataFrame({"cidr": ["10.0.0.0/8", "10.1.0.0/16", "::/0"]})
VISITS = pl.DataFrame({"ip": ["10.1.2.3", "::1", "9.9.9.9"]})
SPANS = {"on": ("t", "end")}
AGG = {"v": ["sum", "median"], "*": "count"}
CALLS = {
    "join": (lambda **more: warpdex.join(LEFT, RIGHT, "g", **more), 2),
    "semi join": (lambda **more: warpdex.join(LEFT, RIGHT, "g", "semi", **more), 2),
    "join_asof": (lambda **more: warpdex.join_asof(LEFT, RIGHT, on="t", by="g", **more), 2),
    "join_between": (lambda **more: warpdex.join_between(LEFT.rename({"t": "at"}), RIGHT, "t", "at", "end", **more), 2),
    "window": (lambda **more: warpdex.window(LEFT, RIGHT, on="t", before=3, after=0, agg=AGG, **more), 4),
    "windows": (
        lambda **more: warpdex.window(LEFT, RIGHT, on="t", windows={"a": (1, 0), "b": (9, 9)}, agg=AGG, **more),
        7,
    ),
    "point_in_time": (lambda **more: warpdex.point_in_time(LEFT, {"a": RIGHT, "b": RIGHT}, on="t", by="g", **more), 3),
    "overlaps": (lambda **more: warpdex.overlaps(LEFT, LEFT, **SPANS, **more), 3),
    "nearest": (lambda **more: warpdex.joins.nearest(LEFT, LEFT, **SPANS, **more), 3),
    "coverage": (lambda **more: warpdex.joins.coverage(LEFT, LEFT, **SPANS, **more), 3),
    "subtract": (lambda **more: warpdex.joins.subtract_intervals(LEFT, LEFT[:1], **SPANS, **more), 3),
    "merge": (lambda **more: warpdex.joins.merge_intervals(LEFT, **SPANS, **more), 3),
    "cluster": (lambda **more: warpdex.joins.cluster_intervals(LEFT, **SPANS, **more), 3),
    "complement": (lambda **more: warpdex.joins.complement_intervals(LEFT, **SPANS, **more), 3),
    "complement of a view": (lambda **more: warpdex.joins.complement_intervals(LEFT, LEFT, **SPANS, **more), 3),
    "networks": (lambda **more: warpdex.joins.join_networks(VISITS, NETWORKS, "ip", "cidr", **more), 3),
    "covering networks": (
        lambda **more: warpdex.joins.join_networks(VISITS, NETWORKS, "ip", "cidr", "semi", covering=True, **more),
        3,
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_each_part_is_told(name, capfd):
    expect_parts_told(*CALLS[name], partial(assert_frame_equal, check_exact=True), capfd)


@pytest.mark.parametrize("name", CALLS)
def test_what_a_function_raises_ends_the_call(name):
    expect_ended_by_error(CALLS[name][0])


def test_lazy_frames_take_it_and_are_joined():
    joined = warpdex.join(LEFT.lazy(), RIGHT.lazy(), "g", progress=True)
    assert joined.collect().height == warpdex.join(LEFT, RIGHT, "g").height
