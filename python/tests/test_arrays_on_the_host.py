# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of Torch and JAX on the host: answers are arrays of the probes' library."""

import subprocess
import sys

import numpy as np
import pytest

import warpdex
from warpdex import Index

KEYS = np.array([30, 10, 20, 10])


class Torch:
    def __init__(self):
        self.torch = pytest.importorskip("torch")
        self.kind = self.torch.Tensor

    def array(self, values, dtype=None):
        return self.torch.from_numpy(np.array(values, dtype))

    def numpy(self, array):
        return array.numpy()


class Jax:
    def __init__(self, wide):
        self.jax = pytest.importorskip("jax")
        self.kind = self.jax.Array
        self.wide = wide

    def array(self, values, dtype=None):
        return self.jax.numpy.asarray(np.array(values, dtype))

    def numpy(self, array):
        return np.asarray(array)


@pytest.fixture(params=["torch", "jax", "jax with 64 bits"])
def library(request):
    if request.param == "torch":
        yield Torch()
        return
    result = Jax(request.param != "jax")
    before = result.jax.config.jax_enable_x64
    result.jax.config.update("jax_enable_x64", result.wide)
    yield result
    result.jax.config.update("jax_enable_x64", before)


def same(library, found, expected):
    """Whether answers are arrays of a library, with the values and types that NumPy's probes get."""
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        return all(same(library, one, two) for one, two in zip(found, expected))
    assert isinstance(found, library.kind), type(found)
    held, expected = library.numpy(found), np.asarray(expected)
    if isinstance(library, Jax) and not library.wide:
        expected = expected.astype(library.jax.dtypes.canonicalize_dtype(expected.dtype))
    assert held.dtype == expected.dtype and held.shape == expected.shape and held.tolist() == expected.tolist()
    return True


CALLS = {
    **{
        name: lambda index, probes, name=name: getattr(index, name)(probes)
        for name in ("find", "contains", "count", "lower_bound", "upper_bound", "floor", "ceil")
    },
    **{
        name: lambda index, probes, name=name: getattr(index, name)(probes, probes)
        for name in ("range_count", "range_sum", "equal_range", "range_retrieve", "join_between")
    },
    "retrieve": lambda index, probes: index.retrieve(probes),
    "find_unordered": lambda index, probes: index.find_unordered(probes),
    "join": lambda index, probes: index.join(probes, "left"),
    "join_asof": lambda index, probes: index.join_asof(probes),
    "join_asof by offset": lambda index, probes: index.join_asof(probes, offsets=[0, -5]),
    "join_asof with ties": lambda index, probes: index.join_asof(probes, ties="all"),
    "rows_at": lambda index, probes: index.rows_at(probes[:0]),
    "ancestors": lambda index, probes: index.ancestors(probes, [30, 30, 30, 30]),
    "hash_join": lambda index, probes: warpdex.joins.hash_join(probes, KEYS, "left"),
    "merge_join": lambda index, probes: warpdex.joins.merge_join(probes, np.sort(KEYS).astype(np.int32), "full"),
    "join_columns": lambda index, probes: warpdex.joins.join_columns(probes, KEYS),
    "first_match": lambda index, probes: warpdex.joins.first_match(probes, KEYS),
    "asof_merge": lambda index, probes: warpdex.joins.asof_merge(probes, np.sort(KEYS).astype(np.int32)),
    "GroupedIndex": lambda index, probes: warpdex.GroupedIndex(KEYS, KEYS).join_asof(probes, probes),
    "searchsorted": lambda index, probes: warpdex.searchsorted(np.sort(KEYS), probes),
    "several columns": lambda index, probes: Index((KEYS, KEYS)).find((probes, probes)),
}


@pytest.mark.parametrize("name", CALLS)
def test_answers_are_of_the_probes_library(library, name):
    index = Index(KEYS, "AO+BS")
    for probes in (np.array([10, 25, 30, 31], np.int32), np.array([], np.int32)):
        assert same(library, CALLS[name](index, library.array(probes)), CALLS[name](index, probes))


def test_prefixes_and_shapes(library):
    index = Index(KEYS, "AO+BS")
    for probes in (np.array([[10, 20], [99, 30]], np.int32), np.array(20, np.int32), np.zeros((0, 3), np.int32)):
        for call in (index.find, index.contains, index.lower_bound):
            assert same(library, call(library.array(probes)), np.asarray(call(probes)))
        assert same(
            library,
            warpdex.searchsorted(np.sort(KEYS), library.array(probes)),
            np.asarray(warpdex.searchsorted(np.sort(KEYS), probes)),
        )
    for kind in (np.int8, np.uint8, np.int16, np.float16, np.float32):
        assert same(library, index.find(library.array([10, 31], kind)), index.find(np.array([10, 31], kind)))
    assert same(library, index.find(library.array([10, 1, 30, 1])[::2]), index.find([10, 30]))
    assert same(library, Index([True, False]).find(library.array([False])), Index([True, False]).find([False]))


