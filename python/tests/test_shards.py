# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""An index over several places answers as one in one place. Here the places are parts of the CPU."""

import numpy as np
import pyarrow as pa
import pytest

import warpdex
from warpdex import Index
from warpdex.devices import Pieces

RANDOM = np.random.default_rng(20260917)
COLUMNS = {
    "integers": RANDOM.integers(-500, 500, 2000),
    "floats": RANDOM.normal(size=1500).round(1),
    "strings": [f"key {number}" for number in RANDOM.integers(0, 400, 1000)],
    "times": np.datetime64("2026-01-01", "s") + RANDOM.integers(0, 900, 1200),
    "nulls": [None if number % 7 == 0 else int(number) for number in RANDOM.integers(0, 300, 900)],
}


def both(keys, spec="AO+BS", placement="range", devices=("cpu",) * 3):
    return Index(keys, spec), Index(keys, spec, devices=devices, placement=placement)


@pytest.mark.parametrize("placement", ["range", "replicate", "auto"])
@pytest.mark.parametrize("name", COLUMNS)
def test_answers_are_those_of_one_index(name, placement):
    keys = COLUMNS[name]
    one, several = both(keys, placement=placement)
    assert len(several) == len(one) and several.spec == one.spec
    probes = keys[::3]
    for method in ("find", "contains", "count", "lower_bound", "upper_bound", "floor", "ceil"):
        if name == "nulls" and "bound" in method:
            continue
        np.testing.assert_array_equal(getattr(several, method)(probes), getattr(one, method)(probes))
    for got, want in zip(several.retrieve(probes), one.retrieve(probes)):
        np.testing.assert_array_equal(got, want)
    low, high = probes[:100], probes[100:200]
    if name != "nulls":
        np.testing.assert_array_equal(several.range_count(low, high), one.range_count(low, high))
        ranks = RANDOM.integers(0, len(one), 50)
        np.testing.assert_array_equal(several.keys_at(ranks), one.keys_at(ranks))
        np.testing.assert_array_equal(several.rows_at(ranks), one.rows_at(ranks))


def test_hash_tables_are_divided_by_keys():
    one, several = both(COLUMNS["integers"], "HT(open)")
    np.testing.assert_array_equal(several.find(COLUMNS["integers"]), one.find(COLUMNS["integers"]))
    with pytest.raises(warpdex.errors.Unsupported, match="has no order"):
        several.floor([1])


def test_rows_and_updates():
    keys = np.arange(100, dtype=np.uint32)
    index = Index(keys, "B+(16)", keys[::-1].astype(np.int32), devices=["cpu", "cpu"], placement="range")
    assert index.find([0, 99]).tolist() == [99, 0]
    assert index.insert(np.array([200, 7], np.uint32), [1, 2]) == (2, 0, 0)
    assert index.erase(np.array([50], np.uint32)) == (0, 1, 0)
    assert index.count([7, 50, 200]).tolist() == [2, 0, 1]
    assert index.upper_bound([1000]).tolist() == [101]
    with pytest.raises(warpdex.errors.InvalidArgument):
        index.insert(np.array([1, 2], np.uint32), [1])
    assert len(index) == 101


def test_nulls_and_wide_rows():
    one, several = both(pa.array([7, None, 5]), "AO+BS/rows=u64")
    assert several.spec == one.spec
    found = several.find([5, 6, 7])
    assert found.tolist() == [2, -1, 0] and found.dtype == np.int64


def test_a_folder_keeps_the_kind_of_keys(tmp_path):
    one, several = both(COLUMNS["times"])
    folder = tmp_path / "index"
    several.save(folder)
    for devices in (["cpu"], ["cpu"] * 5):
        loaded = Index.load(folder, devices=devices)
        assert loaded.devices == ["cpu"] * 3
        np.testing.assert_array_equal(loaded.find(COLUMNS["times"]), one.find(COLUMNS["times"]))
        assert loaded.keys_at([0]).dtype.kind == "M"
    np.testing.assert_array_equal(Index.load(folder).count(COLUMNS["times"]), one.count(COLUMNS["times"]))
    for file in folder.glob("shard-*-1.wdx"):
        file.unlink()
    with pytest.raises(warpdex.errors.FileError, match="shard 1 of 3"):
        Index.load(folder)


@pytest.mark.parametrize("shards", [1, 2, 5, np.int64(9)])
@pytest.mark.parametrize("name", COLUMNS)
def test_there_may_be_more_shards_than_devices(name, shards, tmp_path):
    keys = COLUMNS[name]
    one, several = Index(keys, "AO+BS"), Index(keys, "AO+BS", devices=["cpu"] * 2, placement="range", shards=shards)
    assert len(several.devices) == shards and f"shard {shards - 1} on the host" in several.explain()
    several.save(tmp_path / "index")
    for index in (several, Index.load(tmp_path / "index", devices=["cpu"] * 7)):
        assert len(index.devices) == shards
        np.testing.assert_array_equal(index.find(keys), one.find(keys))
        for got, want in zip(index.retrieve(keys[:99]), one.retrieve(keys[:99])):
            np.testing.assert_array_equal(got, want)


