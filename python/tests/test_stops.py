# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends a call of few values whose result is large, long before the result is complete: its memory is not touched."""

import json
import pathlib
import subprocess
import sys

import pytest

SIZE = 12_000  # values on each side, which all match: 1.4e8 rows or pairs

# What is asked, and bytes per row or pair of the result.
CALLS = {
    "retrieve": ("i = wd.Index(k)", "i.retrieve(k, threads=1)", 4),
    "retrieve of a hash table": ("i = wd.Index(k, 'HT(open)')", "i.retrieve(k, threads=1)", 4),
    "range_retrieve": ("i = wd.Index(k)", "i.range_retrieve(k - 1, k + 1, threads=1)", 4),
    "retrieve of words": ("k = words(k); i = wd.Index(k)", "i.retrieve(k, threads=1)", 4),
    "join": ("i = wd.Index(k)", "i.join(k, threads=1)", 8),
    "join of words": ("k = words(k); i = wd.Index(k)", "i.join(k, threads=1)", 8),
    "join_between": ("i = wd.Index(k)", "i.join_between(k - 1, k + 1, threads=1)", 8),
    "join_columns": ("", "wd.joins.join_columns(k, k, threads=1)", 8),
    "hash_join": ("", "wd.joins.hash_join(k, k, threads=1)", 8),
    "merge_join": ("", "wd.joins.merge_join(k, k, threads=1)", 8),
    "join_between in groups": ("i = wd.GroupedIndex(k, k)", "i.join_between(k, k - 1, k + 1, threads=1)", 8),
    "retrieve of intervals": ("i = wd.Intervals(k, k + 5)", "i.retrieve(k, threads=1)", 4),
    "join of intervals": ("i = wd.Intervals(k, k + 5)", "i.join(k, k + 5, threads=1)", 8),
    "covering": (
        "i = wd.Networks(['10.0.0.0/8'] * k.size); a = np.full(k.size, 10 << 24, np.uint32)",
        "i.covering(a, threads=1)",
        4,
    ),
}

# The thread asks for the GIL before the call, and gets it in the call, which lets go of it.
RUN = """
import json, os, resource, signal, sys, threading
import numpy as np, warpdex as wd
def words(k):
    import pandas as pd
    return pd.Categorical(k.astype(str))
signal.signal(signal.SIGINT, signal.default_int_handler)
k = np.full({size}, 7)
{setup}
sys.setswitchinterval(100)
begun = threading.Event()
def interrupt():
    begun.wait()
    os.kill(os.getpid(), signal.SIGINT)
sender = threading.Thread(target=interrupt)
sender.start()
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
before = peak()
ended = False
begun.set()
try:
    {call}
    sender.join()
except KeyboardInterrupt:
    ended = True
taken = peak() - before
sender.join()
print(json.dumps([ended, taken]))
"""


def free_memory():
    for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable"):
            return int(line.split()[1]) * 1024
    return 0


@pytest.mark.parametrize("name", CALLS)
def test_control_c_ends_a_call_whose_result_is_large(name):
    if "words" in name:
        pytest.importorskip("pyarrow")
    setup, call, width = CALLS[name]
    whole = SIZE * SIZE * width
    if free_memory() < 4 * whole:
        pytest.skip("a call that goes on needs the memory of its whole result")
    code = RUN.format(size=SIZE, setup=setup, call=call)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    ended, taken = json.loads(done.stdout)
    assert ended
    assert taken < whole // 2, f"{taken} of {whole} bytes were written"


@pytest.mark.parametrize(
    "raised, call",
    [("KeyboardInterrupt", "i.retrieve(k)"), ("Mine", "i.join(k, threads=1)")],
)
def test_an_index_that_a_handler_of_signals_left_answers_as_before(raised, call):
    """What a handler raises ends the call; the handler may ask the same index, but not change it."""
    code = f"""
import os, signal, sys, threading
import numpy as np, warpdex as wd
class Mine(Exception):
    pass
k = np.full({SIZE}, 7)
i = wd.Index(k)
seen = []
def handle(number, frame):
    seen.append(i.count([7, 8]).tolist())
    try:
        i.insert([1], [1])
    except wd.errors.Busy:
        seen.append("busy")
    raise {raised}
signal.signal(signal.SIGUSR1, handle)
sys.setswitchinterval(100)
begun = threading.Event()
sender = threading.Thread(target=lambda: (begun.wait(), os.kill(os.getpid(), signal.SIGUSR1)))
sender.start()
begun.set()
try:
    {call}
except BaseException as failure:
    print(type(failure).__name__, seen, len(i), i.count([7]).tolist(), i.insert([1], [1])[0])
sender.join()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    expected = f"{raised} [[{SIZE}, 0], 'busy'] {SIZE} [{SIZE}] 1\n"
    assert (done.stdout, done.stderr) == (expected, "")
