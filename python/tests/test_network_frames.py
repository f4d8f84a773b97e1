# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of addresses with networks in data frames, against the standard library."""

import ipaddress
import random

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import warpdex
from warpdex.joins import join_networks

LIBRARIES = {
    "pandas": pd.DataFrame,
    "arrow in pandas": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.DataFrame,
    "polars in chunks": lambda columns: pl.concat(
        [pl.DataFrame(columns)[i : i + 7] for i in range(0, 60, 7)], rechunk=False
    ),
    "pyarrow": pa.table,
}


@pytest.fixture(params=LIBRARIES)
def frame(request):
    return LIBRARIES[request.param]


def rows_of(table):
    """The rows of a table as tuples, with None for what is missing."""
    if isinstance(table, pd.DataFrame):
        table = pa.Table.from_pandas(table, preserve_index=False)
    lists = table.to_dict(as_series=False) if isinstance(table, pl.DataFrame) else table.to_pydict()
    return list(zip(*lists.values()))


def some_tables(seed):
    rng = random.Random(seed)
    texts = [f"10.{rng.randrange(3)}.{rng.randrange(3)}.{rng.randrange(256)}" for _ in range(40)]
    texts += [str(ipaddress.IPv6Address((0x20010DB8 << 96) + (rng.randrange(4) << 80) + i)) for i in range(17)]
    texts += ["-", None, "fe80::1%eth0"]
    rng.shuffle(texts)
    known = [f"10.{a}.0.0/16" for a in range(2)] + [f"10.{a}.{b}.0/24" for a in range(3) for b in range(2)]
    known += ["10.0.0.0/8", "2001:db8::/33", "2001:db8:1::/48", "10.0.0.0/8"]
    return {"ip": texts, "i": list(range(60))}, {"cidr": known, "name": [f"n{i}" for i in range(len(known))]}


def holding(text, known):
    """The networks that hold an address, from short to long."""
    try:
        address = ipaddress.ip_address(text if text is not None and "%" not in text else "-")
    except ValueError:
        return []
    held = [
        (ipaddress.ip_network(one).prefixlen, i) for i, one in enumerate(known) if address in ipaddress.ip_network(one)
    ]
    return [i for _, i in sorted(held)]


@pytest.mark.parametrize("covering", [False, True])
@pytest.mark.parametrize("how", ["inner", "left", "semi", "anti"])
def test_rows_are_those_of_the_standard_library(frame, how, covering):
    left, right = some_tables(len(how))
    found = rows_of(
        join_networks(frame(left), pa_or_same(frame, right), "ip", "cidr", how, covering=covering, invalid="null")
    )
    expected = []
    for i, text in enumerate(left["ip"]):
        rows = holding(text, right["cidr"])
        if not covering and rows:
            longest = [row for row in rows if right["cidr"][row].split("/")[1] == right["cidr"][rows[-1]].split("/")[1]]
            rows = longest[:1]
        if how in ("semi", "anti"):
            expected += [(text, i)] if bool(rows) == (how == "semi") else []
        else:
            expected += [(text, i, right["cidr"][row], right["name"][row]) for row in rows]
            expected += [(text, i, None, None)] if how == "left" and not rows else []
    assert found == expected


def pa_or_same(frame, columns):
    """The right frame, which is too short for chunks."""
    return pl.DataFrame(columns) if frame is LIBRARIES["polars in chunks"] else frame(columns)


def test_lazy_frames_and_names():
    left, right = (pl.DataFrame(columns) for columns in some_tables(7))
    whole = join_networks(left, right.rename({"name": "i"}), "ip", "cidr", invalid="null", suffix="_of")
    assert whole.columns == ["ip", "i", "cidr", "i_of"]
    lazy = join_networks(left.lazy(), right.lazy(), "ip", "cidr", invalid="null")
    assert lazy.collect().equals(join_networks(left, right, "ip", "cidr", invalid="null"))


def test_wrong_arguments():
    left, right = (pd.DataFrame(columns) for columns in some_tables(1))
    for call, words in (
        (lambda: join_networks(left, right, "ip", "cidr"), "which is no address"),
        (lambda: join_networks(left, right, "IP", "cidr"), "left_on names the column 'IP'"),
        (lambda: join_networks(left, right, "ip", "net"), "right_on names the column 'net'"),
        (lambda: join_networks(left, right, "ip", "cidr", "outer"), "how is 'outer'"),
        (lambda: join_networks(left, right, "ip", "name"), "is 'n0', which is no network"),
    ):
        with pytest.raises(warpdex.Error) as raised:
            call()
        assert words in str(raised.value), str(raised.value)


def test_empty_frames():
    empty = pl.DataFrame(schema={"ip": pl.String, "i": pl.Int64})
    found = join_networks(empty, pl.DataFrame(some_tables(3)[1]), "ip", "cidr", "left")
    assert found.height == 0 and found.columns == ["ip", "i", "cidr", "name"]
