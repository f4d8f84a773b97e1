# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""What reads arrays on devices, without a device: arrays that pretend to be on one, and an index that does."""

import contextlib
import ctypes
import functools
import sys
import types

import numpy as np
import pytest

import warpdex
from warpdex import Index, _core
from warpdex.columns import libraries


def pretended(array, kind=None):
    """A NumPy array as the core sees one on device 0."""
    return _core.DeviceArray(array.ctypes.data, array.size, kind or f"{array.dtype.kind}{array.dtype.itemsize}", 0)


class Stream:
    def __init__(self, number):
        self.ptr = number

    def __cuda_stream__(self):
        return 0, self.ptr


class PretendedCuPy(types.ModuleType):
    """So much of CuPy as warpdex asks for, over memory of the host."""

    current = 0

    def __init__(self):
        super().__init__("cupy")
        library = self

        class ndarray:
            def __init__(self, array):
                self.array = array
                self.data = types.SimpleNamespace(ptr=array.ctypes.data)
                self.dtype, self.ndim, self.size, self.shape = array.dtype, array.ndim, array.size, array.shape
                self.flags, self.device = array.flags, types.SimpleNamespace(id=0)

            def astype(self, kind):
                return ndarray(self.array.astype(kind))

            def reshape(self, shape):
                return ndarray(self.array.reshape(shape))

            def __iter__(self):
                return map(ndarray, self.array)

            def tolist(self):
                return self.array.tolist()

            def min(self):
                return self.array.min()

            def max(self):
                return self.array.max()

        ndarray.__module__ = "cupy"
        self.ndarray = ndarray
        self.empty = lambda size, kind: ndarray(np.empty(size, kind))
        self.ascontiguousarray = lambda array: ndarray(np.ascontiguousarray(array.array))

        class Scope:
            def __init__(self, number, device=0):
                self.number, self.before = number, None

            def __enter__(self):
                self.before, library.current = library.current, self.number

            def __exit__(self, *why):
                library.current = self.before

        class Device(Scope):
            def __enter__(self):
                pass

            def __exit__(self, *why):
                pass

        self.cuda = types.SimpleNamespace(
            get_current_stream=lambda device=0: Stream(library.current),
            runtime=types.SimpleNamespace(getDevice=lambda: 0),
            ExternalStream=Scope,
            Device=Device,
        )


@pytest.fixture
def cupy(monkeypatch):
    library = PretendedCuPy()
    monkeypatch.setitem(sys.modules, "cupy", library)
    monkeypatch.setattr(libraries, "_libraries", {})
    monkeypatch.setattr(libraries, "library_of_type", functools.cache(libraries.library_of_type.__wrapped__))
    monkeypatch.setattr(_core, "device_count", lambda: 1)
    library.waits = []
    monkeypatch.setattr(_core, "wait_for", lambda device, later, earlier: library.waits.append((later, earlier)))
    return library


@pytest.fixture
def index(cupy):
    """An index of the host that says that it is on device 0. Its stream 0 is no bound of its threads."""
    result = Index(np.array([30, 10, 20, 10]), "AO+BS")
    result._device, result._quick = 0, None
    return result


def test_answers_are_arrays_of_the_probes_library(cupy, index):
    probes = cupy.ndarray(np.array([10, 25, 30]))
    for lookup, expected in (
        (index.find, [1, -1, 0]),
        (index.count, [2, 0, 1]),
        (index.lower_bound, [0, 3, 3]),
        (index.floor, [1, 2, 0]),
        (index.join_asof, [1, 2, 0]),
    ):
        found = lookup(probes)
        assert type(found) is cupy.ndarray and found.tolist() == expected
    assert index.contains(probes).dtype == np.bool_ and index.find(probes).dtype == np.int32
    assert index.range_count(probes, probes).tolist() == [2, 0, 1]
    moved = index.join_asof(probes, offsets=[0, -5])
    assert type(moved) is cupy.ndarray and moved.tolist() == [[1, 2, 0], [-1, 2, 2]]
    assert index.find(np.array([20])).tolist() == [2]  # NumPy asks too, and gets NumPy's
    assert cupy.waits == []


