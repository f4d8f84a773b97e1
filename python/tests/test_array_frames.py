# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Frames that are dicts of arrays, against pandas; with a device also of CuPy and Torch."""

import numpy as np
import pandas as pd
import pytest
from device_libraries import CuPy, Torch

import warpdex
from warpdex import _core

PLACES = ["numpy", "torch on the host", "cupy", "torch"]


class Host:
    """NumPy, or Torch on the host."""

    def __init__(self, torch=None):
        self.torch = torch

    def array(self, values):
        return values if self.torch is None else self.torch.from_numpy(np.ascontiguousarray(values))

    def host(self, values):
        return np.asarray(values)


@pytest.fixture(params=PLACES)
def place(request):
    if request.param in ("cupy", "torch"):
        if _core.device_count() == 0:
            pytest.skip("no CUDA device")
        return CuPy() if request.param == "cupy" else Torch()
    return Host(pytest.importorskip("torch") if "host" in request.param else None)


def arrays(place, frame):
    return {name: place.array(frame[name].to_numpy()) for name in frame.columns}


def listed(place, column):
    """A column as a list, in which None is a null."""
    values, valid = column if isinstance(column, tuple) else (column, None)
    values = place.host(values)
    known = ~np.isnan(values) if valid is None and values.dtype.kind == "f" else valid
    known = np.ones(values.shape, bool) if known is None else known if valid is None else place.host(valid)
    return [value if there else None for value, there in zip(values.tolist(), known.tolist())]


def expect_equal(place, found, expected):
    assert list(found) == list(expected.columns)
    for name in found:
        other = expected[name].astype(object)
        assert listed(place, found[name]) == other.where(other.notna(), None).tolist(), name


def sides(rng, left=300, right=200, values=60):
    def frame(size, more):
        result = {
            "key": rng.integers(0, values, size),
            "group": rng.integers(0, 5, size).astype(np.int32),
            "time": rng.integers(0, 1000, size),
        }
        return pd.DataFrame({**result, **more})

    one = frame(left, {"price": rng.random(left), "count": rng.integers(0, 9, left).astype(np.int32)})
    return one, frame(right, {"bid": rng.random(right), "size": rng.integers(0, 9, right)})


SIZES = [(300, 200), (50, 400), (1, 3), (0, 5), (5, 0), (0, 0)]


@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
@pytest.mark.parametrize("keys", [["key"], ["group", "key"], ["group", "key", "time"]])
def test_joins_answer_as_those_of_frames(place, how, keys):
    rng = np.random.default_rng(len(keys))
    for left, right in SIZES:
        one, two = sides(rng, left, right)
        found = warpdex.join(arrays(place, one), arrays(place, two), keys, how)
        expect_equal(place, found, warpdex.join(one, two, keys, how))
        order = "right" if how != "right" else "left"
        if how in ("inner", "left", "right"):
            found = warpdex.join(arrays(place, one), arrays(place, two), keys, how, maintain_order=order)
            expect_equal(place, found, warpdex.join(one, two, keys, how, maintain_order=order))


@pytest.mark.parametrize("strategy", ["backward", "forward", "nearest"])
@pytest.mark.parametrize("by", [None, "group", ["group", "key"]])
@pytest.mark.parametrize("ordered", [False, True])
def test_asof_joins_answer_as_those_of_frames(place, strategy, by, ordered):
    rng = np.random.default_rng(7)
    for left, right in SIZES:
        one, two = sides(rng, left, right, 4)
        if ordered:
            one, two = (side.sort_values("time", ignore_index=True) for side in (one, two))
        for more in ({}, {"tolerance": 20}, {"allow_exact_matches": False}, {"relative": 0.01}):
            options = {"on": "time", "by": by, "strategy": strategy, **more}
            found = warpdex.join_asof(arrays(place, one), arrays(place, two), **options)
            expect_equal(place, found, warpdex.join_asof(one, two, **options))


