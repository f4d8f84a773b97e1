# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins with queries of DuckDB, and functions for SQL, against DuckDB's own joins."""

import decimal
import uuid
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from warpdex import Index
from warpdex.lookups import calls

duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")
wd = pytest.importorskip("warpdex.duckdb")


@pytest.fixture
def con():
    with duckdb.connect() as result:
        yield result


@pytest.mark.parametrize("how", ["inner", "left", "semi", "anti"])
def test_joins_answer_as_duckdb(con, how, monkeypatch):
    monkeypatch.setattr(wd, "_BATCH", 200_000)  # several batches, each of several of DuckDB's
    rng = np.random.default_rng(1)
    keys = rng.integers(0, 60_000, 50_000)
    rights = pa.table({"k": keys, "row": np.arange(keys.size)})  # noqa: F841  named in SQL
    con.execute(
        "create table probes as select i, case when i % 10 = 0 then null else (i * 7919) % 90000 end as k "
        "from range(500000) t(i)"
    )
    joined = Index(keys).join(con, "select * from probes", on="k", how=how)
    found = con.sql("select * from joined order by all")
    expected = con.sql(  # noqa: F841  named in SQL
        f"select probes.*{', row' if how in ('inner', 'left') else ''} from probes {how} join rights "
        "using (k) order by all"
    )
    assert found.columns == (["i", "k", "row"] if how in ("inner", "left") else ["i", "k"])
    assert con.sql("select count(*) from (from found except all from expected)").fetchall() == [(0,)]
    assert con.sql("select count(*) from found").fetchall() == con.sql("select count(*) from expected").fetchall()
    for _ in range(2):  # it can be read again, and twice in a query
        assert con.sql("select count(*) from joined a join joined b using (i) where i < 10").fetchall()[0][0] >= 0
    assert joined.table().num_rows == con.sql("select count(*) from joined").fetchall()[0][0]
    con.execute("create table kept as from joined")
    assert con.sql("select count(*) from kept").fetchall() == [(joined.table().num_rows,)]


def test_a_join_runs_its_query_once_a_reader(con):
    rows = []
    con.create_function("seen", lambda k: rows.extend(k.to_pylist()) or k, ["BIGINT"], "BIGINT", type="arrow")
    joined = Index([5, 6]).join(con, "select seen(i) as k from range(3) t(i)", on="k")
    assert rows == []  # the schema needs no row
    assert joined.table().num_rows == 0 and sorted(rows) == [0, 1, 2]


def test_a_join_while_a_reader_of_the_connection_is_open(con):
    reader = con.sql("select i from range(1000000) t(i)").to_arrow_reader(1000)
    reader.read_next_batch()
    joined = Index([5, 6]).join(con, "select unnest([6, null, 7]) as k", on="k", how="left")
    assert joined.table().to_pylist() == [{"k": 6, "row": 1}, {"k": None, "row": None}, {"k": 7, "row": None}]


@pytest.mark.parametrize("how", ["inner", "left", "semi", "anti"])
def test_a_join_streams_in_bounded_batches(con, how, monkeypatch):
    monkeypatch.setattr(calls, "PAIRS", 1000)
    pairs, join = [], Index._pairs
    monkeypatch.setattr(
        Index, "_pairs", lambda *given, **more: [found := join(*given, **more), pairs.append(found[0].size)][0]
    )
    index = Index(np.repeat([5, 6, 7], [300, 1, 2500]))  # one key has more rows than a batch takes
    keys = pa.table({"k": [5] * 40 + [None, 8] + [6] * 1200 + [7, 8]})  # noqa: F841  named in SQL
    con.execute("create table keys as from keys")
    joined = wd.join(index, con, "from keys", on="k", how=how)
    batches = [batch.num_rows for batch in joined.reader()]
    assert sum(batches) == {"inner": 15700, "left": 15703, "semi": 1241, "anti": 3}[how]
    assert max(batches) <= 1000 and max(pairs) <= 2500


def test_a_join_refuses_rows_that_it_would_not_see(con):
    con.execute("create table orders as select 10 as k")
    index = Index([10, 20])
    joined = index.join(con, "from orders", on="k")
    con.execute("begin; insert into orders values (20)")
    for call in (joined.table, lambda: index.join(con, "from orders", on="k")):
        with pytest.raises(ValueError, match="con has an open transaction"):
            call()
    assert con.sql("select count(*) from joined").fetchall() == [(1,)]  # DuckDB does not tell, as the docs say
    con.execute("commit")
    assert joined.table().num_rows == con.sql("select count(*) from joined").fetchall()[0][0] == 2


