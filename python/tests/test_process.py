# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The package in a process: signals, progress, threads, forks, memory, imports, types."""

import functools
import gc
import json
import os
import pathlib
import pickle
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import warpdex
from processes import resident_bytes, run
from warpdex import Index, _core
from warpdex.lookups import calls

HERE = pathlib.Path(__file__).parent


def interrupted(call):
    """Runs a call that a signal interrupts after a while; returns whether it raised KeyboardInterrupt."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores the signal
    timer = threading.Timer(0.15, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        timer.cancel()
        timer.join()
        time.sleep(0.01)  # a signal that came after the call ends here
        signal.signal(signal.SIGINT, before)
    return False


def test_control_c_ends_a_build():
    keys = np.random.default_rng(1).integers(0, 1 << 60, 1 << 24)
    try:
        ended = interrupted(lambda: Index(keys, threads=1))
    except KeyboardInterrupt:
        ended = False
    assert ended  # the build itself takes longer
    assert Index(keys[:1000]).find(keys[:5]).tolist() == [0, 1, 2, 3, 4]


def test_control_c_ends_a_lookup(monkeypatch):
    monkeypatch.setattr(calls, "PIECE", 1 << 10)
    index = Index(np.arange(1 << 16))
    probes = np.zeros(1 << 26, np.int8)  # is converted, so that pieces are what takes time
    assert interrupted(lambda: index.find(probes, threads=1))
    assert index.find([5]).tolist() == [5]


def test_control_c_ends_joins_of_frames(monkeypatch):
    pl = pytest.importorskip("polars")
    monkeypatch.setattr(calls, "PIECE", 1 << 12)
    rng = np.random.default_rng(3)
    size = 1 << 22
    left = pl.DataFrame({"t": rng.integers(0, 1 << 60, size), "g": rng.integers(0, 1 << 60, size)})
    right = left[: 1 << 12]
    for call in (
        lambda: warpdex.join(left, right, "t", threads=1),
        lambda: warpdex.join(left, right, ["t", "g"], threads=1),
        lambda: warpdex.join(right, left, ["t", "g"], threads=1),
        lambda: warpdex.join_asof(left, right, on="t", threads=1),
        lambda: warpdex.join_asof(right, left, on="t", by="g", threads=1),
    ):
        before = time.monotonic()
        if interrupted(call):
            assert time.monotonic() - before < 5  # a second, were the machine not busy
        else:
            call()  # it was quicker than the signal
    assert warpdex.join(right, right, "t").height == right.height


def test_control_c_ends_a_load(tmp_path):
    index = Index(np.random.default_rng(1).integers(0, 1 << 60, 1 << 23))
    path = tmp_path / "index.wdx"
    index.save(path)
    stored = index.to_bytes()
    for call in (
        lambda: Index.load(path),
        lambda: Index.from_buffer(stored),
        lambda: pickle.loads(pickle.dumps(index)),
    ):
        for _ in range(3):
            interrupted(call)
    assert Index.load(path).find([1]).tolist() == index.find([1]).tolist()


def test_work_that_a_signal_ended_is_waited_for(tmp_path):
    code = """
import os, signal, sys, threading, time
import numpy as np
from warpdex import Index
signal.signal(signal.SIGINT, signal.default_int_handler)
keys = np.random.default_rng(1).integers(0, 1 << 60, 1 << 23)
for _ in range(3):
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        Index(keys, threads=1)
        time.sleep(1)
    except KeyboardInterrupt:
        pass
