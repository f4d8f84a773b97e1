# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Integers and floats are compared exactly with each other, in lookups and in joins of frames, as Python does."""

import bisect
import datetime
import math
import uuid

import numpy as np
import pytest

import warpdex
from warpdex import Index

INTEGERS = [-(2**63), -(2**53) - 1, -2, 0, 1, 2, 3, 2**53, 2**53 + 1, 2**62, 2**63 - 1]
UNSIGNED = [0, 1, 2, 2**53 + 1, 2**63, 2**63 + 2048, 2**64 - 1]
FLOATS = [-math.inf, -(2.0**63), -2.5, -0.0, 0.5, 1.0, 2.0, 2.5, 2.0**53, 2.0**62, 2.0**63, 2.0**64, 1e300, math.inf]
PAIRS = {
    "floats in int64": (np.array(INTEGERS), np.array(FLOATS)),
    "floats in uint64": (np.array(UNSIGNED, np.uint64), np.array(FLOATS)),
    "float32 in int64": (np.array(INTEGERS), np.array(FLOATS[:-2], np.float32)),
    "int64 in floats": (np.array(FLOATS), np.array(INTEGERS)),
    "uint64 in floats": (np.array(FLOATS), np.array(UNSIGNED, np.uint64)),
    "integers beyond 64 bits in floats": (
        np.array(FLOATS),
        [2**64, 2**70, -(2**70), 2**64 + 1, 10**400, -(10**400), None],
    ),
}


@pytest.mark.parametrize("keys, probes", PAIRS.values(), ids=list(PAIRS))
@pytest.mark.parametrize("spec", ["AO+BS", "B+(16)", "GRT", "HT(open)"])
def test_lookups(keys, probes, spec):
    index = Index(keys, spec)
    plain, query = keys.tolist(), list(probes.tolist() if isinstance(probes, np.ndarray) else probes)
    known = [one for one in query if one is not None]
    found = [plain.index(one) if one in plain else -1 for one in query]
    assert index.find(probes).tolist() == found
    assert index.contains(probes).tolist() == [one >= 0 for one in found]
    assert index.join(probes)[1].tolist() == [one for one in found if one >= 0]
    if spec == "HT(open)":
        return
    below, upto = [bisect.bisect_left(plain, p) for p in known], [bisect.bisect_right(plain, p) for p in known]
    bounds = probes[:] if len(known) == len(query) else known
    assert index.lower_bound(bounds).tolist() == below
    assert index.upper_bound(bounds).tolist() == upto
    assert index.floor(bounds).tolist() == [one - 1 for one in upto]
    assert index.ceil(bounds).tolist() == [one if one < len(plain) else -1 for one in below]
    least = [min(plain)] * len(known)
    assert index.range_count(least, bounds).tolist() == upto
    assert index.range_count(least, bounds, "left").tolist() == below


def test_scalars_nan_and_nothing():
    index = Index([1, 2, 3])
    assert index.find(2.0) == 1 and index.find(2.5) == -1 and index.floor(2.5) == 1
    assert index.find([2.0, np.nan]).tolist() == [1, -1]
    assert index.floor(np.nan) == 2  # above all numbers
    assert index.find(np.array([])).tolist() == []
    moment = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
    for key in ("a", 1.5, True, uuid.UUID(int=1), datetime.date(2020, 1, 1), moment, datetime.time(1)):
        for nothing in ([], np.array([])):
            assert Index([key]).find(nothing).tolist() == []
            assert Index([key]).join(nothing)[1].tolist() == []
    assert index.join_asof([1.4, 1.5], "nearest").tolist() == [0, 0]


def test_updates_take_numbers_of_the_keys_kind_alone():
    wide = np.array([2], object)
    for index, wrong in ((Index([1, 2]), [1.0]), (Index([1.5]), [1]), (Index([1.5]), wide), (Index([1.5]), [2**70])):
        for change in (
            lambda: index.insert(wrong, [5]),
            lambda: index.erase(wrong),
            lambda: index.update([], [], wrong),
        ):
            with pytest.raises(warpdex.errors.KeyTypeError, match="keys holds values of type"):
                change()


