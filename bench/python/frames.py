# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of frames compared with Polars, pandas and DuckDB, and of dicts of CuPy's arrays with CuPy's calls."""

import warnings
from functools import partial

import numpy as np
import warpdex
from shared import AROUND, Call, asof_by_sort, in_order, library, ticks, whole_and_in_chunks, window_by_sums

warnings.filterwarnings("ignore", "Sortedness")  # which Polars cannot check within groups


def frames_of(*tables):
    import polars as pl

    return [pl.DataFrame(table) for table in tables]


def of_warpdex(call, *frames, of=lambda result: result):
    whole, chunks = whole_and_in_chunks(call, *frames)
    return {"warpdex": Call(whole, of), "warpdex, in 41 chunks": Call(chunks, of)}


def asof(b):
    """Joins with the last row before a time, within groups or not."""
    if b.device != "cpu":
        left, right = ticks(b.random, b.rows, 5000), ticks(b.random, 2 * b.rows, 5000, bid=float, ask=float)
        left, right = b.placed(left), b.placed(right)
        ours = partial(warpdex.join_asof, left, right, on="time", by="symbol")
        return b.compare("5000 groups", ours, partial(asof_by_sort, b.xp, left, right, "symbol"), right_rows=2 * b.rows)
    import polars as pl

    for groups in (0, 100, 1000, 10**6):
        sides = [ticks(b.random, b.rows, groups, **{name: float}) for name in ("price", "bid")]
        _asof(b, f"{groups} groups", *frames_of(*sides), "symbol" if groups else None)
    symbols = np.array([f"SYM{i:04d}" for i in range(3000)])
    rows = {"price": b.rows, "bid": 2 * b.rows}
    sides = frames_of(*(ticks(b.random, n, symbols=symbols, **{name: float}) for name, n in rows.items()))
    for case, kind in (("strings", pl.String), ("enums", pl.Enum(symbols.tolist())), ("categories", pl.Categorical)):
        _asof(b, f"by {case}", *(one.with_columns(pl.col("symbol").cast(kind)) for one in sides), "symbol")
    left, right = sides
    known = pl.int_range(pl.len()) % 1000 != 0
    with_nulls = left.with_columns(pl.when(known).then("symbol").alias("symbol"))
    _asof(b, "by strings, 1 of 1000 null", with_nulls, right, "symbol")
    left, right = (one[b.random.permutation(len(one))] for one in sides)
    calls = of_warpdex(partial(warpdex.join_asof, on="time", by="symbol", **b.ours), left, right, of=in_order)
    how = {"on": "time", "by": "symbol", "check_sortedness": False}
    calls["polars, sorted first"] = Call(lambda: left.sort("time").join_asof(right.sort("time"), **how), in_order)
    b.compare("by strings, in any order", calls)
    left, right = frames_of(*(ticks(b.random, b.rows, **{name: float}) for name in ("price", "bid")))
    left, index = left.sample(fraction=1, shuffle=True, seed=1), warpdex.Index(right["time"], "AO+BS", **b.ours)
    join = partial(warpdex.join_asof, on="time", **b.ours)
    calls = of_warpdex(join, left, right, of=in_order)
    calls["warpdex, index ready"] = Call(lambda: join(left, right, index=index), in_order)
    calls["polars, sorted first"] = Call(lambda: left.sort("time").join_asof(right, on="time"), in_order)
    b.compare("left rows in any order", calls)


def _asof(b, case, left, right, by):
    how = {"on": "time", "by": by}
    calls = of_warpdex(partial(warpdex.join_asof, **how, **b.ours), left, right)
    calls["polars"] = lambda: left.join_asof(right, **how, check_sortedness=False)
    if (pd := library("pandas")) and "categories" not in case:  # which pandas wants to be the same ones
        plain, bid = (left.to_pandas(), right.to_pandas()), lambda result: result[["bid"]]
        calls["warpdex, pandas"] = Call(lambda: warpdex.join_asof(*plain, **how, **b.ours), bid)
        calls["pandas"] = Call(lambda: pd.merge_asof(*plain, **how), bid)
    b.compare(case, calls)


