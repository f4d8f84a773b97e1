# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Networks, against the module ipaddress."""

import decimal
import ipaddress
import pickle
import random
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import warpdex
import warpdex.polars  # noqa: F401
from warpdex import Networks
from warpdex.lookups import parse_addresses, parse_networks

IPV4, IPV6 = ipaddress.IPv4Address, ipaddress.IPv6Address


def plain(value):
    """An address or a network with those of IPv4 in IPv6 as IPv4."""
    if isinstance(value, IPV6) and value.ipv4_mapped is not None:
        return value.ipv4_mapped
    if isinstance(value, ipaddress.IPv6Network) and value.network_address.ipv4_mapped and value.prefixlen >= 96:
        return ipaddress.IPv4Network((value.network_address.ipv4_mapped, value.prefixlen - 96))
    return value


def around(networks, ip):
    """The rows of all networks that hold an address, from short to long: the oracle."""
    ip = plain(ip)
    held = [(net.prefixlen, row) for row, net in enumerate(networks) if net is not None and ip in net]
    return [row for _, row in sorted(held)]


def listed(answers):
    """Answers of any library as a list, with -1 for null."""
    return answers.tolist() if isinstance(answers, np.ndarray) else pl.Series(answers).fill_null(-1).to_list()


def longest(networks, ip):
    rows = around(networks, ip)
    return min((row for row in rows if networks[row] == networks[rows[-1]]), default=-1)


def some_tables(seed):
    """Nested and repeated networks of both families with nulls among them, and addresses in and around them."""
    rng = random.Random(seed)
    centres = [IPV4(rng.getrandbits(32)) for _ in range(3)] + [IPV6(rng.getrandbits(128)) for _ in range(3)]

    def near(ip):
        width = ip.max_prefixlen
        return type(ip)(int(ip) ^ (rng.getrandbits(width) >> rng.randrange(width)))

    texts = []
    for _ in range(seed * 4):
        if texts and rng.random() < 0.15:
            texts.append(rng.choice(texts))
            continue
        ip = near(rng.choice(centres))
        most = ip.max_prefixlen if seed % 2 or ip.version == 4 else 64
        length = rng.choice([0, most, rng.randrange(most + 1), rng.randrange(most + 1)])
        kind = ipaddress.IPv4Network if ip.version == 4 else ipaddress.IPv6Network
        free = ip.max_prefixlen - length
        net = kind((int(ip) >> free << free, length))
        mapped = ip.version == 4 and rng.random() < 0.2
        texts.append(f"::ffff:{net.network_address}/{length + 96}" if mapped else str(net))
    networks = [None if rng.random() < 0.1 else text for text in texts]
    ips = [near(ip) for ip in centres for _ in range(10)] + [IPV4(0), IPV6(0), IPV4(2**32 - 1), IPV6(2**128 - 1)]
    for text in texts:
        net = ipaddress.ip_network(text)
        ips += [net.network_address, net.broadcast_address, near(net.network_address)]
    ips += [IPV6(f"::ffff:{ip}") for ip in ips if ip.version == 4]
    return networks, ips


@pytest.mark.parametrize("seed", range(12))
def test_as_ipaddress(seed):
    networks, ips = some_tables(seed)
    objects = [None if text is None else plain(ipaddress.ip_network(text)) for text in networks]
    expected = [longest(objects, ip) for ip in ips]
    of_all = [around(objects, ip) for ip in ips]
    texts = [str(ip) for ip in ips]
    given = [None if text is None else ipaddress.ip_network(text) for text in networks]
    for result in (Networks(networks), Networks(given)):
        assert len(result) == len(networks)
        for query in (texts, ips, np.array(texts), np.array(ips, object)):
            assert result.find(query).tolist() == expected
        offsets, rows = result.covering(texts)
        assert [rows[a:b].tolist() for a, b in zip(offsets, offsets[1:])] == of_all
    addresses, lengths = parse_networks(networks)
    kept = [row for row, text in enumerate(networks) if text is not None]
    assert [(lengths[row]) for row in kept] == [objects[row].prefixlen for row in kept]
    assert parse_networks(list(map(str, filter(None, objects))))[1].tolist() == lengths[kept].tolist()
    assert result.find(parse_addresses(texts)).tolist() == expected


