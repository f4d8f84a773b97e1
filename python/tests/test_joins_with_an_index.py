# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of frames with an index: over the right key column it answers, over another one it is refused."""

import pickle

import numpy as np
import pytest

import warpdex
from warpdex import Index

pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")

SIZE = 30_000  # more than are looked up in a sample
KEYS = {
    "int": lambda k: pl.Series("k", k),
    "small int": lambda k: pl.Series("k", k.astype(np.int32)),
    "float": lambda k: pl.Series("k", np.where(k == 3, np.nan, k / 2)),
    "string": lambda k: pl.Series("k", [f"key {key}" for key in k]),
    "category": lambda k: pl.Series("k", [f"key {key}" for key in k]).cast(pl.Categorical),
    "time": lambda k: pl.Series("k", k.astype("M8[us]")),
    "null": lambda k: pl.Series("k", [None if key % 11 == 3 else int(key) for key in k], pl.Int64),
}


def numbers(unique=False):
    rng = np.random.default_rng(1)
    return rng.permutation(SIZE) if unique else rng.integers(0, SIZE // 3, SIZE)


def calls(right, index):
    """All joins that take an index, of a few rows with a table."""
    left = right.head(5).rename({"v": "w"}).with_columns(low=pl.col("k"), high=pl.col("k"))
    yield lambda: warpdex.join(left, right, "k", index=index)
    yield lambda: warpdex.join(left.lazy(), right.lazy(), "k", index=index).collect()
    yield lambda: warpdex.join_between(left, right, "k", "low", "high", index=index)
    yield lambda: warpdex.join_asof(left, right, on="k", index=index)
    yield lambda: warpdex.join_asof(left.lazy(), right, on="k", index=index).collect()
    pandas = [table.to_pandas(use_pyarrow_extension_array=True) for table in (left, right)]
    yield lambda: warpdex.join(*pandas, "k", index=index)
    yield lambda: warpdex.join(left.to_arrow(), right.to_arrow(), "k", index=index)


def forgetful(index):
    """The same index, which does not know over which column it was built."""
    return pickle.loads(pickle.dumps(index))


@pytest.mark.parametrize("kind", KEYS)
def test_an_index_over_the_column_is_taken(kind):
    column = KEYS[kind](numbers())
    right = pl.DataFrame({"k": column, "v": np.arange(SIZE)})
    chunks = pl.concat([right[:7], right[7:20_000], right[20_000:]], rechunk=False)
    none = [call() for call in calls(right, None)]
    index = Index(column, "AO+BS")
    for one in (index, forgetful(index), Index(column, "AO+BS", rows=np.arange(SIZE))):
        for table in (right, chunks):
            for found, expected in zip((call() for call in list(calls(table, one))[:5]), none):
                assert found.equals(expected)


def test_an_index_of_other_widths_is_taken():
    keys = numbers(unique=True)
    right = pd.DataFrame({"k": keys.astype(np.int16), "v": keys})
    index = Index(keys.astype(np.uint64))
    for one in (index, forgetful(index)):
        assert warpdex.join(right.head(3), right, "k", index=one)["v_right"].tolist() == keys[:3].tolist()
    spans = pd.DataFrame({"k": keys.astype("M8[s]").astype("M8[ms]"), "v": keys})
    assert warpdex.join(spans.head(3), spans, "k", index=Index(keys.astype("M8[s]")))["v"].tolist() == keys[:3].tolist()
    words = pd.DataFrame({"k": np.array([f"{key:05}" for key in keys], object), "v": keys})
    fixed = Index(np.array([f"{key:05}" for key in keys], "S5"))
    assert warpdex.join(words.head(3), words, "k", index=fixed)["v"].tolist() == keys[:3].tolist()


@pytest.mark.parametrize("kind", KEYS)
def test_an_index_over_another_column_is_refused(kind):
    keys = numbers()
    right = pl.DataFrame({"k": KEYS[kind](keys), "v": np.arange(SIZE)})
    others = {"sorted": right["k"].sort(), "reversed": right["k"].reverse(), "greater": KEYS[kind](keys + SIZE)}
    for column in others.values():
        if column.null_count() != right["k"].null_count():
            continue
        for index in (Index(column, "AO+BS"), forgetful(Index(column, "AO+BS"))):
            for call in calls(right, index):
                with pytest.raises(warpdex.Error, match="index is not over right's column 'k'"):
                    call()
    for call in calls(right, Index(right["k"][1:], "AO+BS")):
        with pytest.raises(warpdex.Error, match=r"index has \d+ keys, but right has \d+ values in 'k'"):
            call()


def test_one_row_that_changed_is_seen():
    keys = numbers(unique=True)
    index = Index(keys, "AO+BS")
    index.max_wait = 0
    for change in (lambda: index.insert([SIZE], [1]), lambda: index.erase(keys[:1])):
        with index._core, pytest.raises(warpdex.errors.Busy):
            change()  # an update that fails leaves the index as it was
    index.max_wait = 60
    keys[[17, 18]] = keys[[18, 17]]
    for call in calls(pl.DataFrame({"k": keys, "v": keys}), index):
        with pytest.raises(warpdex.Error, match="index is not over"):
            call()


def test_an_index_that_was_updated_or_has_other_rows():
    right = pl.DataFrame({"k": [30, 10, 20], "v": [0, 1, 2]})
    for call in calls(right, Index([30, 10, 20], "AO+BS", rows=[10, 11, 12])):
        with pytest.raises(warpdex.Error, match="index is not over"):
            call()
    index = Index([30, 10, 21], "AO+BS")
    index.update([20], [2], [21])
    assert warpdex.join(right, right, "k", index=index)["v"].to_list() == [0, 1, 2]
    index.erase([20])
    index.insert([22], [2])
    with pytest.raises(warpdex.Error, match="index is not over"):
        warpdex.join(right, right, "k", index=index)
    empty = right.clear()
    assert len(warpdex.join(right, empty, "k", index=Index(empty["k"]))) == 0
