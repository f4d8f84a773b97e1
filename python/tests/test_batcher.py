# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Single keys of many threads, answered as batches. No test waits for a time: limits are reached, or far away."""

import asyncio
import datetime
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

import warpdex
from warpdex import Batcher, Index

FAR = 1e6  # seconds
NAMES = ["tea", "ten", "to"]


class Slow(Index):
    """An index whose finds wait until they may go on, and which keeps their sizes."""

    def __init__(self, keys):
        super().__init__(keys)
        self.sizes, self.begun, self.go_on = [], threading.Semaphore(0), threading.Semaphore(0)

    def find(self, probes):
        self.sizes.append(len(probes))
        self.begun.release()
        self.go_on.acquire()
        return super().find(probes)


def test_many_threads_get_what_the_index_answers():
    keys = [7 * i % 1009 for i in range(1000)]
    index = Index(keys, "AO+BS")
    lookups = ["find", "contains", "count", "lower_bound", "upper_bound", "floor", "ceil"]
    for limits in ({}, {"most_probes": 1}, {"most_probes": 5, "longest_wait": 1e-4}):
        with Batcher(index, **limits) as query, ThreadPoolExecutor(8) as pool:
            jobs = [(lookups[i % 7], i % 1013) for i in range(800)]
            answers = list(pool.map(lambda job: query.ask(*job).result(), jobs))
        right = {name: getattr(index, name)(list(range(1013))).tolist() for name in lookups}
        assert answers == [right[name][key] for name, key in jobs]


def test_keys_of_each_kind():
    day = datetime.date(2026, 1, 2)
    pairs = Index(([1, 1, 2], NAMES), "AO+BS")
    for index, key, row in [
        (Index(NAMES), "to", 2),
        (Index(NAMES), b"ten", 1),
        (Index([day]), day, 0),
        (Index([Decimal("1.5"), Decimal(2)]), Decimal("2.00"), 1),
        (Index([2**64 - 1, 5]), 2**70, -1),
        (Index([1.5, 2.0]), 2, 1),
        (Index([4, 5]), None, -1),
        (pairs, (2, "to"), 2),
        (pairs, (1, "to"), -1),
    ]:
        with Batcher(index) as query:
            assert query.find(key) == row
    with Batcher(Index(NAMES, "AO+BS")) as query:
        assert query.ask("prefix_count", "te").result() == 2


def test_a_batch_gathers_while_another_is_answered():
    index = Slow([10, 20])
    with Batcher(index) as query:
        first = query.ask("find", 20)
        index.begun.acquire()
        others = [query.ask("find", key) for key in (10, 20, 30)]
        index.go_on.release(2)
        assert [first.result(), *(one.result() for one in others)] == [1, 0, 1, -1]
    assert index.sizes == [1, 3]


def test_limits():
    index = Slow([10, 20])
    index.go_on.release(100)
    query = Batcher(index, most_probes=2, longest_wait=FAR)
    answers = [query.ask("find", key) for key in (10, 20, 10, 20, 10)]
    assert [one.result() for one in answers[:4]] == [0, 1, 0, 1]
    assert not answers[4].done()
    query.stop()
    assert answers[4].result() == 0
    assert index.sizes == [2, 2, 1]
    with Batcher(index, longest_wait=1e-4) as query:
        assert query.find(20) == 1
    assert Batcher(index, longest_wait=float("inf"), most_probes=1).find(20) == 1


def test_a_failure_reaches_all_who_wait_and_nobody_else():
    with Batcher(Index([10, 20], "HT(open)"), longest_wait=FAR) as query:
        ranks = [query.ask("lower_bound", 10) for _ in range(3)]
        texts = [query.ask("find", "ten") for _ in range(2)]
        row = query.ask("find", 20)
    assert row.result() == 1
    assert all(isinstance(one.exception(), warpdex.errors.Unsupported) for one in ranks)
    assert all(isinstance(one.exception(), warpdex.errors.KeyTypeError) for one in texts)


def test_what_is_refused():
    query = Batcher(Index([10], "AO+BS"))
    for lookup in ("retrieve", "range_count", "equal_range", "find_unordered", "longest_prefix", "keys_at", "_read", 7):
        with pytest.raises((warpdex.errors.InvalidArgument, warpdex.errors.KeyTypeError), match="lookup is "):
            query.ask(lookup, 10)
    query.stop()
    query.stop()
    with pytest.raises(warpdex.errors.InvalidArgument, match="the batcher was stopped"):
        query.find(10)
    with Batcher(Index([10], "AO+BS")) as query:
        for key in ([], [10], [10, 11], ((10,),)):
            with pytest.raises(warpdex.Error):
                query.find(key)
        assert query.find(10) == 0
    with pytest.raises(warpdex.errors.InvalidArgument, match="most_probes is 0"):
        Batcher(Index([10]), most_probes=0)
    with pytest.raises(warpdex.errors.InvalidArgument, match="longest_wait is -1"):
        Batcher(Index([10]), longest_wait=-1)


def test_without_a_thread(monkeypatch):
    def fails(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", fails)
    with pytest.raises(
        warpdex.errors.OutOfMemory, match="^the batcher's thread cannot be started: can't start new thread$"
    ):
        Batcher(Index([10]))


def test_no_key_is_lost_when_a_batcher_ends():
    query = Batcher(Index([10, 20]), longest_wait=FAR)
    answers = [query.ask("find", 20) for _ in range(100)]
    cancelled = query.ask("find", 10)
    assert cancelled.cancel()
    del query
    assert [one.result(0) for one in answers] == [1] * 100


def test_coroutines_wait_for_answers():
    async def ask(asked):
        return await asyncio.gather(*(asyncio.wrap_future(query.ask("find", key)) for key in (10, 20, 30)))

    with Batcher(Index([10, 20])) as query:
        assert asyncio.run(ask(query)) == [0, 1, -1]


def test_batches_take_turns_with_updates():
    index = Index([0])
    with Batcher(index) as query:

        def insert_and_find(key):
            index.insert([key], [key])
            return query.find(key)

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(insert_and_find, range(1, 60))) == list(range(1, 60))


def test_a_child_has_no_thread_that_answers():
    query = Batcher(Index([10]))
    assert query.find(10) == 0
    child = os.fork()
    if child == 0:
        try:
            query.find(10)
        except warpdex.errors.InvalidArgument as why:
            os._exit(0 if "forked" in str(why) else 2)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
