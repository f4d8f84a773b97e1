# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Groups wherever an index is: in shards, in folders, asked by batchers; and the narrow encoder under them."""

import pickle

import numpy as np
import pytest

from warpdex import Batcher, GroupedIndex, Index, KeyEncoder
from warpdex.errors import FormatError, InvalidArgument, KeyTypeError, Unsupported

SIZE = 700


def some(seed, kind="integer"):
    """Groups and keys, and such that are partly others."""
    random = np.random.default_rng(seed)
    groups, keys = random.integers(-9, 30, (2, SIZE)), random.integers(-50, 200, (2, SIZE))
    if kind == "string":
        return np.char.add("g", groups.astype(str)), keys * 0.5
    return (groups << 40, keys << 30) if kind == "rank" else (groups, keys)


@pytest.mark.parametrize("kind", ["integer", "string", "rank"])
@pytest.mark.parametrize("placement", ["range", "replicate"])
def test_shards_answer_as_one_index(kind, placement, tmp_path):
    (groups, in_groups), (keys, probes) = some(1, kind)
    whole = GroupedIndex(groups, keys)
    shards = GroupedIndex(groups, keys, devices=["cpu"] * 3, placement=placement)
    assert shards.device == "cpu, cpu, cpu" and "over 3 places" in shards.explain() and len(shards) == SIZE
    shards.save(tmp_path)
    loaded = GroupedIndex.load(tmp_path, devices=["cpu"] * (3 if placement == "range" else 2))
    upper = probes + 9
    for index in (shards, loaded):
        for name in ("find", "contains", "count", "floor", "ceil"):
            assert getattr(index, name)(in_groups, probes).tolist() == getattr(whole, name)(in_groups, probes).tolist()
        for name in ("range_count", "range_sum"):
            for bounds in ((probes, upper), (None, probes), (probes, None)):
                found = getattr(index, name)(in_groups, *bounds, closed="left")
                assert found.tolist() == getattr(whole, name)(in_groups, *bounds, closed="left").tolist()
        for name, columns in (("retrieve", (probes,)), ("range_retrieve", (probes, upper))):
            for found, expected in zip(
                getattr(index, name)(in_groups, *columns), getattr(whole, name)(in_groups, *columns)
            ):
                assert found.tolist() == expected.tolist()
        for strategy in ("backward", "forward", "nearest"):
            for options in ({"tolerance": 3}, {"ties": "last"}, {"ties": "adjacent", "allow_exact_matches": False}):
                found = index.join_asof(in_groups, probes, strategy, **options)
                assert found.tolist() == whole.join_asof(in_groups, probes, strategy, **options).tolist()
            for found, expected in zip(
                index.join_asof(in_groups, probes, strategy, ties="all"),
                whole.join_asof(in_groups, probes, strategy, ties="all"),
            ):
                assert found.tolist() == expected.tolist()
        for how in ("inner", "left", "semi", "anti"):
            for found, expected in zip(
                index.join_between(in_groups, probes, upper, how), whole.join_between(in_groups, probes, upper, how)
            ):
                assert found.tolist() == expected.tolist()
        amounts = np.arange(SIZE)
        found, expected = (
            one.aggregates(amounts).in_ranges(in_groups, probes, upper).sum.tolist() for one in (index, whole)
        )
        assert found == expected


@pytest.mark.parametrize("placement", ["range", "replicate"])
def test_shards_take_new_groups_and_keys(placement):
    shards = GroupedIndex([1, 1, 2], [5, 6, 5], devices=["cpu", "cpu"], placement=placement)
    assert shards.insert([2], [6], [9]).inserted == 1 and shards.find([2], [6]).tolist() == [9]
    assert shards.erase([1], [5]).erased == 1 and len(shards) == 3
    assert shards.insert([90, 2, -7], [6, 10**9, 5], [11, 12, 13]).inserted == 3
    assert shards.find([90, 2, -7, 1, 90], [6, 10**9, 5, 6, 5]).tolist() == [11, 12, 13, 1, -1]
    assert shards.device == "cpu, cpu" and "over 2 places" in shards.explain() and len(shards) == 6
    for call in (shards.to_bytes, lambda: shards.insert([91], [1], [2**40])):
        with pytest.raises((Unsupported, InvalidArgument), match="shards|spread over several|row"):
            call()
    assert len(shards) == 6 and shards.find([91], [1]).tolist() == [-1]
    with pytest.raises(Unsupported, match="in shards without an order|no order"):
        GroupedIndex([1], [1], "HT(open)", devices=["cpu", "cpu"]).insert([9], [9], [9])
    with pytest.raises(InvalidArgument, match="one of them is given"):
        GroupedIndex([1], [1], device="cpu", devices=["cpu"])