print("end")
"""
    done = run(code)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "end", "")


def test_progress(monkeypatch, capsys):
    monkeypatch.setattr(calls, "PIECE", 100)
    told = []
    index = Index(np.arange(500), progress=told.append)
    assert told == [1.0]
    index.find(np.arange(250), progress=told.append)
    assert told[1:] == [0.4, 0.8, 1.0]
    told.clear()
    index.retrieve(np.arange(250), progress=told.append)
    index.join(np.arange(200), progress=told.append)
    index.range_count(np.arange(200), np.arange(200), "none", progress=told.append)
    assert told == [0.4, 0.8, 1.0, 0.5, 1.0, 0.5, 1.0]
    index.count(np.arange(250), progress=True)
    assert "100%" in capsys.readouterr().err

    def stop(done):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        index.find(np.arange(250), progress=stop)


def test_progress_of_a_long_build():
    keys = np.random.default_rng(1).integers(0, 1 << 60, 1 << 24)
    told = []
    Index(keys, threads=1, progress=told.append)
    assert len(told) > 1 and told == sorted(told) and told[0] > 0 and told[-1] == 1.0

    def stop(done):
        raise RuntimeError(f"enough at {done < 1}")

    with pytest.raises(RuntimeError, match="enough at True"):
        Index(keys, threads=1, progress=stop)


def test_names_are_loaded_when_they_are_asked_for():
    code = """