def test_more_shards_than_keys():
    index = Index([7, 7, 5], "AO+BS", [4, 2, 9], devices=["cpu"], placement="range", shards=6)
    assert index.find([5, 7, 9]).tolist() == [9, 2, -1] and index.upper_bound([7]).tolist() == [3]
    assert index.insert([6], [1]) == (1, 0, 0) and index.keys_at([1]).tolist() == [6]


@pytest.mark.parametrize("shards", [0, -1, 2.5, "2", 1 << 32, 70000])
def test_wrong_numbers_of_shards(shards):
    with pytest.raises(warpdex.errors.InvalidArgument, match=f"shards is {shards!r}|70000 shards; at most 65536"):
        Index([1, 2], devices=["cpu"], placement="range", shards=shards)


def test_shards_need_devices_and_intervals():
    with pytest.raises(warpdex.errors.InvalidArgument, match="shards is 2.*goes with devices"):
        Index([1, 2], shards=2)
    with pytest.raises(warpdex.errors.InvalidArgument, match="placement is 'range'; it goes with devices"):
        Index([1, 2], placement="range")
    with pytest.raises(warpdex.errors.InvalidArgument, match="5 shards in 2 places"):
        Index([1, 2], devices=["cpu", "cpu"], placement="replicate", shards=5)


def test_explain_names_the_shards():
    text = Index(COLUMNS["integers"], devices=["cpu", "cpu"], placement="range").explain()
    assert "range over 2 places: as asked" in text and "shard 1 on the host" in text


@pytest.mark.parametrize(
    "options",
    [
        {"devices": []},
        {"devices": "cpu"},
        {"devices": ["cpu", "cuda:99"]},
        {"devices": ["cpu"], "device": "cpu"},
        {"devices": ["cpu"], "placement": "hash"},
        {"devices": 3},
    ],
)
def test_wrong_devices(options):
    with pytest.raises(warpdex.errors.InvalidArgument, match="device|place"):
        Index([1, 2], **options)


def test_what_needs_one_place_says_so():
    index = Index([1, 2, 3], devices=["cpu", "cpu"])
    with pytest.raises(warpdex.errors.Unsupported, match="spread over several"):
        index.to_bytes()


@pytest.mark.parametrize("placement", ["range", "replicate"])
@pytest.mark.parametrize("strategy", ["backward", "forward"])
def test_pairs_of_the_nearest_strings(strategy, placement):
    words = [f"{number:03}" for number in RANDOM.integers(0, 300, 500)]
    probes = [f"{number:03}" for number in RANDOM.integers(-50, 400, 400)]
    one, several = both(words, placement=placement)
    for options in ({}, {"allow_exact_matches": False}):
        for got, want in zip(*(index.join_asof(probes, strategy, ties="all", **options) for index in (several, one))):
            np.testing.assert_array_equal(np.sort(got), np.sort(want))


def in_pieces(column, sizes):
    """Pieces of a column of these sizes, of which the last one has the rest."""
    edges = [0, *np.cumsum(sizes).tolist(), len(column)]
    return [column[begin:end] for begin, end in zip(edges, edges[1:])]


@pytest.mark.parametrize("placement", ["range", "replicate", "auto"])
@pytest.mark.parametrize("name", ["integers", "floats", "times"])
def test_keys_and_probes_in_pieces(name, placement):
    keys = COLUMNS[name]
    one = Index(keys, "AO+BS")
    several = Index(Pieces(in_pieces(keys, [700, 0])), "AO+BS", devices=["cpu"] * 3, placement=placement)
    assert len(several) == len(one) and several.spec == one.spec
    beyond = keys[:50] + (keys.max() - keys.min())
    probes = in_pieces(np.concatenate([keys[::3], beyond]), [100, 0])
    for method in ("find", "contains", "count", "lower_bound", "upper_bound", "floor", "ceil"):
        found = getattr(several, method)(Pieces(probes))
        assert len(found) == 3
        for got, piece in zip(found, probes):
            expected = getattr(one, method)(piece)
            np.testing.assert_array_equal(got, expected)
            assert got.dtype == expected.dtype
    lower, upper = (in_pieces(side, [9, 400]) for side in np.sort(RANDOM.choice(keys, (2, 500)), axis=0))
    for closed in ("both", "left", "none"):
        found = several.range_count(Pieces(lower), Pieces(upper), closed)
        for got, low, high in zip(found, lower, upper):
            np.testing.assert_array_equal(got, one.range_count(low, high, closed))
    for got, low, high in zip(several.equal_range(Pieces(lower), Pieces(upper)), lower, upper):
        np.testing.assert_array_equal(got, one.equal_range(low, high))