def test_integers_are_those_of_ipaddress():
    nets = Networks(["0.0.0.0/8", "10.0.0.0/8", "::/64", "2001:db8::/32"])
    numbers = [10 << 24, 1, 2**32, 2**63, int(IPV6("2001:db8::1"))]
    expected = [1, 0, 2, 2, 3]
    assert nets.find(numbers).tolist() == expected
    assert [nets.find(number) for number in numbers] == expected
    assert nets.find(np.array(numbers[:4], np.uint64)).tolist() == expected[:4]
    for kind in (np.int32, np.uint32, np.int64, np.uint64):
        assert nets.find(np.array(numbers[:2], kind)).tolist() == expected[:2]
    assert Networks(np.array([10 << 24], np.uint32), [8]).find("10.1.1.1") == 0
    assert Networks(["10.0.0.0", "::"], [8, 0]).find(["10.1.1.1", "1::"]).tolist() == [0, 1]
    with pytest.raises(warpdex.errors.InvalidArgument, match=r"ips\[1\] is -1, which is no address"):
        nets.find([1, -1])
    with pytest.raises(warpdex.Error):
        nets.find([2**128])


def test_columns_of_all_libraries():
    nets = Networks(pl.Series(["10.0.0.0/8", None, "::/0"]))
    query = ["10.1.1.1", None, "::1", "8.8.8.8"]
    series = nets.find(pd.Series(query, index=list("abcd"), name="ip"))
    assert series.index.tolist() == list("abcd") and series.name == "ip"
    assert series[["a", "c"]].tolist() == [0, 2] and series.isna().tolist() == [False, True, False, True]
    assert nets.find(pd.Series([ipaddress.ip_address("::1"), None]))[0] == 2
    assert nets.find(pd.Series(query).astype("category")).isna().tolist() == [False, True, False, True]
    for one in (pl.Series("ip", query), pa.array(query), pa.chunked_array([query[:1], query[1:]])):
        assert pl.Series(nets.find(one)).to_list() == [0, None, 2, None]
    assert nets.find(pl.Series(query, dtype=pl.Categorical)).to_list() == [0, None, 2, None]
    assert nets.find(pa.array(query).dictionary_encode()).to_pylist() == [0, None, 2, None]
    assert nets.find("10.9.9.9") == 0 and nets.find(ipaddress.ip_address("9.9.9.9")) == -1
    frame = pl.DataFrame({"ip": query}).with_columns(row=pl.col("ip").warpdex.network(nets))
    assert frame["row"].to_list() == [0, None, 2, None] and frame["row"].dtype == pl.Int32
    lazy = pl.LazyFrame({"ip": query}).select(pl.col("ip").warpdex.network(nets)).collect(engine="streaming")
    assert lazy["ip"].to_list() == [0, None, 2, None]
    offsets, rows = nets.covering(pa.array(query))
    assert offsets.tolist() == [0, 1, 1, 2, 2] and rows.tolist() == [0, 2]


def test_empty_columns():
    none = Networks([])
    assert len(none) == 0 and none.find(["::1", "1.2.3.4", None]).tolist() == [-1, -1, -1]
    nets = Networks(["::/0"])
    for empty in ([], np.array([]), np.array([], np.uint32), np.array([], object), pl.Series([], dtype=pl.String)):
        assert len(nets.find(empty)) == 0
    assert nets.covering([])[0].tolist() == [0] and nets.find([None, None]).tolist() == [-1, -1]
    assert len(parse_addresses([])) == 0 and parse_networks([])[1].tolist() == []


