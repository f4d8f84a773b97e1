# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Decimals, integers of 128 bits and addresses, against Python's own comparisons and Polars."""

import ipaddress
import pickle
import random
from decimal import Decimal

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import warpdex
from warpdex import Index


def numbers(rng, size, digits, scale):
    """Decimals of a scale, some with few digits, some null."""
    most = 10**digits - 1
    made = [Decimal(f"{rng.choice((rng.randint(-most, most), rng.randint(-30, 30)))}e-{scale}") for _ in range(size)]
    return [None if rng.random() < 0.1 else one for one in made]


def column(values, digits, scale, kind):
    if kind == "objects":
        return np.array(values, object)
    if kind == "polars":
        return pl.Series(values, dtype=pl.Decimal(38, scale))
    made = pa.array(values, pa.decimal128(38, scale))
    return made if kind == "arrow" else made.cast(pa.decimal64(18, scale) if digits > 9 else pa.decimal32(9, scale))


@pytest.mark.parametrize("kind", ["objects", "polars", "arrow", "narrow"])
@pytest.mark.parametrize("digits", [6, 18, 38])
@pytest.mark.parametrize("scales", [(2, 2), (1, 4), (4, 0)])
def test_lookups(kind, digits, scales):
    if kind == "narrow" and digits > 18:
        return
    rng = random.Random(f"{kind}{digits}{scales}")
    keys = [key for key in numbers(rng, 60, digits, scales[0]) if key is not None]
    probes = numbers(rng, 60, digits, scales[1])
    small = [key for key in keys if abs(key) < 10 and key == key.quantize(Decimal(1).scaleb(-scales[1]))]
    probes[: len(small)] = small
    if digits == 38 and scales[0] < scales[1]:
        probes = [None if p is None or abs(p) >= 10 ** (38 - scales[1]) else p for p in probes]
    index = Index(column(keys, digits, scales[0], kind), "AO+BS")
    asked = column(probes, digits, scales[1], kind)

    def answers(found):
        return found.to_pylist() if isinstance(found, pa.Array) else list(found)

    found = answers(index.find(asked))
    ordered = sorted(keys)
    bounds = answers(index.lower_bound(asked)) if None not in probes else None
    for i, probe in enumerate(probes):
        expected = keys.index(probe) if probe is not None and probe in keys else None
        assert found[i] in (expected, -1 if expected is None else expected), probe
        if bounds is not None:
            assert bounds[i] == sum(key < probe for key in ordered)
    assert index.keys_at(np.arange(len(keys))).tolist() == ordered
    again = pickle.loads(pickle.dumps(index))
    assert again.keys_at([0]).tolist() == ordered[:1] and again.find(ordered[:1]).tolist() == [keys.index(ordered[0])]


@pytest.mark.parametrize("digits", [9, 18, 38])
@pytest.mark.parametrize("scales", [(2, 2), (0, 3), (3, 1)])
def test_joins(digits, scales):
    rng = random.Random(f"{digits}{scales}")
    shared = [Decimal(f"{rng.randint(-40, 40)}e-{min(scales)}") for _ in range(30)]
    sides = []
    for scale, name in zip(scales, "lr"):
        values = numbers(rng, 40, min(digits, 38 - 3), scale) + shared
        rng.shuffle(values)
        sides.append(pl.DataFrame({"k": pl.Series(values, dtype=pl.Decimal(38, scale)), name: range(len(values))}))
    made = warpdex.join(*sides, "k")[["l", "r"]].rows()
    left, right = (side.rows() for side in sides)
    assert made == [(l, r) for a, l in left for b, r in right if a is not None and a == b]
    whole = pl.DataFrame({"k": list(range(-40, 41)), "r": range(81)})
    made = warpdex.join(sides[0], whole, "k")[["l", "r"]].rows()
    assert made == [(l, r) for a, l in left for b, r in whole.rows() if a is not None and a == b]


@pytest.mark.parametrize("dtype", [pl.Int128, pl.UInt128])
def test_integers_of_128_bits(dtype):
    rng = random.Random(3)
    least = 0 if dtype == pl.UInt128 else -(2**126)
    keys = [rng.randint(least, 2**126) for _ in range(20)] + list(range(5))
    left = pl.DataFrame({"k": pl.Series([*keys[::2], 7], dtype=dtype), "l": range(14)})
    right = pl.DataFrame({"k": pl.Series(keys, dtype=dtype), "r": range(25)})
    assert warpdex.join(left, right, "k")["r"].to_list() == list(range(0, 25, 2))
    assert Index(right["k"]).find(left["k"]).to_list() == [*range(0, 25, 2), None]


def test_as_of_joins_and_tolerances():
    prices = pl.Series([Decimal("1.10"), Decimal("2.50"), Decimal("3.00")])
    index = Index(prices)
    asked = pl.Series([Decimal("1.15"), Decimal("2.9")], dtype=pl.Decimal(10, 2))
    assert index.join_asof(asked, "nearest").to_list() == [0, 2]
    assert index.join_asof(asked, "nearest", tolerance=Decimal("0.07")).to_list() == [0, None]
    assert index.join_asof(asked, tolerance="0.059").to_list() == [0, None]
    with pytest.raises(warpdex.KeyTypeError, match="tolerance is 0.5"):
        index.join_asof(asked, tolerance=0.5)
    with pytest.raises(warpdex.InvalidArgument, match="offsets 0.001 is no number of units"):
        index.join_asof(asked, offsets=[Decimal("0.001")])


def test_addresses():
    hosts = [ipaddress.ip_address(f"10.0.0.{n}") for n in (9, 3, 7)]
    assert Index(hosts).find([hosts[2], ipaddress.ip_address("10.0.0.1"), int(hosts[0])]).tolist() == [2, -1, 0]
    wide = [ipaddress.ip_address(f"2001:db8::{n}") for n in (9, 3, 7)]
    index = Index(wide, "AO+BS")
    assert index.find([wide[1], ipaddress.ip_address("::1"), None]).tolist()[:2] == [1, -1]
    assert index.floor([ipaddress.ip_address("2001:db8::8")]).tolist() == [2]
    with pytest.raises(warpdex.KeyTypeError, match="IPv6 addresses, but the keys are of type integer"):
        Index(hosts).find(wide)
    with pytest.raises(warpdex.KeyTypeError, match="not compared"):
        Index([hosts[0], wide[0]])


def test_wrong_decimals():
    index = Index([Decimal("1.5"), 2])
    assert index.find([Decimal("2.0"), 1, 2]).tolist() == [1, -1, 1]
    for error, match, call in (
        (warpdex.InvalidArgument, "NaN", lambda: Index([Decimal("nan")])),
        (warpdex.InvalidArgument, "128 bits do not hold", lambda: Index([Decimal(10) ** 40])),
        (warpdex.KeyTypeError, "decimal", lambda: index.find([0.5])),
        (warpdex.KeyTypeError, "decimals", lambda: Index([0.5]).find([Decimal("0.5")])),
        (warpdex.KeyTypeError, "decimals", lambda: Index(["a"]).find([Decimal("0.5")])),
        (warpdex.KeyTypeError, "d:60,2,256", lambda: Index(pa.array([Decimal("1.00")], pa.decimal256(60, 2)))),
    ):
        with pytest.raises(error, match=match):
            call()
