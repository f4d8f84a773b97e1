# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Single probes of many threads, gathered and answered as batches."""

from __future__ import annotations

import threading
import time
import weakref
from collections import deque
from concurrent.futures import Future
from typing import Any

from ..columns.devices import device_name
from ..errors import InvalidArgument, OutOfMemory
from ..types import Single
from .asking import Searched
from .border import public_methods
from .calls import described

_Asked = list[tuple[Any, "Future[Any]"]]


class _Batch:
    """Probes that are answered together, by lookup and type."""

    def __init__(self, due: float) -> None:
        self.due = due  # when the first of them has waited for long enough
        self.size = 0
        self.asked: dict[tuple[str, type], _Asked] = {}


class _Gathering:
    """The probes that wait, and the thread that answers them."""

    def __init__(self, index: Searched, most_probes: int, longest_wait: float) -> None:
        self._index, self._most, self._wait = index, most_probes, longest_wait
        self._changed = threading.Condition()  # a batch has begun or is full, or there will be no more
        self._waiting: deque[_Batch] = deque()  # in order; all but the last are full
        self._stopped = False
        self._thread = threading.Thread(target=self._work, name="warpdex.Batcher", daemon=True)
        try:
            self._thread.start()
        except RuntimeError as why:
            raise OutOfMemory(f"the batcher's thread cannot be started: {why}") from None

    def add(self, lookup: str, key: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with self._changed:
            if self._stopped or not self._thread.is_alive():
                raise InvalidArgument("the batcher was stopped, or this process was forked from that of the batcher")
            if not self._waiting or self._waiting[-1].size == self._most:
                self._waiting.append(_Batch(time.monotonic() + self._wait))
            batch = self._waiting[-1]
            batch.asked.setdefault((lookup, type(key)), []).append((key, future))
            batch.size += 1
            if batch.size in (1, self._most):
                self._changed.notify()
        return future

    def described(self) -> str:
        state = "stopped" if self._stopped else f"batches of up to {self._most}"
        return described("Batcher", self._index._kind_shown, state, device_name(self._index._device))

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _work(self) -> None:
        while (batch := self._next()) is not None:
            for (lookup, _), query in batch.asked.items():
                self._answer(lookup, [entry for entry in query if entry[1].set_running_or_notify_cancel()])

    def _next(self) -> _Batch | None:
        """The next batch, once it is full or due; None after the last one."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or self._waiting)
            if not self._waiting:
                return None
            first = self._waiting[0]
            while not self._stopped and first.size < self._most and (left := first.due - time.monotonic()) > 0:
                self._changed.wait(min(left, threading.TIMEOUT_MAX))
            return self._waiting.popleft()

    def _answer(self, lookup: str, entries: _Asked) -> None:
        if not entries:
            return
        keys: Any = [key for key, _ in entries]
        try:
            answers = getattr(self._index, lookup)(*self._index._columns_of(keys))
            if answers.shape != (len(entries),):
                raise InvalidArgument(f"key is {keys[0]!r}; it must be one key, not an array")
        except BaseException as why:
            for _, future in entries:
                future.set_exception(why)
        else:
            for (_, future), answer in zip(entries, answers.tolist(), strict=True):
                future.set_result(answer)


@public_methods(held="index")
class Batcher:
    """Gathers single keys for which many threads or coroutines ask, and answers them as batches. A batch is answered
    once it has `most_probes`, or once its first key has waited for `longest_wait` seconds. With 0 it is answered as soon
    as the batch before it is, and holds the keys that came meanwhile.

    A key is what an element of a list of probes may be; of an index over several columns it is a tuple, of one within
    groups a pair of a group and a key. None is null.
    Keys of one lookup and one type are looked up together, and get the exception of that lookup if it fails. Batches
    take turns with updates, as all calls do. Each key that was taken is answered, at the latest by `stop`, at the end
    of a `with`, or when the batcher ends. Threads of Python hand over some 10^5 keys a second, so this pays where many
    threads have one key at a time, on a device above all; a thread that has many keys uses the index.

    >>> with Batcher(Index([30, 10, 20])) as asked:
    ...     asked.find(10), asked.ask("contains", 11).result()
    (1, False)
    """

    def __init__(self, index: Searched, *, most_probes: int = 2**16, longest_wait: float = 0.0) -> None:
        self._gathering = _Gathering(index, most_probes, longest_wait)
        self._end = weakref.finalize(self, self._gathering.stop)

    def __repr__(self) -> str:
        return self._gathering.described()

    def __enter__(self) -> Batcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def ask(self, lookup: Single, key: Any) -> Future[int]:
        """Asks for one key. `lookup` is find, contains, count, lower_bound, upper_bound, floor, ceil, prefix_count or
        prefix_sum. The answer comes as an object of Python: -1 for no row. A coroutine awaits it by
        `asyncio.wrap_future`.

        >>> Batcher(Index([30, 10, 20])).ask("floor", 25).result()
        2
        """
        return self._gathering.add(lookup, key)

    def find(self, key: Any) -> int:
        """Waits for the smallest row id of a key, -1 for none.

        >>> Batcher(Index([30, 10, 20])).find(20)
        2
        """
        return self.ask("find", key).result()

    def stop(self) -> None:
        """Takes no more keys, and returns once all that were taken are answered.

        >>> asked = Batcher(Index([30, 10, 20]))
        >>> answer = asked.ask("count", 10)
        >>> asked.stop()
        >>> answer.result()
        1
        """
        self._gathering.stop()
