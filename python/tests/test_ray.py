# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of Datasets of Ray, row by row against the same joins of tables in one process, on a cluster of one host."""

import doctest
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pytest

import warpdex

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

import warpdex.ray as wr  # noqa: E402
from warpdex.ray.data import expect_divisible  # noqa: E402
from ray_datasets import collected, dataset, expect_equal, refusal, tables  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init("local", num_cpus=6, num_gpus=2, log_to_driver=False, include_dashboard=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


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
def test_asof_joins_at_offsets_answer_as_those_of_tables(placement):
    one, two = tables(11)
    for by in (None, "symbol"):
        with wr.build(dataset(two), "ts", by, placement=placement, shards=3) as index:
            if by is None and placement == "range":
                kind, words = refusal(lambda: wr.join_asof(dataset(one), index, offsets=[0, 9]))
                assert kind is warpdex.errors.Unsupported and words == "offsets without by need placement='replicate'"
                continue
            expected = warpdex.join_asof(one, two, on="ts", by=by, offsets=[0, 9, -300])
            expect_equal(wr.join_asof(dataset(one), index, offsets=[0, 9, -300]), expected)


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
            result = collected(wr.lookup(dataset(one), index, "key", what, named="found"))
            assert result.sort_by("id")["found"].to_pylist() == expected


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("by", [["symbol"], ["symbol", "key"]], ids=len)
def test_lookups_within_groups_answer_as_the_index(placement, by):
    one, two = tables(4)
    groups = [table[by[0]] if len(by) == 1 else tuple(table[name] for name in by) for table in (one, two)]
    held = warpdex.GroupedIndex(groups[1], two["ts"])
    with wr.build(dataset(two), "ts", by, placement=placement, shards=4, columns=["bid"]) as index:
        for what, none in (("find", None), ("contains", False), ("count", 0)):
            found = getattr(held, what)(groups[0], one["ts"]).to_pylist()
            result = collected(wr.lookup(dataset(one), index, "ts", what, named="found"))
            assert result.sort_by("id")["found"].to_pylist() == [none if row is None else row for row in found]
        expected = warpdex.join_asof(one, two, on="ts", by=by)
        assert collected(wr.join_asof(dataset(one), index)).num_rows == expected.num_rows


def test_workers_map_the_file_of_a_set(tmp_path):
    random = np.random.default_rng(6)
    keys, probes = random.integers(0, 2000, (2, 4000))
    seen = warpdex.Set(keys, rows=np.arange(4000), code="compressed")
    seen.save(tmp_path / "seen.wdx")

    class Marked:
        def __init__(self):
            self.seen = warpdex.Set.load(tmp_path / "seen.wdx", mmap=True)

        def __call__(self, batch):
            return batch.append_column("row", pa.array(self.seen.find(batch["key"].to_numpy())))

    data = ray.data.from_arrow(pa.table({"key": probes})).repartition(5)
    found = collected(data.map_batches(Marked, batch_format="pyarrow", concurrency=2))
    assert found["row"].to_pylist() == seen.find(found["key"].to_numpy()).tolist() and found.num_rows == 4000


def test_right_rows_keep_their_order():
    two = pa.table({"key": [7] * 60, "n": np.arange(60)})

    def late(batch):  # the first blocks come last
        time.sleep(1.2 - batch["n"][0].as_py() / 50)
        return batch

    for placement in PLACEMENTS:
        right = dataset(two, 6).map_batches(late, batch_format="pyarrow", batch_size=None)
        assert not right.context.execution_options.preserve_order
        with wr.build(right, "key", placement=placement) as index:
            assert not right.context.execution_options.preserve_order
            left = ray.data.from_arrow(pa.table({"key": [7]}))
            assert [one["n"] for one in wr.join(left, index).take_all()] == list(range(60))
            assert wr.join_asof(left, index).take_all() == [{"key": 7, "n": 59}]


def test_few_rows_and_none():
    one, two = tables(5, 9, 5, 2)
    for right in (two, two.slice(0, 1), two.slice(0, 0)):
        for placement in PLACEMENTS:
            with wr.build(dataset(right, 1), "ts", placement=placement, shards=5) as index:
                expect_equal(wr.join_asof(dataset(one), index), warpdex.join_asof(one, right, on="ts"))


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


def test_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # for the folders that they write
    found = doctest.testmod(wr)
    assert found.attempted > 20 and found.failed == 0


def test_blocks_of_pandas_and_of_narrower_types():
    one, two = tables(9, kind="timestamp")
    parts = [two.slice(0, 90), two.slice(90, 10).cast(two.schema.set(4, pa.field("size", pa.int64()))), two.slice(100)]
    expected = warpdex.join(one, pa.concat_tables(parts, promote_options="permissive"), "key")
    for placement in PLACEMENTS:
        with wr.build(ray.data.from_arrow(parts), "key", placement=placement) as index:
            found = collected(wr.join(ray.data.from_pandas(one.to_pandas()), index))
            assert found.drop_columns(["ts", "symbol", "size"]).sort_by("id").cast(
                expected.drop_columns(["ts", "symbol", "size"]).schema
            ) == expected.drop_columns(["ts", "symbol", "size"]).sort_by("id")
            assert wr.join(ray.data.from_items([]), index).count() == 0


def test_bad_calls_are_refused_at_once():
    one, two = tables(8)
    data, left = dataset(two), dataset(one)
    index = wr.build(data, "key")
    for call, words in (
        (lambda: wr.build(two, "ts"), "data is Table"),
        (lambda: wr.build(data, "time"), "data has no column 'time'"),
        (lambda: wr.build(data, "ts", columns=["ask"]), "data has no column 'ask'"),
        (lambda: wr.build(ray.data.from_items([]), "ts"), "data has no column 'ts'; there are none"),
        (lambda: wr.build(data, "ts", placement="hash"), "placement is 'hash'"),
        (lambda: wr.build(data, "ts", placement="range", shards=0), "shards is 0"),
        (lambda: wr.build(data, "ts", spec="AO+XS"), "spec: unknown"),
        (lambda: wr.build(data, "symbol", spec="EO+KS(9)"), "EO+KS does not take keys of type bytes"),
        (lambda: wr.build(data, "ts", num_gpus=3), "num_gpus is 3 for 1 actors, but Ray has 2 GPUs"),
        (lambda: wr.build(data, "ts", num_gpus=1, placement="range", shards=3), "for 3 actors, but Ray has 2 GPUs"),
        (lambda: wr.build(data, "ts", num_gpus=0.6, placement="range", shards=3), "num_gpus is 0.6 for 3 actors"),
        (lambda: wr.build(data, "ts", num_gpus=1.5), "num_gpus is 1.5"),
        (lambda: wr.build(data, "ts", num_gpus=-1), "num_gpus is -1"),
        (lambda: wr.join(one, index, "key"), "left is Table"),
        (lambda: wr.join(left, two, "key"), "right is Table"),
        (lambda: wr.join(left, index, "keys"), "left has no column 'keys'"),
        (lambda: wr.join(left, index, "key", "full"), "how is 'full'"),
        (lambda: wr.join_asof(left, index, by="symbol"), "by names 1 columns; the index has 0"),
        (lambda: wr.join_asof(left, index, strategy="near"), "strategy is 'near'"),
        (lambda: wr.join_between(left, index, "ts", "up"), "left has no column 'up'"),
        (lambda: wr.join_between(left, index, "ts", "upper", "all"), "closed is 'all'"),
        (lambda: wr.window(left, index, before=1, after=1, agg={"ask": "sum"}), "'ask'"),
        (lambda: wr.window(left, index, before=1, after=1, agg={"bid": "total"}), "'total'"),
        (lambda: wr.point_in_time(left, [index]), "tables is list"),
        (lambda: wr.point_in_time(left, {"a": index}, tolerance={"b": 1}), "tolerance names the table 'b'"),
        (lambda: wr.lookup(left, index, "key", "floor"), "what is 'floor'"),
        (lambda: wr.lookup(left, index, named="ts"), "named is 'ts'"),
        (lambda: wr.lookup(left, index, "symbol"), "string"),
    ):
        assert words in refusal(call)[1]
    index.close()


def test_sides_of_other_types_are_refused_as_tables_are():
    zoned = pa.array([1, 2], pa.timestamp("us", "UTC"))
    one = pa.table({"id": [0, 1], "n": [1, 2], "s": ["a", "b"], "t": zoned})
    two = pa.table({"n": ["1", "2"], "s": [1, 2], "t": zoned.cast(pa.timestamp("us"))})
    left, right = dataset(one, 2), dataset(two, 2)
    for column in ("n", "s", "t"):
        for placement in PLACEMENTS:
            with wr.build(right, column, placement=placement) as index:
                assert refusal(lambda: wr.join(left, index)) == refusal(lambda: warpdex.join(one, two, column))
                found = refusal(lambda: wr.join_asof(left, index))
                assert found == refusal(lambda: warpdex.join_asof(one, two, on=column))
                assert refusal(lambda: wr.lookup(left, index))[0] is warpdex.errors.KeyTypeError
    with wr.build(right, "s", "t") as index:
        found = refusal(lambda: wr.join_asof(left, index, left_on="n"))
        assert found == refusal(lambda: warpdex.join_asof(one, two, left_on="n", right_on="s", by="t"))
    with wr.build(left, "t") as index:
        found = refusal(lambda: wr.join_asof(left, index, tolerance=5))
        assert found == refusal(lambda: warpdex.join_asof(one, one, on="t", tolerance=5))
    kind, text = refusal(lambda: wr.build(ray.data.from_arrow([one, one.set_column(1, "n", two["n"])]), "id"))
    assert kind is warpdex.errors.KeyTypeError and "n has incompatible types: int64 vs string" in text


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_a_closed_index_is_refused(placement, tmp_path):
    one, two = tables(10)
    index = wr.build(dataset(two), "key", placement=placement)
    late = wr.join(dataset(one), index)
    index.close()
    index.close()
    for call in (
        index.explain,
        lambda: index.save(tmp_path),
        lambda: wr.join(dataset(one), index),
        lambda: wr.join_asof(dataset(one), index),
        lambda: wr.join_between(dataset(one), index, "ts", "upper"),
        lambda: wr.lookup(dataset(one), index),
    ):
        assert refusal(call) == (warpdex.errors.InvalidArgument, "the index is closed")
    if placement == "range":  # whose actors are gone when the Dataset runs
        with pytest.raises(Exception, match="shard . of 2 is gone"):
            collected(late)


def with_keys(table, kind):
    keys = table["key"].dictionary_encode() if kind == "dictionary" else table["key"].cast(kind)
    return table.set_column(table.column_names.index("key"), "key", keys)


@pytest.mark.parametrize("kind", ["dictionary", pa.float16()])
def test_keys_that_arrow_does_not_sort(kind, tmp_path):
    one, two = (with_keys(side, kind) for side in tables(16, kind="int64" if kind == pa.float16() else "string"))
    with wr.build(dataset(two), "key", placement="range") as index:
        expect_equal(wr.join(dataset(one), index), warpdex.join(one, two, "key"))
        index.save(tmp_path)
    with wr.load(tmp_path) as index:
        assert "300 rows in 2 actors" in index.explain()


def test_columns_that_arrow_does_not_divide():
    schema = pa.schema([("ts", pa.int64()), ("key", pa.string_view())])  # a Dataset may have some of this type
    words = "left has the column 'key' of type string_view, of which Arrow takes no rows for a shard"
    assert words in refusal(lambda: expect_divisible(schema, "left"))[1]
    wide = with_keys(tables(17)[0], pa.decimal256(40, 2))
    assert refusal(lambda: wr.build(dataset(wide), "key", placement="range"))[0] is warpdex.errors.KeyTypeError


def test_wrong_arguments():
    one, two = (dataset(table) for table in tables(14))
    reserved = dataset(pa.table({"key": [1], "__warpdex_row": [1]}))
    with wr.build(two, "key", placement="range") as index:
        for call, words in (
            (lambda: wr.build(two, "key", shards="2"), "shards is '2'; it must be a number from 1 to 65536"),
            (lambda: wr.build(two, "key", shards=2.5), "shards is 2.5"),
            (lambda: wr.build(two, "key", shards=0), "shards is 0"),
            (lambda: wr.build(two, 3), "data has no column 3"),
            (lambda: wr.build(two, ["key"]), "data has no column ['key']"),
            (lambda: wr.build(two, "key", 3), "by is 3; 3 is no name of a column"),
            (lambda: wr.build(two, "key", columns=["bid", 3]), "columns is ['bid', 3]; 3 is no name of a column"),
            (lambda: wr.build(two, "key", columns="bit"), "data has no column 'bit'"),
            (lambda: wr.build(two, "key", num_gpus="1"), "num_gpus is '1'; it must be a part of a GPU"),
            (lambda: wr.build(two, "key", num_gpus=float("nan")), "num_gpus is nan"),
            (lambda: wr.build(reserved, "key"), "data has a column '__warpdex_row', by which warpdex numbers rows"),
            (lambda: wr.join(reserved, index), "left has a column '__warpdex_row', by which warpdex numbers rows"),
            *(
                (
                    lambda workers=workers: wr.join(one, index, concurrency=workers),
                    f"concurrency is {workers!r}; it must",
                )
                for workers in ("x", 0, -1, 1.5, (3, 1), (1, 2, 3), (0, 2))
            ),
        ):
            assert words in refusal(call)[1]


def test_gpus_that_are_in_use():
    @ray.remote(num_gpus=2)
    class Holder:
        def is_there(self):
            return True

    holder = Holder.remote()
    ray.get(holder.is_there.remote())
    words = "num_gpus is 1 for 2 actors, but of the 2 GPUs of Ray 0 are free"
    assert words in refusal(lambda: wr.build(dataset(tables(15)[1]), "key", placement="range", num_gpus=1))[1]
    ray.kill(holder)


def test_without_ray():
    begin = "import sys, warpdex\n"
    end = "\nexcept warpdex.Error as why: print(type(why).__name__, why)"
    for code, words in (
        ("assert 'ray' not in sys.modules; print('no Ray')", "no Ray"),
        (f"sys.modules['ray'] = None\ntry: import warpdex.ray{end}", "MissingPackage this needs ray, which is missing"),
        (f"import warpdex.ray as wr\ntry: wr.load('.'){end}", "InvalidArgument folder is '.'"),
        (
            "import ray, warpdex.ray as wr; ray.init('local', num_cpus=1, log_to_driver=False)\n"
            "data = ray.data.from_items([{'k': 1}]); index = wr.build(data, 'k', placement='range'); ray.shutdown()\n"
            "for call in (lambda: wr.build(data, 'k'), lambda: wr.join(data, index), index.explain):\n"
            f"  try: call(){end.replace('except', '  except')}\n"
            "ray.init('local', num_cpus=1, log_to_driver=False)\n"
            f"try: index.explain(){end}\n"
            "index.close(); print('closed')",
            "InvalidArgument Ray is not started; ray.init() starts it\n" * 3
            + "InvalidArgument the index is gone: Ray was started anew since it was built\nclosed\n",
        ),
    ):
        done = subprocess.run([sys.executable, "-c", begin + code], capture_output=True, text=True, timeout=120)
        assert words in done.stdout, done.stderr
