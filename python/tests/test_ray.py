# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of Datasets of Ray, row by row against the same joins of tables in one process, on a cluster of one host."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

import warpdex

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

import warpdex.ray as wr  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=6, log_to_driver=False, include_dashboard=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def tables(seed, left=400, right=300, values=40):
    rng = np.random.default_rng(seed)

    def some(values, share=0.1):
        return pa.array([None if rng.random() < share else one for one in values.tolist()])

    def keys(size):
        return {
            "key": some(rng.integers(0, values, size)).cast(pa.int64()),
            "ts": some(rng.integers(0, 1000, size)).cast(pa.int64()),
            "symbol": some(np.array([f"s{one}" for one in rng.integers(0, 6, size)])).cast(pa.string()),
        }

    one = pa.table({"id": np.arange(left), **keys(left), "upper": rng.integers(0, 1100, left)})
    return one, pa.table(
        {**keys(right), "bid": rng.random(right), "size": some(rng.integers(0, 9, right)).cast(pa.int32())}
    )


def dataset(table, blocks=3):
    edges = np.linspace(0, len(table), blocks + 1).astype(int)
    return ray.data.from_arrow([table.slice(a, b - a) for a, b in zip(edges, edges[1:])])


def collected(data):
    return pa.concat_tables(ray.get(data.to_arrow_refs()), promote_options="permissive")


def expect_equal(data, expected):
    """The same rows; those of a left row in the same order."""
    found = collected(data)
    assert found.column_names == expected.column_names
    order = np.argsort(found["id"].to_numpy(), kind="stable")
    assert (
        found.take(order).to_pylist() == expected.take(np.argsort(expected["id"].to_numpy(), kind="stable")).to_pylist()
    )


PLACEMENTS = ["replicate", "range"]


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("by", [None, "symbol", ["symbol", "key"]])
def test_asof_joins_answer_as_those_of_tables(placement, by):
    one, two = tables(1)
    with wr.build(dataset(two), "ts", by, placement=placement, shards=3) as index:
        for more in (
            {},
            {"strategy": "forward"},
            {"strategy": "nearest", "tolerance": 5},
            {"allow_exact_matches": False},
        ):
            expected = warpdex.join_asof(one, two, on="ts", by=by, **more)
            expect_equal(wr.join_asof(dataset(one), index, **more), expected)


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_joins_answer_as_those_of_tables(placement):
    one, two = tables(2)
    for key in ("key", "symbol"):
        with wr.build(dataset(two), key, placement=placement, shards=3) as index:
            for how in ("inner", "left", "semi", "anti"):
                expect_equal(wr.join(dataset(one), index, key, how), warpdex.join(one, two, key, how))


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_joins_between_answer_as_those_of_tables(placement):
    one, two = tables(3)
    with wr.build(dataset(two), "ts", "symbol", placement=placement) as index:
        found = wr.join_between(dataset(one), index, "ts", "upper", "left")
        expect_equal(found, warpdex.join_between(one, two, "ts", "ts", "upper", "left", by="symbol"))


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_lookups_answer_as_the_index(placement):
    one, two = tables(4)
    held = warpdex.Index(two["key"])
    with wr.build(dataset(two), "key", placement=placement, shards=4, columns=["bid"]) as index:
        for what, none in (("find", None), ("contains", False), ("count", 0)):
            expected = [none if found is None else found for found in getattr(held, what)(one["key"]).to_pylist()]
            made = collected(wr.lookup(dataset(one), index, "key", what, named="found"))
            assert made.sort_by("id")["found"].to_pylist() == expected


def test_few_rows_and_none():
    one, two = tables(5, 9, 5, 2)
    for right in (two, two.slice(0, 1), two.slice(0, 0)):
        for placement in PLACEMENTS:
            with wr.build(dataset(right, 1), "ts", placement=placement, shards=5) as index:
                expect_equal(wr.join_asof(dataset(one), index), warpdex.join_asof(one, right, on="ts"))


def test_folders_hold_an_index(tmp_path):
    one, two = tables(6)
    expected = warpdex.join_asof(one, two, on="ts", by="symbol")
    for placement in PLACEMENTS:
        folder = tmp_path / placement
        with wr.build(dataset(two), "ts", "symbol", placement=placement, shards=2) as index:
            index.save(folder)
        with wr.load(folder) as index:
            assert placement in index.explain()
            expect_equal(wr.join_asof(dataset(one), index), expected)
    (folder / "1.arrow").unlink()
    with pytest.raises(warpdex.InvalidArgument, match="lacks the file of shard 1"):
        wr.load(folder)
    with pytest.raises(warpdex.InvalidArgument, match="no manifest"):
        wr.load(tmp_path)


def test_actors_that_die_are_replaced():
    one, two = tables(7)
    with wr.build(dataset(two), "key", placement="range", shards=2) as index:
        expected = warpdex.join(one, two, "key")
        expect_equal(wr.join(dataset(one), index, "key"), expected)
        ray.kill(index._shards[1], no_restart=False)
        expect_equal(wr.join(dataset(one), index, "key"), expected)
        ray.kill(index._shards[1])
        with pytest.raises(Exception, match="shard 1 of 2 is gone"):
            collected(wr.join(dataset(one), index, "key"))


def test_bad_calls_are_refused_at_once():
    one, two = tables(8)
    data = dataset(two)
    for call, words in (
        (lambda: wr.build(two, "ts"), "data is Table"),
        (lambda: wr.build(data, "time"), "data has no column 'time'"),
        (lambda: wr.build(data, "ts", placement="hash"), "placement is 'hash'"),
        (lambda: wr.build(data, "ts", placement="range", shards=0), "shards is 0"),
        (lambda: wr.build(data, "ts", num_gpus=1), "num_gpus is 1 for 1 actors, but Ray has 0 GPUs"),
        (lambda: wr.join(one, index, "key"), "left is Table"),
        (lambda: wr.join(dataset(one), two, "key"), "right is Table"),
        (lambda: wr.join(dataset(one), index, "keys"), "left has no column 'keys'"),
        (lambda: wr.join(dataset(one), index, "key", "full"), "how is 'full'"),
        (lambda: wr.lookup(dataset(one), index, "key", "floor"), "what is 'floor'"),
    ):
        with wr.build(data, "key") as index, pytest.raises(warpdex.Error, match=words):
            call()
    with pytest.raises(warpdex.InvalidArgument, match="the index is closed"):
        wr.join(dataset(one), index, "key")


def test_warpdex_imports_no_ray():
    subprocess.run([sys.executable, "-c", "import sys, warpdex; assert 'ray' not in sys.modules"], check=True)
