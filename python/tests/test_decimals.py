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
    result = [Decimal(f"{rng.choice((rng.randint(-most, most), rng.randint(-30, 30)))}e-{scale}") for _ in range(size)]
    return [None if rng.random() < 0.1 else one for one in result]


def column(values, digits, scale, kind):
    if kind == "objects":
        return np.array(values, object)
    if kind == "polars":
        return pl.Series(values, dtype=pl.Decimal(38, scale))
    result = pa.array(values, pa.decimal128(38, scale))
    return result if kind == "arrow" else result.cast(pa.decimal64(18, scale) if digits > 9 else pa.decimal32(9, scale))


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
    query = column(probes, digits, scales[1], kind)

    def answers(found):
        return found.to_pylist() if isinstance(found, pa.Array) else list(found)

    found = answers(index.find(query))
    ordered = sorted(keys)
    bounds = answers(index.lower_bound(query)) if None not in probes else None
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
    result = warpdex.join(*sides, "k")[["l", "r"]].rows()
    left, right = (side.rows() for side in sides)
    assert result == [(l, r) for a, l in left for b, r in right if a is not None and a == b]
    whole = pl.DataFrame({"k": list(range(-40, 41)), "r": range(81)})
    result = warpdex.join(sides[0], whole, "k")[["l", "r"]].rows()
    assert result == [(l, r) for a, l in left for b, r in whole.rows() if a is not None and a == b]


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
    query = pl.Series([Decimal("1.15"), Decimal("2.9")], dtype=pl.Decimal(10, 2))
    assert index.join_asof(query, "nearest").to_list() == [0, 2]
    assert index.join_asof(query, "nearest", tolerance=Decimal("0.07")).to_list() == [0, None]
    assert index.join_asof(query, tolerance="0.059").to_list() == [0, None]
    with pytest.raises(warpdex.errors.KeyTypeError, match="tolerance is 0.5"):
        index.join_asof(query, tolerance=0.5)
    with pytest.raises(warpdex.errors.InvalidArgument, match="offsets 0.001 is no number of units"):
        index.join_asof(query, offsets=[Decimal("0.001")])


def test_addresses():
    hosts = [ipaddress.ip_address(f"10.0.0.{n}") for n in (9, 3, 7)]
    assert Index(hosts).find([hosts[2], ipaddress.ip_address("10.0.0.1"), int(hosts[0])]).tolist() == [2, -1, 0]
    wide = [ipaddress.ip_address(f"2001:db8::{n}") for n in (9, 3, 7)]
    index = Index(wide, "AO+BS")
    assert index.find([wide[1], ipaddress.ip_address("::1"), None]).tolist()[:2] == [1, -1]
    assert index.floor([ipaddress.ip_address("2001:db8::8")]).tolist() == [2]
    with pytest.raises(warpdex.errors.KeyTypeError, match="IPv6 addresses, but the keys are of type integer"):
        Index(hosts).find(wide)
    with pytest.raises(warpdex.errors.KeyTypeError, match="not compared"):
        Index([hosts[0], wide[0]])


def test_wrong_decimals():
    index = Index([Decimal("1.5"), 2])
    assert index.find([Decimal("2.0"), 1, 2]).tolist() == [1, -1, 1]
    for error, match, call in (
        (warpdex.errors.InvalidArgument, "NaN", lambda: Index([Decimal("nan")])),
        (warpdex.errors.InvalidArgument, "128 bits without a sign do not hold", lambda: Index([Decimal(10) ** 40])),
        (warpdex.errors.InvalidArgument, "128 bits do not hold", lambda: Index([Decimal(10) ** 40, -1])),
        (warpdex.errors.KeyTypeError, "decimal", lambda: index.find([0.5])),
        (warpdex.errors.KeyTypeError, "decimals", lambda: Index([0.5]).find([Decimal("0.5")])),
        (warpdex.errors.KeyTypeError, "decimals", lambda: Index(["a"]).find([Decimal("0.5")])),
        (warpdex.errors.KeyTypeError, "d:60,2,256", lambda: Index(pa.array([Decimal("1.00")], pa.decimal256(60, 2)))),
    ):
        with pytest.raises(error, match=match):
            call()


UNSIGNED = [5, 2**127, None, 2**128 - 1, 2**127 + 3, 0]


