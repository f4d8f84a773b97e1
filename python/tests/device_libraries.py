# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Torch and CuPy under one set of names, for tests on a device."""

import numpy as np
import pytest


class Torch:
    def __init__(self):
        self.torch = pytest.importorskip("torch")
        if not self.torch.cuda.is_available():
            pytest.skip("Torch sees no device")

    def array(self, host, device=0):
        return self.torch.from_numpy(np.ascontiguousarray(host)).to(f"cuda:{device}")

    def host(self, array):
        assert isinstance(array, self.torch.Tensor) and array.is_cuda, type(array)
        return array.cpu().numpy()

    def empty(self, size, kind):
        return self.array(np.empty(size, kind))

    def stream(self):
        return self.torch.cuda.Stream()

    def on(self, stream):
        return self.torch.cuda.stream(stream)

    def number(self, stream):
        return stream.cuda_stream

    def delay(self):
        self.torch.cuda._sleep(600_000_000)

    def write(self, array, other):
        array.copy_(other)

    def is_done(self, stream):
        return stream.query()

    def synchronize(self):
        self.torch.cuda.synchronize()

    def used(self):
        return self.torch.cuda.memory_allocated()


class CuPy:
    def __init__(self):
        self.cupy = pytest.importorskip("cupy")
        self.spin = self.cupy.RawKernel(
            r"""
            extern "C" __global__ void spin(long long cycles) {
              long long start = clock64();
              while (clock64() - start < cycles) {}
            }
            """,
            "spin",
        )

    def array(self, host, device=0):
        with self.cupy.cuda.Device(device):
            return self.cupy.asarray(host)

    def host(self, array):
        assert isinstance(array, self.cupy.ndarray), type(array)
        return self.cupy.asnumpy(array)

    def empty(self, size, kind):
        return self.cupy.empty(size, kind)

    def stream(self):
        return self.cupy.cuda.Stream(non_blocking=True)

    def on(self, stream):
        return stream

    def number(self, stream):
        return stream.ptr

    def delay(self):
        self.spin((1,), (1,), (600_000_000,))

    def write(self, array, other):
        array[...] = other

    def is_done(self, stream):
        return stream.done

    def synchronize(self):
        self.cupy.cuda.Device().synchronize()

    def used(self):
        return self.cupy.get_default_memory_pool().used_bytes()
