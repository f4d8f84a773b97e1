# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Intervals, networks and aggregates tell how much of a call is done."""

import numpy as np
import pytest
from progress_calls import expect_ended_by_error, expect_parts_told
from warpdex import GroupedIndex, Index, Intervals, Networks, RangeAggregates, RangeQuantiles, Set

SPANS = Intervals([0, 5, 8], [9, 6, 20])
NETS = Networks(["10.0.0.0/8", "10.1.0.0/16"])
DAYS = Index([3, 1, 2, 1])
AMOUNTS = RangeAggregates(DAYS, [30, 10, 20, 11])
NAMES = RangeQuantiles(DAYS, ["d", "c", "a", "b"])
SALES = GroupedIndex([1, 1, 2], [5, 6, 5]).aggregates([15, 25, 20])
CALLS = {
    "Intervals": (lambda **more: len(Intervals([0, 5], [9, 6], **more)), 2),
    "Intervals.count": (lambda **more: SPANS.count([5, 7], **more), 1),
    "Intervals.find": (lambda **more: SPANS.find([5, 7], **more), 1),
    "Intervals.coverage": (lambda **more: SPANS.coverage([5, 7], [9, 30], **more), 1),
    "Intervals.retrieve": (lambda **more: SPANS.retrieve([5, 7], **more), 2),
    "Intervals.join": (lambda **more: SPANS.join([5, 7], [9, 30], min_overlap=2, **more), 2),
    "Intervals.nearest": (lambda **more: SPANS.nearest([5, 7], k=2, distances=True, **more), 2),
    "Intervals.gaps": (lambda **more: SPANS.gaps([-5, 7], [9, 30], **more), 2),
    "Intervals.merge": (lambda **more: SPANS.merge(**more), 1),
    "Intervals.cluster": (lambda **more: SPANS.cluster(**more), 1),
    "Networks": (lambda **more: len(Networks(["10.0.0.0/8"], **more)), 2),
    "Networks.find": (lambda **more: NETS.find(["10.1.1.1", "::1"], **more), 2),
    "Networks.covering": (lambda **more: NETS.covering(["10.1.1.1", "::1"], **more), 2),
    "RangeAggregates": (lambda **more: RangeAggregates(DAYS, [1, 2, 3, 4], **more).nbytes, 2),
    "RangeAggregates.in_ranges": (lambda **more: AMOUNTS.in_ranges([1], [2], **more).sum, 2),
    "RangeAggregates.of_keys": (lambda **more: AMOUNTS.of_keys([1, 9], **more).count, 2),
    "RangeAggregates.top_k": (lambda **more: AMOUNTS.top_k([1], [3], 2, **more), 2),
    "RangeAggregates.bottom_k": (lambda **more: AMOUNTS.bottom_k([1], [3], 2, **more), 2),
    "RangeQuantiles": (lambda **more: RangeQuantiles(DAYS, [1, 2, 3, 4], **more).nbytes, 2),
    "RangeQuantiles.in_ranges": (lambda **more: NAMES.in_ranges([1], [2], 0.5, **more), 2),
    "Set": (lambda **more: len(Set([1, 2, 1], **more)), 2),
    "Set.contains": (lambda **more: Set([1, 2]).contains([1, 5], **more), 1),
    "GroupedIndex.aggregates": (
        lambda **more: GroupedIndex([1, 2], [5, 5]).aggregates([1, 2], **more).nbytes,
        2,
    ),
    "GroupedAggregates.in_ranges": (lambda **more: SALES.in_ranges([1, 2], [5, 5], [9, 9], **more).sum, 2),
    "GroupedAggregates.of_keys": (lambda **more: SALES.of_keys([1, 2], [5, 5], **more).sum, 2),
    "GroupedAggregates.top_k": (lambda **more: SALES.top_k([1, 2], None, [9, 9], 1, **more), 2),
    "GroupedAggregates.bottom_k": (lambda **more: SALES.bottom_k([1, 2], None, [9, 9], 1, **more), 2),
}


@pytest.mark.parametrize("name", CALLS)
def test_each_part_is_told(name, capfd):
    expect_parts_told(*CALLS[name], np.testing.assert_equal, capfd)


@pytest.mark.parametrize("name", CALLS)
def test_what_a_function_raises_ends_the_call(name):
    expect_ended_by_error(CALLS[name][0])


@pytest.mark.parametrize("name", ["count", "find", "coverage"])
def test_many_probes_are_told_piece_by_piece(name):
    probes, told = np.arange(5 << 18) % 25, []
    call = getattr(SPANS, name)
    np.testing.assert_array_equal(call(probes, progress=told.append), call(probes))
    assert told == [0.4, 0.8, 1.0]
    assert len(call(np.array([], np.int64), progress=told.append)) == 0 and len(told) == 3
