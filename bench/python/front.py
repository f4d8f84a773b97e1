# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The questions of README.md, each asked as a user of pandas, Polars or DuckDB would, in seconds of processor time of all
threads and processes: so a machine that others use, too, gives the same."""

import multiprocessing
import os
import resource
import tempfile
import warnings
from functools import partial

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import warpdex
from questions import routes_of_ipv4
from shared import Call, in_order, ticks
from workers import sum_of_rows

warnings.filterwarnings("ignore", "Sortedness")  # which Polars cannot check within groups
PROCESSES = 8


def processor_time():
    used = [resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def trades_with_quotes(b):
    symbols = np.array([f"SYM{i:04d}" for i in range(3000)])
    sides = [pl.DataFrame(ticks(b.random, n, symbols=symbols, bid=float)) for n in (b.rows, 2 * b.rows)]
    trades, quotes = sides[0].drop("bid").with_row_index("i"), sides[1]
    frames, how = (trades.to_pandas(), quotes.to_pandas()), {"on": "time", "by": "symbol"}
    b.con.register("trades", trades).register("quotes", quotes)
    query = "select bid from trades t asof left join quotes q on t.symbol = q.symbol and t.time >= q.time order by i"

    def bids(result):
        return {"bid": result["bid"].to_numpy()}

    calls = {
        "warpdex": Call(lambda: warpdex.join_asof(trades, quotes, **how, **b.ours), bids),
        "pandas": Call(lambda: pd.merge_asof(*frames, **how), bids),
        "polars": Call(lambda: trades.join_asof(quotes, **how, check_sortedness=False), bids),
        "duckdb": Call(lambda: b.con.sql(query).pl(), bids),
    }
    b.compare("trades with the last quote", calls)


def addresses_in_networks(b):
    networks, lengths = routes_of_ipv4(max(b.rows // 10, 100), b.random)
    distinct = np.unique(networks.astype(np.uint64) << np.uint64(8) | lengths.astype(np.uint64))
    networks, lengths = (distinct >> np.uint64(8)).astype(np.uint32), (distinct & np.uint64(255)).astype(np.int64)
    ips = b.random.integers(0, 1 << 32, b.rows, np.uint32)
    last = networks + (np.uint64(1) << (32 - lengths).astype(np.uint64)) - 1
    columns = {"low": networks.astype(np.int64), "high": last.astype(np.int64), "length": lengths}
    b.con.register("nets", pl.DataFrame(columns).with_row_index("row"))
    b.con.register("ips", pl.DataFrame({"ip": ips.astype(np.int64)}).with_row_index("i"))
    longest = "select i, arg_max(row, length) as row from ips join nets on ip between low and high group by i"
    query = f"select coalesce(row, -1) as row from ips left join ({longest}) using (i) order by i"
    calls = {
        "warpdex": lambda: {"row": warpdex.Networks(networks, lengths, **b.ours).find(ips, **b.ours)},
        "duckdb": lambda: {"row": b.con.sql(query).pl()["row"].to_numpy()},
    }
    b.compare("addresses in networks", calls, networks=networks.size)


def reads_on_genes(b):
    def side(rows, lengths):
        start = b.random.integers(0, 2 * 10**8, rows)
        end, name = start + b.random.integers(1, lengths, rows), b.random.integers(1, 26, rows)
        return pl.DataFrame({"chrom": [f"chr{n}" for n in name], "start": start, "end": end})

    reads, genes = side(b.rows, 300), side(max(b.rows // 40, 2), 20_000).with_row_index("gene")
    b.con.register("reads", reads).register("genes", genes)
    query = """select r.start, r."end", gene from reads r join genes g on r.chrom = g.chrom
      and r.start < g."end" and g.start < r."end" """

    def of(result):
        return in_order(result.select("start", "end", "gene"))

    how = {"by": "chrom", "closed": "left"}
    calls = {
        "warpdex": Call(lambda: warpdex.overlaps(reads, genes, **how, **b.ours), of),
        "duckdb": Call(lambda: b.con.sql(query).pl(), of),
    }
    b.compare("reads on genes", calls, genes=len(genes))


def ids_in_processes(b):
    """Each process, which has just started, finds the rows of its ids; the file is there."""
    keys = b.random.permutation(10 * b.rows)
    parts = np.array_split(keys[b.random.integers(0, keys.size, b.rows)], PROCESSES)
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: f"{folder}/{name}" for name in ("warpdex", "pandas", "polars")}
        warpdex.Index(keys, "HT(open)", **b.ours).save(paths["warpdex"])
        pd.to_pickle(pd.Index(keys), paths["pandas"])
        pl.DataFrame({"id": keys, "row": np.arange(keys.size)}).write_ipc(paths["polars"])
        calls = {name: partial(_in_processes, name, path, parts) for name, path in paths.items()}
        b.compare("ids to rows in 8 processes", calls, keys=keys.size)


def _in_processes(name, path, parts):
    with multiprocessing.get_context("spawn").Pool(len(parts)) as pool:
        result = np.array(pool.starmap(sum_of_rows, [(name, path, part) for part in parts], chunksize=1))
        pool.close()
        pool.join()  # whose processor time counts only then
    return result


def hashes_seen(b):
    seen = {name: b.random.integers(0, 1 << 63, 10 * b.rows) for name in ("high", "low")}
    some = b.random.integers(0, 10 * b.rows, b.rows)
    new = {name: np.where(some % 2 == 0, column[some], some) for name, column in seen.items()}
    index = warpdex.Index(tuple(seen.values()), **b.ours)
    known, fresh = (pl.DataFrame(side) for side in (seen, new))
    known = known.with_columns(seen=True)
    b.con.sql("create table known as from known")
    b.con.register("fresh", fresh.with_row_index("i"))
    query = "select (high, low) in (select (high, low) from known) as seen from fresh order by i"
    frames = fresh.to_pandas(), known.to_pandas()

    def of(result):
        return {"seen": result["seen"].fillna(False).to_numpy(bool)}

    calls = {
        "warpdex": lambda: {"seen": index.contains((new["high"], new["low"]), **b.ours)},
        "pandas": Call(lambda: frames[0].merge(frames[1], "left", ["high", "low"]), of),
        "polars": lambda: {
            "seen": fresh.join(known, on=["high", "low"], how="left", maintain_order="left")["seen"]
            .is_not_null()
            .to_numpy()
        },
        "duckdb": lambda: {"seen": b.con.sql(query).pl()["seen"].to_numpy()},
    }
    b.compare("hashes seen before", calls, seen=len(known))


def front(b):
    """Every question of README.md."""
    b.clock = processor_time
    with duckdb.connect() as b.con:
        b.con.sql(f"set threads = {len(os.sched_getaffinity(0))}")
        for ask in (trades_with_quotes, addresses_in_networks, reads_on_genes, ids_in_processes, hashes_seen):
            ask(b)
