# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Payload of lists, maps and structs, against the same rows taken by pyarrow."""

import random

import pyarrow
import pytest

import warpdex
from warpdex import _core
from warpdex.columns.parts import OnHost


def values_of(kind, size, generator):
    """Random values of a type, some of them null."""

    def one(kind):
        if generator.random() < 0.2:
            return None
        if pyarrow.types.is_fixed_size_list(kind):
            return [one(kind.value_type) for _ in range(kind.list_size)]
        if pyarrow.types.is_map(kind):
            return [(str(number), one(kind.item_type)) for number in range(generator.randrange(4))]
        if pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind):
            return [one(kind.value_type) for _ in range(generator.randrange(4))]
        if pyarrow.types.is_struct(kind):
            return {field.name: one(field.type) for field in kind}
        if pyarrow.types.is_boolean(kind):
            return generator.random() < 0.5
        return "x" * generator.randrange(20) if pyarrow.types.is_large_string(kind) else generator.randrange(100)

    return [one(kind) for _ in range(size)]


KINDS = [
    pyarrow.list_(pyarrow.int16()),
    pyarrow.large_list(pyarrow.large_string()),
    pyarrow.list_(pyarrow.bool_(), 3),
    pyarrow.struct([("a", pyarrow.int64()), ("b", pyarrow.list_(pyarrow.large_string()))]),
    pyarrow.struct([]),
    pyarrow.map_(pyarrow.large_string(), pyarrow.int32()),
    pyarrow.list_(pyarrow.list_(pyarrow.struct([("c", pyarrow.list_(pyarrow.int8(), 2))]))),
]


def chunked(values, kind, chunks):
    """A column whose chunks are slices of longer arrays."""
    step = -(-len(values) // chunks)
    arrays = [pyarrow.array([*values[:1], *values[at : at + step]], kind)[1:] for at in range(0, len(values), step)]
    return pyarrow.chunked_array(arrays, kind)


@pytest.mark.parametrize("chunks", [1, 41])
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_rows_of_nested_columns(kind, chunks):
    generator = random.Random(7)
    column = chunked(values_of(kind, 500, generator), kind, chunks)
    rows = pyarrow.array(
        [None if row < 0 else row for row in generator.choices(range(-5, 500), k=700)], pyarrow.int64()
    )
    assert warpdex.gather_table(rows, pyarrow.table({"x": column}))["x"].to_pylist() == column.take(rows).to_pylist()


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_module_takes_them(kind):
    column = chunked(values_of(kind, 10, random.Random(8)), kind, 3)
    rows = pyarrow.array([3, 9, 3]).to_numpy()
    (found,) = _core.ArrowColumn.take_host([column], rows, 1)
    assert pyarrow.array(OnHost(found)).to_pylist() == column.take(rows).to_pylist()


def test_joins_keep_them():
    orders = pyarrow.table({"customer": [7, 9, 5], "items": [[1, 2], None, []]})
    customers = pyarrow.table({"customer": [9, 7], "address": [{"city": "Rom"}, {"city": "Ulm"}]})
    joined = warpdex.join(orders, customers, "customer", "left")
    assert joined["items"].to_pylist() == [[1, 2], None, []]
    assert joined["address"].to_pylist() == [{"city": "Ulm"}, {"city": "Rom"}, None]


def test_offsets_that_lie_are_named():
    items = pyarrow.array([1, 2, 3])
    lists = pyarrow.ListArray.from_buffers(
        pyarrow.list_(pyarrow.int64()),
        2,
        [None, pyarrow.py_buffer(bytes([0, 0, 0, 0, 9, 0, 0, 0, 3, 0, 0, 0]))],
        children=[items],
    )
    with pytest.raises(warpdex.Error, match="offsets of its lists do not ascend from 0 to 3"):
        warpdex.gather_table([0, 0], pyarrow.table({"x": lists}))