def in_chunks(values, dtype):
    """One chunk for each value: the first ones need few bits."""
    return pl.concat([pl.Series("k", [one], dtype=dtype) for one in values], rechunk=False)


def test_unsigned_integers_of_128_bits():
    keys = pl.Series(UNSIGNED, dtype=pl.UInt128)
    index = Index(keys, "AO+BS")
    assert index.find(keys).to_list() == [0, 1, None, 3, 4, 5]
    assert index.floor(pl.Series([-1, 4, 6, 2**126], dtype=pl.Int128)).to_list() == [None, 5, 0, 0]
    assert index.find([5, 2**128 - 1, -1, 2**128, 2**127]).tolist() == [0, 3, -1, -1, 1]
    probes = pa.array([Decimal(5), Decimal("5.5"), Decimal(-1)])
    assert index.find(probes).to_pylist() == [0, None, None]
    assert index.floor(probes).to_pylist() == [0, 0, None] and index.ceil(probes).to_pylist() == [0, 1, 5]
    assert index.range_count(keys[:2], keys[3:5]).to_list() == [4, 2]
    assert index.keys_at([4]).tolist() == [2**128 - 1]
    assert pickle.loads(pickle.dumps(index)).find(keys).to_list() == [0, 1, None, 3, 4, 5]
    assert Index(pl.Series([-1, 5], dtype=pl.Int128)).find(keys).to_list() == [1, *[None] * 5]
    assert Index([5, -1]).find(keys).to_list() == [0, *[None] * 5]
    for values in ([-1], np.array([-1]), pl.Series([-1]), pl.Series([-(2**100)], dtype=pl.Int128)):
        with pytest.raises(
            warpdex.errors.InvalidArgument, match="keys holds -[0-9]*, which 128 bits without a sign do not hold"
        ):
            index.insert(values, [9])


SIDES = {
    "UInt128": pl.Series("k", [5, 2**127, 2**128 - 1, 7], dtype=pl.UInt128),
    "few UInt128": pl.Series("k", [5, 7, 0], dtype=pl.UInt128),
    "Int128": pl.Series("k", [5, -1, 2**126, 7], dtype=pl.Int128),
    "positive Int128": pl.Series("k", [5, 2**126, 7], dtype=pl.Int128),
    "Int64": pl.Series("k", [-1, 5, 7]),
    "UInt64": pl.Series("k", [5, 2**64 - 1], dtype=pl.UInt64),
    "Decimal": pl.Series("k", [Decimal("5.00"), Decimal("-1.50"), Decimal("7.25")], dtype=pl.Decimal(38, 2)),
}


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("right", SIDES)
@pytest.mark.parametrize("left", SIDES)
def test_joins_of_integers_of_all_widths(left, right, lazy):
    one, two = SIDES[left].to_frame(), SIDES[right].to_frame().with_row_index("v")
    query = one.lazy() if lazy else one

    def rows(result):
        return (result.collect() if lazy else result)["v"].to_list()

    lefts, rights = one["k"].to_list(), two["k"].to_list()
    assert rows(warpdex.join(query, two, "k")) == [j for a in lefts for j, b in enumerate(rights) if a == b]
    expected = {"backward": [], "forward": []}
    for a in lefts:
        below, above = [b for b in rights if b <= a], [b for b in rights if b >= a]
        expected["backward"].append(rights.index(max(below)) if below else None)
        expected["forward"].append(rights.index(min(above)) if above else None)
    for strategy, wanted in expected.items():
        try:
            found = rows(warpdex.join_asof(query, two, on="k", strategy=strategy))
        except warpdex.errors.InvalidArgument as why:  # where no number of 128 bits is fine and wide enough for both
            assert "128 bits" in str(why) and ("UInt128" in (left, right) or "Decimal" in (left, right))
            assert left != right
            continue
        assert found == wanted


@pytest.mark.parametrize("dtype", [pl.Int128, pl.UInt128, pl.Decimal(38, 2), pl.Decimal(30, 0)])
def test_chunks_of_which_the_first_is_small(dtype):
    most = 10**29 if dtype in (pl.Decimal(38, 2), pl.Decimal(30, 0)) else 2**126
    for values in ([1, 2, most], [most, 1], [1, None, most, 2], [1, most, 2**128 - 1] if dtype == pl.UInt128 else [0]):
        keys = in_chunks(values, dtype)
        rows = [None if one is None else row for row, one in enumerate(values)]
        assert keys.n_chunks() == len(values) and Index(keys).find(keys).to_list() == rows
        assert Index(keys[:1]).find(keys).to_list() == [rows[0], *[None] * (len(values) - 1)]
        assert Index(keys.rechunk()).find(keys).to_list() == rows
        frame = keys.to_frame().with_row_index("v")
        assert warpdex.join(frame, frame, "k")["v"].to_list() == [row for row in rows if row is not None]
        assert warpdex.join_asof(frame, frame, on="k")["v_right"].to_list() == rows


