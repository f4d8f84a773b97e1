# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Tables that offer Arrow's device interface alone, against the same joins of pyarrow's tables. With a device their
columns are there too."""

import decimal

import numpy as np
import pyarrow as pa
import pytest

import warpdex
from warpdex import _core
from warpdex.frames.arrays import DeviceTable


class OnlyArrow:
    """A table of a library that offers this interface, and nothing else."""

    def __init__(self, held):
        self.held = held

    def __arrow_c_device_array__(self, requested_schema=None, **kwargs):
        return self.held.__arrow_c_device_array__()


def on_host(batch):
    return OnlyArrow(batch)


def on_device(batch):
    """A copy on the first device: all rows, taken there."""
    cores = [core for _, core in _core.ArrowColumn.read(batch, 0).columns()]
    result = _core.ArrowColumn.take(cores, np.arange(len(batch)), False, 0, 0)
    return OnlyArrow(_core.ArrowColumn.table(list(zip(batch.column_names, result)), len(batch), 0))


@pytest.fixture(params=["host", "device"])
def move(request):
    if request.param == "device" and _core.device_count() == 0:
        pytest.skip("no CUDA device")
    return on_host if request.param == "host" else on_device


def copied(array):
    """An array of a device as one of NumPy."""
    import cupy

    return cupy.asarray(array).get()


def listed(core):
    """The values of a column."""
    if core.device < 0:

        class Host:
            def __arrow_c_array__(self, requested_schema=None):
                return core.host_array()

        return pa.array(Host())
    format, size, values, valid = _core.read_device_arrow(core, 0)
    bits = np.ones(size, bool)
    if valid is not None:
        bits = np.unpackbits(copied(valid[0]), bitorder="little").astype(bool)[valid[1] : valid[1] + size]
    if isinstance(values, tuple):
        bytes, offsets = copied(values[0]).tobytes(), copied(values[1])
        found = [bytes[one:two].decode() for one, two in zip(offsets, offsets[1:])]
        return pa.array([one if there else None for one, there in zip(found, bits)], pa.string())
    return pa.array(copied(values), mask=~bits)


def expect_equal(found, expected):
    assert isinstance(found, DeviceTable) and found.column_names == expected.column_names
    assert len(found) == len(expected)
    on_host = found.device == "cpu"
    for name, core in _core.ArrowColumn.read(found, 0).columns():
        other = expected[name].combine_chunks()
        if on_host:
            mine = listed(core)
            mine.validate(full=True)
            assert mine.type == other.type, name
            assert mine.equals(other) or mine.to_pylist() == other.to_pylist(), name
        elif core.format in ("i", "l", "g", "u"):
            assert listed(core).to_pylist() == other.to_pylist(), name


def random_batch(rng, size, prefix, wide=True):
    def nulls(values, share=0.2):
        return pa.array([None if rng.random() < share else one for one in values])

    columns = {
        "key": nulls(rng.integers(0, 20, size).tolist()).cast(pa.int64()),
        "group": pa.array(rng.integers(0, 4, size).astype(np.int32)),
        "time": pa.array(np.sort(rng.integers(0, 1000, size))),
        prefix + "price": nulls(rng.random(size).tolist()).cast(pa.float64()),
        prefix + "word": nulls([f"w{one}" * (one % 4) for one in rng.integers(0, 30, size)]).cast(pa.string()),
    }
    if wide:
        columns |= {
            prefix + "flag": nulls((rng.integers(0, 2, size) > 0).tolist()).cast(pa.bool_()),
            prefix + "byte": pa.array(rng.integers(0, 200, size).astype(np.uint8)),
            prefix + "short": nulls(rng.integers(0, 99, size).tolist()).cast(pa.int16()),
            prefix + "half": pa.array(rng.random(size).astype(np.float16)),
            prefix + "when": pa.array(rng.integers(0, 10**15, size)).cast(pa.timestamp("us", "Asia/Tokyo")),
            prefix + "day": nulls(rng.integers(0, 9999, size).tolist()).cast(pa.int32()).cast(pa.date32()),
            prefix + "cost": pa.array(
                [decimal.Decimal(int(one)).scaleb(-2) for one in rng.integers(-9999, 9999, size)], pa.decimal128(20, 2)
            ),
            prefix + "id": pa.array([rng.bytes(16) for _ in range(size)], pa.binary(16)),
            prefix + "raw": pa.array([rng.bytes(one % 7) for one in range(size)], pa.large_binary()),
        }
    return pa.record_batch(columns)


def sides(rng, left, right, cut):
    one, two = random_batch(rng, left + cut, "l_"), random_batch(rng, right + cut, "r_")
    return one.slice(cut), two.slice(cut)


def table(batch):
    return pa.Table.from_batches([batch])


SIZES = [(200, 300, 0), (70, 20, 3), (0, 5, 0), (5, 0, 1), (0, 0, 0)]


@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
def test_joins_answer_as_those_of_tables(move, how):
    rng = np.random.default_rng(1)
    for size in SIZES:
        one, two = sides(rng, *size)
        expected = warpdex.join(table(one), table(two), "group", how, coalesce=False if how == "full" else None)
        expect_equal(warpdex.join(move(one), move(two), "group", how), expected)


def test_keys_may_be_null_and_text(move):
    rng = np.random.default_rng(2)
    one, two = sides(rng, 100, 100, 1)
    expect_equal(warpdex.join(move(one), move(two), "key", "left"), warpdex.join(table(one), table(two), "key", "left"))
    options = {"left_on": "l_word", "right_on": "r_word"}
    expect_equal(warpdex.join(move(one), move(two), **options), warpdex.join(table(one), table(two), **options))


@pytest.mark.parametrize("strategy", ["backward", "forward", "nearest"])
@pytest.mark.parametrize("by", [None, "group"])
def test_asof_joins_answer_as_those_of_tables(move, strategy, by):
    rng = np.random.default_rng(3)
    for size in SIZES:
        one, two = sides(rng, *size)
        options = {"on": "time", "by": by, "strategy": strategy, "tolerance": 9}
        expect_equal(
            warpdex.join_asof(move(one), move(two), **options), warpdex.join_asof(table(one), table(two), **options)
        )


@pytest.mark.parametrize("how", ["inner", "left", "semi", "anti"])
@pytest.mark.parametrize("by", [None, "group"])
def test_joins_between_answer_as_those_of_tables(move, how, by):
    rng = np.random.default_rng(4)
    for size in SIZES:
        one, two = sides(rng, *size)
        upper = pa.array(one["time"].to_numpy() + 10)
        one = pa.record_batch({**{name: one[name] for name in one.column_names}, "upper": upper})
        options = ("time", "time", "upper", "both", how)
        found = warpdex.join_between(move(one), move(two), *options, by=by)
        expect_equal(found, warpdex.join_between(table(one), table(two), *options, by=by))


def test_many_tables_at_a_point_in_time(move):
    rng = np.random.default_rng(5)
    one, two = sides(rng, 50, 80, 2)
    three = random_batch(rng, 40, "r_")
    options = {"on": "time", "by": "group"}
    found = warpdex.point_in_time(move(one), {"two": move(two), "three": move(three)}, **options)
    expect_equal(found, warpdex.point_in_time(table(one), {"two": table(two), "three": table(three)}, **options))


def test_windows_answer_as_those_of_tables(move):
    rng = np.random.default_rng(6)
    one, two = sides(rng, 50, 80, 2)
    options = {"on": "time", "by": "group", "before": 9, "after": 9}
    agg = {"r_price": ["mean", "max"], "key": ["sum", "count", "first", "last"], "*": "count"}
    found = warpdex.window(move(one), move(two), agg=agg, **options)
    expect_equal(found, warpdex.window(table(one), table(two), agg=agg, **options))


def test_what_a_join_made_is_joined_again(move):
    rng = np.random.default_rng(7)
    one, two = sides(rng, 60, 60, 0)
    result = warpdex.join(move(one), move(two), "group")
    expected = warpdex.join(table(one), table(two), "group")
    options = {"on": "time", "suffix": "_again"}
    found = warpdex.join_asof(move(one), result, **options)
    expect_equal(found, warpdex.join_asof(table(one), expected, **options))


def test_columns_that_cannot_be_taken_are_refused_or_kept():
    nested = pa.record_batch({"key": [1, 2], "list": [[1], [2, 3]], "word": pa.array(["a", "b"]).dictionary_encode()})
    plain = pa.record_batch({"key": [2, 3], "more": [20, 30]})
    kept = warpdex.join_asof(OnlyArrow(nested), OnlyArrow(plain), on="key")
    result = pa.record_batch(kept)
    assert result["list"].to_pylist() == [[1], [2, 3]] and result["word"].to_pylist() == ["a", "b"]
    assert result["more"].to_pylist() == [None, 20]
    for left, right in ((plain, nested), (nested, plain)):
        with pytest.raises(warpdex.errors.Unsupported, match=r"the column 'list' has Arrow's format \+l"):
            warpdex.join(OnlyArrow(left), OnlyArrow(right), "key")


def test_bad_tables_are_refused():
    good = OnlyArrow(pa.record_batch({"key": [1, 2]}))
    with pytest.raises(warpdex.errors.KeyTypeError, match="a table is a struct"):
        warpdex.join(OnlyArrow(pa.array([1, 2])), good, "key")
    with pytest.raises(
        warpdex.errors.KeyTypeError, match="left is a table of Arrow's device interface, but right is not"
    ):
        warpdex.join(good, pa.table({"key": [1]}), "key")
    with pytest.raises(warpdex.errors.InvalidArgument, match="names the column 'keys'"):
        warpdex.join(good, good, "keys")
    with pytest.raises(warpdex.errors.Unsupported, match="coalesce=False"):
        warpdex.join(good, good, "key", "full", coalesce=True)

    class Broken:
        def __arrow_c_device_array__(self, requested_schema=None, **kwargs):
            return 1, 2

    with pytest.raises(warpdex.errors.KeyTypeError, match="no capsule"):
        warpdex.join(Broken(), good, "key")


def test_tables_outlive_what_they_were_made_of():
    import gc

    result = warpdex.join(OnlyArrow(pa.record_batch({"key": [1, 2]})), OnlyArrow(pa.record_batch({"key": [2]})), "key")
    one, two = pa.record_batch(result), pa.record_batch(result)
    schema = result.__arrow_c_schema__()
    del result
    gc.collect()
    assert one.equals(two) and one.to_pydict() == {"key": [2]} and schema is not None


def test_rows_of_whole_tables(move):
    rng = np.random.default_rng(8)
    batch = random_batch(rng, 90, "").slice(5)
    rows = rng.integers(-1, len(batch), 200)
    expect_equal(warpdex.gather_table(rows, move(batch)), warpdex.gather_table(rows, table(batch)))
    with pytest.raises(warpdex.errors.InvalidArgument, match="rows is 85 at 1, but there are 85 rows"):
        warpdex.gather_table([0, 85], move(batch))