def test_pieces_of_other_kinds():
    one = Index(COLUMNS["strings"], "AO+BS")
    several = Index(COLUMNS["strings"], "AO+BS", devices=["cpu", "cpu"], placement="range")
    words = ["key 7", "none", "key 300"]
    probes = Pieces([pa.array([*words, None]).dictionary_encode(), words[1:]])
    found, listed = several.find(probes)
    assert found.to_pylist() == [None if row < 0 else row for row in one.find([*words, None]).tolist()]
    assert listed.tolist() == one.find(words[1:]).tolist()
    numbers = Index(Pieces([[5, 7], [6]]), "AO+BS", devices=["cpu", "cpu"])
    found = numbers.find(Pieces([[5.0, 6.5, None], np.array([2**63, 6], np.uint64)]))
    assert [one.tolist() for one in found] == [[0, -1, -1], [-1, 2]]
    found = numbers.lower_bound(Pieces([[5.5, 99.0], np.array([2**63], np.uint64)]))
    assert [one.tolist() for one in found] == [[1, 3], [3]]


def test_bad_pieces():
    several = Index(Pieces([[5, 7], [6]]), "AO+BS", devices=["cpu", "cpu"])
    two = Pieces([[5], [6]])
    for call, kind, words in (
        (lambda: Pieces(5), warpdex.errors.KeyTypeError, "pieces is 5; it must be a list of columns"),
        (lambda: Index(two), warpdex.errors.InvalidArgument, "keys are in pieces, which need devices"),
        (lambda: Index(two, rows=[1, 2], devices=["cpu"]), warpdex.errors.InvalidArgument, "rows go with one column"),
        (lambda: Index(Pieces([]), devices=["cpu"]), warpdex.errors.InvalidArgument, "keys has no pieces"),
        (lambda: Index(Pieces([[1], [None]]), devices=["cpu"]), warpdex.Error, "piece 1 of keys"),
        (
            lambda: Index(Pieces([[1], [2, None]]), devices=["cpu"]),
            warpdex.errors.InvalidArgument,
            "piece 1 of keys may hold",
        ),
        (
            lambda: Index(Pieces([[1], [2.5]]), devices=["cpu"]),
            warpdex.errors.KeyTypeError,
            "piece 1 of keys is of type float",
        ),
        (lambda: Index(Pieces([["a"], ["b"]]), devices=["cpu"]), warpdex.Error, "come in one piece"),
        (
            lambda: Index([5, 6]).find(two),
            warpdex.errors.InvalidArgument,
            "probes in pieces need an index over several devices",
        ),
        (lambda: several.find(Pieces([[5]])), warpdex.errors.InvalidArgument, "find: 1 pieces of probes for 2 places"),
        (lambda: several.find(Pieces([[5], ["x"]])), warpdex.errors.KeyTypeError, "probes"),
        (lambda: several.lower_bound(Pieces([[5], [None]])), warpdex.errors.InvalidArgument, "null"),
        (lambda: several.retrieve(two), warpdex.errors.Unsupported, "retrieve takes no pieces"),
        (
            lambda: several.range_count(two, [1]),
            warpdex.errors.InvalidArgument,
            "lower and upper must be in as many pieces",
        ),
        (lambda: several.range_count(two, Pieces([[1]])), warpdex.errors.InvalidArgument, "lower and upper must be"),
        (
            lambda: several.find(two, out=np.zeros(2, np.int32)),
            warpdex.errors.InvalidArgument,
            "out, stream, threads and",
        ),
        (lambda: several.join(two), warpdex.errors.KeyTypeError, "probes"),
        (lambda: several.insert(two, [1, 2]), warpdex.errors.KeyTypeError, "keys"),
        (lambda: warpdex.devices.measured_links(0), warpdex.errors.InvalidArgument, "nbytes is 0"),
    ):
        with pytest.raises(kind, match=words) as caught:
            call()
        assert "\n" not in str(caught.value)
    assert several.find([5, 6, 7]).tolist() == [0, 2, 1]


def test_updates_after_pieces():
    several = Index(Pieces([np.arange(50), np.arange(50, 80)]), "HT(open)", devices=["cpu", "cpu"], placement="range")
    assert several.erase([3, 77]) == (0, 2, 0)
    assert [one.tolist() for one in several.contains(Pieces([[3, 4], [76, 77]]))] == [[False, True], [True, False]]
