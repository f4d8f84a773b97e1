# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The lines of docs/guide/python.md that each library's user types, those of the start page's tasks, and those of the pages
of one library run as they stand, where the library is installed."""

import pathlib
import re

import pytest

from warpdex import _core

_DOCS = pathlib.Path(__file__).parents[2] / "docs"


def _blocks_of(page):
    """The pieces of code of a page, and none where there are no pages, as in a package."""
    return re.findall(r"```python\n(.*?)```", (_DOCS / page).read_text(), re.DOTALL) if _DOCS.exists() else []


_BLOCKS, _TASKS = _blocks_of("guide/python.md"), _blocks_of("index.md")
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


def test_each_visitor_has_a_task():
    assert len(_TASKS) == 5 and all(len(task.splitlines()) <= 10 for task in _TASKS)


@pytest.mark.parametrize("task", _TASKS, ids=["quant", "security", "genomics", "engine", "researcher"][: len(_TASKS)])
def test_the_tasks_run(task, tmp_path, monkeypatch):
    for library in ("pandas", "polars"):
        if f"import {library}" in task:
            pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    exec(compile(task, "index.md", "exec"), {})


@pytest.mark.parametrize("library", ["duckdb", "polars"])
def test_the_pages_of_one_library_run(library, tmp_path, monkeypatch):
    pytest.importorskip(library)
    blocks = _blocks_of(f"guide/{library}.md")
    monkeypatch.chdir(tmp_path)
    exec(compile("\n".join(blocks), f"{library}.md", "exec"), {})