@pytest.mark.parametrize(
    "text",
    ["", "a", "1.2.3", "01.2.3.4", "1.2.3.4.5", "256.1.1.1", "1::2::3", "12345::", "fe80::1%1", "1.2.3.4 ", ":", "::g"],
)
def test_bad_texts_are_named(text):
    with pytest.raises(ValueError):
        ipaddress.ip_address(text.replace("%1", "%"))
    for call in (Networks(["::/0"]).find, Networks(["::/0"]).covering, parse_addresses):
        with pytest.raises(warpdex.errors.InvalidArgument, match="row 1 is '.*', which is no address"):
            call(["::1", text])
    for bad in (f"{text}/8", text):
        with pytest.raises(warpdex.errors.InvalidArgument, match="row 1 is '.*', which is no network"):
            Networks(["::/0", bad])


@pytest.mark.parametrize("seed", range(8))
def test_networks_in_networks(seed):
    texts, ips = some_tables(seed)
    objects = [None if text is None else plain(ipaddress.ip_network(text)) for text in texts]
    result = Networks(texts)
    query = [net for net in objects if net is not None]
    query += [ipaddress.ip_network((ip, length), strict=False) for ip in map(plain, ips) for length in (0, 7, 19, 32)]

    def holders(of):
        held = [(net.prefixlen, row) for row, net in enumerate(objects) if net and net.version == of.version]
        return [row for _, row in sorted(held) if of.subnet_of(objects[row])]

    expected = [holders(one) for one in query]
    nearest = [min((r for r in rows if objects[r] == objects[rows[-1]]), default=-1) for rows in expected]
    addresses, lengths = parse_networks(list(map(str, query)))
    assert result.find(addresses, lengths).tolist() == nearest
    assert result.find([str(one.network_address) for one in query], lengths).tolist() == nearest
    offsets, rows = result.covering(addresses, lengths)
    assert [rows[a:b].tolist() for a, b in zip(offsets, offsets[1:])] == expected
    quads = [row for row, one in enumerate(query) if one.version == 4]
    column = np.array([int(query[row].network_address) for row in quads], np.uint32)
    assert result.find(column, lengths[quads]).tolist() == [nearest[row] for row in quads]


def test_lengths_of_probes():
    nets = Networks(["10.0.0.0/8", "10.0.0.0/8", "0.0.0.0/0", "::/0"])
    assert nets.find(["10.1.2.3", "10.1.2.3", None], [16, 7, 8]).tolist() == [0, 2, -1]
    with pytest.raises(warpdex.errors.InvalidArgument, match="row 1 has a length that is not one of its family"):
        nets.find(["::", "10.0.0.0"], [33, 33])
    assert nets.find(["::", "10.0.0.0", "::"], [33, 33, 300], invalid="null").tolist() == [3, -1, -1]
    assert nets.covering(["::", "10.0.0.0"], [33, 33], invalid="null")[0].tolist() == [0, 1, 1]
    for bad in ([8], [8, 129], [-1, 8]):
        with pytest.raises(warpdex.errors.InvalidArgument, match="lengths"):
            nets.find(["::", "::"], bad)
    assert len(nets.find([], [])) == 0


def test_other_bad_input():
    with pytest.raises(
        warpdex.errors.InvalidArgument, match="row 1 is '10.0.0.1/8', which has bits set beyond its length"
    ):
        Networks(["::/0", "10.0.0.1/8"])
    assert Networks(["::/0", "10.0.0.1/8"], host_bits="mask").find("10.2.2.2") == 1
    for text in ("10.0.0.0/33", "::/129", "::/", "10.0.0.0/255.0.0.0"):
        with pytest.raises(
            warpdex.errors.InvalidArgument, match="row 0 is '.*', whose length is not one of its family"
        ):
            Networks([text])
    with pytest.raises(warpdex.errors.InvalidArgument, match="host_bits is 'drop'; it must be 'error' or 'mask'"):
        Networks([], host_bits="drop")
    with pytest.raises(warpdex.errors.KeyTypeError, match="numbers; they need lengths"):
        Networks([1, 2])
    with pytest.raises(warpdex.errors.InvalidArgument, match="lengths"):
        Networks(["10.0.0.0"], [8, 9])
    with pytest.raises(warpdex.errors.KeyTypeError, match="ips is of type float"):
        Networks([]).find([1.5])
    with pytest.raises(warpdex.errors.KeyTypeError, match="networks is"):
        pl.col("ip").warpdex.network(["::/0"])
    with pytest.raises(warpdex.errors.InvalidArgument, match="stream"):
        Networks([]).find(["::"], stream=5)


