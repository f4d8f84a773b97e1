# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Lookups and updates take turns: a call sees one state of the index, nobody waits for ever, and nothing ends the process."""

import inspect
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import warpdex
from warpdex import Index
from warpdex.lookups import calls

PIECE = 100
NEW, ROW = 77, 5
PROBES = np.full(3 * PIECE, NEW)
STARTS = PROBES - 1

# Each takes several pieces or several lookups, and answers otherwise after NEW was inserted.
CALLS = {
    "find": lambda i, **on: i.find(PROBES, **on),
    "contains": lambda i, **on: i.contains(PROBES, **on),
    "count": lambda i, **on: i.count(PROBES, **on),
    "upper_bound": lambda i, **on: i.upper_bound(PROBES, **on),
    "lower_bound": lambda i, **on: i.lower_bound(PROBES + 1, **on),
    "lower_bound of values beyond all": lambda i, **on: i.lower_bound([2**64] * (2 * PIECE), **on),
    "floor": lambda i, **on: i.floor(PROBES, **on),
    "ceil": lambda i, **on: i.ceil(PROBES, **on),
    "retrieve": lambda i, **on: i.retrieve(PROBES, **on)[0],
    "join": lambda i, **on: i.join(PROBES, "left", **on)[1],
    "join_between": lambda i, **on: i.join_between(STARTS, PROBES, "left", **on)[1],
    "join_asof": lambda i, **on: i.join_asof(PROBES, **on),
    **{
        f"range_{of} {closed}": lambda i, of=of, closed=closed, **on: np.hstack(
            getattr(i, f"range_{of}")(STARTS, PROBES + 1, closed, **on)
        )
        for of in ("count", "sum", "retrieve")
        for closed in ("both", "left", "right", "none")
    },
}


def some_index():
    return Index(np.arange(10), "AO+BS")


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(calls, "PIECE", PIECE)


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_an_update_from_inside_of_a_call_is_refused(call, small_pieces):
    index = some_index()
    before = call(index)

    def insert(done):
        index.insert([NEW], [ROW])

    with pytest.raises(warpdex.errors.Busy, match="a call of this thread reads the index"):
        call(index, progress=insert)
    assert len(index) == 10
    index.insert([NEW], [ROW])
    assert call(index).tolist() != before.tolist()


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_a_call_sees_one_state_of_the_index(call, small_pieces):
    index = some_index()
    before = call(index).tolist()
    with ThreadPoolExecutor(1) as pool:
        jobs = []

        def start(done):
            if not jobs:  # the update comes in the middle of the call, and waits for its end
                jobs.append(pool.submit(index.insert, [NEW], [ROW]))
                while not jobs[0].running():
                    time.sleep(0)
                time.sleep(0.02)

        assert call(index, progress=start).tolist() == before
        assert jobs[0].result() == (1, 0, 0)
    assert call(index).tolist() != before


def test_every_public_method_but_updates_holds_the_index():
    free = {"insert", "insert_or_assign", "erase", "update", "load", "from_buffer"}
    seen = set()

    class Noting:
        def __enter__(self):
            raise LookupError("held")

        def __exit__(self, *why):
            pass

    for name, member in inspect.getmembers(Index, inspect.isfunction):
        if name.startswith("_") or name in free:
            continue
        index = Index.__new__(Index)
        index._core = Noting()
        some = [1] * sum(p.default is p.empty for p in list(inspect.signature(member).parameters.values())[1:])
        with pytest.raises(warpdex.Error, match="held"):
            member(index, *(["a"] if name == "save" else some))
        seen.add(name)
    assert {"find", "join", "get_indexer", "longest_prefix", "explain", "to_bytes"} <= seen


def test_a_callback_may_ask_the_index():
    index = some_index()
    told = []
    index.find([3], progress=lambda done: told.append(index.find([4]).tolist()))
    assert told == [[4]]
    with ThreadPoolExecutor(1) as pool:  # an update that waits holds up no call of a thread that reads

        def ask(done):
            job = pool.submit(index.insert, [NEW], [ROW])
            while not job.running():
                time.sleep(0)
            time.sleep(0.02)
            told.append(index.find([NEW]).tolist())

        index.find([3], progress=ask)
    assert told[1:] == [[-1]] and index.find([NEW]).tolist() == [ROW]


def test_frames_and_streams_see_one_state(small_pieces):
    pl = pytest.importorskip("polars")
    left = pl.DataFrame({"k": np.arange(400)})
    right = pl.DataFrame({"k": np.arange(10)})
    index = some_index()
    for join in (warpdex.join, lambda *given, on, index: warpdex.join_asof(*given, on=on, index=index)):
        query = join(left.lazy(), right, on="k", index=index)
        query.collect()
        index.insert([NEW], [ROW])
        index.erase([NEW])
        with pytest.raises(Exception, match="the index was updated between two parts of one call"):
            query.collect()
    expression = pl.col("k").warpdex.find(index)
    left.select(expression)
    index.insert([NEW], [ROW])
    with pytest.raises(Exception, match="the index was updated between two parts of one call"):
        left.select(expression)
    assert left.select(pl.col("k").warpdex.find(index))["k"][NEW] == ROW


