# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Window joins, joins between bounds within groups, and joins at a point in time: DuckDB, Polars and warpdex, with answers
compared.

python3 scripts/window-time.py [trades [prices]]   # 10^6 of them each; with warpdex, polars and duckdb installed
"""

import resource
import sys

import duckdb
import numpy as np
import polars as pl
import warpdex
from best_of import best, in_chunks

SECOND = 1_000_000  # microseconds


def show(label, ours, *others):
    print(
        f"{label:40} {ours:8.0f} ms",
        *(f"{name} {took:7.0f} ms, {ours / took:4.2f}" for name, took in others),
        flush=True,
    )


def market(trades, prices, symbols=1000, seconds=86400):
    """Trades and prices of a day, in order of time; symbols by Zipf's law with exponent 2."""
    random = np.random.default_rng(7)

    def of(size):
        time = np.sort(random.integers(0, seconds * SECOND, size))
        return {"time": time.astype("M8[us]"), "symbol": (np.minimum(random.zipf(2.0, size), symbols)).astype(np.int32)}

    bid = 100 + random.normal(size=prices).cumsum() / 1000
    return pl.DataFrame(of(trades)), pl.DataFrame({**of(prices), "bid": bid, "ask": bid + 0.01})


DUCKDB_WINDOW = """
with sums as (select symbol, time, sum(bid) over w as bids, sum(ask) over w as asks, count(*) over w as n
              from prices window w as (partition by symbol order by time rows unbounded preceding)),
last as (select symbol, time, max_by(bids, n) bids, max_by(asks, n) asks, max(n) n from sums group by symbol, time)
select (h.bids - coalesce(l.bids, 0)) / (h.n - coalesce(l.n, 0)) as bid, h.n - coalesce(l.n, 0) as n
from (select row_number() over () as i, symbol, time + interval 1 second as high,
             time - interval 1 second - interval 1 microsecond as low from trades) t
asof left join last h on t.symbol = h.symbol and t.high >= h.time
asof left join last l on t.symbol = l.symbol and t.low >= l.time order by i
"""


def polars_window(trades, prices):
    """Sums up to each price, of which two as-of joins take differences."""
    sums = prices.with_columns(
        bids=pl.col("bid").cum_sum().over("symbol"),
        asks=pl.col("ask").cum_sum().over("symbol"),
        n=pl.int_range(1, pl.len() + 1).over("symbol"),
    ).drop("bid", "ask")
    made = trades.with_columns(
        high=pl.col("time") + pl.duration(seconds=1), low=pl.col("time") - pl.duration(seconds=1, microseconds=1)
    )
    for end in ("high", "low"):
        made = made.join_asof(sums, left_on=end, right_on="time", by="symbol", suffix=f"_{end}", check_sortedness=False)
    zero = [pl.col(f"{name}_low").fill_null(0) for name in ("bids", "asks", "n")]
    count = pl.col("n") - zero[2]
    return made.select(bid=(pl.col("bids") - zero[0]) / count, ask=(pl.col("asks") - zero[1]) / count, n=count)


def windows(trades, prices):
    left, right = market(trades, prices)
    agg = {"bid": "mean", "ask": "mean", "*": "count"}
    ask = {"on": "time", "by": "symbol", "before": "1s", "after": "1s", "agg": agg}
    ours, made = best(lambda: warpdex.window(left, right, **ask))
    parts = in_chunks(left), in_chunks(right)
    of_parts, same = best(lambda: warpdex.window(*parts, **ask))
    assert same.equals(made)
    of_polars, expected = best(lambda: polars_window(left, right))
    con = duckdb.connect()
    con.register("trades", left)
    con.register("prices", right)
    of_duckdb, other = best(lambda: con.sql(DUCKDB_WINDOW).pl(), 1)
    some = made["count"].to_numpy() > 0
    for theirs in (expected, other):
        assert (theirs["n"].fill_null(0).to_numpy() == made["count"].to_numpy()).all()
        np.testing.assert_allclose(made["bid_mean"].to_numpy()[some], theirs["bid"].to_numpy()[some], rtol=1e-6)
    label = f"window, {trades:.0e} x {prices:.0e}, 1000 symbols"
    show(label, ours, ("in 41 chunks", of_parts), ("Polars", of_polars), ("DuckDB", of_duckdb))


def between(size):
    random = np.random.default_rng(3)
    groups = max(size // 1000, 1)
    left = pl.DataFrame({"a": random.integers(0, 10**6, size), "g": random.integers(0, groups, size)})
    left = left.with_columns(b=pl.col("a") + 4000)
    right = pl.DataFrame({"k": random.integers(0, 10**6, size), "g": random.integers(0, groups, size)})
    ours, made = best(lambda: warpdex.join_between(left, right, "k", "a", "b", by="g"))
    parts = in_chunks(left), in_chunks(right)
    of_parts, same = best(lambda: warpdex.join_between(*parts, "k", "a", "b", by="g"))
    assert same.equals(made)
    con = duckdb.connect()
    con.register("l", left)
    con.register("r", right)
    theirs, count = best(
        lambda: con.sql("select count(*) from l join r on l.g = r.g and r.k between l.a and l.b").fetchall()[0][0], 1
    )
    assert count == len(made)
    label = f"join_between by, {size:.0e}, {len(made) / size:.1f} pairs each"
    show(label, ours, ("in 41 chunks", of_parts), ("DuckDB's count", theirs))


def points_in_time(rows, tables):
    random = np.random.default_rng(5)
    spine = pl.DataFrame({"ts": np.sort(random.integers(0, 10**9, rows)), "user": random.integers(0, 10**5, rows)})
    others = {
        f"t{number}": pl.DataFrame(
            {
                "ts": np.sort(random.integers(0, 10**9, rows)),
                "user": random.integers(0, 10**5, rows),
                f"v{number}": random.integers(0, 100, rows),
            }
        )
        for number in range(tables)
    }
    ours, made = best(lambda: warpdex.point_in_time(spine, others, on="ts", by="user"), 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    parts = in_chunks(spine), {name: in_chunks(table) for name, table in others.items()}
    of_parts, cut = best(lambda: warpdex.point_in_time(*parts, on="ts", by="user"), 1)
    assert cut.equals(made)
    con = duckdb.connect()
    con.register("spine", spine)
    for name, table in others.items():
        con.register(name, table)
    joins = " ".join(f"asof left join {name} on s.user = {name}.user and s.ts >= {name}.ts" for name in others)
    columns = ", ".join(f"v{number}" for number in range(tables))
    query = f"select {columns} from (select row_number() over () i, * from spine) s {joins} order by i"
    theirs, expected = best(lambda: con.sql(query).pl(), 1)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    last = f"v{tables - 1}"
    same = (made[last].fill_null(-1) == expected[last].fill_null(-1)).mean()
    assert same > 0.999, same  # of several rows of one user and time either may be the last
    show(f"point in time, {rows:.0e} x {tables} tables", ours, ("in 41 chunks", of_parts), ("DuckDB", theirs))
    print(f"  peak of the process {peak >> 10} MiB, after DuckDB {grown >> 10} MiB")


def main():
    trades = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**6
    prices = int(float(sys.argv[2])) if len(sys.argv) > 2 else 3 * trades
    points_in_time(10**6, 20)
    windows(trades, prices)
    between(trades)


if __name__ == "__main__":
    main()
