# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Indexes and arrays on CUDA devices, by Torch and CuPy. Skipped without a device.

The answers are compared with those of an index on the CPU, which test_index.py compares with NumPy.
"""

import os
import pickle
import signal
import sys
import time

import numpy as np
import pytest
from device_libraries import CuPy, Torch

import warpdex
from processes import resident_bytes
from warpdex import Index, _core

if _core.device_count() == 0:
    pytest.skip("no CUDA device", allow_module_level=True)

TYPES = ["i4", "i8", "u4", "u8", "f4", "f8"]
PROBES = 1 << 14


@pytest.fixture(params=[Torch, CuPy], ids=["torch", "cupy"], scope="module")
def library(request):
    return request.param()


def some(kind, size, rng):
    kind = np.dtype(kind)
    if kind.kind == "f":
        result = rng.integers(-2000, 2000, size).astype(kind) / 4
        result[: size // 10] = rng.choice([np.nan, np.inf, -np.inf, -0.0, 0.0], size // 10)
        return result
    result = rng.integers(0, 4000, size).astype(kind)
    limits = np.iinfo(kind)
    result[: size // 10] = rng.choice(np.array([limits.min, limits.max], kind), size // 10)
    return result


LOOKUPS = {
    "find": lambda i, p, q: i.find(p),
    "contains": lambda i, p, q: i.contains(p),
    "count": lambda i, p, q: i.count(p),
    "lower_bound": lambda i, p, q: i.lower_bound(p),
    "upper_bound": lambda i, p, q: i.upper_bound(p),
    "floor": lambda i, p, q: i.floor(p),
    "ceil": lambda i, p, q: i.ceil(p),
    "range_count": lambda i, p, q: i.range_count(p, q),
    "range_count_left": lambda i, p, q: i.range_count(p, q, "left"),
    "range_sum": lambda i, p, q: i.range_sum(p, q),
    "nearest": lambda i, p, q: i.join_asof(p, "nearest", tolerance=5, prefer="later"),
    "before": lambda i, p, q: i.join_asof(p, allow_exact_matches=False, ties="adjacent"),
}
LISTS = {
    "retrieve": lambda i, p, q: i.retrieve(p),
    "range_retrieve": lambda i, p, q: i.range_retrieve(p[:300], q[:300]),
    "inner": lambda i, p, q: i.join(p),
    "left": lambda i, p, q: i.join(p, "left"),
    "anti": lambda i, p, q: i.join(p, "anti"),
    "between": lambda i, p, q: i.join_between(p[:300], q[:300], "left", "right"),
}


def check(library, host, device, probes, others):
    here, there = library.array(probes), library.array(others)
    for name, lookup in LOOKUPS.items():
        expected = lookup(host, probes, others)
        found = library.host(lookup(device, here, there))
        assert found.dtype == expected.dtype, name
        np.testing.assert_array_equal(found, expected, name)
    for name, lookup in LISTS.items():
        for found, expected in zip(lookup(device, here, there), lookup(host, probes, others)):
            np.testing.assert_array_equal(library.host(found), expected, name)


@pytest.mark.parametrize("kind", TYPES)
def test_lookups_answer_as_on_the_cpu(library, kind):
    rng = np.random.default_rng(1)
    keys = some(kind, 3000, rng)
    device = Index(library.array(keys))
    assert device.device == "cuda:0" and len(device) == keys.size
    host = Index(keys)
    check(library, host, device, some(kind, PROBES, rng), some(kind, PROBES, rng))
    check(library, host, device, some(kind, 1, rng), some(kind, 1, rng))
    check(library, host, device, some(kind, 0, rng), some(kind, 0, rng))


@pytest.mark.parametrize("probe_kind", ["i1", "i4", "i8", "u1", "u8"])
@pytest.mark.parametrize("kind", ["i4", "u8"])
def test_integers_of_other_types_compare_exactly(library, kind, probe_kind):
    rng = np.random.default_rng(2)
    keys = some(kind, 500, rng)
    probes = rng.integers(np.iinfo(probe_kind).min, np.iinfo(probe_kind).max, 999, probe_kind, endpoint=True)
    host, device = Index(keys), Index(library.array(keys))
    for lookup in (Index.find, Index.lower_bound, Index.upper_bound, Index.floor):
        np.testing.assert_array_equal(library.host(lookup(device, library.array(probes))), lookup(host, probes))


@pytest.mark.parametrize("spec", ["auto", "AO+BS", "HT(open)", "AO+PB+KS(17)", "B+(16)", "PGM"])
def test_structures_and_rows(library, spec):
    rng = np.random.default_rng(3)
    keys = rng.permutation(1 << 16).astype(np.uint32)
    rows = rng.permutation(1 << 16).astype(np.int64)
    host, device = Index(keys, spec, rows), Index(library.array(keys), spec, library.array(rows))
    probes = rng.integers(0, 1 << 17, 1 << 20, np.uint32)  # enough for windows
    found = library.host(device.find(library.array(probes)))
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, host.find(probes))
    with pytest.raises(ValueError, match="rows reach from -2"):
        Index(library.array(keys[:2]), spec, library.array(np.array([5, -2])))


@pytest.mark.parametrize("kind", ["u4", "i8", "f4", "f8"])
@pytest.mark.parametrize("case", ["unique", "repeated", "rows descend", "last descends", "descends early"])
def test_keys_in_order_need_no_sort(library, kind, case):
    size = 1 << 18
    keys = (np.arange(size) // (1 if case == "unique" else 3) - (0 if kind == "u4" else 1000)).astype(kind)
    rows = np.arange(size, dtype=np.int32)
    if case == "rows descend":
        rows = rows[::-1].copy()
    if case == "last descends":
        keys[-1] = keys[0]
    if case == "descends early":
        keys[5] = keys[-1]
    for given in (None, rows):
        host = Index(keys, "AO+BS", given)
        device = Index(library.array(keys), "AO+BS", None if given is None else library.array(given))
        for one, two in zip(device.retrieve(library.array(keys[::7].copy())), host.retrieve(keys[::7])):
            np.testing.assert_array_equal(library.host(one), two)
        np.testing.assert_array_equal(library.host(device.lower_bound(library.array(keys))), host.lower_bound(keys))


def test_bools_and_strided_arrays(library):
    index = Index(library.array(np.array([True, False, True])))
    assert library.host(index.count(library.array(np.array([False, True])))).tolist() == [1, 2]
    probes = np.arange(20)
    index = Index(library.array(probes))
    np.testing.assert_array_equal(library.host(index.find(library.array(probes)[3::4])), probes[3::4])


def test_arrays_of_the_host_ask_an_index_on_a_device(library):
    rng = np.random.default_rng(4)
    keys, probes, others = some("i8", 3000, rng), some("i8", PROBES, rng), some("i8", PROBES, rng)
    host, device = Index(keys), Index(keys, device="cuda:0")
    for lookups in (LOOKUPS, LISTS):
        for name, lookup in lookups.items():
            found, expected = lookup(device, probes, others), lookup(host, probes, others)
            for one, other in zip(*((x,) if isinstance(x, np.ndarray) else x for x in (found, expected))):
                assert isinstance(one, np.ndarray)
                np.testing.assert_array_equal(one, other, name)
    words = [f"word {i % 50}" for i in range(200)]
    host, device = Index(words), Index(words, device="cuda")
    query = ["word 7", "word 70", None, "", "word 49"]
    np.testing.assert_array_equal(device.find(query), host.find(query))
    for found, expected in zip(device.retrieve(query), host.retrieve(query)):
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(device.prefix_count(["word 1", "x"]), host.prefix_count(["word 1", "x"]))
    for found, expected in zip(device.longest_prefix(["word 7!", "wor"]), host.longest_prefix(["word 7!", "wor"])):
        np.testing.assert_array_equal(found, expected)
    times = np.array(["2024-02-29", "NaT", "1969-12-31"], "M8[D]")
    assert Index(times, device="cuda").find(times.astype("M8[us]")).tolist() == [0, -1, 2]
    assert Index([7, 5], device="cuda").get_indexer([5, 6]).tolist() == [1, -1]


def test_out(library):
    keys = np.arange(1000, dtype=np.int32)
    index = Index(library.array(keys))
    probes = library.array(np.array([3, 2000, 5], np.int32))
    out = library.empty(3, "i4")
    assert index.find(probes, out=out) is out
    assert library.host(out).tolist() == [3, -1, 5]
    with pytest.raises(TypeError, match="out has the type i8; the answers are i4"):
        index.find(probes, out=library.empty(3, "i8"))
    with pytest.raises(ValueError, match="out has 4 elements"):
        index.find(probes, out=library.empty(4, "i4"))
    with pytest.raises(TypeError, match="must be there too"):
        index.find(probes, out=np.empty(3, np.int32))
    with pytest.raises(ValueError, match="overlaps"):
        index.find(probes, out=probes)
    assert library.host(probes).tolist() == [3, 2000, 5]


def delayed(library, index, write_on, ask, wait_on):
    """Probes that are written late on one stream, and asked at once, without a wait of the host."""
    wanted = np.arange(PROBES) * 2
    probes, later = library.array(np.full(PROBES, -5)), library.array(wanted)
    ask(probes)  # loads kernels and makes room
    library.synchronize()
    with library.on(write_on):
        library.delay()
        library.write(probes, later)
        found = ask(probes)
        assert not library.is_done(wait_on)  # the host has not waited
    library.synchronize()
    np.testing.assert_array_equal(library.host(found), wanted // 2)


@pytest.mark.parametrize("lookup", [Index.find, Index.floor, Index.join_asof])
def test_a_lookup_follows_writers_on_its_stream(library, lookup):
    index = Index(np.arange(PROBES) * 2, device="cuda")
    side = library.stream()
    with library.on(side):
        lookup(index, library.array(np.zeros(PROBES, np.int64)))
    delayed(library, index, side, lambda probes: lookup(index, probes), side)


@pytest.mark.parametrize("given", ["number", "object"])
def test_a_given_stream_follows_the_current_one(library, given):
    index = Index(np.arange(PROBES) * 2, device="cuda")
    writing, query = library.stream(), library.stream()
    stream = query if given == "object" else library.number(query)
    delayed(library, index, writing, lambda probes: index.find(probes, stream=stream), query)
    out = library.empty(PROBES, "i4")
    delayed(library, index, writing, lambda probes: index.find(probes, out=out, stream=stream), query)


def test_readers_follow_a_lookup(library):
    index = Index(np.arange(PROBES) * 2, device="cuda")
    side = library.stream()
    wanted = library.array(np.arange(PROBES) * 2)
    copy = library.empty(PROBES, "i4")
    with library.on(side):
        library.write(copy, index.find(wanted))
        library.synchronize()
        library.delay()
        library.write(copy, index.find(wanted))
        assert not library.is_done(side)
    library.synchronize()
    np.testing.assert_array_equal(library.host(copy), np.arange(PROBES))


def test_an_index_goes_after_the_lookups_in_it(library):
    wanted = np.arange(PROBES)
    probes = library.array(wanted)
    index = Index(library.array(wanted))
    side = library.stream()
    with library.on(side):
        index.find(probes)
        library.synchronize()
        library.delay()
        found = index.find(probes)
        del index
        other = Index(library.array(wanted[::-1].copy()))  # may take the memory
    library.synchronize()
    np.testing.assert_array_equal(library.host(found), wanted)
    assert len(other) == PROBES


def test_updates(library):
    index = Index(library.array(np.array([1, 2, 3], np.int32)))
    assert index.insert(library.array(np.array([7, 7], np.int32)), library.array(np.array([10, 11]))) == (2, 0, 0)
    assert index.erase([1, 9]) == (0, 1, 0)
    assert index.insert_or_assign(library.array(np.array([2], np.int32)), [20]) == (1, 1, 0)
    assert library.host(index.find(library.array(np.array([1, 2, 3, 7])))).tolist() == [-1, 20, 2, 10]
    with pytest.raises(TypeError, match="keys has the type i8; the index holds i4"):
        index.insert(library.array(np.array([1])), [1])
    with pytest.raises(ValueError, match="rows"):
        index.insert(library.array(np.array([1], np.int32)), [1, 2])
    assert len(index) == 4


def test_copies_and_files(library, tmp_path):
    keys = np.random.default_rng(5).integers(0, 999, 5000)
    probes = np.arange(1100)
    expected = Index(keys).find(probes)
    device = Index(library.array(keys))
    assert device.to("cuda:0") is device and device.to("cuda") is device
    there_and_back = device.to("cpu").to("cuda")
    device.save(tmp_path / "index.wdx")
    for result in (
        device.to("cpu"),
        there_and_back,
        Index.load(tmp_path / "index.wdx"),
        Index.load(tmp_path / "index.wdx", device="cuda"),
        Index.from_buffer(device.to_bytes(), device="cuda"),
        pickle.loads(pickle.dumps(device)),
    ):
        np.testing.assert_array_equal(result.find(probes), expected)
        if result.device != "cpu":
            np.testing.assert_array_equal(library.host(result.find(library.array(probes))), expected)
    assert pickle.loads(pickle.dumps(device)).device == "cuda:0" and "cuda:0" in repr(device)
    assert "advice" in device.explain() and device.is_unique is False


def test_two_devices(library):
    if _core.device_count() < 2:
        pytest.skip("needs two devices")
    keys = np.arange(1000)
    first, second = Index(library.array(keys)), Index(library.array(keys, 1))
    assert (first.device, second.device) == ("cuda:0", "cuda:1")
    for result in (second, first.to("cuda:1"), Index(keys, device="cuda:1")):
        np.testing.assert_array_equal(library.host(result.find(library.array(keys, 1))), keys)
        with pytest.raises(ValueError, match="is on cuda:0, but the index on cuda:1"):
            result.find(library.array(keys))
        np.testing.assert_array_equal(result.retrieve(keys)[1], keys)
    np.testing.assert_array_equal(library.host(first.find(library.array(keys))), keys)


def test_errors(library):
    on_device = library.array(np.array([1, 2]))
    with pytest.raises(ValueError, match=r"is on cuda:0, but the index on cpu; Index.to\('cuda:0'\)"):
        Index([1, 2]).find(on_device)
    index = Index(on_device)
    with pytest.raises(ValueError, match="others do not"):
        index.range_count(on_device, [1, 2])
    np.testing.assert_array_equal(library.host(index.find(library.array(np.array([1.5, 2.0])))), [-1, 1])
    with pytest.raises(ValueError, match="dimensions"):
        index.find(library.array(np.zeros((2, 2), np.int64)))
    with pytest.raises(ValueError, match="lower has 2 values, upper 1"):
        index.range_count(on_device, on_device[:1])
    with pytest.raises(NotImplementedError):
        Index(on_device, "HT(open)").lower_bound(on_device)
    with pytest.raises(ValueError, match="nonsense"):
        Index(on_device, "nonsense")
    with pytest.raises(ValueError, match="devices of CUDA"):
        index.to("cuda:77")
    with pytest.raises(ValueError, match=r"to\('cpu'\)"):
        Index(on_device, device="cpu")
    assert library.host(index.find(on_device)).tolist() == [0, 1]


def test_memory_runs_out():
    library = CuPy()
    runtime = library.cupy.cuda.runtime
    keys = library.array(np.arange(1 << 26))  # 512 MiB
    index = Index(keys[:1000])
    library.cupy.get_default_memory_pool().free_all_blocks()
    held = runtime.malloc(runtime.memGetInfo()[0] - (256 << 20))
    try:
        with pytest.raises(MemoryError):
            Index(keys)
    finally:
        runtime.free(held)
    assert library.host(index.find(keys[:5])).tolist() == [0, 1, 2, 3, 4]
    assert len(Index(keys)) == keys.size


@pytest.mark.parametrize("keys_kind", TYPES)
@pytest.mark.parametrize("probe_kind", ["i4", "u8", "f4"])
def test_searchsorted(library, keys_kind, probe_kind):
    rng = np.random.default_rng(6)
    keys = np.sort(some(keys_kind, 4097, rng))
    probes = some(probe_kind, PROBES, rng)
    for side in ("left", "right"):
        found = library.host(warpdex.searchsorted(library.array(keys), library.array(probes), side))
        np.testing.assert_array_equal(found, warpdex.searchsorted(keys, probes, side))


def test_calls_leak_nothing(library):
    cupy = pytest.importorskip("cupy")
    keys = np.arange(1000)
    index, probes = Index(library.array(keys)), library.array(keys[:64])
    side = library.stream()

    def ask(count):
        for i in range(count):
            index.find(probes)
            index.count(probes, stream=side)
            index.find(keys)
            if i % 8 == 0:
                index.join(probes)
                index.retrieve(probes)
                Index(probes)
                with pytest.raises(TypeError):
                    index.find(["a"])
        library.synchronize()

    ask(1000)
    before = library.used(), cupy.cuda.runtime.memGetInfo()[0], resident_bytes()
    ask(10_000)
    assert library.used() - before[0] < 1 << 20
    assert before[1] - cupy.cuda.runtime.memGetInfo()[0] < 64 << 20
    assert resident_bytes() - before[2] < 16 << 20


@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_child_gets_an_error_and_does_not_hang(library):
    probes = library.array(np.arange(10))
    index = Index(probes)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            index.find(np.arange(10))
        except warpdex.errors.DeviceError as why:
            code = 0 if "fork" in str(why) else 2
        finally:
            del index
            os._exit(code)
    end = time.monotonic() + 60
    while (done := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < end:
        time.sleep(0.01)
    if done == (0, 0):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert done == (child, 0)
    assert library.host(index.find(probes)).tolist() == list(range(10))


def test_host_time_of_a_call(library):
    keys = np.arange(1 << 20, dtype=np.uint32)
    index, probes = Index(keys, device="cuda"), library.array(np.arange(256, dtype=np.int64).astype(np.uint32))
    out = library.empty(256, "i4")
    best = {}
    for name, ask in (("find", lambda: index.find(probes)), ("find with out", lambda: index.find(probes, out=out))):
        for _ in range(20):
            library.synchronize()
            start = time.perf_counter()
            for _ in range(100):
                ask()
            taken = (time.perf_counter() - start) / 100 * 1e6
            best[name] = min(best.get(name, taken), taken)
    library.synchronize()
    print({name: f"{us:.1f} us" for name, us in best.items()}, type(library).__name__, file=sys.stderr)
    assert library.host(out).tolist() == list(range(256))


def test_what_is_no_lookup_of_one_column(library):
    keys = np.sort(np.random.default_rng(1).integers(0, 1 << 20, 5000)).astype(np.uint64)
    host, device = Index(keys, "AO+BS"), Index(keys, "AO+BS", device="cuda:0")
    probes = np.random.default_rng(2).integers(0, 1 << 20, 3000)
    there, upper = library.array(probes), library.array(probes + 99)
    for closed in ("both", "left", "right", "none"):
        for name in ("range_count", "range_sum", "range_retrieve", "equal_range"):
            expected = getattr(host, name)(probes, probes + 99, closed)
            found = getattr(device, name)(there, upper, closed)
            for one, two in zip(found, expected) if isinstance(expected, tuple) else ((found, expected),):
                np.testing.assert_array_equal(library.host(one), two)
        amounts = np.arange(5000)
        np.testing.assert_array_equal(
            warpdex.RangeAggregates(device, library.array(amounts)).in_ranges(there, upper, closed).sum,
            warpdex.RangeAggregates(host, amounts).in_ranges(probes, probes + 99, closed).sum,
        )
        found, expected = (
            warpdex.RangeAggregates(one, values).top_k(low, high, 7, closed)
            for one, values, low, high in (
                (device, library.array(amounts % 99), there, upper),
                (host, amounts % 99, probes, probes + 99),
            )
        )
        for one, two in zip(found, expected):
            np.testing.assert_array_equal(one, two)
    rows, positions = (library.host(one) for one in device.find_unordered(there))
    np.testing.assert_array_equal(rows, host.find(probes)[positions])
    ranks = np.arange(0, 5000, 7)
    np.testing.assert_array_equal(library.host(device.keys_at(library.array(ranks))), host.keys_at(ranks))
    np.testing.assert_array_equal(library.host(device.rows_at(library.array(ranks))), host.rows_at(ranks))
    left, right = (
        library.host(one) for one in warpdex.joins.hash_join(there, library.array(keys.astype(np.int64)), "left")
    )
    expected = warpdex.joins.hash_join(probes, keys.astype(np.int64), "left")
    assert sorted(zip(left.tolist(), right.tolist())) == sorted(zip(*(one.tolist() for one in expected)))
    groups = probes % 7
    nearest = warpdex.GroupedIndex(groups, probes).join_asof(groups, probes + 3, "nearest")
    result = warpdex.GroupedIndex(library.array(groups), there).join_asof(
        library.array(groups), library.array(probes + 3), "nearest"
    )
    np.testing.assert_array_equal(library.host(result), nearest)
    encoder = warpdex.KeyEncoder(["i32", "i32"])
    columns = groups.astype(np.int32), probes.astype(np.int32)
    on_device = encoder.encode([library.array(one) for one in columns])
    found = Index(on_device).find(on_device)
    np.testing.assert_array_equal(library.host(found), Index(encoder.encode(columns)).find(encoder.encode(columns)))


@pytest.mark.parametrize("lookup", ["find", "contains", "count", "floor", "range_count"])
def test_lookups_within_groups_from_both_memories(library, lookup):
    rng = np.random.default_rng(41)
    groups, keys = rng.integers(0, 50, PROBES), rng.integers(-9000, 9000, PROBES)
    of, query = rng.integers(-3, 60, PROBES), rng.integers(-9999, 9999, PROBES)  # some groups and values do not exist
    values = (query, query + 100) if lookup == "range_count" else (query,)
    expected = getattr(warpdex.GroupedIndex(groups, keys), lookup)(of, *values)
    index = warpdex.GroupedIndex(library.array(groups), library.array(keys))
    found = getattr(index, lookup)(library.array(of), *map(library.array, values))
    np.testing.assert_array_equal(library.host(found), expected)
    np.testing.assert_array_equal(getattr(index, lookup)(of, *values), expected)


def test_probes_of_a_narrow_encoder(library):
    rng = np.random.default_rng(42)
    columns = [rng.integers(0, 50, PROBES), rng.integers(-9000, 9000, PROBES)]
    query = [rng.integers(-3, 60, PROBES), rng.integers(-9999, 9999, PROBES)]

    def answers(encoder, place):
        index = Index(encoder.encode([place(one) for one in columns]), "AO+BS")
        of, values = map(place, query)
        return index.contains(encoder.points([of, values])), index.range_count(*encoder.ranges([of], values, values))

    fields = ["i64", "i64"]
    expected = answers(warpdex.KeyEncoder.narrow(fields, columns), np.asarray)
    found = answers(warpdex.KeyEncoder.narrow(fields, [library.array(one) for one in columns]), library.array)
    for one, two in zip(found, expected):
        np.testing.assert_array_equal(library.host(one), two)
