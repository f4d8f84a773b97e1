# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Columns of pyarrow, Polars, pandas and other producers of Arrow, in and out."""

import ctypes
import errno
import gc

import numpy as np
import pytest

import warpdex
from warpdex import Index, _core

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")

WORDS = ["Ada", None, "", "a word of more than twelve letters", "Ada", "Grace"]


class Producer:
    """Something that offers an array through the C interface, and nothing else."""

    def __init__(self, array):
        self._array = array

    def __arrow_c_array__(self, requested_schema=None):
        return self._array.__arrow_c_array__(requested_schema)


def plain_find(keys, probes):
    """The first position of each probe that is not null; None for none."""
    places = {}
    for place, key in enumerate(keys):
        places.setdefault(key, place)
    return [None if probe is None else places.get(probe) for probe in probes]


NUMBERS = [
    pa.int8(),
    pa.uint8(),
    pa.int16(),
    pa.uint16(),
    pa.int32(),
    pa.uint32(),
    pa.int64(),
    pa.uint64(),
    pa.float16(),
    pa.float32(),
    pa.float64(),
    pa.date32(),
    pa.date64(),
    pa.time32("s"),
    pa.time32("ms"),
    pa.time64("us"),
    pa.time64("ns"),
    pa.timestamp("s"),
    pa.timestamp("ms"),
    pa.timestamp("us", "Europe/Paris"),
    pa.timestamp("ns"),
    pa.duration("s"),
    pa.duration("us"),
    pa.bool_(),
]


def numbers_of(type, values):
    if pa.types.is_boolean(type):
        return pa.array([None if v is None else v % 2 == 0 for v in values])
    if pa.types.is_float16(type):
        return pa.array([None if v is None else np.float16(v) for v in values], type)
    if pa.types.is_floating(type):
        return pa.array([None if v is None else float(v) for v in values], type)
    if pa.types.is_date64(type):
        return pa.array([None if v is None else v * 86_400_000 for v in values], pa.int64()).cast(type)
    if str(type).endswith("[ns]"):  # Python's own times count microseconds
        values = [None if v is None else v * 1000 for v in values]
    plain = pa.array(values, pa.int32() if type.bit_width == 32 else pa.int64())
    return plain.cast(type) if pa.types.is_integer(type) else plain.view(type)


@pytest.mark.parametrize("type", NUMBERS, ids=str)
def test_numbers_of_all_types(type):
    rng = np.random.default_rng(1)
    keys = [None if rng.random() < 0.1 else int(v) for v in rng.integers(0, 60, 200)]
    probes = [None if rng.random() < 0.1 else int(v) for v in rng.integers(0, 90, 150)]
    key_array, probe_array = numbers_of(type, keys), numbers_of(type, probes)
    expected = plain_find(key_array.to_pylist(), probe_array.to_pylist())
    index = Index(key_array)
    assert index.find(probe_array).to_pylist() == expected
    sliced = index.find(probe_array[7:100])
    assert isinstance(sliced, pa.Array) and sliced.to_pylist() == expected[7:100]
    chunked = pa.chunked_array([probe_array[:3], probe_array[3:3], probe_array[3:90], probe_array[90:]])
    found = index.find(chunked)
    assert isinstance(found, pa.ChunkedArray) and found.to_pylist() == expected
    assert Index(pa.chunked_array([key_array[:50], key_array[50:]])).find(probe_array).to_pylist() == expected
    other = index.find(Producer(probe_array))
    assert pa.array(other).to_pylist() == expected and len(other) == len(expected)