import sys, warpdex
assert not {"numpy", "warpdex._core"} & set(sys.modules)
assert set(warpdex.__all__) < set(dir(warpdex)) and len(warpdex.__all__) <= 23 and not hasattr(warpdex, "indexes")
assert all(getattr(warpdex, name) is getattr(warpdex, name) for name in warpdex.__all__)
from warpdex import *
assert Index([3]).find(3) == 0 and warpdex.__version__
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_pieces_answer_as_a_whole(monkeypatch):
    rng = np.random.default_rng(2)
    keys, probes = rng.integers(0, 300, 400), rng.integers(0, 350, 1000)
    index = Index(keys)
    words = Index([f"w{k}" for k in keys])
    wanted = np.array([f"w{p}" for p in probes])
    query = [
        lambda: index.find(probes),
        lambda: index.floor(probes),
        lambda: index.range_count(probes, probes + 9),
        *(
            lambda n=n: np.concatenate(index.retrieve(probes)) if n == 0 else np.concatenate(index.join(probes, "left"))
            for n in range(2)
        ),
        lambda: words.find(wanted),
        lambda: np.concatenate(words.retrieve(wanted)),
        lambda: np.concatenate(words.longest_prefix(wanted)),
        lambda: np.concatenate(index.join_between(probes, probes + 3)),
    ]
    whole = [ask() for ask in query]
    monkeypatch.setattr(calls, "PIECE", 37)
    for ask, expected in zip(query, whole):
        np.testing.assert_array_equal(ask(), expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded")
def test_an_index_works_after_a_fork():
    index = Index(np.arange(1 << 20))
    probes = np.arange(1 << 20)[::-1].copy()
    index.find(probes)  # the library has threads now
    child = os.fork()
    if child == 0:
        right = bool((index.find(probes) == probes).all()) and Index([3, 1]).find([1]).tolist() == [1]
        os._exit(0 if right else 1)
    end = time.monotonic() + 60
    while (done := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < end:
        time.sleep(0.01)
    if done == (0, 0):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert done[1] == 0 and done[0] == child


def test_updates_and_lookups_in_threads():
    index = Index(np.arange(1 << 16))
    refused, wrong = [], []

    def look():
        for _ in range(200):
            try:
                found = index.find(np.arange(100))
                if found.tolist() != list(range(100)):
                    wrong.append(found)
            except warpdex.errors.InvalidArgument as why:
                refused.append(str(why))

    def change():
        for i in range(50):
            try:
                index.insert([1 << 20], [7])
                index.erase([1 << 20])
            except warpdex.errors.InvalidArgument as why:
                refused.append(str(why))

    with ThreadPoolExecutor(3) as pool:
        for job in [pool.submit(look), pool.submit(look), pool.submit(change)]:
            job.result()
    assert not wrong
    assert all("is running" in why for why in refused)


@pytest.mark.skipif(not pathlib.Path("/proc/self/statm").exists(), reason="no /proc")
def test_calls_leak_nothing():
    pl = pytest.importorskip("polars")
    index, words = Index(np.arange(1000)), Index(["a", "b"])
    probes, series = np.arange(50), pl.Series([1, None, 3])
    strings = pl.Series(["a", None, "c"])

    def some(count):
        for _ in range(count):
            index.find(probes)
            index.find(series)
            words.find(strings)
            index.retrieve(probes)
            index.join(probes)
            Index(probes)
            with pytest.raises(TypeError):
                index.find(["a"])

    some(300)
    before = resident_bytes()
    some(15_000)  # more than 10^5 calls
    assert resident_bytes() - before < 12 << 20


def test_arrays_are_let_go():
    keys = np.arange(1000)
    before = sys.getrefcount(keys)
    index = Index(keys)
    index.find(keys)
    index.retrieve(keys)
    index.insert(keys[:5], np.arange(5))
    assert sys.getrefcount(keys) == before


def test_importing_needs_numpy_alone():
    code = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name in ("pandas", "polars", "pyarrow", "duckdb", "torch"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Refuse())
import warpdex
assert warpdex.Index([3, 1]).find([1]).tolist() == [1]
for name in "pandas", "polars", "duckdb", "torch":
    try:
        __import__("warpdex." + name)
    except ImportError as why:
        assert str(why) == f"this needs {name}, which is missing: pip install {name}", why
    else:
        raise AssertionError(name)
"""
    done = run(code)
    assert done.returncode == 0, done.stderr
    imported = run(
        "import sys, warpdex; print(sorted({'pandas', 'polars', 'pyarrow', 'duckdb', 'matplotlib'} & set(sys.modules)))"
    )
    assert imported.stdout.strip() == "[]", imported.stderr


def test_drawings_are_loaded_on_use():
    code = """
import sys, warpdex
loaded = lambda: [name for name in sys.modules if name.startswith("warpdex.drawing")]
assert loaded() == [] and not hasattr(warpdex, "other"), loaded()
from warpdex import draw
from warpdex.drawing import Drawing
assert isinstance(draw("AO+BS", [3, 1]), Drawing) and len(loaded()) == 6, loaded()
"""
    done = run(code)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("warnings", [False, True])
def test_nothing_is_said_at_exit(warnings):
    environment = {**os.environ, **({"WARPDEX_LEAK_WARNINGS": "1"} if warnings else {})}
    code = "import numpy as np, warpdex; i = warpdex.Index(np.arange(9)); f = i.find; print(i.find([3]))"
    done = run(code if not warnings else f"def main():\n {code}\nmain()", env=environment)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[3]", "")


def test_leaks_are_told_if_asked_for():
    code = "import numpy as np, warpdex, ctypes; i = warpdex.Index(np.arange(9)); ctypes.pythonapi.Py_IncRef(ctypes.py_object(i._core))"
    for query in (False, True):
        environment = {**os.environ, **({"WARPDEX_LEAK_WARNINGS": "1"} if query else {})}
        done = run(code, env=environment)
        assert done.returncode == 0 and ("leaked" in done.stderr) == query


def test_representations():
    index = Index(np.arange(5, dtype=np.uint32), "AO+BS")
    assert "AO+BS" in repr(index)
    said = index.explain()
    assert "resolved spec: AO+BS" in said and "bounds, floor" in said and "advice is" in said
    assert "levels: 3, one comparison each" in said and "policy: layout=SoA, rows=u32" in said
    assert "of pivots over the keys" in Index(np.arange(5000), "AO+PB+KS(9)").explain()
    assert "levels: 3, nodes of 8 keys" in Index(np.arange(100), "EO+KS(9)").explain()
    assert "only equal keys" in Index([1], "HT(open)").explain()
    assert "0 keys" in Index(np.array([], np.int64)).explain()


def frames_to_join():
    pl = pytest.importorskip("polars")
    left, right = (pl.DataFrame({"k": [1, 2, 3], name: [1, 2, None]}) for name in "ab")
    return lambda: warpdex.join(left, right, "k", "left")


@pytest.mark.skipif(not pathlib.Path("/proc/self/statm").exists(), reason="no /proc")
@pytest.mark.parametrize(
    ("calls", "make"),
    [
        (100_000, lambda: functools.partial(Index(np.arange(9)).find, np.array([3, 99]))),
        (100_000, lambda: functools.partial(Index(np.arange(9)).find, np.array([3, 99], np.int32))),
        (100_000, lambda: functools.partial(Index(np.arange(9)).range_retrieve, np.array([1]), np.array([5]), "left")),
        (10_000, lambda: functools.partial(Index(["a", "b"]).join, ["a", None, "c"], "left")),
        (10_000, frames_to_join),
    ],
    ids=["find", "find in another type", "range_retrieve", "join of strings", "join of frames"],
)
def test_many_calls_leave_memory_flat(calls, make):
    call = make()
    for _ in range(calls // 2):  # until what is kept for later calls has its size
        call()
    gc.collect()
    blocks, resident = sys.getallocatedblocks(), resident_bytes()
    for _ in range(calls):
        call()
    gc.collect()
    assert sys.getallocatedblocks() - blocks < calls // 10  # caches of others come and go by a hundred
    assert resident_bytes() - resident < 16 * calls + (1 << 20)


def test_the_stub_is_that_of_the_module():
    stub = (pathlib.Path(warpdex.__file__).parent / "_core.pyi").read_text()
    for owner in (_core, _core.Index, _core.GroupedIndex, _core.ArrowArray):
        for name in vars(owner):
            if not name.startswith("_") or name.startswith("__arrow"):
                known = any(
                    f"{start}{name}{end}" in stub
                    for start, end in (("def ", "("), ("class ", ":"), ("\n", ": "), ("\n    ", ": "))
                )
                assert known, f"{name}: run scripts/python-stub.sh"
    methods = (pathlib.Path(warpdex.__file__).parent / "lookups/table.pyi").read_text()
    tables = warpdex.lookups.table
    for name, row in [*tables.TABLE.items(), *tables.GROUPED_TABLE.items()]:
        whole = "".join(row.stub.split())
        assert whole in "".join(methods.replace(",\n    )", ")").split()), f"{name}: run scripts/python-stub.sh"


@pytest.mark.parametrize(
    "checker",
    [["mypy", "--strict", "--follow-imports=silent", "--cache-dir", "."], ["pyright", "--pythonpath", sys.executable]],
    ids=lambda c: c[0],
)
def test_types_are_checked(checker, tmp_path):
    """Type checkers find the typos of `typos.py`, and nothing else, there and in `typed_examples.py`."""
    pytest.importorskip(checker[0])
    for name in ("pandas", "polars", "duckdb"):
        pytest.importorskip(name)
    package = str(pathlib.Path(warpdex.__file__).parents[1])
    paths = [] if package.endswith("site-packages") else [package]
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"extraPaths": paths}))
    names = "typos.py", "typed_examples.py"
    for name in names:
        shutil.copy(HERE / name, tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", *checker, *(names if checker[0] == "mypy" else ())],
        capture_output=True,
        text=True,
        timeout=170,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": os.pathsep.join(paths)},
    )
    found = set(re.findall(r"(\w+\.py):(\d+)(?::\d+)?(?: -|:) error", done.stdout))
    typos = enumerate((HERE / "typos.py").read_text().splitlines(), 1)
    assert found == {("typos.py", str(line)) for line, text in typos if text.endswith("# typo")}, (
        done.stdout + done.stderr
    )


def test_typed_examples_run():
    code = (HERE / "typed_examples.py").read_text()
    exec(compile(code, "typed_examples.py", "exec"), {"__name__": "typed_examples"})
