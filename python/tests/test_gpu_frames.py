# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Frames on the host whose keys are searched on a CUDA device, against the same joins on the CPU. Skipped without a device."""

import numpy as np
import pandas as pd
import pytest

import warpdex
from warpdex import _core


def frame_of(library, table):
    if library == "pandas":
        return table
    return pytest.importorskip("pyarrow").Table.from_pandas(table, preserve_index=False)


def plain(table):
    return table if isinstance(table, pd.DataFrame) else table.to_pandas()


@pytest.fixture(params=["pandas", "pyarrow"])
def sides(request):
    if _core.device_count() == 0:
        pytest.skip("no CUDA device")
    rng = np.random.default_rng(3)

    def made(size, name):
        table = {
            "key": rng.integers(0, 5000, size),
            "group": rng.integers(0, 9, size).astype(np.int32),
            "time": rng.integers(0, 10**6, size).astype("M8[us]"),
            "word": np.array(["a", "bb", "ccc", "dddd"])[rng.integers(0, 4, size)],
            name: rng.random(size),
        }
        return frame_of(request.param, pd.DataFrame(table))

    return made(20000, "price"), made(30000, "bid")


def expect_same(call, **options):
    found, expected = (plain(call(device=device, **options)) for device in ("cuda", "cpu"))
    pd.testing.assert_frame_equal(found, expected)


@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
@pytest.mark.parametrize("on", ["key", ["key", "group"], ["key", "word"]])
def test_joins(sides, how, on):
    expect_same(lambda **options: warpdex.join(*sides, on, how, **options))


@pytest.mark.parametrize("strategy", ["backward", "forward", "nearest"])
@pytest.mark.parametrize("by", [None, "group", ["group", "word"]])
def test_asof_joins(sides, strategy, by):
    expect_same(lambda **options: warpdex.join_asof(*sides, on="time", by=by, strategy=strategy, **options))
    expect_same(
        lambda **options: warpdex.join_asof(*sides, on="time", by=by, strategy=strategy, **options), tolerance="5us"
    )


@pytest.mark.parametrize("by", [None, "word"])
def test_joins_between(sides, by):
    left, right = sides
    if isinstance(left, pd.DataFrame):
        left = left.assign(upper=left["time"] + np.timedelta64(90, "us"))
    else:
        upper = pd.Series(plain(left)["time"] + np.timedelta64(90, "us"))
        left = left.append_column("upper", pytest.importorskip("pyarrow").array(upper))
    expect_same(lambda **options: warpdex.join_between(left, right, "time", "time", "upper", by=by, **options))


@pytest.mark.parametrize("by", [None, "word"])
def test_windows(sides, by):
    agg = {"bid": ["mean", "max"], "key": ["sum", "first"], "*": "count"}
    expect_same(
        lambda **options: warpdex.window(
            *sides, on="time", by=by, before="50us", after="50us", agg=agg, include_last_before=True, **options
        )
    )


def test_points_in_time(sides):
    tables = {"one": sides[1], "two": sides[1]}
    expect_same(lambda **options: warpdex.point_in_time(sides[0], tables, on="time", by="group", **options))


def test_indexes_over_columns_of_the_host_on_a_device():
    if _core.device_count() == 0:
        pytest.skip("no CUDA device")
    rng = np.random.default_rng(4)
    groups, keys, query = rng.integers(0, 9, 3000), rng.integers(0, 99, 3000), rng.integers(0, 99, 500)
    of = rng.integers(0, 12, 500)
    one, two = (warpdex.GroupedIndex(groups, keys, device=device) for device in ("cpu", "cuda"))
    assert two.device == "cuda:0"
    np.testing.assert_array_equal(two.count(of, query), one.count(of, query))
    np.testing.assert_array_equal(two.join_asof(of, query), one.join_asof(of, query))
    one, two = (warpdex.Intervals(keys, keys + 5, groups, device=device) for device in ("cpu", "cuda"))
    np.testing.assert_array_equal(two.count(query, by=of), one.count(query, by=of))
    for found, expected in zip(two.retrieve(query, by=of), one.retrieve(query, by=of)):
        np.testing.assert_array_equal(found, expected)


def test_devices_that_do_not_exist():
    for result in (warpdex.GroupedIndex, warpdex.Intervals):
        assert len(result([1], [2], device="cpu")) == 1
        with pytest.raises(warpdex.errors.InvalidArgument, match="device is 'cuda:99'"):
            result([1], [2], device="cuda:99")
    frame = pd.DataFrame({"key": [1]})
    for device in ("gpu", "cuda:99"):
        with pytest.raises(warpdex.errors.InvalidArgument, match=f"device is '{device}'"):
            warpdex.join(frame, frame, "key", device=device)
