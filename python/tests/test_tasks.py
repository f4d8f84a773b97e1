# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Jobs of new users from the beginning to the end, on small data, against plain Python."""

import datetime
import hashlib
import ipaddress
import multiprocessing
import pickle
import statistics
from time import perf_counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import warpdex

DAY = datetime.datetime(2026, 1, 5, 9, 30)


def seconds(number):
    return DAY + datetime.timedelta(seconds=number)


def test_trades_with_quotes_of_files(tmp_path):
    """Trades get the last quote of their symbol, what the bids were in windows before them, and the bids of later
    moments. Frames come from files, in many chunks."""
    rng = np.random.default_rng(1)
    symbols = [f"S{i}" for i in range(7)]

    def some(rows, at):
        values = [symbols[i] for i in rng.integers(0, 7, rows)]
        return {"time": [seconds(int(s)) for s in at], "symbol": [None if rng.random() < 0.05 else v for v in values]}

    quotes = pl.DataFrame(some(400, sorted(rng.integers(0, 900, 400)))).with_columns(bid=rng.integers(90, 110, 400))
    trades = pl.DataFrame(some(60, rng.integers(0, 900, 60))).with_columns(size=rng.integers(1, 9, 60))
    for name, frame, rows in (("quotes", quotes, 50), ("trades", trades, 7)):
        frame.write_parquet(tmp_path / f"{name}.parquet", row_group_size=rows)
    trades, quotes = (pl.read_parquet(tmp_path / f"{name}.parquet") for name in ("trades", "quotes"))

    joined = warpdex.join_asof(trades, quotes, on="time", by="symbol", tolerance="2m")
    ends = {"1m": ("1m", "0s"), "5m": ("5m", "0s")}
    around = warpdex.window(trades, quotes, on="time", by="symbol", windows=ends, agg={"bid": ["mean", "median"]})
    for i, (time, symbol, _) in enumerate(trades.iter_rows()):
        mine = [(t, bid) for t, s, bid in quotes.iter_rows() if s == symbol is not None and t <= time]
        last = mine[-1] if mine else None
        expected = None if last is None or time - last[0] > datetime.timedelta(minutes=2) else last[1]
        assert joined["bid"][i] == expected
        for name, minutes in (("1m", 1), ("5m", 5)):
            bids = [bid for t, bid in mine if t >= time - datetime.timedelta(minutes=minutes)]
            mean, median = around[f"bid_mean_{name}"][i], around[f"bid_median_{name}"][i]
            assert (mean, median) == ((None, None) if not bids else (statistics.fmean(bids), statistics.median(bids)))


def _named(networks, texts):
    return networks.find(texts, invalid="null").to_list()


def test_addresses_of_a_log_in_networks():
    """Texts of a log, some of which are no address, get the longest network that holds them, in several processes."""
    held = ["10.0.0.0/8", "10.1.0.0/16", "192.168.0.0/24", "2001:db8::/32", "2001:db8:1::/48", "0.0.0.0/0"]
    texts = ["10.1.2.3", "-", "10.9.9.9", "fe80::1%eth0", "192.168.0.7", "2001:db8:1::5", "2001:db8:2::5", "", "::1"]
    networks = warpdex.Networks(held)
    expected = []
    for text in texts:
        try:
            address = ipaddress.ip_address(text.partition("%")[0] if "%" not in text else "-")
        except ValueError:
            expected.append(None)
            continue
        fits = [ipaddress.ip_network(one) for one in held if address in ipaddress.ip_network(one)]
        longest = max(fits, key=lambda network: network.prefixlen, default=None)
        expected.append(None if longest is None else held.index(str(longest)))
    column = pl.Series("ip", texts)
    assert _named(networks, column) == expected
    assert _named(pickle.loads(pickle.dumps(networks)), column) == expected
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.starmap(_named, [(networks, column)] * 2) == [expected] * 2
    with pytest.raises(warpdex.Error, match="'-'"):
        networks.find(column)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_reads_on_genes(frame):
    """Reads get the genes that they meet, the nearest ones of the others, and how much of a gene reads cover."""
    rng = np.random.default_rng(3)

    def some(rows, length):
        start = rng.integers(0, 300, rows)
        chrom = [f"chr{i}" for i in rng.integers(1, 4, rows)]
        return {"chrom": chrom, "start": start.tolist(), "end": (start + rng.integers(1, length, rows)).tolist()}

    reads, genes = some(80, 12), some(20, 40)
    genes["name"] = [f"g{i}" for i in range(20)]
    options = {"by": "chrom"}

    def columns(table):
        return (
            table.to_dict("list")
            if isinstance(table, pd.DataFrame)
            else table.to_pydict()
            if isinstance(table, pa.Table)
            else table.to_dict(as_series=False)
        )

    def meet(i, j):
        return (
            reads["chrom"][i] == genes["chrom"][j]
            and reads["start"][i] < genes["end"][j]
            and genes["start"][j] < reads["end"][i]
        )

    met = columns(warpdex.overlaps(frame(reads), frame(genes), closed="left", **options))
    pairs = [(reads["start"][i], genes["name"][j]) for i in range(80) for j in range(20) if meet(i, j)]
    assert sorted(zip(met["start"], met["name"])) == sorted(pairs)
    near = columns(warpdex.joins.nearest(frame(reads), frame(genes), closed="left", **options))
    for i, distance in enumerate(near["distance"]):
        gaps = [
            0 if meet(i, j) else max(genes["start"][j] - reads["end"][i], reads["start"][i] - genes["end"][j])
            for j in range(20)
            if reads["chrom"][i] == genes["chrom"][j]
        ]
        assert distance == min(gaps)
    covered = columns(warpdex.joins.coverage(frame(genes), frame(reads), **options))["coverage"]
    for j in range(20):
        places = {
            place
            for i in range(80)
            if reads["chrom"][i] == genes["chrom"][j]
            for place in range(max(reads["start"][i], genes["start"][j]), min(reads["end"][i], genes["end"][j]))
        }
        assert covered[j] == len(places)