@pytest.mark.parametrize(
    "type",
    [
        pa.utf8(),
        pa.large_utf8(),
        pa.string_view(),
        pa.binary(),
        pa.large_binary(),
        pa.binary_view(),
        pa.dictionary(pa.int8(), pa.utf8()),
        pa.dictionary(pa.uint16(), pa.large_utf8()),
    ],
    ids=str,
)
def test_strings_of_all_layouts(type):
    def made(words):
        if pa.types.is_dictionary(type):
            return pa.array(words).cast(type.value_type).dictionary_encode().cast(type)
        return pa.array(words, pa.utf8()).cast(pa.binary() if "binary" in str(type) else pa.utf8()).cast(type)

    keys, probes = WORDS * 3, ["Grace", None, "nobody", "", "a word of more than twelve letters", "Ada"] * 4
    expected = plain_find(keys, probes)
    index = Index(made(keys))
    assert index.find(made(probes)).to_pylist() == expected
    assert index.find(made(probes)[5:20]).to_pylist() == expected[5:20]
    chunked = pa.chunked_array([made(probes[:4]), made(probes[4:])])
    assert index.find(chunked).to_pylist() == expected
    assert Index(pa.chunked_array([made(keys[:7]), made(keys[7:])])).find(made(probes)).to_pylist() == expected
    assert Index(keys).find(made(probes)).to_pylist() == expected
    assert index.prefix_count(made(["A", "a w"])).to_pylist() == [6, 3]


def test_fixed_binaries_are_strings():
    rng = np.random.default_rng(2)
    keys = [rng.bytes(16) for _ in range(50)]
    index = Index(pa.array(keys, pa.binary(16)))
    probes = [keys[7], None, rng.bytes(16), keys[49]]
    assert index.find(pa.array(probes, pa.binary(16))).to_pylist() == [7, None, None, 49]
    assert index.find(pa.array(keys, pa.binary(16))[10:20]).to_pylist() == list(range(10, 20))


def test_a_dictionary_is_looked_up_once_a_value():
    words = [letter * (1 << 20) for letter in "abc"]  # no memory holds one per code
    codes = np.random.default_rng(1).integers(0, 3, 1 << 20).astype(np.int32)
    missing = np.arange(codes.size) % 7 == 0
    probes = pa.DictionaryArray.from_arrays(pa.array(codes, mask=missing), pa.array(words))
    index = Index([words[2], words[0]])
    row_of = np.array([1, -1, 0])
    expected = np.where(missing, -1, row_of[codes])
    np.testing.assert_array_equal(index.find(probes).fill_null(-1).to_numpy(), expected)
    assert (
        index.floor(probes).fill_null(-1).to_numpy().max() == 1 and index.join_asof(probes).null_count == missing.sum()
    )
    np.testing.assert_array_equal(index.contains(probes).fill_null(False).to_numpy(False), expected >= 0)
    offsets, rows = index.retrieve(probes)
    np.testing.assert_array_equal(np.diff(offsets), expected >= 0)
    np.testing.assert_array_equal(rows, expected[expected >= 0])
    for how, kept in (("inner", expected >= 0), ("left", True), ("semi", expected >= 0), ("anti", expected < 0)):
        left, right = index.join(probes, how)
        np.testing.assert_array_equal(left, np.flatnonzero(kept & np.full(codes.size, True)))
        np.testing.assert_array_equal(right, expected[left] if how in ("inner", "left") else [])


def test_answers_of_all_lookups_are_null_for_nulls():
    index = Index(pl.Series([10, None, 20, 20]))
    probes = pl.Series("p", [20, None, 15])
    for name, expected in {
        "find": [2, None, None],
        "contains": [True, None, False],
        "count": [2, None, 0],
        "lower_bound": [1, None, 1],
        "upper_bound": [3, None, 1],
        "floor": [2, None, 0],
        "ceil": [2, None, 2],
    }.items():
        answers = getattr(index, name)(probes)
        assert isinstance(answers, pl.Series) and answers.name == "p" and answers.to_list() == expected, name
    assert index.range_count(probes, pl.Series([20, 1, None])).to_list() == [2, None, None]
    assert index.join_asof(probes).to_list() == [2, None, 0]
    offsets, rows = index.retrieve(probes)
    assert offsets.tolist() == [0, 2, 2, 2] and rows.tolist() == [2, 3]
    left, right = index.join(probes, "left")
    assert left.tolist() == [0, 0, 1, 2] and right.tolist() == [2, 3, -1, -1]
    assert index.find(pl.Series([None, None])).to_list() == [None, None]
    with pytest.raises(ValueError, match=r"keys\[1\] is null"):
        Index(pl.Series([10, None]), nulls="error")