@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("kind", ["i8", "u8"])
def test_joins_of_frames(how, several, kind):
    pd = pytest.importorskip("pandas")
    whole = np.array([3, 1, 2**53 + 1, 2**63 - 1 if kind == "i8" else 2**63, 7], kind)
    parts = np.array([1.0, np.nan, 2.5, 3.0, 2.0**53, 2.0**63, -7.0])
    for one, two in ((whole, parts), (parts, whole)):
        left = pd.DataFrame({"a": one, "g": 0, "l": np.arange(len(one))})
        right = pd.DataFrame({"b": two, "g": 0, "r": np.arange(len(two))})
        keys = ["a", "g"] if several else "a", ["b", "g"] if several else "b"
        found = warpdex.join(left, right, left_on=keys[0], right_on=keys[1], how=how, coalesce=False)
        pairs = [(i, j) for i, x in enumerate(one.tolist()) for j, y in enumerate(two.tolist()) if x == y]
        lefts, rights = {i for i, _ in pairs}, {j for _, j in pairs}
        alone = [(i, -1) for i in range(len(one)) if i not in lefts]
        others = [(-1, j) for j in range(len(two)) if j not in rights]
        if how in ("semi", "anti"):
            assert found["l"].tolist() == [i for i in range(len(one)) if (i in lefts) == (how == "semi")]
            continue
        wanted = pairs + (alone if how in ("left", "full") else []) + (others if how in ("right", "full") else [])
        assert sorted(zip(found["l"].fillna(-1), found["r"].fillna(-1))) == sorted(wanted)


def test_objects_that_are_nan_alone_are_nulls_beside_integers():
    pd = pytest.importorskip("pandas")
    left = pd.DataFrame({"k": pd.Series([np.nan, np.nan], dtype=object)})
    right = pd.DataFrame({"k": pd.array([1, None], dtype="Int64")})
    assert len(warpdex.join(left, right, "k", nulls_equal=True)) == 2
    assert len(warpdex.join(left, right, "k")) == 0


def test_floats_that_equal_no_integer_repeat():
    pl = pytest.importorskip("polars")
    parts, whole = pl.DataFrame({"k": [2.5, 2.5]}), pl.DataFrame({"k": [1, 2]})
    for left, right, validate, side in (
        (parts, whole, "1:1", "left"),
        (parts, whole, "1:m", "left"),
        (whole, parts, "m:1", "right"),
    ):
        with pytest.raises(warpdex.errors.InvalidArgument, match=f"keys of the {side} frame repeat"):
            warpdex.join(left, right, "k", validate=validate)
    assert len(warpdex.join(parts, whole, "k", validate="m:1")) == 0


def test_other_joins_of_frames():
    pl = pytest.importorskip("polars")
    left, right = pl.DataFrame({"k": [3, 1, 2]}), pl.DataFrame({"k": [1.0, 2.5], "v": [1, 2]})
    assert warpdex.join_asof(left, right, on="k")["v"].to_list() == [2, 1, 1]
    assert warpdex.join_asof(right, left.with_row_index(), on="k")["index"].to_list() == [1, 2]
    grouped = warpdex.join_asof(left, right, on="k", strategy="nearest", tolerance=0.5, by_left=[], by_right=[])
    assert grouped["v"].to_list() == [2, 1, 2]
    bounds = pl.DataFrame({"low": [0.5, 1.5], "high": [2.5, 1.75]})
    assert warpdex.join_between(bounds, left, "k", "low", "high")["k"].to_list() == [1, 2]


def test_one_number_of_python_answers_as_an_array_of_it():
    numbers = [0, 5, -1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64, -(2**63), 2.5, -0.0, float("nan"), float("inf")]
    for dtype in ("i4", "u4", "i8", "u8", "f4", "f8"):
        index = Index(np.array([5, 0, 7, 5], dtype), "AO+BS")
        for number in numbers:
            for name in ("find", "contains", "count", "lower_bound", "upper_bound", "floor", "ceil"):
                one, several = getattr(index, name)(number), getattr(index, name)([number])
                assert one == several[0] and type(one) is type(several[0])
        with pytest.raises(TypeError, match="bool"):
            index.find(True)
