# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Lookups and updates against NumPy and plain Python."""

import doctest
import importlib
import importlib.metadata
import pathlib
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import warpdex
from warpdex import Index, _core

INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


def random_keys(dtype, size, rng):
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        keys = rng.integers(-50, 50, size).astype(dtype) / 4
        keys[: size // 10] = rng.choice([np.nan, np.inf, -np.inf, -0.0, 0.0], size // 10)
        return keys
    limits = np.iinfo(dtype)
    keys = rng.integers(0, 100, size).astype(dtype)
    if size:
        keys[: size // 10] = rng.choice(np.array([limits.min, limits.max], dtype), size // 10)
    return keys


def check_lookups(index, keys, probes):
    """`keys` and `probes` have one type in which NumPy compares exactly."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    low, high = np.searchsorted(ordered, probes), np.searchsorted(ordered, probes, "right")
    found = high > low
    first = np.append(order, 0)[low]
    np.testing.assert_array_equal(index.find(probes), np.where(found, first, -1))
    np.testing.assert_array_equal(index.contains(probes), found)
    np.testing.assert_array_equal(index.count(probes), high - low)
    np.testing.assert_array_equal(index.lower_bound(probes), low)
    np.testing.assert_array_equal(index.upper_bound(probes), high)
    below = np.searchsorted(ordered, np.append(ordered, 0)[np.maximum(high - 1, 0)])
    np.testing.assert_array_equal(index.floor(probes), np.where(high > 0, np.append(order, 0)[below], -1))
    np.testing.assert_array_equal(index.ceil(probes), np.where(low < len(keys), first, -1))
    offsets, rows = index.retrieve(probes)
    np.testing.assert_array_equal(np.diff(offsets), high - low)
    np.testing.assert_array_equal(rows, np.concatenate([order[a:b] for a, b in zip(low, high)] or [[]]))
    upper = probes[::-1]
    in_range = np.maximum(np.searchsorted(ordered, upper, "right") - low, 0)
    np.testing.assert_array_equal(index.range_count(probes, upper), in_range)
    first, counts = index.equal_range(probes, upper)
    np.testing.assert_array_equal(first, low)
    np.testing.assert_array_equal(counts, in_range)
    offsets, rows = index.range_retrieve(probes, upper)
    np.testing.assert_array_equal(np.diff(offsets), in_range)
    sums = [order[a : a + n].sum() for a, n in zip(low, in_range)]
    np.testing.assert_array_equal(index.range_sum(probes, upper), sums)
    np.testing.assert_array_equal(rows, np.concatenate([order[a : a + n] for a, n in zip(low, in_range)] or [[]]))


@pytest.mark.parametrize("size", [0, 1, 500])
@pytest.mark.parametrize("dtype", INTEGERS + ["f2", "f4", "f8"])
def test_lookups_answer_as_numpy(dtype, size):
    rng = np.random.default_rng(7)
    keys, probes = random_keys(dtype, size, rng), random_keys(dtype, 300, rng)
    check_lookups(Index(keys), keys, probes)
    check_lookups(Index(keys), keys, probes[::3])  # strided
    check_lookups(Index(keys), keys, probes[:0])


@pytest.mark.parametrize("probe_type", INTEGERS)
@pytest.mark.parametrize("key_type", INTEGERS)
def test_integers_of_other_types_compare_exactly(key_type, probe_type):
    rng = np.random.default_rng(8)
    keys, probes = random_keys(key_type, 200, rng), random_keys(probe_type, 100, rng)
    index = Index(keys)
    plain = keys.tolist()
    for i, probe in enumerate(probes.tolist()):
        assert index.count(probes)[i] == plain.count(probe)
        assert index.lower_bound(probes)[i] == sum(key < probe for key in plain)
        assert index.upper_bound(probes)[i] == sum(key <= probe for key in plain)


@pytest.mark.parametrize("dtype", ["S", "U", "O"])
def test_strings_compare_as_bytes(dtype):
    words = ["Grace", "Ada", "Graham", "", "Ada", "Ünal"]
    index = Index(np.array([word.encode() for word in words] if dtype == "S" else words, dtype))
    np.testing.assert_array_equal(index.find(["Ada", "Bob", "", b"Grace"]), [1, -1, 3, 0])
    np.testing.assert_array_equal(index.prefix_count(["Gra", "A", ""]), [2, 2, 6])
    np.testing.assert_array_equal(index.lower_bound(np.array(["B"], "S")), [3])


def test_rows_are_those_given():
    index = Index(np.array([5, 3, 5], np.uint32), rows=np.array([70, 80, 60], np.int64))
    answers = index.find(np.array([5, 3, 4]))
    assert answers.dtype == np.int64
    np.testing.assert_array_equal(answers, [60, 80, -1])


def test_updates():
    index = Index(np.array([1, 2, 3], np.int32))
    assert index.insert([7, 7], [10, 11]) == (2, 0, 0)
    assert index.erase([1, 9]) == (0, 1, 0)
    assert index.insert_or_assign([2], [20]) == (1, 1, 0)
    np.testing.assert_array_equal(index.find([1, 2, 3, 7]), [-1, 20, 2, 10])
    with pytest.raises(ValueError, match="rows reach from 1099511627776 .* /rows=u64 holds more"):
        index.insert([1], [2**40])
    with pytest.raises(ValueError, match="int32"):
        index.insert([2**40], [1])
    with pytest.raises(ValueError, match="rows"):
        index.insert([1, 2], [1])
    assert len(index) == 4


@pytest.mark.parametrize("mmap", [False, True])
def test_save_and_load(tmp_path, mmap):
    keys = np.arange(1000, dtype=np.uint32)[::-1].copy()
    Index(keys).save(tmp_path / "index.wdx")
    check_lookups(Index.load(tmp_path / "index.wdx", mmap), keys, np.arange(1100, dtype=np.uint32))
    with pytest.raises(OSError, match="none.wdx"):
        Index.load(tmp_path / "none.wdx")
    (tmp_path / "bad.wdx").write_bytes(b"bad")
    with pytest.raises(warpdex.errors.FormatError):
        Index.load(tmp_path / "bad.wdx")


@pytest.mark.parametrize(
    "keys", [np.array([5, 3], "M8[ns]"), np.array([5, 3], "m8[us]"), np.array([True, False]), [5, 3]]
)
def test_files_know_times(tmp_path, keys):
    index = Index(keys)
    index.save(tmp_path / "index.wdx")
    for again in (Index.load(tmp_path / "index.wdx"), Index.from_buffer(index.to_bytes())):
        assert again._family == index._family and again.find(keys).tolist() == [0, 1]
    pandas = pytest.importorskip("pandas")
    zoned = pandas.Series(pandas.to_datetime(["2024-01-01", "2024-01-02"], utc=True))
    Index(zoned).save(tmp_path / "zoned.wdx")
    assert Index.load(tmp_path / "zoned.wdx").find(zoned.dt.tz_convert("Asia/Tokyo")).tolist() == [0, 1]
    with pytest.raises(TypeError, match="UTC"):
        Index.load(tmp_path / "zoned.wdx").find(zoned.dt.tz_localize(None))


def test_times():
    days = np.array(["2024-02-29", "NaT", "1969-12-31", "2024-02-29"], "M8[D]")
    index = Index(days)
    np.testing.assert_array_equal(index.find(days), [0, -1, 2, 0])
    np.testing.assert_array_equal(index.count(days), [2, 0, 1, 2])
    np.testing.assert_array_equal(index.contains(days), [True, False, True, True])
    np.testing.assert_array_equal(index.ceil(days), [0, -1, 2, 0])
    np.testing.assert_array_equal(index.find(days.astype("M8[us]")), [0, -1, 2, 0])
    np.testing.assert_array_equal(index.find(np.array(["2024-02-29T01", "2024-02-29T00"], "M8[h]")), [-1, 0])
    assert index.join_asof(np.array(["2024-02-29T01"], "M8[h]")).tolist() == [0]
    with pytest.raises(TypeError, match="datetime64"):
        index.find([1])
    with pytest.raises(TypeError, match="timedelta64"):
        index.find(np.array([1], "m8[D]"))
    with pytest.raises(ValueError, match="null"):
        index.lower_bound(days)
    with pytest.raises(ValueError, match=r"keys\[1\] is null"):
        Index(days, nulls="error")
    spans = Index(np.array([3, 1], "m8[s]"))
    np.testing.assert_array_equal(spans.find(np.array([1000, 2000], "m8[ms]")), [1, -1])


def test_bools():
    index = Index([True, False, True])
    np.testing.assert_array_equal(index.count([False, True]), [1, 2])
    with pytest.raises(TypeError, match="bool"):
        index.find([1])


@pytest.mark.parametrize("how", ["inner", "left", "semi", "anti"])
def test_joins(how):
    rng = np.random.default_rng(9)
    keys, probes = rng.integers(0, 50, 80), rng.integers(0, 100, 60)
    left, right = Index(keys).join(probes, how)
    expected = []
    for i, probe in enumerate(probes):
        rows = np.flatnonzero(keys == probe).tolist()
        if how == "inner":
            expected += [(i, row) for row in rows]
        elif how == "left":
            expected += [(i, row) for row in rows or [-1]]
        elif (how == "semi") == bool(rows):
            expected.append((i,))
    assert sorted(zip(left.tolist(), right.tolist()) if how in ("inner", "left") else zip(left.tolist())) == expected


@pytest.mark.parametrize("direction", ["backward", "forward", "nearest"])
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("later", [True, False])
@pytest.mark.parametrize("tolerance", [None, 0, 3])
def test_asof_joins(direction, exact, later, tolerance):
    rng = np.random.default_rng(10)
    keys, probes = rng.integers(0, 200, 40), rng.integers(-10, 210, 90)
    plain = []
    for probe in probes.tolist():
        best = None
        for row, key in enumerate(keys.tolist()):
            apart = abs(key - probe)
            wrong_side = direction == "backward" and key > probe or direction == "forward" and key < probe
            if wrong_side or key == probe and not exact or tolerance is not None and apart > tolerance:
                continue
            candidate = (apart, -key if later else key, row)
            best = candidate if best is None else min(best, candidate)
        plain.append(-1 if best is None else best[2])
    found = Index(keys).join_asof(
        probes, direction, allow_exact_matches=exact, tolerance=tolerance, prefer="later" if later else "earlier"
    )
    np.testing.assert_array_equal(found, plain)


@pytest.mark.parametrize("direction", ["backward", "forward", "nearest"])
def test_asof_joins_with_all_rows_of_a_key_and_with_offsets(direction):
    random = np.random.default_rng(5)
    keys, probes = random.integers(0, 40, 60), random.integers(-5, 50, 90)
    groups, left_groups = random.integers(0, 3, 60), random.integers(0, 4, 90)
    index, grouped = Index(keys), warpdex.GroupedIndex(groups, keys)
    for one, all_of, same_group in (
        (index.join_asof(probes, direction), index.join_asof(probes, direction, ties="all"), False),
        (
            grouped.join_asof(left_groups, probes, direction),
            grouped.join_asof(left_groups, probes, direction, ties="all"),
            True,
        ),
    ):
        expected = []
        for i, row in enumerate(one):
            tied = keys == keys[row]
            if same_group:
                tied &= groups == left_groups[i]
            expected += [(i, int(at)) for at in np.flatnonzero(tied)] if row >= 0 else [(i, -1)]
        assert list(zip(*(side.tolist() for side in all_of))) == expected
    offsets = [-3, 0, 7]
    moved = np.stack([index.join_asof(probes + by, direction) for by in offsets])
    np.testing.assert_array_equal(index.join_asof(probes, direction, offsets=offsets), moved)
    out = np.empty((3, 90), np.int32)
    assert index.join_asof(probes, direction, offsets=offsets, out=out) is out
    np.testing.assert_array_equal(out, moved)
    moved = np.stack([grouped.join_asof(left_groups, probes + by, direction) for by in offsets])
    np.testing.assert_array_equal(grouped.join_asof(left_groups, probes, direction, offsets=offsets), moved)
    keys.sort()
    probes.sort()
    moved = np.stack([warpdex.joins.asof_merge(probes + by, keys, direction) for by in offsets])
    np.testing.assert_array_equal(warpdex.joins.asof_merge(probes, keys, direction, offsets=offsets), moved)


def test_offsets_of_times_and_wrong_ones():
    seconds = Index(np.array([0, 10, 20], "M8[s]"))
    probes = np.array([9, 10], "M8[s]")
    assert seconds.join_asof(probes, offsets=[np.timedelta64(1, "s"), np.timedelta64(-1, "m")]).tolist() == [
        [1, 1],
        [-1, -1],
    ]
    floats = Index([0.5, 1.5]).join_asof([1.0], "nearest", offsets=[0.25, -0.25, 2])
    assert floats.tolist() == [[1], [0], [1]] and Index([1]).join_asof([1], offsets=[]).shape == (0, 1)
    assert Index(np.array([1, 2], np.uint32)).join_asof(np.array([1], np.uint32), offsets=[-2]).tolist() == [[-1]]
    for error, match, call in (
        (warpdex.errors.KeyTypeError, "offsets is 5", lambda: Index([1]).join_asof([1], offsets=5)),
        (
            warpdex.errors.KeyTypeError,
            "offsets is '1s'; it must be a list",
            lambda: seconds.join_asof(probes, offsets="1s"),
        ),
        (warpdex.errors.KeyTypeError, "offsets is 1, .* timedelta", lambda: seconds.join_asof(probes, offsets=[1])),
        (warpdex.errors.KeyTypeError, "offsets is 1.5", lambda: Index([1]).join_asof([1], offsets=[1.5])),
        (
            warpdex.errors.InvalidArgument,
            "offsets has 9223372036854775808",
            lambda: Index([1]).join_asof([1], offsets=[2**63]),
        ),
        (warpdex.errors.InvalidArgument, "nan", lambda: Index([1.5]).join_asof([1.5], offsets=[np.nan])),
        (warpdex.errors.Unsupported, "offsets", lambda: Index(["a"]).join_asof(["a"], offsets=[1])),
        (warpdex.errors.InvalidArgument, "ties is 'some'", lambda: Index([1]).join_asof([1], ties="some")),
        (warpdex.errors.Unsupported, "ties is 'all'", lambda: Index([1]).join_asof([1], ties="all", offsets=[1])),
        (
            warpdex.errors.InvalidArgument,
            "shape",
            lambda: Index([1]).join_asof([1], offsets=[1], out=np.empty(1, np.int32)),
        ),
        (
            warpdex.errors.Unsupported,
            "between two units",
            lambda: seconds.join_asof(np.array(["1970-01-01T00:00:00.5"], "M8[ms]"), ties="all"),
        ),
    ):
        with pytest.raises(error, match=match):
            call()


def test_bad_joins():
    index = Index([1, 2])
    with pytest.raises(ValueError, match="how is 'outer'; it must be one of 'inner'"):
        index.join([1], "outer")
    with pytest.raises(ValueError, match="strategy is 'up'"):
        index.join_asof([1], "up")
    with pytest.raises(ValueError, match="tolerance"):
        index.join_asof([1], tolerance=-1)
    for tolerance in ("soon", object()):
        with pytest.raises(warpdex.errors.KeyTypeError, match="tolerance is"):
            index.join_asof([1], tolerance=tolerance)
    with pytest.raises(warpdex.errors.KeyTypeError, match="tolerance is 'soon'"):
        Index([1.5]).join_asof([1.5], tolerance="soon")
    with pytest.raises(warpdex.errors.KeyTypeError, match="tolerance"):
        Index(np.array([1], "M8[s]")).join_asof(np.array([1], "M8[s]"), tolerance=np.timedelta64(1, "M"))
    with pytest.raises(TypeError, match="timedelta64"):
        index.join_asof([1], tolerance=np.timedelta64(1, "s"))
    moments = Index(np.array(["2024-01-01T00:00:10"], "M8[s]"))
    late = np.array(["2024-01-01T00:00:13"], "M8[s]")
    assert moments.join_asof(late, tolerance=np.timedelta64(3000, "ms")).tolist() == [0]
    assert moments.join_asof(late, tolerance=np.timedelta64(2, "s")).tolist() == [-1]
    assert moments.join_asof(late, tolerance=np.timedelta64(2500, "ms")).tolist() == [-1]
    assert moments.join_asof(late, tolerance="3s500ms").tolist() == [0]
    between = np.array(["2024-01-01T00:00:12.500"], "M8[ms]")  # two and a half seconds after the key
    assert [moments.join_asof(between, tolerance=span).tolist() for span in ("2s", "2499ms", "2500ms")] == [
        [-1],
        [-1],
        [0],
    ]
    assert moments.join_asof(late, offsets=["-3s", "-4s"]).tolist() == [[0], [-1]]
    with pytest.raises(ValueError, match="offsets .* no number of units"):
        moments.join_asof(late, offsets=["500ms"])


def test_longest_matches():
    words = ["", "com", "com.example", "com.example.www", "org"]
    index = Index(words[1:])
    rng = np.random.default_rng(11)
    probes = ["".join(rng.choice(["com", ".", "example", "www", "org"], 4)) for _ in range(50)] + words
    rows, lengths = index.longest_prefix(probes)
    for probe, row, length in zip(probes, rows.tolist(), lengths.tolist()):
        best = max((w for w in words[1:] if probe.startswith(w)), key=len, default=None)
        assert (row, length) == ((-1, 0) if best is None else (words.index(best) - 1, len(best)))
    with pytest.raises(NotImplementedError):
        Index([1]).longest_prefix([1])


@pytest.mark.parametrize("keys", [[3, 1, 3], [1.5, -2.0], ["b", "a"], np.array([5], "M8[s]")])
def test_pickles(keys):
    keys = np.asarray(keys)
    index = Index(keys, "AO+BS")
    again = pickle.loads(pickle.dumps(index))
    assert again.spec == index.spec
    np.testing.assert_array_equal(again.find(keys), index.find(keys))
    with pytest.raises(warpdex.errors.FormatError):
        _core.from_bytes(index._core.to_bytes()[:-1].copy())


def test_lookups_in_threads_and_an_update_beside_them():
    index = Index(np.arange(1 << 20))
    probes = np.arange(1 << 20)[::-1].copy()
    expected = index.find(probes)
    failures = []

    def ask():
        for _ in range(5):
            try:
                np.testing.assert_array_equal(index.find(probes), expected)
            except warpdex.errors.InvalidArgument as e:
                failures.append(str(e))

    with ThreadPoolExecutor(3) as pool:
        for query in [pool.submit(ask) for _ in range(3)]:
            query.result()
    assert failures == []  # lookups never meet each other
    index.erase([0])
    assert index.find([0]).tolist() == [-1]


def test_out_is_written():
    index = Index(np.arange(10))
    probes, out = np.array([3, 12]), np.empty(2, np.int32)
    assert index.find(probes, out=out, threads=1) is out
    np.testing.assert_array_equal(out, [3, -1])
    with pytest.raises(TypeError, match="out"):
        index.find(probes, out=np.empty(2, np.int64))
    with pytest.raises(ValueError, match="out"):
        index.find(probes, out=np.empty(3, np.int32))
    with pytest.raises(ValueError, match="overlaps"):
        index.count(probes, out=probes)


@pytest.mark.parametrize("probes", [["a"], [1j], np.array([1], ">i8"), [True], np.array([1], "M8[s]")])
def test_bad_probes_are_refused(probes):
    with pytest.raises(warpdex.Error, match="probes"):
        Index([1, 2]).find(probes)


def test_errors_are_those_of_python():
    with pytest.raises(ValueError, match="nonsense"):
        Index([1], "nonsense")
    with pytest.raises(NotImplementedError):
        Index([1], "HT(open)").lower_bound([1])
    with pytest.raises(ValueError):
        Index([1]).range_count([1, 2], [3])


def test_repr_names_spec_and_size():
    index = Index(np.arange(5, dtype=np.uint32), "AO+BS")
    assert "AO+BS" in repr(index) and "5 u32 keys" in repr(index)
    assert index.nbytes >= 40


def test_longest_matches_are_of_the_kind_of_the_probes():
    index = Index(["4", "44", ""])
    rows, lengths = index.longest_prefix("441")
    assert (rows, lengths) == (1, 2) and rows.shape == ()
    pd = pytest.importorskip("pandas")
    rows, lengths = index.longest_prefix(pd.Series(["445", None, "5"], index=[7, 8, 9], name="n"))
    assert rows.index.tolist() == lengths.index.tolist() == [7, 8, 9] and rows.name == "n"
    assert rows.isna().tolist() == lengths.isna().tolist() == [False, True, False]
    assert rows[[7, 9]].tolist() == [1, 2] and lengths[[7, 9]].tolist() == [2, 0]
    pl = pytest.importorskip("polars")
    rows, lengths = Index(["44"]).longest_prefix(pl.Series("n", ["445", None, "5"]))
    assert rows.to_list() == [0, None, None] and lengths.to_list() == [2, None, 0]


def test_the_version_is_that_of_the_distribution():
    assert warpdex.__version__ == importlib.metadata.version("warpdex")


def test_the_readme(tmp_path, monkeypatch):
    readme = (pathlib.Path(__file__).parents[2] / "README.md").read_text()
    assert readme.count("\n") <= 100, "it is a front page"
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(readme.split("```python\n")[1].split("```")[0], names)
    assert names["left"].tolist() == [0, 0, 1] and names["right"].tolist() == [1, 3, -1]
    assert names["rows"].tolist() == [1, 3]
    assert len(Index.load(tmp_path / "ten_to_99.wdx")) == 5


@pytest.mark.parametrize(
    "module",
    [
        "frames.arrays",
        "frames.tables",
        "joins.join",
        "joins.plans",
        "lookups.encoder",
        "lookups.grouped",
        "lookups.index",
        "lookups.indexer",
        "lookups.intervals",
        "lookups.networks",
        "lookups.aggregates",
        "lookups.table",
        "drawing",
        "pandas",
        "polars",
        "duckdb",
        "torch",
    ],
)
def test_docstrings(module, tmp_path, monkeypatch):
    examples = (
        importlib.import_module(f"warpdex.{module}")
        if "." in module
        else pytest.importorskip(f"warpdex.{module}", exc_type=ImportError)
    )
    monkeypatch.chdir(tmp_path)  # some write files
    found = doctest.testmod(examples, extraglobs={"Index": Index, "GroupedIndex": warpdex.GroupedIndex})
    assert found.failed == 0 and found.attempted > 0


PUBLIC = {
    "": [name for name in warpdex.__all__ if name != "Error"],
    ".joins": [name for name in warpdex.joins.__all__ if name[0].islower()],
    ".lookups": ["GroupedAggregates", "Marks", "gather_rows", "parse_addresses", "parse_networks", "prefix_borders"],
    ".devices": ["DeviceTable", "Pieces", "measured_links"],
    ".drawing": ["Drawing"],
    ".pandas": ["merge_asof"],
    ".polars": ["Lookups"],
    ".duckdb": ["Joined", "attach", "detach", "join"],
    ".torch": ["Lookup", "gather_rows"],
    ".ray": ["RayIndex", "build", "join", "join_asof", "join_between", "load", "lookup"],
}


@pytest.mark.parametrize("module", PUBLIC)
def test_each_public_docstring_has_an_example(module):
    owner = pytest.importorskip(f"warpdex{module}", exc_type=ImportError)
    for name in PUBLIC[module]:
        member = getattr(owner, name)
        inside = [getattr(member, one) for one in dir(member) if one[0] != "_"] if isinstance(member, type) else []
        for one in [member, *inside]:
            one = one.fget if isinstance(one, property) else one
            if callable(one) and not (one.__module__ or "").startswith("torch"):  # what a module of Torch inherits
                assert ">>>" in (one.__doc__ or ""), f"{one.__qualname__} has no example"


@pytest.mark.parametrize("strategy", ["backward", "forward", "nearest"])
@pytest.mark.parametrize("ties", ["first", "last", "adjacent"])
def test_which_of_equal_keys_matches(strategy, ties):
    random = np.random.default_rng(6)
    keys, probes = random.integers(0, 40, 90), random.integers(-5, 50, 90)
    found = Index(keys).join_asof(probes, strategy)
    expected = []
    for probe, row in zip(probes.tolist(), found.tolist()):
        rows = np.flatnonzero(keys == keys[row])
        takes_last = ties == "last" or (ties == "adjacent" and keys[row] <= probe and strategy != "forward")
        expected.append(-1 if row < 0 else int(rows[-1 if takes_last else 0]))
    of = np.ones(90, np.int64)
    assert Index(keys).join_asof(probes, strategy, ties=ties).tolist() == expected
    assert warpdex.GroupedIndex(of, keys).join_asof(of, probes, strategy, ties=ties).tolist() == expected
    by_key, by_probe = np.argsort(keys, kind="stable"), np.argsort(probes, kind="stable")
    merged = warpdex.joins.asof_merge(probes[by_probe], keys[by_key], strategy, ties=ties)
    assert np.where(merged < 0, -1, by_key[merged]).tolist() == np.array(expected)[by_probe].tolist()
    with pytest.raises(
        warpdex.errors.InvalidArgument, match="ties is 'any'; it must be 'first', 'last', 'adjacent' or 'all'"
    ):
        Index(keys).join_asof(probes, strategy, ties="any")
    with pytest.raises(warpdex.errors.Unsupported, match="ties is 'all'"):
        warpdex.joins.asof_merge([1], [1], strategy, ties="all")