def test_narrow_and_strided_arrays_are_converted_by_their_library(cupy, index):
    assert index.find(cupy.ndarray(np.array([10, 30], np.int8))).tolist() == [1, 0]
    assert index.find(cupy.ndarray(np.array([10, 0, 30, 0])[::2])).tolist() == [1, 0]
    assert index.find(cupy.ndarray(np.array([], np.int64))).tolist() == []


def test_a_call_runs_on_one_stream(cupy, index, monkeypatch):
    probes = cupy.ndarray(np.array([10, 25]))
    query = []

    class Core(contextlib.nullcontext):
        type_of = index._core.type_of
        devices = (0,)

        def ask(self, lookup, columns, out, lower_open, upper_open, where, most, told):
            query.append(where)

    monkeypatch.setattr(index, "_core", Core())
    index.find(probes)
    cupy.current = 7
    index.find(probes)
    assert (query, cupy.waits) == ([0, 7], [])
    index.find(probes, stream=9)
    index.find(probes, stream=Stream(9))
    index.find(probes, stream=7)
    assert (query[2:], cupy.waits) == ([9, 9, 7], [(9, 7), (9, 7)])
    assert cupy.current == 7
    index.find(probes, out=cupy.ndarray(np.empty(2, np.int32)), stream=9)
    assert cupy.waits[2:] == [(9, 7), (9, 7)]  # for the probes, and for what used out before
    with pytest.raises(TypeError, match="stream is 'fast'"):
        index.find(probes, stream="fast")


def test_out_on_a_device(cupy, index):
    probes = cupy.ndarray(np.array([10, 25]))
    out = cupy.ndarray(np.empty(2, np.int32))
    assert index.find(probes, out=out) is out and out.tolist() == [1, -1]
    for wrong, error, text in (
        (np.empty(2, np.int32), TypeError, "must be there too"),
        (cupy.ndarray(np.empty(2, np.int64)), TypeError, "out has the type i8; the answers are i4"),
        (cupy.ndarray(np.empty(3, np.int32)), ValueError, "out has 3 elements"),
        (cupy.ndarray(np.empty(4, np.int32)[::2]), ValueError, "without strides"),
    ):
        with pytest.raises(error, match=text):
            index.find(probes, out=wrong)
    with pytest.raises(TypeError, match="out is ndarray"):
        index.find(np.array([1]), out=out)


def test_bad_arrays_on_devices_are_refused(cupy, index):
    probes = cupy.ndarray(np.array([10, 25]))
    with pytest.raises(ValueError, match="is on cuda:0, but the index on cpu"):
        Index([1, 2]).find(probes)
    with pytest.raises(TypeError, match="bool, but the keys are of type integer"):
        index.find(cupy.ndarray(np.array([True])))
    with pytest.raises(ValueError, match="2 dimensions"):
        index.find(cupy.ndarray(np.zeros((2, 2))))
    with pytest.raises(TypeError, match="complex64"):
        index.find(cupy.ndarray(np.zeros(2, np.complex64)))
    with pytest.raises(ValueError, match="others do not"):
        index.range_count(probes, [1, 2])
    with pytest.raises(ValueError, match="others do not"):
        index.range_count([1, 2], probes)
    with pytest.raises(ValueError, match="the index is on the CPU"):
        Index([1]).find([1], stream=5)
    with pytest.raises(ValueError, match="device is 'gpu'"):
        Index([1], device="gpu")
    with pytest.raises(ValueError, match="'cuda:7', but this machine"):
        Index([1]).to("cuda:7")
    with pytest.raises(ValueError, match="rows reach from -1"):
        index.insert(probes, cupy.ndarray(np.array([-1, 3])))
    with pytest.raises(TypeError, match="keys has the type i4; the index holds i8"):
        index.insert(cupy.ndarray(np.array([5], np.int32)), [1])