def test_bad_joins(con):
    index = Index([1])
    for words, kind, call in [
        ("on is 'q'", ValueError, lambda: index.join(con, "select 1 as k", on="q")),
        ("how is 'outer'", ValueError, lambda: index.join(con, "select 1 as k", on="k", how="outer")),
        ("row is 'k'", ValueError, lambda: index.join(con, "select 1 as k", on="k", row="k")),
        ("returns no rows", ValueError, lambda: index.join(con, "", on="k")),
        ("k holds strings", TypeError, lambda: index.join(con, "select 'a' as k", on="k")),
    ]:
        with pytest.raises(kind, match=words):
            call()
    con.close()
    with pytest.raises(ValueError, match="con cannot run"):
        index.join(con, "select 1 as k", on="k")


def test_functions_answer_as_the_index(con):
    rng = np.random.default_rng(2)
    keys = rng.integers(0, 9_000, 8_000)
    index = Index(keys)
    wd.attach(con, orders=index, others=Index([1]))
    con.execute(
        "create table probes as select i, case when i % 9 = 0 then null else (i * 7919) % 10000 end as k "
        "from range(20000) t(i)"
    )
    probes = con.sql("select k from probes order by i").to_arrow_table()["k"]
    for function in ("find", "contains", "count", "floor"):
        found = con.sql(f"select warpdex_{function}('orders', k) as a from probes order by i").to_arrow_table()["a"]
        assert found.to_pylist() == getattr(index, function)(probes).to_pylist(), function
    lists = (
        con.sql("select warpdex_retrieve('orders', k) as a from probes order by i").to_arrow_table()["a"].to_pylist()
    )
    offsets, rows = index.retrieve(probes)
    for i, probe in enumerate(probes.to_pylist()):
        assert lists[i] == (None if probe is None else rows[offsets[i] : offsets[i + 1]].tolist())
    assert con.sql("select count(*) from (select unnest(warpdex_retrieve('orders', k)) from probes)").fetchall() == [
        (rows.size,)
    ]
    with pytest.raises(duckdb.Error, match="no index 'none' is attached"):
        con.sql("select warpdex_find('none', 1)").fetchall()
    # One name a call of the function: nothing is answered from the wrong index.
    wd.attach(con, a=Index([7]), bb=Index([7, 8]), ccc=Index([0, 7]))
    assert con.sql("select warpdex_find('bb', 8), warpdex_find('a', 7)").fetchall() == [(1, 0)]
    for mixed in (["a", "bb", "a"], ["bb", "a", "ccc"], ["a", None, "a"]):
        con.execute("create or replace table named (name varchar, k bigint)")
        con.executemany("insert into named values (?, 7)", [[name] for name in mixed])
        with pytest.raises(duckdb.Error, match="a call takes one"):
            con.sql("select warpdex_find(name, k) from named").fetchall()
    wd.attach(con, orders=Index([7]))
    assert con.sql("select warpdex_find('orders', 7)").fetchall() == [(0,)]
    wd.detach(con)
    wd.detach(con)
    with pytest.raises(duckdb.Error, match="warpdex_find"):
        con.sql("select warpdex_find('orders', 7)")


def test_functions_of_several_calls(con):
    wd.attach(con, a=Index([7]))
    wd.attach(con, b=Index([8, 7]))
    assert con.sql("select warpdex_find('a', 7), warpdex_find('b', 7)").fetchall() == [(0, 1)]
    wd.attach(con, a=Index([8, 9, 7], "AO+BS/rows=u64"))
    assert con.sql("select warpdex_find('a', 7), warpdex_find('b', 7)").fetchall() == [(2, 1)]
    with pytest.raises(TypeError, match="c has keys of type VARCHAR, others of BIGINT; attach it with another prefix"):
        wd.attach(con, c=Index(["x"]))
    with con.cursor() as other, pytest.raises(ValueError, match="prefix is 'warpdex', of which another connection"):
        wd.attach(other, c=Index([7]))
    assert con.sql("select warpdex_find('a', 7), warpdex_find('b', 7)").fetchall() == [(2, 1)]
    wd.detach(con)
    wd.attach(con, b=Index(["x", "y"]))
    assert con.sql("select warpdex_find('b', 'y')").fetchall() == [(1,)]
    with pytest.raises(duckdb.Error, match="no index 'a' is attached"):
        con.sql("select warpdex_find('a', 'y')").fetchall()