@pytest.mark.parametrize("how", ["inner", "left", "semi", "anti"])
@pytest.mark.parametrize("by", [None, "group", ["group", "key"]])
@pytest.mark.parametrize("closed", ["both", "left", "none"])
def test_joins_between_answer_as_those_of_frames(place, how, by, closed):
    rng = np.random.default_rng(8)
    for left, right in SIZES:
        one, two = sides(rng, left, right, 4)
        one = one.assign(upper=one["time"] + rng.integers(-2, 30, left))
        options = ("time", "time", "upper", closed, how)
        found = warpdex.join_between(arrays(place, one), arrays(place, two), *options, by=by)
        expect_equal(place, found, warpdex.join_between(one, two, *options, by=by))


def test_many_tables_at_a_point_in_time(place):
    rng = np.random.default_rng(9)
    one, two = sides(rng)
    three = sides(rng)[1]
    options = {"on": "time", "by": ["group", "key"], "tolerance": {"two": 50}}
    found = warpdex.point_in_time(
        arrays(place, one), {"two": arrays(place, two), "three": arrays(place, three)}, **options
    )
    expect_equal(place, found, warpdex.point_in_time(one, {"two": two, "three": three}, **options))


@pytest.mark.parametrize("by", [None, "group", ["group", "key"]])
@pytest.mark.parametrize("closed", ["both", "left", "right", "none"])
def test_windows_answer_as_those_of_frames(place, by, closed):
    rng = np.random.default_rng(10)
    agg = {"bid": ["mean", "std"], "size": ["sum", "max", "first", "last", "count"], "*": "count"}
    for left, right in SIZES:
        one, two = sides(rng, left, right, 4)
        for before, after, one_before in (
            (9, 9, False),
            (0, 0, False),
            (20, -3, False),
            (-5, 30, True),
            (2**62, 3, True),
        ):
            options = {"on": "time", "by": by, "closed": closed, "include_last_before": one_before}
            options |= {"before": before, "after": after, "agg": agg}
            found = warpdex.window(arrays(place, one), arrays(place, two), **options)
            expect_equal(place, found, warpdex.window(one, two, **options))


def test_ends_of_windows_beyond_the_type(place):
    keys = np.array([-(2**31), -5, 0, 7, 2**31 - 1], np.int32)
    for dtype, before, after in ((np.int32, 2**31, 2**31), (np.int64, 2**62, 2**62), (np.float64, 0.5, 1.5)):
        one = pd.DataFrame({"time": keys.astype(dtype)})
        if dtype == np.int64:
            one["time"] *= 2**32 - 1
        options = {"on": "time", "before": before, "after": after, "agg": {"*": "count"}}
        found = warpdex.window(arrays(place, one), arrays(place, one), **options)
        expect_equal(place, found, warpdex.window(one, one, **options))


def test_lengths_of_windows(place):
    frame = {"time": place.array(np.array([1, 2]))}
    options = {"on": "time", "agg": {"*": "count"}}
    with pytest.raises(
        warpdex.errors.InvalidArgument, match="before is 1 and after -2.*; no window ends before it begins"
    ):
        warpdex.window(frame, frame, before=1, after=-2, **options)
    found = warpdex.window(frame, frame, before=np.array([0, 1]), after=0, **options)
    assert place.host(found["count"]).tolist() == [1, 2]


def test_ends_of_windows_that_the_type_of_the_left_keys_does_not_hold(place):
    options = {"on": "time", "agg": {"*": "count"}}
    for left, right, before, after in (
        (np.int32(2**31 - 5), np.int64(2**31 + 10), 0, 100),
        (np.uint32(5), np.int64(-3), 10, 0),
        (np.int32(-5), np.uint64(2**63 + 1), 0, 2**63 - 1),
    ):
        sides = ({"time": place.array(np.array([value]))} for value in (left, right))
        expected = int(int(left) - before <= int(right) <= int(left) + after)
        assert place.host(warpdex.window(*sides, before=before, after=after, **options)["count"]).tolist() == [expected]