def test_updates_take_arrays_on_devices(cupy, index):
    assert index.insert(cupy.ndarray(np.array([40])), cupy.ndarray(np.array([4]))) == (1, 0, 0)
    assert index.erase(cupy.ndarray(np.array([10]))) == (0, 2, 0)
    assert index.find([40, 10]).tolist() == [4, -1]


class Provider:
    """An array that comes by DLPack."""

    def __init__(self, array, device=(2, 0)):
        self.array, self.device, self.streams = array, device, []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        return pretended(self.array).__dlpack__(stream=-1)


def test_dlpack_always_names_a_stream(cupy, index):
    probes = Provider(np.array([10, 25]))
    assert index.find(probes).tolist() == [1, -1]
    cupy.current = 6
    with pytest.raises(warpdex.Error):
        index.find(Provider(np.zeros(2, np.complex64)))
    assert probes.streams == [1]  # 0 is no number of a stream there


def test_capsules_are_used_once():
    array = np.arange(5)
    capsule = pretended(array).__dlpack__(stream=-1)
    assert len(_core.from_dlpack(capsule, 0)) == 5
    with pytest.raises(ValueError):
        _core.from_dlpack(capsule, 0)
    with pytest.raises(BufferError):
        pretended(array).__dlpack__(stream=-1, copy=True)
    pretended(array).__dlpack__(stream=-1)  # one that nobody takes is freed


def test_the_array_interface():
    array = np.arange(5, dtype=np.int32)
    result = pretended(array).__cuda_array_interface__
    assert (result["shape"], result["typestr"], result["data"][0]) == ((5,), "<i4", array.ctypes.data)
    assert result["stream"] == 1 and result["version"] == 3
    with pytest.raises(TypeError):
        pretended(array, "c8")

    class Interface:
        __cuda_array_interface__ = result

    with pytest.raises(ValueError, match="keys: it is in memory of the host"):
        Index(Interface())


class DeviceArrow:
    """An array of pyarrow that says that it is on a device."""

    def __init__(self, array):
        self.array = array

    def __arrow_c_device_array__(self, requested_schema=None):
        schema, array = self.array.__arrow_c_device_array__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        place = pointer(array, b"arrow_device_array") + 80  # after the ArrowArray
        ctypes.c_int64.from_address(place).value = 0
        ctypes.c_int32.from_address(place + 8).value = 2
        return schema, array


def test_arrow_on_a_device(cupy, index):
    pyarrow = pytest.importorskip("pyarrow")
    assert index.find(DeviceArrow(pyarrow.array([0, 10, 25])[1:])).tolist() == [1, -1]
    with pytest.raises(TypeError, match="datetime64"):
        index.find(DeviceArrow(pyarrow.array([1], pyarrow.timestamp("us"))))
    format, size, values, (bits, first) = _core.read_device_arrow(
        DeviceArrow(pyarrow.array([1, None, 3, None])[1:]), None
    )
    assert (format, size, len(values), len(bits), first) == ("l", 3, 3, 1, 1)
    with pytest.raises(TypeError, match="no CUDA device"):
        _core.read_device_arrow(pyarrow.array([1]), None)
    result = Index.__new__(Index)
    result._set(_core.build(values, (bits, first), "AO+BS", None, -1, 0), None)
    assert result.find([3, 1]).tolist() == [1, -1] and len(result) == 1


def test_nulls_on_a_device_are_answered(cupy, index):
    pyarrow = pytest.importorskip("pyarrow")

    def probes(values):
        return DeviceArrow(pyarrow.array(values))

    some = [10, None, 25]
    assert index.find(probes(some)).tolist() == [1, -1, -1]
    assert index.contains(probes(some)).tolist() == [True, False, False]
    assert index.count(probes(some)).tolist() == [2, 0, 0]
    assert index.floor(probes(some)).tolist() == [1, -1, 2]
    offsets, rows = index.retrieve(probes(some))
    assert offsets.tolist() == [0, 2, 2, 2] and rows.tolist() == [1, 3]
    left, right = index.join(probes(some), "left")
    assert left.tolist() == [0, 0, 1, 2] and right.tolist() == [1, 3, -1, -1]
    for call in (
        lambda: index.lower_bound(probes(some)),
        lambda: index.upper_bound(probes(some)),
        lambda: index.range_count(probes(some), probes([1, 2, 3])),
    ):
        with pytest.raises(ValueError, match="probes may be null, which has no place in the order"):
            call()