def test_polars_types():
    words = pl.Series(WORDS)
    for kind in (pl.String, pl.Categorical, pl.Enum(["", "Ada", "Grace", "a word of more than twelve letters"])):
        index = Index(words.cast(kind))
        assert index.find(words.cast(kind)).to_list() == [0, None, 2, 3, 0, 5]
        assert index.find(words).to_list() == [0, None, 2, 3, 0, 5]
    days = pl.Series([1, None, 3]).cast(pl.Date)
    assert Index(days).find(days.cast(pl.Datetime("us"))).to_list() == [0, None, 2]
    assert Index(days).find(pl.concat([days, days], rechunk=False)).to_list() == [0, None, 2] * 2


@pytest.mark.parametrize(
    "dtype",
    [
        "int64",
        "Int64",
        "int64[pyarrow]",
        "Float32",
        "float64",
        "boolean",
        "bool",
        "datetime64[ns]",
        "datetime64[us, UTC]",
        "str",
        "string[pyarrow]",
        "category",
        "string[python]",
        "object",
        "timedelta64[ms]",
    ],
)
def test_pandas_types(dtype):
    rng = np.random.default_rng(3)
    numbers = rng.integers(0, 20, 60)
    if dtype.startswith("datetime64"):
        plain = pd.Series(numbers).astype("datetime64[s]")
        plain = plain.dt.tz_localize("UTC").astype(dtype) if "UTC" in dtype else plain.astype(dtype)
    elif dtype.startswith(("str", "object", "category")):
        plain = pd.Series([f"word {n}" for n in numbers]).astype(dtype)
    elif dtype.startswith("bool"):
        plain = pd.Series(numbers % 2 == 0).astype(dtype)
    elif dtype.startswith("timedelta64"):
        plain = pd.Series(numbers.astype("m8[s]")).astype(dtype)
    else:
        plain = pd.Series(numbers).astype(dtype)
    takes_nulls = dtype not in ("int64", "bool", "float64")
    keys, probes = plain[:40].copy(), plain[20:].rename("probes").copy()
    if takes_nulls:
        keys.iloc[[3, 9]] = None
        probes.iloc[5] = None
    expected = plain_find([None if pd.isna(k) else k for k in keys], [None if pd.isna(p) else p for p in probes])
    found = Index(keys).find(probes)
    assert isinstance(found, pd.Series) and found.name == "probes"
    pd.testing.assert_index_equal(found.index, probes.index)
    assert [None if pd.isna(f) else f for f in found] == expected
    assert isinstance(found.dtype, pd.ArrowDtype) == dtype.endswith("int64[pyarrow]")
    counts = Index(keys).count(probes)
    assert [None if pd.isna(c) else c for c in counts] == [
        None if pd.isna(p) else sum(k == p for k in keys if not pd.isna(k)) for p in probes
    ]


def test_times_between_units_have_their_place():
    seconds = Index(np.array([10, 20, 30], "M8[s]"))
    probes = np.array([10_000, 15_500, 20_001, 29_999, 9_999, 31_000], "M8[ms]")
    fine = Index(np.array([10_000, 20_000, 30_000], "M8[ms]"))
    for name in ("find", "contains", "count", "lower_bound", "upper_bound", "floor", "ceil"):
        np.testing.assert_array_equal(getattr(seconds, name)(probes), getattr(fine, name)(probes), err_msg=name)
    upper = probes + np.timedelta64(10_001, "ms")
    np.testing.assert_array_equal(seconds.range_count(probes, upper), fine.range_count(probes, upper))
    spans = Index(np.array([-2, -1, 0, 1], "m8[s]"))
    odd = np.array([-1500, -999, 500, 1000], "m8[ms]")
    np.testing.assert_array_equal(spans.lower_bound(odd), [1, 2, 3, 3])
    np.testing.assert_array_equal(spans.upper_bound(odd), [1, 2, 3, 4])


