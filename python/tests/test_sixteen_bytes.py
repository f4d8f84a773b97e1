# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Values of 16 bytes, such as hashes: NumPy's V16 and S16 are strings, and as two integers one key of 128 bits."""

import numpy as np
import pytest

import warpdex


def _hashes(count, seed):
    """Hashes of which some begin alike, repeat, end with zero bytes or are zero."""
    rng = np.random.default_rng(seed)
    letters = rng.integers(0, 256, (count, 16), dtype=np.uint8)
    letters[::3] = letters[0]
    letters[1::4, 8:] = 0
    letters[2::5, :8] = 255
    letters[-1] = 0
    return letters.view("V16").ravel()


def _halves(hashes, flip=np.int64(-(2**63))):
    high, low = hashes.view(">i8").reshape(-1, 2).T.astype("i8")
    return high ^ flip, low ^ flip


def test_bytes_are_compared_as_they_are_with_zeros_at_their_ends():
    hashes = _hashes(200, 1)
    values = [one.tobytes() for one in hashes]
    probes = np.concatenate([hashes[::-2], _hashes(30, 2)])
    wanted = [values.index(one) if (one := probe.tobytes()) in values else -1 for probe in probes]
    ranks = [sum(value < probe.tobytes() for value in values) for probe in probes]
    for index in (warpdex.Index(hashes, "AO+BS"), warpdex.Index(values, "AO+BS")):
        assert index.find(probes).tolist() == wanted
        assert index.lower_bound(probes).tolist() == ranks
    for keys, query in ((_halves(hashes), _halves(probes)), (_halves(hashes, 0), _halves(probes, 0))):
        assert warpdex.Index(keys).find(query).tolist() == wanted
    index = warpdex.Index(_halves(hashes), "AO+BS")
    assert index.lower_bound(_halves(probes)).tolist() == ranks
    assert warpdex.duplicates(_halves(hashes)).tolist() == warpdex.duplicates(hashes).tolist()


@pytest.mark.parametrize("spec", ["auto", "AO+BS", "HT(open)"])
def test_values_of_other_lengths_equal_none(spec):
    full = b"0123456789abcdef"
    index = warpdex.Index(np.array([full, b"ab" + bytes(14)], "S16").view("V16"), spec)
    others = [b"", full[:15], full + b"0", full[1:], b"ab", b"ab" + bytes(13), b"ab" + bytes(15)]
    assert index.find(others).tolist() == [-1] * len(others)
    assert index.find([full, b"ab" + bytes(14)]).tolist() == [0, 1]
    for width in (8, 15, 17, 32):
        assert index.find(np.zeros(2, f"V{width}")).tolist() == [-1, -1]


def test_s16_is_without_the_zero_bytes_at_its_end():
    short, full = b"ab", b"0123456789abcdef"
    keys = np.array([short, full], "S16")
    index = warpdex.Index(keys)
    assert index.find([short, full, short + bytes(14)]).tolist() == [0, 1, -1]
    assert index.find(keys.view("V16")).tolist() == [-1, 1]
    assert warpdex.Index(keys.view("V16")).find(keys).tolist() == [-1, 1]
    assert warpdex.Index(_halves(keys.view("V16"))).find(_halves(keys[::-1].copy().view("V16"))).tolist() == [1, 0]
