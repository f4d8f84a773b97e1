# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins by dictionaries, categories and enums answer as those by the strings themselves."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import warpdex

WORDS = ["", "a", "ab", "b", "zebra", "längst", "x" * 40]


def strings(random, size, words):
    """Words and nulls."""
    picked = [None if n == len(words) else words[n] for n in random.integers(0, len(words) + 1, size)]
    return pa.array(picked, pa.string())


def chunked_dictionary(random, plain):
    """Chunks whose dictionaries have other orders, unused and repeated words."""
    chunks, at = [], 0
    while at < len(plain):
        piece = plain[at : at + int(random.integers(1, 12))]
        words = [*random.permutation([*WORDS, "unused"]).tolist(), "a"]
        codes = pa.array([None if one is None else words.index(one) for one in piece.to_pylist()], pa.int8())
        chunks.append(pa.DictionaryArray.from_arrays(codes, pa.array(words)))
        at += len(piece)
    return pa.chunked_array(chunks) if chunks else pa.chunked_array([], pa.dictionary(pa.int8(), pa.string()))


def column(kind, random, plain):
    if kind == "chunks":
        return chunked_dictionary(random, plain)
    if kind == "dictionary":
        return plain.dictionary_encode()
    return plain


def polars_column(kind, plain):
    result = pl.Series("s", plain.to_pylist(), pl.String)
    if kind == "enum":
        return result.cast(pl.Enum([*WORDS[::-1], "unused"]))
    return result.cast(pl.Categorical) if kind == "categorical" else result


@pytest.mark.parametrize("left_kind", ["plain", "dictionary", "chunks"])
@pytest.mark.parametrize("right_kind", ["plain", "dictionary", "chunks"])
@pytest.mark.parametrize("sizes", [(60, 40), (0, 5), (5, 0)])
def test_tables_of_pyarrow(left_kind, right_kind, sizes):
    random = np.random.default_rng([ord(left_kind[0]), ord(right_kind[0]), *sizes])
    plain = strings(random, sizes[0], WORDS), strings(random, sizes[1], WORDS[2:])
    times = [np.sort(random.integers(0, 50, size)) for size in sizes]

    def sides(kinds):
        values = [column(kind, random, one) for kind, one in zip(kinds, plain)]
        return [pa.table({"t": t, "s": s, name: np.arange(len(t))}) for t, s, name in zip(times, values, "lr")]

    for how in ("inner", "left", "semi", "anti", "full", "right"):
        answers = [
            warpdex.join(*sides(kinds), "s", how).select([0 if how != "right" else 1]).to_pylist()
            for kinds in (("plain", "plain"), (left_kind, right_kind))
        ]
        assert answers[0] == answers[1], how
    found = [
        warpdex.join_asof(*sides(kinds), on="t", by="s")["r"].to_pylist()
        for kinds in (("plain", "plain"), (left_kind, right_kind))
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize("kind", ["enum", "categorical", "plain"])
@pytest.mark.parametrize("nulls_equal", [False, True])
def test_frames_of_polars(kind, nulls_equal):
    random = np.random.default_rng(len(kind))
    plain = strings(random, 90, WORDS), strings(random, 70, WORDS[1:])
    times = [np.sort(random.integers(0, 50, len(one))) for one in plain]
    left, right = (
        pl.DataFrame(
            {"t": t, "s": polars_column(kind, one), "n": random.integers(0, 3, len(t)), name: np.arange(len(t))}
        )
        for t, one, name in zip(times, plain, "lr")
    )
    for keys in (["s"], ["s", "n"]):
        for how in ("inner", "left", "semi", "anti"):
            result = warpdex.join(left, right, keys, how, nulls_equal=nulls_equal)
            expected = left.join(right, on=keys, how=how, nulls_equal=nulls_equal, maintain_order="left_right")
            assert result.equals(expected), (keys, how)
        result = warpdex.join_asof(left, right, on="t", by=keys)
        assert result.equals(left.join_asof(right, on="t", by=keys, check_sortedness=False)), keys


def test_categories_of_pandas():
    random = np.random.default_rng(8)
    left, right = (
        pd.DataFrame(
            {
                "t": np.sort(random.integers(0, 60, size)),
                "s": pd.Categorical(random.choice(WORDS, size), categories=[*random.permutation(WORDS), "unused"]),
                name: np.arange(size),
            }
        )
        for size, name in ((80, "l"), (50, "r"))
    )
    plain_left, plain_right = (side.assign(s=side["s"].astype(str)) for side in (left, right))
    for one, two in ((left, right), (left, plain_right), (plain_left, right)):
        pd.testing.assert_series_equal(
            warpdex.join_asof(one, two, on="t", by="s")["r"],
            warpdex.join_asof(plain_left, plain_right, on="t", by="s")["r"],
        )
        pd.testing.assert_frame_equal(
            warpdex.join(one, two, "s")[["l", "r"]], warpdex.join(plain_left, plain_right, "s")[["l", "r"]]
        )


def test_first_match():
    random = np.random.default_rng(4)
    left, right = strings(random, 300, WORDS), strings(random, 200, WORDS[2:])
    first = {}
    for row, word in enumerate(right.to_pylist()):
        first.setdefault(word, row)
    first.pop(None)
    expected = [first.get(word, -1) for word in left.to_pylist()]
    for one in (left, left.dictionary_encode(), chunked_dictionary(random, left)):
        for two in (right, right.dictionary_encode()):
            assert warpdex.joins.first_match(one, two).tolist() == expected
    numbers = random.integers(-9, 9, 100)
    expected = [int(np.flatnonzero(numbers == one)[0]) for one in numbers]
    assert warpdex.joins.first_match(numbers, numbers).tolist() == expected
    assert warpdex.joins.first_match(numbers.astype(float), numbers.astype(np.int8)).tolist() == expected
    assert warpdex.joins.first_match([], [1]).tolist() == [] and warpdex.joins.first_match([1], []).tolist() == [-1]


@pytest.mark.parametrize("direction", ["backward", "forward", "nearest"])
def test_as_of_joins_whose_answers_are_not_those_of_words(direction):
    random = np.random.default_rng(8)
    keys, probes = random.integers(0, 90, 40), random.integers(0, 99, 60)
    groups, of = random.integers(0, 3, 40), random.integers(0, 3, 60)
    words = pa.array(probes, mask=probes % 7 == 0).dictionary_encode()
    limits = random.integers(0, 9, 60)
    for index, before in ((warpdex.Index(keys, "AO+BS"), ()), (warpdex.GroupedIndex(groups, keys), (of,))):
        for options in ({"tolerance": limits}, {"tolerance": 3}, {"relative": 0.1}, {"offsets": [4, -5]}):
            plain = index.join_asof(*before, words.dictionary_decode(), direction, **options)
            found = index.join_asof(*before, words, direction, **options)
            assert type(found) is type(plain) and found.tolist() == plain.tolist(), options
        for left, right in zip(
            index.join_asof(*before, words, direction, ties="all"),
            index.join_asof(*before, words.dictionary_decode(), direction, ties="all"),
        ):
            assert left.tolist() == right.tolist()
