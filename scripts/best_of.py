# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""How long a call takes, for the scripts that compare frames."""

import time


def best(call):
    """Milliseconds of the best of three calls, and what the last one returned."""
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        made = call()
        times.append(time.perf_counter() - begin)
    return min(times) * 1e3, made
