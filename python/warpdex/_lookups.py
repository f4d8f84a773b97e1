# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The lookups of an index with one answer per probe, and those that list rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._asking import Asking
from ._columns import Column
from ._errors import InvalidArgument, Unsupported
from ._values import Values


class Lookups(Asking):
    """What an index is asked: each lookup takes columns of probes, and answers in their kind."""

    def find(self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False) -> Any:
        """The smallest row id of each probe, -1 for none.

        >>> Index(["b", "a", "b"]).find("b")
        np.int32(0)
        """
        if self._is_plain(probes, out, stream):
            answers = np.empty(probes.size, self._row_type)
            self._core.find(probes, answers, threads)
            return answers
        return self._ask_one(
            self._core.find,
            self._row_type,
            -1,
            probes,
            "equal",
            out,
            stream,
            threads,
            progress,
        )

    def contains(
        self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any:
        """Whether each probe is a key.

        >>> Index([1.5, 2.5]).contains([2.5, 3.0]).tolist()
        [True, False]
        """
        if self._is_plain(probes, out, stream):
            answers = np.empty(probes.size, np.bool_)
            self._core.contains(probes, answers, threads)
            return answers
        return self._ask_one(
            self._core.contains,
            np.bool_,
            False,
            probes,
            "equal",
            out,
            stream,
            threads,
            progress,
        )

    def count(
        self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any:
        """The number of entries of each probe.

        >>> Index([7, 7, 8]).count([7, 9]).tolist()
        [2, 0]
        """
        return self._ask_one(
            self._core.count,
            np.int64,
            0,
            probes,
            "equal",
            out,
            stream,
            threads,
            progress,
        )

    def lower_bound(
        self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any:
        """The number of entries with keys less than each probe.

        >>> Index([30, 10, 20]).lower_bound([20, 99]).tolist()
        [1, 3]
        """
        if self._is_plain(probes, out, stream):
            answers = np.empty(probes.size, np.int64)
            self._core.lower_bound(probes, answers, threads)
            return answers
        return self._ask_one(
            self._core.lower_bound,
            np.int64,
            0,
            probes,
            "up",
            out,
            stream,
            threads,
            progress,
            nulls_fail=True,
        )

    def upper_bound(
        self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any:
        """The number of entries with keys not greater than each probe.

        >>> Index([30, 10, 20]).upper_bound([20, 5]).tolist()
        [2, 0]
        """
        if self._is_plain(probes, out, stream):
            answers = np.empty(probes.size, np.int64)
            self._core.upper_bound(probes, answers, threads)
            return answers
        return self._ask_one(
            self._core.upper_bound,
            np.int64,
            0,
            probes,
            "down",
            out,
            stream,
            threads,
            progress,
            nulls_fail=True,
        )

    def floor(
        self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any:
        """The smallest row id of the largest key not above each probe, -1 for none.

        >>> Index([30, 10, 20]).floor([25, 5]).tolist()
        [2, -1]
        """
        return self._ask_one(
            self._core.floor,
            self._row_type,
            -1,
            probes,
            "down",
            out,
            stream,
            threads,
            progress,
        )

    def ceil(self, probes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False) -> Any:
        """The smallest row id of the smallest key not below each probe, -1 for none.

        >>> Index([30, 10, 20]).ceil([25, 35]).tolist()
        [0, -1]
        """
        return self._ask_one(
            self._core.ceil,
            self._row_type,
            -1,
            probes,
            "up",
            out,
            stream,
            threads,
            progress,
        )

    def prefix_count(
        self, prefixes: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any:
        """The number of entries whose keys, which are strings, begin with each prefix.

        >>> Index(["tea", "ten", "to"]).prefix_count(["te", ""]).tolist()
        [2, 3]
        """
        return self._ask(
            self._core.prefix_count,
            np.int64,
            0,
            (self._read(prefixes, "prefixes", stream=stream),),
            out,
            stream,
            threads,
            progress,
        )

    # Ranges.

    def _ranges(self, lower: Any, upper: Any, closed: str, stream: Any) -> tuple[Values, Values]:
        if closed != "both":
            raise InvalidArgument(f"closed is {closed!r}; here it must be 'both'. join_between takes the others")
        return self._read(lower, "lower", "up", stream), self._read(upper, "upper", "down", stream)

    def range_count(
        self,
        lower: Any,
        upper: Any,
        closed: str = "both",
        *,
        out: Any = None,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> Any:
        """The number of entries in each range. `closed` is both, left, right or none: which bounds belong to it.

        >>> Index([10, 20, 20, 30]).range_count([10, 15], [20, 18]).tolist()
        [3, 0]
        >>> Index([10, 20, 20, 30]).range_count([10], [20], "left").tolist()
        [1]
        """
        if closed not in ("both", "left", "right", "none"):
            raise InvalidArgument(f"closed is {closed!r}; it must be 'both', 'left', 'right' or 'none'")
        low, high = self._read(lower, "lower", "up", stream), self._read(upper, "upper", "down", stream)
        if closed == "both":
            return self._ask(
                self._core.range_count, np.int64, 0, (low, high), out, stream, threads, progress, nulls_fail=True
            )

        if (found := low.found) is not None:
            if out is not None:
                raise Unsupported(f"closed is {closed!r}; for bounds on a device out needs 'both'")
            begin = self._core.lower_bound if closed == "left" else self._core.upper_bound
            end = self._core.upper_bound if closed == "right" else self._core.lower_bound
            with found.place.library.running(found.place):
                begins, ends = (
                    self._ask(bound, np.int64, 0, (column,), None, stream, threads, nulls_fail=True)
                    for bound, column in ((begin, low), (end, high))
                )
                return (ends - begins).clip(min=0)

        def between(lowers: Column, uppers: Column, answers: np.ndarray, where: int) -> None:
            begins = np.empty(answers.size, np.int64)
            (self._core.lower_bound if closed == "left" else self._core.upper_bound)(lowers, begins, where)
            (self._core.upper_bound if closed == "right" else self._core.lower_bound)(uppers, answers, where)
            np.maximum(answers - begins, 0, out=answers)

        return self._ask(between, np.int64, 0, (low, high), out, stream, threads, progress, nulls_fail=True)

    def range_sum(
        self, lower: Any, upper: Any, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Any:
        """The sum of the row ids in each range, modulo 2**64, as uint64. Both bounds belong to it.

        >>> Index([10, 20, 30]).range_sum([15], [40]).tolist()
        [3]
        """
        return self._ask(
            self._core.range_sum,
            np.uint64,
            0,
            self._ranges(lower, upper, "both", stream),
            out,
            stream,
            threads,
            progress,
            nulls_fail=True,
        )

    def range_retrieve(self, lower: Any, upper: Any, *, stream: Any = None, threads: int = 0) -> tuple[Any, Any]:
        """All rows of each range, in key order, then row order, as `retrieve`. Both bounds belong to it.

        >>> offsets, rows = Index([30, 10, 20]).range_retrieve([15], [40])
        >>> rows.tolist()
        [2, 0]
        """
        low, high = self._ranges(lower, upper, "both", stream)
        if low.size != high.size:
            raise InvalidArgument(f"lower has {low.size} values, upper {high.size}")
        return self._listed(self._core.range_retrieve, (low, high), stream, threads)

    def retrieve(self, probes: Any, *, stream: Any = None, threads: int = 0) -> tuple[Any, Any]:
        """All rows: those of probe i are `rows[offsets[i]:offsets[i + 1]]`, in ascending order.

        >>> offsets, rows = Index([30, 10, 20, 10]).retrieve([10, 30])
        >>> offsets.tolist(), rows.tolist()
        ([0, 2, 3], [1, 3, 0])
        """
        return self._listed(self._core.retrieve, (self._read(probes, "probes", "equal", stream),), stream, threads)
