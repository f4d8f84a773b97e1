# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Whole rows of tables in one array, against NumPy."""

import numpy as np
import pytest

import warpdex


@pytest.mark.parametrize("kind", ["u1", "f2", "i4", "f8", "c16", "M8[s]", "S5"])
@pytest.mark.parametrize("shape", [(50, 3), (50, 4, 2), (50, 0), (0, 8)], ids=str)
def test_rows_are_those_of_numpy(kind, shape):
    random = np.random.default_rng(3)
    table = random.integers(0, 100, shape).astype(kind)
    rows = random.integers(-1, shape[0], (6, 7)) if shape[0] else np.full((2, 3), -1)
    for wanted in (rows, rows.astype(np.int32), rows.tolist()):
        expected = np.zeros((*rows.shape, *shape[1:]), kind)
        expected[rows >= 0] = table[rows[rows >= 0]]
        if not np.prod(shape[1:]):
            with pytest.raises(warpdex.Error, match="no bytes"):
                warpdex.lookups.gather_rows(wanted, table)
            continue
        found = warpdex.lookups.gather_rows(wanted, table)
        assert found.dtype == table.dtype
        assert np.array_equal(found, expected)
        out = np.empty_like(expected)
        assert warpdex.lookups.gather_rows(wanted, table, out=out) is out
        assert np.array_equal(out, expected)


def test_answers_of_lookups_are_rows():
    table = np.arange(12.0).reshape(4, 3)
    index = warpdex.Index(["d", "a", "c", "b"])
    assert warpdex.lookups.gather_rows(index.find(["a", "x"]), table).tolist() == [[3, 4, 5], [0, 0, 0]]
    assert warpdex.lookups.gather_rows([0], table[:, ::2]).tolist() == [[0, 2]]  # strides are copied


def test_mistakes_are_named():
    table = np.ones((4, 2))
    for arguments, text in [
        (([4], table), "rows is 4 at 0, but there are 4 rows in the table"),
        (([-2], table), "only -1 and null are none"),
        (([0], np.ones(4)), "it must be an array of rows"),
        (([0], np.array([["a"]], object)), "it must be an array of rows"),
    ]:
        with pytest.raises(warpdex.Error, match=text):
            warpdex.lookups.gather_rows(*arguments)
    with pytest.raises(warpdex.Error, match=r"out has the shape \(2, 2\)"):
        warpdex.lookups.gather_rows([0], table, out=np.ones((2, 2)))


def test_tensors_of_torch():
    torch = pytest.importorskip("torch")
    table = torch.arange(6.0).reshape(3, 2)
    assert warpdex.lookups.gather_rows(torch.tensor([2, -1]), table).tolist() == [[4, 5], [0, 0]]


@pytest.mark.parametrize("library", ["torch", "cupy"])
@pytest.mark.parametrize("width", [1, 4, 96], ids=str)
def test_on_a_device(library, width):
    module = pytest.importorskip(library)
    if library == "torch" and not module.cuda.is_available():
        pytest.skip("no device")
    random = np.random.default_rng(4)
    table = random.random((1000, width)).astype(np.float32)
    rows = np.where(random.random(5000) < 0.1, -1, random.integers(0, 40, 5000) ** 2 % 1000)
    expected = np.where(rows[:, None] < 0, 0, table[rows])
    if library == "torch":
        on_device, remote = module.from_numpy(table).cuda(), module.from_numpy(table).pin_memory()
        query = module.from_numpy(rows).cuda()
    else:
        import cupyx

        on_device, query = module.asarray(table), module.asarray(rows)
        remote = cupyx.empty_pinned(table.shape, table.dtype)
        remote[:] = table
    for source in (on_device, remote):
        found = warpdex.lookups.gather_rows(query, source)
        assert type(found) is type(query)
        assert np.array_equal(found.cpu().numpy() if library == "torch" else found.get(), expected)
    with pytest.raises(warpdex.Error, match="not page-locked"):
        warpdex.lookups.gather_rows(query, np.array(table))
