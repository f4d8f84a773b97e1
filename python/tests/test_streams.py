# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of readers of record batches, against the same joins of tables."""

import numpy as np
import pytest

import warpdex
from warpdex.joins import lazy
from warpdex.lookups import calls

pa = pytest.importorskip("pyarrow")


def tables(words=False, size=3000):
    rng = np.random.default_rng(1)

    def made(count):
        groups = rng.integers(0, 9, count)
        columns = {
            "k": pa.array(rng.integers(0, 500, count), mask=rng.random(count) < 0.1),
            "b": pa.array([f"word {one}" for one in groups]) if words else pa.array(groups),
            "v": pa.array(np.arange(count)),
        }
        return pa.table(columns)

    left = made(size)
    upper = pa.array(left["k"].to_numpy() + rng.integers(-2, 9, size), from_pandas=True).cast(pa.int64())
    return left.append_column("upper", upper), made(400)


def reader(table, most=700):
    return table.to_reader(max_chunksize=most)


def check(join, left, right):
    expected = join(left, right)
    found = join(reader(left), right)
    assert isinstance(found, pa.RecordBatchReader) and found.schema == expected.schema
    assert found.read_all().equals(expected.combine_chunks())
    assert join(reader(left.slice(0, 0)), right).read_all().num_rows == join(left.slice(0, 0), right).num_rows
    assert join(reader(left), right.slice(0, 0)).read_all().equals(join(left, right.slice(0, 0)).combine_chunks())


@pytest.mark.parametrize("how", ["inner", "left", "semi", "anti"])
def test_equality_joins(how):
    check(lambda left, right: warpdex.join(left, right, "k", how), *tables())
    check(lambda left, right: warpdex.join(left, right, "b", how), *tables(words=True))


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("by", [None, "b"])
@pytest.mark.parametrize("strategy", ["backward", "forward", "nearest"])
def test_asof_joins(words, by, strategy):
    sides = tables(words)
    for more in ({}, {"tolerance": 3}, {"allow_exact_matches": False}):
        check(lambda left, right: warpdex.join_asof(left, right, on="k", by=by, strategy=strategy, **more), *sides)


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("by", [None, "b"])
@pytest.mark.parametrize("how", ["inner", "left", "semi", "anti"])
def test_joins_between(words, by, how):
    check(lambda left, right: warpdex.join_between(left, right, "k", "k", "upper", "left", how, by=by), *tables(words))


def test_batches_share_an_index_and_are_bounded(monkeypatch):
    left, right = tables()
    result = []
    for kind in ("Index", "GroupedIndex"):
        plain = getattr(lazy, kind)
        monkeypatch.setattr(lazy, kind, lambda *args, plain=plain, **more: result.append(1) or plain(*args, **more))
    monkeypatch.setattr(calls, "PAIRS", 100)
    for join in (
        lambda: warpdex.join(reader(left), right, "k"),
        lambda: warpdex.join_asof(reader(left), right, on="k", by="b"),
        lambda: warpdex.join_between(reader(left), right, "k", "k", "upper", by="b"),
    ):
        result.clear()
        batches = list(join())
        assert len(result) == 1 and len(batches) > 5
        assert all(batch.num_rows <= 100 for batch in batches)


def test_an_index_of_the_caller_serves_a_stream():
    left, right = tables()
    index = warpdex.Index(right["k"])
    expected = warpdex.join(left, right, "k").combine_chunks()
    assert warpdex.join(reader(left), right, "k", index=index).read_all().equals(expected)
    stream = warpdex.join(reader(left), right, "k", index=index)
    stream.read_next_batch()
    index.erase([int(right["k"].drop_null()[0])])
    with pytest.raises(Exception, match="the index was updated"):
        stream.read_all()


def test_a_stream_that_fails_midway():
    left, right = tables()

    def batches():
        yield from left.to_batches(max_chunksize=1000)[:2]
        raise OSError("the disk is gone")

    stream = warpdex.join(pa.RecordBatchReader.from_batches(left.schema, batches()), right, "k", "left")
    expected = warpdex.join(left.slice(0, 1000), right, "k", "left").combine_chunks()
    first = stream.read_next_batch()
    stream.read_next_batch()
    with pytest.raises(OSError, match="the disk is gone"):
        stream.read_next_batch()
    assert pa.Table.from_batches([first]).equals(expected)  # what was handed out stays


def test_joins_that_need_the_whole_left_side():
    left, right = tables()
    for join in (
        lambda: warpdex.join(reader(left), right, "k", "full"),
        lambda: warpdex.join(reader(left), right, ["k", "b"]),
        lambda: warpdex.join(reader(left), right, "k", validate="m:1"),
        lambda: warpdex.join(reader(left), right.cast(pa.schema({"k": "int32", "b": "int64", "v": "int64"})), "k"),
        lambda: warpdex.join_asof(reader(left), right, on="k", check_sortedness=True),
        lambda: warpdex.join_asof(reader(left), right, on="k", by=["b", "v"]),
    ):
        with pytest.raises(
            warpdex.errors.Unsupported, match="left comes in batches, but this join needs it as a whole"
        ):
            join()
    with pytest.raises(warpdex.errors.InvalidArgument, match="index serves joins without by"):
        warpdex.join_asof(reader(left), right, on="k", by="b", index=warpdex.Index(right["k"]))
    with pytest.raises(warpdex.errors.KeyTypeError, match="right is pyarrow.RecordBatchReader"):
        warpdex.join(left, reader(right), "k")


def test_lazy_frames_stream_joins_within_groups(monkeypatch):
    pl = pytest.importorskip("polars")
    for words in (False, True):
        left, right = (pl.from_arrow(side) for side in tables(words))
        expected = warpdex.join_asof(left, right, on="k", by="b")
        lazy = warpdex.join_asof(left.lazy(), right, on="k", by="b")
        assert lazy.collect(engine="streaming").equals(expected)
        expected = warpdex.join_between(left, right, "k", "k", "upper", by="b")
        lazy = warpdex.join_between(left.lazy(), right.lazy(), "k", "k", "upper", by="b")
        assert lazy.collect(engine="streaming").sort("v", "v_right").equals(expected.sort("v", "v_right"))
