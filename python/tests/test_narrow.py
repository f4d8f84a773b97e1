# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins whose keys become numbers of 64 or 128 bits: short strings, and several columns of integers."""

import itertools

import numpy as np
import pytest
import warpdex

pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

LEFT, RIGHT = 300, 120


def pairs_of(lefts, rights):
    """Pairs of rows with equal keys, none of which has a null."""
    return [
        (i, j) for i, left in enumerate(lefts) for j, right in enumerate(rights) if left == right and None not in left
    ]


def joined(left, right, kind, names):
    frames = pl.DataFrame({**left, "i": range(LEFT)}), pl.DataFrame({**right, "j": range(RIGHT)})
    if kind == "chunks":
        frames = [pl.concat([one[:7], one[7:50], one[50:]], rechunk=False) for one in frames]
    elif kind == "pyarrow":
        frames = [one.to_arrow() for one in frames]
    elif kind == "strings of pyarrow":
        frames = [pa.table({name: one[name].to_list() for name in one.columns}) for one in frames]
    found = warpdex.join(*frames, names)
    return list(zip(found["i"].to_numpy().tolist(), found["j"].to_numpy().tolist()))


def check(left, right, kind):
    names = [*left]
    lefts, rights = (list(zip(*(side[name].to_list() for name in names))) for side in (left, right))
    expected = pairs_of(lefts, rights)
    assert joined(left, right, kind, names) == expected
    mine = pl.DataFrame(left), pl.DataFrame(right)
    found = {i for i, _ in expected}
    for how, rows in (("semi", found), ("anti", set(range(LEFT)) - found)):
        kept = warpdex.join(mine[0].with_row_index("i"), mine[1], names, how)["i"].to_list()
        assert kept == sorted(rows)


KINDS = ["Polars", "chunks", "pyarrow", "strings of pyarrow"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("longest", [0, 1, 7, 8, 12, 13, 14, 15, 16, 17, 40])
def test_strings_of_all_lengths(longest, kind):
    rng = np.random.default_rng(longest)
    words = ["".join(rng.choice(list("ab\0"), rng.integers(0, longest + 1))) for _ in range(40)]
    words += ["x" * longest, "x" * longest + "y", "a", "a\0", ""]

    def side(size, some):
        return {
            "k": pl.Series([None if rng.random() < 0.05 else some[one] for one in rng.integers(0, len(some), size)])
        }

    check(side(LEFT, words), side(RIGHT, [word for word in words if len(word) <= longest]), kind)


@pytest.mark.parametrize("kind", ["Polars", "chunks"])
def test_strings_that_end_where_their_memory_does(kind):
    for length in range(10, 18):
        words = [f"{number:0{length}}" for number in range(RIGHT)]
        left = {"k": pl.Series((words * 3)[:LEFT])}
        check(left, {"k": pl.Series(words[::-1])}, kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("before, after", [("", ""), ("user-", ""), ("", "@x"), ("abcdefgh", "01234"), ("a\0", "\0")])
@pytest.mark.parametrize("digits", [0, 1, 3])
def test_strings_with_a_common_beginning_and_end(digits, before, after, kind):
    rng = np.random.default_rng(digits)
    rights = [f"{before}{number:0{digits}}{after}"[: 16 if number % 7 else 15] for number in range(RIGHT)]
    others = [f"{before[:-1]}?7{after}", f"{before}7{after[:-1]}!", before + after, "", "\0", f"{before}7{after}\0"]
    lefts = [*rights, *others]
    left = {"k": pl.Series([lefts[row] for row in rng.integers(0, len(lefts), LEFT)])}
    right = {"k": pl.Series([rights[row] for row in rng.integers(0, len(rights), RIGHT)])}
    check(left, right, kind)
    numbers = (pl.Series(rng.integers(0, 3, size)) for size in (LEFT, RIGHT))
    check({**left, "n": next(numbers)}, {**right, "n": next(numbers)}, kind)


@pytest.mark.parametrize("kind", ["Polars", "chunks", "pyarrow"])
@pytest.mark.parametrize("reach", [1, 3, 2**20, 2**40, 2**63 - 1])
def test_several_integers(reach, kind):
    rng = np.random.default_rng(reach % 97)
    types = [np.int64, np.int32, np.uint8, np.uint64]
    for several in itertools.combinations(range(4), 2):

        def column(number, size):
            limits = np.iinfo(types[number])
            low, high = max(-reach, limits.min), min(reach, limits.max)
            values = np.array([low, high, low // 2, high // 2, (low + high) // 2], types[number])
            return pl.Series(values[rng.integers(0, values.size, size)])

        left = {str(number): column(number, LEFT) for number in several}
        right = {str(number): column(number, RIGHT) for number in several}
        right[str(several[0])] = right[str(several[0])].clip(lower_bound=0)  # so that left values are out of range
        nulls = pl.Series(rng.random(LEFT) < 0.1)
        left[str(several[1])] = left[str(several[1])].to_frame().select(pl.when(~nulls).then(pl.all())).to_series()
        check(left, right, kind)


@pytest.mark.parametrize("kind", ["Polars", "chunks"])
def test_a_string_and_an_integer_and_a_category(kind):
    rng = np.random.default_rng(5)
    words = ["", "a", "ab", "abcdef"]

    def side(size):
        text = pl.Series([words[one] for one in rng.integers(0, 4, size)])
        return {
            "text": text,
            "number": pl.Series(rng.integers(-3, 3, size)),
            "word": pl.Series([words[one] for one in rng.integers(0, 4, size)], dtype=pl.Enum(words)),
        }

    check(side(LEFT), side(RIGHT), kind)


def test_no_right_rows():
    left = pl.DataFrame({"k": ["a", "b"], "n": [1, 2]})
    for on in (["k"], ["k", "n"]):
        assert warpdex.join(left, left[:0], on).height == 0
        assert warpdex.join(left, left[:0], on, "left").height == 2
        assert warpdex.join(left[:0], left, on, "right").height == 2
