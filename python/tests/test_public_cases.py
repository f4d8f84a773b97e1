# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Questions of public threads about other libraries, on data of our own, each against a few lines of plain Python."""

import ipaddress

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import warpdex
import warpdex.duckdb


@pytest.fixture
def rng(request):
    return np.random.default_rng(sum(map(ord, request.node.name)))


def test_equal_ids_and_a_date_in_a_range(rng):
    """pandas #10309, Polars #10068: "merge on id, and where the date is between two others"."""
    days = pd.Timestamp("2015-06-01") + pd.to_timedelta(rng.integers(0, 90, 300), "D")
    visits = pd.DataFrame({"id": rng.integers(0, 20, 300), "date": days, "visit": np.arange(300)})
    begin = pd.Timestamp("2015-06-01") + pd.to_timedelta(rng.integers(0, 90, 60), "D")
    stays = pd.DataFrame({"id": rng.integers(0, 22, 60), "begin": begin, "stay": np.arange(60)})
    stays["end"] = stays.begin + pd.to_timedelta(rng.integers(0, 20, 60), "D")
    found = warpdex.join_between(stays, visits, "date", "begin", "end", by="id")
    expected = stays.merge(visits, on="id").query("begin <= date <= end")
    assert sorted(zip(found.stay, found.visit)) == sorted(zip(expected.stay, expected.visit))


def test_prices_within_a_second_of_each_trade(rng):
    """QuestDB's WINDOW JOIN: the mean of bid and ask from one second before each trade to one second after it."""
    start = np.datetime64("2026-01-05T09:00", "ms")
    trades = pl.DataFrame({"t": start + rng.integers(0, 60_000, 200), "sym": rng.choice(["AA", "BB", "CC"], 200)})
    prices = pl.DataFrame({"t": start + rng.integers(0, 60_000, 900), "sym": rng.choice(["AA", "BB", "DD"], 900)})
    prices = prices.with_columns(bid=rng.integers(100, 200, 900) / 8, ask=rng.integers(100, 200, 900) / 8)
    found = warpdex.window(
        trades, prices, on="t", by="sym", before="1s", after="1s", agg={"bid": "mean", "ask": "mean"}
    )
    expected = duckdb.sql(
        "select avg(bid) b, avg(ask) a from (select *, row_number() over () as i from trades) l left join prices p"
        " on p.sym = l.sym and p.t between l.t - interval 1 second and l.t + interval 1 second group by i order by i"
    ).pl()
    for name, other in (("bid_mean", "b"), ("ask_mean", "a")):
        assert found[name].is_null().to_list() == expected[other].is_null().to_list()
        np.testing.assert_allclose(found[name].fill_null(0), expected[other].fill_null(0), rtol=1e-14)


def test_features_that_overlap_reads(rng):
    """bedtools #1091, pandas #43031: overlaps per chromosome, with one feature that spans all of it."""
    features = {name: rng.integers(0, 10_000, 400) for name in ("start", "length")}
    features["start"][7], features["length"][7] = 0, 10**6
    chromosome, start = rng.choice(["chr1", "chr2", "chrX"], 400), features["start"]
    end = start + 1 + features["length"] % 300
    end[7] = 10**6
    iv = warpdex.Intervals(start, end, by=chromosome, closed="left")
    of, first = rng.choice(["chr1", "chrX", "chrM"], 200), rng.integers(-100, 11_000, 200)
    last = first + rng.integers(1, 150, 200)
    left, right = iv.join(first, last, by=of)
    expected = [
        (i, j)
        for i in range(200)
        for j in range(400)
        if of[i] == chromosome[j] and first[i] < end[j] and start[j] < last[i]
    ]
    assert sorted(zip(left.tolist(), right.tolist())) == expected
    assert iv.count(first, last, by=of).tolist() == [sum(i == one for i, _ in expected) for one in range(200)]


def test_the_longest_network_wins_in_any_order(rng):
    """Graylog #15392, cidr-trie #17: the first match, or another answer after another order of insertion."""
    nets = [
        "0.0.0.0/0",
        "10.0.0.0/8",
        "10.1.0.0/16",
        "10.1.2.0/24",
        "10.1.2.3/32",
        "2001:db8::/32",
        "2001:db8::/48",
        "::/0",
    ]
    ips = [
        "10.1.2.3",
        "10.1.2.4",
        "10.1.9.9",
        "10.9.9.9",
        "9.9.9.9",
        "2001:db8::1",
        "2001:db8:1::",
        "::2",
        "::ffff:10.1.2.3",
    ]
    addresses = [ipaddress.ip_address(one) for one in ips[:-1]]
    for _ in range(5):
        rng.shuffle(nets)
        result, known = warpdex.Networks(nets), [ipaddress.ip_network(net) for net in nets]
        covering = [
            sorted((net for net in known if ip.version == net.version and ip in net), key=lambda net: net.prefixlen)
            for ip in addresses
        ]
        covering.append(covering[0])  # IPv4 within IPv6
        assert [known[row] for row in result.find(ips)] == [nets_of[-1] for nets_of in covering]
        offsets, rows = result.covering(ips)
        listed = [[known[row] for row in rows[a:b]] for a, b in zip(offsets, offsets[1:])]
        assert [
            [net for net in one if net.version == all_of[0].version] for one, all_of in zip(listed, covering)
        ] == covering