def test_time_zones_compare_like_with_like():
    zoned = pa.array([0, 3600], pa.timestamp("s", "Europe/Paris"))
    index = Index(zoned)
    assert index.find(pa.array([3600], pa.timestamp("s", "UTC"))).to_pylist() == [1]
    with pytest.raises(TypeError, match="UTC"):
        index.find(pa.array([3600], pa.timestamp("s")))
    with pytest.raises(TypeError, match="of day"):
        index.find(pa.array([3600], pa.time32("s")))


def test_bad_arrow():
    index = Index([1, 2])
    with pytest.raises(TypeError, match="probes has 2 columns, but the keys are of type integer"):
        index.find(pa.table({"a": [1], "b": [1]}))
    with pytest.raises(TypeError, match="probes: it is a table or a struct"):
        index.find(pa.array([{"a": 1}]))
    with pytest.raises(TypeError, match="probes: nested values are no keys"):
        index.find(pl.Series([{"a": 1}]))
    with pytest.raises(TypeError, match="probes: it is run-end encoded"):
        index.find(pa.RunEndEncodedArray.from_arrays([2], [1]))
    with pytest.raises(TypeError, match="keys is empty and has no type"):
        Index([])
    with pytest.raises(TypeError, match="keys holds nulls alone"):
        Index([None])
    with pytest.raises(TypeError, match="nested"):
        index.find(pa.array([[1]]))
    with pytest.raises(TypeError, match="probes: Arrow's type"):
        index.find(pa.array([1]).cast(pa.decimal256(40, 3)))
    with pytest.raises(TypeError, match="probes has 2 columns"):
        index.find(pd.DataFrame({"a": [1], "b": [1]}))
    with pytest.raises(TypeError, match="strings"):
        index.find(pa.array(["a"]))
    with pytest.raises(TypeError, match="null type"):
        Index(pa.nulls(3))

    for length in (2**32, 2**33 + 7, 2**62):  # whose bytes nobody has, and nobody reads
        offsets = np.array([0, 1, 2])
        for type in (pa.large_string(), pa.large_binary()):
            offsets[2] = 2
            lying = pa.Array.from_buffers(type, 2, [None, pa.py_buffer(offsets), pa.py_buffer(b"ab")])
            offsets[2] = length + 1
            for call in (
                lambda: Index(lying),
                lambda: Index(["a"]).find(lying),
                lambda: Index(["a"]).prefix_count(lying),
            ):
                with pytest.raises(
                    warpdex.errors.InvalidArgument, match=f"it has a string of {length} bytes; a key has at"
                ):
                    call()

    class Used:
        capsules = pa.array([1]).__arrow_c_array__()

        def __arrow_c_array__(self, requested_schema=None):
            return self.capsules

    assert pa.array(index.find(Used())).to_pylist() == [0]
    with pytest.raises(ValueError, match="already consumed"):
        index.find(Used())

    class Broken:
        def __arrow_c_stream__(self, requested_schema=None):
            raise RuntimeError("no stream today")

    with pytest.raises(warpdex.Error, match="probes: no stream today"):
        index.find(Broken())


class FailingStream:
    """A stream of the C interface whose second array does not come."""

    def __init__(self, code):
        pointer, function = ctypes.c_void_p, ctypes.CFUNCTYPE
        given = []

        def get_schema(stream, out):
            pa.int64()._export_to_c(out)
            return 0

        def get_next(stream, out):
            given.append(out)
            if len(given) > 1:
                return code
            pa.array([1])._export_to_c(out)
            return 0

        def release(stream):
            ctypes.cast(stream, ctypes.POINTER(pointer))[3] = None

        self._calls = (
            function(ctypes.c_int, pointer, pointer)(get_schema),
            function(ctypes.c_int, pointer, pointer)(get_next),
            function(ctypes.c_char_p, pointer)(lambda stream: b"the disk is gone"),
            function(None, pointer)(release),
        )
        self._stream = (pointer * 5)(*(ctypes.cast(call, pointer).value for call in self._calls), None)

    def __arrow_c_stream__(self, requested_schema=None):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self._stream), b"arrow_array_stream", None)


