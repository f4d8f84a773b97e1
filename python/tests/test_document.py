# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The lines of docs/guide/python.md that each library's user types run as they stand, where the library is installed."""

import pathlib
import re

import pytest

from warpdex import _core

_PAGE = pathlib.Path(__file__).parents[2] / "docs/guide/python.md"
_BLOCKS = re.findall(r"```python\n(.*?)```", _PAGE.read_text(), re.DOTALL) if _PAGE.exists() else []
_NAMES = [re.search(r"import (\w+)", block).group(1) for block in _BLOCKS]


def test_each_library_has_its_lines():
    assert _NAMES == ["numpy", "pandas", "polars", "pyarrow", "duckdb", "cupy", "torch", "cudf", "dask"]
    assert all(len(block.splitlines()) <= 10 for block in _BLOCKS)


@pytest.mark.parametrize("number", range(len(_BLOCKS)), ids=_NAMES)
def test_the_lines_run(number, tmp_path, monkeypatch):
    pytest.importorskip(_NAMES[number])
    if _NAMES[number] in ("cupy", "cudf") and _core.device_count() == 0:
        pytest.skip("no CUDA device")
    monkeypatch.chdir(tmp_path)  # for the files that they write
    exec(compile(_BLOCKS[number], _NAMES[number], "exec"), {})
