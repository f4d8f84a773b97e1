# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays that come to a device and leave it by DLPack, the CUDA array interface and Arrow. Skipped without a device."""

import ctypes

import numpy as np
import pytest
from device_libraries import CuPy, Torch

from warpdex import Index, _core

if _core.device_count() == 0:
    pytest.skip("no CUDA device", allow_module_level=True)

PROBES = 1 << 14


class Forwarded:
    """A tensor of which only DLPack is known."""

    def __init__(self, tensor):
        self.tensor, self.streams = tensor, []

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        return self.tensor.__dlpack__(stream=stream)


def test_dlpack_orders_streams():
    library, cupy = Torch(), pytest.importorskip("cupy")
    index = Index(np.arange(PROBES) * 2, device="cuda")
    wanted = np.arange(PROBES) * 2
    tensor, later = library.array(np.zeros(PROBES, np.int64)), library.array(wanted)
    probes = Forwarded(tensor)
    index.find(probes)
    library.synchronize()
    side = library.stream()
    with library.on(side):
        library.delay()
        tensor.copy_(later)
        found = index.find(probes)  # on CuPy's current stream, which Torch makes wait
        assert not side.query()
    assert isinstance(found, cupy.ndarray)
    np.testing.assert_array_equal(cupy.asnumpy(found), wanted // 2)
    assert probes.streams == [1, 1]
    with pytest.raises(TypeError, match="f2"):
        index.find(Forwarded(tensor.half()))
    with pytest.raises(ValueError, match="strides"):
        index.find(Forwarded(tensor[::2]))


def test_answers_leave_by_dlpack_and_the_array_interface():
    torch, cupy = pytest.importorskip("torch"), pytest.importorskip("cupy")
    result = _core.DeviceArray.empty(100, "i4", 0, 0)
    cupy.asarray(result)[...] = cupy.arange(100, dtype=cupy.int32)
    tensor = torch.from_dlpack(result)
    del result
    assert tensor.tolist() == list(range(100))


def test_numba():
    cuda = pytest.importorskip("numba.cuda")
    keys = np.random.default_rng(7).permutation(1000).astype(np.int64)
    index = Index(cuda.to_device(keys))
    found = index.find(cuda.to_device(np.arange(1100)))
    np.testing.assert_array_equal(found.copy_to_host(), Index(keys).find(np.arange(1100)))
    left, right = index.join(cuda.to_device(keys[:7]))
    assert left.copy_to_host().tolist() == list(range(7)) and right.copy_to_host().tolist() == list(range(7))


class DeviceArrow:
    """An array of pyarrow whose buffers are on a device, complete when an event has passed."""

    def __init__(self, array, event=None):
        cupy = pytest.importorskip("cupy")
        self.array, self.event = array, event
        self.buffers = [None if b is None else cupy.asarray(np.frombuffer(b, np.uint8).copy()) for b in array.buffers()]

    def __arrow_c_device_array__(self, requested_schema=None):
        schema, array = self.array.__arrow_c_device_array__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        place = pointer(array, b"arrow_device_array")
        buffers = ctypes.c_void_p.from_address(place + 40).value
        for number, buffer in enumerate(self.buffers):
            address = None if buffer is None else buffer.data.ptr
            ctypes.c_void_p.from_address(buffers + 8 * number).value = address
        ctypes.c_int64.from_address(place + 80).value = 0
        ctypes.c_int32.from_address(place + 88).value = 2
        if self.event is not None:
            self.handle = ctypes.c_void_p(self.event.ptr)
            ctypes.c_void_p.from_address(place + 96).value = ctypes.addressof(self.handle)
        return schema, array


def test_arrow_on_a_device():
    pyarrow, cupy = pytest.importorskip("pyarrow"), pytest.importorskip("cupy")
    rng = np.random.default_rng(8)
    keys = rng.integers(0, 300, 400)
    column = pyarrow.array(keys, mask=keys % 7 == 0)
    host, device = Index(column), Index(DeviceArrow(column))
    assert len(device) == len(host) and device.device == "cuda:0"
    probes = pyarrow.array(rng.integers(0, 350, 500), mask=rng.random(500) < 0.2)[13:]
    found = device.find(DeviceArrow(probes))
    assert isinstance(found, cupy.ndarray)
    np.testing.assert_array_equal(cupy.asnumpy(found), host.find(probes).fill_null(-1))
    np.testing.assert_array_equal(cupy.asnumpy(device.count(DeviceArrow(probes))), host.count(probes).fill_null(0))
    for one, other in zip(device.join(DeviceArrow(probes), "left"), host.join(probes, "left")):
        np.testing.assert_array_equal(cupy.asnumpy(one), other)
    words = pyarrow.array([f"word {k}" for k in keys])
    host, device = Index(words), Index(DeviceArrow(words))
    query = words[5:90]
    np.testing.assert_array_equal(cupy.asnumpy(device.find(DeviceArrow(query))), host.find(query))
    times = pyarrow.array(keys, pyarrow.timestamp("us", "UTC"))
    index = Index(DeviceArrow(times))
    assert cupy.asnumpy(index.find(DeviceArrow(times[:3]))).tolist() == Index(times).find(times[:3]).to_pylist()
    with pytest.raises(TypeError, match="datetime64"):
        index.find(DeviceArrow(pyarrow.array([1])))


def test_arrow_events_are_waited_for():
    pyarrow = pytest.importorskip("pyarrow")
    library = CuPy()
    index = Index(np.arange(PROBES) * 2, device="cuda")
    side, event = library.stream(), library.cupy.cuda.Event(disable_timing=True)
    probes = DeviceArrow(pyarrow.array(np.zeros(PROBES, np.int64)), event)
    later = library.array((np.arange(PROBES) * 2).view(np.uint8))
    index.find(probes)
    library.synchronize()
    with side:
        library.delay()
        probes.buffers[1][: later.size] = later
        event.record()
    found = index.find(probes)
    assert not side.done
    np.testing.assert_array_equal(library.host(found), np.arange(PROBES))