LOG = ["10.1.1.1", "-", None, "", "10.0.0.1:80", "fe80::1%eth0", "2001:db8::1", "10.0.0.0/8"]
IN_LOG = [0, None, None, None, None, None, 2, None]


@pytest.mark.parametrize(
    "column",
    [
        LOG,
        np.array(LOG, object),
        pd.Series(LOG),
        pd.Series(LOG, dtype="category"),
        pd.Series(LOG, dtype=pd.ArrowDtype(pa.string())),
        pl.Series(LOG),
        pl.Series(LOG, dtype=pl.Categorical),
        pl.Series(LOG, dtype=pl.Object),
        pa.array(LOG),
        pa.chunked_array([LOG[:2], LOG[2:]]),
        pa.array(LOG).dictionary_encode(),
    ],
    ids=lambda column: f"{type(column).__module__}-{getattr(column, 'dtype', getattr(column, 'type', ''))}",
)
def test_bad_texts_become_null(column):
    nets = Networks(["10.0.0.0/8", "-", "2001:db8::/32", "10.0.0.1/8", None, "10.0.0.0/33"], invalid="null")
    assert len(nets) == 6
    with pytest.raises(warpdex.errors.InvalidArgument, match="row 1 is '-', which is no address"):
        nets.find(column)
    rows = [-1 if row is None else row for row in IN_LOG]
    assert listed(nets.find(column, invalid="null")) == rows
    offsets, of_all = nets.covering(column, invalid="null")
    assert np.diff(offsets).tolist() == [row is not None for row in IN_LOG] and of_all.tolist() == [0, 2]
    keys = parse_addresses(column, invalid="null")
    assert nets.find(keys).tolist() == rows and nets.find(pickle.loads(pickle.dumps(keys))).tolist() == rows
    assert warpdex.Index(keys).find(parse_addresses(["2001:db8::1", "::"])).tolist() == [6, -1]
    addresses, lengths = parse_networks(column, invalid="null")
    again = Networks(addresses, lengths)
    assert lengths.tolist() == [32, 0, 0, 0, 0, 0, 128, 8] and again.find("10.9.9.9") == 7 and again.find("::") == -1


def test_bad_networks_and_numbers_become_null():
    masked = Networks(["10.0.0.1/8", "x"], host_bits="mask", invalid="null")
    assert masked.find(["10.2.2.2", "x"], invalid="null").tolist() == [0, -1]
    assert Networks(["10.0.0.1/8"], invalid="null").find("10.0.0.1") == -1
    counted = Networks([10 << 24, 11 << 24, -1, 12 << 24], [8, 33, 8, 300], invalid="null")
    assert counted.find(["10.1.1.1", "11.0.0.0", "12.0.0.0"]).tolist() == [0, -1, -1]
    nets = Networks(["0.0.0.0/0", "::/0"])
    assert nets.find([1, -1, None], invalid="null").tolist() == [0, -1, -1]
    assert nets.find([2**128, 2**127, 5], invalid="null").tolist() == [-1, 1, 0]
    frame = pl.DataFrame({"ip": LOG}).select(pl.col("ip").warpdex.network(nets, invalid="null"))
    assert frame["ip"].to_list() == [0, None, None, None, None, None, 1, None]
    for call in (nets.find, nets.covering, parse_addresses, parse_networks, Networks):
        with pytest.raises(warpdex.errors.InvalidArgument, match="invalid is 'drop'; it must be 'error' or 'null'"):
            call([], invalid="drop")