def test_batches_of_a_query_see_one_state(monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    import warpdex.duckdb

    monkeypatch.setattr(warpdex.duckdb, "_BATCH", 1)
    index = some_index()
    joined = index.join(duckdb.connect(), "select range as k from range(1000000)", on="k", how="left")
    with joined.reader() as batches:
        batches.read_next_batch()
        index.insert([NEW], [ROW])
        with pytest.raises(Exception, match="the index was updated between two parts of one call"):
            list(batches)
    assert joined.table().num_rows == 1000000


def readers(index, count, until):
    def look():
        while not until.is_set():
            index.find(np.arange(50_000) % 10, threads=1)

    result = [threading.Thread(target=look) for _ in range(count)]
    for one in result:
        one.start()
    return result


def test_a_writer_among_readers_gets_its_turn():
    index = some_index()
    until = threading.Event()
    threads = readers(index, 3, until)
    try:
        for key in range(20):
            assert index.insert([1000 + key], [key]) == (1, 0, 0)
    finally:
        until.set()
        for one in threads:
            one.join()
    assert len(index) == 30


def holding(index, done):
    """A thread that reads the index until the event, once it does."""
    begun = threading.Event()

    def hold():
        index.find([1], progress=lambda part: (begun.set(), done.wait(60)))

    thread = threading.Thread(target=hold)
    thread.start()
    assert begun.wait(60)
    return thread


def test_a_wait_has_a_limit():
    index = some_index()
    assert index.max_wait == 60 and pickle.loads(pickle.dumps(index)).max_wait == 60
    done = threading.Event()
    thread = holding(index, done)
    try:
        for seconds in (0, 0.01):
            index.max_wait = seconds
            with pytest.raises(
                warpdex.errors.Busy,
                match=f"an update of the index waited for other calls; max_wait is {seconds} seconds",
            ) as caught:
                index.insert([NEW], [ROW])
            assert isinstance(caught.value, RuntimeError) and not isinstance(caught.value, ValueError)
        assert index.find([1]).tolist() == [1]  # nobody waits any more, so readers go on
    finally:
        done.set()
        thread.join()
    assert index.insert([NEW], [ROW]) == (1, 0, 0)
    for wrong in ("x", None, -1, float("nan"), [1]):
        with pytest.raises(warpdex.Error, match="max_wait is"):
            index.max_wait = wrong
    index.max_wait = float("inf")


def test_control_c_ends_a_wait():
    index = some_index()
    done = threading.Event()
    thread = holding(index, done)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            index.insert([NEW], [ROW])
    finally:
        signal.signal(signal.SIGINT, before)
        done.set()
        thread.join()
    assert index.insert([NEW], [ROW]) == (1, 0, 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded")
def test_a_child_forgets_the_calls_of_other_threads():
    index = some_index()
    index.max_wait = 5
    done = threading.Event()
    thread = holding(index, done)

    def child(part):
        """Inside of a call of the thread that forks."""
        pid = os.fork()
        if pid == 0:
            try:
                index.insert([NEW], [ROW])
            except warpdex.errors.Busy:
                os._exit(0 if index.find([3]).tolist() == [3] else 2)
            os._exit(3)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0

    pid = os.fork()
    if pid == 0:
        os._exit(0 if index.insert([NEW], [ROW]) == (1, 0, 0) and index.find([NEW]).tolist() == [ROW] else 1)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    index.find([1], progress=child)
    done.set()
    thread.join()
    assert code == 0
    assert index.insert([NEW], [ROW]) == (1, 0, 0)


def test_the_gil_is_let_go_in_one_place():
    words = ("gil_scoped_", "PyEval_", "PyGILState_", "Py_BEGIN_ALLOW")
    sources = pathlib.Path(__file__).parents[1] / "src"
    users = {path.name for path in sources.iterdir() if any(word in path.read_text() for word in words)}
    assert users == {"gil.hpp"}


@pytest.mark.parametrize("call", ["find", "build", "retrieve", "join", "small", "update"])
def test_a_daemon_in_a_call_does_not_end_the_process(call):
    code = """
import sys, threading, time
import numpy as np
from warpdex import Index
keys = np.random.default_rng(1).integers(0, 1 << 60, 1 << 18)
index = Index(keys)
calls = {
    "find": lambda: index.find(keys),
    "build": lambda: Index(keys),
    "retrieve": lambda: index.retrieve(keys),
    "join": lambda: index.join(keys),
    "small": lambda: index.find(keys[:5]),
    "update": lambda: index.insert_or_assign(keys[:5], [1, 2, 3, 4, 5]),
}
begun = threading.Semaphore(0)

def go_on():
    begun.release()
    while True:
        calls[sys.argv[1]]()

for _ in range(3):
    threading.Thread(target=go_on, daemon=True).start()
for _ in range(3):
    begun.acquire()
time.sleep(0.01)
print("end", flush=True)
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code, call], capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")
