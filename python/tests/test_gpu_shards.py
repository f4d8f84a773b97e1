# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""An index over several devices, with keys and probes on the devices. Skipped without a device; with one device alone, the
CPU is the other place."""

import pickle

import numpy as np
import pytest
from device_libraries import CuPy, Torch

import warpdex
from warpdex import Index, Set, _core
from warpdex.devices import Pieces

if _core.device_count() == 0:
    pytest.skip("no CUDA device", allow_module_level=True)

DEVICES = [0, 1] if _core.device_count() > 1 else [0, "cpu"]
HOMES = [device for device in DEVICES if device != "cpu"]


@pytest.fixture(params=[Torch, CuPy])
def library(request):
    return request.param()


def columns(seed):
    random = np.random.default_rng(seed)
    return random.integers(0, 50_000, 20_000, np.int64), random.integers(-100, 50_100, 30_000, np.int64)


@pytest.mark.parametrize("home", HOMES)
@pytest.mark.parametrize("placement", ["range", "replicate"])
@pytest.mark.parametrize("spec", ["AO+BS", "HT(open)"])
def test_probes_on_any_of_the_devices(library, spec, placement, home):
    keys, probes = columns(1)
    one, several = Index(keys, spec), Index(keys, spec, devices=DEVICES, placement=placement)
    there = library.array(probes, home)
    for method in ("find", "contains", "count", *(("lower_bound", "floor", "ceil") if spec == "AO+BS" else ())):
        got = getattr(several, method)(there)
        np.testing.assert_array_equal(library.host(got), getattr(one, method)(probes), method)
    for got, want in zip(several.retrieve(there), one.retrieve(probes)):
        np.testing.assert_array_equal(library.host(got), want)
    np.testing.assert_array_equal(several.find(probes), one.find(probes))


@pytest.mark.parametrize("placement", ["range", "replicate"])
def test_keys_on_a_device(library, placement):
    keys, probes = columns(2)
    result = Index(library.array(keys, HOMES[-1]), devices=DEVICES, placement=placement)
    np.testing.assert_array_equal(result.find(probes), Index(keys).find(probes))


@pytest.mark.parametrize("options", [{"devices": DEVICES}, {"devices": DEVICES[:1], "shards": 2}])
def test_pickles(options):
    keys, probes = columns(4)
    index = Index(keys, placement="range", **options)
    again = pickle.loads(pickle.dumps(index))
    assert again.device == index.device
    np.testing.assert_array_equal(again.find(probes), index.find(probes))


def test_updates_from_a_device(library):
    keys, probes = columns(3)
    one, several = Index(keys, "AO+BS"), Index(keys, "AO+BS", devices=DEVICES, placement="range")
    more, rows = probes[:500], np.arange(20_000, 20_500, dtype=np.int32)
    assert several.insert(library.array(more), library.array(rows)) == one.insert(more, rows)
    assert several.erase(library.array(probes[600:700])) == one.erase(probes[600:700])
    np.testing.assert_array_equal(library.host(several.count(library.array(probes))), one.count(probes))


def test_probes_elsewhere_are_refused(library):
    index = Index([1, 2, 3], devices=["cpu", "cpu"])
    with pytest.raises(warpdex.errors.InvalidArgument, match="probes is on cuda:0, but the index on cpu, cpu"):
        index.find(library.array(np.arange(3)))


@pytest.mark.parametrize("placement", ["range", "replicate"])
@pytest.mark.parametrize("spec", ["AO+BS", "HT(open)"])
def test_keys_and_probes_in_pieces(library, spec, placement):
    keys, probes = columns(4)
    there = [library.array(piece, home) for piece, home in zip(np.split(keys, [9_000]), [HOMES[0], HOMES[-1]])]
    one, several = Index(keys, spec), Index(Pieces(there), spec, devices=DEVICES, placement=placement)
    pieces = np.split(probes, [12_345])
    query = [piece if home == "cpu" else library.array(piece, home) for piece, home in zip(pieces, DEVICES)]
    for given in (query, pieces):
        for method in ("find", "contains", "count", *(("lower_bound", "floor") if spec == "AO+BS" else ())):
            for got, piece in zip(getattr(several, method)(Pieces(given)), pieces):
                host = got if isinstance(got, np.ndarray) else library.host(got)
                np.testing.assert_array_equal(host, getattr(one, method)(piece), method)


def test_links_between_devices():
    links = warpdex.devices.measured_links(1 << 20)
    pairs = [(one, two) for one in HOMES for two in HOMES if one != two]
    assert [(link.source, link.target) for link in links if {link.source, link.target} <= set(HOMES)] == pairs
    assert all(min(link.one_way, link.both_ways, link.through_host) > 0 for link in links)


@pytest.mark.parametrize("home", HOMES)
@pytest.mark.parametrize("options", [{"devices": DEVICES}, {"devices": DEVICES, "shards": 5}])
def test_sets(library, options, home, tmp_path):
    keys, probes = columns(9)
    rows = np.arange(len(keys))[::-1].copy()
    one, several = Set(keys, rows=rows), Set(library.array(keys, HOMES[-1]), rows=rows, **options)
    np.testing.assert_array_equal(several.keys(), one.keys())
    there = library.array(probes, home)
    several.save(tmp_path / "set")
    for again in (several, pickle.loads(pickle.dumps(several)), Set.load(tmp_path / "set", devices=options["devices"])):
        assert set(again.devices) == set(several.devices)
        for method in ("contains", "find"):
            want = getattr(one, method)(probes)
            np.testing.assert_array_equal(library.host(getattr(again, method)(there)), want, method)
            np.testing.assert_array_equal(getattr(again, method)(probes), want, method)


@pytest.mark.parametrize("size", [100, 300_000])
def test_changes_of_sets(library, size):
    random = np.random.default_rng(size)
    a, b = (random.integers(0, most * size, size, np.int64) for most in (3, 5))
    one, several = Set(a), Set(a, devices=DEVICES)
    other = Set(library.array(b, HOMES[0]), devices=DEVICES)
    for got, want in (
        (several | other, one | Set(b)),
        (several & other, one & Set(b)),
        (several - other, one - Set(b)),
        (other | several, one | Set(b)),
        (other - several, Set(b) - one),
    ):
        np.testing.assert_array_equal(got.keys(), want.keys())
    assert several.insert(library.array(b, HOMES[-1])) == one.insert(b)
    np.testing.assert_array_equal(several.keys(), one.keys())
    assert several.erase(library.array(a, HOMES[-1])) == one.erase(a)
    np.testing.assert_array_equal(several.keys(), one.keys())
