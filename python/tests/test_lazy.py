# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of LazyFrames and lookups in them, against the same joins of frames."""

import numpy as np
import pytest

import warpdex
from warpdex import Index
from warpdex.frames import tables
from warpdex.lookups import calls

pl = pytest.importorskip("polars")


def two_tables(size=3000):
    rng = np.random.default_rng(1)
    left = pl.DataFrame({"k": rng.integers(0, 500, size), "b": rng.integers(0, 9, size), "v": np.arange(size)})
    left = left.with_columns(pl.when(pl.col("v") % 7 != 3).then(pl.col("k")).alias("k"))
    right = pl.DataFrame({"k": rng.integers(0, 500, 400), "b": rng.integers(0, 9, 400), "v": np.arange(400)})
    return left, right


def check(join, left, right):
    expected = join(left, right)
    lazy = join(left.lazy(), right.lazy())
    assert isinstance(lazy, pl.LazyFrame) and lazy.collect_schema() == expected.schema
    for engine in ("in-memory", "streaming"):
        assert lazy.collect(engine=engine).sort("v", *expected.columns).equals(expected.sort("v", *expected.columns))
    assert join(left.lazy(), right.to_arrow()).collect().equals(expected)


@pytest.mark.parametrize("how", ["inner", "left", "semi", "anti", "right", "full"])
@pytest.mark.parametrize("on", ["k", ["k", "b"]])
def test_equality_joins(how, on):
    check(lambda left, right: warpdex.join(left, right, on, how), *two_tables())


def test_other_joins():
    left, right = two_tables()
    check(lambda left, right: warpdex.join(left, right, "k", validate="m:m", nulls_equal=True), left, right)
    check(lambda left, right: warpdex.join_asof(left, right, on="k"), left, right)
    check(lambda left, right: warpdex.join_asof(left, right, on="k", by="b", strategy="nearest"), left, right)
    check(lambda left, right: warpdex.join_asof(left, right, on="k"), left.cast({"k": pl.Int32}), right)
    ranges = left.with_columns(low=pl.col("v") // 9, high=pl.col("v") // 9 + 3)
    check(lambda left, right: warpdex.join_between(left, right, "k", "low", "high"), ranges, right)
    with pytest.raises(TypeError, match="right is a LazyFrame, but left is not"):
        warpdex.join(left, right.lazy(), "k")
    with pytest.raises(ValueError, match="left_on names the column 'x'"):
        warpdex.join(left.lazy(), right.lazy(), left_on="x", right_on="k")


def test_batches_share_an_index(monkeypatch):
    left, right = two_tables(1_000_000)
    index, sizes = Index(right["k"]), []
    find, join = Index.find, Index.join
    monkeypatch.setattr(
        Index, "join", lambda self, column, how, **more: sizes.append(len(column)) or join(self, column, how, **more)
    )
    monkeypatch.setattr(
        Index, "find", lambda self, column, **more: sizes.append(len(column)) or find(self, column, **more)
    )
    joined = warpdex.join(left.lazy(), right, "k", index=index)
    count = joined.select(pl.len()).collect(engine="streaming").item()
    assert len(sizes) > 2 and max(sizes) < len(left)
    assert count == len(warpdex.join(left, right, "k"))
    sizes.clear()
    found = left.lazy().select(pl.col("k").warpdex.find(index)).collect(engine="streaming")
    assert len(sizes) > 2 and max(sizes) < len(left)
    assert found.equals(left.select(pl.col("k").warpdex.find(index)))


@pytest.mark.parametrize("how", ["inner", "left", "semi", "anti"])
@pytest.mark.parametrize(
    "join",
    [
        lambda left, right, how: warpdex.join(left, right, "k", how),
        lambda left, right, how: warpdex.join_between(left, right, "k", "low", "high", how=how),
    ],
)
def test_batches_are_bounded(join, how, monkeypatch):
    monkeypatch.setattr(calls, "PAIRS", 1000)
    sizes, result = [], tables._Polars.made
    monkeypatch.setattr(tables._Polars, "made", lambda *given: [found := result(*given), sizes.append(len(found))][0])
    right = pl.DataFrame({"k": np.repeat([5, 6, 7], [300, 1, 2500]), "w": np.arange(2801)})
    left = pl.DataFrame({"k": [5] * 40 + [None, 8] + [6] * 1200 + [7, 8], "v": np.arange(1244)})
    left = left.with_columns(low=pl.col("k"), high=pl.col("k"))
    expected = left.join(right, "k", how, maintain_order="left_right").select(pl.col("v", "^w$"))
    joined = join(left.lazy(), right, how)
    for engine in ("streaming", "in-memory"):
        assert joined.select(pl.col("v", "^w$")).collect(engine=engine).equals(expected)
        assert joined.select(pl.col("v", "^w$")).head(1500).collect(engine=engine).equals(expected.head(1500))
        few = joined.filter(pl.col("v") > 30).select("v").collect(engine=engine)
        assert few.equals(expected.filter(pl.col("v") > 30).select("v"))
    assert 0 < max(sizes) <= 2500  # the rows of one key


def test_a_stream_hands_out_bounded_batches(monkeypatch):
    monkeypatch.setattr(calls, "PAIRS", 1000)
    plugins, sources = pytest.importorskip("polars.io.plugins"), []
    register = plugins.register_io_source
    monkeypatch.setattr(
        plugins, "register_io_source", lambda source, **more: sources.append(source) or register(source, **more)
    )
    warpdex.join(pl.LazyFrame({"k": [7, 7]}), pl.DataFrame({"k": [7] * 2500}), "k")
    (source,) = sources
    assert [len(batch) for batch in source(None, None, None, None)] == [1000, 1000, 500] * 2
    assert [len(batch) for batch in source(["k"], None, 1300, None)] == [1000, 300]


def test_projections_and_filters_go_through(tmp_path):
    left, right = two_tables()
    left = left.with_columns(wide=pl.lit("x"), v_right=pl.col("v") + 1)
    right = right.with_columns(name=pl.col("v").cast(pl.String), other=pl.lit(1))
    query = []

    def source(table, name):
        def batches(columns, predicate, rows, size):
            query.append((name, columns, predicate is not None))
            result = table if predicate is None else table.filter(predicate)
            yield result if columns is None else result.select(columns)

        return pl.io.plugins.register_io_source(batches, schema=table.schema, is_pure=True)

    for how in ("inner", "left"):
        plain = left.drop("v_right")
        joined = warpdex.join(source(plain, "left"), source(right, "right"), "k", how)
        expected = warpdex.join(plain, right, "k", how)
        for names, read_left, read_right in [
            (["k", "name"], {"k"}, {"k", "name"}),
            (["v_right"], {"k", "v"}, {"k", "v"}),
            (["wide", "other"], {"k", "wide"}, {"k", "other"}),
            (["v"], {"k", "v"}, {"k"}),
        ]:
            query.clear()
            result = joined.filter(pl.col("v") > 100).select(names).collect()
            assert result.equals(expected.filter(pl.col("v") > 100).select(names))
            of_left = [(set(columns), filtered) for name, columns, filtered in query if name == "left"]
            assert all(columns <= read_left | {"v"} and filtered for columns, filtered in of_left) and of_left
            assert all(set(columns) <= read_right for name, columns, _ in query if name == "right")
    query.clear()
    few = warpdex.join(source(left.drop("v_right"), "left"), right, "k").filter(pl.col("name") == "7").collect()
    assert len(few) > 0 and few["name"].unique().to_list() == ["7"]
    assert few.equals(warpdex.join(left.drop("v_right"), right, "k").filter(pl.col("name") == "7"))