def test_packed_bytes_are_addresses():
    ips = [ipaddress.ip_address(text) for text in ("10.1.2.3", "2001:db8::1", "::5", "0.0.0.5")]
    packed = [*(ip.packed for ip in ips), None]
    nets = Networks(["10.0.0.0/8", "2001:db8::/32", "::/64", "0.0.0.0/8"])
    columns = [packed, np.array(packed, object), pd.Series(packed), pl.Series(packed)]
    kinds = [pa.binary(), pa.large_binary(), pa.binary_view()]
    columns += [pa.array(packed, kind) for kind in kinds] + [pa.chunked_array([packed[:1], packed[1:]], pa.binary())]
    columns += [pd.Series(packed, dtype=pd.ArrowDtype(pa.binary())), pa.array(packed, pa.binary()).dictionary_encode()]
    for column in columns:
        assert listed(nets.find(column)) == [0, 1, 2, 3, -1]
    quads, wide = [packed[0], packed[3]], packed[1:3]
    assert nets.find(np.array(quads, "V4")).tolist() == [0, 3]
    assert nets.find(pa.array([*quads, None], pa.binary(4))).to_pylist() == [0, 3, None]
    assert nets.find(pa.array([*wide, None], pa.binary(16))).to_pylist() == [1, 2, None]
    assert nets.find([uuid.UUID(bytes=one) for one in wide]).tolist() == [1, 2]
    assert nets.find(packed[0]) == 0
    assert Networks(quads, [8, 8], host_bits="mask").find(["10.9.9.9", "0.1.1.1"]).tolist() == [0, 1]
    with pytest.raises(warpdex.errors.InvalidArgument, match=r"ips\[1\] has 8 bytes; a packed address has 4 or 16"):
        nets.find([packed[0], b"10.0.0.1"])
    assert nets.find([packed[0], b"10.0.0.1"], invalid="null").tolist() == [0, -1]


def test_integers_of_128_bits_are_addresses():
    nets = Networks(["10.0.0.0/8", "2001:db8::/32", "f000::/8"])
    low, high = int(IPV6("2001:db8::1")), int(IPV6("f000::1"))
    assert nets.find(pl.Series([low, 10 << 24, high, None], dtype=pl.UInt128)).to_list() == [1, 0, 2, None]
    assert nets.find(pl.Series([low, 10 << 24, None], dtype=pl.Int128)).to_list() == [1, 0, None]
    assert nets.find(pa.array([decimal.Decimal(low), None], pa.decimal128(38, 0))).to_pylist() == [1, None]
    assert nets.find([decimal.Decimal(10 << 24)]).tolist() == [0]
    signed = pl.Series([high - 2**128, low], dtype=pl.Int128)
    with pytest.raises(warpdex.errors.InvalidArgument, match=r"ips\[0\] is negative, which is no address"):
        nets.find(signed)
    assert nets.find(signed, invalid="null").to_list() == [None, 1]
    with pytest.raises(warpdex.errors.KeyTypeError, match=r"decimal\(1\); addresses are"):
        nets.find([decimal.Decimal("1.5")])


def test_large_columns_are_as_a_trie():
    rng = np.random.default_rng(3)
    addresses = rng.integers(0, 2**32, 20000, np.uint32)
    lengths = rng.integers(8, 33, 20000)
    addresses = addresses >> (32 - lengths).astype(np.uint32) << (32 - lengths).astype(np.uint32)
    rows = {}
    for row, key in enumerate(zip(addresses.tolist(), lengths.tolist())):
        rows.setdefault(key, row)
    probes = rng.integers(0, 2**32, 300000, np.uint32)
    found = Networks(addresses, lengths).find(probes)
    for probe, row in zip(probes[:20000].tolist(), found.tolist()):
        expected = next(
            (rows[key] for n in range(32, 7, -1) if (key := (probe >> (32 - n) << (32 - n), n)) in rows), -1
        )
        assert row == expected
    assert Networks(addresses, lengths).find(probes, threads=1).tolist() == found.tolist()