@pytest.mark.parametrize(
    "code, kind",
    [
        (errno.EINVAL, ValueError),
        (errno.EIO, OSError),
        (errno.ENOMEM, MemoryError),
        (errno.ENOSYS, NotImplementedError),
    ],
)
def test_a_stream_that_fails_midway(code, kind):
    index = Index([1])
    with pytest.raises(kind, match="probes: an Arrow stream failed: the disk is gone") as raised:
        index.find(FailingStream(code))
    assert isinstance(raised.value, warpdex.Error)
    assert index.find([1]).tolist() == [0]


class LyingStream(FailingStream):
    """A stream of arrays that have more nulls than values, which Python releases."""

    def __init__(self, arrays):
        super().__init__(0)
        pointer, function = ctypes.c_void_p, ctypes.CFUNCTYPE
        self.released = 0
        values = (ctypes.c_int64 * 3)(1, 2, 3)
        buffers = (pointer * 2)(None, ctypes.addressof(values))
        left = list(range(arrays))

        def release(array):
            self.released += 1
            ctypes.cast(array, ctypes.POINTER(pointer))[8] = None

        def get_next(stream, out):
            fields = ctypes.cast(out, ctypes.POINTER(ctypes.c_int64))
            last = not left
            result = (3, 99, 0, 2, 0, ctypes.addressof(buffers), 0, 0, ctypes.cast(kept[0], pointer).value, 0)
            for number, field in enumerate((0,) * 10 if last else result):
                fields[number] = field
            if not last:
                left.pop()
            return 0

        kept = function(None, pointer)(release), function(ctypes.c_int, pointer, pointer)(get_next), buffers, values
        self._calls += kept
        self._stream[1] = ctypes.cast(kept[1], pointer).value


def test_arrays_that_are_refused_on_other_threads_are_released():
    stream = LyingStream(40)
    with pytest.raises(ValueError, match="99 nulls among 3 values"):
        Index([1]).find(stream)
    gc.collect()
    assert stream.released == 40


def test_exported_arrays_outlive_their_index():
    array = pa.array(Index([5, 6]).find(Producer(pa.array([6, 7, None, 5]))))
    gc.collect()
    assert array.to_pylist() == [1, None, None, 0]
    assert pl.Series(_core.ArrowArray(np.array([True, False, True]), np.array([False, False, True]))).to_list() == [
        True,
        False,
        None,
    ]
    assert pl.Series(_core.ArrowArray(np.arange(3, dtype=np.uint64), None)).to_list() == [0, 1, 2]


def test_streams_without_chunks():
    assert Index(pa.chunked_array([], pa.int64())).find([1]).tolist() == [-1]
    assert Index(pa.chunked_array([], pa.dictionary(pa.int8(), pa.utf8()))).find(["a"]).tolist() == [-1]
    assert Index([1]).find(pa.chunked_array([], pa.int8())).to_pylist() == []
    assert Index(["a"]).find(pa.chunked_array([], pa.string_view())).to_pylist() == []
    assert Index([1]).find(pa.chunked_array([], pa.utf8())).to_pylist() == []
    with pytest.raises(TypeError, match="strings"):
        Index([1]).find(pa.chunked_array([[None]], pa.utf8()))


def test_updates_take_arrow():
    index = Index(pl.Series([1, 2]))
    assert index.insert(pl.Series([3, 4]), [2, 3]) == (2, 0, 0)
    assert index.find(pl.Series([4])).to_list() == [3]
    with pytest.raises(ValueError, match=r"keys\[0\] is null"):
        index.erase(pl.Series([None, 1]))
    assert warpdex.Index(pl.Series(["b", "a"])).erase(pl.Series(["a"])) == (0, 1, 0)