def test_markouts(rng):
    """QuestDB's HORIZON JOIN: the price some time before and after each trade."""
    mids, t = np.sort(rng.integers(0, 5000, 400)), rng.integers(0, 5000, 50)
    offsets = [-100, 0, 50, 1000]
    found = warpdex.Index(mids, "AO+BS").join_asof(t, offsets=offsets, ties="last")
    assert found.tolist() == [(np.searchsorted(mids, t + one, "right") - 1).tolist() for one in offsets]


def test_all_rows_of_the_nearest_key():
    """pandas #39929, dask #8458: several right rows at the matched time are all kept."""
    quotes = np.array([10, 10, 20, 20, 20, 40])
    left, right = warpdex.Index(quotes, "AO+BS").join_asof([5, 15, 20, 99], ties="all")
    assert list(zip(left.tolist(), right.tolist())) == [(0, -1), (1, 0), (1, 1), (2, 2), (2, 3), (2, 4), (3, 5)]


def test_features_as_of_many_times(rng):
    """feast #3003, #1954: what each of several tables knew of a user at a time, no older than an age."""
    spine = pd.DataFrame({"ts": rng.integers(0, 1000, 80), "user": rng.integers(0, 9, 80)})
    tables = {
        name: pd.DataFrame({"ts": rng.integers(0, 1000, 120), "user": rng.integers(0, 10, 120), name: np.arange(120)})
        for name in ("orders", "clicks", "visits")
    }
    ages = {"clicks": 30, "visits": 300}
    found = warpdex.point_in_time(spine, tables, on="ts", by="user", tolerance=ages)
    for name, table in tables.items():
        expected = []
        for ts, user in zip(spine.ts, spine.user):
            rows = table[(table.user == user) & (table.ts <= ts) & (table.ts >= ts - ages.get(name, 10**9))]
            times = rows.ts.max()
            expected.append(None if rows.empty else rows[rows.ts == times][name].tolist())
        for one, known in zip(found[name].tolist(), expected):
            assert pd.isna(one) if known is None else one in known


def test_masses_within_parts_per_million(rng):
    """MetaboAnnotation #2, ms2pip #217: the nearest mass within max(0.005, 20 ppm)."""
    masses, peaks = np.sort(rng.uniform(50, 2000, 3000)), rng.uniform(50, 2000, 500)
    found = warpdex.Index(masses, "AO+BS").join_asof(peaks, "nearest", tolerance=0.005, relative=2e-5)
    for peak, row in zip(peaks, found):
        best = int(np.argmin(abs(masses - peak)))
        assert row == (best if abs(masses[best] - peak) <= max(0.005, peak * 2e-5) else -1)


def test_ids_among_others(rng):
    """PyTorch #121641: `isin`, and the position of each id."""
    ids, query = rng.permutation(5000)[:2000] * 7, rng.integers(0, 40_000, 3000)
    index = warpdex.Index(ids)
    assert index.contains(query).tolist() == np.isin(query, ids).tolist()
    places = {one: i for i, one in enumerate(ids.tolist())}
    assert index.find(query).tolist() == [places.get(one, -1) for one in query.tolist()]


def test_unsigned_integers_of_128_bits_of_duckdb():
    """duckdb-python #568: from 2^127 on they are exported as negative decimals."""
    top = 2**128 - 1
    index = warpdex.Index(pl.Series([0, -1, 7, 2**100], dtype=pl.Int128).cast(pl.Decimal(38, 0)))
    with duckdb.connect() as con:
        query = f"select unnest([7::uhugeint, {2**100}::uhugeint, {top}::uhugeint, {2**127}::uhugeint]) as k"
        assert con.sql(query).fetchall()[2] == (top,)
        joined = index.join(con, query, on="k", how="left")
        assert joined.table()["row"].to_pylist() == [2, 3, None, None]
        assert con.sql("select k from joined").fetchall() == con.sql(query).fetchall()


def test_rows_that_are_none():
    """faiss #2409, narwhals #3851: -1 is for none, and nothing else is."""
    rows = warpdex.Index([50, 60, 70]).find([70, 99, 50])
    for values in (np.array([1, 2, 3]), pl.Series([1, 2, 3]), pa.array([1, 2, 3])):
        missing = {"fill_value": 0} if isinstance(values, np.ndarray) else {}
        found = warpdex.gather(rows, values, **missing)
        listed = found.to_pylist() if isinstance(found, pa.Array) else list(found)
        assert listed in ([3, 0, 1], [3, None, 1])
        for wrong in ([-2], [True], np.array([-(2**31)], np.int32), [3], [2**31]):
            with pytest.raises(warpdex.Error, match="rows"):
                warpdex.gather(wrong, values, **missing)


def test_the_row_before_in_a_descending_index():
    """pandas' own tests of `get_indexer`: pad is the row before in the order of the index."""
    index = pd.Index([9, 7, 4, 2])
    for method in ("pad", "backfill"):
        expected = index.get_indexer([8, 3], method).tolist()
        assert warpdex.Index(index.to_numpy()).get_indexer([8, 3], method).tolist() == expected