def _rows(index, ids):
    return index.find(ids).tolist()


def test_ids_to_rows_in_processes(tmp_path):
    """Ids of an embedding table become rows, of a matrix of ids too, in processes that share one file; and hashes that
    were seen before are dropped."""
    rng = np.random.default_rng(4)
    ids = rng.permutation(10_000)[:3000].astype(np.uint64) * 977
    warpdex.Index(ids, "HT(open)").save(tmp_path / "ids.wdx")
    index = warpdex.Index.load(tmp_path / "ids.wdx", mmap=True)
    where = {int(number): row for row, number in enumerate(ids)}
    batch = rng.choice(np.concatenate([ids, ids + 1]), (40, 8))
    expected = [[where.get(int(number), -1) for number in line] for line in batch]
    assert _rows(index, batch) == expected and len(pickle.dumps(index)) < 1000
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.starmap(_rows, [(index, batch)] * 2) == [expected] * 2

    texts = [f"page {number}" for number in rng.integers(0, 200, 500)]
    digests = [hashlib.md5(text.encode()).digest() for text in texts]
    kept = [row for row, digest in enumerate(digests) if digest not in digests[:row]]
    halves = np.frombuffer(b"".join(digests), np.uint64).reshape(-1, 2)
    assert np.flatnonzero(~warpdex.duplicates((halves[:, 0].copy(), halves[:, 1].copy()))).tolist() == kept
    assert warpdex.unique(np.array(digests, "S16")).size == len(kept)
    seen = warpdex.Index(np.frombuffer(b"".join(digests[:250]), "V16"))
    fresh = ~seen.contains(np.frombuffer(b"".join(digests), "V16"))
    assert fresh.tolist() == [digest not in digests[:250] for digest in digests]


def test_a_newcomer_tries_an_index():
    """What a first hour has: keys of a list, lookups of one value and of many, a frame, an error."""
    index = warpdex.Index([30, 10, 20, 10])
    assert index.find(10) == 1 and index.find([10, 11]).tolist() == [1, -1]
    assert len(index) == 4 and 20 in index and 21 not in index
    assert "4 i64 keys" in repr(index) and "AO+BS" in warpdex.Index([1, 2], "AO+BS").explain()
    people = pd.DataFrame({"id": [1, 2, 3], "name": ["a", "b", "c"]})
    visits = pd.DataFrame({"id": [3, 1, 3, 9]})
    assert warpdex.join(visits, people, "id", "left")["name"].tolist()[:3] == ["c", "a", "c"]
    for wrong in (lambda: index.find("10"), lambda: index.find({1}), lambda: warpdex.join(visits, people, "ID")):
        with pytest.raises(warpdex.Error) as raised:
            wrong()
        assert "\n" not in str(raised.value)


def test_a_researcher_compares_structures():
    """Structures over the same keys answer alike, say how they are made, and are measured and drawn."""
    rng = np.random.default_rng(5)
    keys = rng.integers(0, 900, 400).astype(np.uint32)
    probes = rng.integers(0, 1000, 300).astype(np.uint32)
    rows = {}
    for row, key in enumerate(keys.tolist()):
        rows.setdefault(key, []).append(row)
    first = [rows.get(probe, [-1])[0] for probe in probes.tolist()]
    below = [sum(key < probe for key in keys.tolist()) for probe in probes.tolist()]
    table = {}
    for spec in ("AO+BS", "AO+PB+KS(9)", "B+(16)", "GRT(leaf=2)", "HT(open)", "HT(open,load=0.5)"):
        index = warpdex.Index(keys, spec)
        assert index.find(probes).tolist() == first, spec
        assert [part.tolist() for part in index.retrieve(probes)] == [
            np.cumsum([0, *(len(rows.get(probe, [])) for probe in probes.tolist())]).tolist(),
            [row for probe in probes.tolist() for row in rows.get(probe, [])],
        ], spec
        if spec.startswith("HT"):
            with pytest.raises(warpdex.errors.Unsupported, match="order"):
                index.lower_bound(probes)
        else:
            assert index.lower_bound(probes).tolist() == below, spec
        structure = index.explain(batch=probes.size).splitlines()[0]
        assert structure.startswith(spec.rstrip(")")) and "over 400 keys of type u32" in structure
        begin = perf_counter()
        index.find(probes)
        table[spec] = (index.nbytes, perf_counter() - begin)
        drawn = str(warpdex.draw(spec, keys[:20], int(keys[7])))
        assert drawn.startswith("<svg") and all(f">{key}<" in drawn for key in keys[:20].tolist()), spec
    least = 400 * (4 + 4)  # keys and row ids
    assert all(size >= least and seconds > 0 for size, seconds in table.values())
    assert table["HT(open,load=0.5)"][0] > table["AO+BS"][0] == min(size for size, _ in table.values())