def test_folders_of_other_indexes_are_refused(tmp_path):
    Index([1, 2, 3], devices=["cpu", "cpu"]).save(tmp_path / "plain")
    with pytest.raises(FormatError, match="the folder of an Index"):
        GroupedIndex.load(tmp_path / "plain")
    GroupedIndex([1, 2], [3, 4], devices=["cpu", "cpu"]).save(tmp_path / "groups")
    (encoder,) = (tmp_path / "groups").glob("groups-*.wdx")
    encoder.write_bytes(encoder.read_bytes()[:-1])
    with pytest.raises(FormatError, match="groups-"):
        GroupedIndex.load(tmp_path / "groups")


def test_nulls_are_in_no_shard():
    pa = pytest.importorskip("pyarrow")
    groups, keys = pa.array(["a", None, "b", "a"]), pa.array([1, 2, None, 3])
    shards = GroupedIndex(groups, keys, devices=["cpu", "cpu"])
    assert len(shards) == 2 and shards.find(pa.array(["a", None, "a"]), pa.array([3, 2, None])).to_pylist() == [
        3,
        None,
        None,
    ]


def test_batchers_ask_within_groups():
    with Batcher(GroupedIndex(["a", "b", "a"], [1, 2, 3])) as asked:
        assert asked.find(("a", 3)) == 2 and asked.ask("count", ("b", 1)).result() == 0
        assert "3 i64 keys by bytes" in repr(asked)
    with Batcher(GroupedIndex((["a", "b"], [1, 2]), [5, 6])) as asked:
        assert asked.find((("b", 2), 6)) == 1 and asked.ask("floor", (("b", 2), 9)).result() == 1
    with pytest.raises(KeyTypeError, match="index is 3; it must be a warpdex.Index or GroupedIndex"):
        Batcher(3)


def tuples(columns):
    return list(zip(*(np.asarray(column).tolist() for column in columns)))


@pytest.mark.parametrize("spec", ["AO+BS", "PGM(16)", "HT(open)"])
def test_narrow_keys_answer_as_tuples(spec):
    (names, others), (numbers, _) = some(2, "string")[0], some(3)[0]
    days = np.random.default_rng(4).integers(0, 9, (2, SIZE))
    columns, query = [names, days[0], numbers], [others, days[1], numbers]
    fields = ["bytes", "i64", "i64"]
    encoder = KeyEncoder.narrow(fields, columns)
    assert encoder.type == "u64" and "ranks among" in encoder.explain()
    index = Index(encoder.encode(columns), spec)
    rows = tuples(columns)
    for other in (encoder, pickle.loads(pickle.dumps(encoder)), KeyEncoder.from_buffer(encoder.to_bytes())):
        found = index.count(other.points(query)).tolist()
        assert found == [rows.count(one) for one in tuples(query)]
        if spec != "HT(open)":
            low, high = numbers - 20, numbers + 20
            counts = index.range_count(*other.ranges(query[:2], low, high, "left")).tolist()
            for i in range(0, SIZE, 50):
                group = tuples(query)[i][:2]
                assert counts[i] == sum(row[:2] == group and low[i] <= row[2] < high[i] for row in rows)
    decoded = encoder.decode(encoder.encode(columns))
    assert [decoded[0][i].decode() for i in range(SIZE)] == names.tolist()
    assert decoded[1].tolist() == days[0].tolist() and decoded[2].tolist() == numbers.tolist()


def test_narrow_encoders_refuse():
    encoder = KeyEncoder.narrow(["u32", "i64"], [[7, 9], [20, 10]])
    for call, words in (
        (lambda: encoder.encode([[8, 100], [20, 10]]), "the values of row 1 have no number"),
        (lambda: encoder.points([[7]]), "columns has 1 of them; there are 2 fields"),
        (lambda: encoder.ranges([[7], [9]]), "leading has 2 of them; there are 1 fields"),
        (lambda: encoder.ranges([[7]], [1, 2]), "2 elements"),
        (lambda: KeyEncoder.narrow(["u32"], [[7]]), "one field"),
        (lambda: KeyEncoder.narrow(["u32", ("i64", True)], [[7], [1]]), "descending"),
    ):
        with pytest.raises(InvalidArgument, match=words):
            call()
    with pytest.raises(Unsupported, match="a wide encoder"):
        KeyEncoder(["u32", "i64"]).points([[7], [20]])


