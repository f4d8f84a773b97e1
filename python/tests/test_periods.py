# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Periods of pandas as keys, and its columns of intervals."""

import random

import numpy as np
import pandas as pd
import pytest

import warpdex

UNITS = ["M", "Q", "Y", "W", "D", "h", "min", "s", "ns", "Q-NOV"]


def _forms(periods):
    """Periods as an index, a column, an array, objects and a list."""
    yield periods
    yield pd.Series(periods)
    yield periods.array
    yield np.asarray(periods, object)
    yield list(periods)


@pytest.mark.parametrize("unit", UNITS)
def test_periods_are_whole_numbers_of_their_unit(unit):
    rng = random.Random(5)
    numbers, probes = ([rng.randrange(-40, 40) for _ in range(50)] for _ in range(2))
    keys, query = (pd.PeriodIndex.from_ordinals(one, freq=unit) for one in (numbers, probes))
    of_numbers = warpdex.Index(numbers, "AO+BS")
    for form in _forms(keys):
        index = warpdex.Index(form, "AO+BS")
        for other in _forms(query):
            for call in ("find", "count", "floor", "ceil", "lower_bound"):
                found, wanted = getattr(index, call)(other), getattr(of_numbers, call)(probes)
                assert np.asarray(pd.Series(found).fillna(-1)).tolist() == wanted.tolist()
        assert (
            index.range_count(query, query + 3).tolist()
            == of_numbers.range_count(probes, [n + 3 for n in probes]).tolist()
        )
    assert index.find(query[3]) == of_numbers.find(probes[3])
    with_nulls = keys.insert(1, pd.NaT)
    for form in _forms(with_nulls):
        found = pd.Series(warpdex.Index(form).find(form)).fillna(-1).tolist()
        assert found == [
            -1 if number is None else [*numbers[:1], None, *numbers[1:]].index(number)
            for number in [*numbers[:1], None, *numbers[1:]]
        ]


def test_periods_are_keys_of_frames(tmp_path):
    months = pd.period_range("2024-01", "2024-06", freq="M")
    left = pd.DataFrame({"m": months, "a": range(6), "g": list("xyxyxy")})
    right = pd.DataFrame({"m": months[[1, 3, 3]], "v": [1, 2, 3], "g": list("yyx")})
    assert warpdex.join(left, right, "m")["v"].tolist() == [1, 2, 3]
    full = warpdex.join(left, right, "m", "full", coalesce=True)
    assert full["m"].dtype == months.dtype and len(full) == 7
    assert warpdex.join(left, right, ["m", "g"])["v"].tolist() == [1, 2]
    assert warpdex.join_asof(left, right, on="m")["v"].tolist()[1:] == [1, 1, 3, 3, 3]
    assert warpdex.join_asof(left, right, on="m", tolerance=0)["v"].isna().tolist() == [
        True,
        False,
        True,
        False,
        True,
        True,
    ]
    assert warpdex.join_asof(left, right, on="m", by="g")["v"].fillna(0).tolist() == [0, 1, 0, 2, 3, 2]
    counts = warpdex.window(left, right, on="m", before=1, after=0, agg={"*": "count"})
    assert counts["count"].tolist() == [0, 1, 1, 2, 2, 0]
    events = pd.DataFrame({"m": months[[1]], "end": months[[3]]})
    assert warpdex.join_between(events, left, "m", "m", "end")["a"].tolist() == [1, 2, 3]
    grouped = warpdex.GroupedIndex(months, [5] * 6)
    assert grouped.floor(months[[2]], [7]).tolist() == [2]
    assert warpdex.Index((months, list("abcdef"))).find((months[[2, 2]], ["c", "d"])).tolist() == [2, -1]
    assert warpdex.drop_duplicates(right, "m")["v"].tolist() == [1, 2]
    assert warpdex.unique(right["m"]).tolist() == list(months[[1, 3]])
    assert warpdex.gather([2, -1], pd.Series(months)).isna().tolist() == [False, True]
    assert warpdex.Index(months, "AO+BS").keys_at([0, 2]).tolist() == list(months[[0, 2]])
    pairs = warpdex.Index((months, list("abcdef")), "AO+BS").keys_at([1])
    assert pairs[0].tolist() == [months[1]] and pairs[1].tolist() == [b"b"]
    index = warpdex.Index(months)
    index.save(tmp_path / "months.wdx")
    loaded = warpdex.Index.load(tmp_path / "months.wdx")
    assert loaded.find(months[[4]]).tolist() == [4]
    assert warpdex.Intervals(months[:2], months[2:4]).count(months[[0, 2, 5]]).tolist() == [1, 2, 0]