def test_all_bounds_on_a_device(cupy, index):
    lower, upper = np.array([10, 20, 10]), np.array([30, 20, 20])
    there = cupy.ndarray(lower), cupy.ndarray(upper)
    host = Index(np.array([30, 10, 20, 10]), "AO+BS")
    for closed in ("both", "left", "right", "none"):
        for name in ("range_count", "range_sum"):
            expected = getattr(host, name)(lower, upper, closed)
            found = getattr(index, name)(*there, closed)
            assert type(found) is cupy.ndarray and found.tolist() == expected.tolist()
            out = cupy.ndarray(np.empty(3, expected.dtype))
            assert getattr(index, name)(*there, closed, out=out) is out and out.tolist() == expected.tolist()
        for name in ("equal_range", "range_retrieve", "join_between"):
            more = {"closed": closed}
            found, expected = (
                getattr(i, name)(*columns, **more) for i, columns in ((index, there), (host, (lower, upper)))
            )
            assert [one.tolist() for one in found] == [one.tolist() for one in expected]


def test_other_calls_on_a_device(cupy, index):
    keys = np.array([30, 10, 20, 10])
    host = Index(keys, "AO+BS")
    assert index.keys_at(cupy.ndarray(np.array([3, 0]))).tolist() == [30, 10]
    assert index.rows_at(cupy.ndarray(np.array([3, 0]))).tolist() == [0, 1]
    with pytest.raises(TypeError, match="64 bits"):
        index.keys_at(cupy.ndarray(np.array([0], np.int32)))
    rows, positions = index.find_unordered(cupy.ndarray(keys))
    assert rows.array[np.argsort(positions.array)].tolist() == host.find(keys).tolist()
    amounts = cupy.ndarray(np.array([5, 6, 7, 8]))
    assert warpdex.RangeAggregates(index, amounts).of_keys(cupy.ndarray(np.array([10, 11]))).sum.tolist() == [14, 0]
    top = warpdex.RangeAggregates(index, amounts).top_k(*(cupy.ndarray(np.array([one])) for one in (10, 20)), 2)
    assert (top.rows.tolist(), top.values.tolist()) == ([3, 2], [8, 7])
    offsets, rows = index.ancestors(cupy.ndarray(np.array([30])), cupy.ndarray(np.array([10, 10, 10, 10])))
    assert (offsets.tolist(), rows.tolist()) == ([0, 2], [0, 1])
    with pytest.raises(TypeError, match="left is no array on a device"):
        warpdex.joins.hash_join([1], cupy.ndarray(keys))


def test_searches_of_a_sorted_array_on_a_device(cupy, monkeypatch):
    bounds = _core.bounds_in
    monkeypatch.setattr(_core, "bounds_in", lambda a, v, out, upper, device, where: bounds(a, v, out, upper, -1, 0))
    a, v = cupy.ndarray(np.array([1, 3, 3, 5])), cupy.ndarray(np.array([3, 9], np.int32))
    assert warpdex.searchsorted(a, v).tolist() == [1, 4]
    assert warpdex.searchsorted(a, v, "right").tolist() == [3, 4]
    with pytest.raises(TypeError, match="v is no array on a device"):
        warpdex.searchsorted(a, [1])


def test_devices_of_this_machine():
    index = Index([3, 1])
    assert index.device == "cpu" and index.to("cpu") is index
    if _core.device_count() == 0:
        with pytest.raises(ValueError, match="have 0 devices"):
            Index([3, 1], device="cuda")