def test_keys_of_two_narrow_encoders_are_not_compared(tmp_path):
    columns = [[7, 9, 9], [20, 10, 30]]
    encoder, other = KeyEncoder.narrow(["u32", "i64"], columns), KeyEncoder.narrow(["u32", "i64"], [[7, 90], [20, 10]])
    index = Index(encoder.encode(columns), "AO+BS")
    index.save(tmp_path / "keys.wdx")
    for one in (index, Index.load(tmp_path / "keys.wdx"), index.to("cpu"), pickle.loads(pickle.dumps(index))):
        assert one.find(pickle.loads(pickle.dumps(encoder)).points(columns)).tolist() == [0, 1, 2]
        assert one.keys_at([0]).tolist() == encoder.encode([[7], [20]]).parts[0].column.tolist()
        for keys in (
            other.points(columns),
            np.array([1], np.uint64),
            [1],
            KeyEncoder(["u32", "u32"]).encode([[7], [20]]),
        ):
            with pytest.raises(KeyTypeError, match=r"but the keys are of type narrow\([0-9a-f]{8}\)"):
                one.find(keys)
        with pytest.raises(KeyTypeError, match="narrow"):
            one.range_count(*other.ranges([[7]], [20], [30]))
    with pytest.raises(KeyTypeError, match="narrow"):
        index.insert(other.encode([[7], [20]]), [9])
    with pytest.raises(KeyTypeError, match="this encoder makes keys of type narrow"):
        encoder.decode(other.encode([[7], [20]]))
    with pytest.raises(KeyTypeError, match="narrow"):
        Index(np.array([1], np.uint64)).find(encoder.encode([[7], [20]]))
    assert len(index) == 3


def test_sql_asks_within_groups():
    duckdb = pytest.importorskip("duckdb")
    import warpdex.duckdb

    (groups, in_groups), (keys, probes) = some(5, "string")
    index = GroupedIndex(groups, keys)
    con = duckdb.connect()
    warpdex.duckdb.attach(con, prefix="q", quotes=index)
    con.execute("create table trades (n bigint, s varchar, t double)")
    con.executemany(
        "insert into trades values (?, ?, ?)", [*zip(range(200), in_groups[:200].tolist(), probes.tolist())]
    )
    for name in ("find", "contains", "count", "floor", "ceil"):
        found = con.sql(f"select q_{name}('quotes', s, t) from trades order by n").fetchall()
        expected = getattr(index, name)(in_groups[:200], probes[:200]).tolist()
        assert [row for (row,) in found] == [
            None if row == -1 and name in ("find", "floor", "ceil") else row for row in expected
        ]
    null = con.sql("select q_find('quotes', null, 1.0), q_retrieve('quotes', null, 1.0), q_count('quotes', 'a', null)")
    assert null.fetchall() == [(None, None, None)]
    with pytest.raises(KeyTypeError, match="others of VARCHAR, DOUBLE"):
        warpdex.duckdb.attach(con, prefix="q", other=Index([1]))
    two = GroupedIndex((["a", "b"], [1, 2]), [5, 6])
    warpdex.duckdb.attach(con, prefix="two", x=two)
    assert con.sql("select two_count('x', 'b', 2, 6)").fetchall() == [(1,)]


def test_expressions_ask_within_groups():
    pl = pytest.importorskip("polars")
    import warpdex.polars  # noqa: F401

    (groups, in_groups), (keys, probes) = some(6)
    index = GroupedIndex((groups % 3, groups), keys)
    left = pl.DataFrame({"a": in_groups % 3, "b": in_groups, "k": probes})
    for name in ("find", "contains", "count", "floor", "ceil"):
        expression = getattr(pl.col("k").warpdex, name)(index, by=["a", pl.col("b")])
        expected = getattr(index, name)((left["a"], left["b"]), left["k"])
        assert left.select(expression).to_series().to_list() == expected.to_list()
        assert left.lazy().select(expression).collect(engine="streaming").to_series().to_list() == expected.to_list()
    for call, failure, words in (
        (lambda: pl.col("k").warpdex.find(index), InvalidArgument, "by names 0 columns; the index has 2 of groups"),
        (lambda: pl.col("k").warpdex.find(Index([1]), by="a"), InvalidArgument, "the index has 0 of groups"),
        (lambda: pl.col("k").warpdex.lower_bound(index, by=["a", "b"]), Unsupported, "no lookup within groups"),
        (lambda: pl.col("k").warpdex.find(3), KeyTypeError, "a warpdex.Index or GroupedIndex"),
    ):
        with pytest.raises(failure, match=words):
            call()
