# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""A short run of `frames_fuzz`, which `make fuzz-frames` lets go on from other seeds."""

import pytest

for library in ("pyarrow", "polars", "pandas", "duckdb"):
    pytest.importorskip(library)

from frames_fuzz import CHECKS, run  # noqa: E402  it imports all of them


@pytest.mark.parametrize("name", CHECKS)
def test_random_frames_and_columns_answer_as_the_other_library(name):
    cases = 150
    answered = sum(run(name, seed) for seed in range(cases))
    assert answered > cases // 2
