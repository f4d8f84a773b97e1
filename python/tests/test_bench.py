# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The program that measures the package, over a few rows: its lines, and that it notices wrong answers."""

import importlib.util
import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench/python"


def module(name):
    spec = importlib.util.spec_from_file_location(f"bench_{name.strip('_')}", BENCH / f"{name}.py")
    result = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(result)
    return result


def lines_of(*arguments):
    command = [sys.executable, str(BENCH), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("subcommand", list(module("__main__").SUBCOMMANDS))
def test_lines(subcommand):
    extra = ["--cores", "1,9999"] if subcommand == "scaling" else []
    sizes = ["--table", "3000"] if subcommand == "rows" else []
    lines = lines_of(subcommand, "--rows", "2000", "--repeat", "1", *extra, *sizes)
    skipped = [line["skipped"] for line in lines if "skipped" in line]
    if skipped and not extra:
        pytest.skip(skipped[0])
    assert len(skipped) == len(extra) // 2
    measured = [line for line in lines if "skipped" not in line]
    assert measured and all(line["checked"] and line["bench"] == subcommand for line in measured)
    for line in measured:
        assert line["rate"] > 0 and len(line["runs_s"]) == 1 and line["min_s"] <= line["median_s"] <= line["max_s"]
        assert line["kind"] == ("index" if line["name"].startswith("warpdex") else "baseline")
    if subcommand in ("asof", "joins", "window"):
        cases = {line["case"] for line in measured}
        assert {line["case"] for line in measured if "in 41 chunks" in line["name"]} == cases
    if not extra:
        assert all(line["ratios"] for line in measured if line["kind"] == "index")


def test_only():
    lines = lines_of("columns", "--rows", "1e3", "--repeat", "2", "--only", "as-of")
    assert {line["case"] for line in lines} == {"sorted, as-of", "random, as-of"}


def test_wrong_answers_end_it():
    shared = module("shared")
    right = {"row": np.array([1, -1, 2]), "value": np.array([0.5, np.nan, 1.5])}
    shared.expect_equal(right, {"value": right["value"].astype(np.float32), "other": right["row"]}, "what")
    for wrong in ({"row": np.array([1, -1, 3])}, {"row": np.array([1, -1])}, {"value": np.array([0.5, 0, 1.5])}):
        with pytest.raises(SystemExit, match="what: another answer in"):
            shared.expect_equal(right, wrong, "what")
    with pytest.raises(SystemExit, match="what: another answer"):
        shared.expect_equal(right, {"other": right["row"]}, "what")