def test_values_may_have_a_validity_and_more_dimensions(place):
    left = {"key": place.array(np.array([1, 2, 9]))}
    valid = np.array([True, False])
    right = {
        "key": place.array(np.array([1, 2])),
        "some": (place.array(np.array([10, 20])), place.array(valid)),
        "wide": place.array(np.array([[1, 2], [3, 4]])),
        "embedded": place.array(np.array([[0.5, 1.5], [2.5, 3.5]], np.float32)),
    }
    found = warpdex.join(left, right, "key", "left")
    assert listed(place, found["some"]) == [10, None, None]
    values, known = found["wide"]
    assert place.host(values).tolist() == [[1, 2], [3, 4], [0, 0]]
    assert place.host(known).tolist() == [True, True, False]
    embedded = place.host(found["embedded"])
    assert embedded.dtype == np.float32 and embedded[:2].tolist() == [[0.5, 1.5], [2.5, 3.5]]
    assert np.isnan(embedded[2]).all()
    inner = warpdex.join(left, right, "key")
    assert place.host(inner["wide"]).tolist() == [[1, 2], [3, 4]]


def test_tables_that_are_no_frames(place):
    key = place.array(np.arange(3))
    frame = {"key": key}
    with pytest.raises(warpdex.errors.KeyTypeError, match="the column 'price' is list; those of a dict are arrays"):
        warpdex.join({"key": key, "price": [1, 2, 3]}, frame, "key")
    with pytest.raises(warpdex.errors.InvalidArgument, match="the column 'price' has 2 rows, but others have 3"):
        warpdex.join({"key": key, "price": place.array(np.arange(2))}, frame, "key")
    with pytest.raises(warpdex.errors.KeyTypeError, match="left is a dict of arrays, but right is not"):
        warpdex.join(frame, pd.DataFrame({"key": [1]}), "key")
    with pytest.raises(warpdex.errors.KeyTypeError, match="the column 'key' has a validity; keys of a dict"):
        warpdex.join({"key": (key, key > 0)}, frame, "key")
    with pytest.raises(warpdex.errors.InvalidArgument, match="left: on names the column 'no'; there are 'key'"):
        warpdex.join(frame, frame, "no")
    other = {"key": place.array(np.arange(3, dtype=np.int32))}
    if isinstance(place, Host):  # devices compare keys of one type alone
        with pytest.raises(warpdex.errors.InvalidArgument, match="'key' is of type .*int64, 'key' of type .*int32"):
            warpdex.join(frame, other, "key", "full", coalesce=True)


def test_keys_that_repeat_are_refused(place):
    frame, twice = ({"key": place.array(np.array(keys))} for keys in ([1, 2, 3], [1, 2, 2]))
    assert place.host(warpdex.join(frame, frame, "key", validate="1:1")["key"]).tolist() == [1, 2, 3]
    for sides, rule, name in (((twice, frame), "1:m", "left"), ((frame, twice), "m:1", "right")):
        with pytest.raises(warpdex.errors.InvalidArgument, match=f"validate is '{rule}', but keys of the {name} frame"):
            warpdex.join(*sides, "key", validate=rule)


@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
def test_joins_with_an_index(place, how):
    one, two = sides(np.random.default_rng(11))
    left, right = arrays(place, one), arrays(place, two)
    index = warpdex.Index(right["key"])
    found = warpdex.join(left, right, "key", how, index=index)
    expect_equal(place, found, warpdex.join(one, two, "key", how))
    with pytest.raises(warpdex.errors.InvalidArgument, match="index is not over right's column 'key'"):
        warpdex.join(left, {**right, "key": right["key"] + 1}, "key", how, index=index)
    with pytest.raises(warpdex.errors.InvalidArgument, match="index holds keys of one column"):
        warpdex.join(left, right, ["key", "group"], how, index=index)


@pytest.mark.parametrize("by", [None, "group", ["group", "key"]])
def test_asof_joins_at_offsets(place, by):
    one, two = sides(np.random.default_rng(12), values=4)
    options = {"on": "time", "by": by, "offsets": [0, 25, -7], "tolerance": 40}
    found = warpdex.join_asof(arrays(place, one), arrays(place, two), **options)
    expect_equal(place, found, warpdex.join_asof(one, two, **options))
