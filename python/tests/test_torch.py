# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Lookups as modules of Torch: eager, compiled, pickled, and in CUDA graphs."""

import copy
import gc
import pickle

import numpy as np
import pytest

import warpdex
from warpdex import _core
from warpdex.lookups.table import TABLE

torch = pytest.importorskip("torch")
import warpdex.torch  # noqa: E402

NAMES = [name for name, row in TABLE.items() if row.sample is not None]


@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    if request.param == "cuda" and _core.device_count() == 0:
        pytest.skip("no CUDA device")
    return request.param


def keys_and_probes(device, dtype=torch.int64):
    rng = np.random.default_rng(11)
    keys = torch.from_numpy(rng.integers(0, 500, 300)).to(dtype).to(device)
    return keys, torch.from_numpy(rng.integers(-5, 505, (7, 11))).to(dtype).to(device)


@pytest.mark.parametrize("name", NAMES)
def test_modules_answer_as_the_index(device, name):
    keys, probes = keys_and_probes(device)
    index = warpdex.Index(keys)
    found = warpdex.torch.Lookup(index, name)(probes)
    expected = getattr(index, name)(probes.reshape(-1))
    assert found.shape == probes.shape and found.dtype == expected.dtype and found.device == probes.device
    assert torch.equal(found.reshape(-1), expected)


@pytest.mark.parametrize("name", NAMES)
def test_operators_pass_torchs_own_checks(device, name):
    keys, probes = keys_and_probes(device)
    module = warpdex.torch.Lookup(warpdex.Index(keys), name)
    torch.library.opcheck(torch.ops.warpdex.look_up.default, ([probes.reshape(-1)], module._number, name))


@pytest.mark.parametrize("name", ["find", "contains", "count", "floor"])
def test_modules_answer_within_groups(device, name):
    keys, probes = keys_and_probes(device)
    index = warpdex.GroupedIndex(keys % 7, keys)
    module = warpdex.torch.Lookup(index, name)
    groups = probes % 7
    assert torch.equal(module(groups, probes).reshape(-1), getattr(index, name)(groups.reshape(-1), probes.reshape(-1)))
    columns = [groups.reshape(-1), probes.reshape(-1)]
    torch.library.opcheck(torch.ops.warpdex.look_up.default, (columns, module._number, name))
    assert torch.equal(pickle.loads(pickle.dumps(module))(groups, probes), module(groups, probes))


def test_compiled_code_has_no_graph_break(device):
    keys, probes = keys_and_probes(device)

    class Embedded(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.rows = warpdex.torch.Lookup(warpdex.Index(keys))
            self.table = torch.nn.Embedding(len(keys) + 1, 4, device=device)

        def forward(self, ids):
            return self.table(self.rows(ids) + 1).sum(-1)

    module = Embedded()
    try:
        compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
        found = compiled(probes)
    except RuntimeError as why:
        pytest.skip(f"this Torch cannot compile here: {why}")
    assert torch.allclose(found, module(probes))
    found.sum().backward()
    assert module.table.weight.grad is not None


def test_modules_are_copied_pickled_and_freed(device):
    keys, probes = keys_and_probes(device)
    module = warpdex.torch.Lookup(warpdex.Index(keys), "count")
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert other._number != module._number
        assert torch.equal(other(probes), module(probes))
    del other
    gc.collect()
    held = len(warpdex.torch._indexes)
    del module
    gc.collect()
    assert len(warpdex.torch._indexes) == held - 1


def rows_and_table(device):
    random = np.random.default_rng(12)
    table = torch.from_numpy(random.normal(size=(50, 3, 4))).to(device).requires_grad_()
    return torch.from_numpy(random.integers(-1, 50, (7, 11))).to(device), table


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_rows_of_a_table_and_their_gradients(device, dtype):
    rows, table = rows_and_table(device)
    found = warpdex.torch.gather_rows(rows.to(dtype), table)
    expected = torch.where((rows >= 0)[..., None, None], table[rows.clamp_min(0)], 0)
    assert torch.equal(found, expected) and found.device == rows.device
    weights = torch.rand_like(found)
    (gradient,) = torch.autograd.grad((found * weights).sum(), table)
    assert torch.allclose(gradient, torch.autograd.grad((expected * weights).sum(), table)[0])


def test_rows_pass_torchs_own_checks(device):
    torch.library.opcheck(torch.ops.warpdex.gather_rows.default, rows_and_table(device))


def test_bad_rows_are_refused():
    rows, table = rows_and_table("cpu")
    with pytest.raises(warpdex.errors.InvalidArgument, match="50"):
        warpdex.torch.gather_rows(rows + 50, table)
    with pytest.raises(warpdex.errors.KeyTypeError, match="table is"):
        warpdex.torch.gather_rows(rows, table[:, 0, 0])


def test_bad_lookups_are_refused():
    with pytest.raises(warpdex.errors.InvalidArgument, match="lookup is 'retrieve'; it must be 'find'"):
        warpdex.torch.Lookup(warpdex.Index([1]), "retrieve")
    with pytest.raises(warpdex.errors.KeyTypeError, match="index is"):
        warpdex.torch.Lookup([1, 2])


@pytest.mark.parametrize("spec", ["AO+BS", "EO+KS(9)", "HT(open)", "GRT"])
@pytest.mark.parametrize("size", [1 << 8, 1 << 22])
def test_lookups_are_captured_in_graphs(spec, size):
    if _core.device_count() == 0:
        pytest.skip("no CUDA device")
    keys = torch.randint(0, 1 << 30, (1 << 20,), device="cuda", dtype=torch.int64)
    probes = torch.randint(0, 1 << 30, (size,), device="cuda", dtype=torch.int64)
    index = warpdex.Index(keys, spec)
    names = [name for name in NAMES if spec != "HT(open)" or name in ("find", "contains", "count")]
    outs = {name: getattr(index, name)(probes) for name in names}
    graphs = {}
    for name in names:
        graphs[name] = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graphs[name]):
            getattr(index, name)(probes, out=outs[name])
    probes.copy_(torch.randint(0, 1 << 30, (size,), device="cuda", dtype=torch.int64))
    for name in names:
        graphs[name].replay()
        assert torch.equal(outs[name], getattr(index, name)(probes)), name