def test_keys_and_rows_of_a_library(library):
    keys, rows = library.array(KEYS), library.array([7, 8, 9, 10])
    assert Index(keys, rows=rows).find([10, 30]).tolist() == [8, 7]
    with pytest.raises(warpdex.errors.InvalidArgument, match="keys has 2 dimensions"):
        Index(library.array([[1]]))
    with pytest.raises(warpdex.errors.KeyTypeError, match="probes"):
        Index(["a"]).find(keys)


def test_values_at_rows(library):
    values = library.array([1.5, 2.5, 3.5])
    rows = np.array([2, -1, 0])
    for query in (rows, library.array(rows), rows.tolist()):
        assert same(library, warpdex.gather(query, values, fill_value=-9), np.array([3.5, -9, 1.5]))
    assert warpdex.gather(library.array(rows), np.array([1.5, 2.5, 3.5]), fill_value=-9).tolist() == [3.5, -9, 1.5]
    table = library.array(np.arange(6, dtype=np.int32).reshape(3, 2))
    expected = warpdex.gather([[0, -1], [1, 2]], np.arange(6, dtype=np.int32).reshape(3, 2), fill_value=7)
    assert same(library, warpdex.gather(library.array([[0, -1], [1, 2]]), table, fill_value=7), expected)
    with pytest.raises(warpdex.errors.InvalidArgument, match="rows is -1 at 1"):
        warpdex.gather(rows, values)
    with pytest.raises(warpdex.errors.InvalidArgument, match="rows has "):
        warpdex.gather(np.array([2**32]), values)


def test_torch_writes_and_reads_its_own():
    torch = pytest.importorskip("torch")
    index = Index(KEYS, "AO+BS")
    probes, out = torch.tensor([10, 25]), torch.zeros(2, dtype=torch.int32)
    assert index.find(probes, out=out) is out and out.tolist() == [1, -1]
    assert index.join_asof(probes, out=out) is out and out.tolist() == [1, 2]
    with pytest.raises(warpdex.errors.KeyTypeError, match="out is of type int64"):
        index.find(probes, out=torch.zeros(2, dtype=torch.int64))
    floats = Index([0.5, 1.5])
    assert floats.find(torch.tensor([1.5, 2.5], requires_grad=True)).tolist() == [1, -1]
    assert floats.find(torch.tensor([1.5, 2.5], dtype=torch.bfloat16)).tolist() == [1, -1]
    with pytest.raises(warpdex.errors.KeyTypeError, match="probes has the type complex64"):
        floats.find(torch.zeros(1, dtype=torch.complex64))
    with pytest.raises(warpdex.Error, match="probes"):
        floats.find(torch.zeros(1, device="meta"))


def test_jax_never_cuts_answers():
    jax = pytest.importorskip("jax")
    if jax.config.jax_enable_x64:
        pytest.skip("JAX has 64 bits")
    index = Index(np.array([1, 2]), "AO+BS", rows=np.array([2**31, 5]))
    assert index.find(jax.numpy.array([2])).tolist() == [5]
    with pytest.raises(
        warpdex.errors.InvalidArgument, match="probes has the answer 2147483648, which int32 does not hold"
    ):
        index.find(jax.numpy.array([1]))
    with pytest.raises(warpdex.errors.InvalidArgument, match="out has the shape"):
        Index(KEYS).find(jax.numpy.array([1]), out=jax.numpy.zeros(1, np.int32))


def test_jax_traces_no_lookups():
    jax = pytest.importorskip("jax")
    index = Index(KEYS)
    with pytest.raises(warpdex.errors.KeyTypeError, match="probes is traced by JAX"):
        jax.jit(index.find)(jax.numpy.array([10]))
    answers = jax.ShapeDtypeStruct((2,), np.int32)
    found = jax.jit(lambda probes: jax.pure_callback(index.find, answers, probes))(jax.numpy.array([10, 11]))
    assert found.tolist() == [1, -1]


def test_neither_is_imported():
    code = "import sys, warpdex; warpdex.Index([1]).find([1]); print({'torch', 'jax'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"