@pytest.mark.parametrize(
    "keys, sql",
    [
        (["b", "a"], "'a'"),
        ([1.5, 2.5], "2.5"),
        (np.array([3, 2**63], "u8"), "9223372036854775808"),
        (np.array(["2024-01-01", "2024-01-02"], "M8[D]"), "date '2024-01-02'"),
        (np.array(["2024-01-01", "2024-01-02"], "M8[us]"), "timestamp '2024-01-02'"),
        (np.array(["2024-01-01", "2024-01-02"], "M8[ns]"), "timestamp_ns '2024-01-02'"),
        ([decimal.Decimal("1.25"), decimal.Decimal("-3.50")], "-3.5::decimal(5, 2)"),
        ([decimal.Decimal(1), decimal.Decimal(2**100)], f"{2**100}::hugeint"),
        ([uuid.UUID(int=1), uuid.UUID(int=2)], f"'{uuid.UUID(int=2)}'::uuid"),
    ],
)
def test_functions_of_all_types(con, keys, sql):
    wd.attach(con, prefix="some", one=Index(keys))
    assert con.sql(f"select some_find('one', {sql}), some_count('one', null)").fetchall() == [(1, None)]


WIDE = {
    "UHUGEINT": [5, 2**127, 2**128 - 1, 2**100],
    "HUGEINT": [5, -1, 2**127 - 1, -(2**127), 2**100],
}


def of_polars(kind):
    pl = pytest.importorskip("polars")
    return pl.Series(WIDE[kind], dtype=pl.Int128 if kind == "HUGEINT" else pl.UInt128)


@pytest.mark.parametrize("lossless", [False, True])
@pytest.mark.parametrize("asked", WIDE)
@pytest.mark.parametrize("kind", WIDE)
def test_integers_of_128_bits(con, kind, asked, lossless):
    con.execute(f"set arrow_lossless_conversion = {lossless}")
    words = ", ".join(f"'{one}'" for one in WIDE[asked])
    con.execute(f"create table probes as select unnest([{words}, '7', null])::{asked} as k")
    index = Index(of_polars(kind))
    rows = [WIDE[kind].index(one) if one in WIDE[kind] else None for one in [*WIDE[asked], 7, None]]
    joined = index.join(con, "select k, k as other, [1] as list from probes", on="k", how="left")
    if asked == "UHUGEINT" or lossless:  # DuckDB does not print its decimals of 39 digits
        expected = con.sql("select k, k from probes").fetchall()
        assert con.sql("select k, other, row from joined").fetchall() == [
            (*one, row) for one, row in zip(expected, rows)
        ]
        assert con.sql("select typeof(k) from joined limit 1").fetchall() == [(asked,)]
    assert joined.table()["row"].to_pylist() == rows
    inner = index.join(con, "from probes", on="k")
    assert inner.table()["row"].to_pylist() == [row for row in rows if row is not None]
    wd.attach(con, one=index)
    if kind == asked:
        found = con.sql(
            "select warpdex_find('one', k), warpdex_contains('one', k), warpdex_retrieve('one', k) from probes"
        )
        expected = [(row, row is not None, [] if row is None else [row]) for row in rows[:-1]]
        assert found.fetchall() == [*expected, (None, None, None)]
    else:  # which DuckDB does not convert by itself
        with pytest.raises(duckdb.Error, match="No function matches"):
            con.sql("select warpdex_find('one', k) from probes")
    assert con.sql("select warpdex_find('one', 5), warpdex_find('one', 6::ubigint)").fetchall() == [(0, None)]
    with pytest.raises(duckdb.Error, match="No function matches"):  # 4.6 is not 5
        con.sql("select warpdex_find('one', 4.6)")


def test_bad_functions(con):
    with pytest.raises(ValueError, match="no index to attach"):
        wd.attach(con)
    with pytest.raises(TypeError, match="another prefix"):
        wd.attach(con, a=Index([1]), b=Index(["x"]))
    with pytest.raises(TypeError, match="timedelta64"):
        wd.attach(con, a=Index(np.array([1], "m8[s]")))


def test_connections_in_threads_share_an_index(con):
    index = Index(np.arange(100_000))

    def ask(number):
        with duckdb.connect() as own:
            wd.attach(own, numbers=index)
            return own.sql(f"select sum(warpdex_find('numbers', i + {number})) from range(50000) t(i)").fetchall()[0][0]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, range(4))) == [sum(range(n, n + 50_000)) for n in range(4)]
