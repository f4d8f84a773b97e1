# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Searches against `numpy.searchsorted`, and indexers against those of `pandas.Index`."""

import numpy as np
import pandas as pd

import warpdex

from . import columns
from .columns import asked, numbers, pick, size_of

_KINDS = [
    "i1",
    "i2",
    "i4",
    "i8",
    "u1",
    "u2",
    "u4",
    "u8",
    "f2",
    "f4",
    "f8",
    "M8[s]",
    "M8[D]",
    "M8[ns]",
    "m8[us]",
    "S9",
    "U9",
    "?",
]


def _array(rng, kind, size, limit=columns.LIMIT):
    values = numbers(rng, size, limit)
    if kind[0] in "SU":
        return np.array([f"w{n}" for n in values], kind)
    result = (values - (20 if kind[0] in "if" else 0)).astype(kind)
    if kind[0] == "f":
        result[rng.random(size) < 0.1] = pick(rng, [np.inf, -np.inf, -0.0])
    return result


def searchsorted(rng):
    kind = pick(rng, _KINDS)
    a, v = _array(rng, kind, size_of(rng)), _array(rng, kind, size_of(rng))
    if kind[0] == "f":
        a[rng.random(a.size) < 0.1] = v[rng.random(v.size) < 0.1] = np.nan
    side = pick(rng, ["left", "right"])
    v = v[::2] if rng.random() < 0.3 else v
    sorter = None
    if rng.random() < 0.5:
        sorter = np.argsort(a, kind="stable")
    else:
        a = np.sort(a)
    found, expected = (module.searchsorted(a, v, side, sorter) for module in (warpdex, np))
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def get_indexer(rng):
    """Without NaN, and without distances of infinities and of unsigned numbers, which pandas subtracts."""
    kind = pick(rng, [kind for kind in _KINDS if kind not in ("?", "S9", "f2", "M8[D]")])
    keys = np.unique(_array(rng, kind, size_of(rng), 2 * columns.LIMIT))
    method = pick(rng, [None, "pad", "ffill", "backfill", "bfill", *([] if kind[0] in "uU" else ["nearest"])])
    options = {}
    if method is not None and kind[0] not in "uU" and rng.random() < 0.4:
        near = int(rng.integers(0, 5))
        options["tolerance"] = np.timedelta64(near, np.datetime_data(keys.dtype)[0]) if kind[0] in "mM" else near
    target = _array(rng, kind, size_of(rng), 2 * columns.LIMIT)
    if kind[0] == "f" and (options or method == "nearest"):
        keys, target = keys[np.isfinite(keys)], target[np.isfinite(target)]
    if rng.random() < 0.5:
        keys = keys[::-1]
    expected = asked(lambda: pd.Index(keys).get_indexer(target, method, **options))
    index = warpdex.Index(keys)
    np.testing.assert_array_equal(index.get_indexer(target, method, **options), expected)
    if method not in (None, "nearest"):  # which alone need no order
        return
    order = rng.permutation(keys.size)
    places = warpdex.Index(keys[order]).get_indexer(target, method, **options)
    np.testing.assert_array_equal(np.where(places < 0, -1, order[places] if order.size else -1), expected)


def get_indexer_non_unique(rng):
    kind = pick(rng, [kind for kind in _KINDS if kind not in ("S9", "f2", "M8[D]")])
    keys, target = _array(rng, kind, size_of(rng)), _array(rng, kind, size_of(rng))
    expected = asked(lambda: pd.Index(keys).get_indexer_non_unique(target))
    for found, wanted in zip(warpdex.Index(keys).get_indexer_non_unique(target), expected):
        np.testing.assert_array_equal(found, wanted)


CHECKS = [searchsorted, get_indexer, get_indexer_non_unique]
