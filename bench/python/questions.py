# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Intervals compared with ncls, bioframe and polars-bio, and networks of IP addresses with a search per length."""

import ipaddress
import os
from functools import partial

import numpy as np
import warpdex
from shared import Call, array_of, library
from warpdex.columns.parts import keys_of  # there is no array of NumPy with numbers of 128 bits


def mixed_intervals(random, size):
    """Starts and ends of half-open intervals: most of 10 to 1000 units, one of a thousand of 1000 up to a thousandth of
    all, and two that are as long as all; and those of probes, of 1 to 150 units."""
    span = size * 100
    starts = random.integers(0, span, size)
    lengths = (10 ** random.uniform(1, 3, size)).astype(np.int64)
    some = random.random(size) < 1e-3
    lengths[some] = random.integers(1000, max(span // 1000, 1000) + 1, int(some.sum()))
    lengths[:2] = span
    lower = random.integers(0, span, size)
    return starts, starts + lengths, lower, lower + random.integers(1, 151, size)


def overlaps(xp, starts, ends, lower, upper=None):
    """How many half-open intervals each probe overlaps, by their starts in order and their ends in order; without upper
    ends how many hold each point."""
    above = xp.searchsorted(starts, lower, "right") if upper is None else xp.searchsorted(starts, upper)
    return above - xp.searchsorted(ends, lower, "right")


def intervals(b):
    """Builds, counts and pairs. Counts are compared one by one, and pairs in order."""
    xp, host = b.xp, mixed_intervals(b.random, b.rows)
    starts, ends, lower, upper = (xp.asarray(column) for column in host)
    ours = partial(warpdex.Intervals, starts, ends, closed="left", **b.ours)
    low, high, index = xp.sort(starts), xp.sort(ends), ours()
    count = partial(overlaps, xp, low, high, lower, upper)
    fields = {"pairs": int(count().sum()), "bytes": index.nbytes}

    def size(result):
        return {"size": np.array(len(result))}

    def in_order(result):
        order = np.lexsort([array_of(one) for one in result[::-1]])
        return {"size": np.array(order.size), **{i: array_of(one)[order] for i, one in enumerate(result)}}

    def in_pairs(result):
        return in_order((xp.searchsorted(result[0], xp.arange(result[1].size), "right") - 1, result[1]))

    build = {"warpdex": Call(ours, lambda result: result.count(lower, upper))}
    sort = Call(lambda: (xp.sort(starts), xp.sort(ends)), lambda result: overlaps(xp, *result, lower, upper))
    build["sort of both ends"] = sort
    counts = {"warpdex": lambda: index.count(lower, upper, **b.ours), b.peer: count}
    pairs = {
        "warpdex.join": Call(lambda: index.join(lower, upper, **b.ours), in_order),
        "warpdex.retrieve": Call(lambda: index.retrieve(lower, upper, **b.ours), in_pairs),
        f"{b.peer}, counts alone": Call(count, lambda result: {"size": np.array(int(result.sum()))}),
    }

    def frames(module):
        sides = ((lower, upper), (starts, ends))
        return [library(module).DataFrame({"chrom": "1", "start": low, "end": high}) for low, high in sides]

    if xp is np and (ncls := library("ncls")):
        rows = np.arange(b.rows)
        tree = ncls.NCLS(starts, ends, rows)
        build["ncls"] = Call(lambda: ncls.NCLS(starts, ends, rows), lambda _: count())
        pairs["ncls"] = Call(lambda: tree.all_overlaps_both(lower, upper, rows), in_order)
    if xp is np and (bioframe := library("bioframe")):
        pandas = frames("pandas")
        counts["bioframe"] = Call(lambda: bioframe.count_overlaps(*pandas), lambda result: result["count"].to_numpy())
        how = {"how": "inner", "return_input": False, "return_index": True}
        pairs["bioframe"] = Call(lambda: bioframe.overlap(*pandas, **how), size)
    if xp is np and (bio := library("polars_bio")):
        bio.set_option("datafusion.execution.target_partitions", str(len(os.sched_getaffinity(0))))
        tables = frames("polars")
        for table in tables:
            table.config_meta.set(coordinate_system_zero_based=True)
        pairs["polars-bio"] = Call(lambda: bio.overlap(*tables, output_type="polars.DataFrame"), size)
    points = {"warpdex": lambda: index.count(lower, **b.ours), b.peer: partial(overlaps, xp, low, high, lower)}
    for case, calls in (("build", build), ("count", counts), ("pairs", pairs), ("count, points", points)):
        b.compare(case, calls, **fields)


def cut(numbers, lengths):
    """Numbers with all after their first bits cleared."""
    free = (8 * numbers.itemsize - lengths).astype(numbers.dtype)
    return np.where(lengths == 0, 0, numbers >> free << free).astype(numbers.dtype)


def routes_of_ipv6(count, random):
    """The upper halves and the lengths of prefixes: allocations of /32, and under them mostly /48, most of them in few."""
    owners = max(count // 12, 1)
    given = np.uint64(1 << 61) | random.integers(0, 1 << 29, owners, np.uint64) << np.uint64(32)
    owner = random.zipf(1.4, count - owners) % owners
    shares = [0.6, 0.18, 0.1, 0.06, 0.03, 0.02, 0.01]
    lengths = random.choice([48, 44, 40, 36, 47, 56, 64], count - owners, p=shares)
    inside = given[owner] | random.integers(0, 1 << 32, count - owners, np.uint64)
    return np.concatenate([given, cut(inside, lengths)]), np.concatenate([np.full(owners, 32), lengths])


def routes_of_ipv4(count, random):
    """Prefixes of /8 to /24, most of them /24, as of a full table."""
    shares = [0.6, 0.1, 0.1, 0.05, 0.05, 0.03, 0.02, 0.03, 0.01, 0.01]
    lengths = random.choice([24, 23, 22, 21, 20, 19, 18, 16, 12, 8], count, p=shares)
    return cut(random.integers(1 << 24, 224 << 24, count, np.uint32), lengths), lengths


def longest(networks, lengths, probes, xp=np):
    """The row of the longest prefix of each probe, by a search per length from the longest on."""
    rows = xp.full(probes.size, -1)
    for length in sorted(set(lengths.tolist()), reverse=True):
        of = np.flatnonzero(lengths == length)
        keys, first = np.unique(networks[of], return_index=True)
        keys, first = xp.asarray(keys), xp.asarray(of[first])
        free = networks.dtype.type(8 * networks.itemsize - length)
        query = probes >> free << free
        at = xp.minimum(xp.searchsorted(keys, query), keys.size - 1)
        rows = xp.where((rows < 0) & (keys[at] == query), first[at], rows)
    return rows


def table_of_24(networks, lengths, xp=np):
    """A call that finds the rows of addresses in a table of all networks of 24 bits (DIR-24-8)."""
    first = xp.asarray(longest(networks, lengths, np.arange(1 << 24, dtype=np.uint32) << np.uint32(8)), np.int32)
    return lambda probes: first[probes >> np.uint32(8)]


def wide(upper, lower):
    """Addresses of 128 bits by their halves."""
    return keys_of("u128", np.stack([lower, upper], axis=1), upper.size)


def networks(b):
    """The longest prefix of addresses, anywhere and in networks, and text of addresses."""
    ours, random, xp = b.ours, b.random, b.xp
    ipv6, ipv4 = routes_of_ipv6(max(b.rows // 18, 100), random), routes_of_ipv4(max(b.rows // 4, 100), random)
    for spec in b.specs or ["AO+BS"]:
        keys = {"IPv6": wide(ipv6[0], np.zeros(ipv6[0].size, np.uint64)), "IPv4": ipv4[0]}
        for family, (nets, lengths) in (("IPv6", ipv6), ("IPv4", ipv4)):
            known = warpdex.Networks(keys[family], lengths, spec=spec, device=b.device)
            direct = table_of_24(nets, lengths, xp) if family == "IPv4" else None
            of, begin, bits = (nets.dtype.type, 1 << 61, 61) if family == "IPv6" else (nets.dtype.type, 0, 32)
            for where in ("anywhere", "in networks"):
                numbers = random.integers(0, 1 << bits, b.rows, nets.dtype)
                if where == "anywhere":
                    numbers |= of(begin)
                else:  # the last 8 bits are any
                    numbers = nets[random.integers(0, nets.size, b.rows)] | numbers >> of(bits - 8)
                at = np if family == "IPv6" else xp
                numbers = at.asarray(numbers)
                probes = numbers if family == "IPv4" else wide(numbers, random.integers(0, 1 << 64, b.rows, np.uint64))
                calls = {"warpdex": partial(known.find, probes, **ours)}
                calls["numpy, a search per length"] = partial(longest, nets, lengths, numbers, at)
                if direct:
                    calls["a table of /24"] = partial(direct, numbers)
                b.compare(f"{family}, {where}, {spec}", calls, networks=nets.size, bytes=known.nbytes)
    _text(b, max(b.rows // 16, 1))


def _text(b, count):
    import pyarrow

    groups = b.random.integers(0, 1 << 16, (count, 8))
    texts = {
        "IPv6": [":".join(f"{group:x}" for group in row) for row in groups.tolist()],
        "IPv4": [".".join(str(byte & 255) for byte in row[:4]) for row in groups.tolist()],
    }

    def by_python(strings):
        found = [int(one) | (0xFFFF << 32 if one.version == 4 else 0) for one in map(ipaddress.ip_address, strings)]
        lower, upper = ([one >> shift & (1 << 64) - 1 for one in found] for shift in (0, 64))
        return wide(np.array(upper, np.uint64), np.array(lower, np.uint64))

    for name, strings in texts.items():
        column, rows_of = pyarrow.array(strings), warpdex.Index(by_python(strings)).find
        calls = {"warpdex": Call(partial(warpdex.lookups.parse_addresses, column, **b.ours), rows_of)}
        calls["python's ipaddress"] = Call(partial(by_python, strings), rows_of)
        b.compare(f"text of {name}", calls, rows=count, bytes=sum(map(len, strings)))