def joins(b):
    """Joins on equal keys: of integers, strings, and several columns."""
    rights = max(b.rows // 4, 2)
    if b.device != "cpu":
        return _on_device(b, rights)
    import polars as pl

    columns = {
        "name": np.array([f"user-{i:08x}" for i in b.random.permutation(rights)]),
        "key": b.random.permutation(rights),
        "a": b.random.integers(0, rights, rights),
        "b": b.random.integers(0, 100, rights, np.int32),
        "value": np.arange(rights),
        "share": b.random.random(rights),
    }
    (right,) = frames_of(columns)
    rows = b.random.integers(0, rights, b.rows)
    left = right.drop("value", "share")[rows].with_columns(weight=pl.Series(np.arange(b.rows)))
    index = warpdex.Index(right["key"], "HT(open)", **b.ours)
    for how in ("inner", "left", "semi", "anti", "full", "right"):
        _join(b, f"unique integers, {how}", left, right, ["key"], index if how == "inner" else None, how)
    _join(b, "unique integers, half of them found", left.with_columns(pl.col("key") * 2), right, ["key"])
    for case, some, on in (
        ("repeated integers", right, ["a"]),
        ("strings", right, ["name"]),
        ("strings in 1000", right[:1000], ["name"]),
        ("two integers", right, ["a", "b"]),
        ("a string and an integer", right, ["name", "b"]),
    ):
        _join(b, case, left, some, on)
    table, series = right.select("value", "share"), pl.Series(rows)
    gathers = of_warpdex(partial(warpdex.gather_table, rows), table) | {"polars": lambda: table[series]}
    b.compare("gather of 2 columns", gathers)


def _join(b, case, left, right, on, index=None, how="inner"):
    left, right = left.select(*on, "weight"), right.select(*on, "value", "share")
    join = partial(warpdex.join, on=on, how=how, **b.ours)
    calls = of_warpdex(join, left, right, of=in_order)
    if index is not None:
        calls["warpdex, index ready"] = Call(lambda: join(left, right, index=index), in_order)
        plain = left.to_pandas(), right.to_pandas()
        calls["warpdex, pandas"] = Call(lambda: join(*plain), lambda result: in_order(pl_of(result)))
    calls["polars"] = Call(lambda: left.join(right, on=on, how=how), in_order)
    b.compare(case, calls, right_rows=len(right))


def pl_of(frame):
    import polars as pl

    return pl.from_pandas(frame)


def _on_device(b, rights):
    values = {name: b.random.random(rights) for name in ("a", "b")}
    right = b.placed({"key": b.random.permutation(rights).astype(np.int32), **values})
    left = b.placed({"key": b.random.integers(0, rights, b.rows, np.int32), "c": b.random.random(b.rows)})

    def by_sort():
        order = b.xp.argsort(right["key"])
        rows = order[b.xp.searchsorted(right["key"][order], left["key"])]
        return {name: right[name][rows] for name in values}

    b.compare("equality", lambda: warpdex.join(left, right, "key"), by_sort)
    table = b.placed({str(name): b.random.random(b.rows) for name in range(8)})
    rows = b.xp.asarray(b.random.integers(0, b.rows, b.rows))
    gather = partial(warpdex.gather_table, rows, table)
    b.compare("gather of 8 columns", gather, lambda: {k: v[rows] for k, v in table.items()}, rows=8 * b.rows)


DUCKDB_WINDOW = """
with sums as (select symbol, time, sum(bid) over w as bids, count(*) over w as n
              from prices window w as (partition by symbol order by time rows unbounded preceding)),
last as (select symbol, time, max_by(bids, n) bids, max(n) n from sums group by symbol, time)
select coalesce(h.bids, 0) - coalesce(l.bids, 0) as bid_sum, coalesce(h.n, 0) - coalesce(l.n, 0) as count
from (select row_number() over () as i, symbol, time + 1000000 as high, time - 1000001 as low from trades) t
asof left join last h on t.symbol = h.symbol and t.high >= h.time
asof left join last l on t.symbol = l.symbol and t.low >= l.time order by i
"""


def _window_by_polars(trades, prices):
    """Sums up to each price, of which two as-of joins take differences."""
    import polars as pl

    upto = {"s": pl.col("bid").cum_sum().over("symbol"), "n": pl.int_range(1, pl.len() + 1).over("symbol")}
    sums, result = prices.select("symbol", at="time", **upto), trades
    for end, distance in (("high", 10**6), ("low", -(10**6) - 1)):
        named = sums.rename({"s": f"s_{end}", "n": f"n_{end}"})
        result = result.with_columns(at=pl.col("time") + distance)
        result = result.join_asof(named, on="at", by="symbol", check_sortedness=False)
    result = result.fill_null(0)
    return result.select(bid_sum=result["s_high"] - result["s_low"], count=result["n_high"] - result["n_low"])


def window(b):
    """Sums of what is around each row, joins between bounds, and what many tables knew at a time."""
    trades, prices = ticks(b.random, b.rows, 1000), ticks(b.random, 3 * b.rows, 1000, bid=float)
    if b.device != "cpu":
        sides = b.placed(trades), b.placed(prices)
        ours = partial(warpdex.window, *sides, **AROUND)
        return b.compare("window", ours, partial(window_by_sums, b.xp, *sides), rtol=1e-6)
    import duckdb

    trades, prices = frames_of(trades, prices)
    calls = of_warpdex(partial(warpdex.window, **AROUND, **b.ours), trades, prices)
    with duckdb.connect() as con:
        con.register("trades", trades).register("prices", prices)
        calls["polars"] = lambda: _window_by_polars(trades, prices)
        calls["duckdb"] = lambda: con.sql(DUCKDB_WINDOW).pl()
        b.compare("window", calls, rtol=1e-5)
        _between(b, con)
        _points_in_time(b, con, 20)


def _between(b, con):
    def side():
        return b.random.integers(0, 10**6, b.rows), b.random.integers(0, max(b.rows // 1000, 1), b.rows)

    (low, group), (key, of) = side(), side()
    left, right = frames_of({"a": low, "b": low + 4000, "g": group}, {"k": key, "g": of})
    con.register("l", left).register("r", right)
    query = "select a, b, l.g, k from l join r on l.g = r.g and r.k between l.a and l.b"

    def of(result):
        return in_order(result.select("a", "b", "g", "k"))

    join = partial(warpdex.join_between, on="k", lower="a", upper="b", by="g", **b.ours)
    calls = of_warpdex(join, left, right, of=of)
    b.compare("join_between by", {**calls, "duckdb": Call(lambda: con.sql(query).pl(), of)})


def _points_in_time(b, con, tables):
    symbols = max(b.rows // 10, 1)
    result = [ticks(b.random, b.rows, symbols, **({f"v{i}": int} if i else {})) for i in range(tables + 1)]
    spine, *others = frames_of(*result)
    # Of several rows of one symbol and time any may be the last: one stays.
    others = {f"t{i}": one.unique(["time", "symbol"], maintain_order=True) for i, one in enumerate(others, 1)}
    con.register("spine", spine)
    for name, one in others.items():
        con.register(name, one)
    joined = " ".join(f"asof left join {n} on s.symbol = {n}.symbol and s.time >= {n}.time" for n in others)
    columns = ", ".join(f"v{i + 1}" for i in range(tables))
    query = f"select {columns} from (select row_number() over () i, * from spine) s {joined} order by i"

    def ask(first, *more):
        return warpdex.point_in_time(first, dict(zip(others, more)), on="time", by="symbol", **b.ours)

    calls = of_warpdex(ask, spine, *others.values())
    b.compare("points in time", {**calls, "duckdb": lambda: con.sql(query).pl()}, tables=tables)


def in_database(b):
    """An index inside DuckDB, compared with DuckDB's join of a table."""
    import duckdb
    import pyarrow as pa
    import warpdex.duckdb

    for size in (b.rows, max(b.rows // 12, 1)):
        with duckdb.connect() as con:
            keys = b.random.permutation(size)
            index = warpdex.Index(keys, "HT(open)", **b.ours)
            con.register("numbered", pa.table({"k": keys, "row": np.arange(size)}))
            con.execute("create table held as from numbered")
            con.execute(f"create table probes as select (i * 7919) % {2 * size} as k from range({b.rows}) t(i)")
            con.register("joined", index.join(con, "from probes", on="k"))
            warpdex.duckdb.attach(con, held=index)
            queries = {
                "warpdex": "joined",
                "warpdex_find": "(select warpdex_find('held', k) as row from probes) where row >= 0",
                "duckdb": "probes join held using (k)",
            }
            select = "select sum(row)::bigint, count(*) from"
            calls = {name: lambda of=of: con.sql(f"{select} {of}").fetchall()[0] for name, of in queries.items()}
            b.compare(f"{size} keys", calls)
