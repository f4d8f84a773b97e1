# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Searches against NumPy, indexers against pandas, and expressions of Polars."""

import numpy as np
import pytest

import warpdex
from warpdex import Index

pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")

SEEDS = range(4)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "M8[s]", "S3", "U3", "?"])
def test_searchsorted_answers_as_numpy(seed, dtype):
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind

    def made(size):
        values = rng.integers(0, 100, size)
        if kind in "SU":
            return values.astype(str).astype(dtype)
        values = values.astype(dtype)
        if kind == "f" and size:
            values[: size // 8] = rng.choice([np.nan, -0.0, np.inf], size // 8)
        return values

    for size in (0, 1, 300):
        unsorted = made(size)
        keys = np.sort(unsorted)
        for side in ("left", "right"):
            for probes in (made(200), made(0), made(12).reshape(3, 4), made(60)[::3], made(1)[0]):
                found = warpdex.searchsorted(keys, probes, side)
                np.testing.assert_array_equal(found, np.searchsorted(keys, probes, side))
                assert np.shape(found) == np.shape(probes) and found.dtype == np.intp
            probes, order = made(50), np.argsort(unsorted, kind="stable")
            np.testing.assert_array_equal(
                warpdex.searchsorted(unsorted, probes, side, order), np.searchsorted(unsorted, probes, side, order)
            )


def test_searchsorted_of_other_types_and_bad_ones():
    keys = np.array([1, 2**53, 2**53 + 1, 2**63 + 5], np.uint64)
    assert warpdex.searchsorted(keys, [-1, 2**53, 2**53 + 1]).tolist() == [0, 1, 2]
    assert warpdex.searchsorted(keys, np.array([1.5, 1e30, np.nan])).tolist() == [1, 4, 4]
    assert warpdex.searchsorted(np.array([1, 3], "M8[s]"), np.array([2500], "M8[ms]")).tolist() == [1]
    order = np.array([2, 0, 1])
    assert warpdex.searchsorted([20, 30, 10], [15, 30], sorter=order).tolist() == [1, 2]
    for words, kind, call in [
        ("side is 'up'", ValueError, lambda: warpdex.searchsorted([1], [1], "up")),
        ("a has 2 dimensions", ValueError, lambda: warpdex.searchsorted([[1]], [1])),
        ("sorter has the shape", ValueError, lambda: warpdex.searchsorted([1, 2], [1], sorter=[0])),
        ("complex", TypeError, lambda: warpdex.searchsorted([1j], [1])),
        ("v holds strings, but the keys are of type integer", TypeError, lambda: warpdex.searchsorted([1], ["a"])),
    ]:
        with pytest.raises(kind, match=words):
            call()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dtype", ["i8", "f8", "M8[ns]"])
def test_get_indexer_answers_as_pandas(seed, dtype):
    rng = np.random.default_rng(seed)
    keys = np.sort(rng.choice(100, 30, replace=False)).astype(dtype)
    target = np.sort(rng.integers(-5, 110, 60)).astype(dtype)
    model = pd.Index(keys)
    shuffle = rng.permutation(keys.size)
    index, other = Index(keys), Index(keys[shuffle])
    tolerance = np.timedelta64(3, "ns") if dtype[0] == "M" else 3
    np.testing.assert_array_equal(index.get_indexer(target), model.get_indexer(target))
    for method in ("pad", "ffill", "backfill", "bfill", "nearest"):
        for within in (None, tolerance):
            expected = model.get_indexer(target, method, tolerance=within)
            np.testing.assert_array_equal(index.get_indexer(target, method, tolerance=within), expected)
            if method != "nearest":
                with pytest.raises(warpdex.errors.InvalidArgument, match="by row the keys neither ascend nor descend"):
                    other.get_indexer(target, method, tolerance=within)
                continue
            places = other.get_indexer(target, method, tolerance=within)
            np.testing.assert_array_equal(np.where(places < 0, -1, shuffle[places]), expected)
    repeated = rng.integers(0, 20, 50).astype(dtype)
    rows, missing = Index(repeated).get_indexer_non_unique(target)
    expected_rows, expected_missing = pd.Index(repeated).get_indexer_non_unique(target)
    np.testing.assert_array_equal(rows, expected_rows)
    np.testing.assert_array_equal(missing, expected_missing)


@pytest.mark.parametrize("method", [None, "pad", "ffill", "backfill", "bfill", "nearest"])
@pytest.mark.parametrize("keys", [[1.0, 2.0], [1, 2]])
def test_get_indexer_of_nan_answers_as_pandas(method, keys):
    targets = [np.nan, 1.5, 0.5, 2.0, np.nan]
    expected = pd.Index(keys).get_indexer(targets, method)
    assert Index(keys).get_indexer(targets, method).tolist() == expected.tolist()
    assert Index(keys).get_indexer(pd.Series(targets), method).tolist() == expected.tolist()
    if method is not None and isinstance(keys[0], float):
        expected = pd.Index(keys).get_indexer(targets, method, tolerance=0.5)
        assert Index(keys).get_indexer(targets, method, tolerance=0.5).tolist() == expected.tolist()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dtype", ["i8", "i4", "f8", "M8[ns]"])
def test_get_indexer_over_descending_keys_answers_as_pandas(seed, dtype):
    rng = np.random.default_rng(seed)
    for size in (1, 2, 7, 30):
        keys = np.sort(rng.choice(60, size, replace=False))[::-1].astype(dtype)
        target = rng.integers(-5, 70, 40).astype(dtype)
        if dtype == "f8":
            target[::7] = np.nan
        model, index = pd.Index(keys), Index(keys)
        tolerance = np.timedelta64(3, "ns") if dtype[0] == "M" else 3
        for method in (None, "pad", "ffill", "backfill", "bfill", "nearest"):
            for within in (None,) if method is None else (None, tolerance):
                expected = model.get_indexer(target, method, tolerance=within)
                np.testing.assert_array_equal(index.get_indexer(target, method, tolerance=within), expected)


def test_get_indexer_follows_updates():
    index = Index([9, 7, 4], "AO+BS")
    assert index.get_indexer([8], "pad").tolist() == [0]
    index.insert([5], [3])
    with pytest.raises(ValueError, match="method is 'pad', but by row the keys neither ascend nor descend"):
        index.get_indexer([8], "pad")
    index.erase([9, 7, 5])
    assert index.get_indexer([8], "pad").tolist() == [2]
    index.erase([4])
    assert index.get_indexer([8], "pad").tolist() == [-1]
    mirrored = Index([1, 2, 3], rows=[30, 20, 10])  # whose row ids say where the keys are
    assert mirrored.get_indexer([2.5], "pad").tolist() == [10]


def test_bad_indexers():
    index = Index([1, 2])
    for words, call in [
        ("method is 'up'", lambda: index.get_indexer([1], "up")),
        ("keys repeat", lambda: Index([1, 1]).get_indexer([1])),
        ("tolerance is 1, but there is no method", lambda: index.get_indexer([1], tolerance=1)),
    ]:
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(TypeError, match="no distance of keys of type integer"):
        index.get_indexer([2, 1], "pad", tolerance=[1, 2])


def test_expressions_of_polars():
    index = Index([30, 10, 20, 10])
    frame = pl.DataFrame({"k": [10, None, 25]})
    column = pl.col("k").warpdex
    query = {
        "find": [1, None, None],
        "contains": [True, None, False],
        "count": [2, None, 0],
        "floor": [1, None, 2],
        "ceil": [1, None, 0],
        "lower_bound": [0, None, 3],
        "upper_bound": [2, None, 3],
    }
    for name, expected in query.items():
        for result in (
            frame.select(getattr(column, name)(index)),
            frame.lazy().select(getattr(column, name)(index)).collect(),
            frame.lazy().select(getattr(column, name)(index)).collect(engine="streaming"),
        ):
            assert result["k"].to_list() == expected, name
        assert frame.lazy().select(getattr(column, name)(index)).collect_schema()["k"] == result["k"].dtype


@pytest.mark.parametrize("kinds", [("i8", "f8"), ("i4", "u4"), ("U2", "i8"), ("u8", "u8", "u8")])
def test_tuples_of_the_default_spec_have_neighbours_and_leading_columns(kinds):
    rng = np.random.default_rng(5)
    columns = [rng.integers(0, 9, 60).astype(kind) for kind in kinds]
    tuples = sorted(set(zip(*(column.tolist() for column in columns))))
    keys = tuple(np.array(column, kind) for column, kind in zip(zip(*tuples), kinds))
    index = Index(keys)
    query = [tuple(rng.integers(0, 9, 1).astype(kind)[0].item() for kind in kinds) for _ in range(40)]
    probes = tuple(np.array(column, kind) for column, kind in zip(zip(*query), kinds))
    expected = [sum(key <= probe for key in tuples) - 1 for probe in query]
    assert index.get_indexer(probes, "pad").tolist() == expected
    first = [sum(key[0] == probe[0] for key in tuples) for probe in query]
    assert index.count(probes[:1]).tolist() == first