def test_periods_of_two_units_are_not_compared():
    months, quarters = pd.period_range("2024-01", periods=3, freq="M"), pd.period_range("2024Q1", periods=3, freq="Q")
    index = warpdex.Index(months)
    message = r"periods of Q-DEC, but the keys are of type period\(M\); asfreq converts periods"
    for form in _forms(quarters):
        with pytest.raises(warpdex.errors.KeyTypeError, match=message):
            index.find(form)
    assert index.find(quarters.asfreq("M", "start")).fillna(-1).tolist() == [0, -1, -1]
    with pytest.raises(warpdex.errors.KeyTypeError, match="keys has periods of M and Q-DEC, which are not compared"):
        warpdex.Index([months[0], quarters[0]])
    with pytest.raises(
        warpdex.errors.KeyTypeError, match=r"period\(M\), right has m of type period\(Q-DEC\), which are not"
    ):
        warpdex.join(pd.DataFrame({"m": months}), pd.DataFrame({"m": quarters}), "m")
    for other in ([648], months.to_timestamp(), ["2024-01"], [1.5], [True]):
        with pytest.raises(warpdex.errors.KeyTypeError, match=r"period\(M\)"):
            index.find(other)
    for keys in ([648], months.to_timestamp(), ["2024-01"]):
        with pytest.raises(warpdex.errors.KeyTypeError, match="periods of M"):
            warpdex.Index(keys).find(months)
    with pytest.raises(warpdex.errors.KeyTypeError, match="tolerance is"):
        warpdex.join_asof(pd.DataFrame({"m": months}), pd.DataFrame({"m": months}), on="m", tolerance=pd.Timedelta(1))


@pytest.mark.parametrize("closed", ["left", "right", "both", "neither"])
@pytest.mark.parametrize("kind", ["integers", "floats", "moments", "durations", "holes"])
def test_an_interval_index_is_start_end_and_closed(closed, kind):
    result = {
        "integers": [0, 1, 2, 5],
        "floats": [0.0, 1.0, 2.0, 5.0],
        "moments": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-06"]),
        "durations": pd.to_timedelta([0, 1, 2, 5], "s"),
        "holes": [0.0, 1.0, 2.0, 5.0],
    }[kind]
    bins = pd.IntervalIndex.from_breaks(result, closed=closed)
    if kind == "holes":
        bins = bins.insert(1, np.nan)
    wanted = [next((i for i, one in enumerate(bins) if isinstance(one, pd.Interval) and p in one), -1) for p in result]
    for column in (bins, pd.Series(bins), bins.array):
        for given in ({}, {"closed": closed}):
            index = warpdex.Intervals(column, **given)
            assert np.asarray(pd.Series(index.find(result)).fillna(-1)).tolist() == wanted
    solid = bins[bins.notna()]
    for call in ("count", "find", "coverage"):
        assert (
            np.asarray(getattr(index, call)(solid)).tolist()
            == np.asarray(getattr(index, call)(solid.left, solid.right)).tolist()
        )
    for call in (index.nearest, index.gaps):
        of_column, of_ends = call(solid), call(solid.left, end=solid.right)
        assert [one.tolist() for one in of_column] == [one.tolist() for one in of_ends]
    pairs, other = index.join(solid), index.join(solid.left, solid.right)
    assert [one.tolist() for one in pairs] == [one.tolist() for one in other]
    overlaps = [sum(bins[bins.notna()].overlaps(one)) for one in solid]
    assert np.asarray(index.count(solid)).tolist() == overlaps
    different = pd.IntervalIndex.from_breaks(result, closed="left" if closed != "left" else "right")
    with pytest.raises(warpdex.errors.InvalidArgument, match="closed is .*, but that of the intervals in points is"):
        index.count(different)
    with pytest.raises(warpdex.errors.InvalidArgument, match="closed is .*, but that of the intervals in start is"):
        warpdex.Intervals(bins, closed=different.closed)
    with pytest.raises(warpdex.errors.InvalidArgument, match="start holds intervals, but end is given, too"):
        warpdex.Intervals(bins, result)


def test_intervals_within_groups_of_an_interval_index():
    bins = pd.IntervalIndex.from_tuples([(0, 4), (0, 4), (2, 9)], closed="left")
    index = warpdex.Intervals(bins, by=["a", "b", "a"])
    assert index.count([3, 3, 4], by=["a", "b", "b"]).tolist() == [2, 1, 0]
    assert index.count(bins, by=["b", "b", "a"]).tolist() == [1, 1, 2]
    assert len(index.join(bins, by=["a", "a", "a"], min_overlap=3)[0]) == 3
    with pytest.raises(warpdex.errors.KeyTypeError, match="end is missing"):
        warpdex.Intervals([1, 2])
