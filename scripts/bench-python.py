#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the Python package with NumPy, pandas, Polars and DuckDB.

    bench-python.py [log2 of the right rows (21)] [log2 of the left rows (2 less)] [words of the lines to measure]

Each line has the best of several runs, in milliseconds.
"""

import pathlib
import subprocess
import sys
import time

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import warpdex
import warpdex.duckdb
import warpdex.pandas
from best_of import in_chunks
from warpdex import Index


def best(call, repeat=5, times=1):
    found = []
    for _ in range(repeat):
        start = time.perf_counter()
        for _ in range(times):
            call()
        found.append((time.perf_counter() - start) / times)
    return min(found) * 1e3


def show(what, **calls):
    print(f"{what}: " + ", ".join(f"{name} {milliseconds:.4g} ms" for name, milliseconds in calls.items()), flush=True)


def point_lookups(rng, right, left):
    keys = np.sort(rng.choice(1 << 32, 1 << 20, replace=False).astype(np.uint32))
    for spec in ("AO+BS", "auto", "HT(open)"):
        index = Index(keys, spec)
        for count, times in ((1, 2000), (4096, 50)):
            probes = rng.choice(keys, count)
            show(
                f"{count} probes, 2^20 u32 keys, {index.spec}",
                numpy=best(lambda: np.searchsorted(keys, probes), 7, times),
                find=best(lambda: index.find(probes), 7, times),
                searchsorted=best(lambda: warpdex.searchsorted(keys, probes), 7, times),
            )


def random_probes(rng, right, left):
    wide = np.sort(rng.integers(0, 1 << 60, right))
    probes = rng.choice(wide, left)
    index = Index(wide)
    show(
        f"{left} random probes, {right} i64 keys",
        numpy=best(lambda: np.searchsorted(wide, probes), 3),
        lower_bound=best(lambda: index.lower_bound(probes), 3),
        searchsorted=best(lambda: warpdex.searchsorted(wide, probes), 3),
    )


def asof_joins(rng, right, left):
    quotes = pl.DataFrame({"t": np.sort(rng.integers(0, 1 << 60, right)), "v": np.arange(right)})
    trades = pl.DataFrame({"t": rng.integers(0, 1 << 60, left), "w": np.arange(left)})
    in_order = trades.sort("t")
    held = Index(quotes["t"], "AO+BS")
    with duckdb.connect() as con:
        con.execute("create table trades as from trades")
        con.execute("create table quotes as from quotes")
        asof = "select sum(v) from trades asof join quotes using (t)"
        show(
            f"as-of join, {left} unsorted left rows, {right} quotes",
            polars_sort_and_join=best(lambda: trades.sort("t").join_asof(quotes, on="t"), 3),
            duckdb=best(lambda: con.sql(asof).fetchall(), 2),
            index_ready=best(lambda: warpdex.join_asof(trades, quotes, on="t", index=held), 3),  # noqa: F821
        )
    del held
    pandas_quotes, pandas_trades = quotes.to_pandas(), in_order.to_pandas()
    show(
        "the same, both sides sorted",
        polars=best(lambda: in_order.join_asof(quotes, on="t"), 3),
        pandas=best(lambda: pd.merge_asof(pandas_trades, pandas_quotes, on="t"), 3),
        join_asof=best(lambda: warpdex.join_asof(in_order, quotes, on="t"), 3),
        in_41_chunks=best(lambda: warpdex.join_asof(in_chunks(in_order), in_chunks(quotes), on="t"), 3),
        merge_asof=best(lambda: warpdex.pandas.merge_asof(pandas_trades, pandas_quotes, on="t"), 3),
    )


def indexers(rng, right, left):
    unique = rng.permutation(right)
    model, index = pd.Index(unique), Index(unique, "HT(open)")
    wanted = rng.integers(0, 2 * right, left)
    model.get_indexer(wanted[:1])
    show(
        f"get_indexer, {right} unique keys, {left} targets",
        pandas=best(lambda: model.get_indexer(wanted), 3),
        warpdex=best(lambda: index.get_indexer(wanted), 3),
    )


def equality_joins(rng, right, left):
    unique = rng.permutation(right)
    index = Index(unique, "HT(open)")
    table = pl.DataFrame({"k": rng.integers(0, 2 * right, left)})
    other = pl.DataFrame({"k": unique, "v": np.arange(right)})
    show(
        f"equality join, {left} left and {right} right rows",
        polars=best(lambda: table.join(other, on="k"), 3),
        warpdex=best(lambda: warpdex.join(table, other, "k"), 3),
        in_41_chunks=best(lambda: warpdex.join(in_chunks(table), in_chunks(other), "k"), 3),
        index_ready=best(lambda: warpdex.join(table, other, "k", index=index), 3),
    )


def in_duckdb(rng, right, left):
    with duckdb.connect() as con:
        for size in (right, right // 12):
            keys = rng.permutation(size)
            index = Index(keys, "HT(open)")
            numbered = pa.table({"k": keys, "row": np.arange(size)})  # noqa: F841  named in SQL
            con.execute("create or replace table held as from numbered")
            con.execute(
                f"create or replace table probes as select (i * 7919) % {2 * size} as k from range({right}) t(i)"
            )
            con.register("joined", index.join(con, "from probes", on="k"))
            show(
                f"DuckDB {duckdb.__version__}, {right} rows with {size} keys",
                join=best(lambda: con.sql("select sum(row) from joined").fetchall()),
                own_join=best(lambda: con.sql("select sum(row) from probes join held using (k)").fetchall()),
            )
        warpdex.duckdb.attach(con, held=index)
        con.create_function("same", lambda k: k, ["BIGINT"], "BIGINT", type="arrow", null_handling="special")
        con.create_function(
            "second", lambda name, k: k, ["VARCHAR", "BIGINT"], "BIGINT", type="arrow", null_handling="special"
        )
        show(
            f"functions, {right} rows",
            find_function=best(lambda: con.sql("select sum(warpdex_find('held', k)) from probes").fetchall(), 3),
            identity_function=best(lambda: con.sql("select sum(same(k)) from probes").fetchall(), 3),
            identity_with_a_name=best(lambda: con.sql("select sum(second('held', k)) from probes").fetchall(), 3),
        )


def sizes_and_imports(rng, right, left):
    show(
        "import",
        numpy=best(lambda: subprocess.run([sys.executable, "-c", "import numpy"], check=True), 7),
        warpdex=best(lambda: subprocess.run([sys.executable, "-c", "import warpdex"], check=True), 7),
    )
    for path in sorted(pathlib.Path(warpdex.__file__).parent.glob("*.so*")):
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")


def main():
    given = [int(word) for word in sys.argv[1:] if word.isdigit()]
    right = 1 << (given[0] if given else 21)
    left = 1 << given[1] if len(given) > 1 else right // 4
    rng = np.random.default_rng(1)
    words = [word for word in sys.argv[1:] if not word.isdigit()]
    for measure in (point_lookups, random_probes, asof_joins, indexers, equality_joins, in_duckdb, sizes_and_imports):
        if not words or any(word in measure.__name__ for word in words):
            measure(rng, right, left)
    print(f"numpy {np.__version__}, pandas {pd.__version__}, polars {pl.__version__}, pyarrow {pa.__version__}")


if __name__ == "__main__":
    main()
