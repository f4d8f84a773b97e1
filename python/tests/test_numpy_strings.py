# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""NumPy's strings of variable length, whose object of missing values may be anything, and its arrays in foreign byte
order."""

import random
import uuid

import numpy as np
import pandas as pd
import pytest

import warpdex

ABSENT = object()
WORDS = ["a", "", "häß", "x" * 40, "a", "zero\0byte"]


def _kinds():
    for coerce in (True, False):
        yield ABSENT, np.dtypes.StringDType(coerce=coerce)
        for missing in (None, np.nan, float("nan"), pd.NA, "gone", ABSENT):
            yield missing, np.dtypes.StringDType(na_object=missing, coerce=coerce)


_NAMES = [f"{type(missing).__name__}-{number}" for number, (missing, _) in enumerate(_kinds())]


def _array(values, kind):
    """Values, with None for the kind's object of missing ones."""
    return np.array([kind.na_object if value is None else value for value in values], kind)


@pytest.mark.parametrize("kind", [kind for _, kind in _kinds()], ids=_NAMES)
def test_strings_are_keys_probes_and_groups(kind):
    rng = random.Random(7)
    some = [*WORDS, None] if hasattr(kind, "na_object") else WORDS
    keys, probes = ([rng.choice(some) for _ in range(60)] for _ in range(2))
    wanted = [keys.index(one) if one is not None and one in keys else -1 for one in probes]
    for of, to in (
        (_array(keys, kind), probes),
        (keys, _array(probes, kind)),
        (_array(keys, kind), _array(probes, kind)),
    ):
        assert warpdex.Index(of).find(to).tolist() == wanted
        assert warpdex.Index(of, "AO+BS").count(to).tolist() == [0 if w < 0 else keys.count(keys[w]) for w in wanted]
        assert warpdex.Index((of, [1] * 60)).find((to, [1] * 60)).tolist() == wanted
        assert warpdex.GroupedIndex(of, [5] * 60).floor(to, [5] * 60).tolist() == wanted
    spread = _array(keys, kind)[::-3]
    assert warpdex.Index(spread).find(probes).tolist() == warpdex.Index(keys[::-3]).find(probes).tolist()
    assert warpdex.Index(_array(keys[:4], kind).reshape(2, 2)[0]).find(_array(keys[:4], kind).reshape(2, 2)).shape == (
        2,
        2,
    )
    assert warpdex.Index(["a"]).find(np.array([], kind)).tolist() == []
    assert len(warpdex.Index(np.array([], kind))) == 0


@pytest.mark.parametrize("kind", [kind for _, kind in _kinds()], ids=_NAMES)
def test_strings_are_columns_of_frames(kind):
    words = np.array(["x", "y", "z"], kind)
    left = {"k": np.array([1, 2, 3]), "s": words}
    right = {"k": np.array([1, 3]), "g": words[::2], "w": np.array(["p", "q"], kind)}
    assert warpdex.join(left, right, "k")["w"].tolist() == ["p", "q"]
    values, valid = warpdex.join(left, right, "k", "left")["w"]
    assert values.tolist() == ["p", "", "q"] and valid.tolist() == [True, False, True]
    assert warpdex.join({"s": words}, {"s": words[::-1], "v": np.array([1, 2, 3])}, "s")["v"].tolist() == [3, 2, 1]
    assert warpdex.join_asof({**left, "g": words}, right, on="k", by="g")["w"][1].tolist() == [True, False, True]
    counts = warpdex.window(left, right, on="k", before=1, after=1, agg={"w": ["first", "count"]})
    assert counts["w_count"].tolist() == [1, 2, 1] and counts["w_first"].tolist() == ["p", "p", "q"]
    assert warpdex.unique(np.array(["b", "a", "b"], kind)).tolist() == ["b", "a"]
    assert warpdex.gather([2, 0], words).tolist() == ["z", "x"]
    assert warpdex.gather([2, -1], words, fill_value="none").tolist() == ["z", "none"]


def test_strings_are_addresses_networks_uuids_and_hidden():
    kind = np.dtypes.StringDType(na_object=None)
    networks = warpdex.Networks(np.array(["10.0.0.0/8", None], kind))
    assert networks.find(np.array(["10.1.1.1", None, "11.0.0.0"], kind)).tolist() == [0, -1, -1]
    numbers = [uuid.UUID(int=5), uuid.UUID(int=9)]
    assert warpdex.Index(numbers).find(np.array([str(numbers[1]), None], kind)).tolist() == [1, -1]
    masked = np.ma.array(np.array(["a", "b"], kind), mask=[True, False])
    assert warpdex.Index(masked).find(["a", "b"]).tolist() == [-1, 1]
    assert warpdex.searchsorted(np.array(["a", "b"], kind), np.array(["b"], kind)).tolist() == [1]


@pytest.mark.parametrize("kind", ["i2", "i4", "u8", "f4", "f8", "M8[ns]", "M8[D]", "m8[s]"])
def test_a_foreign_byte_order_is_named(kind):
    native = np.array([5, 7]).astype(kind)
    foreign = native.astype(native.dtype.newbyteorder())
    for call in (
        lambda: warpdex.Index(foreign),
        lambda: warpdex.Index(native).find(foreign),
        lambda: warpdex.GroupedIndex([1, 1], foreign),
        lambda: warpdex.join({"k": native}, {"k": foreign}, "k"),
    ):
        with pytest.raises(warpdex.errors.KeyTypeError, match="in foreign byte order; convert it with astype"):
            call()
    assert warpdex.Index(np.array(["a", "bc"], "<U2").astype(">U2")).find(["bc"]).tolist() == [1]
