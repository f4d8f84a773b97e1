# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Frames in chunks, as files and concatenations make them, answer as whole ones, and take no more tables of hashes; rows
without a group or a key are left out."""

import gc
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import warpdex
from warpdex import _core
from warpdex.columns import arrays, values
from warpdex.frames import tables
from warpdex.lookups import calls
from warpdex.columns.families import arrow_decimals

WORDS = ["", "a", "b", "längst", "a word that is longer than a view holds", "x" * 40]
LEFT, RIGHT, CHUNKS = 90, 70, 5

CALLS = {
    "join_asof": lambda left, right: warpdex.join_asof(left, right, on="t", by="s"),
    "window": lambda left, right: warpdex.window(
        left, right, on="t", by="s", before=5, after=2, agg={"r": ["sum", "first"], "*": "count"}
    ),
    "point_in_time": lambda left, right: warpdex.point_in_time(left, {"one": right}, on="t", by="s"),
    "join_between": lambda left, right: warpdex.join_between(left, right, "t", "t", "end", by="s"),
    "join": lambda left, right: warpdex.join(left, right, "s"),
    "join on two": lambda left, right: warpdex.join(left, right, ["s", "t"], "left"),
}


def in_chunks(array, chunks):
    step = -(-len(array) // chunks)
    return pa.chunked_array([array.slice(begin, step) for begin in range(0, len(array), step)])


def own_dictionaries(array):
    """Chunks whose dictionaries have other orders and words that no row has."""
    result = []
    for number, chunk in enumerate(array.chunks):
        words = [*np.roll(WORDS, number).tolist(), f"unused {number}", "a"]
        codes = pa.array([None if one is None else words.index(one) for one in chunk.to_pylist()], pa.int8())
        result.append(pa.DictionaryArray.from_arrays(codes, pa.array(words)))
    return pa.chunked_array(result)


def cast(type):
    return lambda array: array.cast(type)


TYPES = {
    "string": cast(pa.string()),
    "large string": cast(pa.large_string()),
    "view": cast(pa.string_view()),
    "binary": cast(pa.binary()),
    "dictionary": lambda array: array.dictionary_encode(),
    "dictionaries": own_dictionaries,
    "dictionary of views": lambda array: array.dictionary_encode().cast(pa.dictionary(pa.int32(), pa.large_string())),
}


def polars_frame(kind):
    def made(table):
        frame = pl.from_arrow(table, rechunk=False)
        return frame if kind is None else frame.with_columns(pl.col("s").cast(kind))

    return made


def arrow_frame(table):
    return table.to_pandas(types_mapper=pd.ArrowDtype)


# How a table of pyarrow becomes a frame, and how that is made whole.
KINDS = {
    **{name: (lambda table, made=made: table.set_column(1, "s", made(table["s"]))) for name, made in TYPES.items()},
    "Polars": polars_frame(None),
    "Polars' enum": polars_frame(pl.Enum(WORDS)),
    "Polars' categories": polars_frame(pl.Categorical),
    "Polars' binary": polars_frame(pl.Binary),
    "pandas": arrow_frame,
}


def table(size, name, chunks, nulls, seed=1, ascends=True):
    random = np.random.default_rng([size, seed])
    picked = [None if nulls and random.random() < 0.1 else WORDS[n] for n in random.integers(0, len(WORDS) - 1, size)]
    times = random.integers(0, 60, size)
    times = pa.array(np.sort(times) if ascends else times, mask=random.random(size) < 0.1 if nulls == "both" else None)
    ends = pa.array(np.arange(size) % 7 + 30)
    columns = {"t": times, "s": pa.array(picked, pa.string()), "end": ends, name: pa.array(np.arange(size))}
    return pa.table({key: in_chunks(column, chunks) for key, column in columns.items()})


def rows_in(frame):
    frame = frame.to_arrow() if isinstance(frame, pl.DataFrame) else frame
    frame = pa.Table.from_pandas(frame, preserve_index=False) if isinstance(frame, pd.DataFrame) else frame
    return [tuple(column.to_pylist()) for column in frame.columns]


class Counted:
    """Counts the calls of functions of the module."""

    def __init__(self, monkeypatch, *names):
        self.calls = dict.fromkeys(names, 0)
        for name in names:
            monkeypatch.setattr(_core, name, self.counted(name, getattr(_core, name)))

    def counted(self, name, function):
        def call(*given):
            self.calls[name] += 1
            return function(*given)

        return call

    def __enter__(self):
        self.calls = dict.fromkeys(self.calls, 0)
        return self

    def __exit__(self, *why):
        pass


@pytest.mark.parametrize("nulls", [False, True, "both"])
@pytest.mark.parametrize("kind", KINDS)
def test_frames_in_chunks_answer_as_whole_ones(kind, nulls, monkeypatch):
    counted = Counted(monkeypatch, "encode", "join_keys", "asof_keys")
    result = KINDS[kind]
    for ascends in (True, False):
        whole = [
            result(table(LEFT, "l", 1, nulls, ascends=ascends)),
            result(table(RIGHT, "r", 1, nulls, ascends=ascends)),
        ]
        parts = [
            result(table(LEFT, "l", CHUNKS, nulls, ascends=ascends)),
            result(table(RIGHT, "r", CHUNKS + 2, nulls, ascends=ascends)),
        ]
        for name, call in CALLS.items():
            if kind in ("binary", "Polars' binary") and name == "join on two":
                continue
            expected = rows_in(call(*whole))
            for left, right in ((parts[0], whole[1]), (whole[0], parts[1]), parts):
                with counted:
                    assert rows_in(call(left, right)) == expected, name
                assert sum(counted.calls.values()) == 1, name


def test_each_table_is_numbered_once(monkeypatch):
    left = KINDS["Polars"](table(LEFT, "l", CHUNKS, True))
    rights = {name: KINDS["Polars"](table(RIGHT, name, CHUNKS, True, seed)) for seed, name in enumerate("xyz")}
    with Counted(monkeypatch, "asof_keys") as counted:
        found = warpdex.point_in_time(left, rights, on="t", by="s")
    assert counted.calls == {"asof_keys": 3}
    for name, right in rights.items():
        alone = warpdex.join_asof(left, right, on="t", by="s")
        assert found[name].to_list() == alone[name].to_list()


@pytest.mark.parametrize("side", ["left", "right", "both"])
@pytest.mark.parametrize("column", ["group", "key"])
@pytest.mark.parametrize("kind", ["string", "dictionary", "integer", "integers and floats", "two columns"])
@pytest.mark.parametrize("strategy", ["backward", "forward", "nearest"])
def test_rows_without_a_group_or_a_key_do_not_end_the_merge(side, column, kind, strategy, monkeypatch):
    random = np.random.default_rng(5)
    by = ["s", "n"] if kind == "two columns" else "s"

    def frame(size, name, has_nulls):
        hidden = random.random(size) < 0.2 if has_nulls else np.zeros(size, bool)
        groups = random.integers(0, 3, size)
        if kind in ("string", "dictionary"):
            groups = pl.Series(np.array(["a", "b", "c"])[groups]).cast(
                pl.String if kind == "string" else pl.Categorical
            )
        elif kind == "integers and floats" and name == "r":
            groups = groups / 2  # of which half equal no integer
        result = pl.DataFrame(
            {"t": np.sort(random.integers(0, 99, size)), "s": groups, "n": np.arange(size) % 2, name: range(size)}
        )
        which = "s" if column == "group" else "t"
        return result.with_columns(pl.when(pl.Series(~hidden)).then(pl.col(which)).otherwise(None))

    left, right = frame(80, "l", side != "right"), frame(60, "r", side != "left")
    expected = [match(row, right.rows(named=True), by, strategy) for row in left.rows(named=True)]

    def refuse(*given):
        raise AssertionError("an index is built")

    monkeypatch.setattr(_core, "GroupedIndex", refuse)
    found = warpdex.join_asof(left, right, on="t", by=by, strategy=strategy)
    assert found["r"].to_list() == expected
    if strategy == "backward":
        assert warpdex.point_in_time(left, {"x": right}, on="t", by=by)["r"].to_list() == expected


def match(row, others, by, strategy):
    """The right row of a left one."""
    names = [by] if isinstance(by, str) else by
    keys = [row[name] for name in ("t", *names)]
    if None in keys:
        return None
    near = [
        one
        for one in others
        if one["t"] is not None
        and all(one[name] == row[name] for name in names)
        and (strategy != "backward" or one["t"] <= row["t"])
        and (strategy != "forward" or one["t"] >= row["t"])
    ]
    if not near:
        return None
    least = min(abs(one["t"] - row["t"]) for one in near)
    best = max(one["t"] for one in near if abs(one["t"] - row["t"]) == least)
    rows = [one["r"] for one in near if one["t"] == best]
    return rows[0] if strategy == "forward" else rows[-1]


@pytest.mark.parametrize("how", ["inner", "left", "semi", "anti", "right", "full"])
def test_joins_on_keys_that_ascend_but_for_nulls(how):
    random = np.random.default_rng(6)
    left, right = (
        pl.DataFrame({"k": np.sort(random.integers(0, 40, size)), name: range(size)}).with_columns(
            pl.when(pl.Series(random.random(size) < rate)).then(pl.col("k")).otherwise(None)
        )
        for size, name, rate in ((80, "l", 0.8), (60, "r", 0.7))
    )
    for one, two in ((left, right), (left.drop_nulls(), right), (left, right.drop_nulls())):
        expected = one.join(two, on="k", how=how, maintain_order="left_right")
        result = warpdex.join(one, two, "k", how, maintain_order="left_right")
        assert result.sort(result.columns).equals(expected.select(result.columns).sort(result.columns))


def shared_dictionaries():
    """Columns in chunks that share their dictionary."""
    words = [f"a long word of number {number:06d}" for number in range(50)]
    pieces = [pl.Series(words[begin : begin + 20]).cast(pl.Enum(words)) for begin in (0, 5, 30)]
    yield pl.concat(pieces, rechunk=False)
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        codes = pa.DictionaryArray.from_arrays(pa.array([4, None, 7, 49, 0, 7]), pa.array(words, kind))
        yield pa.chunked_array([codes.slice(0, 2), codes.slice(2, 3), codes.slice(5)])


def test_chunks_that_share_a_dictionary_share_its_words():
    for column in shared_dictionaries():
        plain = column.to_list() if isinstance(column, pl.Series) else column.to_pylist()
        values = _core.read_plain(column, "column", None, None)
        assert len(values.parts) == 3 and len({id(part.column) for part in values.parts}) == 1
        chunks = _core.read_arrow(column)
        assert len({id(chunk[4]) for chunk in chunks}) == 1
        index = warpdex.Index(sorted(set(filter(None, plain))))
        rows = np.asarray(index.find(column).fill_null(-1))
        assert rows.tolist() == index.find(plain).tolist()


def test_a_dictionary_of_several_chunks_outlives_them():
    words = pa.array([f"word {number}" for number in range(30)])
    codes = pa.DictionaryArray.from_arrays(pa.array(np.arange(3000) % 30), words)
    parts = _core.read_arrow(in_chunks(codes, 3000))
    other = pa.DictionaryArray.from_arrays(pa.array([1]), pa.array(words.to_pylist()[::-1]))
    last = _core.read_arrow(pa.chunked_array([codes.slice(0, 1), other, codes.slice(1, 1)]))[2]
    text = bytes(parts[-1][4][2][0])
    del codes, words, parts[:-1]
    gc.collect()
    assert bytes(parts[0][4][2][0]) == bytes(last[4][2][0]) == text == "".join(f"word {n}" for n in range(30)).encode()


def test_a_dictionary_of_decimals_is_read_once(monkeypatch):
    numbers = [Decimal(number) / 4 for number in range(5)]
    codes = pa.DictionaryArray.from_arrays(pa.array([3, 1, 4, None, 0]), pa.array(numbers))
    index = warpdex.Index(pa.array(numbers))
    read = []
    monkeypatch.setattr(arrays, "arrow_decimals", lambda *given: (read.append(1), arrow_decimals(*given))[1])
    assert index.find(in_chunks(codes, 3)).to_pylist() == [3, 1, 4, None, 0]
    assert len(read) == 1


@pytest.mark.parametrize("piece", [3, 16, 1 << 22])
def test_short_chunks_of_numbers_are_put_together(piece, monkeypatch):
    monkeypatch.setattr(calls, "PIECE", piece)
    random = np.random.default_rng(piece)
    for kind in (np.int32, np.int64, np.uint64, np.float32, np.float64):
        keys = random.integers(0, 40, 60).astype(kind)
        probes = pa.array(random.integers(0, 50, 200).astype(kind), mask=random.random(200) < 0.2)
        cuts = [0, *np.sort(random.integers(0, 201, 12)).tolist(), 200]  # some chunks are empty
        chunks = pa.chunked_array([probes.slice(begin, end - begin) for begin, end in zip(cuts, cuts[1:])], probes.type)
        others = in_chunks(probes, 7)
        index = warpdex.Index(keys, "AO+BS")
        grouped = warpdex.GroupedIndex(keys.astype(np.int64) % 3, keys)
        groups = pa.array(random.integers(0, 3, 200))
        for name in ("find", "contains", "count", "floor", "ceil", "join_asof", "join"):
            ask = getattr(index, name)
            assert as_lists(ask(chunks)) == as_lists(ask(probes)), name
        assert as_lists(index.range_count(chunks, others)) == as_lists(index.range_count(probes, probes))
        assert as_lists(index.range_retrieve(chunks, others)) == as_lists(index.range_retrieve(probes, probes))
        found = [grouped.join_asof(a, b).to_pylist() for a, b in ((in_chunks(groups, 9), chunks), (groups, probes))]
        assert found[0] == found[1]
        words, right = pa.array((["a", "b", None] * 67)[:200]), pa.table({"p": keys, "w": ["a", "b"] * 30})
        sides = [pa.table({"p": one, "w": words}) for one in (chunks, probes)]
        for nulls_equal in (False, True):
            result = [warpdex.join(side, right, ["p", "w"], "left", nulls_equal=nulls_equal) for side in sides]
            assert result[0].to_pydict() == result[1].to_pydict()


def as_lists(found):
    columns = found if isinstance(found, tuple) else (found,)
    return [np.asarray(one).tolist() if isinstance(one, np.ndarray) else one.to_pylist() for one in columns]


def test_a_column_in_short_chunks_is_one_piece():
    index = warpdex.Index(np.arange(50))
    told = []
    index.find(in_chunks(pa.array(np.arange(205)), 41), progress=told.append)
    assert told == [1.0]
    told.clear()
    index.find(in_chunks(pa.array(np.arange(205)).dictionary_encode(), 41), progress=told.append)
    assert len(told) == 41  # a dictionary is looked up once, and its codes where they are


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(WORDS)])
def test_categories_of_polars_have_one_dictionary(kind):
    column = pl.concat([pl.Series("s", [word, None], kind) for word in WORDS], rechunk=False)
    read = values.read(column, "column")
    assert column.n_chunks() == len(WORDS) and len(read.parts) == 1
    found = warpdex.Index(WORDS).find(column)
    assert found.name == "s" and found.to_list() == [row for number in range(len(WORDS)) for row in (number, None)]


@pytest.mark.parametrize("library", ["Polars", "pyarrow"])
def test_rows_of_batches_are_gathered_from_one_chunk(library, monkeypatch):
    left, right = table(LEFT, "l", 4, False), table(RIGHT, "r", 6, True)
    of = tables._Polars if library == "Polars" else tables._PyArrow
    take, seen = of.take, []

    def seeing(self, names, rows):
        if "r" in self.names and len(self):
            column = self.column("r")
            seen.append(column.n_chunks() if library == "Polars" else column.num_chunks)
        return take(self, names, rows)

    expected = rows_in(warpdex.join(left, right, "t"))
    monkeypatch.setattr(of, "take", seeing)
    if library == "Polars":
        frames = [pl.from_arrow(one, rechunk=False) for one in (left, right)]
        result = [warpdex.join(frames[0].lazy(), one, "t").collect() for one in (frames[1], frames[1].lazy())]
    else:
        result = [warpdex.join(left.to_reader(), right, "t").read_all()]
    assert seen and set(seen) == {1}
    assert all(rows_in(one) == expected for one in result)