def test_chunks_of_pyarrow_of_which_the_first_is_small():
    small, wide = [Decimal("1.10"), None], [Decimal(10) ** 30, Decimal(2)]
    for kind in (pa.decimal128(38, 2), pa.decimal128(38, 5)):
        keys = pa.chunked_array([pa.array(one, kind) for one in (small, [], wide, [None])])
        for column in (keys, pa.chunked_array([one.dictionary_encode() for one in keys.chunks])):
            assert Index(column, "AO+BS").find(keys).to_pylist() == [0, None, 2, 3, None]
            assert Index(keys).find(column).to_pylist() == [0, None, 2, 3, None]


LAZY_KINDS = [pl.Int128, pl.UInt128, pl.Decimal(38, 0), pl.Decimal(38, 3)]


@pytest.mark.parametrize("strategy", ["backward", "forward", "nearest"])
@pytest.mark.parametrize("dtype", LAZY_KINDS)
def test_lazy_joins_answer_as_eager_ones(dtype, strategy):
    """Over right keys that need few bits, or many."""
    for lefts, rights in (([5, 2**100, 1], [4, 6, 7]), ([5, 1], [4, 2**100, 6]), ([2**100 - 1, 3], [2**100, 4])):
        ends = pl.Series([one + 2 for one in lefts], dtype=dtype, strict=False)
        left = pl.DataFrame({"k": pl.Series(lefts, dtype=dtype, strict=False), "g": 1, "h": ends})
        right = pl.DataFrame({"k": pl.Series(rights, dtype=dtype, strict=False), "g": 1, "v": range(len(rights))})
        for options in ({}, {"by": "g"}, {"tolerance": 3}, {"by": "g", "tolerance": 3}):
            eager = warpdex.join_asof(left, right, on="k", strategy=strategy, **options)
            assert (
                warpdex.join_asof(left.lazy(), right.lazy(), on="k", strategy=strategy, **options)
                .collect()
                .equals(eager)
            )
            if dtype.is_decimal():  # pyarrow has no integers of 128 bits
                reader = warpdex.join_asof(left.to_arrow().to_reader(), right, on="k", strategy=strategy, **options)
                assert reader.read_all()["v"].to_pylist() == eager["v"].to_list()
        between = left.rename({"k": "low"})
        for by in (None, "g"):
            eager = warpdex.join_between(between, right, "k", "low", "h", by=by)
            assert warpdex.join_between(between.lazy(), right, "k", "low", "h", by=by).collect().equals(eager)


@pytest.mark.parametrize("kind", ["objects", "polars", "arrow"])
@pytest.mark.parametrize("wide", [False, True])
def test_as_of_joins_of_more_digits_than_the_keys(kind, wide):
    keys = [Decimal("1.10"), Decimal("2.50"), Decimal(-3), *([Decimal(10) ** 25] if wide else [])]
    probes = [Decimal(one) for one in ("1.805", "2.499", "1.799", "1.8", "-9.999", "3.123")]
    index = Index(column(keys, 38, 2, "polars"), "AO+BS")
    query = column(probes, 38, 3, kind)
    within = Decimal("0.65")
    for strategy in ("backward", "forward", "nearest"):
        for tolerance in (None, within):
            expected = []
            for probe in probes:
                sides = {"backward": lambda key: key <= probe, "forward": lambda key: key >= probe}
                known = [key for key in keys if sides.get(strategy, lambda key: True)(key)]
                if tolerance is not None:
                    known = [key for key in known if abs(key - probe) <= tolerance]
                best = min(known, key=lambda key: (abs(key - probe), key), default=None)
                expected.append(None if best is None else keys.index(best))
            found = index.join_asof(query, strategy, tolerance=tolerance)
            found = found.to_pylist() if kind == "arrow" else list(found)
            assert [None if one == -1 else one for one in found] == expected, (strategy, tolerance)
