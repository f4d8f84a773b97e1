# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of a table on the host that a device asks for, compared with a kernel that reads each where it is wanted."""

import cupy
import cupyx
import numpy as np
import warpdex
from shared import Call

BYTES = 256
PLAIN = r"""
extern "C" __global__ void take(int4 const* table, long long const* rows, int4* out, long long count) {
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count * 16;
       i += (long long)gridDim.x * blockDim.x)
    out[i] = table[rows[i / 16] * 16 + i % 16];
}
"""


def rows(b):
    size, count = b.table, b.rows
    table = cupyx.empty_pinned((size, BYTES // 4), np.float32)
    table[:, 0] = np.arange(size) % 1000003
    kernel, out = cupy.RawKernel(PLAIN, "take"), cupy.empty((count, BYTES // 4), np.float32)

    def plain(numbers):
        kernel((1056,), (256,), (np.uintp(table.ctypes.data), numbers, out, np.int64(count)))
        return out

    spread = np.exp(b.random.random(count) * np.log(size)).astype(np.int64) * 2654435761 % size
    for case, ids in (("uniform", b.random.integers(0, size, count)), ("Zipf 1", spread)):
        numbers = cupy.asarray(ids)
        calls = {
            "warpdex": Call(
                lambda: warpdex.lookups.gather_rows(numbers, table, out=out), lambda found: found[:, 0].copy()
            ),
            "a plain kernel": Call(lambda: plain(numbers), lambda found: found[:, 0].copy()),
        }
        distinct = int(np.unique(ids).size)
        b.compare(case, calls, rows=count, distinct=distinct, distinct_bytes=distinct * BYTES)
